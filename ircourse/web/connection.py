"""One HTTP connection to a served web: reading requests, writing answers, going wrong on demand.

Hostile requests get a 400 (431 for headers beyond 64 kB or 100 lines) and close their connection; no request
ends the server.
"""

from __future__ import annotations

import gzip
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from ircourse.crawl.urls import canonical_url
from ircourse.types import FetchError, Response
from ircourse.web.listener import drop

if TYPE_CHECKING:
    from ircourse.web.listener import HttpServer

__all__ = ["Connection", "Visit"]

HOST = re.compile(r"[a-z0-9._-]+(:[0-9]{1,5})?")
COMPRESSIBLE = re.compile(r"text/|application/(xml|json|javascript|[a-z.-]+\+xml)\b")
SMALL = 256  # a body below this many bytes is not worth compressing
LARGEST = 65536  # characters of a request's headers, the names included
IDLE = 20.0  # seconds after which a silent connection is closed
BLOCK = 65536


class Visit(NamedTuple):
    """One request: when it came (seconds, monotonic), what it asked for, on which connection, in what words.

    connection  the client's port, the same for all requests on one connection
    headers     the request's, names in lower case
    """

    seconds: float
    method: str
    url: str
    connection: int
    headers: Mapping[str, str]


class Connection(BaseHTTPRequestHandler):
    """The requests of one client, one after the other."""

    server: HttpServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "ircourse", ""
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = IDLE

    def handle_one_request(self) -> None:
        """Read a request and answer it."""
        self.server.idle(self.connection)
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer a GET."""
        self._answer()

    def do_HEAD(self) -> None:
        """Answer a HEAD: the headers that a GET would get."""
        self._answer()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def _answer(self) -> None:
        self.server.busy(self.connection)
        url, owner = self._url(), self.server.owner
        too_large = sum(len(name) + len(value) for name, value in self.headers.items()) > LARGEST
        if url is None or too_large:
            self.send_error(431 if too_large else 400)
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        if "content-length" in headers or "transfer-encoding" in headers:
            self.close_connection = True  # a body that nobody reads must not be taken for the next request
        owner.note(Visit(monotonic(), self.command, url, self.client_address[1], headers))
        kind, healed = owner.fault_of(url) or (None, None)
        if kind == "drop":
            self._drop()
            return
        if kind == "hold" and healed:
            healed.wait()
        try:
            response = owner.web.respond(url, headers, day=owner.day)
        except FetchError as error:
            self._fail(error.kind)
            return
        if isinstance(kind, int):
            response = Response(kind, {"content-type": "text/plain"}, b"out of order\n")
        owner.pause(response.seconds)
        if not owner.stopping:
            self._send(response, headers, kind, healed)

    def _send(self, response: Response, asked: Mapping[str, str], kind: Any, healed: Any) -> None:
        body, head = _encoded(response, asked)
        bodiless = self.command == "HEAD" or response.status in (204, 304)
        broken = kind in ("cut", "stall", "endless") and not bodiless
        self.send_response(response.status)
        for name, value in head.items():
            self.send_header(name, value)
        if kind != "endless" and response.status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        if broken or self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if broken:
            self._send_badly(body, kind, healed)
        elif not bodiless:
            self.wfile.write(body)

    def _send_badly(self, body: bytes, kind: str, healed: threading.Event) -> None:
        self.close_connection = True
        if kind == "endless":
            block = (body or b"\n") * (BLOCK // max(1, len(body)) + 1)
            while not healed.is_set() and not self.server.owner.stopping:
                self.wfile.write(block)
            return
        half = len(body) // 2
        self.wfile.write(body[:half])
        self.wfile.flush()
        if kind == "stall":
            healed.wait()
            self.wfile.write(body[half:])
        else:
            drop(self.connection)

    def _fail(self, kind: str) -> None:
        """Give no answer, in the way that ``kind`` says."""
        if kind == "dns":
            self.send_error(421, "no such host here")
        elif kind == "timeout":
            self.server.owner.wait_for_end()
            self._drop()
        else:
            self._drop()

    def _drop(self) -> None:
        self.close_connection = True
        drop(self.connection)

    def _url(self) -> str | None:
        """Return the canonical URL requested, None where the request does not name one."""
        hosts = self.headers.get_all("host") or []
        words = self.requestline.split()
        if len(hosts) != 1 or len(words) != 3 or not words[1].isascii():
            return None
        # self.path would do, had http.server not merged leading slashes.
        target, host = words[1], hosts[0].strip().lower()
        if not HOST.fullmatch(host):
            return None
        if target.lower().startswith("http://"):
            return canonical_url(target)
        return canonical_url(f"http://{host}{target}") if target.startswith("/") else None


def _encoded(response: Response, asked: Mapping[str, str]) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers to send, compressed where the client takes gzip and it is worth it."""
    body, head = response.body, dict(response.headers)
    kind = head.get("content-type", "")
    if len(body) < SMALL or "content-encoding" in head or not COMPRESSIBLE.match(kind):
        return body, head
    head["vary"] = "Accept-Encoding"
    if re.search(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", asked.get("accept-encoding", "")):
        body = gzip.compress(body, 6, mtime=0)
        head["content-encoding"] = "gzip"
    return body, head
