"""HTML read by regular expressions, for what needs no tree: the ``meta`` of a character set, and long pages.

HTML nests, and a tree builder searches its stack of open elements at almost every tag: 100,000 nested ``div``
take it 10 s, and 1,000 unclosed ``b`` before 1,000 paragraphs make a million nodes. Browsers stop at 512
levels. A crawler wants links and words, for which no tag need be inside another, so a long page is read tag
after tag. Each pattern keeps what it has matched for good (``*+``), so the text is read once, whatever stands
in it.

Differs from the HTML standard: words misplaced in a table stay where they were written, ``script`` ends at
the first ``</script``, an ``a`` ends at ``</a>`` or the next ``a`` and nowhere else, so that one left open
is one link, where the tree repeats it in each block.
Source: WHATWG HTML, section 13.2.5 (tokenisation).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import unescape
from html.entities import html5
from itertools import islice

__all__ = [
    "ANY_ATTRIBUTES",
    "BLOCKS",
    "BREAK",
    "READ",
    "SILENT",
    "TOKEN",
    "Attributes",
    "Event",
    "attributes_of",
    "decoded",
    "flat_events",
    "is_harmless",
    "tags",
]

Attributes = dict[str, str | None]  # None and "" both stand for no value
Event = tuple[str, str, Attributes]  # kind (text, br, title, a, /a, or one of READ), words, attributes

ATTRIBUTES_READ = 64  # of one tag, repeats included
DECODED = 65_536  # characters of a value; longer ones are no URL, and stay as they are
BREAK: Event = ("br", "", {})
READ = frozenset(["area", "base", "img", "link", "meta"])
_BLOCK_NAMES = (
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li "
    "listing main menu nav ol optgroup option p plaintext pre search section select summary table tbody "
    "td textarea tfoot th thead tr ul xmp"
)
BLOCKS = frozenset(_BLOCK_NAMES.split())
SILENT = frozenset(["iframe", "noembed", "noframes", "script", "style", "template", "title"])

_VALUE = r""""[^"]*+"?|'[^']*+'?|[^\t\n\f\r >]*+"""
_VALUE_READ = r""""([^"]*+)"?|'([^']*+)'?|([^\t\n\f\r >]*+)"""
_NAME = r"[^\t\n\f\r />][^\t\n\f\r />=]*+"
_NAME_READ = r"(?:alt|charset|content|href|http-equiv|name|rel)(?=[\t\n\f\r />=]|\Z)"
_OTHER_NAME = f"(?!{_NAME_READ}){_NAME}"
_ATTRIBUTES = r"(?:[\t\n\f\r /]*+{}(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:{}))?+)*+[\t\n\f\r /]*+"
_NEXT_ATTRIBUTE = re.compile(  # passes over the others, which a tag may have by the thousand
    _ATTRIBUTES.format(_OTHER_NAME, _VALUE)
    + rf"(?:({_NAME_READ})(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:{_VALUE_READ}))?+|\Z)",
    re.IGNORECASE,
)
ANY_ATTRIBUTES = _ATTRIBUTES.format(_NAME, _VALUE)
TOKEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"  # comment
    r"|<(?P<raw>script|style|xmp|iframe|noembed|noframes|textarea|title)(?=[\t\n\f\r />])"
    rf"{ANY_ATTRIBUTES}>(?P<content>.*?)(?:</(?P=raw)(?=[\t\n\f\r />])[^>]*+>?|\Z)"
    rf"|<(?P<end>/?)(?P<name>[a-zA-Z][^\t\n\f\r />]*+)(?P<attributes>{ANY_ATTRIBUTES})(?:>|(?P<cut>\Z))"
    r"|<[!?/][^>]*+(?:>|\Z)",  # declaration, processing instruction
    re.DOTALL | re.IGNORECASE,
)
_FORMATTING = re.compile(
    r"<(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\t\n\f\r />]", re.IGNORECASE
)
_REFERENCE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[a-zA-Z0-9]+;?)(=?)")
_LONGEST_BARE = max(len(name) for name in html5 if not name.endswith(";"))


def is_harmless(html: str) -> bool:
    """Return whether a tree builder surely takes under half a second for ``html``.

    Up to 20,000 characters hold 6,700 open elements or 10,000 attributes, 0.2 s of searching. Each open
    formatting element may be made again at each tag, so their product bounds the nodes.
    """
    return len(html) <= 20_000 and len(_FORMATTING.findall(html)) * html.count("<") <= 300_000


