"""The random surfer's chain: what every way to PageRank is given (book, section 21.2).

d      damping: the chance of following a link; the surfer teleports with chance 1 − d
t      where to: teleport vector, float64 (n,), entries of at least 0 that sum to 1
w(u)   total weight of the links of page u, its out-degree where they have no weights
P      P[u, v] = weight of u → v / w(u); rows of dangling pages, which link nowhere, are 0
P_G    d (P + dangling tᵗ) + (1 − d) 1 tᵗ: from a dangling page the surfer always teleports

"1" is a column of ones, "dangling" has a 1 at each dangling page. A link of weight 0 is none.

Differs from the book: its α is 1 − d. In the slides α is d.
Source: book, section 21.2; Brin and Page (1998).
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.graphs import Graph, GraphLike, Label, as_graph

__all__ = [
    "Teleport",
    "checked",
    "checked_damping",
    "checked_steps",
    "checked_tol",
    "probabilities",
    "teleport_vector",
    "transition_matrix",
]

Floats: TypeAlias = NDArray[np.float64]
Teleport: TypeAlias = Mapping[Label, float] | ArrayLike | None

EPS = 2.0**-52  # what rounding does to a sum of 1; the chain multiplies it by 1 / (1 − d)
MOST_STEPS = 100_000  # unless more are asked for: beyond it rounding, or patience, ends first
_MOST_DENSE = 5_000  # pages of a dense matrix: 200 MB


def transition_matrix(graph: GraphLike, damping: float = 0.85, teleport: Teleport = None) -> Floats:
    """Return P_G, float64 (n, n): entry (u, v) is the chance that the surfer goes from u to v next.

    damping   from 0 to 1; at 1 the surfer teleports from dangling pages alone
    teleport  as for ``pagerank``

    Every row sums to 1. For looking at: a graph of over 5,000 pages is refused.

    >>> transition_matrix([(0, 1), (1, 0), (1, 2)], damping=0.85).round(3).tolist()
    [[0.05, 0.9, 0.05], [0.475, 0.05, 0.475], [0.333, 0.333, 0.333]]
    """
    graph = as_graph(graph)
    if graph.n_nodes > _MOST_DENSE:
        raise ValueError(
            f"{graph.n_nodes} pages are too many for a dense matrix: at most {_MOST_DENSE}; "
            "pagerank works without it"
        )
    d = checked_damping(damping, least_teleporting=False)
    t = teleport_vector(graph, teleport)
    share, dangling = probabilities(graph)
    P = np.zeros((graph.n_nodes, graph.n_nodes))
    P[np.repeat(np.arange(graph.n_nodes), graph.out_degrees), graph.indices] = share
    P[dangling] = t
    G: Floats = d * P + (1 - d) * t
    return G


def checked(graph: GraphLike, damping: float, teleport: Teleport, tol: float) -> tuple[Graph, float, Floats]:
    """Return the graph, d and t; ValueError for a graph without pages and for wrong numbers."""
    graph = as_graph(graph)
    checked_tol(tol)
    return graph, checked_damping(damping), teleport_vector(graph, teleport)


def checked_tol(tol: object) -> float:
    """Return tol as a float; ValueError for what is no positive number."""
    if isinstance(tol, Real) and 0 < float(tol) < float("inf"):
        return float(tol)
    raise ValueError(f"tol is {tol!r}: give a number above 0, the L1 distance that is good enough")


def checked_damping(damping: object, *, least_teleporting: bool = True) -> float:
    """Return d as a float; ValueError for what is not from 0 to 1, and by default for 1 itself."""
    if isinstance(damping, Real) and 0 <= float(damping) <= 1 - least_teleporting * 2**-53:
        return float(damping)
    below = ", but below 1: without teleporting there may be no unique PageRank" if least_teleporting else ""
    raise ValueError(f"damping is {damping!r}: give the chance of following a link, from 0 to 1{below}")


def checked_steps(max_steps: object, default: int) -> int:
    """Return max_steps, ``default`` for None; ValueError for what is no whole number of at least 1."""
    if max_steps is None:
        return default
    number = isinstance(max_steps, Real) and not isinstance(max_steps, bool)
    if number and 1 <= float(max_steps) < float("inf") and max_steps == int(max_steps):  # type: ignore[arg-type, call-overload]
        return int(max_steps)  # type: ignore[call-overload, no-any-return]
    raise ValueError(f"max_steps is {max_steps!r:.60}: give a whole number of at least 1, or None")


def teleport_vector(graph: Graph, teleport: Teleport = None) -> Floats:
    """Return t, float64 (n,): uniform for None, otherwise in proportion to what is given.

    teleport  a mapping from label to weight, 0 for pages that it does not name, or one weight a page

    Raises ValueError for a graph without pages, a weight that is negative or not finite, weights that are all
    0 or too few; ``UnknownNode``, a KeyError, for a label that is no page's.
    """
    n = graph.n_nodes
    if n == 0:
        raise ValueError("the graph has no pages: give at least one")
    if teleport is None:
        return np.full(n, 1 / n)
    if isinstance(teleport, Mapping):
        given = np.zeros(n)
        numbers = [graph.number(label) for label in teleport]
        weights = _numbers(list(teleport.values()))
        if weights.shape != (len(numbers),):
            raise ValueError(f"teleport is {teleport!r:.80}: give one number for each page that it names")
        given[numbers] = weights
    else:
        given = _numbers(teleport)
        if given.shape != (n,):
            raise ValueError(f"teleport has the shape {given.shape}: give one weight for each of {n} pages")
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if len(wrong):
        page, weight = graph.labels[wrong[0]], given[wrong[0]]
        raise ValueError(f"the teleport weight of {page!r:.60} is {weight}: give a number of at least 0")
    if not given.any():
        raise ValueError("all teleport weights are 0: give the pages to start from a positive one")
    given = given / given.max()  # no overflow in the sum
    t: Floats = given / given.sum()
    return t


def probabilities(graph: Graph) -> tuple[Floats, NDArray[np.intp]]:
    """Return P's entries in the order of ``graph.indices``, float64 (m,), and the dangling pages' numbers.

    >>> probabilities(Graph.from_edges([(0, 1), (0, 2), (2, 0)], weights=[3, 1, 0]))
    (array([0.75, 0.25, 0.  ]), array([1, 2]))
    """
    degrees = graph.out_degrees
    if graph.weights is None or graph.n_edges == 0:
        return np.repeat(1 / np.maximum(degrees, 1), degrees), np.flatnonzero(degrees == 0)
    rows = np.flatnonzero(degrees)
    starts = graph.indptr[rows]
    largest = np.maximum.reduceat(graph.weights, starts)
    scaled = graph.weights / np.repeat(np.where(largest > 0, largest, 1), degrees[rows])  # no overflow
    total = np.add.reduceat(scaled, starts)
    share = scaled / np.repeat(np.where(total > 0, total, 1), degrees[rows])
    linking = np.zeros(graph.n_nodes, bool)
    linking[rows] = largest > 0
    return share, np.flatnonzero(~linking)


def _numbers(values: Any) -> Floats:
    """Return an array of real numbers; ValueError for strings, dates, complex and masked ones, None."""
    try:
        array = np.asarray(values)
        real = array.dtype.kind in "biuf" or (
            array.dtype.kind == "O" and all(isinstance(value, Real) for value in array.flat)
        )
        if real and not np.ma.isMaskedArray(values):
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"teleport weights are numbers, not {values!r:.80}")
