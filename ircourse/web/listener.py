"""The listening socket of a served web: a thread for each connection, and a limit to how many there are.

A client that connects and asks for nothing must not shut out the others. Where every place is taken, or the
process has no file left, the connection that has gone longest without a request is dropped. If all of them
are being answered, newcomers wait in the system's queue until one is done.
"""

from __future__ import annotations

import errno
import socket
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ircourse.web.server import WebServer

__all__ = ["HttpServer", "drop"]

MOST = 100  # connections at once: files, of which a process may have as few as 256
RETRY = 0.1  # seconds after which to look for room again, should none of our own connections end
NAMES = ("EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "WSAEMFILE", "WSAENOBUFS")  # some on Windows alone
NO_ROOM = {getattr(errno, name) for name in NAMES if hasattr(errno, name)}


class HttpServer(ThreadingHTTPServer):
    """A listening socket on loopback, and a thread for each connection to it."""

    daemon_threads = True  # a stuck thread must not keep the program from ending
    request_queue_size = 128

    def __init__(self, owner: WebServer, handler: type[BaseHTTPRequestHandler]) -> None:
        self.owner = owner
        self.errors: list[BaseException] = []
        self._open: set[Any] = set()
        self._idle: dict[Any, None] = {}  # those that have not sent a request yet, the longest first
        self._changed = threading.Condition()
        self._ending = False
        super().__init__(("127.0.0.1", 0), handler)

    def server_bind(self) -> None:
        """Bind without the look-up of the machine's own name, which can take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.socket.getsockname()[1]

    def start(self) -> None:
        """Accept connections from now on."""
        self._loop = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._loop.start()

    def stop(self, timeout: float) -> None:
        """Accept no more, drop every connection, and wait for their threads."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        self.shutdown()
        self.server_close()
        with self._changed:
            for connection in self._open:
                drop(connection)
            self._changed.wait_for(lambda: not self._open, timeout)

    def get_request(self) -> tuple[Any, Any]:
        """Accept a connection, once there is room for it."""
        with self._changed:
            while len(self._open) >= MOST and not self._ending:
                self._make_room()
        try:
            return super().get_request()
        except OSError as error:
            if error.errno in NO_ROOM:
                with self._changed:
                    self._make_room()
            raise

    def _make_room(self) -> None:
        """Drop the connection idle for longest, if any is, and return when one has ended, or soon."""
        if self._idle:
            longest = next(iter(self._idle))
            del self._idle[longest]
            drop(longest)
        self._changed.wait(RETRY)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give a new connection its thread."""
        with self._changed:
            self._open.add(request)
            self._idle[request] = None  # here, since threads may start in another order
        super().process_request(request, client_address)

    def idle(self, request: Any) -> None:
        """Note that a connection waits for its next request."""
        with self._changed:
            self._idle.setdefault(request)

    def busy(self, request: Any) -> None:
        """Note that a connection has sent a request, and is to be kept until that is answered."""
        with self._changed:
            self._idle.pop(request, None)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, as the last act of its thread."""
        super().shutdown_request(request)
        with self._changed:
            self._open.discard(request)
            self._idle.pop(request, None)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep an exception; a client that hangs up or falls silent is none."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, ConnectionError | TimeoutError):
            self.errors.append(error)


def drop(connection: socket.socket) -> None:
    """Break a connection off, so that whoever reads from it or writes to it stops, on both sides."""
    with suppress(OSError):  # it may be gone already
        connection.shutdown(socket.SHUT_RDWR)
