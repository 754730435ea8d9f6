"""Distributed crawls on the virtual clock: static and dynamic assignment compared, a node killed.

The nodes are simulated, and what they do is not: each manager has the frontier of section 20.2.3, hosts rest
between requests, messages take their time. An hour's crawl takes a fraction of a second (claim C60).

fetches     every fetch that ended, in order of time
overlap     fetches of pages beyond the first, as a share of the different URLs fetched
imbalance   the most URLs fetched by a node over the average
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ircourse.crawl.frontier.items import host_of
from ircourse.distribute.coordinated import CoordinatedCrawl
from ircourse.distribute.machines import CrawlCosts, Fetched
from ircourse.distribute.moving import imbalance
from ircourse.distribute.ring import ConsistentHashRing
from ircourse.distribute.simulation import Simulation, Watch
from ircourse.distribute.splitter import HostSplitter, crawlable_url, host_key
from ircourse.distribute.static import Links, StaticCrawl, exchange

__all__ = ["SimulatedCrawl", "coordinated_crawl", "simulated_crawl"]


@dataclass(frozen=True)
class SimulatedCrawl:
    """What a simulated crawl did.

    pages      from URL to the node that stored it first, in the order stored
    fetches    all `Fetched`: dead links and repetitions too
    seconds    until the last fetch ended
    loads      URLs fetched by each node
    messages   sent between machines; `urls_sent` is how many URLs they carried
    dropped    links that nobody was told of
    busy       seconds that each manager spent handling messages
    moved      from host to (old node, new node), where a node died or joined
    """

    pages: Mapping[str, Any]
    fetches: tuple[Fetched, ...]
    seconds: float
    loads: Mapping[Any, int]
    messages: int
    urls_sent: int
    dropped: int
    busy: Mapping[Any, float]
    moved: Mapping[str, tuple[Any, Any]]

    @property
    def imbalance(self) -> float:
        """The most URLs fetched by a node over the average."""
        return imbalance(self.loads.values())

    @property
    def overlap(self) -> float:
        """Fetches beyond the first of each URL, as a share of the URLs."""
        urls = len({fetch.url for fetch in self.fetches})
        return len(self.fetches) / urls - 1 if urls else 0.0

    @property
    def busiest(self) -> float:
        """The share of the time for which the busiest manager handled messages: near 1, a bottleneck."""
        return max(self.busy.values()) / self.seconds if self.seconds else 0.0

    def too_soon(self, gap: float) -> int:
        """Return how many requests reached a host while it was asked, or within ``gap`` seconds after."""
        rested: dict[str, float] = {}
        count = 0
        for fetch in sorted(self.fetches, key=lambda fetch: (fetch.start, fetch.end)):
            host = host_of(fetch.url)  # as the frontier has it, with its port
            count += fetch.start < rested.get(host, 0.0) - 1e-9
            rested[host] = max(rested.get(host, 0.0), fetch.end + gap)
        return count


def simulated_crawl(
    web: Mapping[str, Any],
    nodes: Iterable[Any] | HostSplitter,
    *,
    seeds: Iterable[str] | None = None,
    links: Links = exchange,
    costs: CrawlCosts | None = None,
    kill: tuple[Any, float] | None = None,
    join: tuple[Any, float] | None = None,
    watch: Watch = None,
) -> SimulatedCrawl:
    """Return what a crawl does whose hosts are divided among its nodes.

    web    from URL to page, or to the URLs that it links to; without end, the crawl has none
    nodes  names, put on a `ConsistentHashRing` of 100 points each; or a splitter
    seeds  None: the first page of each host
    links  what becomes of links to other nodes' hosts: `exchange`, `firewall` or `independent`
    kill   a node and the second at which it dies
    join   a new node and the second at which it joins; not both
    watch  called as ``watch(event, held)`` at each step: see `CrawlEvent` and `CrawlHeld`

    Raises ValueError for seeds that are no URLs, for a kill of an unknown node or of the only one, for a join
    of one that is there, and for both where links are not exchanged.

    >>> from ircourse.web import random_web
    >>> web = random_web(300, 1)
    >>> crawl = simulated_crawl(web, ["ada", "bob", "cleo"])
    >>> len(crawl.pages), crawl.loads, crawl.too_soon(2.0)
    (231, {'ada': 102, 'bob': 63, 'cleo': 66}, 0)
    >>> killed = simulated_crawl(web, ["ada", "bob", "cleo"], kill=("bob", 30.0))
    >>> set(killed.pages) == set(crawl.pages), sorted({heir for _, heir in killed.moved.values()})
    (True, ['ada', 'cleo'])
    """
    splitter = nodes if isinstance(nodes, HostSplitter) else HostSplitter(ConsistentHashRing(nodes, 100))
    _check(kill, join, splitter.nodes)
    if (kill or join) and links is not exchange:
        raise ValueError(
            "nodes can join and die where links are exchanged only: elsewhere nobody knows theirs"
        )
    if kill:
        splitter.without(kill[0])  # which raises where that is impossible
    if join:
        splitter.joined_by(join[0])
    crawl = StaticCrawl(web, _seeds(web, seeds), splitter, links, costs or CrawlCosts(), watch)
    return _run(crawl, kill, join)


def coordinated_crawl(
    web: Mapping[str, Any],
    nodes: Iterable[Any],
    *,
    seeds: Iterable[str] | None = None,
    costs: CrawlCosts | None = None,
    kill: tuple[Any, float] | None = None,
    join: tuple[Any, float] | None = None,
    watch: Watch = None,
) -> SimulatedCrawl:
    """Return what a crawl does whose URLs a coordinator gives out; see `simulated_crawl`.

    >>> from ircourse.web import random_web
    >>> crawl = coordinated_crawl(random_web(300, 1), ["ada", "bob", "cleo"])
    >>> len(crawl.pages), crawl.loads, crawl.too_soon(2.0)
    (231, {'ada': 77, 'bob': 77, 'cleo': 77}, 0)
    """
    names = list(ConsistentHashRing(nodes, 1).nodes)  # refuses what are no nodes
    _check(kill, join, names)
    return _run(CoordinatedCrawl(web, _seeds(web, seeds), names, costs or CrawlCosts(), watch), kill, join)


def _run(crawl: Simulation, kill: tuple[Any, float] | None, join: tuple[Any, float] | None) -> SimulatedCrawl:
    if kill:
        crawl.plan(float(kill[1]), crawl.kill, kill[0])
    if join:
        crawl.plan(float(join[1]), crawl.join, join[0])
    crawl.run()
    return SimulatedCrawl(
        pages={url: node for url, (page, node) in crawl.records.items() if page is not None},
        fetches=tuple(crawl.fetches),
        seconds=max((fetch.end for fetch in crawl.fetches), default=0.0),
        loads={name: machine.fetched for name, machine in crawl.machines.items()},
        messages=crawl.messages,
        urls_sent=crawl.urls_sent,
        dropped=crawl.dropped,
        busy={name: manager.busy for name, manager in crawl.managers.items()},
        moved=crawl.moved,
    )


def _check(kill: tuple[Any, float] | None, join: tuple[Any, float] | None, nodes: Iterable[Any]) -> None:
    names = list(nodes)
    if kill and join:
        raise ValueError(f"{kill[0]!r} is to die and {join[0]!r} to join: one of the two in a crawl")
    if kill and (kill[0] not in names or len(names) < 2):
        raise ValueError(f"{kill[0]!r} cannot be killed: give one of at least two nodes, {names!r:.200}")
    if join and join[0] in names:
        raise ValueError(f"{join[0]!r} is there already: let a node of another name join")
    for node, at in filter(None, (kill, join)):
        if not (isfinite(at) and at >= 0):
            raise ValueError(f"the time of {node!r} is {at!r}: give seconds, at least 0")


def _seeds(web: Mapping[str, Any], seeds: Iterable[str] | None) -> list[str]:
    """Return the seeds, each once; those given, or the first page of each host."""
    if isinstance(seeds, str):
        raise TypeError(f"seeds are several, not one str: write [{seeds!r:.60}]")
    if seeds is not None:
        return list(dict.fromkeys(map(crawlable_url, seeds)))
    first: dict[str, str] = {}
    for url in web:
        first.setdefault(host_key(url), url)
    return list(first.values())
