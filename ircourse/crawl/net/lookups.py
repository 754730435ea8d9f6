"""Ways to look up a host for `Resolver`: the system's, dnspython's, a served web's, and a simulated one.

back end  a function from a host to `Found`; it may take its time, and raises OSError where no answer came
          (TimeoutError is one); `Lookups` runs it on threads of its own

Source: book, section 20.2.2; POSIX, getaddrinfo.
"""

from __future__ import annotations

import heapq
import math
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeAlias

from ircourse.crawl.net.connection import Resolve
from ircourse.crawl.net.dns import Answer, Pending, Resolver
from ircourse.types import FetchError

__all__ = [
    "BackEnd",
    "Found",
    "Lookups",
    "dnspython_look_up",
    "served_look_up",
    "simulated",
    "system_look_up",
]


class Found(NamedTuple):
    """The addresses of a host, none where there is no such host; seconds that they hold, None if not said."""

    addresses: tuple[str, ...]
    lifetime: float | None = None


BackEnd: TypeAlias = Callable[[str], Found]


def system_look_up(host: str) -> Found:
    """Return what the system says, which knows no lifetime; its own time-outs hold.

    >>> system_look_up("127.0.0.1")
    Found(addresses=('127.0.0.1',), lifetime=None)
    """
    try:
        entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except ValueError:  # no name that a server could hold; UnicodeError is one
        return Found(())
    except socket.gaierror as error:
        if error.errno == socket.EAI_AGAIN:
            raise
        return Found(())
    return Found(tuple(dict.fromkeys(str(address[0]) for *_, address in entries)))


def served_look_up(resolve: Resolve) -> BackEnd:
    """Return a back end for a served web, given ``server.resolve``.

    >>> from ircourse.web import Web, serve
    >>> with serve(Web.from_pages({"http://harbour.example/": []})) as server:
    ...     served_look_up(server.resolve)("harbour.example").addresses
    ('127.0.0.1',)
    """

    def look_up(host: str) -> Found:
        try:
            told = resolve(host, 80)
            places = told if isinstance(told, list) else [told]
            return Found(tuple(address for address, _ in places))
        except FetchError:
            return Found(())

    return look_up


def dnspython_look_up(resolver: Any = None) -> BackEnd:
    """Return a back end by the library dnspython, which tells how long an answer holds.

    resolver  a ``dns.resolver.Resolver``; None: with the system's name servers

    Raises ImportError where dnspython is not installed.
    """
    import dns.exception
    import dns.resolver

    asked = dns.resolver.Resolver() if resolver is None else resolver

    def look_up(host: str) -> Found:
        addresses: list[str] = []
        lifetimes: list[float] = []
        for kind in ("A", "AAAA"):
            try:
                answer: Any = asked.resolve(host, kind)
            except dns.resolver.NXDOMAIN:
                return Found(())
            except dns.resolver.NoAnswer:  # the host has addresses of the other kind, or none
                continue
            except (dns.resolver.NoNameservers, dns.exception.Timeout) as error:
                if addresses:
                    break
                raise TimeoutError(f"no name server answered about {host}: {error}") from error
            except dns.exception.DNSException:  # no name that a server could hold
                return Found(())
            addresses += [record.address for record in answer]
            lifetimes.append(answer.rrset.ttl)
        return Found(tuple(addresses), min(lifetimes, default=None))

    return look_up


class Lookups:
    """Runs a back end on threads; a host that takes long holds up one of them, and no other host.

    report  called as ``report(host, found)`` on the thread that has an answer; not called where none came
    threads  how many look-ups run at once

    >>> answers = SimpleQueue()
    >>> lookups = Lookups(lambda host: Found(("192.0.2.7",)), lambda host, found: answers.put((host, found)))
    >>> lookups.start("harbour.example")
    >>> answers.get()
    ('harbour.example', Found(addresses=('192.0.2.7',), lifetime=None))
    >>> lookups.close()
    """

    def __init__(
        self, look_up: BackEnd, report: Callable[[str, Found], object], *, threads: int = 20
    ) -> None:
        if threads < 1:
            raise ValueError(f"threads is {threads}: give at least 1")
        self._look_up, self._report, self._most = look_up, report, threads
        self._hosts: SimpleQueue[str | None] = SimpleQueue()
        self._under_way: set[str] = set()
        self._changing = threading.Lock()
        self._threads = 0

    def start(self, host: str) -> None:
        """Look up ``host``, unless that is under way: the system sends its queries again by itself."""
        with self._changing:
            if host in self._under_way:
                return
            self._under_way.add(host)
            if self._threads < min(self._most, len(self._under_way)):
                self._threads += 1
                threading.Thread(
                    target=self._work, daemon=True
                ).start()  # one that hangs ends with the process
        self._hosts.put(host)

    def close(self) -> None:
        """Let the threads end; what is under way is not waited for."""
        with self._changing:
            for _ in range(self._threads):
                self._hosts.put(None)
            self._threads = 0

    def _work(self) -> None:
        while (host := self._hosts.get()) is not None:
            try:
                found = self._look_up(host)
            except Exception:  # the back end's own fault is one host's, not the thread's
                found = None
            finally:
                with self._changing:
                    self._under_way.discard(host)
            if found is not None:
                self._report(host, found)


def simulated(
    seconds: Mapping[str, float | None], at_once: int | None = None
) -> dict[str, tuple[float, Answer]]:
    """Return when each look-up ends and how, on a virtual clock, in the order of their ends.

    seconds  by host, how long its name servers take to answer; None: they never do
    at_once  how many look-ups the resolver lets in at a time; None: all

    All hosts are asked for at time 0.

    >>> for at_once in (1, None):
    ...     ends = simulated({"silent.example": None, "a.example": 0.1, "b.example": 0.2}, at_once)
    ...     print({host: round(end, 1) for host, (end, _) in ends.items()})
    {'silent.example': 132.8, 'a.example': 132.9, 'b.example': 133.1}
    {'a.example': 0.1, 'b.example': 0.2, 'silent.example': 132.8}
    """
    resolver, now = Resolver(), 0.0
    waiting, active = deque(seconds), dict[str, None]()
    coming: list[tuple[float, str]] = []
    ends: dict[str, tuple[float, Answer]] = {}
    while waiting or active:
        while waiting and (at_once is None or len(active) < at_once):
            host = waiting.popleft()
            resolver.ask(host, now)
            active[host] = None
        for query in resolver.tick(now):
            needed = seconds[query.host]
            if needed is not None:
                heapq.heappush(coming, (now + needed, query.host))
        settled = {
            host: answer for host in active if not isinstance(answer := resolver.ask(host, now), Pending)
        }
        for host, answer in settled.items():
            ends[host] = now, answer
            del active[host]
        if not settled:
            now = min(resolver.next_time, coming[0][0] if coming else math.inf)
            while coming and coming[0][0] <= now:
                resolver.answered(heapq.heappop(coming)[1], ["192.0.2.1"], now)
    return ends
