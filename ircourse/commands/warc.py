"""The pages of a WARC file, the form in which crawls are kept.

A WARC file is a row of records, each with headers and a block of ``content-length`` bytes. A ``response``
holds what a server sent, HTTP headers included; ``resource`` and ``conversion`` hold a document alone.
Compressed files are gzip, one member or one a record. Whatever a record says is taken from a stranger: no
block is read beyond ``MAX_BLOCK`` bytes, no body unpacked beyond them.

Source: ISO 28500, WARC 1.1; RFC 9112 for chunks.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, cast

__all__ = ["WarcPage", "warc_pages"]

MAX_BLOCK = 64 * 2**20  # bytes
MAX_LINE = 2**16
MAX_HEADERS = 1000
_SKIP = 2**20


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
    head = stream.read(2)
    stream.seek(0)
    if head == b"\x1f\x8b":
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    try:
        while headers := _next_headers(stream):
            page = _page(headers, _block(stream, headers))
            if page is not None:
                yield page
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"damaged gzip: {error}") from None


def _next_headers(stream: BinaryIO) -> dict[str, str]:
    """Return the headers of the next record, by names in lower case; none at the end of the file."""
    line = stream.readline(MAX_LINE)
    while line in (b"\r\n", b"\n"):
        line = stream.readline(MAX_LINE)
    if line and not line.startswith(b"WARC/"):
        raise ValueError(f"no WARC record begins with {line[:20]!r}")
    lines: list[bytes] = []
    while line.strip():
        line = stream.readline(MAX_LINE)
        lines.append(line)
        if len(lines) > MAX_HEADERS:
            raise ValueError(f"over {MAX_HEADERS} headers in a WARC record")
    return {"": "", **_fields(lines)} if lines else {}


def _fields(lines: list[bytes]) -> dict[str, str]:
    pairs = [line.decode("utf-8", "replace").partition(":") for line in lines if line.strip()]
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _block(stream: BinaryIO, headers: dict[str, str]) -> bytes:
    """Return a record's block, cut at ``MAX_BLOCK``, and go past its end."""
    said = headers.get("content-length", "")
    if not (said.isascii() and said.isdigit() and len(said) < 16):
        raise ValueError(f"a WARC record of content-length {said!r}")
    size = int(said)
    block = stream.read(min(size, MAX_BLOCK))
    left = size - len(block)
    while left > 0 and (part := stream.read(min(left, _SKIP))):
        left -= len(part)
    if left:
        raise ValueError("the file ends within a WARC record")
    return block


def _page(headers: dict[str, str], block: bytes) -> WarcPage | None:
    url, kind = headers.get("warc-target-uri", "").strip("<>"), headers.get("warc-type")
    if kind in ("resource", "conversion"):
        return WarcPage(url, headers.get("content-type", ""), block)
    if kind != "response" or not url.startswith(("http://", "https://")):
        return None
    head, _, body = block.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    if status.split(b" ")[1:2] != [b"200"]:
        return None
    http = _fields(lines)
    if http.get("transfer-encoding", "").lower() == "chunked":
        body = _joined(body)
    return WarcPage(url, http.get("content-type", ""), _unpacked(body, http.get("content-encoding", "")))


def _joined(body: bytes) -> bytes:
    """Return a chunked body in one piece; as it is where it is not chunked after all."""
    parts: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at)
        try:
            size = int(body[at:end].split(b";")[0], 16)
        except ValueError:
            return body
        if end < 0 or size < 0:
            return body
        if size == 0:
            return b"".join(parts)
        parts.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2


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
