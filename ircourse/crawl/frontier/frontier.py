"""The URL frontier after Mercator: priority in front, politeness behind (book, section 20.2.3, Figure 20.3).

F      number of front queues, by priority; `front_queues`
B      number of back queues, each of one host at a time; `back_queues`
t_e    the earliest time at which a host may be asked again: the end of the last fetch and a gap of ten times
       what that fetch took, at least ``min_gap``, at most ``max_gap``, and more where the server asks for it
depth  URLs that a back queue holds at most; an urgent URL stands behind so many of its host

A crawler takes a URL (`take`), fetches it, and tells how that went (`done`). At most one URL of a host is
out at a time. A back queue that runs empty goes to the next host in line, so B bounds the hosts crawled at
once. The frontier does not compare URLs: what was seen before is for `SeenUrls` to know.

Differs from the book:
- A host's time t_e outlives its back queue. In the book it stays with the queue: the next host waits for no
  reason, and the old one, back in another queue, may be asked too early.
- Refilling leaves the URLs of other hosts where they are: see `front_queues`.
- A host that asks for a rest longer than ``max_gap`` gives up its back queue, so that a few hosts with long
  rests cannot hold up the crawl.
Source: Najork and Heydon (2001), "High-performance web crawling", on Mercator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heappop
from math import inf
from typing import Any

from ircourse.crawl.frontier.back_queues import BackQueue, BackQueues, Gap
from ircourse.crawl.frontier.front_queues import FrontQueues
from ircourse.crawl.frontier.hosts import Hosts
from ircourse.crawl.frontier.items import (
    HEAD,
    Empty,
    Fetch,
    Item,
    Outcome,
    Timed,
    Wait,
    item_of,
    packed,
    rest_of,
)
from ircourse.crawl.frontier.state import items_of, restore, state_of
from ircourse.crawl.frontier.view import FrontierView, Watch
from ircourse.types import Clock

__all__ = ["Empty", "Fetch", "Frontier", "Item", "Outcome", "Wait"]

_EMPTY, _FINE = Empty(), Outcome()


class Frontier:
    """URLs to fetch, in an order that keeps priority and politeness.

    clock          read where a time is not given; None: `take` and `done` must be given one
    front_queues   F, levels of priority
    back_queues    B, hosts crawled at once; Mercator's rule is three times the threads, but see claim C45
    gap_factor, min_gap, max_gap  the gap after a fetch of s seconds: gap_factor · s within these bounds
    depth          URLs of a host that are moved to its back queue at once
    bias           how much more often the selector turns to a front queue than to the next one below
    limit          URLs beyond about this many go to a temporary file; None: never
    prioritise     a function from `Item` to its front queue, 0 the most urgent; None: `level_of`
    watch          called after each step, see `view`; ``view`` shows the queues at any time

    >>> from ircourse.types import VirtualClock
    >>> clock = VirtualClock()
    >>> frontier = Frontier(clock=clock)
    >>> frontier.add("http://harbour.example/")
    >>> frontier.add("http://harbour.example/ferries")
    >>> fetch = frontier.take()
    >>> fetch, frontier.take()
    (Fetch(url='http://harbour.example/', host='harbour.example'), Wait(seconds=inf))
    >>> clock.wait(3)
    >>> frontier.done(fetch.url, Outcome(seconds=3))
    >>> frontier.take()
    Wait(seconds=30.0)
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        front_queues: int = 8,
        back_queues: int = 64,
        gap_factor: float = 10.0,
        min_gap: float = 2.0,
        max_gap: float = 600.0,
        depth: int = 8,
        bias: float = 2.0,
        limit: int | None = None,
        prioritise: Callable[[Item], int] | None = None,
        watch: Watch = None,
    ) -> None:
        counts = {"front_queues": front_queues, "back_queues": back_queues, "depth": depth, "bias": bias}
        for name, count in counts.items():
            if not 1 <= count < inf:
                raise ValueError(f"{name} is {count!r}: give a number of at least 1")
        self._gap = Gap.checked(gap_factor, min_gap, max_gap)
        self._clock = clock
        self._depth = depth
        self._watch = watch
        self.view = FrontierView(self)
        self._hosts = Hosts()
        self._front = FrontQueues(front_queues, bias, limit, prioritise)
        self._back = BackQueues(back_queues)
        self._out: dict[str, tuple[BackQueue, bytes]] = {}  # what is being fetched
        self._ids = 0
        self._waiting = 0

    def __len__(self) -> int:
        """How many URLs wait; those being fetched are not counted."""
        return self._waiting

    def add(
        self,
        url: str,
        priority: float = 0.5,
        *,
        change_rate: float | None = None,
        fetched_at: float | None = None,
        fingerprint: int | None = None,
    ) -> None:
        """Add a canonical URL; see `Item` for the rest. Raises ValueError for what is none of these."""
        self._put(Item(self._ids, url, priority, change_rate, fetched_at, fingerprint))
        self._ids += 1
        if self._watch:
            self._watch("add", url, self.view)

    def take(self, now: float | None = None) -> Fetch | Wait | Empty:
        """Return the URL to fetch at the time ``now``, or how long to wait for one, or that there is none."""
        now = self._now(now)
        back = self._back
        if back.resting or (back.idle and self._front.in_line):
            self._refill(now)
        heap = back.heap
        if not heap or heap[0][0] > now:
            at = back.next_time()
            return Wait(at - now) if at < inf or self._out else _EMPTY
        _, _, queue = heappop(heap)
        record = queue.records.pop()
        url = record[HEAD:].decode()
        self._out[url] = queue, record
        self._waiting -= 1
        if self._watch:
            self._watch("take", url, self.view)
        return Fetch(url, queue.host.name)

    def done(
        self, url: str, outcome: Timed | None = _FINE, now: float | None = None, *, again: bool = False
    ) -> None:
        """Tell that the fetch of ``url`` ended at the time ``now``; its host is left alone for the gap.

        outcome  None: nothing was asked of the host, so it needs no gap
        again    the URL was not fetched after all (robots.txt came first, say): it is the host's next one

        Raises ValueError, and changes nothing, for a URL that is not out and for times not of at least 0.
        """
        now = self._now(now)
        if url not in self._out:
            raise ValueError(f"{url!r:.200} is not being fetched: tell only of what `take` gave, and once")
        rest = 0.0 if outcome is None else rest_of(outcome)
        queue, record = self._out.pop(url)
        host = queue.host
        if outcome is not None:
            host.ready = now + max(self._gap.after(outcome.seconds), rest, host.delay)
        if again:
            queue.records.append(record)
            self._waiting += 1
        if queue.records and host.ready <= now + self._gap.longest:
            self._back.schedule(queue, host.ready)
        else:
            self._release(queue, now)
        if self._watch:
            self._watch("done", url, self.view)

    def set_delay(self, host: str, seconds: float) -> None:
        """Leave at least ``seconds`` between requests to ``host``, from its next fetch on (crawl-delay)."""
        if not 0 <= seconds < inf:
            raise ValueError(f"the delay of {host} is {seconds!r}: give seconds, at least 0")
        self._hosts[host].delay = seconds

    def rest(self, host: str, now: float) -> float:
        """Return the seconds from ``now`` for which ``host`` is left alone if it is being asked, or was."""
        known = self._hosts[host]
        return max(known.ready - now, self._gap.after(0.0), known.delay)

    def let_rest(self, host: str, until: float) -> None:
        """Leave ``host``, of which nothing waits yet, alone until a time."""
        self._hosts[host].ready = until

    def item(self, url: str) -> Item:
        """Return what is known of a URL that is being fetched. Raises KeyError for others."""
        return item_of(self._out[url][1])

    @property
    def in_flight(self) -> int:
        """How many URLs are being fetched."""
        return len(self._out)

    def items(self) -> Iterator[Item]:
        """Yield all items: those being fetched, those in back queues, then the front queues."""
        return items_of(self)

    def state(self, now: float | None = None) -> dict[str, Any]:
        """Return everything that a restart needs as plain data, which JSON can hold.

        What is being fetched counts as waiting: after a crash it is fetched again. Times are seconds from
        ``now``.
        """
        return state_of(self, self._now(now))

    @classmethod
    def from_state(cls, state: Mapping[str, Any], now: float | None = None, **options: Any) -> Frontier:
        """Return a frontier that goes on from a `state`; ``options`` are those of `Frontier`.

        >>> frontier = Frontier()
        >>> frontier.add("http://harbour.example/")
        >>> len(Frontier.from_state(frontier.state(now=5.0), now=0.0))
        1
        """
        frontier = cls(**options)
        restore(frontier, state, frontier._now(now))
        return frontier

    def _put(self, item: Item) -> None:
        level, record = self._front.level(item), packed(item)
        self._front.add(self._hosts.of_url(item.url), level, record)
        self._waiting += 1

    def _refill(self, now: float) -> None:
        """Give idle back queues to the hosts that the front queues choose."""
        back, front = self._back, self._front
        for host in back.wake(now):
            front.line_up(host)
        while back.idle and (found := front.choose()):
            host, level = found
            if host.ready > now + self._gap.longest:
                back.rest(host)
            else:
                back.open(host, front.pull(host, level, self._depth), max(host.ready, now))

    def _release(self, queue: BackQueue, now: float) -> None:
        """Take a back queue from its host, which lines up again if it has more URLs."""
        host = queue.host
        for record in self._back.close(queue):
            self._front.put_back(host, self._front.level(item_of(record)), record)
        self._front.line_up(host)
        self._hosts.forget(now)

    def _now(self, now: float | None) -> float:
        if now is not None:
            if now != now:
                raise ValueError("the time is NaN: give `now` in seconds")
            return now
        if self._clock is None:
            raise ValueError("what time is it? Give `now` in seconds, or a clock to the frontier")
        return self._clock.now()
