"""Consistent hashing: items and nodes on one circle (slides-P, "A nice technique: Consistent Hashing").

S         number of nodes
replicas  points of each node on the circle; by default ⌈ln S⌉, natural logarithm
ID        a place on the circle, 0 … 2^64 − 1; after the last comes the first
points    the nodes' IDs in order, uint64 (S · replicas,), and whose each is, int32

An item goes to the node of the first point with ID ≥ its own. A node that joins takes the arcs that end at
its points and nothing else moves: 1/(S + 1) of the items on average. One that leaves gives its arcs to the
points that follow (claim C57). With one point each, the longest arc is H_S = 1 + 1/2 + … + 1/S ≈ ln S times
the average one; many points a node even that out (claim C58).

Points with one ID belong to the node that comes first by name, so nothing depends on who joined first.

The same circle serves web caches, peer-to-peer networks and load balancers. Amazon's Dynamo keeps each item
at the first n nodes around the circle, its `preference` list.

Differs from the slides:
- "First server N such that ID(N) ≥ ID(K)" has no answer for items beyond the last point;
  they go to the first.
- "Adding a new server moves points between one old to the new" is so with one point a server. With
  replicas they come from as many servers as it has points, or nearly.
Sources: Karger and others (1997); DeCandia and others (2007), Dynamo.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from math import ceil, log
from operator import index
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.distribute.hashing import GOLDEN, IDs, Key, key_id, key_ids, mixed, stream

__all__ = ["ConsistentHashRing", "Node"]

Node: TypeAlias = str | int

MOST_POINTS = 10**7  # of a node: 80 MB
_REAL = (int, float, np.integer, np.floating)


class ConsistentHashRing:
    """Nodes on a circle, and which of them each key belongs to.

    nodes     names, str or whole numbers, each once
    replicas  points of a node of weight 1; None: ⌈ln S⌉, at least 1, of the S nodes given here. It stays the
              same when nodes join and leave: a change would move the points of all. A node's share spreads
              by about 1/√replicas of itself: for even loads give 100 or more
    weights   from node to its share of points, 1 where nothing is given; a node has at least one point
    seed      another seed, another circle; all who share keys need the same

    Raises ValueError where there is no node, one twice, or a number out of range.

    >>> ring = ConsistentHashRing(["ada", "bob", "cleo"], replicas=100)
    >>> ring.node_for("harbour.example")
    'ada'
    >>> ring.remove("ada")
    >>> ring.node_for("harbour.example"), ring.nodes
    ('bob', ('bob', 'cleo'))
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        replicas: int | None = None,
        weights: Mapping[Node, float] | None = None,
        seed: int = 0,
    ) -> None:
        if isinstance(nodes, (str, int)):
            raise TypeError(
                f"nodes are given by their names, not as {nodes!r:.60}: write a list, say range(5)"
            )
        names = list(nodes)
        if not names:
            raise ValueError("a ring without a node can own nothing: name at least one")
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"the seed is {seed!r}: give a whole number")
        self.replicas = max(1, ceil(log(len(names)))) if replicas is None else _checked_replicas(replicas)
        self.seed = seed
        self._points: dict[Node, IDs] = {}
        weights = {} if weights is None else weights
        if not isinstance(weights, Mapping):
            raise TypeError(f"weights are {weights!r:.60}: give a mapping from node to number, or None")
        for name in names:
            self._enter(name, weights.get(name, 1.0))
        if unknown := [name for name in weights if name not in self._points]:
            raise ValueError(f"weights name {unknown[0]!r}, which is no node of the ring: leave it out")
        self._arrange()

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in order: numbers, then names."""
        return self._nodes

    @property
    def points(self) -> tuple[tuple[int, Node], ...]:
        """``(ID, node)`` of every point around the circle."""
        owners = [self._nodes[number] for number in self._owners.tolist()]
        return tuple(zip(self._ids.tolist(), owners, strict=True))

    @property
    def shares(self) -> Mapping[Node, float]:
        """The share of the circle that belongs to each node; they sum to 1.

        A node owns the arc from the point before each of its points, excluded, to its own.
        """
        arcs = (self._ids - np.roll(self._ids, 1)).astype(np.float64)  # mod 2^64
        if not arcs.any():  # all points in one place: the first owns the whole circle
            arcs[0] = 2.0**64
        owned = np.bincount(self._owners, arcs, len(self._nodes)) / 2.0**64
        return MappingProxyType(dict(zip(self._nodes, owned.tolist(), strict=True)))

    def node_for(self, key: Key) -> Node:
        """Return the node that ``key`` belongs to: that of the first point with ID ≥ the key's.

        Raises TypeError for a key that is neither str nor int.
        """
        return self._nodes[int(self._owners[self._place(key)])]

    def nodes_for(self, keys: Iterable[Key] | IDs) -> list[Node]:
        """Return ``node_for`` of each key, in bulk; see `key_ids` for what the keys may be.

        >>> ConsistentHashRing([0, 1, 2]).nodes_for(["harbour.example", "museum.example"])
        [0, 0]
        """
        names = np.empty(len(self._nodes), object)
        names[:] = self._nodes
        return names[self.numbers_for(keys)].tolist()  # type: ignore[no-any-return]

    def numbers_for(self, keys: Iterable[Key] | IDs) -> NDArray[np.int64]:
        """Return of each key the number of its node in ``nodes``, int64 (n,): for counting."""
        places = np.searchsorted(self._ids, key_ids(keys))
        places[places == len(self._ids)] = 0  # around the circle
        return self._owners[places].astype(np.int64)

    def preference(self, key: Key, n: int) -> tuple[Node, ...]:
        """Return the first ``n`` different nodes around the circle from ``key`` on, the owner first.

        The second takes over what the first owns when that leaves. Raises ValueError unless 1 ≤ n ≤ S.

        >>> ConsistentHashRing(["ada", "bob", "cleo"]).preference("harbour.example", 2)
        ('bob', 'ada')
        """
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= len(self._nodes):
            raise ValueError(f"n is {n!r}: give a number from 1 to {len(self._nodes)}, the nodes there are")
        found = dict[int, None]()
        place = self._place(key)
        while len(found) < n:
            found[int(self._owners[place])] = None
            place = (place + 1) % len(self._ids)
        return tuple(self._nodes[number] for number in found)

    def add(self, node: Node, weight: float = 1.0) -> None:
        """Let a node join. Raises ValueError, and changes nothing, if it is there or the weight is none."""
        self._enter(node, weight)
        self._arrange()

    def remove(self, node: Node) -> None:
        """Let a node leave. Raises ValueError, and changes nothing, if it is not there or the last one."""
        if node not in self._points:
            raise ValueError(f"{node!r} is no node of the ring: its nodes are {_listed(self._nodes)}")
        if len(self._points) == 1:
            raise ValueError(f"{node!r} is the last node: let another join first")
        del self._points[node]
        self._arrange()

    def copy(self) -> ConsistentHashRing:
        """Return a ring with the same points, which can change alone."""
        twin = ConsistentHashRing(self._nodes[:1], self.replicas, seed=self.seed)
        twin._points = dict(self._points)
        twin._arrange()
        return twin

    def joined_by(self, node: Node) -> ConsistentHashRing:
        """Return a ring with one node more, this one unchanged; raises as `add` does."""
        twin = self.copy()
        twin.add(node)
        return twin

    def without(self, node: Node) -> ConsistentHashRing:
        """Return a ring of the other nodes, this one unchanged; raises as `remove` does."""
        twin = self.copy()
        twin.remove(node)
        return twin

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, node: object) -> bool:
        return node in self._points

    def __repr__(self) -> str:
        return f"<ConsistentHashRing: {len(self._nodes)} nodes, {len(self._ids)} points>"

    def _enter(self, node: Node, weight: float) -> None:
        """Note the points of a node."""
        if isinstance(node, bool) or not isinstance(node, (str, int)):
            raise TypeError(f"a node is named by a str or a whole number, not {node!r:.60}")
        if node in self._points:
            raise ValueError(f"{node!r} is in the ring already: give each node a name of its own")
        if isinstance(weight, bool) or not isinstance(weight, _REAL) or not 0 < weight <= 1e6:
            raise ValueError(
                f"the weight of {node!r} is {weight!r:.60}: give a number above 0, at most 10**6"
            )
        if (n := max(1, round(self.replicas * float(weight)))) > MOST_POINTS:
            raise ValueError(f"{node!r} would have {n:,} points: give smaller replicas or weights")
        self._points[node] = points_of(node, n, self.seed)

    def _arrange(self) -> None:
        """Put the points of all nodes in their order on the circle."""
        self._nodes = tuple(sorted(self._points, key=lambda node: (isinstance(node, str), node)))
        points = [self._points[node] for node in self._nodes]
        ids = np.concatenate(points)
        owners = np.repeat(np.arange(len(points), dtype=np.int32), [len(some) for some in points])
        order = np.argsort(ids, kind="stable")  # of points with one ID the first node's comes first
        self._ids, self._owners = ids[order], owners[order]
        self._places: list[int] = self._ids.tolist()  # where `bisect_left` is quicker than in an array

    def _place(self, key: Key) -> int:
        """Return the number of the first point with ID ≥ the key's; after the last comes point 0."""
        return bisect_left(self._places, key_id(key)) % len(self._places)


def points_of(node: Node, n: int, seed: int) -> IDs:
    """Return the IDs of a node's ``n`` points: the stream of splitmix64 that its name and the seed start.

    More points are the same ones and others. A number and its digits as a str have different points.
    """
    named = key_id(node) if isinstance(node, str) else key_id(f"number {node}\0")
    return stream(mixed(named + mixed(seed) * GOLDEN), n)


def _checked_replicas(replicas: int) -> int:
    whole = not isinstance(replicas, bool) and hasattr(replicas, "__index__")
    if not whole or not 1 <= index(replicas) <= MOST_POINTS:
        raise ValueError(
            f"replicas is {replicas!r:.60}: give a whole number of at least 1, "
            f"at most {MOST_POINTS:,}, or None"
        )
    return index(replicas)


def _listed(nodes: Iterable[Node]) -> str:
    return f"{', '.join(map(repr, nodes)):.200}"
