"""An HTTP connection with a deadline and a limit on bytes: the crawler's only file that touches a socket.

place     scheme, host and port of a server
resolve   a function from (host, port) to the (address, port) to connect to, or to a list of some, of which
          the first that answers is taken; None: the system's look-up
deadline  when the answer has to be whole, on the clock `time.monotonic`

A hostile answer has many parts that need not end: interim answers, headers, sizes of chunks, the body,
trailers. So time and bytes are counted below HTTP, where each of them passes: at every read from the socket.
"""

from __future__ import annotations

import functools
import io
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, TypeAlias

import certifi

__all__ = ["Connection", "Place", "Resolve", "TooLarge", "Where"]

Place: TypeAlias = tuple[str, str, int]
Where: TypeAlias = tuple[str, int]
Resolve: TypeAlias = Callable[[str, int], Where | list[Where]]


class TooLarge(HTTPException):
    """An answer is over its limit. No ValueError: http.client takes one for a broken chunk."""


class Connection(HTTPConnection):
    """A connection to a place, used for one request after the other.

    `ask`, then `final_answer`, to be read to its end. After an error it is to be closed.
    """

    def __init__(self, place: Place, resolve: Resolve | None) -> None:
        self.scheme, host, port = place
        self.resolve = resolve
        super().__init__(host, port)

    def ask(self, target: str, headers: Mapping[str, str], deadline: float, method: str = "GET") -> None:
        """Send a request, over a new socket where there is none that is fit for use."""
        self.deadline = deadline
        if self.sock and not _is_idle(self.sock):
            self.close()
        if not self.sock:
            where = self.resolve(self.host, self.port) if self.resolve else (self.host, self.port)
            self.sock = _connect(where if isinstance(where, list) else _addresses(*where), deadline)
            if self.scheme == "https":
                self.sock.settimeout(_left(deadline))
                self.sock = _tls().wrap_socket(self.sock, server_hostname=self.host)
        self.sock.settimeout(_left(deadline))
        self.request(method, target, headers=headers)

    def final_answer(self, limit: int) -> HTTPResponse:
        """Return the answer after interim ones, its body unread; raise TooLarge at over ``limit`` bytes."""
        self.limit = limit
        answer = self.getresponse()
        while answer.status < 200:  # http.client reads on past 100 alone
            answer.headers = None  # type: ignore[assignment]
            answer.begin()
        return answer

    def response_class(self, sock: socket.socket, **how: Any) -> HTTPResponse:  # type: ignore[override]
        """Return what `HTTPConnection` reads an answer with."""
        return HTTPResponse(_Limited(sock, self.deadline, self.limit), **how)  # type: ignore[arg-type]


class _Limited(io.RawIOBase):
    """The bytes from a socket, whatever they mean, until a deadline and up to a number."""

    def __init__(self, sock: socket.socket, deadline: float, limit: int) -> None:
        self.sock, self.deadline, self.limit = sock, deadline, limit
        self.bytes = sock.makefile("rb", buffering=0)

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return what HTTPResponse reads from."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.sock.settimeout(_left(self.deadline))
        size = self.bytes.readinto(buffer) or 0
        self.limit -= size
        if self.limit < 0:
            raise TooLarge("the bytes of the answer do not end")
        return size

    def close(self) -> None:
        self.bytes.close()
        super().close()


def _addresses(host: str, port: int) -> list[Where]:
    """Return the addresses of a host as the system tells them."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [(str(address[0]), port) for *_, address in entries]


def _connect(places: list[Where], deadline: float) -> socket.socket:
    """Return a socket to the first place that answers; they share the time that is left."""
    for behind, place in zip(reversed(range(len(places))), places, strict=True):
        try:
            return socket.create_connection(place, _left(deadline) / (behind + 1))
        except TimeoutError:
            if not behind:
                raise
        except OSError as error:
            if not behind:
                raise ConnectionRefusedError(f"{place[0]}: {error}") from error
    raise ConnectionRefusedError("the host has no address")


def _is_idle(sock: socket.socket) -> bool:
    """Whether a kept socket is open and silent: what came unasked is no answer to the next request."""
    sock.settimeout(0)
    try:
        socket.socket.recv(sock, 1, socket.MSG_PEEK)  # a TLS socket's own recv cannot peek
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def _left(deadline: float) -> float:
    """Return the seconds that are left; raise TimeoutError where there are none."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("the deadline has passed")
    return seconds


@functools.cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certifi.where())
