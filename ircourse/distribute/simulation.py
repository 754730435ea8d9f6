"""The engine of a simulated crawl: events in the order of time, and what every kind of crawl does with them.

A node asks its manager for a URL, fetches, stores the page, and tells the managers of the page's links. All
that it does is an event (time, number, call): the earliest comes first, of equal times the one planned first,
so a crawl runs the same way each time. `static` and `coordinated` say who manages what.

records  from URL to its page, None for a dead link, and the node that fetched it: the page store, which
         outlives its nodes, as that of a real crawler does on disks of several machines
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple, TypeAlias

from ircourse.crawl.frontier.frontier import Fetch, Outcome, Wait
from ircourse.crawl.lookup import look_up_in
from ircourse.crawl.urls import canonical_url
from ircourse.distribute.machines import CrawlCosts, Fetched, Machine, Manager
from ircourse.distribute.splitter import host_key
from ircourse.types import VirtualClock

__all__ = ["CrawlEvent", "CrawlHeld", "Simulation", "Watch"]


class CrawlEvent(NamedTuple):
    """What happened: at ``time`` something was done by ``node``.

    kind   "took" (a URL), "stored", "dead" (there is no page), "sent" (URLs to ``other``), "died" (with the
           URLs that it was fetching), "noticed" (the others know), "joined", "moved" (hosts to ``other``)
    what   the URLs, or the hosts where they move
    """

    time: float
    kind: str
    node: Any
    other: Any
    what: tuple[str, ...]


class CrawlHeld:
    """What a watcher may read of a crawl; each property is a plain copy made when it is read."""

    def __init__(self, crawl: Simulation) -> None:
        self._crawl = crawl

    @property
    def alive(self) -> tuple[Any, ...]:
        """The nodes that are up."""
        return tuple(name for name, node in self._crawl.machines.items() if node.alive)

    @property
    def waiting(self) -> Mapping[Any, int]:
        """How many URLs wait in the frontier of each manager that is up."""
        return {name: len(m.frontier) for name, m in self._crawl.managers.items() if m.alive}

    @property
    def flying(self) -> Mapping[Any, tuple[str, ...]]:
        """The URLs that each node is fetching."""
        return {name: tuple(node.flying) for name, node in self._crawl.machines.items() if node.alive}

    @property
    def fetched(self) -> Mapping[Any, int]:
        """How many URLs each node has fetched."""
        return {name: node.fetched for name, node in self._crawl.machines.items()}

    @property
    def owners(self) -> Mapping[str, Any]:
        """The node of each host (`UrlSplitter`: URL) met so far; a dead one until the others notice.

        Empty where a coordinator gives out URLs.
        """
        return dict(self._crawl.owners)

    @property
    def messages(self) -> int:
        """Messages sent so far."""
        return self._crawl.messages


Watch: TypeAlias = Callable[[CrawlEvent, CrawlHeld], object] | None


class Simulation:
    """What static and coordinated crawls share."""

    def __init__(self, web: Mapping[str, Any], nodes: Iterable[Any], costs: CrawlCosts, watch: Watch) -> None:
        self.clock, self.costs, self._watch = VirtualClock(), costs, watch
        self.look_up = look_up_in(web)
        self.machines = {name: Machine(name) for name in nodes}
        self.managers: dict[Any, Manager] = {}
        self.owners: dict[str, Any] = {}
        self.records: dict[str, tuple[Any, Any]] = {}
        self.fetches: list[Fetched] = []
        self.messages = self.urls_sent = self.dropped = 0
        self.moved: dict[str, tuple[Any, Any]] = {}
        self._heap: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._planned = 0
        self._held = CrawlHeld(self)

    def served_by(self, manager: Manager) -> Iterable[Machine]:
        """Return the nodes that a manager gives URLs to."""
        raise NotImplementedError

    def settle(self, node: Machine, manager: Manager, url: str, links: list[str]) -> None:
        """Tell the managers that ``url`` was fetched and what it links to."""
        raise NotImplementedError

    def recover(self, dead: Machine) -> None:
        """Give what the dead node had to do to others."""
        raise NotImplementedError

    def join(self, name: Any) -> None:
        """Let a node join."""
        self.machines[name] = Machine(name)
        self.tell("joined", name)

    def plan(self, time: float, call: Callable[..., None], *arguments: Any) -> None:
        """Make a call at a time to come."""
        heappush(self._heap, (time, self._planned, call, arguments))
        self._planned += 1

    def run(self) -> None:
        """Make all calls, those too that they plan."""
        while self._heap:
            time, _, call, arguments = heappop(self._heap)
            self.clock.wait(max(0.0, time - self.now))
            call(*arguments)

    @property
    def now(self) -> float:
        """The time."""
        return self.clock.now()

    def tell(self, kind: str, node: Any, other: Any = None, what: Iterable[str] = ()) -> None:
        """Show a step to the watcher."""
        if self._watch:
            self._watch(CrawlEvent(self.now, kind, node, other, tuple(what)), self._held)

    def send(self, source: Any, manager: Manager, urls: list[str]) -> None:
        """Send URLs to a manager; what a node tells itself is no message."""
        if source == manager.name:
            self.arrive(manager, urls)
            return
        self.messages += 1
        self.urls_sent += len(urls)
        self.tell("sent", source, manager.name, urls)
        self.plan(self.now + self.costs.latency, self.arrive, manager, urls)

    def arrive(self, manager: Manager, urls: list[str]) -> None:
        """Queue a message; one to a dead node is lost."""
        if manager.alive:
            end = manager.handle(self.now, self.costs.handling * len(urls))
            self.plan(end, self.enter, manager, urls)

    def enter(self, manager: Manager, urls: list[str]) -> None:
        """Put new URLs into the frontier."""
        if manager.alive:
            manager.learn(urls)
            self.feed(manager)

    def feed(self, manager: Manager) -> None:
        """Give URLs that may be fetched now to nodes that have a thread free, the least busy first."""
        while manager.alive:
            free = [n for n in self.served_by(manager) if n.alive and n.taken < self.costs.threads]
            if not free:
                return
            answer = manager.frontier.take(self.now)
            if isinstance(answer, Fetch):
                if self.given_away(manager, answer.url):
                    manager.frontier.done(answer.url, None, self.now)
                    continue
                self.start(min(free, key=lambda node: (node.taken, node.fetched)), manager, answer.url)
                continue
            if isinstance(answer, Wait) and answer.seconds < inf:
                self.wake(manager, self.now + answer.seconds)
            return

    def given_away(self, manager: Manager, url: str) -> bool:
        """Whether the URL belongs to another manager now; it is told unless it knows."""
        return False

    def wake(self, manager: Manager, time: float) -> None:
        """Feed again at a time, once."""
        if time not in manager.woken:
            manager.woken.add(time)
            self.plan(time, self.woken, manager, time)

    def woken(self, manager: Manager, time: float) -> None:
        """Feed after a wait."""
        manager.woken.discard(time)
        self.feed(manager)

    def start(self, node: Machine, manager: Manager, url: str) -> None:
        """Let a node fetch; the coordinator's order takes a message."""
        ordered = manager.name != node.name
        self.messages += ordered
        begin = self.now + (self.costs.latency if ordered else 0.0)
        node.taken += 1
        seconds = self.costs.fetch(node.name, host_key(url))
        if not 0 <= seconds < inf:
            raise ValueError(f"the fetch of {url!r:.200} takes {seconds!r}: give seconds, at least 0")
        node.flying[url] = begin, begin + seconds
        self.tell("took", node.name, None, [url])
        self.plan(begin + seconds, self.fetched, node, manager, url)

    def fetched(self, node: Machine, manager: Manager, url: str) -> None:
        """Store a page, unless the node died while it came."""
        if not node.alive:
            return
        (begin, _), page = node.flying.pop(url), self.look_up(url)
        node.fetched += 1
        self.fetches.append(Fetched(url, node.name, begin, self.now, page is not None))
        self.records.setdefault(url, (page, node.name))
        self.tell("dead" if page is None else "stored", node.name, None, [url])
        self.settle(node, manager, url, crawlable(page))

    def ended(self, manager: Manager, url: str) -> None:
        """Let the host of a fetched URL rest."""
        manager.frontier.done(url, Outcome(), self.now)

    def kill(self, name: Any) -> None:
        """Let a node die with all that it holds in memory."""
        node = self.machines[name]
        node.alive = False
        if name in self.managers:
            self.managers[name].alive = False
        self.tell("died", name, None, node.flying)
        # Whoever takes its hosts over cannot know when it asked them last: they rest first.
        self.plan(self.now + max(self.costs.notice, self.costs.gap), self.recover, node)


def crawlable(page: Any) -> list[str]:
    """Return the links of a page that are URLs of the web, each once."""
    if page is None:
        return []
    return [str(link) for link in dict.fromkeys(page.links) if canonical_url(link) is not None]
