"""How much of a feed is read: what feedparser manages in a second (notes, "feeds").

tag    outside CDATA sections; costs 65 microseconds, and what follows
base   the URL against which links are resolved: that of the feed, and below a tag with ``xml:base`` that
       one's, itself resolved against the one outside. feedparser resolves it anew at every tag, and nested
       relative ones grow, so a tag costs 0.07 microseconds a character of its base
attributes  of a tag are looked up one by one among all, so their cost grows with the square of their number
"""

from __future__ import annotations

import re

__all__ = ["ATTRIBUTES", "MAX_ATTRIBUTES", "MAX_BASES", "MAX_LINES", "MAX_REFERENCES", "MAX_TAGS", "within"]

MAX_TAGS = 10_000
MAX_REFERENCES = 60_000  # 4 microseconds
MAX_LINES = 100_000  # 0.7 microseconds
MAX_ATTRIBUTES = 30_000  # 5 microseconds
ATTRIBUTES = 100  # of one tag
MAX_BASES = 3_000_000  # characters of the values of xml:base around and in a tag, over all tags

_TAG = re.compile(r"""<!\[CDATA\[.*?(?:\]\]>|\Z)|(<(?:[!?]|(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+))""", re.S)
_BASE = re.compile(r"""base\s*+=\s*+(["']?)([^"'<>]*+)""", re.I)
_ENDED = re.compile(r"""</|<[^=]*+(?<=/)$|<.*["'\s]/$""", re.S)  # of ``base=b/`` the slash is part
_ENDS = re.compile(r"</(?:[\w.-]{1,40}:)?(?:item|entry)\s*>", re.I)


def within(text: str, is_cut: bool) -> tuple[str, bool]:
    """Return the text up to the limits, and whether it was cut; if so behind its last whole entry.

    >>> within("<rss><item>herring</item><item" + " a='b'" * 200 + "/></rss>", False)
    ('<rss><item>herring</item>', True)
    """
    for mark, most in (("&", MAX_REFERENCES), ("\n", MAX_LINES)):
        if text.count(mark) > most:
            text, is_cut = mark.join(text.split(mark, most)[:most]), True
    if (end := _too_much(text)) is not None:
        text, is_cut = text[:end], True
    if is_cut:
        end = 0
        for found in _ENDS.finditer(text):
            end = found.end()
        text = text[:end] if end else text
    return text, is_cut


def _too_much(text: str) -> int | None:
    """Return where the first tag begins that is over a limit, None where none is."""
    tags = attributes = bases = base = lasting = 0
    around: list[int] = []  # at most how long the bases of open tags are; as in feedparser the last one stays
    # what is written without quotation marks is not well-formed, and no end tag is sure to end it
    for found in _TAG.finditer(text):
        if not (tag := found[1]):
            continue
        own = (tag.count('"') + tag.count("'")) // 2
        if tag[1:2] not in ("!", "?", "/"):
            for mark, value in _BASE.findall(tag):
                base, lasting = base + len(value) * bool(mark), lasting + len(value) * (not mark)
            around.append(base)
        tags, attributes, bases = tags + 1, attributes + own, bases + base + lasting
        if own > ATTRIBUTES or tags > MAX_TAGS or attributes > MAX_ATTRIBUTES or bases > MAX_BASES:
            return found.start()
        if around and _ENDED.match(tag):
            around.pop()
            base = around[-1] if around else base
    return None
