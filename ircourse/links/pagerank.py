"""PageRank: a page's score is how often a random surfer is there (book, section 21.2; slides, link analysis).

n  number of pages          d, t, P, P_G  the surfer's chain: see ``pagerank_chain.py``
x  scores, float64 (n,), of at least 0, sum 1

One vector, three readings (claim C67):
- graph:   x(v) = d Σ x(u) / out(u) over the pages u that link to v, + (1 − d) t(v); dangling pages link as t
- matrix:  x is the left eigenvector of P_G for the eigenvalue 1; and x ~ z with (I − d Pᵗ) z = t, scaled
- chain:   x(v) is the share of its steps that a surfer on P_G spends at v in the long run

``pagerank_steps`` is the power iteration x ← x P_G, whose L1 error shrinks by d a step at least;
``pagerank_linear`` solves the system; ``pagerank`` does that by sweeps that use each page's new score at
once, several times faster on a large web (``pagerank_sweeps.py``). All three agree within their tolerance.

Source: Brin and Page (1998); Langville and Meyer, Google's PageRank and Beyond, chapters 4 and 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ircourse.graphs import Graph, GraphLike, Label, as_graph
from ircourse.links.pagerank_chain import (
    EPS,
    MOST_STEPS,
    Floats,
    Teleport,
    checked,
    checked_steps,
    probabilities,
    teleport_vector,
)
from ircourse.links.pagerank_sweeps import solve_by_sweeps
from ircourse.types import NotConverged

__all__ = ["PageRank", "PageRankStep", "pagerank", "pagerank_linear", "pagerank_steps", "partial_pagerank"]

_DIRECT = 3_000  # pages: up to here the linear system is solved by elimination


@dataclass(frozen=True, eq=False)
class PageRank:
    """The scores: ``labels`` in the graph's order, ``scores`` float64 (n,), sum 1.

    residuals  after each sweep, a bound of the L1 distance to the true vector, float64 (sweeps,)
    """

    labels: Sequence[Label]
    scores: Floats
    residuals: Floats

    def ranking(self) -> list[tuple[Label, float]]:
        """Return the pages with their scores, the highest first; ties, to 10 digits, in the graph's order."""
        scores = self.scores.tolist()
        return [(self.labels[i], scores[i]) for i in best_first(self.scores)]

    def as_dict(self) -> dict[Label, float]:
        """Return the score of each page by its label, in the graph's order."""
        return dict(zip(self.labels, self.scores.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class PageRankStep:
    """A state of the power iteration: after ``step`` steps, ``scores`` x, and ``residual`` ‖x P_G − x‖₁."""

    step: int
    scores: Floats
    residual: float


def pagerank_steps(
    graph: GraphLike,
    *,
    damping: float = 0.85,
    teleport: Teleport = None,
    tol: float = 1e-10,
    max_steps: int | None = None,
    start: Teleport = None,
) -> Iterator[PageRankStep]:
    """Yield the states of the power iteration x ← x P_G, the start as step 0.

    start  the first x, given as ``teleport`` is; None: uniform

    Ends at the first x with ‖x P_G − x‖₁ / (1 − d) ≤ tol, which bounds its L1 distance to the true vector,
    rounding aside; raises NotConverged after ``max_steps``. Other arguments and errors as for ``pagerank``.
    O(n + m) a step.

    >>> for state in pagerank_steps([(0, 1), (2, 1), (1, 0), (1, 2)], damping=0.5, tol=0.1):
    ...     print(state.step, state.scores.round(4), round(state.residual, 4))
    0 [0.3333 0.3333 0.3333] 0.3333
    1 [0.25 0.5  0.25] 0.1667
    2 [0.2917 0.4167 0.2917] 0.0833
    3 [0.2708 0.4583 0.2708] 0.0417
    """
    graph, d, t = checked(graph, damping, teleport, tol)
    limit = _limit(d, tol, max_steps)
    return power_iteration(graph, d, t, tol, limit, teleport_vector(graph, start))


def power_iteration(
    graph: Graph, d: float, t: Floats, tol: float, limit: int, x: Floats
) -> Iterator[PageRankStep]:
    """Yield the states from x on: ``pagerank_steps`` with its arguments checked."""
    P = graph.to_scipy()
    P.data, dangling = probabilities(graph)
    for step in range(limit + 1):
        following = d * (x @ P + x[dangling].sum() * t) + (1 - d) * t
        residual = float(np.abs(following - x).sum())
        yield PageRankStep(step, _fixed(x), residual)
        if residual <= tol * (1 - d):
            return
        x = following / following.sum()
    raise NotConverged(residual / (1 - d), limit)


def pagerank(
    graph: GraphLike,
    *,
    damping: float = 0.85,
    teleport: Teleport = None,
    tol: float = 1e-10,
    max_steps: int | None = None,
) -> PageRank:
    """Return the PageRank of each page, within ``tol`` of the true vector in L1 distance.

    damping    d, the chance of following a link, from 0 to just below 1
    teleport   where the surfer goes otherwise: None for anywhere, a mapping from label to weight, or an array
               of one weight a page; brought to sum 1. Dangling pages lead there too
    max_steps  sweeps; None: more than d can ask for, at most 100,000

    Self-loops are links; link weights share out a page's score. The same on every machine and for any number
    of threads, to rounding. Raises ValueError for a graph without pages and for wrong numbers,
    ``UnknownNode`` for an unknown label, NotConverged after ``max_steps``, and sooner where d is too near 1
    for ``tol``: rounding alone does 2e-16 / (1 − d), or hundreds of sweeps bring the bound no lower.
    O(n + m) a sweep, 4 m + 130 n bytes, with weights 8 m more.

    >>> pagerank({"a": ["b"], "b": ["a", "c"], "c": ["b"]}, damping=0.5).scores.round(4).tolist()
    [0.2778, 0.4444, 0.2778]
    >>> [label for label, _ in pagerank([("a", "b"), ("c", "b")], teleport={"c": 1}).ranking()]
    ['c', 'b', 'a']
    """
    graph, d, t = checked(graph, damping, teleport, tol)
    scores, residuals = solve_by_sweeps(graph, d, t, tol, _limit(d, tol, max_steps))
    return PageRank(graph.labels, _fixed(scores), _fixed(residuals))


def pagerank_linear(
    graph: GraphLike, *, damping: float = 0.85, teleport: Teleport = None, tol: float = 1e-10
) -> PageRank:
    """Return the same by solving (I − d Pᵗ) z = t with SciPy: elimination, over 3,000 pages GMRES.

    Arguments and errors as for ``pagerank``; ``residuals`` has the one bound at the end. Elimination reaches
    a tolerance of about 1e-15 / (1 − d), so the default one to a damping of 1 − 1e-5.

    >>> pagerank_linear([(0, 1), (2, 1), (1, 0), (1, 2)], damping=0.5).scores.round(4).tolist()
    [0.2778, 0.4444, 0.2778]
    """
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import gmres, splu

    graph, d, t = checked(graph, damping, teleport, tol)
    P = graph.to_scipy()
    P.data, dangling = probabilities(graph)
    system = csc_array(eye_array(graph.n_nodes) - d * P.T)
    if graph.n_nodes <= _DIRECT:
        try:
            solve = splu(system).solve
        except RuntimeError:  # singular, to rounding
            raise _NotSolved(math.inf, 1) from None
        z = solve(t)
        z += solve(t - system @ z)  # iterative refinement: what rounding left
    else:
        # ‖r‖₁ ≤ √n ‖r‖₂, and r moves the solution by ‖r‖₁ / (1 − d) at most, the scaled one by twice that
        z, _ = gmres(system, t, rtol=0, atol=0.2 * tol * (1 - d) / math.sqrt(graph.n_nodes), maxiter=1_000)
    x = z / z.sum()
    wrong = np.abs(d * (x @ P + x[dangling].sum() * t) + (1 - d) * t - x).sum()
    bound = float((wrong + EPS) / (1 - d))
    if not bound <= tol:
        raise _NotSolved(bound, 1)
    return PageRank(graph.labels, _fixed(x), _fixed(np.array([bound])))


def partial_pagerank(
    graph: GraphLike,
    crawled: Iterable[Label],
    *,
    damping: float = 0.85,
    teleport: Teleport = None,
    tol: float = 1e-10,
) -> PageRank:
    """Return the PageRank that a crawler can know: of the pages ``crawled`` and those that they link to.

    A page that is known but not crawled is dangling: its links have not been seen. Labels are the pages
    crawled, in that order, then the others as they were found; the teleport vector is over these.

    >>> web = {"a": ["b", "c"], "b": ["c"], "c": ["a"], "d": ["a"]}
    >>> [(page, round(score, 3)) for page, score in partial_pagerank(web, ["a", "b"]).ranking()]
    [('c', 0.521), ('b', 0.282), ('a', 0.198)]
    """
    graph = as_graph(graph)
    order = list(dict.fromkeys(crawled))
    rows = [slice(*graph.indptr[graph.number(u) :][:2].tolist()) for u in order]
    edges = [
        (u, graph.labels[v]) for u, row in zip(order, rows, strict=True) for v in graph.indices[row].tolist()
    ]
    weights = None if graph.weights is None else [w for row in rows for w in graph.weights[row].tolist()]
    known = Graph.from_edges(edges, nodes=order, weights=weights)
    return pagerank(known, damping=damping, teleport=teleport, tol=tol)


def best_first(scores: Floats) -> list[int]:
    """Return the numbers of the pages, the highest score first; ties, to 10 digits, in rising order.

    >>> best_first(np.array([0.25, 0.1 + 0.2, 0.3, 0.15]))
    [1, 2, 0, 3]
    """
    rounded = np.round(scores / scores.max(initial=1e-300), 10)
    order: list[int] = np.argsort(-rounded, kind="stable").tolist()
    return order


class _NotSolved(NotConverged):
    """There are no steps to allow more of."""

    def __str__(self) -> str:
        return (
            f"the linear system is solved to {self.residual:.4g} only: "
            "give a larger tolerance, or a damping further from 1"
        )


def _limit(d: float, tol: float, max_steps: int | None) -> int:
    """Return the most steps: twice what the error, below 2 and shrinking by d, needs for the bound."""
    error = min(tol * (1 - d) / 4, 0.5)
    enough = 20 + (2 * math.ceil(math.log(error) / math.log(d)) if d > 0 else 0)
    return checked_steps(max_steps, min(enough, MOST_STEPS))


def _fixed(array: Floats) -> Floats:
    array.setflags(write=False)
    return array
