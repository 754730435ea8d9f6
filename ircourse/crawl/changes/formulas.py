"""Freshness and age of a stored copy whose page changes at random (book, section 20.1.2; notes-J).

rate λ      changes of the page, on average, in a unit of time; float64
t           time since the last visit, in the same unit; float64
interval I  time between two visits, in the same unit; float64
x           λ t or λ I: changes to expect in that time

Changes are a Poisson process: memoryless, none in t with chance e^{−λt}. Right after a visit the copy is as
the page is. Then
    freshness(λ, t) = e^{−λt}                                   chance that the copy is still as the page is
    age(λ, t)       = ∫₀ᵗ λ e^{−λs} (t−s) ds = t − (1−e^{−λt})/λ  expected time since the first change missed
and over the time between two visits, I apart,
    mean_freshness(λ, I) = (1−e^{−x}) / x
    mean_age(λ, I)       = I (1/2 − 1/x + (1−e^{−x})/x²)
A copy's own freshness is 0 or 1; these are expectations. Freshness falls at once and then hardly matters;
age starts slowly and never stops growing.

Erratum: notes-J prints e^{λx} in the integral. That is no density (it sums to e^{λt} − 1), and a copy would
be older than the time since the visit: at λt = 3 more than five times as old.
Differs from the source: as printed, age and both means subtract nearly equal numbers where x is small. At
λ = 10⁻⁹ a day and t = 7 days t − (1−e^{−λt})/λ gives −2.4 · 10⁻⁸ days and not 2.45 · 10⁻⁸. Below x = 1 ages
are summed as a series, above it they come by expm1. The relative error stays below 2 · 10⁻¹⁵ save where x or
the result underflows.
Source: Cho and Garcia-Molina (2000, 2003).
"""

from __future__ import annotations

from math import factorial
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from ircourse.crawl.changes.checks import Floats, numbers, together, unpacked

__all__ = ["age", "freshness", "mean_age", "mean_freshness"]

_TERMS = 20  # 1/20! is 4e-19: of no weight beside the first term


@overload
def freshness(rate: float, t: float) -> float: ...
@overload
def freshness(rate: ArrayLike, t: ArrayLike) -> float | Floats: ...
def freshness(rate: ArrayLike, t: ArrayLike) -> float | Floats:
    """Return e^{−λt}, the chance that a copy made a time ``t`` ago is still as the page is.

    rate  changes a unit of time, finite; 0 for a page that never changes
    t     in that unit; may be infinite
    Arrays are broadcast; two numbers give a float. Raises ValueError for a negative number, NaN, an infinite
    rate, and shapes that do not fit.

    >>> round(freshness(1 / 7, 7), 4)  # changes once a week, seen a week ago
    0.3679
    >>> freshness([0, 2], np.inf)
    array([1., 0.])

    Source: Cho and Garcia-Molina (2000).
    """
    x, t = _expected_changes(rate, "t", t)
    return unpacked(np.exp(-x) * (1 - _rounded_off(np.asarray(rate, np.float64), t, x)))


@overload
def age(rate: float, t: float) -> float: ...
@overload
def age(rate: ArrayLike, t: ArrayLike) -> float | Floats: ...
def age(rate: ArrayLike, t: ArrayLike) -> float | Floats:
    """Return t − (1−e^{−λt})/λ, the expected age of a copy made a time ``t`` ago, in the unit of ``t``.

    Its age is the time since the first change that it misses, and 0 while it misses none. Arguments and
    errors as for ``freshness``; an infinite ``t`` gives an infinite age, or 0 at rate 0.

    >>> round(age(1 / 7, 7), 3)  # 7/e days
    2.575
    >>> age([0, 1e-9, 1e20], 1.0)
    array([0.e+00, 5.e-10, 1.e+00])

    Source: notes-J, mended; Cho and Garcia-Molina (2000).
    """
    x, t = _expected_changes(rate, "t", t)
    return unpacked(_times(t, _age_share(x)))


