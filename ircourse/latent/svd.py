"""The singular value decomposition, cut to its k largest values (slides-P; book, section 18.2).

A    terms × documents, float64 (m, n), an array or sparse
P    eigenvectors of AAᵗ, orthonormal columns, float64 (m, k)
s    singular values, largest first, float64 (k,)
R    eigenvectors of AᵗA, orthonormal columns, float64 (n, k)

A = P S Rᵗ with all of them, and A_k = P_k S_k R_kᵗ with the k largest is the nearest matrix of rank k.
Four functions return ``SVD(P, s, R)`` and differ in cost:

svd_dense       LAPACK on the full array                                    m n min(m, n)
svd_gram        as the slides have it: eigenvectors of the smaller of AAᵗ, AᵗA   entries · df + min(m, n)³
svd_lanczos     the same eigenvectors without forming that matrix (``lanczos.py``)   entries · steps
svd_randomized  an approximation: a random subspace drawn towards the largest values   entries · (k + 10)

The first three agree to 1e-8 of the largest singular value; ``svd`` takes the fastest of them for the shape.
Values below that (``svd_dense``: below rounding) count as zero and are left out, so fewer than k may come
back; a matrix of zeros has none.

Signs: of a column of P the entry largest in size is positive, the first of them where several are equal to
six digits; the same column of R follows. Columns of equal singular values may be turned among themselves.

Differs from the slides: S holds the square roots of the eigenvalues (claim C72), and R is found from P, or P
from R, since two separate eigenvector computations choose signs that need not match.
Source: Golub and Van Loan, Matrix Computations; Halko, Martinsson and Tropp (2011) for the randomised one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ircourse.latent.arrays import Floats, Matrix, as_matrix, counted, dense
from ircourse.latent.lanczos import lanczos, orthonormal, turned

__all__ = ["SVD", "svd", "svd_dense", "svd_gram", "svd_lanczos", "svd_randomized"]

ZERO = 1e-8  # of the largest singular value: what a Gram matrix in float64 cannot tell from 0
SMALL_AREA, SMALL_SIDE = 200_000, 1_200  # up to here LAPACK on A, and on the Gram matrix, is fastest


class SVD(NamedTuple):
    """The decomposition: ``P`` (m, k), ``s`` (k,), ``R`` (n, k)."""

    P: Floats
    s: Floats
    R: Floats


def svd(matrix: Matrix, k: int) -> SVD:
    """Return the k largest singular values of ``matrix`` and their vectors, by the best method for its shape.

    Raises ValueError for k below 1 and for a matrix that ``as_matrix`` refuses.

    >>> svd([[3, 0, 0], [0, 4, 0]], k=5).s.tolist()
    [4.0, 3.0]
    """
    matrix, k = as_matrix(matrix), counted(k, "k")
    side = min(matrix.shape)
    if matrix.shape[0] * matrix.shape[1] <= SMALL_AREA:
        return svd_dense(matrix, k)
    # Lanczos holds some 4k vectors; near the full side it has nothing to save
    if side <= max(SMALL_SIDE, 6 * k):
        return svd_gram(matrix, k)
    return svd_lanczos(matrix, k)


def svd_dense(matrix: Matrix, k: int) -> SVD:
    """Return the same by LAPACK: all singular values are found, and the first k kept."""
    full = dense(as_matrix(matrix))
    P, s, Rt = np.linalg.svd(full, full_matrices=False)
    rank = int((s > max(full.shape) * np.finfo(float).eps * s[0]).sum())
    k = min(counted(k, "k"), rank)
    return _signed(P[:, :k], s[:k], Rt[:k].T)


def svd_gram(matrix: Matrix, k: int) -> SVD:
    """Return the same from the eigenvectors of AᵗA, or of AAᵗ where there are fewer terms than documents.

    Forms that matrix: 8 · min(m, n)² bytes.

    >>> svd_gram([[3, 0, 0], [0, 4, 0]], k=1).P.round(10).tolist()
    [[0.0], [1.0]]
    """
    matrix, k = as_matrix(matrix), counted(k, "k")

    def leading(A: Matrix, k: int) -> Floats:
        vectors: Floats = np.linalg.eigh(dense(A.T @ A))[1][:, -k:]
        return vectors

    return from_smaller_side(matrix, k, leading)


def svd_lanczos(matrix: Matrix, k: int) -> SVD:
    """Return the same by block Lanczos iteration; see ``lanczos.py``. Raises NotConverged where it fails."""
    return from_smaller_side(as_matrix(matrix), counted(k, "k"), lanczos)


def svd_randomized(
    matrix: Matrix, k: int, *, oversample: int = 10, power: int = 2, rng: np.random.Generator | int = 0
) -> SVD:
    """Return an approximation: A_k's error is a little above the least one, and less so with more ``power``.

    oversample  how many random vectors more than k are taken
    power       how often A Aᵗ is applied to them, each time orthonormalised
    """
    matrix, k = as_matrix(matrix), counted(k, "k")
    draws = np.random.default_rng(rng).standard_normal
    width = min(k + counted(oversample, "oversample", 0), *matrix.shape)
    Q = np.linalg.qr(matrix @ draws((matrix.shape[1], width)))[0]
    for _ in range(counted(power, "power", 0)):
        Q = np.linalg.qr(matrix @ np.linalg.qr(matrix.T @ Q)[0])[0]
    turn, s, Rt = np.linalg.svd((matrix.T @ Q).T, full_matrices=False)
    return _trimmed(Q @ turn, s, Rt.T, k)


def from_smaller_side(matrix: Matrix, k: int, leading: Callable[[Matrix, int], Floats]) -> SVD:
    """Return the decomposition from ``leading(A, k)``: eigenvectors of AᵗA, of AAᵗ where that is smaller."""
    if matrix.shape[0] < matrix.shape[1]:
        P, s, R = from_smaller_side(matrix.T, k, leading)
        return _signed(R, s, P)
    largest = float(abs(matrix).max())
    scale = 2.0 ** math.frexp(largest)[1]  # exact, and keeps the squares of huge and tiny entries in range
    matrix = matrix / scale
    R = leading(matrix, min(k, matrix.shape[1]))
    # the exact decomposition within the subspace: P is orthonormal whatever the size of the singular values
    P, r = orthonormal(matrix @ R, floor=0.0)
    if P.shape[1] == 0:  # nothing but zeros
        return SVD(P, np.zeros(0), R[:, :0])
    U, s, turn = np.linalg.svd(r, full_matrices=False)
    P, s, R = _trimmed(turned(P, U), s, R @ turn.T, k)
    return SVD(P, s * scale, R)


def _trimmed(P: Floats, s: Floats, R: Floats, k: int) -> SVD:
    """Return at most k of the columns, without those whose singular value counts as zero."""
    k = min(k, int((s > ZERO * s.max(initial=0.0)).sum()))
    return _signed(P[:, :k], s[:k], R[:, :k])


def _signed(P: Floats, s: Floats, R: Floats) -> SVD:
    """Return the decomposition with its signs chosen by the rule above."""
    largest = np.maximum(P.max(axis=0, initial=0.0), -P.min(axis=0, initial=0.0))
    first = np.array(
        [np.argmax(np.abs(column) >= (1 - 1e-6) * size) for column, size in zip(P.T, largest, strict=True)],
        np.int64,
    )
    signs = np.where(P[first, np.arange(P.shape[1])] < 0, -1.0, 1.0)
    P *= signs  # in place: both were made here
    R *= signs
    return SVD(P, s.copy(), R)
