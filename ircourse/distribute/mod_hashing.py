"""Hash mod D: the assignment that a new or lost node upsets (slides-P, "Two problems").

D     number of downloaders
node  hash(key) mod D, one of 0 … D − 1

With D nodes a key stays in place when one joins only where hash mod D = hash mod (D + 1). Of the D (D + 1)
pairs of remainders, all equally frequent, that holds for D: D/(D + 1) of the keys move (claim C57).

Source: slides-P, "Two problems"; `ring` has the remedy.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

import numpy as np
from numpy.typing import NDArray

from ircourse.distribute.hashing import IDs, Key, key_id, key_ids

__all__ = ["ModHashing", "mod_moved", "mod_node"]


def mod_node(key: Key, d: int) -> int:
    """Return the number of the node that ``key`` goes to among ``d``: its ID mod d.

    Raises ValueError for a d below 1, TypeError for a key that is neither str nor int.

    >>> [mod_node("harbour.example", d) for d in (4, 5)]
    [2, 1]
    """
    return key_id(key) % _at_least_one(d)


def mod_moved(before: int, after: int) -> float:
    """Return the share of keys that change their node when D goes from ``before`` to ``after``.

    1 − gcd / max: the remainders repeat after lcm hashes, and agree for as many as the smaller of the two.

    >>> mod_moved(4, 5), mod_moved(5, 4), mod_moved(5, 10)
    (0.8, 0.8, 0.5)
    """
    return 1 - gcd(_at_least_one(before), _at_least_one(after)) / max(before, after)


class ModHashing:
    """The assignment hash mod D, with the methods of a `ConsistentHashRing` that need no circle.

    nodes  0 … D − 1

    >>> four = ModHashing(4)
    >>> four.nodes, four.node_for("harbour.example")
    ((0, 1, 2, 3), 2)
    >>> four.nodes_for(["harbour.example", "museum.example"])
    [2, 1]
    """

    def __init__(self, d: int) -> None:
        self.nodes = tuple(range(_at_least_one(d)))

    def node_for(self, key: Key) -> int:
        """Return the node of a key, as `mod_node` does."""
        return mod_node(key, len(self.nodes))

    def nodes_for(self, keys: Iterable[Key] | IDs) -> list[int]:
        """Return the node of each key."""
        return self.numbers_for(keys).tolist()  # type: ignore[no-any-return]

    def numbers_for(self, keys: Iterable[Key] | IDs) -> NDArray[np.int64]:
        """Return the node of each key, int64 (n,)."""
        return (key_ids(keys) % np.uint64(len(self.nodes))).astype(np.int64)


def _at_least_one(d: int) -> int:
    if isinstance(d, bool) or not isinstance(d, int) or d < 1:
        raise ValueError(f"there are {d!r} nodes: give a whole number of at least 1")
    return d
