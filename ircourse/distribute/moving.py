"""What moves when a node joins or leaves, and how evenly the load lies (claims C57 and C58).

before, after  the node of each item, in the same order of items
load           how much a node has to do: items, pages, or its share of the circle
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ircourse.distribute.ring import ConsistentHashRing

__all__ = ["Moves", "PeakLoad", "imbalance", "moves", "peak_load"]


class Moves(NamedTuple):
    """How many of ``items`` items changed their node, and how many went from which node to which."""

    moved: int
    items: int
    flows: Mapping[tuple[Any, Any], int]

    @property
    def share(self) -> float:
        """The share of the items that moved; 0 where there are none."""
        return self.moved / self.items if self.items else 0.0


class PeakLoad(NamedTuple):
    """The largest load over the average: the mean of ``rings`` rings, and the standard error of that mean."""

    mean: float
    error: float
    rings: int


def moves(before: Sequence[Any], after: Sequence[Any]) -> Moves:
    """Return what moved between two assignments of the same items.

    Raises ValueError where they are not equally long.

    >>> from ircourse.distribute import ConsistentHashRing
    >>> ring, keys = ConsistentHashRing([0, 1, 2], replicas=50), range(1000)
    >>> before = ring.nodes_for(keys)
    >>> ring.add(3)
    >>> moved = moves(before, ring.nodes_for(keys))
    >>> moved.share, sorted(moved.flows)
    (0.258, [(0, 3), (1, 3), (2, 3)])
    """
    if len(before) != len(after):
        raise ValueError(f"{len(before)} items before and {len(after)} after: give the same items both times")
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    return Moves(len(changed), len(before), dict(Counter(changed)))


def imbalance(loads: Iterable[float]) -> float:
    """Return the largest load over the average, 1 where all are equal (all 0 too).

    Raises ValueError where there is no load.

    >>> imbalance([30, 10, 20])
    1.5
    """
    every = list(loads)
    if not every:
        raise ValueError("there is no load: give that of each node, of idle ones too")
    total = sum(every)
    return max(every) * len(every) / total if total else 1.0


def peak_load(servers: int, replicas: int, rings: int = 100, seed: int = 0) -> PeakLoad:
    """Return the largest share of the circle over the average, measured on ``rings`` rings of their own.

    The load is the length of a server's arcs: what it gets of infinitely many items. With one point each the
    expectation is H_S = 1 + 1/2 + … + 1/S.

    >>> peak = peak_load(100, 1, rings=400)
    >>> f"{peak.mean:.2f} ± {peak.error:.2f}", round(sum(1 / i for i in range(1, 101)), 2)
    ('5.13 ± 0.06', 5.19)
    """
    if rings < 2:
        raise ValueError(f"rings is {rings!r}: give at least 2, to have an error")
    peaks = [
        imbalance(ConsistentHashRing(range(servers), replicas, seed=seed + i).shares.values())
        for i in range(rings)
    ]
    return PeakLoad(float(np.mean(peaks)), float(np.std(peaks, ddof=1)) / sqrt(rings), rings)
