"""The front queues of a frontier: which URL next, by priority (book, section 20.2.3).

F        number of front queues; level 0 is the most urgent
line     of a level: the hosts with a URL in it and no back queue, first come, first served
bias     a level that has hosts in line is chosen bias times as often as the next one below

A front queue is first in, first out. Its URLs are kept by host (`hosts`), and the hosts stand in line: what
the line hands out is the first URL whose host has no back queue, without a look at those that have one.
Every level with somebody in line is chosen now and then, so nothing starves.

Differs from the book:
- There the choice is biased by chance; here the bias is exact ("stride scheduling"), the same in every run.
- There the refill pulls URLs off a front queue until one comes whose host has no back queue, and drops the
  others into the back queues that their hosts have. On a web of few hosts that empties the front queues at
  once, and a later URL, however urgent, stands behind all of them. Here a URL stays in its front queue until
  its host's back queue has room.
Source of the selector: Waldspurger and Weihl (1995), "Stride scheduling".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from ircourse.crawl.frontier.hosts import Host, Waiting
from ircourse.crawl.frontier.items import Item, level_of
from ircourse.crawl.frontier.spill import Spill

__all__ = ["FrontQueues", "Selector"]


class Selector:
    """Which front queue next: the one that is due first, and level l is due again bias^l after it was served.

    due    when each level is due, on a scale of its own
    clock  when the level served last was due

    A level that always has hosts in line is served at least once in 1 + bias + … + bias^l services.

    >>> selector, served = Selector(levels=3, bias=2.0), []
    >>> while len(served) < 7:
    ...     served.append(selector.next([0, 1, 2]))
    ...     selector.serve(served[-1])
    >>> served
    [0, 0, 1, 0, 0, 1, 2]
    """

    def __init__(self, levels: int, bias: float) -> None:
        self._costs = [bias**level for level in range(levels)]
        self.due = list(self._costs)
        self.clock = 0.0

    def next(self, present: Sequence[int]) -> int:
        """Return the level of ``present`` that is due first, of equals the most urgent."""
        return min(present, key=self.due.__getitem__)

    def serve(self, level: int) -> None:
        """Count a service of the level."""
        self.clock = self.due[level]
        self.due[level] += self._costs[level]

    def enter(self, level: int) -> None:
        """Let the level, empty before, take part from now on: it cannot claim what it missed."""
        self.due[level] = max(self.due[level], self.clock)


class FrontQueues:
    """F queues of records and the selector that is biased towards the urgent ones.

    limit       records beyond this many go to disk; None: all stay in memory
    prioritise  from an item to its front queue; None: by its priority, see `level_of`

    >>> front = FrontQueues(levels=2, bias=2.0)
    >>> front.add(Host("near.example", 0), 1, b"less urgent")
    >>> front.add(Host("far.example", 1), 0, b"urgent")
    >>> host, level = front.choose()
    >>> host.name, front.pull(host, level, 8)
    ('far.example', [b'urgent'])
    """

    def __init__(
        self,
        levels: int,
        bias: float,
        limit: int | None = None,
        prioritise: Callable[[Item], int] | None = None,
    ) -> None:
        self.lines: list[deque[Host]] = [deque() for _ in range(levels)]
        self.in_line = 0  # entries in all lines, also of hosts that got a back queue through another level
        self.length = 0
        self.selector = Selector(levels, bias)
        self.spill: Spill | None = None
        self._limit = limit
        self._prioritise = prioritise

    def level(self, item: Item) -> int:
        """Return the item's front queue. Raises ValueError for a priority or a level that is none."""
        levels = len(self.lines)
        level = level_of(item.priority, levels)
        if self._prioritise is not None:
            level = self._prioritise(item)
            if level not in range(levels):
                raise ValueError(f"front queue {level!r} for {item.url}: give one of 0 to {levels - 1}")
        return level

    def add(self, host: Host, level: int, record: bytes) -> None:
        """Put a record at the end of its front queue."""
        waiting = host.waiting.get(level)
        if waiting is None:
            waiting = host.waiting[level] = Waiting()
            if host.queue is None and not host.resting:
                self._line_up(host, level)
        self.length += 1
        if self._limit is not None and (waiting.on_disk or self.in_memory > self._limit):
            self.spill = self.spill or Spill()
            self.spill.append(host.number, level, record)
            waiting.on_disk += 1
        else:
            waiting.records.append(record)

    def put_back(self, host: Host, level: int, record: bytes) -> None:
        """Put a record back at the head of its front queue."""
        waiting = host.waiting.setdefault(level, Waiting())
        waiting.records.insert(waiting.taken, record)
        self.length += 1

    def line_up(self, host: Host) -> None:
        """Let a host without a back queue stand in line wherever it has URLs."""
        for level in host.waiting:
            self._line_up(host, level)

    def choose(self) -> tuple[Host, int] | None:
        """Return the next host that may have a back queue, and the level that it was chosen for."""
        while present := [level for level, line in enumerate(self.lines) if line]:
            level = self.selector.next(present)
            host = self.lines[level].popleft()
            host.lined &= ~(1 << level)
            self.in_line -= 1
            if level in host.waiting and host.queue is None and not host.resting:
                self.selector.serve(level)
                return host, level
        return None

    def pull(self, host: Host, level: int, n: int) -> list[bytes]:
        """Remove up to ``n`` of a host's records: the head of ``level``, then the most urgent ones."""
        got = self._pull(host, level, 1 if len(host.waiting) > 1 else n)
        for other in sorted(host.waiting):
            while other in host.waiting and len(got) < n:
                got += self._pull(host, other, n - len(got))
        self.length -= len(got)
        return got

    @property
    def in_memory(self) -> int:
        """How many records are not on disk."""
        return self.length - (len(self.spill) if self.spill else 0)

    def records(self, host: Host, level: int) -> Iterator[bytes]:
        """Yield a host's records at a level, in order."""
        waiting = host.waiting[level]
        yield from waiting.records[waiting.taken :]
        if self.spill and waiting.on_disk:
            yield from self.spill.records(host.number, level)

    def _pull(self, host: Host, level: int, n: int) -> list[bytes]:
        waiting = host.waiting[level]
        if waiting.records:
            got = waiting.pull(n)
        else:
            assert self.spill is not None
            got = self.spill.take(host.number, level, n)
            waiting.on_disk -= len(got)
        if not waiting.records and not waiting.on_disk:
            del host.waiting[level]
        return got

    def _line_up(self, host: Host, level: int) -> None:
        if not host.lined >> level & 1:
            host.lined |= 1 << level
            if not self.lines[level]:
                self.selector.enter(level)
            self.lines[level].append(host)
            self.in_line += 1
