"""Lanczos iteration for the leading eigenvector of AᵗA, by a fused product (Golub and Van Loan, chapter 10).

A   n × n, A[u, v] = weight of u → v        q   orthonormal vectors that span a, AᵗA a, (AᵗA)² a, …
a   where power iteration starts: Aᵗ1, each page's in-degree
T   q AᵗA qᵗ: its largest eigenvalue θ comes near the largest of AᵗA, and qᵗ times its vector near the vector

After k products power iteration has (AᵗA)^k a and no more. Lanczos has the best vector in all that the k
products span: the error of power iteration shrinks by λ₂ / λ₁ a product, at a gap of 1% by 1%, and this one
by about 2 √gap, a fifth. Starting from a, it sees of each eigenspace what a has in it, and so comes to the
same end as power iteration even where the largest eigenvalue is shared.

The product goes through the links once: row u of A gives h = A x at u, and at once h is added to y at the
pages that u links to, whose places have just been fetched. PARTS parts have each their own y, summed in
order, so that the sum does not depend on the threads.

Bound: ‖r‖₂ / (θ − θ₂) for a vector of length 1 with residual r, θ₂ being T's second eigenvalue, and √n times
that in L1. As θ₂ may still be below the true one, it is a bound only once T knows the second eigenvalue.
"""

from __future__ import annotations

import math
import os
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import Graph
from ircourse.kernels import in_threads, kernel
from ircourse.types import NotConverged

__all__ = ["Links", "leading"]

Floats: TypeAlias = NDArray[np.float64]

PARTS = 4
ONE_PART = 50_000  # pages and links: a smaller web is one part
PLAIN = 2_000  # below this the loops are done before numba is loaded
MEMORY = 20_000_000  # numbers held in q before a restart: 160 MB
KEEP = 6  # vectors kept at a restart
EMPTY = 1e-14  # of θ: a direction shorter than this is rounding


class Links:
    """The matrix A of a graph, weights scaled by a power of two: nothing overflows, nothing changes."""

    def __init__(self, graph: Graph) -> None:
        self.n, self.indptr, self.indices = graph.n_nodes, graph.indptr, graph.indices
        self.weights = np.empty(0)
        if graph.weights is not None:
            self.weights = graph.weights / 2.0 ** math.frexp(graph.weights.max(initial=0))[1]
        size = self.n + graph.n_edges
        self._gram, self._hubs = (gram.plain, hubs.plain) if size < PLAIN else (gram, hubs)
        work = self.indptr + np.arange(self.n + 1)
        parts = 1 if size < ONE_PART else PARTS
        self._cuts = np.searchsorted(work, work[-1] * np.arange(parts + 1) // parts)
        self._cuts[-1] = self.n
        self._y = np.empty((parts, self.n))

    def gram(self, x: Floats) -> Floats:
        """Return AᵗA x."""
        parts = len(self._y)

        def run(first: int, last: int) -> None:
            for i in range(first, last):
                a, b = self._cuts[i], self._cuts[i + 1]
                self._gram(a, b, self.indptr, self.indices, self.weights, x, self._y[i])

        in_threads(run, parts, threads=min(parts, os.cpu_count() or 1))
        total: Floats = self._y[0].copy()
        for y in self._y[1:]:
            total += y
        return total

    def hubs(self, x: Floats) -> Floats:
        """Return A x."""
        h = np.empty(self.n)
        self._hubs(self.indptr, self.indices, self.weights, x, h)
        return h

    def to_scipy(self) -> Any:
        """Return A as a SciPy matrix."""
        from scipy.sparse import csr_array

        weights = self.weights if len(self.weights) else np.ones(len(self.indices))
        return csr_array((weights, self.indices, self.indptr), shape=(self.n, self.n))

    def in_weights(self) -> Floats:
        """Return Aᵗ1."""
        weights = self.weights if len(self.weights) else None
        return np.bincount(self.indices, weights, minlength=self.n).astype(np.float64)


def leading(A: Links, tol: float, limit: int) -> tuple[Floats, Floats]:
    """Return the end of power iteration from Aᵗ1, sum 1, and after each product the bound of its L1 error.

    Raises NotConverged after ``limit`` products. A is not to be 0.
    """
    n = A.n
    longest = min(n, max(KEEP + 10, MEMORY // n))
    q, T = np.empty((longest, n)), np.zeros((longest, longest))
    q[0] = A.in_weights()
    q[0] /= np.linalg.norm(q[0])
    rows, bounds = 1, list[float]()
    for _ in range(limit):
        w = A.gram(q[rows - 1])
        inside = np.zeros(rows)
        for _ in range(2):  # the second time takes what rounding left
            part = q[:rows] @ w
            inside += part
            w -= part @ q[:rows]
        T[:rows, rows - 1] = T[rows - 1, :rows] = inside
        theta, Y = np.linalg.eigh(T[:rows, :rows])
        beta = float(np.linalg.norm(w))
        exhausted = beta <= EMPTY * theta[-1] or rows == n
        bounds.append(0.0 if exhausted else _bound(theta, beta * abs(Y[-1, -1]), q[:rows], Y[:, -1]))
        if bounds[-1] <= tol:
            x = np.maximum(Y[:, -1] @ q[:rows] * np.sign(Y[0, -1] or 1.0), 0)
            return x / x.sum(), np.array(bounds)
        if rows == longest:
            q[:KEEP] = Y[:, -KEEP:].T @ q
            T[:] = 0
            T[range(KEEP), range(KEEP)] = theta[-KEEP:]
            rows = KEEP
        q[rows] = w / beta
        rows += 1
    raise NotConverged(bounds[-1], limit)


def _bound(theta: Floats, residual: float, q: Floats, y: Floats) -> float:
    """Return the bound of the L1 error of the vector with sum 1: both ends and the sum may be off."""
    gap = float(theta[-1] - theta[-2]) if len(theta) > 1 else 0.0
    if gap <= 0:
        return float("inf")
    length = abs(float((y @ q).sum()))
    return 2 * math.sqrt(q.shape[1]) * residual / gap / max(length, 1.0)


@kernel(
    "void(int64, int64, const int64[::1], const int32[::1], const float64[::1], const float64[::1], "
    "float64[::1])"
)
def gram(first, last, indptr, indices, weights, x, y):  # type: ignore[no-untyped-def]
    """Put into y what rows ``first`` … ``last`` − 1 of A give of AᵗA x."""
    y[:] = 0.0
    for u in range(first, last):
        h = 0.0
        if len(weights) == 0:
            for e in range(indptr[u], indptr[u + 1]):
                h += x[indices[e]]
            for e in range(indptr[u], indptr[u + 1]):
                y[indices[e]] += h
        else:
            for e in range(indptr[u], indptr[u + 1]):
                h += weights[e] * x[indices[e]]
            for e in range(indptr[u], indptr[u + 1]):
                y[indices[e]] += weights[e] * h


@kernel("void(const int64[::1], const int32[::1], const float64[::1], const float64[::1], float64[::1])")
def hubs(indptr, indices, weights, x, h):  # type: ignore[no-untyped-def]
    """Put A x into h."""
    for u in range(len(h)):
        h[u] = 0.0
        for e in range(indptr[u], indptr[u + 1]):
            h[u] += x[indices[e]] if len(weights) == 0 else weights[e] * x[indices[e]]
