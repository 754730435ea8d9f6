"""Static assignment: the hosts are divided among the nodes, and each node manages its own (slides-P).

links  what a node does with a link to a host of another node: a function from the node and the host's owner
       to who is told, None for nobody

exchange     the owner is told: every page is fetched once, for a message
firewall     nobody is told: a node crawls its part of the web alone, and pages that are reached through other
             parts only are lost
independent  the node keeps it: no message, and the same page is fetched by many

When a node dies, its frontier and its URL-seen are gone; the page store is not. Its hosts go to their next
nodes on the ring, which read in the store what was fetched of these hosts; and whoever stored a page with
links to them tells those links again, so nothing is lost. What the dead node was fetching is fetched again.

Source: slides-P, "Parallel Crawlers"; Cho and Garcia-Molina (2002), "Parallel crawlers".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from ircourse.distribute.machines import CrawlCosts, Machine, Manager
from ircourse.distribute.simulation import Simulation, Watch, crawlable
from ircourse.distribute.splitter import HostSplitter

__all__ = ["Links", "StaticCrawl", "exchange", "firewall", "independent"]

Links: TypeAlias = Callable[[Any, Any], Any]


def exchange(node: Any, owner: Any) -> Any:
    """Return who is told of a link: its owner."""
    return owner


def firewall(node: Any, owner: Any) -> Any:
    """Return who is told of a link: the node itself if it owns it, otherwise nobody."""
    return node if node == owner else None


def independent(node: Any, owner: Any) -> Any:
    """Return who is told of a link: the node that found it."""
    return node


class StaticCrawl(Simulation):
    """A crawl whose nodes manage their own hosts."""

    def __init__(
        self,
        web: Mapping[str, Any],
        seeds: list[str],
        splitter: HostSplitter,
        links: Links,
        costs: CrawlCosts,
        watch: Watch,
    ) -> None:
        super().__init__(web, splitter.nodes, costs, watch)
        self.seeds, self.splitter, self._links = seeds, splitter, links
        self.managers = {name: Manager(name, costs.gap) for name in splitter.nodes}
        told: dict[Any, list[str]] = {}
        for url in seeds:
            told.setdefault(self.owner(url), []).append(url)
        for name, urls in told.items():
            self.plan(0.0, self.arrive, self.managers[name], urls)

    def served_by(self, manager: Manager) -> Iterable[Machine]:
        """Return the manager's own node."""
        return (self.machines[manager.name],)

    def owner(self, url: str) -> Any:
        """Return the node that manages a URL."""
        key = self.splitter.key(url)
        if key not in self.owners:
            self.owners[key] = self.splitter.node_for(url)
        return self.owners[key]

    def settle(self, node: Machine, manager: Manager, url: str, links: list[str]) -> None:
        """Sort the links by who is told of them, and tell them."""
        self.ended(manager, url)
        node.taken -= 1
        told: dict[Any, list[str]] = {}
        for link in links:
            told.setdefault(self._links(node.name, self.owner(link)), []).append(link)
        self.dropped += len(told.pop(None, ()))
        for name, urls in told.items():
            self.send(node.name, self.managers[name], urls)
        self.feed(manager)

    def recover(self, dead: Machine) -> None:
        """Give the dead node's hosts to their next nodes on the ring."""
        self.tell("noticed", dead.name)
        self.splitter = self.splitter.without(dead.name)
        lost = [key for key, name in self.owners.items() if name == dead.name]
        heirs: dict[Any, list[str]] = {}
        for key in lost:
            heir = self.owners[key] = self.splitter.assignment.node_for(key)
            self.moved[key] = dead.name, heir
            heirs.setdefault(heir, []).append(key)
        for heir, keys in heirs.items():
            self.tell("moved", dead.name, heir, keys)
        self._read_store(frozenset(lost))
        self._tell_again(frozenset(lost))

    def _read_store(self, lost: frozenset[str]) -> None:
        """Let the heirs know what was fetched of the dead node's hosts."""
        for url in self.records:
            if self.splitter.key(url) in lost:
                self.managers[self.owner(url)].seen.add(url)

    def _tell_again(self, lost: frozenset[str]) -> None:
        """Send the heirs the seeds of these hosts and the links to them, from those who stored the pages."""
        told: dict[tuple[Any, Any], dict[str, None]] = {}
        pages = [(None, self.seeds)]
        pages += [(name, crawlable(page)) for page, name in self.records.values()]
        for name, urls in pages:
            for url in urls:
                if url not in self.records and self.splitter.key(url) in lost:
                    heir = self.owner(url)
                    # Of the pages of a dead node, and of the seeds, the heir reads for itself.
                    source = name if name in self.machines and self.machines[name].alive else heir
                    told.setdefault((source, heir), {})[url] = None
        for (source, heir), unseen in told.items():
            self.send(source, self.managers[heir], list(unseen))
