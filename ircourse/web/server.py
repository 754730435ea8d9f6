"""A web served over real HTTP on loopback, every host of it from one port.

The ``Host`` header says which host is meant, so URLs keep their names and need no port: ``server.resolve``
takes the place of the domain name system. One thread a connection, connections kept open (HTTP/1.1), HEAD,
gzip, and conditional requests; ranges are ignored, as RFC 9110 allows.

What goes wrong on the real Web can be made to go wrong here, and nothing waits by the clock: a held page
waits for its release, so a test decides the order of events.

There are limits: 100 connections at once, of which an idle one makes room for a newcomer; 64 kB of headers a
request; and about 200 MB of visits on record, the oldest of which then go.

Differs from a real server: http only, and a client that asks for a host of another name is told so (421).
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Literal, Protocol, TypeAlias, get_args

from ircourse.types import FetchError, Response
from ircourse.web.connection import Connection, Visit
from ircourse.web.listener import HttpServer

__all__ = ["Fault", "Servable", "WebServer", "serve"]

Fault: TypeAlias = Literal["hold", "drop", "cut", "stall", "endless"]

KEPT = 200_000_000  # bytes of visits on record, about


class Servable(Protocol):
    """What can be served: a `Web`, or anything that answers requests for URLs of some hosts."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts whose names resolve."""

    def respond(self, url: str, headers: Mapping[str, str] | None = None, *, day: int = 0) -> Response:
        """Return what the server of ``url`` answers, or raise FetchError."""


class WebServer:
    """A running server; made by `serve`.

    address  (IP address, port) that it listens on
    day      the day that it serves; set it to let pages change
    errors   exceptions inside the server, which a test asserts to be empty
    """

    def __init__(self, web: Servable, *, delays: bool = False, day: int = 0) -> None:
        self.web = web
        self._hosts = frozenset(web.hosts)
        self.day = day
        self.delays = delays
        self._visits: deque[Visit] = deque()
        self._size = 0  # of the visits
        self._faults: dict[str, tuple[Fault | int, threading.Event]] = {}
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._http = HttpServer(self, Connection)
        self.address: tuple[str, int] = ("127.0.0.1", self._http.server_port)
        self.errors: list[BaseException] = self._http.errors

    def resolve(self, host: str, port: int = 80) -> tuple[str, int]:
        """Return the address and port to connect to for ``host``; FetchError "dns" if this web lacks it."""
        if (host if port == 80 else f"{host}:{port}") not in self._hosts:
            raise FetchError(host, "dns")
        return self.address

    def fault(self, url: str, kind: Fault | int) -> None:
        """Let every request for ``url`` go wrong until `heal`.

        "hold"     the answer waits for `heal`, then comes as usual
        "drop"     the connection is dropped without an answer
        "cut"      the connection is dropped after half of the body
        "stall"    half of the body comes, the rest waits for `heal`
        "endless"  the body comes over and over, without end
        a number   this status, say 503, with a short text
        """
        if not (kind in get_args(Fault) or (isinstance(kind, int) and 200 <= kind <= 599)):
            known = ", ".join(get_args(Fault))
            raise ValueError(f"{kind!r} is no fault: give a status from 200 to 599, or one of {known}")
        with self._changed:
            self.heal(url)
            self._faults[url] = kind, threading.Event()

    def heal(self, url: str) -> None:
        """End the fault of ``url``, if it has one, and let the requests that wait for it go on."""
        _, held = self._faults.pop(url, (0, None))
        if held:
            held.set()

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The requests so far, in the order of their coming; the latest ones where there are very many."""
        with self._changed:
            return tuple(self._visits)

    def counts(self) -> Counter[str]:
        """Return how often each URL was requested."""
        return Counter(visit.url for visit in self.visits)

    def wait_until(self, reached: Callable[[tuple[Visit, ...]], bool], timeout: float = 10.0) -> bool:
        """Return True once ``reached(visits)`` holds, False if it does not within ``timeout`` seconds."""
        deadline = monotonic() + timeout
        with self._changed:
            return self._changed.wait_for(lambda: reached(tuple(self._visits)), deadline - monotonic())

    def start(self) -> None:
        """Begin to accept connections, on a thread of its own."""
        self._http.start()

    def stop(self, timeout: float = 10.0) -> None:
        """Drop every connection and return when their threads have ended, or after ``timeout`` seconds."""
        self._stopping.set()
        with self._changed:
            for url in list(self._faults):
                self.heal(url)
        self._http.stop(timeout)

    def note(self, visit: Visit) -> None:
        """Put a request on record; called by the connection's thread."""
        with self._changed:
            self._visits.append(visit)
            self._size += _size(visit)
            while self._size > KEPT:
                self._size -= _size(self._visits.popleft())
            self._changed.notify_all()

    def fault_of(self, url: str) -> tuple[Fault | int, threading.Event] | None:
        """Return the fault of ``url`` and the event that its end sets; None for none."""
        return self._faults.get(url)

    def pause(self, seconds: float) -> None:
        """Return after ``seconds`` where delays are real, at once where they are not or the server stops."""
        if self.delays and seconds > 0:
            self._stopping.wait(seconds)

    def wait_for_end(self) -> None:
        """Return when the server stops: a request that is never answered."""
        self._stopping.wait()

    @property
    def stopping(self) -> bool:
        """Whether the server is about to end."""
        return self._stopping.is_set()


def _size(visit: Visit) -> int:
    """Return about how many bytes a visit takes."""
    return 500 + len(visit.url) + sum(100 + len(name) + len(value) for name, value in visit.headers.items())


@contextmanager
def serve(web: Servable, *, delays: bool = False, day: int = 0) -> Iterator[WebServer]:
    """Serve ``web`` on a free port of loopback while the block runs.

    delays  whether pages with a delay really take that long; if not they come at once
    day     the day on which the visitors come; ``server.day`` can be set later

    Several may run at once. Clients that still hang when the block ends are cut off.

    >>> from ircourse.web import Web
    >>> with serve(Web.from_pages({"http://harbour.example/": []})) as server:
    ...     server.address[0], server.resolve("harbour.example", 80) == server.address
    ('127.0.0.1', True)
    """
    server = WebServer(web, delays=delays, day=day)
    server.start()
    try:
        yield server
    finally:
        server.stop()
