"""A frontier tried out: threads that fetch on a virtual clock, and what their visits tell (book, 20.2.3).

T  threads, each fetching one URL at a time
B  back queues
g  gap between two visits to a host, in times of the last fetch

A host gives one fetch in 1 + g fetch times, so B hosts at once keep at most B / (1 + g) threads busy: a share
min(1, B / ((1 + g) T)) of T threads (claim C45).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import NamedTuple, Protocol

from ircourse.crawl.frontier.frontier import Frontier
from ircourse.crawl.frontier.items import Empty, Fetch, Outcome, Timed, Wait, host_of

__all__ = ["PlainQueue", "Visit", "busiest", "too_early", "utilisation", "visits"]


class Visit(NamedTuple):
    """A fetch of the trial: its URL, its host, and from when to when it took, in seconds."""

    url: str
    host: str
    start: float
    end: float


class Queue(Protocol):
    """What the trial needs of a `Frontier`."""

    def add(self, url: str, priority: float = ...) -> None:
        """Add a URL."""

    def take(self, now: float) -> Fetch | Wait | Empty:
        """Return what to do next."""

    def done(self, url: str, outcome: Timed, now: float) -> None:
        """Tell that a fetch has ended."""


class PlainQueue:
    """A priority queue without politeness, with the methods of a `Frontier` to be measured beside it.

    >>> queue = PlainQueue()
    >>> queue.add("http://harbour.example/1")
    >>> queue.add("http://harbour.example/2", priority=1.0)
    >>> queue.take(now=0.0).url, queue.take(now=0.0).url
    ('http://harbour.example/2', 'http://harbour.example/1')
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, str]] = []
        self._order = count()
        self._out = 0

    def add(self, url: str, priority: float = 0.5) -> None:
        """Add a URL; the higher the priority the sooner it goes, and equal ones in the order of adding."""
        heappush(self._heap, (-priority, next(self._order), url))

    def take(self, now: float) -> Fetch | Wait | Empty:
        """Return the URL of the highest priority."""
        if not self._heap:
            return Wait(inf) if self._out else Empty()
        self._out += 1
        url = heappop(self._heap)[2]
        return Fetch(url, host_of(url))

    def done(self, url: str, outcome: Timed, now: float) -> None:
        """Tell that a fetch has ended."""
        self._out -= 1


def visits(
    queue: Queue,
    threads: int,
    seconds_of: Callable[[str], float],
    links_of: Callable[[str], Iterable[str]] = lambda url: (),
    *,
    until: float = inf,
) -> list[Visit]:
    """Return the visits that ``threads`` make from time 0, in the order of their start.

    seconds_of  how long the fetch of a URL takes
    links_of    the URLs on its page; those not met before are added when the fetch ends
    until       the time when no more fetches begin

    >>> frontier = Frontier(gap_factor=10.0, min_gap=0.0)
    >>> frontier.add("http://harbour.example/")
    >>> [visit.start for visit in visits(frontier, 4, lambda url: 1.0, lambda url: [url + "x"], until=30)]
    [0.0, 11.0, 22.0]
    """
    now, found = 0.0, list[Visit]()
    busy: list[tuple[float, int]] = []  # (end, number of the visit)
    seen: set[str] = set()
    while now < until:
        got = queue.take(now) if len(busy) < threads else Wait(inf)
        if isinstance(got, Fetch):
            visit = Visit(*got, now, now + seconds_of(got.url))
            heappush(busy, (visit.end, len(found)))
            found.append(visit)
            seen.add(visit.url)
            continue
        if isinstance(got, Empty):
            break
        now = min(now + got.seconds, busy[0][0] if busy else inf)
        while busy and busy[0][0] <= now:
            visit = found[heappop(busy)[1]]
            queue.done(visit.url, Outcome(seconds=visit.end - visit.start), now)
            for link in links_of(visit.url):
                if link not in seen:
                    seen.add(link)
                    queue.add(link)
    return found


def too_early(trial: Iterable[Visit], gap: float = 10.0) -> list[tuple[Visit, Visit]]:
    """Return the pairs of visits to a host where the second began before ``gap`` times the first was over.

    Two connections at once are such a pair. Times are compared to within 10⁻⁹ of themselves.

    >>> first = Visit("http://a.example/1", "a.example", 0.0, 1.0)
    >>> len(too_early([first, Visit("http://a.example/2", "a.example", 10.9, 12.0)]))
    1
    """
    last: dict[str, Visit] = {}
    pairs = []
    for visit in trial:
        before = last.get(visit.host)
        if before and visit.start < (before.end + gap * (before.end - before.start)) * (1 - 1e-9):
            pairs.append((before, visit))
        last[visit.host] = visit
    return pairs


def busiest(trial: Sequence[Visit], window: float) -> int:
    """Return the largest number of visits to one host that began within ``window`` seconds.

    >>> busiest([Visit(f"http://a.example/{t}", "a.example", t, t + 1.0) for t in (0, 1, 5)], window=2)
    2
    """
    most, starts = 0, dict[str, list[float]]()
    for visit in trial:
        recent = starts.setdefault(visit.host, [])
        recent.append(visit.start)
        while recent[0] <= visit.start - window:
            recent.pop(0)
        most = max(most, len(recent))
    return most


def utilisation(
    threads: int, back_queues: int, gap: float = 10.0, *, seconds: float = 1.0, rounds: int = 20
) -> float:
    """Return the share of the time that threads are busy with ``back_queues`` hosts that never run out.

    seconds  what each fetch takes
    rounds   how often each host could be visited in the time measured, (1 + gap) · seconds each

    >>> round(utilisation(threads=4, back_queues=12, gap=10), 4), round(3 / 11, 4)
    (0.2727, 0.2727)
    """
    end = rounds * (1 + gap) * seconds
    frontier = Frontier(back_queues=back_queues, gap_factor=gap, min_gap=0.0, max_gap=gap * seconds)
    for number in range(rounds + 1):
        for host in range(back_queues):
            frontier.add(f"http://host{host}.example/{number}")
    trial = visits(frontier, threads, lambda url: seconds, until=end)
    return sum([min(visit.end, end) - visit.start for visit in trial]) / (threads * end)
