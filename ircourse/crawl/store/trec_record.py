"""One record of a TREC collection, see `trec`: its bytes between <DOC> and </DOC>, and the document.

The formats escape nothing, so some documents have no record: each is read again before it is given out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ircourse.crawl.pages.charset import decode_html, decode_text

__all__ = ["ENDS", "TrecDocument", "document_of", "record_of"]

MAX_FIELDS = 1000
ENDS = re.compile(rb"</DOC>|\n[ \t]{0,20}<DOC>")
_FIELD = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")


class TrecDocument(NamedTuple):
    """A document: its number, which may be any name, and its bytes; of a page also URL and headers."""

    docno: str
    body: bytes
    url: str = ""
    headers: Mapping[str, str] = MappingProxyType({})

    @property
    def text(self) -> str:
        """Return the body as text, of a page with its markup: in UTF-8 or what it or its headers declare."""
        if self.url:
            return decode_html(self.body, self.headers.get("content-type"))[0]
        return decode_text(self.body)[0]


def document_of(record: bytes) -> TrecDocument:
    """Return the document of a record. Raises ValueError with the reason where it is broken."""
    docno, after = _element(record, b"DOCNO", 0)
    number = " ".join(_decoded(docno).split())
    if not number:
        raise ValueError("an empty DOCNO")
    header, text = record.find(b"<DOCHDR>", after), record.find(b"<TEXT>", after)
    if header < 0 and text < 0:
        raise ValueError("neither TEXT nor DOCHDR")
    if header < 0 or 0 <= text < header:
        return TrecDocument(number, b"\n".join(_texts(record, text)))
    head, after = _element(record, b"DOCHDR", header)
    first, *lines = _decoded(head.strip()).split("\n", MAX_FIELDS)
    if not first.strip():
        raise ValueError("no URL in DOCHDR")
    return TrecDocument(number, _inside(record[after:]), first.split()[0], _fields(lines))


def _texts(record: bytes, at: int) -> Iterator[bytes]:
    """Yield the TEXT parts of a record from the first on."""
    while at >= 0:
        text, after = _element(record, b"TEXT", at)
        yield _inside(text)
        at = record.find(b"<TEXT>", after)


def _element(record: bytes, name: bytes, at: int) -> tuple[bytes, int]:
    """Return what stands in the next element of a name, and where it ends."""
    opens = record.find(b"<%b>" % name, at)
    if opens < 0:
        raise ValueError(f"no {name.decode()}")
    begins = opens + len(name) + len(b"<>")
    ends = record.find(b"</%b>" % name, begins)
    if ends < 0:
        raise ValueError(f"{name.decode()} is not closed")
    return record[begins:ends], ends + len(name) + len(b"</>")


def _inside(content: bytes) -> bytes:
    """Return content without the newlines that belong to the format."""
    end = b"\r\n" if content.startswith(b"\r\n") else b"\n"
    return content.removeprefix(end).removesuffix(end)


def _decoded(written: bytes) -> str:
    try:
        return written.decode("utf-8")
    except UnicodeDecodeError:
        return written.decode("latin-1")


def _fields(lines: list[str]) -> dict[str, str]:
    """Return headers by names in lower case, repeated ones joined by ", "; a status line is none."""
    found: dict[str, list[str]] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and _FIELD.fullmatch(name.strip().lower()):
            found.setdefault(name.strip().lower(), []).append(value.strip())
    return {name: ", ".join(values) for name, values in found.items()}


def record_of(document: TrecDocument) -> bytes:
    """Return a document's record with its marks. Raises ValueError where reading would not give it back."""
    docno, body, url, headers = document
    if not isinstance(body, bytes):
        raise TypeError(f"the body of {docno!r:.80} is {type(body).__name__}, not bytes: encode it first")
    start, end = f"\n<DOCNO>{docno}</DOCNO>\n", b"\n"
    if url:
        lines = [url, *(f"{name}: {value}" for name, value in headers.items())]
        start += "<DOCHDR>\n" + "\n".join(lines) + "\n</DOCHDR>\n"
    else:
        start, end = f"{start}<TEXT>\n", b"\n</TEXT>\n"
    inside = start.encode("utf-8", "surrogatepass") + body + end
    if ENDS.search(inside):
        raise ValueError(f"document {docno!r:.80} holds </DOC>, or <DOC> at the beginning of a line")
    try:
        same = document_of(inside) == document
    except ValueError:
        same = False
    if not same:
        raise ValueError(
            f"document {docno!r:.80} would be read as another: its number, URL or headers hold what the "
            "format cannot, or its text </TEXT>"
        )
    return b"<DOC>" + inside + b"</DOC>\n"
