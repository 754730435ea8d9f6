"""Block Lanczos iteration for the leading eigenvectors of G = AᵗA.

A    (m, n), an array or sparse; G is never formed, only applied to ``BLOCK`` vectors at a time
V    orthonormal rows that span x, Gx, G²x, … for a random block x, float64 (rows, n)
H    V G Vᵗ, whose eigenvalues θ, in ascending order, come near those of G from below, float64 (rows, rows)
x    the next block, orthonormal columns at right angles to V, float64 (n, BLOCK)
r    G applied to the last block of V is, apart from what lies in V, x r

An eigenvector y of H gives the vector Vᵗy, and ‖G Vᵗy − θ Vᵗy‖ is ‖r y_last‖, y_last being y's entries for
the last block: the error is known without applying A again. The iteration ends when the errors of the first k
are at most ``TOLERANCE`` · θ_max. Where V grows too long it starts again from its best vectors (a thick
restart: nothing that has converged is lost).

All linear algebra is NumPy's. SciPy's comes with threads of its own, and idle threads of one slow the other.

Of more than ``BLOCK`` equal eigenvalues, which texts do not have but for 0, some may be missed.

Source: Golub and Van Loan, Matrix Computations (2013), chapter 10; Wu and Simon (2000) for the thick restart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from ircourse.kernels import in_threads
from ircourse.latent.arrays import Floats, Matrix, is_sparse
from ircourse.types import NotConverged

__all__ = ["lanczos", "orthonormal"]

BLOCK = 8  # vectors at once: an entry of A that is read serves all of them
TOLERANCE = 1e-12
EMPTY = 1e-14  # of the largest θ: a direction shorter than this is rounding
SHORT = 1e-4  # of the largest θ: a direction shorter than this is made orthogonal twice
EVERY = 4  # steps between two looks at H
MOST_STEPS = 2_000
ROWS = 2**13  # that are turned at once
MEMORY = 2**28  # numbers held in V before a restart: 2 GB


def lanczos(A: Matrix, k: int, *, longest: int | None = None) -> Floats:
    """Return the eigenvectors of the k largest eigenvalues of AᵗA as columns, float64 (n, k).

    longest  how many rows V may have before a restart, at least k + 4 · BLOCK; None: what memory allows

    The random block is always the same. Raises NotConverged after ``MOST_STEPS`` blocks.
    """
    n, apply = A.shape[1], _gram_operator(A)
    basis = _Basis(n, min(n, longest or max(k + 16 * BLOCK, min(8 * k + 32 * BLOCK, MEMORY // n))))
    x, error = basis.filled_up(np.empty((n, 0))), np.inf
    for step in range(1, MOST_STEPS + 1):
        full, x, r = basis.extend(x, apply(x))
        if full or (basis.rows >= 2 * k and step % EVERY == 0):
            theta, Y = np.linalg.eigh(basis.H[: basis.rows, : basis.rows])
            last = Y[basis.rows - r.shape[1] :, -k:]
            error = float(np.linalg.norm(r @ last, axis=0).max())
            if error <= TOLERANCE * theta[-1] or basis.rows == n:
                vectors: Floats = basis.V[: basis.rows].T @ Y[:, -k:]
                return vectors
            if full:
                basis.restart(theta, Y, k + 2 * BLOCK)
        x = basis.filled_up(x)
    raise NotConverged(error, MOST_STEPS)


class _Basis:
    """V and H as they grow."""

    def __init__(self, n: int, longest: int) -> None:
        self.V, self.H = np.empty((longest, n)), np.zeros((longest, longest))
        self.rows = self.before = 0  # of V, and where its last block but one begins
        self.largest = 0.0
        self.rng = np.random.default_rng(0)

    def extend(self, x: Floats, w: Floats) -> tuple[bool, Floats, Floats]:
        """Take in the block x and w = G x; return whether there is no room for another, the next x, and r."""
        old, self.rows = self.rows, self.rows + x.shape[1]
        V, H = self.V[: self.rows], self.H[: self.rows, : self.rows]
        V[old:] = x.T
        # Apart from rounding, G x lies in the last two blocks and what follows. They go first, then what
        # rounding left in all of V; all of V at one go would let the rounding double at every step.
        inside = np.zeros((self.rows, x.shape[1]))
        for start in (self.before, 0):
            part = V[start:] @ w
            inside[start:] += part
            w = w - V[start:].T @ part
        H[:, old:], H[old:, :] = inside, inside.T
        self.before, self.largest = old, max(self.largest, float(np.abs(inside).max()))
        room = len(self.V) - self.rows
        return room < min(BLOCK, V.shape[1] - self.rows) or self.rows == V.shape[1], *self.directions(w)

    def directions(self, w: Floats) -> tuple[Floats, Floats]:
        """Return orthonormal columns x and r with w = x r, w being at right angles to V up to rounding."""
        V = self.V[: self.rows]
        x, r = orthonormal(w, EMPTY * self.largest)
        if np.linalg.norm(r, axis=1).min(initial=np.inf) < SHORT * self.largest:
            # w was small and its rounding errors were not
            x = orthonormal(x - V.T @ (V @ x), 0.5)[0]
        return x, r

    def filled_up(self, x: Floats) -> Floats:
        """Return x with random directions added where it has fewer than ``BLOCK`` and there is room."""
        n = len(x)
        width = min(BLOCK, n - self.rows, len(self.V) - self.rows)
        if x.shape[1] >= width:
            return x[:, :width]
        drawn = self.rng.standard_normal((n, width - x.shape[1]))
        for Q in (x, self.V[: self.rows].T, x, self.V[: self.rows].T):
            drawn = drawn - Q @ (Q.T @ drawn)
        return np.hstack([x, self.directions(drawn)[0]])

    def restart(self, theta: Floats, Y: Floats, keep: int) -> None:
        """Go on with the best ``keep`` vectors alone."""
        self.V[:keep] = Y[:, -keep:].T @ self.V[: self.rows]
        self.rows, self.before = keep, 0
        self.H[:keep, :keep] = np.diag(theta[-keep:])


def orthonormal(w: Floats, floor: float) -> tuple[Floats, Floats]:
    """Return orthonormal columns x and r with w = x r but for directions no longer than ``floor``.

    ``w`` is written over.

    >>> x, r = orthonormal(np.array([[3.0], [4.0]]), floor=0.0)
    >>> np.abs(x).round(9).tolist(), bool(np.allclose(x @ r, [[3], [4]]))
    ([[0.6], [0.8]], True)
    """
    if w.shape[1] == 0:
        return w, np.empty((0, 0))
    squares, Y = np.linalg.eigh(w.T @ w)
    if squares[0] > max(1e-10 * squares[-1], floor**2):
        # far enough from dependent for the fast way; the second time makes up for what squaring lost
        lengths = np.sqrt(squares)
        x = turned(w, Y / lengths)
        squares, turn = np.linalg.eigh(x.T @ x)
        return turned(x, turn / np.sqrt(squares)), turn.T @ (lengths[:, np.newaxis] * Y.T)
    U, lengths, turn = np.linalg.svd(w, full_matrices=False)
    keep = lengths > floor
    return U[:, keep], lengths[keep, np.newaxis] * turn[keep]


def turned(rows: Floats, by: Floats) -> Floats:
    """Return ``rows @ by`` for a square ``by``, written over ``rows``: a second copy may not fit."""
    for i in range(0, len(rows), ROWS):
        rows[i : i + ROWS] = rows[i : i + ROWS] @ by
    return rows


def _gram_operator(A: Matrix) -> Callable[[Floats], Floats]:
    """Return the function that applies AᵗA to columns, a part of the documents on each processor."""
    if not is_sparse(A):
        return lambda x: np.asarray(A.T @ (A @ x))
    A = sparse.csc_array(A)
    cuts = [(start, stop, A[:, start:stop]) for start, stop in in_threads(lambda *cut: cut, A.shape[1])]

    def apply(x: Floats) -> Floats:
        # SciPy's products release the interpreter's lock
        x = np.ascontiguousarray(x)
        threads = len(cuts)
        images = in_threads(lambda i, _: cuts[i][2] @ x[cuts[i][0] : cuts[i][1]], threads, threads=threads)
        image = sum(images[1:], start=images[0])
        return np.concatenate(in_threads(lambda i, _: cuts[i][2].T @ image, threads, threads=threads))

    return apply
