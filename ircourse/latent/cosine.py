"""Cosines between vectors and the ranking they give (book, section 6.3).

cos(d, q) = dᵗq / (‖d‖ ‖q‖), and 0 where either is the zero vector, which points nowhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ircourse.latent.arrays import Floats, Matrix, as_matrix, as_vectors, counted, dense, is_sparse
from ircourse.types import Hit

__all__ = ["cosines", "order", "ranked"]


def cosines(documents: Matrix, vectors: Matrix) -> Floats:
    """Return the cosine of each column of ``documents`` with a vector, float64 (n,), or with several, (n, q).

    documents  (m, n), an array or sparse
    vectors    (m,), or columns (m, q), an array or sparse

    Raises ValueError where the sizes differ. Every cosine lies in −1 … 1.

    >>> cosines([[1, 1, 0], [0, 1, 0]], [2, 0]).round(4).tolist()
    [1.0, 0.7071, 0.0]
    """
    documents = documents if is_sparse(documents) else np.asarray(documents, np.float64)
    if documents.shape[0] == 0:  # no concepts: nothing is like anything
        return np.zeros((documents.shape[1], *np.shape(vectors)[1:]))
    documents = as_matrix(documents)
    vectors = as_vectors(vectors, documents.shape[0], "dimensions")
    many = vectors if vectors.ndim == 2 else vectors[:, np.newaxis]
    products = dense(_unit(documents).T @ _unit(many))
    clipped: Floats = np.clip(products, -1.0, 1.0)
    return clipped if vectors.ndim == 2 else clipped[:, 0]


def order(scores: Floats) -> NDArray[np.int64]:
    """Return the documents' numbers, highest score first, int64 (n,).

    Scores are compared to twelve decimals and equal ones stand in the order of their numbers, so that
    rounding in the last place does not change a ranking.

    >>> order(np.array([0.5, 0.7, 0.5 + 1e-15])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-np.round(scores, 12), kind="stable").astype(np.int64)


def ranked(scores: Floats, n: int = 10) -> list[Hit]:
    """Return the first ``n`` documents in ``order``, with their scores rounded to twelve decimals.

    >>> ranked(np.array([0.5, 0.7]), n=1)
    [Hit(doc=1, score=0.7)]
    """
    # + 0.0 turns −0.0 into 0.0
    return [Hit(int(d), round(float(scores[d]), 12) + 0.0) for d in order(scores)[: counted(n, "n", 0)]]


def _unit(columns: Matrix) -> Matrix:
    """Return the columns at length 1; a zero column stays."""
    # scaled by the largest entry first: squares of huge or tiny numbers leave the range
    for size in (_largest, _length):
        sizes = size(columns)
        sizes[sizes == 0] = 1.0
        columns = columns @ sparse.diags_array(1 / sizes) if is_sparse(columns) else columns / sizes
    return columns


def _largest(columns: Matrix) -> Floats:
    largest = abs(columns).max(axis=0)
    return dense(largest).ravel().astype(np.float64)


def _length(columns: Matrix) -> Floats:
    squares = columns.power(2) if is_sparse(columns) else columns**2
    lengths: Floats = np.sqrt(np.asarray(squares.sum(axis=0))).ravel()
    return lengths
