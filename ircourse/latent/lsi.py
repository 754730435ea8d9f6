"""Latent semantic indexing: documents, terms and queries in a space of k concepts (slides-P; book, 18.4).

A      terms × documents, float64 (m, n)
P_k    column c is concept c: P_k[t, c] is the strength of term t in it, float64 (m, k)
S_k    the k largest singular values on the diagonal, kept as ``s``, float64 (k,)
R_k    row d is document d, float64 (n, k)

Documents are reduced to X_k = S_k R_kᵗ = P_kᵗ A, so a query q is reduced to P_kᵗ q and compared with the
columns of X_k: this is the convention of the slides. The book divides by the singular values,
S_k⁻¹ P_kᵗ q, and compares with the rows of R_k; here that is ``whiten=True``. The cosines differ: whitened,
each concept counts the same, however little of A it holds.

A document that was not in A is folded in like a query. P_k stays what it was, so what the new document alone
says is lost, and the columns of R are no longer orthonormal: ``orthogonality_loss`` measures how far.

Source: slides-P; book, section 18.4; Deerwester and others (1990); Berry, Dumais and O'Brien (1995).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse.linalg as sparse_linalg

from ircourse.latent.arrays import Floats, Matrix, as_vectors, counted, dense, is_sparse
from ircourse.latent.cosine import cosines, ranked
from ircourse.latent.svd import SVD, svd
from ircourse.types import Hit

__all__ = ["LSI", "lsi"]


def lsi(matrix: Matrix, k: int, *, svd: Callable[[Matrix, int], SVD] = svd) -> LSI:
    """Return the ``LSI`` of a matrix of terms × documents, an array or sparse, with k concepts.

    svd  the function that decomposes the matrix: one of this package's, or your own

    Where the rank is below k there are as many concepts as the rank, and none for a matrix of zeros; all
    cosines are then 0. Raises ValueError for k below 1, no rows, no columns, and what is no finite number.

    >>> model = lsi([[1, 1, 0], [1, 1, 0], [0, 0, 1]], k=2)
    >>> model.s.round(4).tolist(), [hit.doc for hit in model.search([1, 0, 0])]
    ([2.0, 1.0], [0, 1, 2])
    """
    return LSI(*svd(matrix, k))


@dataclass(frozen=True, eq=False, repr=False)
class LSI:
    """A_k = P S Rᵗ: ``P`` float64 (m, k), ``s`` (k,), ``R`` (n, k); make one with ``lsi``."""

    P: Floats
    s: Floats
    R: Floats

    def __repr__(self) -> str:
        return f"<LSI: {self.k} concepts, {len(self.P)} terms, {len(self.R)} documents>"

    @property
    def k(self) -> int:
        """Number of concepts."""
        return len(self.s)

    @cached_property
    def documents(self) -> Floats:
        """Return X_k = S_k R_kᵗ, a column a document, float64 (k, n)."""
        return _without_rounding(self.s[:, np.newaxis] * self.R.T, self.s.max(initial=0.0))

    @cached_property
    def _whitened(self) -> Floats:
        return _without_rounding(self.R.T.copy(), 1.0)

    @cached_property
    def term_vectors(self) -> Floats:
        """Return P_k S_k, a row a term, float64 (m, k): their products are those of the rows of A_k."""
        return self.P * self.s

    def approximation(self) -> Floats:
        """Return A_k as an array, float64 (m, n)."""
        A_k: Floats = self.term_vectors @ self.R.T
        return A_k

    def fold_in(self, vector: Matrix, whiten: bool = False) -> Floats:
        """Return P_kᵗ q, float64 (k,), or of several columns (k, q); with ``whiten`` S_k⁻¹ P_kᵗ q.

        Raises ValueError for another number of terms than the matrix has.

        >>> lsi([[2, 0], [0, 1]], k=2).fold_in([4, 3], whiten=True).tolist()
        [2.0, 3.0]
        """
        q = as_vectors(vector, len(self.P))
        reduced = _without_rounding(dense((q.T @ self.P).T), _lengths(q))
        return (reduced.T / self.s).T if whiten else reduced

    def cosines(self, vector: Matrix, whiten: bool = False) -> Floats:
        """Return the cosine of each document with a vector of terms, float64 (n,), or several, (n, q).

        With ``whiten`` both are divided by the singular values. A zero vector has cosine 0 with everything.
        """
        return cosines(self._whitened if whiten else self.documents, self.fold_in(vector, whiten))

    def search(self, vector: Matrix, n: int = 10, whiten: bool = False) -> list[Hit]:
        """Return the first n documents by cosine with a vector of terms, (m,); equals by their numbers.

        >>> lsi([[2, 0, 1], [0, 1, 1]], k=2).search([0, 1], n=2)
        [Hit(doc=1, score=1.0), Hit(doc=2, score=0.707106781187)]
        """
        scores = self.cosines(vector, whiten)
        if scores.ndim != 1:
            raise ValueError(f"search takes one vector, not {scores.shape[1]}: call it for each column")
        return ranked(scores, n)

    def concept(self, c: int, terms: Sequence[str], n: int = 10) -> list[tuple[str, float]]:
        """Return the n terms strongest in concept c (0 is the first), with their entries of P, by size.

        >>> lsi([[2, 0], [0, 1]], k=2).concept(0, ["ship", "boat"], n=1)
        [('ship', 1.0)]
        """
        if not 0 <= counted(c, "c", 0) < self.k:
            raise ValueError(f"no concept {c}: they are numbered from 0, and there are {self.k}")
        if len(terms) != len(self.P):
            raise ValueError(f"there are {len(self.P)} terms in the matrix, and {len(terms)} were given")
        column = self.P[:, c]
        strongest = np.argsort(-np.abs(column).round(9), kind="stable")[: counted(n, "n", 0)]
        return [(terms[t], float(column[t])) for t in strongest.tolist()]

    def truncate(self, k: int) -> LSI:
        """Return the LSI of the first k of these concepts (all of them where k is more).

        >>> lsi([[2, 0], [0, 1]], k=2).truncate(1).s.tolist()
        [2.0]
        """
        k = counted(k, "k")
        return LSI(self.P[:, :k], self.s[:k], self.R[:, :k])

    def add(self, vectors: Matrix) -> LSI:
        """Return the LSI with documents folded in at the end: columns of terms, (m, q) or one (m,).

        Their reduced vectors are P_kᵗ d, as a query's are; concepts and singular values stay.

        >>> lsi([[2, 0], [0, 1]], k=2).add([2, 3]).documents.tolist()
        [[2.0, 0.0, 2.0], [0.0, 1.0, 3.0]]
        """
        added = self.fold_in(vectors, whiten=True)
        return replace(self, R=np.vstack([self.R, added.T]))

    def orthogonality_loss(self) -> float:
        """Return ‖RᵗR − I‖₂: 0 after ``lsi``, up to rounding, and more with documents folded in.

        >>> model = lsi([[2, 0], [0, 1]], k=2)
        >>> round(model.orthogonality_loss(), 9), model.add([2, 0]).orthogonality_loss()
        (0.0, 1.0)
        """
        if self.k == 0:
            return 0.0
        return float(np.linalg.norm(self.R.T @ self.R - np.eye(self.k), ord=2))


def _without_rounding(columns: Floats, scale: Floats | float) -> Floats:
    """Return the columns, 0 where shorter than 1e-12 of the scale: such a one has no direction."""
    return np.where(_lengths(columns) > 1e-12 * np.asarray(scale), columns, 0.0)


def _lengths(columns: Matrix) -> Floats:
    """Return the length of each column, float64 (n,), or of the one vector."""
    norm = sparse_linalg.norm if is_sparse(columns) else np.linalg.norm
    return np.asarray(norm(columns, axis=0), np.float64)
