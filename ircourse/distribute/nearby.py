"""Nodes near the sites that they crawl (notes-W: each machine "only crawls pages from that location").

region        where a node or a host stands: a name
round_trip    seconds for a request and its answer between two regions

`ByRegion` gives a host to the nodes of its own region, or of the nearest one that has any; which of them is a
matter of one ring a region, so a node's death still moves its hosts alone. Fetches get quicker, and the load
follows the regions: where there are many hosts and few nodes, they have much to do.

The book leaves the choice open; a crawler that splits by hash alone asks hosts all over the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ircourse.distribute.ring import ConsistentHashRing, Node

__all__ = ["ByRegion"]

RoundTrip = Callable[[str, str], float]


class ByRegion:
    """An assignment of hosts to nodes of their region.

    places      from node to its region
    region_of   a function from a host's name to its region
    round_trip  a function from two regions to seconds; the nearest one is that with the least
    replicas    points of a node on its region's ring

    >>> places = {"ada": "north", "bob": "north", "cleo": "south"}
    >>> by_region = ByRegion(places, lambda host: host.split(".")[-2], lambda a, b: 0.02 if a == b else 0.2)
    >>> by_region.node_for("harbour.south.example")
    'cleo'
    >>> by_region.without("cleo").node_for("harbour.south.example")
    'ada'
    """

    def __init__(
        self,
        places: Mapping[Node, str],
        region_of: Callable[[str], str],
        round_trip: RoundTrip,
        replicas: int = 100,
    ) -> None:
        if not places:
            raise ValueError("places is empty: give the region of at least one node")
        self._places = dict(places)
        self._region_of, self._round_trip, self._replicas = region_of, round_trip, replicas
        names: dict[str, list[Node]] = {}
        for node, region in places.items():
            names.setdefault(region, []).append(node)
        self._rings = {region: ConsistentHashRing(names[region], replicas) for region in sorted(names)}

    @property
    def nodes(self) -> tuple[Any, ...]:
        """The nodes, region by region."""
        return tuple(node for ring in self._rings.values() for node in ring.nodes)

    def node_for(self, host: str) -> Any:
        """Return the node of a host: one of its region, or of the nearest region that has one."""
        region = self._region_of(host)
        nearest = min(self._rings, key=lambda other: (self._round_trip(region, other), other))
        return self._rings[nearest].node_for(host)

    def seconds(self, node: Node, host: str) -> float:
        """Return the round trip between a node and a host."""
        return self._round_trip(self._places[node], self._region_of(host))

    def without(self, node: Node) -> ByRegion:
        """Return the assignment to the other nodes. Raises ValueError for an unknown node and the last."""
        if node not in self._places:
            raise ValueError(
                f"{node!r} is no node here: the nodes are {', '.join(map(repr, self.nodes)):.200}"
            )
        left = {name: region for name, region in self._places.items() if name != node}
        return ByRegion(left, self._region_of, self._round_trip, self._replicas)
