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

When a node joins, it takes hosts from the others. They hand over what waits, and the new node lets each host
rest until nobody has asked it for the gap.

Source: slides-P, "Parallel Crawlers"; Cho and Garcia-Molina (2002), "Parallel crawlers".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from ircourse.crawl.frontier.items import host_of
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
        lost = self._move([key for key, name in self.owners.items() if name == dead.name])
        self._read_store(lost)
        self._tell_again(lost)

    def join(self, name: Any) -> None:
        """Let a node join: the others hand its hosts over, with what waits of them."""
        super().join(name)
        self.managers[name] = new = Manager(name, self.costs.gap)
        self.splitter = self.splitter.joined_by(name)
        won = self._move(list(self.owners))
        rests = dict.fromkeys(map(host_of, self._read_store(won)), self.now)
        for old in self.managers.values():
            waiting = []
            for item in old.frontier.items():
                if self.splitter.key(url := item.url) in won:
                    if url in (flying := self.machines[old.name].flying):
                        new.seen.add(url)
                        rests[host_of(url)] = flying[url][1]
                    else:
                        waiting.append(url)
            old.handed.update(waiting)
            if waiting:
                self.send(old.name, new, waiting)
        for host, asked in rests.items():
            new.frontier.let_rest(host, asked + self.costs.gap)

    def given_away(self, manager: Manager, url: str) -> bool:
        """Whether the URL's host has moved to another node, which is told unless it was handed the URL."""
        key = self.splitter.key(url)
        if key not in self.moved or self.owners[key] == manager.name:
            return False
        if url not in manager.handed:  # it came in a message sent before the move
            self.send(manager.name, self.managers[self.owners[key]], [url])
        return True

    def _move(self, keys: list[str]) -> frozenset[str]:
        """Give each host to the node that the splitter names now, and return those that moved."""
        moves: dict[tuple[Any, Any], list[str]] = {}
        for key in keys:
            old, new = self.owners[key], self.splitter.assignment.node_for(key)
            if old != new:
                self.owners[key], self.moved[key] = new, (old, new)
                moves.setdefault((old, new), []).append(key)
        for (old, new), moved in moves.items():
            self.tell("moved", old, new, moved)
        return frozenset(key for moved in moves.values() for key in moved)

    def _read_store(self, moved: frozenset[str]) -> list[str]:
        """Let the new owners know what was fetched of their hosts, and return that."""
        found = [url for url in self.records if self.splitter.key(url) in moved]
        for url in found:
            self.managers[self.owner(url)].seen.add(url)
        return found

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