def tags(html: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each start tag in lower case, and its attributes as they are written.

    >>> list(tags("<!-- <b> --><META charset=gbk><script>'<i>'</script></p>"))
    [('meta', ' charset=gbk')]
    """
    for token in TOKEN.finditer(html):
        if token["name"] and not token["end"] and token["cut"] is None:
            yield token["name"].lower(), token["attributes"]


def attributes_of(written: str) -> Attributes:
    """Return the attributes of a tag that are read here, names in lower case, entities in values decoded.

    >>> attributes_of(" HREF='?a=1&amp;b&copy=2' class=x rel=nofollow href=/b")
    {'href': '?a=1&b&copy=2', 'rel': 'nofollow'}
    """
    found: Attributes = {}
    written = written.replace("\0", "\ufffd")
    for match in islice(_NEXT_ATTRIBUTE.finditer(written), ATTRIBUTES_READ):
        name, quoted, single, bare = match.groups("")
        name = name.lower()
        if name and name not in found:
            found[name] = value = quoted or single or bare
            if "&" in value and len(value) <= DECODED:
                found[name] = _REFERENCE.sub(_in_value, value)
    return found


def flat_events(html: str) -> Iterator[Event]:
    """Yield words, breaks, anchors and instructions of ``html`` in the order in which they are written.

    >>> page = "<p>To <b>the <a href=/q>quay</a></b><script>1</script>"
    >>> [words or kind for kind, words, attributes in flat_events(page)]
    ['br', 'To ', 'the ', 'a', 'quay', '/a']
    """
    done = templates = drawings = 0
    in_anchor = False
    for token in TOKEN.finditer(html):
        if done < token.start() and not templates:
            yield "text", decoded(html[done : token.start()]), {}
        done, end = token.end(), token["end"]
        name = (token["name"] or token["raw"] or "").lower()
        if name == "template":
            templates = max(0, templates + (-1 if end else 1))
        elif name == "svg":
            drawings = max(0, drawings + (-1 if end else 1))
        elif templates or token["cut"] is not None:
            continue
        elif name == "a":
            if in_anchor:
                yield "/a", "", {}
            in_anchor = not end
            if in_anchor:
                yield "a", "", attributes_of(token["attributes"])
        elif not drawings or name != "title":
            yield from _event(name, token)
    if done < len(html) and not templates:
        yield "text", decoded(html[done:]), {}
    if in_anchor:
        yield "/a", "", {}


def _event(name: str, token: re.Match[str]) -> Iterator[Event]:
    """Yield what a token that is no anchor says."""
    if name in BLOCKS:
        yield BREAK
        if token["raw"]:
            yield "text", decoded(token["content"]), {}
            yield BREAK
    elif name == "title" and token["raw"]:
        yield "title", decoded(token["content"]), {}
    elif name in READ and not token["end"]:
        yield name, "", attributes_of(token["attributes"])


def decoded(written: str) -> str:
    """Return text with its entities decoded, as `html.unescape` does, which takes 2 µs for some of them."""
    return _REFERENCE.sub(_in_words, written.replace("\0", ""))


def _in_words(match: re.Match[str]) -> str:
    """Return what an entity in text stands for: some names need no ``;``, whatever follows."""
    reference, equals = match.groups()
    if reference[0] == "#":
        character = _numbered(reference)
        return (character if character.isprintable() else unescape(f"&#{ord(character)};")) + equals
    if reference in html5:
        return html5[reference] + equals
    for end in range(_LONGEST_BARE, 1, -1):
        if reference[:end] in html5:
            return html5[reference[:end]] + reference[end:] + equals
    return match[0]


def _in_value(match: re.Match[str]) -> str:
    """Return what an entity in a value stands for: a name without ``;`` is none before a letter or ``=``."""
    reference, equals = match.groups()
    if reference[0] == "#":
        return _numbered(reference) + equals
    if reference[-1] == ";" or not equals:
        return html5.get(reference, f"&{reference}") + equals
    return match[0]


def _numbered(reference: str) -> str:
    """Return the character of ``#233;`` or ``#xE9;``, U+FFFD where there is none."""
    base = 16 if reference[1] in "xX" else 10
    number = int(reference.lstrip("#xX0").rstrip(";")[:9] or "0", base)  # int() refuses thousands of digits
    usual = 0 < number < 0x80 or 0xA0 <= number < 0xD800 or 0xE000 <= number <= sys.maxunicode
    return chr(number) if usual else unescape(f"&#{number};")
