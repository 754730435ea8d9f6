"""From host names to addresses, without waiting (book, section 20.2.2: DNS resolution).

host      name as it stands in a canonical URL
look-up   everything from asking for a host to an answer or to giving up; up to five queries
time-out  seconds that a query may take before it is sent again: 1 for the first, 90 for the fifth, each
          90^¼ = 3.08 times the one before; 133 in all (claim C46)

Looking up a name can take a second or a minute, and the system's own call lets the caller wait. In a crawler
whose threads all pass through one such call, one dead name server stops every thread. So the resolver here
never waits: it is asked, says that the answer is pending, and is told later. It has no socket and no clock;
whoever drives it sends the queries that it wants sent (`net.lookups` has ways to) and says what
time it is.

Differs from the book: answers have a time to live, and a failure too, after which the host is asked again.
Source: Heydon and Najork (1999); book, section 20.2.2.
"""

from __future__ import annotations

import heapq
import ipaddress
import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

__all__ = ["TIMEOUTS", "Answer", "Failed", "Known", "Pending", "Query", "Resolver"]

TIMEOUTS = tuple(90 ** (i / 4) for i in range(5))  # seconds
LIFETIME = 3600.0  # seconds that an answer holds which does not say how long
SHORTEST, LONGEST = 60.0, 86_400.0  # seconds; servers that say 0 would be asked for every page
RETRY = 600.0  # seconds until a host that failed is looked up again
KEPT = 100_000  # hosts


class Known(NamedTuple):
    """The host has these addresses, and will until ``until``."""

    addresses: tuple[str, ...]
    until: float


class Pending(NamedTuple):
    """``queries`` were sent about the host; the next is to be at ``until``, or after the fifth none."""

    queries: int
    until: float


class Failed(NamedTuple):
    """The host has no address ("dns") or nobody answered ("dns timeout"); asked about again at ``until``."""

    kind: str
    until: float


class Query(NamedTuple):
    """A query to be sent now; what comes after ``timeout`` seconds is still taken in."""

    host: str
    timeout: float


Answer: TypeAlias = Known | Pending | Failed


class Resolver:
    """Remembers addresses and says which queries to send; see the module.

    Times are seconds on any clock that does not go back.

    >>> resolver = Resolver()
    >>> resolver.ask("harbour.example", now=0.0)
    Pending(queries=0, until=0.0)
    >>> resolver.tick(now=0.0)
    [Query(host='harbour.example', timeout=1.0)]
    >>> resolver.answered("harbour.example", ["192.0.2.7"], now=0.5)
    >>> resolver.ask("harbour.example", now=9.0)
    Known(addresses=('192.0.2.7',), until=3600.5)
    """

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}
        self._deadlines: list[tuple[float, str]] = []  # a heap, of pending hosts and of some no longer so

    def ask(self, host: str, now: float) -> Answer:
        """Return what is known about ``host``; begin a look-up where nothing is, or no longer.

        An address in place of a name (IPv6 in brackets) is its own address, for ever. Raises TypeError for
        what is no str, ValueError for an empty one.
        """
        answer = self._answers.get(host)
        if answer is not None and (isinstance(answer, Pending) or now < answer.until):
            return answer
        if not isinstance(host, str):
            raise TypeError(f"a host is a str, not {type(host).__name__}: {host!r:.60}")
        if not host:
            raise ValueError("the host is empty: give the name of one")
        literal = _address(host)
        if literal is not None:
            return Known((literal,), math.inf)
        self._wait(host, Pending(0, now))
        self._make_room()
        return self._answers[host]

    def answered(
        self, host: str, addresses: Sequence[str], now: float, lifetime: float | None = None
    ) -> None:
        """Take in the answer to a query: the addresses of ``host``, empty where there is no such host.

        lifetime  seconds that the answer holds; kept within a minute and a day. None: an hour

        That no answer came is not told: the time-out takes care of it. What nobody asked for is ignored.
        """
        if host not in self._answers:
            return
        if isinstance(addresses, str):
            raise TypeError(f"addresses are several, not one str: write [{addresses!r:.60}]")
        if not addresses:
            self._put(host, Failed("dns", now + RETRY))
            return
        holds = LIFETIME if lifetime is None else min(max(lifetime, SHORTEST), LONGEST)
        self._put(host, Known(tuple(addresses), now + holds))

    def tick(self, now: float) -> list[Query]:
        """Return the queries to send at time ``now``: of new look-ups, and in place of those timed out.

        A look-up whose fifth query has timed out has failed.

        >>> resolver = Resolver()
        >>> _ = resolver.ask("silent.example", now=0.0)
        >>> for now in (0.0, 1.0, 4.1, 13.6, 43.0):
        ...     print(*[f"{query.timeout:.2f}" for query in resolver.tick(now)])
        1.00
        3.08
        9.49
        29.22
        90.00
        >>> resolver.tick(133.0), resolver.ask("silent.example", now=133.0)
        ([], Failed(kind='dns timeout', until=733.0))
        """
        to_send = []
        while self._deadlines and self._deadlines[0][0] <= now:
            until, host = heapq.heappop(self._deadlines)
            answer = self._answers.get(host)
            if not isinstance(answer, Pending) or answer.until != until:
                continue
            if answer.queries < len(TIMEOUTS):
                timeout = TIMEOUTS[answer.queries]
                to_send.append(Query(host, timeout))
                self._wait(host, Pending(answer.queries + 1, now + timeout))
            else:
                self._put(host, Failed("dns timeout", now + RETRY))
        return to_send

    @property
    def next_time(self) -> float:
        """When `tick` has something to do next: at once for a new host; infinite where nothing is pending."""
        while self._deadlines:
            until, host = self._deadlines[0]
            answer = self._answers.get(host)
            if isinstance(answer, Pending) and answer.until == until:
                return until
            heapq.heappop(self._deadlines)
        return math.inf

    def _wait(self, host: str, pending: Pending) -> None:
        """Let a host be pending."""
        self._put(host, pending)
        heapq.heappush(self._deadlines, (pending.until, host))

    def _put(self, host: str, answer: Answer) -> None:
        self._answers.pop(host, None)  # the newest stand last
        self._answers[host] = answer

    def _make_room(self) -> None:
        """Forget the oldest answers where there are too many; look-ups go on."""
        if len(self._answers) <= KEPT:
            return
        settled = [host for host, answer in self._answers.items() if not isinstance(answer, Pending)]
        for host in settled[: max(1, KEPT // 10)]:
            del self._answers[host]


def _address(host: str) -> str | None:
    """Return the address that ``host`` is, None where it is a name."""
    try:
        return str(ipaddress.ip_address(host.removeprefix("[").removesuffix("]")))
    except ValueError:
        return None
