"""HITS: hubs and authorities (book, section 21.3; slides, hypertext induced topic search).

A  n × n, A[u, v] = weight of the link u → v, 1 where links have none
h  hub scores, float64 (n,)             h(u) = Σ a(v) over the pages v that u links to:   h = A a
a  authority scores, float64 (n,)       a(v) = Σ h(u) over the pages u that link to v:    a = Aᵗ h

A good hub links to good authorities, a good authority is linked to by good hubs. Put together, a = AᵗA a and
h = AAᵗ h up to a factor: principal eigenvectors of symmetric matrices; AᵗA counts by how many pages two pages
are both linked to (co-citation). The scores depend on the query through the graph: see ``hits_base.py``.

Ties: where the largest eigenvalue λ has several eigenvectors, as with two equal components, there are many
answers. Power iteration from h = 1 ends at one of them: the projection of a = Aᵗ1 on the eigenspace of λ.
Both functions give that one. Components with smaller eigenvalues score 0, however close to λ theirs are.

Differs from the book: scores sum to 1 where the book scales otherwise, h starts at 1, and a is taken first.
Source: Kleinberg (1999).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import Graph, GraphLike, Label, as_graph
from ircourse.links.hits_leading import Links, leading
from ircourse.links.pagerank import best_first
from ircourse.links.pagerank_chain import checked_steps, checked_tol
from ircourse.types import NotConverged

__all__ = ["Hits", "HitsStep", "hits", "hits_steps"]

Floats = NDArray[np.float64]

MOST_STEPS = 2_000  # unless more are asked for


@dataclass(frozen=True, eq=False)
class Hits:
    """The scores: ``labels`` in the graph's order, ``hubs`` and ``authorities`` float64 (n,), each sum 1.

    residuals  bounds of the authorities' L1 error as it went on, float64 (bounds,); at first one a product
    """

    labels: Sequence[Label]
    hubs: Floats
    authorities: Floats
    residuals: Floats

    def hub_ranking(self) -> list[tuple[Label, float]]:
        """Return the pages with their hub scores, the highest first; ties, to 10 digits, in order."""
        return _ranking(self.labels, self.hubs)

    def authority_ranking(self) -> list[tuple[Label, float]]:
        """Return the pages with their authority scores, the highest first; ties, to 10 digits, in order."""
        return _ranking(self.labels, self.authorities)


@dataclass(frozen=True, eq=False)
class HitsStep:
    """A state of the power iteration: a = Aᵗh and h = A a after ``step`` steps, each brought to sum 1.

    residual  how much the last step changed both, ‖Δh‖₁ + ‖Δa‖₁
    """

    step: int
    hubs: Floats
    authorities: Floats
    residual: float


def hits_steps(graph: GraphLike, *, tol: float = 1e-10, max_steps: int | None = None) -> Iterator[HitsStep]:
    """Yield the states of the power iteration, as step 0 the start: both vectors uniform.

    Ends when a step changes both together by no more than ``tol``, which at a small gap between the largest
    eigenvalues is far from the end; raises NotConverged after ``max_steps``, by default 2,000. Other errors
    as for ``hits``. O(n + m) a step.

    >>> for state in hits_steps({"h": ["a", "b"], "i": ["b"]}, tol=0.1):
    ...     print(state.step, state.hubs.round(3), state.authorities.round(3), round(state.residual, 3))
    0 [0.25 0.25 0.25 0.25] [0.25 0.25 0.25 0.25] inf
    1 [0.6 0.4 0.  0. ] [0.    0.    0.333 0.667] 2.0
    2 [0.615 0.385 0.    0.   ] [0.    0.    0.375 0.625] 0.114
    3 [0.618 0.382 0.    0.   ] [0.    0.    0.381 0.619] 0.016
    """
    return power_iteration(_checked(graph), checked_tol(tol), checked_steps(max_steps, MOST_STEPS))


def power_iteration(graph: Graph, tol: float, limit: int) -> Iterator[HitsStep]:
    """Yield the states of the power iteration on a graph that has been checked: see ``hits_steps``."""
    A, n = Links(graph).to_scipy(), graph.n_nodes
    h = a = np.full(n, 1 / n)
    state = HitsStep(0, _fixed(h), _fixed(a), float("inf"))
    yield state
    for step in range(1, limit + 1):
        a = h @ A
        a = a / a.sum()
        h = A @ a
        h = h / h.sum()
        residual = float(np.abs(h - state.hubs).sum() + np.abs(a - state.authorities).sum())
        state = HitsStep(step, _fixed(h), _fixed(a), residual)
        yield state
        if residual <= tol:
            return
    raise NotConverged(state.residual, limit)


def hits(graph: GraphLike, *, tol: float = 1e-10, max_steps: int | None = None) -> Hits:
    """Return hub and authority scores, within ``tol`` of the end of the power iteration in L1 distance.

    max_steps  products by AᵗA; None: 2,000

    Self-loops count like other links. Raises ValueError for a graph without links, or with none of positive
    weight, and NotConverged: two largest eigenvalues may be too close to tell apart. The same on every
    machine, to rounding. Found by Lanczos iteration: see ``hits_leading.py``.

    >>> scores = hits({"h": ["a", "b"], "i": ["b"]})
    >>> scores.hubs.round(3).tolist(), scores.authorities.round(3).tolist()
    ([0.618, 0.382, 0.0, 0.0], [0.0, 0.0, 0.382, 0.618])
    """
    graph, tol, limit = _checked(graph), checked_tol(tol), checked_steps(max_steps, MOST_STEPS)
    A = Links(graph)
    a, bounds = leading(A, tol, limit)
    h = A.hubs(a)
    return Hits(graph.labels, _fixed(h / h.sum()), _fixed(a), _fixed(bounds))


def _checked(graph: GraphLike) -> Graph:
    graph = as_graph(graph)
    if graph.n_edges == 0 or (graph.weights is not None and not graph.weights.any()):
        what = "links" if graph.n_edges == 0 else "links of positive weight"
        raise ValueError(f"the graph has no {what}: without any there are no hubs and authorities")
    return graph


def _ranking(labels: Sequence[Label], scores: Floats) -> list[tuple[Label, float]]:
    values = scores.tolist()
    return [(labels[i], values[i]) for i in best_first(scores)]


def _fixed(array: Floats) -> Floats:
    array.setflags(write=False)
    return array
