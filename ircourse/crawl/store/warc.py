"""Reading WARC files, the form in which crawls are kept (notes, storing pages).

record  named fields and a block of ``content-length`` bytes; its field ``warc-type`` says what it is
place   where a record begins: (offset of its gzip member, bytes of the member before it); a file that is
        not compressed has the offset alone, with 0
response    what a server sent, the head of HTTP included
resource, conversion    a document alone; the second was made from another
revisit     an answer whose body was kept before
request, metadata, warcinfo, dns: answers    no page

Compressed files are gzip, one member a record as the standard asks, or one for all. Whatever a record says is
taken from a stranger: no block is read beyond ``MAX_BLOCK`` bytes, no body unpacked beyond them. Libraries
were weighed (warcio 1.8, FastWARC 2.0): both give a record that the file's end cuts short as a shorter one
and say nothing, and the first reads heads without a limit.

Source: ISO 28500, WARC 1.1; RFC 9112 for the head of an answer and for chunks.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import BinaryIO, NamedTuple, TypeAlias

from ircourse.crawl.store.members import Members
from ircourse.types import Response

__all__ = [
    "MAX_BLOCK",
    "Place",
    "WarcError",
    "WarcPage",
    "WarcRecord",
    "http_answer",
    "read_records",
    "record_at",
    "warc_pages",
]

MAX_BLOCK = 64 * 2**20  # bytes
MAX_LINE = 2**16
MAX_HEAD = 2**20  # bytes of all fields or headers
MAX_FIELDS = 1000
_SKIP = 2**20
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")

Place: TypeAlias = tuple[int, int]


class WarcRecord(NamedTuple):
    """A record: where it begins, its fields by names in lower case, its block."""

    place: Place
    fields: Mapping[str, str]
    block: bytes

    @property
    def kind(self) -> str:
        """Return what the record is, such as "response"."""
        return self.fields.get("warc-type", "").lower()

    @property
    def url(self) -> str:
        """Return the address that the record is about."""
        return self.fields.get("warc-target-uri", "").strip("<>")


class WarcError(ValueError):
    """A record cannot be read; whole ones end before ``start``, where its member begins."""

    def __init__(self, reason: str, start: int) -> None:
        super().__init__(reason)
        self.start = start


class WarcPage(NamedTuple):
    """A document with the address that it came from."""

    url: str
    content_type: str
    body: bytes


def warc_pages(stream: BinaryIO) -> Iterator[WarcPage]:
    """Yield the documents of a WARC file open for reading: responses with status 200, and bare documents.

    Raises ValueError at what is no WARC record or where the file ends within one; what stands before has
    been yielded by then.

    >>> import io
    >>> record = b"WARC/1.1\\r\\nWARC-Type: resource\\r\\nWARC-Target-URI: http://a.example/\\r\\n"
    >>> list(warc_pages(io.BytesIO(record + b"Content-Length: 4\\r\\n\\r\\nrose\\r\\n\\r\\n")))
    [WarcPage(url='http://a.example/', content_type='', body=b'rose')]
    """
    for record in read_records(stream):
        if record.kind in ("resource", "conversion"):
            yield WarcPage(record.url, record.fields.get("content-type", ""), record.block)
        elif record.kind == "response" and record.url.startswith(("http://", "https://")):
            answer = http_answer(record.block)
            if answer and answer.status == 200:
                yield WarcPage(record.url, answer.headers.get("content-type", ""), answer.body)


def read_records(stream: BinaryIO, place: Place = (0, 0)) -> Iterator[WarcRecord]:
    """Yield the records of a WARC file open for reading, from the one that begins at ``place``.

    Raises ValueError at what is no WARC record or where the file ends within one; what stands before has
    been yielded by then.
    """
    yield from _records(Members(stream), place)


def record_at(members: Members, place: Place) -> WarcRecord | None:
    """Return the record that begins at ``place``, None at the end. Raises ValueError as `read_records` does.

    Records of one gzip member in the order of the file are read in one go.
    """
    return next(_records(members, place), None)


def _records(members: Members, place: Place) -> Iterator[WarcRecord]:
    """Yield the records from ``place`` on."""
    try:
        members.go_to(place)
        while True:
            line = members.readline(MAX_LINE)
            while line in (b"\r\n", b"\n"):
                place = members.tell()
                line = members.readline(MAX_LINE)
            if not line:
                return
            fields = _fields_after(line, members)
            block = _block(members, fields)
            yield WarcRecord(place, fields, block)
            place = members.tell()
    except (EOFError, OSError, zlib.error) as error:
        raise WarcError(f"damaged gzip: {error}", max(place[0], members.start)) from None
    except ValueError as error:
        raise WarcError(str(error), max(place[0], members.start)) from None


def http_answer(block: bytes) -> Response | None:
    """Return the answer of which ``block`` holds the bytes, its body joined and unpacked; None if it is none.

    Headers of one name are joined by ", ", X-Robots-Tag by newlines, as `http_fetcher` does. A head is read
    to ``MAX_HEAD`` bytes.

    >>> http_answer(b"HTTP/1.1 404 Not Found\\r\\nServer: quay\\r\\n\\r\\nno such page")
    Response(status=404, headers={'server': 'quay'}, body=b'no such page', seconds=0.0)
    """
    gap = _END_OF_HEAD.search(block)
    head, body = (block[: gap.start()], block[gap.end() :]) if gap else (block, b"")
    first, *lines = head[:MAX_HEAD].split(b"\n")
    said = re.match(rb"HTTP/\d(?:\.\d)? +(\d{3})(?!\d)", first)
    if not said:
        return None
    found: dict[str, list[str]] = {}
    for line in lines[:MAX_FIELDS]:
        name, colon, value = line.decode("latin-1").partition(":")
        name, value = name.strip().lower(), value.strip(" \t\r")
        if colon:
            found.setdefault(name, []).append(value)
    headers = {name: ("\n" if name == "x-robots-tag" else ", ").join(all) for name, all in found.items()}
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = _joined(body)
    return Response(int(said[1]), headers, _unpacked(body, headers.get("content-encoding", "")))


def _fields_after(line: bytes, members: Members) -> dict[str, str]:
    """Return the fields of the record whose first line has been read."""
    if not line.startswith(b"WARC/"):
        raise ValueError(f"no WARC record begins with {line[:20]!r}")
    fields: dict[str, str] = {}
    size = 0
    for _ in range(MAX_FIELDS + 1):
        line = members.readline(MAX_LINE)
        if not line.strip():
            return fields
        if (size := size + len(line)) > MAX_HEAD:
            raise ValueError(f"over {MAX_HEAD:,} bytes of headers in a WARC record")
        name, _, value = line.decode("utf-8", "replace").partition(":")
        fields[name.strip().lower()] = value.strip()
    raise ValueError(f"over {MAX_FIELDS} headers in a WARC record")


def _block(members: Members, fields: Mapping[str, str]) -> bytes:
    """Return a record's block, cut at ``MAX_BLOCK``, and go past its end."""
    said = fields.get("content-length", "")
    if not (said.isascii() and said.isdigit() and len(said) < 16):
        raise ValueError(f"a WARC record of content-length {said!r}")
    size = int(said)
    block = members.read(min(size, MAX_BLOCK))
    left = size - len(block)
    while left > 0 and (part := members.read(min(left, _SKIP))):
        left -= len(part)
    if left:
        raise ValueError("the file ends within a WARC record")
    return block


def _joined(body: bytes) -> bytes:
    """Return a chunked body in one piece; as it is where it is not chunked after all."""
    parts: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at)
        size = re.fullmatch(rb"\s*([0-9A-Fa-f]{1,15})\s*(?:;.*)?", body[at : min(end, at + 99)], re.S)
        if end < 0 or not size:
            return body
        if int(size[1], 16) == 0:
            return b"".join(parts)
        at = end + 2 + int(size[1], 16)
        parts.append(body[end + 2 : at])
        at += 2


def _unpacked(body: bytes, encoding: str) -> bytes:
    """Return a gzip or deflate body unpacked; as it is where it is neither: some crawlers unpack."""
    if encoding.lower() not in ("gzip", "x-gzip", "deflate"):
        return body
    for window in (47, -15):  # gzip or zlib by its head; deflate without a head
        try:
            return zlib.decompressobj(window).decompress(body, MAX_BLOCK)
        except zlib.error:
            continue
    return body
