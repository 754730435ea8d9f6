"""Fetching one URL over HTTP, with limits on time and size, since crawled servers are hostile.

resolve  a function from (host, port) to the (address, port) to connect to, or to a list of some; None: the
         system's look-up. It raises `FetchError` for a host that it does not know. A served web has its own.

Redirects are not followed, cookies not kept, proxies and passwords of the environment not used.
"""

from __future__ import annotations

import gzip
import io
import re
import socket
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Protocol, TypeAlias
from urllib.parse import urlsplit

from ircourse.crawl.net.connection import Connection, Place, Resolve, TooLarge
from ircourse.types import FetchError, Response

__all__ = ["Fetch", "Resolve", "http_fetcher"]

Fetch: TypeAlias = Callable[[str, Mapping[str, str]], Response]


class HttpFetch(Protocol):
    """What `http_fetcher` returns, a `Fetch`."""

    def __call__(
        self, url: str, headers: Mapping[str, str], cut: int | None = None, *, method: str = "GET"
    ) -> Response: ...


DEFAULT_PORTS = {"http": 80, "https": 443}
KEPT = 10  # connections kept open
PIECE = 2**18  # bytes read at a time
# In this order: the first three of the system's errors are OSErrors as well.
KINDS: Mapping[str, tuple[type[Exception], ...]] = {
    "dns": (socket.gaierror,),
    "refused": (ConnectionRefusedError,),
    "timeout": (TimeoutError,),
    "reset": (OSError, IncompleteRead),
    "too large": (TooLarge,),
}


def http_fetcher(
    *, resolve: Resolve | None = None, timeout: float = 10.0, max_bytes: int = 10_000_000
) -> HttpFetch:
    """Return ``fetch(url, headers) -> Response``, which keeps its connections open between calls.

    timeout    seconds for connection, request and answer together; the system's look-up of a host has its own
    max_bytes  longest body, as sent and decompressed

    With ``cut=n`` the first n bytes of a longer body are all that is read of it; with ``method="HEAD"`` the
    server is asked for the headers alone.

    ``fetch`` sends the URL unchanged. Headers of one name are joined by ", ", X-Robots-Tag by newlines.
    Raises `FetchError` with kind "bad url" (also for a header that cannot be sent), "dns", "refused",
    "timeout", "reset", "too large" or "bad answer". Threads may share it.

    >>> from ircourse.web import Web, serve
    >>> with serve(Web.from_pages({"http://harbour.example/": []})) as server:
    ...     http_fetcher(resolve=server.resolve)("http://harbour.example/", {}).status
    200
    """
    kept: dict[Place, Connection] = {}
    changing = threading.Lock()

    def fetch(
        url: str, headers: Mapping[str, str], cut: int | None = None, *, method: str = "GET"
    ) -> Response:
        start = time.monotonic()
        with _naming(url, "bad url"):
            place, host, target = _parts(url)
        with changing:
            connection = kept.pop(place, None) or Connection(place, resolve)
        try:
            with _naming(url, "bad url"):
                connection.ask(target, {**headers, "Host": host}, start + timeout, method)
            with _naming(url, "bad answer"):
                status, head, body = _answer(connection, max_bytes, cut)
        except BaseException:
            connection.close()
            raise
        with changing:
            if connection.sock:
                if place in kept:  # another thread was at the same place
                    kept.pop(place).close()
                kept[place] = connection
            if len(kept) > KEPT:
                kept.pop(next(iter(kept))).close()  # the one unused for longest
        return Response(status, head, body, time.monotonic() - start)

    weakref.finalize(fetch, _close_all, kept)
    return fetch


