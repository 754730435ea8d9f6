"""Matrices as they come in: NumPy arrays or SciPy's sparse ones, checked once, in one form.

A     terms × documents, float64 (m, n), an array or a ``csc_array``: a column is a document
"""

from __future__ import annotations

from operator import index
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["Floats", "Matrix", "as_matrix", "as_vectors", "counted", "dense", "is_sparse"]

Floats: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = Any  # an array, or what SciPy calls sparse


def as_matrix(matrix: Matrix) -> Matrix:
    """Return ``matrix`` as float64, a ``csc_array`` where it is sparse and an array where it is not.

    Entries of a sparse matrix that stand at one place are added up. Raises ValueError for what is not two
    dimensions of real, finite numbers with at least one row and one column.

    >>> as_matrix([[1, 0], [2, 3]]).tolist()
    [[1.0, 0.0], [2.0, 3.0]]
    """
    if not is_sparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            f"the matrix has shape {matrix.shape}: give terms × documents, at least one of each "
            "(texts without a term that is kept have none)"
        )
    _check_kind(matrix.dtype)
    if is_sparse(matrix):
        matrix = sparse.csc_array(matrix, dtype=np.float64)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
    else:
        matrix = matrix.astype(np.float64)
    _check_finite(matrix)
    return matrix


def as_vectors(vectors: Matrix, size: int, what: str = "terms") -> Matrix:
    """Return vectors of ``size`` numbers as float64: one, (size,), or several as columns, (size, q).

    Raises ValueError for another size or shape, and for what is not real and finite.

    >>> as_vectors([1, 2], size=3)
    Traceback (most recent call last):
        ...
    ValueError: a vector has one number for each of the 3 terms: got shape (2,)
    """
    if is_sparse(vectors):
        vectors = vectors.tocsc() if vectors.ndim == 2 else vectors.toarray()
    else:
        vectors = np.asarray(vectors)
    if vectors.ndim not in (1, 2) or vectors.shape[0] != size:
        raise ValueError(f"a vector has one number for each of the {size} {what}: got shape {vectors.shape}")
    _check_kind(vectors.dtype)
    vectors = vectors.astype(np.float64)
    _check_finite(vectors)
    return vectors


def counted(value: int, what: str, least: int = 1) -> int:
    """Return ``value`` as an ``int``; raise TypeError for another type, ValueError where it is too small."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}: give a whole number") from None
    if number < least:
        raise ValueError(f"{what} is {number}: give at least {least}")
    return number


def is_sparse(matrix: Matrix) -> bool:
    """Whether a matrix is one of SciPy's sparse ones."""
    return bool(sparse.issparse(matrix))


def dense(matrix: Matrix) -> Floats:
    """Return a matrix as an array."""
    full: Floats = matrix.toarray() if is_sparse(matrix) else np.asarray(matrix)
    return full


def _check_kind(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "buif":
        raise ValueError(f"the entries are of type {dtype}: give real numbers")


def _check_finite(matrix: Matrix) -> None:
    if not np.isfinite(matrix.data if is_sparse(matrix) else matrix).all():
        raise ValueError("an entry is infinite or not a number: give finite numbers")
