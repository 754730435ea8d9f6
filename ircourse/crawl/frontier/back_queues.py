"""The back queues of a frontier: which host next, by the time of its last fetch (book, section 20.2.3).

B        number of back queues; each holds URLs of one host at a time, and no host has two
table    T, from host to its back queue
heap     (t_e, turn, back queue): the earliest time t_e at which the queue's host may be asked again
turn     a count that makes equal times come out in the order in which they went in
idle     back queues that hold nothing since no host was in line for them
resting  (ready, number, host): hosts that wait for a long time, and need no back queue to do that

A queue whose URL is being fetched is not in the heap, so no host ever has two connections.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

from ircourse.crawl.frontier.hosts import Host

__all__ = ["BackQueue", "BackQueues", "Gap"]


class BackQueue:
    """A short list of one host's records, the next one last."""

    __slots__ = ("host", "number", "records")
    host: Host

    def __init__(self, number: int) -> None:
        self.number = number
        self.records: list[bytes] = []


class BackQueues:
    """B back queues with the table T and the heap.

    >>> back = BackQueues(2)
    >>> back.open(Host("harbour.example", 0), [b"first", b"second"], at=0.0)
    >>> [(queue.number, queue.records.pop()) for _, _, queue in back.heap]
    [(0, b'first')]
    """

    def __init__(self, count: int) -> None:
        self.queues = [BackQueue(number) for number in range(count)]
        self.idle = self.queues[::-1]
        self.table: dict[str, BackQueue] = {}
        self.heap: list[tuple[float, int, BackQueue]] = []
        self.resting: list[tuple[float, int, Host]] = []
        self.turn = 0

    def open(self, host: Host, records: list[bytes], at: float) -> None:
        """Give an idle queue to a host, which may be asked from time ``at``."""
        queue = self.idle.pop()
        queue.host = host
        queue.records = records[::-1]
        host.queue = queue
        self.table[host.name] = queue
        self.schedule(queue, at)

    def schedule(self, queue: BackQueue, at: float) -> None:
        """Let the queue's next URL be taken from time ``at``."""
        self.turn += 1
        heappush(self.heap, (at, self.turn, queue))

    def close(self, queue: BackQueue) -> list[bytes]:
        """Take the queue from its host and return the records that are left, the next one last."""
        left, queue.records = queue.records, []
        queue.host.queue = None
        del self.table[queue.host.name]
        self.idle.append(queue)
        return left

    def rest(self, host: Host) -> None:
        """Let a host without a back queue wait for its time."""
        host.resting = True
        heappush(self.resting, (host.ready, host.number, host))

    def wake(self, now: float) -> Iterator[Host]:
        """Yield the hosts that have rested until ``now``."""
        while self.resting and self.resting[0][0] <= now:
            host = heappop(self.resting)[2]
            host.resting = False
            yield host

    def next_time(self) -> float:
        """Return the time at which a host may be asked next, infinite if there is none."""
        return min([entries[0][0] for entries in (self.heap, self.resting) if entries], default=inf)


class Gap(NamedTuple):
    """How long a host is left alone after a fetch of s seconds: factor · s, within bounds.

    >>> Gap(10.0, shortest=2.0, longest=600.0).after(3.0)
    30.0
    """

    factor: float
    shortest: float
    longest: float

    def after(self, seconds: float) -> float:
        """Return the gap in seconds."""
        return min(max(self.factor * seconds, self.shortest), self.longest)

    @classmethod
    def checked(cls, factor: float, shortest: float, longest: float) -> Gap:
        """Return the gap. Raises ValueError unless the numbers make sense."""
        if not (0 <= factor < inf and 0 <= shortest <= longest < inf):
            raise ValueError(
                f"the gap is {factor!r} times the fetch, between {shortest!r} and {longest!r} s: "
                "give numbers of at least 0, min_gap not above max_gap"
            )
        return cls(factor, shortest, longest)
