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
from itertools import pairwise
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
LOOKS = 8  # at T while q doubles
EMPTY = 1e-14  # of θ: a direction shorter than this is rounding


class Links:
    """The matrix A of a graph, weights scaled by a power of two: nothing overflows, nothing changes."""

    def __init__(self, graph: Graph) -> None:
        self.n, self.indptr, self.indices = graph.n_nodes, graph.indptr, graph.indices
        self.weights = np.empty(0)
        if graph.weights is not None:
            self.weights = np.ldexp(graph.weights, -math.frexp(graph.weights.max(initial=0))[1])
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
    """Return the end of power iteration from Aᵗ1, sum 1, and bounds of its L1 error.

    There is a bound for each of the first products, later for every second, third, ….

    Raises NotConverged after ``limit`` products. A is not to be 0.
    """
    basis, bounds = _Basis(A.n, A.in_weights()), list[float]()
    for _ in range(limit):
        beta, w = basis.extend(A.gram(basis.q[basis.rows - 1]))
        rows, full = basis.rows, basis.rows == len(basis.q)
        if rows % max(1, rows // LOOKS) and not full and beta > EMPTY * basis.T[0, 0]:
            basis.add(w / beta)
            continue
        theta, Y = np.linalg.eigh(basis.T[:rows, :rows])
        exhausted = beta <= EMPTY * theta[-1] or rows == A.n
        bounds.append(0.0 if exhausted else basis.bound(theta, beta * abs(Y[-1, -1]), Y[:, -1]))
        if bounds[-1] <= tol:
            x = np.einsum("i,ij->j", Y[:, -1], basis.q[:rows])
            x = np.maximum(x * np.sign(x.sum()), 0)
            return x / x.sum(), np.array(bounds)
        if full:
            basis.restart(theta, Y)
        basis.add(w / beta)
    raise NotConverged(bounds[-1], limit)


class _Basis:
    """The vectors q and the matrix T as they grow. Sums go by ``einsum``: BLAS has threads of its own."""

    def __init__(self, n: int, start: Floats) -> None:
        longest = min(n, max(KEEP + 10, MEMORY // n))
        self.q, self.T, self.rows = np.empty((longest, n)), np.zeros((longest, longest)), 0
        self.sums = np.zeros(longest)  # of the rows of q
        self.cuts = [n * i // PARTS for i in range(PARTS + 1)] if n > ONE_PART else [0, n]
        self.add(start / math.sqrt(np.einsum("i,i->", start, start)))

    def add(self, x: Floats) -> None:
        """Add the vector x of length 1, at right angles to the others."""
        self.q[self.rows], self.sums[self.rows] = x, x.sum()
        self.rows += 1

    def extend(self, w: Floats) -> tuple[float, Floats]:
        """Take in w = AᵗA q_last; return what of it is at right angles to q, its length first."""
        inside = np.zeros(self.rows)
        # Apart from rounding w lies in the last two; they go first, then what rounding left in all.
        for first in (max(0, self.rows - 2), 0):
            inside[first:] += self.take_out(self.q[first : self.rows], w)
        self.T[: self.rows, self.rows - 1] = self.T[self.rows - 1, : self.rows] = inside
        return math.sqrt(np.einsum("i,i->", w, w)), w

    def take_out(self, q: Floats, w: Floats) -> Floats:
        """Make w orthogonal to q, in place, and return the coefficients that it had."""
        pieces = [slice(a, b) for a, b in pairwise(self.cuts)]
        threads = min(len(pieces), os.cpu_count() or 1)

        def coefficients(first: int, last: int) -> list[Floats]:
            return [np.einsum("ij,j->i", q[:, part], w[part]) for part in pieces[first:last]]

        by_part = in_threads(coefficients, len(pieces), threads=threads)
        total: Floats = np.sum([c for some in by_part for c in some], axis=0)

        def subtract(first: int, last: int) -> None:
            for part in pieces[first:last]:
                w[part] -= np.einsum("i,ij->j", total, q[:, part])

        in_threads(subtract, len(pieces), threads=threads)
        return total

    def restart(self, theta: Floats, Y: Floats) -> None:
        """Go on with the best ``KEEP`` vectors alone."""
        self.q[:KEEP] = np.einsum("ik,ij->kj", Y[:, -KEEP:], self.q)
        self.sums[:KEEP] = Y[:, -KEEP:].T @ self.sums
        self.T[:] = 0
        np.fill_diagonal(self.T[:KEEP, :KEEP], theta[-KEEP:])
        self.rows = KEEP

    def bound(self, theta: Floats, residual: float, y: Floats) -> float:
        """Return the bound of the L1 error of qᵗy with sum 1: both its entries and its sum may be off."""
        gap = float(theta[-1] - theta[-2]) if len(theta) > 1 else 0.0
        if gap <= 0:
            return float("inf")
        total = abs(float(y @ self.sums[: self.rows]))
        return 2 * math.sqrt(self.q.shape[1]) * residual / gap / max(total, 1.0)


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
