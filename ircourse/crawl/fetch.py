"""Fetching one URL over HTTP, with limits: the only file of the crawler that touches a socket.

resolve  a function from (host, port) to the (address, port) to connect to; None: the system's look-up.
         It raises `FetchError` for a host that it does not know. A served web brings its own.

Crawled servers are hostile: an answer has a limit on its size, decompressed, and on the time it takes.
Redirects are not followed, cookies not kept, proxies and passwords of the environment not used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3 import exceptions
from urllib3.connection import HTTPConnection, HTTPSConnection

from ircourse.types import FetchError, Response

__all__ = ["Fetch", "Resolve", "http_fetcher"]

Resolve: TypeAlias = Callable[[str, int], tuple[str, int]]
Fetch: TypeAlias = Callable[[str, Mapping[str, str]], Response]
DEFAULT_PORTS = {"http": 80, "https": 443}
# In this order, since urllib3 makes each of the first two a time-out as well.
KINDS: Mapping[str, tuple[type[BaseException], ...]] = {
    "dns": (exceptions.NameResolutionError,),
    "refused": (ConnectionRefusedError, exceptions.NewConnectionError),
    "timeout": (requests.Timeout, exceptions.TimeoutError, TimeoutError),
    "bad url": (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema),
    "bad answer": (exceptions.DecodeError,),
}


def http_fetcher(
    *, resolve: Resolve | None = None, timeout: float = 10.0, max_bytes: int = 10_000_000
) -> Fetch:
    """Return ``fetch(url, headers) -> Response``, which keeps its connections open between calls.

    timeout    seconds to wait for the connection, for the next bytes, and for the body as a whole
    max_bytes  longest body, decompressed

    ``fetch`` sends the URL unchanged, and raises `FetchError` with kind "dns", "timeout", "refused", "reset",
    "too large", "bad url" or "bad answer". It is for one thread.

    >>> from ircourse.web import Web, serve
    >>> with serve(Web.from_pages({"http://harbour.example/": []})) as server:
    ...     http_fetcher(resolve=server.resolve)("http://harbour.example/", {}).status
    200
    """
    session = requests.Session()
    session.trust_env = False
    transport = _Transport(resolve)
    session.mount("http://", transport)
    session.mount("https://", transport)

    def fetch(url: str, headers: Mapping[str, str]) -> Response:
        start = time.monotonic()
        try:
            request = requests.Request(
                "GET", url, headers={**headers, "Host": urlsplit(url).netloc}
            ).prepare()
            request.url = url  # prepare() has escaped it anew
            with session.send(request, stream=True, timeout=timeout, allow_redirects=False) as answer:
                head = {name.lower(): value for name, value in answer.headers.items()}
                body = _body(url, answer, start + timeout, max_bytes)
                return Response(answer.status_code, head, body, time.monotonic() - start)
        except (requests.RequestException, exceptions.HTTPError, OSError, ValueError) as error:
            raise FetchError(url, _kind(error)) from error

    return fetch


class _Transport(HTTPAdapter):
    """Connects to where ``resolve`` says, and asks for exactly what stands in the URL."""

    def __init__(self, resolve: Resolve | None) -> None:
        self.resolve = resolve
        self.target = "/"
        super().__init__(max_retries=0)
        # urllib3 escapes what it is told to ask for; the last place to say otherwise is the connection
        self.poolmanager.pool_classes_by_scheme = {
            "http": _pool(urllib3.HTTPConnectionPool, HTTPConnection, self),
            "https": _pool(urllib3.HTTPSConnectionPool, HTTPSConnection, self),
        }

    def get_connection_with_tls_context(
        self, request: requests.PreparedRequest, verify: Any, proxies: Any = None, cert: Any = None
    ) -> Any:
        parts = urlsplit(request.url or "")
        self.target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if self.resolve is None:
            return super().get_connection_with_tls_context(request, verify, proxies, cert)
        where, pool = self.build_connection_pool_key_attributes(request, verify, cert)
        host, port = self.resolve(str(parts.hostname), parts.port or DEFAULT_PORTS[parts.scheme])
        return self.poolmanager.connection_from_host(host, port, where["scheme"], pool)


def _pool(pool: type[Any], connection: type[Any], transport: _Transport) -> type[Any]:
    def putrequest(self: Any, method: str, url: str, *args: Any, **kwargs: Any) -> None:
        connection.putrequest(self, method, transport.target, *args, **kwargs)

    exact = type("ExactConnection", (connection,), {"putrequest": putrequest})
    return type("ExactPool", (pool,), {"ConnectionCls": exact})


def _body(url: str, answer: requests.Response, deadline: float, max_bytes: int) -> bytes:
    """Read the answer piece by piece, so that neither a flood nor a trickle outlasts its limit."""
    pieces, size = [], 0
    while piece := answer.raw.read1(65536, decode_content=True):
        pieces.append(piece)
        size += len(piece)
        if size > max_bytes:
            raise FetchError(url, "too large")
        if time.monotonic() > deadline:
            raise FetchError(url, "timeout")
    return b"".join(pieces)


def _kind(error: BaseException) -> str:
    """Return the kind of `FetchError` for what requests, urllib3 and the system raise."""
    causes = list(_causes(error))
    for kind, types in KINDS.items():
        if any(isinstance(cause, types) for cause in causes):
            return kind
    return (
        "reset" if isinstance(error, requests.ConnectionError | exceptions.HTTPError | OSError) else "bad url"
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what it says was its reason, and what it was raised in place of."""
    while error is not None:
        yield error
        reason = getattr(error, "reason", None)
        error = reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
