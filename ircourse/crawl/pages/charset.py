"""Which character set a page is in (book, section 20.2; HTML standard, "determining the character encoding").

body  the bytes of the page

Four places may say it, and they contradict each other; the first that speaks wins: the byte-order mark, the
HTTP header, a ``meta`` element (or the XML declaration), the bytes themselves.

Differs from the standard: without a declaration it reads windows-1252; ours reads UTF-8 where the bytes are
valid UTF-8, which other text hardly ever is. A ``meta`` counts in the first 65,536 bytes instead of 1,024,
since browsers that meet one later begin again; scripts and styles are passed over.
Sources: WHATWG HTML, section 13.2.3; WHATWG Encoding (labels, by the library webencodings).
"""

from __future__ import annotations

import codecs
import re
from urllib.parse import quote_from_bytes

import webencodings

from ircourse.crawl.pages.flat import Attributes, attributes_of, tags

__all__ = ["decode_html", "decode_text", "escape_query"]

PRESCAN = 65_536  # bytes

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_WIDE_XML = ((b"<\0?\0x\0", "utf-16le"), (b"\0<\0?\0x", "utf-16be"))
_PARAMETER = re.compile(
    r"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"',]+))""", re.I
)
_XML_DECLARATION = re.compile(r"""<\?xml[^>]*?encoding[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^">]*)"|'([^'>]*)')()""")
_WIDE = (
    "utf-8",
    "utf-16le",
    "utf-16be",
    "gbk",
    "gb18030",
    "big5",
    "euc-jp",
    "euc-kr",
    "iso-2022-jp",
    "shift_jis",
)
_KEPT = "".join(chr(byte) for byte in range(128) if byte != ord("#"))  # `canonical_url` sees to these


def decode_html(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Return the text of an HTML page and the standard's name of its encoding, in lower case.

    content_type  value of the HTTP header, for example ``text/html; charset=gb2312`` (which means gbk)

    Labels that nobody knows count as not said; bytes that are wrong become U+FFFD. No bytes raise.

    >>> decode_html(b"<meta charset=latin1>caf\\xe9")
    ('<meta charset=latin1>café', 'windows-1252')
    >>> decode_html("<meta charset=latin1>café".encode(), "text/html; charset=UTF8")
    ('<meta charset=latin1>café', 'utf-8')

    Source: WHATWG HTML, section 13.2.3.
    """
    said = _marked(body) or _parameter(content_type or "") or _declared(body[:PRESCAN])
    return _decode(body, said or _guess(body))


def decode_text(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Return what `decode_html` does, for plain text: nothing within the text speaks of its encoding."""
    return _decode(body, _marked(body) or _parameter(content_type or "") or _guess(body))


def escape_query(href: str, encoding: str) -> str:
    """Return ``href`` with the query's characters outside ASCII as escaped bytes of the page's ``encoding``.

    Forms made servers expect that; the path is always UTF-8. What the encoding lacks is written
    ``&#number;``.

    >>> escape_query("/查?q=查#查", "gbk")
    '/查?q=%B2%E9#查'

    Source: WHATWG URL, "percent-encode after encoding".
    """
    if encoding in ("utf-8", "utf-16le", "utf-16be", "replacement") or href.isascii():
        return href
    before, mark, fragment = href.partition("#")
    path, question, query = before.partition("?")
    if encoding != "gb18030":
        query = query.replace(
            "\ufffd", "%26%2365533%3B"
        )  # what broken bytes became; it saves a call for each
    written = webencodings.lookup(encoding).codec_info.encode(query, "xmlcharrefreplace")[0]
    start, *replaced = written.split(b"&#")  # the query held none: # ends it
    written = b"%26%23".join([start, *(part.replace(b";", b"%3B", 1) for part in replaced)])
    return path + question + quote_from_bytes(written, _KEPT) + mark + fragment


def _decode(body: bytes, name: str) -> tuple[str, str]:
    """Return ``body`` without its mark as text, and ``name``."""
    if name == "replacement":  # encodings in which attackers hid markup: the standard reads none of it
        return "\ufffd" if body else "", name
    for mark, marked in _MARKS:
        if name == marked:
            body = body.removeprefix(mark)
    decode = webencodings.lookup(name).codec_info.decode
    if name in _WIDE:
        return decode(body, "replace")[0], name
    table = decode(bytes(range(256)), "replace")[0]  # with no gaps: each costs a call of the codec
    return codecs.charmap_decode(body, "strict", table)[0], name


def _marked(body: bytes) -> str | None:
    """Return the encoding of the byte-order mark, else None."""
    return next((name for mark, name in _MARKS if body.startswith(mark)), None)


def _declared(head: bytes) -> str | None:
    """Return the encoding that a ``meta`` element or an XML declaration in ``head`` names, else None."""
    for start, name in _WIDE_XML:
        if head.startswith(start):
            return name
    markup = head.decode("latin-1")
    for tag, written in tags(markup):
        said = _said_by_meta(attributes_of(written)) if tag == "meta" else None
        if said:
            return said
    declaration = _XML_DECLARATION.match(markup)
    return _in_ascii(_known(_group(declaration))) if declaration else None


def _said_by_meta(attributes: Attributes) -> str | None:
    """Return the encoding that one ``meta`` element names, else None."""
    if "charset" in attributes:
        return _in_ascii(_known(attributes["charset"] or ""))
    if (attributes.get("http-equiv") or "").lower() == "content-type":
        return _in_ascii(_parameter(attributes.get("content") or ""))
    return None


def _parameter(content_type: str) -> str | None:
    """Return the encoding of the parameter ``charset``, else None."""
    match = _PARAMETER.search(content_type)
    return _known(_group(match)) if match else None


def _group(match: re.Match[str]) -> str:
    """Return the one group that matched."""
    return next(filter(None, match.groups()), "")


def _known(label: str) -> str | None:
    """Return the standard's name for a label, None where there is none."""
    encoding = webencodings.lookup(label) if label.isascii() else None
    return encoding.name if encoding else None


def _in_ascii(name: str | None) -> str | None:
    """Return what ``name`` can mean where it is written in ASCII letters: never UTF-16."""
    return {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}.get(name or "", name)


def _guess(body: bytes) -> str:
    """Return utf-8 where ``body``, perhaps cut off within a character, is valid UTF-8, else windows-1252."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(body)
    except UnicodeDecodeError:
        return "windows-1252"
    cut_off = decoder.getstate()[0]
    return "windows-1252" if cut_off and text.isascii() else "utf-8"
