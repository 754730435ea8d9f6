"""What the functions of this part take: rates, times and weights, of at least 0."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Floats", "column", "number", "numbers", "together", "unpacked"]

Floats: TypeAlias = NDArray[np.float64]


def numbers(name: str, value: ArrayLike, *, endless: bool = False) -> Floats:
    """Return ``value`` as floats of any shape, each at least 0, and finite unless ``endless``.

    Raises ValueError, naming the first value that will not do, for NaN, negative and infinite numbers and for
    what is no number.

    >>> numbers("rate", [0, 1])
    array([0., 1.])
    >>> numbers("rate", [0.5, -1])
    Traceback (most recent call last):
        ...
    ValueError: rate is -1.0: give finite numbers of at least 0
    """
    wanted = f"give {'' if endless else 'finite '}numbers of at least 0"
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "iufO" or value is None:
            raise TypeError
        found = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {_short(value)}: {wanted}") from None
    good = found >= 0 if endless else (found >= 0) & (found < np.inf)
    if not good.all():
        raise ValueError(f"{name} is {found[~good].flat[0].item()!r}: {wanted}")
    return found


def number(name: str, value: float) -> float:
    """Return one finite number of at least 0, or raise ValueError.

    >>> number("budget", 3)
    3.0
    """
    found = numbers(name, value)
    if found.ndim:
        raise ValueError(f"{name} is {_short(value)}: give one finite number of at least 0")
    return float(found)


def column(name: str, value: ArrayLike, n: int | None = None, *, endless: bool = False) -> Floats:
    """Return ``value`` as floats, shape (n,), one a page, or raise ValueError.

    >>> column("weights", [1, 2], 3)
    Traceback (most recent call last):
        ...
    ValueError: weights has shape (2,): give 3 numbers, one a page
    """
    found = numbers(name, value, endless=endless)
    if found.ndim != 1 or n not in (None, len(found)):
        wanted = "a list of numbers" if n is None else f"{n} numbers"
        raise ValueError(f"{name} has shape {found.shape}: give {wanted}, one a page")
    return found


def together(**given: Floats) -> list[Floats]:
    """Return the arrays broadcast to one shape, or raise ValueError naming their shapes.

    >>> [a.shape for a in together(rate=np.ones((2, 1)), t=np.ones(3))]
    [(2, 3), (2, 3)]
    """
    try:
        return list(np.broadcast_arrays(*given.values()))
    except ValueError:
        shapes = ", ".join(f"{name} has shape {array.shape}" for name, array in given.items())
        raise ValueError(f"{shapes}: give shapes that NumPy can broadcast together") from None


def unpacked(values: Floats) -> float | Floats:
    """Return a float where ``values`` has no dimension, else ``values``.

    >>> unpacked(np.array(2.0))
    2.0
    """
    return values if values.ndim else float(values)


def _short(value: object) -> str:
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
