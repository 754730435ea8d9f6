"""Dynamic assignment: a coordinator gives out URLs one by one, to whoever is free (slides-P).

The coordinator holds the only frontier and the only URL-seen. The load is even whatever the hosts' sizes, and
a node's death costs nothing but what it was fetching. In return each page takes two messages at least, and
all links of all pages pass through one machine: it can handle 1/handling URLs a second, whatever the number
of nodes, and if it dies the crawl does.

Source: slides-P, "Parallel Crawlers": "Links are given to Central coordinator (bottleneck?)".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ircourse.distribute.machines import CrawlCosts, Machine, Manager
from ircourse.distribute.simulation import Simulation, Watch

__all__ = ["COORDINATOR", "CoordinatedCrawl"]

COORDINATOR = "coordinator"


class CoordinatedCrawl(Simulation):
    """A crawl whose nodes fetch what the coordinator tells them."""

    def __init__(
        self, web: Mapping[str, Any], seeds: list[str], nodes: Iterable[Any], costs: CrawlCosts, watch: Watch
    ) -> None:
        super().__init__(web, nodes, costs, watch)
        self.coordinator = Manager(COORDINATOR, costs.gap)
        self.managers = {COORDINATOR: self.coordinator}
        self.plan(0.0, self.arrive, self.coordinator, seeds)

    def served_by(self, manager: Manager) -> Iterable[Machine]:
        """Return all nodes; an order to a dead one is refused at once, and another gets it."""
        return self.machines.values()

    def settle(self, node: Machine, manager: Manager, url: str, links: list[str]) -> None:
        """Report to the coordinator: the URL is done, these are its links."""
        self.messages += 1
        self.urls_sent += len(links)
        self.tell("sent", node.name, COORDINATOR, links)
        self.plan(self.now + self.costs.latency, self.heard, node, url, links)

    def heard(self, node: Machine, url: str, links: list[str]) -> None:
        """Take a report in; the node is free for another URL."""
        self.ended(self.coordinator, url)
        node.taken -= 1
        self.arrive(self.coordinator, links)
        self.feed(self.coordinator)

    def join(self, name: Any) -> None:
        """Give the new node something to do."""
        super().join(name)
        self.feed(self.coordinator)

    def recover(self, dead: Machine) -> None:
        """Give what the dead node was fetching to others."""
        self.tell("noticed", dead.name)
        for url in dead.flying:
            self.coordinator.frontier.done(url, None, self.now, again=True)
        self.feed(self.coordinator)
