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
from collections.abc import Iterator
from html import unescape
from html.entities import html5
from itertools import islice

__all__ = [
    "BLOCKS",
    "BREAK",
    "READ",
    "SILENT",
    "Attributes",
    "Event",
    "attributes_of",
    "flat_events",
    "is_harmless",
    "tags",
]

Attributes = dict[str, str | None]  # None and "" both stand for no value
Event = tuple[str, str, Attributes]  # kind (text, br, title, a, /a, or one of READ), words, attributes

ATTRIBUTES_READ = 64  # of one tag
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
_ATTRIBUTE = (
    r"[\t\n\f\r /]*+{0}[^\t\n\f\r />][^\t\n\f\r />=]*+)(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+{0}" + _VALUE + "))?+"
)
_ONE_ATTRIBUTE = re.compile(_ATTRIBUTE.format("("))
_ATTRIBUTES = rf"(?:{_ATTRIBUTE.format('(?:')})*+[\t\n\f\r /]*+"
_TOKEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"  # comment
    r"|<(?P<raw>script|style|xmp|iframe|noembed|noframes|textarea|title)(?=[\t\n\f\r />])"
    rf"{_ATTRIBUTES}>(?P<content>.*?)(?:</(?P=raw)(?=[\t\n\f\r />])[^>]*+>?|\Z)"
    rf"|<(?P<end>/?)(?P<name>[a-zA-Z][^\t\n\f\r />]*+)(?P<attributes>{_ATTRIBUTES})(?:>|(?P<cut>\Z))"
    r"|<[!?/][^>]*+(?:>|\Z)",  # declaration, processing instruction
    re.DOTALL | re.IGNORECASE,
)
_FORMATTING = re.compile(
    r"<(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\t\n\f\r />]", re.IGNORECASE
)
_REFERENCE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[a-zA-Z0-9]+;?)(=?)")
_LEADING_ZEROS = re.compile("&#([xX]?)0+(?=[0-9a-fA-F])")
_TOO_LARGE = re.compile("&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{7,});?")


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
    for token in _TOKEN.finditer(html):
        if token["name"] and not token["end"] and token["cut"] is None:
            yield token["name"].lower(), token["attributes"]


def attributes_of(written: str) -> Attributes:
    """Return the first 64 attributes of a tag: names in lower case, values with their entities decoded.

    >>> attributes_of(" HREF='?a=1&amp;b&copy=2' rel=nofollow href=/b hidden")
    {'href': '?a=1&b&copy=2', 'rel': 'nofollow', 'hidden': ''}
    """
    found: Attributes = {}
    written = written.replace("\0", "\ufffd")
    if len(written) <= 10_000:
        pairs = _ONE_ATTRIBUTE.findall(written)[:ATTRIBUTES_READ]  # faster, but reads to the end
    else:
        pairs = [match.groups("") for match in islice(_ONE_ATTRIBUTE.finditer(written), ATTRIBUTES_READ)]
    for name, value in pairs:
        if value[:1] in ("'", '"'):
            value = value[1:].removesuffix(value[0])
        if "&" in value and len(value) <= DECODED:
            value = _REFERENCE.sub(_in_value, value)
        found.setdefault(name.lower(), value)
    return found


def flat_events(html: str) -> Iterator[Event]:
    """Yield words, breaks, anchors and instructions of ``html`` in the order in which they are written.

    >>> page = "<p>To <b>the <a href=/q>quay</a></b><script>1</script>"
    >>> [words or kind for kind, words, attributes in flat_events(page)]
    ['br', 'To ', 'the ', 'a', 'quay', '/a']
    """
    done = templates = drawings = 0
    in_anchor = False
    for token in _TOKEN.finditer(html):
        if done < token.start() and not templates:
            yield "text", _words(html[done : token.start()]), {}
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
        yield "text", _words(html[done:]), {}
    if in_anchor:
        yield "/a", "", {}


def _event(name: str, token: re.Match[str]) -> Iterator[Event]:
    """Yield what a token that is no anchor says."""
    if name in BLOCKS:
        yield BREAK
        if token["raw"]:
            yield "text", _words(token["content"]), {}
            yield BREAK
    elif name == "title" and token["raw"]:
        yield "title", _words(token["content"]), {}
    elif name in READ and not token["end"]:
        yield name, "", attributes_of(token["attributes"])


def _words(written: str) -> str:
    """Return text with its entities decoded."""
    if "&#" in written:  # int() refuses thousands of digits
        written = _TOO_LARGE.sub("\ufffd", _LEADING_ZEROS.sub(r"&#\1", written))
    return unescape(written.replace("\0", ""))


def _in_value(match: re.Match[str]) -> str:
    """Return what an entity in a value stands for: a name without ``;`` is none before a letter or ``=``."""
    reference, equals = match.groups()
    if reference.startswith("#"):
        return (_words(f"&{reference}") or _control(reference)) + equals
    if reference.endswith(";") or not equals:
        return html5.get(reference, f"&{reference}") + equals
    return match[0]


def _control(reference: str) -> str:
    """Return the control character of ``#1;`` or ``#x1;``, which `unescape` drops and a URL escapes."""
    digits = _LEADING_ZEROS.sub(r"&#\1", f"&{reference}")[2:].rstrip(";")
    return chr(int(digits[1:], 16) if digits[0] in "xX" else int(digits))