def _parts(url: str) -> tuple[Place, str, str]:
    """Return the place to connect to, the Host header, and what to ask for as it stands in the URL."""
    if not re.fullmatch("[!-~]+", url):
        raise ValueError(f"{url!r}: visible ASCII characters expected; canonical_url escapes others")
    parts = urlsplit(url)
    port = DEFAULT_PORTS.get(parts.scheme) if parts.port is None else parts.port
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or not port:
        raise ValueError(f"{url!r}: http:// or https://, a host and a port other than 0 expected")
    parts.hostname.encode("idna")  # raises for a label that is empty or too long
    target = url.partition("#")[0][len(f"{parts.scheme}://{parts.netloc}") :]
    slash = "" if target.startswith("/") else "/"
    return (parts.scheme, parts.hostname, port), parts.netloc.rpartition("@")[2], slash + target


def _answer(connection: Connection, max_bytes: int, cut: int | None) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body; close the connection where the server will, or the body was cut."""
    room = 2 * max_bytes + 2**20  # for headers, and for chunks of one byte
    with connection.final_answer(room) as answer:
        head = _headers(answer)
        body = _decoded(_body(answer, head, max_bytes, cut), head, max_bytes, cut)
        has_ended = answer.isclosed()
    if answer.will_close or not has_ended:
        connection.close()
    return answer.status, head, body


def _headers(answer: HTTPResponse) -> dict[str, str]:
    """Return the headers by name in lower case, each in one line but for the joint of X-Robots-Tag."""
    head: dict[str, str] = {}
    for name, value in answer.getheaders():
        name, value = name.lower(), re.sub(r"[\r\n]+", "", value)
        joint = "\n" if name == "x-robots-tag" else ", "
        head[name] = head[name] + joint + value if name in head else value
    return head


def _body(answer: HTTPResponse, head: Mapping[str, str], max_bytes: int, cut: int | None) -> bytes:
    """Return the body as sent, or its beginning."""
    if head.get("transfer-encoding", "chunked").lower() != "chunked":
        raise ValueError(f"Transfer-Encoding {head['transfer-encoding']!r}: chunked expected")
    if cut is None and (answer.length or 0) > max_bytes:
        raise TooLarge(f"Content-Length {answer.length}")
    parts, left = [], max_bytes + 1 if cut is None else cut
    while left and (part := answer.read(min(left, PIECE))):  # in one go it takes twice the memory
        parts.append(part)
        left -= len(part)
    if answer.length and left:
        raise IncompleteRead(b"", answer.length)
    if not left and cut is None:
        raise TooLarge(f"over {max_bytes} bytes")
    return b"".join(parts)


def _decoded(body: bytes, head: Mapping[str, str], max_bytes: int, cut: int | None) -> bytes:
    """Return the body decompressed, or its beginning."""
    encoding = head.get("content-encoding", "identity").lower()
    if encoding == "identity":
        return body
    if encoding not in ("gzip", "x-gzip"):
        raise ValueError(f"Content-Encoding {encoding!r}: gzip expected")
    parts, left = [], max_bytes + 1 if cut is None else cut
    unpacker = gzip.GzipFile(fileobj=io.BytesIO(body))
    try:
        while left and (part := unpacker.read1(min(left, PIECE))):
            parts.append(part)
            left -= len(part)
    except (EOFError, OSError, zlib.error) as error:
        if len(body) != cut:
            raise ValueError(f"broken gzip: {error}") from error
    if not left and cut is None:
        raise TooLarge(f"over {max_bytes} bytes, decompressed")
    return b"".join(parts)


@contextmanager
def _naming(url: str, otherwise: str) -> Iterator[None]:
    """Raise `FetchError` for what the system, http.client and ``resolve`` raise."""
    try:
        yield
    except FetchError as error:  # ``resolve`` knows the host alone
        raise FetchError(url, error.kind) from error
    except (OSError, HTTPException, ValueError) as error:
        kinds = [kind for kind, types in KINDS.items() if isinstance(error, types)]
        raise FetchError(url, [*kinds, otherwise][0]) from error


def _close_all(kept: dict[Place, Connection]) -> None:
    for connection in kept.values():
        connection.close()
