"""WebSub over real HTTP on loopback: a server for a hub, a subscriber or a publisher, and their requests.

receive  what answers a request (method, target, body, headers): a hub's or a subscriber's method
loopback the only addresses that are listened on and sent to, so a callback cannot point this code elsewhere
"""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias
from urllib.parse import urlsplit

from ircourse.crawl.feeds.websub import MAX_NEWS, Answer

__all__ = ["Receive", "send", "serve_push"]

TIMEOUT = 5.0  # seconds for each read of a request or an answer

Receive: TypeAlias = Callable[[str, str, bytes, Mapping[str, str]], Answer]


def send(method: str, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send a request to a server on loopback and return its answer, at most the first 1,000,001 bytes of it.

    Redirects are not followed. Raises OSError where no answer comes, or the URL is not on loopback.
    """
    try:
        parts = urlsplit(url)
        is_here = parts.scheme == "http" and ipaddress.ip_address(parts.hostname or "").is_loopback
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT)
    except ValueError:
        is_here = False
    if not is_here:
        raise OSError(f"{url!r:.200} is not sent to: an http URL with an address of loopback expected")
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        form = {"Content-Type": "application/x-www-form-urlencoded"} if method == "POST" else {}
        connection.request(method, target, body or None, {**form, **headers})
        answer = connection.getresponse()
        return Answer(answer.status, answer.read(MAX_NEWS + 1))
    except (HTTPException, ValueError) as error:
        raise OSError(f"{url!r:.200} gave no answer: {error!r:.100}") from error
    finally:
        connection.close()


@contextmanager
def serve_push(receive: Receive) -> Iterator[str]:
    """Give requests on a free port of loopback to ``receive`` while the block runs; the value is the URL.

    A body over 1,000,000 bytes is not read (413), nor one without its length (411).

    >>> with serve_push(lambda method, target, body, headers: Answer(200, body[::-1])) as url:
    ...     send("POST", url, b"edit", {})
    Answer(status=200, body=b'tide')
    """

    class Handler(_Handler):
        pass

    Handler.receive = staticmethod(receive)
    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self) -> None:
        """Bind without the look-up of the machine's own name, which can take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.socket.getsockname()[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that hangs up."""


class _Handler(BaseHTTPRequestHandler):
    """Gives each request to `receive`, one connection a request."""

    receive: Receive
    timeout = TIMEOUT

    def do_GET(self) -> None:
        self._answer(self.receive("GET", self.path, b"", dict(self.headers.items())))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 12):
            self._answer(Answer(411))
        elif int(length) > MAX_NEWS:
            self._answer(Answer(413))
        else:
            body = self.rfile.read(int(length))
            self._answer(self.receive("POST", self.path, body, dict(self.headers.items())))

    def _answer(self, answer: Answer) -> None:
        self.send_response(answer.status)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""