@overload
def mean_freshness(rate: float, interval: float) -> float: ...
@overload
def mean_freshness(rate: ArrayLike, interval: ArrayLike) -> float | Floats: ...
def mean_freshness(rate: ArrayLike, interval: ArrayLike) -> float | Floats:
    """Return (1−e^{−λI})/(λI), the share of time that a copy fetched every ``interval`` is fresh.

    ``interval`` may be infinite (never fetched again: 0, or 1 at rate 0) and 0 (fetched all the time: 1).
    Arguments and errors as for ``freshness``.

    >>> round(mean_freshness(1, 1), 4)
    0.6321

    Source: Cho and Garcia-Molina (2000).
    """
    x, _ = _expected_changes(rate, "interval", interval)
    return unpacked(_fresh_share(x))


@overload
def mean_age(rate: float, interval: float) -> float: ...
@overload
def mean_age(rate: ArrayLike, interval: ArrayLike) -> float | Floats: ...
def mean_age(rate: ArrayLike, interval: ArrayLike) -> float | Floats:
    """Return I (1/2 − 1/x + (1−e^{−x})/x²), x = λI: the mean age over time of a copy fetched every I.

    In the unit of ``interval``, which may be infinite as in ``mean_freshness``. Arguments and errors as for
    ``freshness``.

    >>> round(mean_age(1, 1), 4), mean_age(1e-9, 1.0)
    (0.1321, 1.66666666625e-10)

    Source: Cho and Garcia-Molina (2000).
    """
    x, interval = _expected_changes(rate, "interval", interval)
    return unpacked(_times(interval, _mean_age_share(x)))


def _expected_changes(rate: ArrayLike, name: str, t: ArrayLike) -> tuple[Floats, Floats]:
    """Return x = λt, which is 0 where λ = 0 whatever t is, and t, both checked and of one shape."""
    rates, times = together(rate=numbers("rate", rate), **{name: numbers(name, t, endless=True)})
    return _times(times, rates), times


def _times(a: Floats, b: Floats) -> Floats:
    """Return a · b, 0 where b is 0 and a infinite."""
    with np.errstate(over="ignore", under="ignore"):
        return np.multiply(a, b, out=np.zeros(a.shape), where=b > 0)


def _rounded_off(a: Floats, b: Floats, product: Floats) -> Floats:
    """Return a · b − ``product``, what rounding took from it, by Dekker's splitting of the factors.

    e^{−x} turns an absolute error of x into a relative one. 0 where x is beyond 750, for e^{−x} is 0 there.
    """
    near = (product > 0) & (product < 750)
    (a, i), (b, j) = np.frexp(np.where(near, a, 0.0)), np.frexp(np.where(near, b, 0.0))
    rounded = np.ldexp(np.where(near, product, 0.0), -(i + j))
    a1, b1 = _upper_half(a), _upper_half(b)
    a2, b2 = a - a1, b - b1
    lost: Floats = np.ldexp(((a1 * b1 - rounded) + a1 * b2 + a2 * b1) + a2 * b2, i + j)
    return lost


def _upper_half(a: Floats) -> Floats:
    """Return the first 26 bits of each number."""
    far: Floats = (2.0**27 + 1) * a
    return far - (far - a)


def _fresh_share(x: Floats) -> Floats:
    """Return (1−e^{−x})/x, 1 at x = 0."""
    return np.divide(-np.expm1(-x), x, out=np.ones(x.shape), where=x > 0)


def _age_share(x: Floats) -> Floats:
    """Return 1 − (1−e^{−x})/x = x/2! − x²/3! + x³/4! − …"""
    small = _alternating(np.minimum(x, 1.0), first=2)
    return np.where(x < 1, small, 1 - _fresh_share(x))


def _mean_age_share(x: Floats) -> Floats:
    """Return 1/2 − 1/x + (1−e^{−x})/x² = x/3! − x²/4! + x³/5! − …"""
    small = _alternating(np.minimum(x, 1.0), first=3)
    large = np.maximum(x, 1.0)
    return np.where(x < 1, small, 0.5 - (1 - _fresh_share(large)) / large)


def _alternating(x: Floats, first: int) -> Floats:
    """Return x/first! − x²/(first+1)! + …, by Horner's rule."""
    total = np.zeros(x.shape)
    for k in reversed(range(_TERMS)):
        total = x * (1 / factorial(first + k) - total)
    return total
