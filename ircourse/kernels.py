"""Compiled loops: the one place that knows numba.

A kernel is a plain serial Python loop over arrays, with the types of its arguments stated. Its first call
compiles it to machine code and keeps that on disk; later processes load it. It releases the interpreter's
lock, so that ``in_threads`` spreads one over the cores. Where numba is missing the Python loop itself runs:
slower, the same numbers.

Two rules for whoever writes a kernel:

- A uint64 meets only uint64s: write ``np.uint64(31) * h``. With an int64 both numba and NumPy go to float64.
- An array that may be read-only (made from ``bytes``, or belonging to a ``Graph``) is ``const`` in the
  signature: ``"uint64(const uint8[::1])"``. ``[:]`` takes any stride, ``[::1]`` only contiguous arrays.

A kernel may call another one of its file. It may call one of another file too, but is then compiled afresh
in every process: numba would not notice that the other file has changed. None may call itself.
Numbers come back as ``int`` or ``float`` when compiled and as NumPy scalars when plain; a public function
that hands one out converts it.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import update_wrapper, wraps
from inspect import signature as parameters_of
from itertools import pairwise
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

__all__ = ["Kernel", "in_threads", "kernel"]

P = ParamSpec("P")
R = TypeVar("R")

_compiling = threading.RLock()  # one for all kernels: compiling one may start compiling another that it calls
_MOST_THREADS = 32
_SMALL = 256  # fewer items than this are not worth a thread of their own


def kernel(signature: str) -> Callable[[Callable[P, R]], Kernel[P, R]]:
    """Return a decorator that makes a loop of these types a ``Kernel``, compiled at its first call.

    signature  numba's notation, ``"result(argument, …)"``, and ``const`` before arrays that are only read

    >>> @kernel("uint64(const uint8[:], uint64)")
    ... def polynomial(data, base):
    ...     total = np.uint64(0)
    ...     for i in range(len(data)):
    ...         total = total * base + np.uint64(data[i])
    ...     return total
    >>> int(polynomial(np.frombuffer(b"ab", np.uint8), 31))
    3105
    """
    return lambda function: Kernel(function, signature)


class Kernel(Generic[P, R]):
    """A function that numba compiles at the first call, whichever thread makes it; see ``kernel``.

    plain  the same function on Python's own interpreter, uint64 wrapping silently as it does when compiled
    """

    __wrapped__: Callable[P, R]
    __qualname__: str

    def __init__(self, function: Callable[P, R], signature: str) -> None:
        update_wrapper(self, function)
        self.signature = signature
        self.plain: Callable[P, R] = _plain(function, signature)
        self._run: Callable[P, R] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return what the function returns."""
        run = self._run or self._ready()
        return run(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}: {self.signature}>"

    def _ready(self) -> Callable[P, R]:
        with _compiling:
            if self._run is None:
                self._run = _compile(self.__wrapped__, self.signature) or self.plain
        return self._run

    @property
    def _numba_type_(self) -> Any:
        # How numba learns what this object is when another kernel calls it.
        return self._ready()._numba_type_  # type: ignore[attr-defined]


def in_threads(function: Callable[..., R], n: int, *args: Any, threads: int | None = None) -> list[R]:
    """Return ``function(start, stop, *args)`` for contiguous ranges that cover 0…n, in their order.

    threads  how many ranges, each on its own thread; None: one a processor, at least 256 items each.
             The ranges are as equal as can be. n = 0 is one call with the empty range.

    >>> in_threads(lambda start, stop, step: list(range(start, stop, step)), 10, 1, threads=3)
    [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]]
    """
    if n < 0:
        raise ValueError(f"n is {n}: give a number of items of at least 0")
    if threads is None:
        count = min(os.cpu_count() or 1, _MOST_THREADS, n // _SMALL)
    elif threads < 1:
        raise ValueError(f"threads is {threads}: give at least 1, or None for one a processor")
    else:
        count = min(threads, n)
    if count <= 1:
        return [function(0, n, *args)]
    cuts = [n * i // count for i in range(count + 1)]
    with ThreadPoolExecutor(count) as pool:
        waiting = [pool.submit(function, a, b, *args) for a, b in pairwise(cuts)]
        return [future.result() for future in waiting]


def _compile(function: Callable[P, R], signature: str) -> Any:
    """Return the compiled function, or None where there is no numba or it is switched off."""
    try:
        import numba
    except (ImportError, OSError):  # OSError: numba is there, but a system library that it needs is not
        return None
    if getattr(numba.config, "DISABLE_JIT", False):
        return None
    types = {**vars(numba.types), "const": lambda array: array.copy(readonly=True)}
    typed = eval(re.sub(r"\bconst (\w+\[[^\]]*\])", r"const(\1)", signature), types)
    try:
        return numba.njit(typed, nogil=True, cache=not _calls_another_file(function))(function)
    except Exception:
        # No place for a cache (read-only disk, frozen program, function typed in a notebook), a full disk, a
        # damaged file: none of them is in the way of compiling. What is wrong with the function is told now.
        return numba.njit(typed, nogil=True)(function)


def _calls_another_file(function: Any) -> bool:
    """Return whether the function calls a kernel that another file defines, itself or through a kernel."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    called = [one.__wrapped__ for one in named if isinstance(one, Kernel)]
    here = function.__code__.co_filename
    return any(one.__code__.co_filename != here or _calls_another_file(one) for one in called)


def _plain(function: Callable[P, R], signature: str) -> Callable[P, R]:
    """Return the function with numbers of the signature's types, as numba would make them."""
    call: Any = function
    result, *arguments = [_scalar(part) for part in _parts(signature)]

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> Any:
        given = parameters_of(function).bind(*args, **kwargs).args
        if len(given) != len(arguments):
            raise TypeError(f"{function.__qualname__} takes {len(arguments)} arguments, not {len(given)}")
        with np.errstate(over="ignore"):
            typed: Any = [
                value if to is None else to(value) for to, value in zip(arguments, given, strict=True)
            ]
            value = call(*typed)
            return value if result is None else result(value)

    return run


def _parts(signature: str) -> list[str]:
    """Split a signature: the result's type, then each argument's."""
    found = re.fullmatch(r"\s*(.+?)\s*\(((?:[^()]|\([^()]*\))*)\)\s*", signature)
    if found is None:
        raise ValueError(
            f'{signature!r} is no signature: write "result(argument, …)", say "uint64(uint8[:])"'
        )
    return [found[1], *(part.strip() for part in re.split(r",(?![^\[(]*[\])])", found[2]) if part.strip())]


def _scalar(name: str) -> Any:
    """Return NumPy's type for a number's name in a signature; None for arrays, tuples and void."""
    name = "bool" if name == "boolean" else name
    return np.dtype(name).type if re.fullmatch(r"bool|intp|(u?int|float|complex)\d+", name) else None
