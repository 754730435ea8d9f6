"""The random surfer, walking (book, section 21.2.1; slides, link analysis).

At a page with links the surfer follows one of them with chance d and otherwise teleports; from a dangling
page the surfer always teleports. PageRank is the share of the steps spent at each page in the long run, so a
walk estimates it: the error of a share of k independent visits would be 1/√k of it, and that of a walk is
somewhat more, since one step depends on the last.

Source: book, section 21.2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import GraphLike, Label, as_graph
from ircourse.kernels import kernel
from ircourse.links.pagerank_chain import Floats, Teleport, checked_damping, probabilities, teleport_vector

__all__ = ["Walk", "random_surfer"]

_PLAIN = 20_000  # steps: below this the walk is done before numba is loaded


@dataclass(frozen=True, eq=False)
class Walk:
    """Where the surfer was: ``labels`` in the graph's order.

    path        numbers of the pages in the order of the visits, int32 (steps,)
    teleported  whether the surfer came there by teleporting, bool (steps,); the first time too
    """

    labels: Sequence[Label]
    path: NDArray[np.int32]
    teleported: NDArray[np.bool_]

    def visits(self, steps: int | None = None) -> NDArray[np.int64]:
        """Return how often each page was visited in the first ``steps`` steps, int64 (n,); None: in all."""
        counts: NDArray[np.int64] = np.bincount(self.path[:steps], minlength=len(self.labels))
        return counts.astype(np.int64)

    def shares(self, steps: int | None = None) -> Floats:
        """Return the share of the first ``steps`` steps spent at each page, float64 (n,), sum 1."""
        counts = self.visits(steps)
        if not counts.any():
            raise ValueError(f"of {steps} steps there are no shares: give at least 1")
        shares: Floats = counts / counts.sum()
        return shares


def random_surfer(
    graph: GraphLike,
    steps: int,
    rng: np.random.Generator | int = 0,
    *,
    damping: float = 0.85,
    teleport: Teleport = None,
) -> Walk:
    """Return a walk of ``steps`` visits, the first one to a page drawn from the teleport vector.

    damping  from 0 to 1; other arguments as for ``pagerank``

    Raises ValueError for fewer than 1 step, and as ``pagerank`` does. 20 bytes a step.

    >>> walk = random_surfer({"a": ["b"], "b": ["a", "c"], "c": ["b"]}, 10_000, rng=1, damping=0.5)
    >>> [walk.labels[page] for page in walk.path[:5]], walk.shares().round(2).tolist()
    (['c', 'b', 'a', 'b', 'a'], [0.28, 0.44, 0.28])
    """
    graph = as_graph(graph)
    d, t = checked_damping(damping, least_teleporting=False), teleport_vector(graph, teleport)
    if index(steps) < 1:
        raise ValueError(f"steps is {steps}: give at least 1")
    share, dangling = probabilities(graph)
    follows = np.full(graph.n_nodes, d)
    follows[dangling] = 0
    draws = np.random.default_rng(rng).random((steps, 2))
    path, teleported = np.empty(steps, np.int32), np.empty(steps, np.bool_)
    run = walk.plain if steps < _PLAIN else walk
    run(graph.indptr, graph.indices, share, follows, _running(t), draws, path, teleported)
    for array in (path, teleported):
        array.setflags(write=False)
    return Walk(graph.labels, path, teleported)


def _running(t: Floats) -> Floats:
    """Return the running sums of t, with 1 from the last page on that has a chance."""
    sums: Floats = np.cumsum(t)
    sums[np.flatnonzero(t)[-1] :] = 1
    return sums


@kernel(
    "void(const int64[::1], const int32[::1], const float64[::1], const float64[::1], const float64[::1], "
    "const float64[:, ::1], int32[::1], bool_[::1])"
)
def walk(  # type: ignore[no-untyped-def]
    indptr, indices, share, follows, sums, draws, path, teleported
):
    """Fill in a walk: draws[i, 0] decides whether to follow a link to the i-th page, draws[i, 1] which."""
    u = 0
    for i in range(len(path)):
        teleported[i] = i == 0 or draws[i, 0] >= follows[u]
        if teleported[i]:
            u = np.searchsorted(sums, draws[i, 1], side="right")
        else:
            e, rest = indptr[u], draws[i, 1]
            last = indptr[u + 1] - 1
            while e < last and (rest >= share[e] or share[e] == 0):
                rest -= share[e]
                e += 1
            while share[e] == 0:  # rounding led past the last link with a chance
                e -= 1
            u = indices[e]
        path[i] = u
