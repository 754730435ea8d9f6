"""How much memory results take: Dask counts it to know when to put results on disk, and knows few types.

Of SciPy's sparse arrays and of objects with arrays in them it sees some fifty bytes. So what tasks return is
arrays, tuples of them, or a ``Sized``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from sys import getsizeof
from typing import Any

import numpy as np

__all__ = ["Block", "Sized", "bytes_of"]


class Sized:
    """An object whose attributes are counted in its size."""

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(map(bytes_of, vars(self).values()))


@dataclass(frozen=True, eq=False)
class Block(Sized):
    """Some rows or columns of a matrix, an array or sparse.

    dangling  which of its pages are dangling, where it is a block of a graph's chances
    """

    matrix: Any
    dangling: Any = None


def bytes_of(value: object) -> int:
    """Return about how many bytes a value takes, arrays in tuples and lists counted.

    >>> bytes_of([np.zeros(1000), np.zeros(1000)]) // 1000
    16
    """
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if hasattr(value, "indptr") and hasattr(value, "data"):
        sparse: Any = value
        return int(sparse.data.nbytes + sparse.indices.nbytes + sparse.indptr.nbytes)
    inside: Iterable[object] = value if isinstance(value, tuple | list) else ()
    return getsizeof(value) + sum(map(bytes_of, inside))
