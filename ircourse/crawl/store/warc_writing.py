"""Writing WARC records, as ISO 28500 (WARC 1.1) lays down.

payload  the body of an answer; its digest is SHA-1 in base 32, as other archives write it
packed   a record in a gzip member of its own, so that it can be read without those before it

A fetched body is kept as it was fetched: whole and unpacked. Headers that tell how it came over the wire
would then be false; they are kept under the names that Common Crawl gave them, such as
``X-Crawler-Content-Encoding``, and `original_headers` turns them back.

Source: ISO 28500; IIPC, WARC 1.1 annex on compression.
"""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import urlsplit, urlunsplit

from ircourse.types import Response

__all__ = [
    "SAME_BODY",
    "UNCHANGED",
    "answer_block",
    "moment",
    "original_headers",
    "packed",
    "parse_moment",
    "payload_digest",
    "record",
    "record_id",
    "request_record",
]

SAME_BODY = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
UNCHANGED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_AS_SENT = ("content-encoding", "transfer-encoding", "content-length")
_PREFIX = "x-crawler-"
_BREAKS = r"[\r\n]+"
_NO_TOKEN = re.compile(r"[^!-9;-~]")
_REASONS = {status.value: status.phrase for status in HTTPStatus}


def record(kind: str, fields: Mapping[str, str], block: bytes) -> bytes:
    """Return the bytes of a record: its kind, its fields by their names without "WARC-", its block.

    Its id is a UUID made from the fields, and from the block where no digest of it is among them: the same
    record has the same id in every run. Line breaks in a value are dropped.

    >>> print(record("resource", {"Target-URI": "http://a.example/"}, b"rose").decode().split("\\r\\n")[2])
    WARC-Target-URI: http://a.example/
    """
    full = {"WARC-Type": kind}
    full |= {name if name == "Content-Type" else f"WARC-{name}": value for name, value in fields.items()}
    head = "\r\n".join([f"{name}: {re.sub(_BREAKS, ' ', value)}" for name, value in full.items()])
    said = head.encode("utf-8", "replace") + (b"" if "Payload-Digest" in fields else block)
    name = hashlib.blake2b(said, digest_size=16).digest()
    head += f"\r\nWARC-Record-ID: <{uuid.UUID(bytes=name, version=5).urn}>\r\nContent-Length: {len(block)}"
    return b"WARC/1.1\r\n" + head.encode("utf-8", "replace") + b"\r\n\r\n" + block + b"\r\n\r\n"


def record_id(data: bytes) -> str:
    """Return the id of a record that `record` made."""
    found = re.search(rb"\r\nWARC-Record-ID: (.*)\r\n", data)
    return found[1].decode() if found else ""


def request_record(url: str, headers: Mapping[str, str], date: str, answer: bytes) -> bytes:
    """Return the record of the request that the record ``answer`` answers."""
    parts = urlsplit(url)
    lines = [f"GET {urlunsplit(('', '', parts.path or '/', parts.query, ''))} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in {"Host": parts.netloc, **headers}.items()]
    block = "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")
    fields = {"Target-URI": url, "Date": date, "Concurrent-To": record_id(answer)}
    return record("request", fields | {"Content-Type": "application/http; msgtype=request"}, block)


def packed(data: bytes, level: int) -> bytes:
    """Return ``data`` as one gzip member, the same bytes in every run."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def answer_block(response: Response) -> bytes:
    """Return an answer as the bytes of HTTP that say of its body what holds for it, whole and unpacked.

    Raises ValueError for a status that is no number of three digits.

    >>> answer_block(Response(200, {"content-encoding": "gzip", "server": "quay"}, b"rose"))
    b'HTTP/1.1 200 OK\\r\\nx-crawler-content-encoding: gzip\\r\\nserver: quay\\r\\n\\r\\nrose'
    """
    if not 100 <= response.status <= 999:
        raise ValueError(f"status {response.status}: a number from 100 to 999 expected")
    lines = [f"HTTP/1.1 {response.status} {_REASONS.get(response.status, '')}"]
    for name, value in response.headers.items():
        name = _NO_TOKEN.sub("", name).lower() or "x-nameless"
        if name in _AS_SENT and not (name == "content-length" and value == str(len(response.body))):
            name = _PREFIX + name
        lines += [f"{name}: {part}" for part in re.split(_BREAKS, value.strip(" \t\r\n"))]
    return b"\r\n".join(map(_header_bytes, [*lines, "", ""])) + response.body


def original_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of an answer that `answer_block` wrote as they were before.

    >>> original_headers({"x-crawler-content-encoding": "gzip", "server": "quay"})
    {'content-encoding': 'gzip', 'server': 'quay'}
    """
    names = {_PREFIX + name: name for name in _AS_SENT}
    return {names.get(name, name): value for name, value in headers.items()}


def payload_digest(body: bytes) -> str:
    """Return the digest by which archives tell equal bodies.

    >>> payload_digest(b"")
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return "sha1:" + base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()


def moment(date: datetime) -> str:
    """Return a date as WARC writes it, in UTC to the microsecond."""
    return date.isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse_moment(text: str) -> float:
    """Return a date of WARC in seconds since 1970; 0 where it is none, or none that can be read back.

    >>> parse_moment("1970-01-02T00:00:00.5Z"), parse_moment("yesterday")
    (86400.5, 0.0)
    """
    try:
        date = datetime.fromisoformat(text)
        seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        datetime.fromtimestamp(seconds, UTC)  # a zone or rounding may lead out of the years 1 to 9999
        return seconds
    except (ValueError, OverflowError):
        return 0.0


def _header_bytes(line: str) -> bytes:
    """Return a header as servers send it; one that no server can send in UTF-8."""
    try:
        return line.encode("latin-1")
    except UnicodeEncodeError:
        return line.encode("utf-8", "replace")
