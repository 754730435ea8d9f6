"""The machines of a simulated crawl: nodes that fetch, and managers that know what is to be fetched.

node      fetches pages, several at a time
manager   holds the frontier and the URL-seen of some hosts and handles one message after the other. With a
          static assignment each node is the manager of its own hosts; with a dynamic one the coordinator is
          the only manager

All times are seconds of the virtual clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

from ircourse.crawl.frontier.frontier import Frontier

__all__ = ["CrawlCosts", "Fetched", "Machine", "Manager"]


@dataclass(frozen=True)
class CrawlCosts:
    """What things cost in a simulated crawl, in seconds.

    fetch     a function from node and host to how long a fetch takes
    gap       rest of a host between two requests
    latency   until a message arrives
    handling  a manager's work for each URL it is told of: was it seen, where does it go
    notice    from a node's death until others take over, at least the gap
    threads   fetches of a node at a time; a number, not seconds
    """

    fetch: Callable[[Any, str], float] = lambda node, host: 0.5
    gap: float = 2.0
    latency: float = 0.05
    handling: float = 0.001
    notice: float = 10.0
    threads: int = 4

    def __post_init__(self) -> None:
        for name in ("gap", "latency", "handling", "notice"):
            value = getattr(self, name)
            if not (isfinite(value) and value >= 0):
                raise ValueError(f"{name} is {value!r}: give seconds, at least 0")
        if isinstance(self.threads, bool) or not isinstance(self.threads, int) or self.threads < 1:
            raise ValueError(f"threads is {self.threads!r}: give a whole number of at least 1")


class Fetched(NamedTuple):
    """A fetch: which node asked for which URL from when to when, and whether there was a page."""

    url: str
    node: Any
    start: float
    end: float
    found: bool


@dataclass
class Machine:
    """A node: the URLs that it is fetching, the fetches that its manager takes for running, and its pages."""

    name: Any
    alive: bool = True
    flying: dict[str, tuple[float, float]] = field(default_factory=dict)  # from when to when
    taken: int = 0
    fetched: int = 0


class Manager:
    """A frontier, the URLs seen, and a queue of messages.

    free_at  when it has handled the messages that have arrived
    busy     seconds of handling so far
    """

    def __init__(self, name: Any, gap: float) -> None:
        self.name = name
        self.frontier = Frontier(front_queues=1, gap_factor=0.0, min_gap=gap, max_gap=gap)
        self.seen: set[str] = set()
        self.alive = True
        self.free_at = self.busy = 0.0
        self.woken: set[float] = set()
        self.handed: set[str] = (
            set()
        )  # URLs that it gave away with their hosts, though its frontier holds them

    def handle(self, now: float, seconds: float) -> float:
        """Return when a message that arrives now and takes so long has been handled."""
        self.free_at = max(now, self.free_at) + seconds
        self.busy += seconds
        return self.free_at

    def learn(self, urls: list[str]) -> None:
        """Put the URLs that were not seen before into the frontier."""
        for url in urls:
            if url not in self.seen:
                self.seen.add(url)
                self.frontier.add(url)
