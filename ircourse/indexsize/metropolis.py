"""Metropolis–Hastings, and walks on the links of a web (book, section 19.5).

P        chances of a chain's steps, float64 (n, n), rows sum to 1
w(x)     the chain's stationary chance of x, up to a factor, P reversible: w(x) P(x, y) = w(y) P(y, x)
accept   a step from x to y with chance min(1, w(x) / w(y)), else stay at x: then every state is as likely

On an undirected graph the plain walk has w(x) = links of x. The walk tends to w only if the graph is
connected and not periodic: on two pages that link to each other it alternates for ever, and
Metropolis–Hastings, which accepts every step there, does as well. A lazy walk, which stays every other time,
does not.

Source: Metropolis and others (1953); Hastings (1970); Bar-Yossef and Gurevich (2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.graphs import Graph, GraphLike, as_graph

__all__ = ["distances", "lazy", "link_chain", "metropolis_hastings", "mixing_time", "walk_matrix"]

Floats: TypeAlias = NDArray[np.float64]
State = TypeVar("State")


def metropolis_hastings(
    start: State, propose: Callable[[State], State], w: Callable[[State], float], rng: np.random.Generator
) -> Iterator[State]:
    """Yield the states of the corrected chain, ``start`` first, without end.

    propose  makes a step of the plain chain; w is its stationary chance, up to a factor

    >>> from itertools import islice
    >>> rng = np.random.default_rng(2)
    >>> star = {0: [1, 2, 3], 1: [0], 2: [0], 3: [0]}
    >>> chain = metropolis_hastings(0, lambda x: int(rng.choice(star[x])), lambda x: len(star[x]), rng)
    >>> list(islice(chain, 8))
    [0, 3, 3, 0, 1, 1, 0, 3]
    """
    x = start
    while True:
        yield x
        y = propose(x)
        if rng.random() * w(y) < w(x):
            x = y


def link_chain(graph: Graph, start: int, rng: np.random.Generator, *, uniform: bool = False) -> Iterator[int]:
    """Return the pages of a walk on the links, by label, ``start`` first, without end.

    A page without links leads back to ``start``. Raises ValueError where ``uniform`` is asked of a graph with
    a link that leads one way, and UnknownNode for a ``start`` that is no node.
    """
    degree = graph.out_degrees
    first = graph.number(start)
    if uniform:
        _check_both_ways(graph)
        if not degree[first]:
            raise ValueError(f"page {start!r:.60} has no links: a walk from it never leaves")

    def follow(page: int) -> int:
        if not degree[page]:
            return first
        return int(graph.indices[graph.indptr[page] + rng.integers(degree[page])])

    # The plain walk accepts every step.
    chain = metropolis_hastings(
        first, follow, (lambda x: float(degree[x])) if uniform else lambda _: 1.0, rng
    )
    return (graph.labels[page] for page in chain)


def walk_matrix(graph: GraphLike, *, uniform: bool = False) -> Floats:
    """Return P of the walk on the links, float64 (n, n); ``uniform``: of Metropolis–Hastings on it.

    Every page must have a link (ValueError). For small graphs: n² numbers.

    >>> walk_matrix({0: [1, 2], 1: [0], 2: [0]}, uniform=True).tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]
    """
    graph = as_graph(graph)
    degree = graph.out_degrees
    if not graph.n_nodes or not degree.all():
        raise ValueError("the graph has no pages, or one without links: give each page a link")
    P = np.zeros((graph.n_nodes, graph.n_nodes))
    source = np.repeat(np.arange(graph.n_nodes), degree)
    P[source, graph.indices] = 1 / degree[source]
    if uniform:
        _check_both_ways(graph)
        P *= np.minimum(1, degree[:, None] / degree[None, :])
        P[np.diag_indices(len(P))] += 1 - P.sum(axis=1)
    return P


def lazy(P: Floats) -> Floats:
    """Return the chances of the walk that stays every other time: (I + P) / 2, never periodic."""
    half: Floats = (np.eye(len(P)) + P) / 2
    return half


def distances(P: Floats, target: ArrayLike, start: int) -> Iterator[float]:
    """Yield ½ Σ |p_t − target| for t = 0, 1, …: how far the page after t steps is from the target.

    >>> from itertools import islice
    >>> list(islice(distances(walk_matrix({0: [1], 1: [0]}), [0.5, 0.5], 0), 3))  # the 2-cycle
    [0.5, 0.5, 0.5]
    """
    p, goal = np.zeros(len(P)), np.asarray(target, float)
    p[start] = 1
    while True:
        yield float(np.abs(p - goal).sum() / 2)
        p = p @ P


def mixing_time(P: Floats, target: ArrayLike, within: float = 0.01, max_steps: int = 1 << 20) -> int | None:
    """Return the steps after which the walk, wherever it began, is ``within`` of the target.

    The distance from the worst start never grows, so powers of P are squared and then searched. None: not in
    ``max_steps``, or never.

    >>> mixing_time(walk_matrix({0: [1], 1: [0]}), [0.5, 0.5]), mixing_time(np.full((2, 2), 0.5), [0.5, 0.5])
    (None, 1)
    """
    goal = np.asarray(target, float)

    def far(power: Floats) -> bool:
        return bool(np.abs(power - goal).sum(axis=1).max() / 2 > within)

    if not far(np.eye(len(P))):
        return 0
    powers = [P]
    while far(powers[-1]):
        if 1 << (len(powers) - 1) >= max_steps:
            return None
        powers.append(powers[-1] @ powers[-1])
    steps, reached = 0, np.eye(len(P))
    for k, power in zip(count(len(powers) - 1, -1), reversed(powers), strict=False):
        if far(reached @ power):
            steps, reached = steps + (1 << k), reached @ power
    return steps + 1 if steps < max_steps else None


def _check_both_ways(graph: Graph) -> None:
    links = set(graph.edges())
    if any((v, u) not in links for u, v in links):
        raise ValueError("a link leads one way only: Metropolis–Hastings needs links that lead both ways")
