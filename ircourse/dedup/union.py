"""Union–find: clusters from pairs (book, section 19.6).

parent   of each item; a root is its own parent
Each set is a tree and is named by its root. ``find`` climbs to the root and hangs what it passes one step
higher (path halving); ``union`` hangs the smaller tree below the larger. Then m operations on n items take
close to O(m) steps, and no tree is deeper than log2 n.

The sets are the connected components of the graph of the pairs, that is, single-link clusters: a chain
A~B~C holds A and C together that may be quite unlike (claim C29).
Source: Tarjan and van Leeuwen (1984).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel

__all__ = ["UnionFind", "roots_of"]

Longs: TypeAlias = NDArray[np.int64]


class UnionFind:
    """The items 0 … n − 1, each in a set of its own until ``union`` joins them.

    Raises ValueError if n is below 0; its methods raise IndexError for what is no item.

    >>> sets = UnionFind(5)
    >>> sets.union(0, 1), sets.union(1, 2), sets.union(0, 2)
    (True, True, False)
    >>> sets.clusters()
    ((0, 1, 2),)
    """

    def __init__(self, n: int) -> None:
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise ValueError(f"n is {n!r}: give a number of items of at least 0")
        self.parent = list(range(n))
        self.size = [1] * n

    def find(self, item: int) -> int:
        """Return the root of the item's set: two items are together if their roots are the same."""
        if not 0 <= item < len(self.parent):
            raise IndexError(f"{item} is no item: they are numbered 0 to {len(self.parent) - 1}")
        parent = self.parent
        while parent[item] != item:
            parent[item] = item = parent[parent[item]]
        return item

    def union(self, a: int, b: int) -> bool:
        """Join the sets of two items; return whether they were two sets before."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return True

    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """Return the sets of two or more items, each in rising order, the sets by their first items."""
        sets: dict[int, list[int]] = {}
        for item in range(len(self.parent)):
            sets.setdefault(self.find(item), []).append(item)
        return tuple(tuple(items) for items in sets.values() if len(items) > 1)


def roots_of(n: int, i: Longs, j: Longs) -> Longs:
    """Return for each of n items the least item of its set, after all unions of ``i[x]`` and ``j[x]``; int64.

    >>> roots_of(5, np.array([1, 2]), np.array([2, 4])).tolist()
    [0, 1, 1, 3, 1]
    """
    parent = np.arange(n, dtype=np.int64)
    _join(parent, np.ascontiguousarray(i, np.int64), np.ascontiguousarray(j, np.int64))
    return parent


@kernel("void(int64[::1], const int64[::1], const int64[::1])")
def _join(parent: Longs, i: Longs, j: Longs) -> None:
    """Fill ``parent`` with roots. The smaller number is the root, so all hang on smaller ones."""
    for x in range(len(i)):
        a, b = i[x], j[x]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        parent[max(a, b)] = min(a, b)
    for a in range(len(parent)):
        parent[a] = parent[parent[a]]
