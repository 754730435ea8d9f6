"""Sizes from overlaps: relative size and capture–recapture (book, section 19.5; Exercise 19.7).

x, y  share of A's pages that B holds, share of B's pages that A holds
      x|A| = |A ∩ B| = y|B|, so |A| / |B| = y / x
n_a   pages of the first sample (capture), n_b of the second, n_both in both (recaptured)
N     size of the whole, from which both are drawn independently and uniformly

Lincoln and Petersen take n_both / n_b for n_a / N. Chapman's (n_a+1)(n_b+1)/(n_both+1) − 1 is unbiased where
n_a + n_b ≥ N and nearly so elsewhere, and defined for no recapture. Its error is skewed: N̂ is often a little
too low and at times much too high. The log-normal interval multiplies and divides the number of unseen pages
N̂ − M, M = n_a + n_b − n_both, by the same factor; the normal one adds and subtracts; the profile interval
keeps each N whose likelihood is within exp(−z²/2) of the largest.

Differs from the book: it stops at the relative size.
Source: Chapman (1951); Seber (1970) for the variance; Rexstad and Burnham (1991) for the log-normal interval.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from fractions import Fraction
from math import exp, inf, lgamma, log, log1p, sqrt
from operator import index
from statistics import NormalDist
from typing import NamedTuple, TypeVar

__all__ = [
    "Estimate",
    "chapman",
    "lincoln_petersen",
    "normal_interval",
    "profile_interval",
    "relative_size",
    "share_held",
]

Number = TypeVar("Number", float, Fraction)
T = TypeVar("T")
_FAR = 1 << 52  # no web is larger, and whole numbers are still exact


class Estimate(NamedTuple):
    """An estimated size and the ends of its interval."""

    size: float
    low: float
    high: float


def relative_size(a_in_b: Number, b_in_a: Number) -> Number | float:
    """Return |A| / |B| = ``b_in_a / a_in_b`` from the share of A's pages in B and that of B's in A.

    Fractions give a Fraction. Where only ``a_in_b`` is 0, as a sample may have it, the answer is infinite;
    A = B gives 1. Raises ValueError where both are 0: 0 / 0, no overlap tells nothing of the sizes.

    >>> relative_size(Fraction(30, 100), Fraction(50, 100))  # Exercise 19.7
    Fraction(5, 3)
    >>> relative_size(0.45, 0.5)
    1.1111111111111112
    """
    for name, share in (("a_in_b", a_in_b), ("b_in_a", b_in_a)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} is {share!r}: give a share from 0 to 1")
    if a_in_b == b_in_a == 0:
        raise ValueError("no overlap, 0 / 0: the relative size is undefined; draw larger samples")
    return inf if a_in_b == 0 else b_in_a / a_in_b


def share_held(sample: Iterable[T], held: Collection[T], key: Callable[[T], Hashable] = lambda x: x) -> float:
    """Return the share of the sample that is among ``held``, compared by ``key``.

    URLs are to be compared in canonical form: give ``ircourse.crawl.canonical_url`` as the key. Raises
    ValueError for an empty sample.

    >>> share_held(["http://A.example/", "http://b.example/"], ["http://a.example/"], str.lower)
    0.5
    """
    names, drawn = {key(item) for item in held}, [key(item) for item in sample]
    if not drawn:
        raise ValueError("the sample is empty: draw at least one page")
    return sum(name in names for name in drawn) / len(drawn)


def lincoln_petersen(n_a: int, n_b: int, n_both: int, *, level: float = 0.95) -> Estimate:
    """Return N̂ = n_a n_b / n_both with its log-normal interval.

    Raises ValueError where n_both is 0 (N̂ is undefined: see ``chapman``) or exceeds n_a or n_b.

    >>> lincoln_petersen(100, 80, 20).size
    400.0
    """
    a, b, m = _counts(n_a, n_b, n_both)
    if m == 0:
        raise ValueError("n_both is 0: without a recapture n_a n_b / n_both is undefined; use chapman")
    # a b / m, and its variance by the delta method
    return _log_normal(a * b / m, a * b * (a - m) * (b - m) / m**3, a + b - m, level)


def chapman(n_a: int, n_b: int, n_both: int, *, level: float = 0.95) -> Estimate:
    """Return N̂ = (n_a + 1)(n_b + 1) / (n_both + 1) − 1 with its log-normal interval.

    The interval begins at or above the number of pages seen. Where one sample lies within the other, nothing
    unseen is estimated and the interval is a point: see ``profile_interval``. Raises ValueError where n_both
    exceeds n_a or n_b.

    >>> chapman(100, 80, 0).size, chapman(80, 80, 80)
    (8180.0, Estimate(size=80.0, low=80.0, high=80.0))
    >>> [round(x) for x in chapman(100, 80, 20)]
    [389, 294, 550]
    """
    a, b, m = _counts(n_a, n_b, n_both)
    return _log_normal(_chapman(a, b, m), _seber(a, b, m), a + b - m, level)


def normal_interval(n_a: int, n_b: int, n_both: int, *, level: float = 0.95) -> Estimate:
    """Return Chapman's estimate with the interval N̂ ± z σ, which falls short when recaptures are few.

    >>> [round(x) for x in normal_interval(100, 80, 20)]
    [389, 264, 513]
    """
    a, b, m = _counts(n_a, n_b, n_both)
    size, half = _chapman(a, b, m), normal_quantile(level) * sqrt(_seber(a, b, m))
    return Estimate(size, size - half, size + half)


def profile_interval(n_a: int, n_b: int, n_both: int, *, level: float = 0.95) -> Estimate:
    """Return the most likely N and the interval of those N that are nearly as likely, all whole numbers.

    The likelihood is that of drawing n_both of the n_a marked pages in n_b from N, hypergeometric. Without
    a recapture it grows for ever: size and high are infinite. Raises ValueError as ``chapman`` does.

    >>> profile_interval(100, 80, 20), profile_interval(80, 80, 80)
    (Estimate(size=400.0, low=297.0, high=587.0), Estimate(size=80.0, low=80.0, high=80.0))
    >>> profile_interval(5, 5, 4)
    Estimate(size=6.0, low=6.0, high=9.0)
    """
    a, b, m = _counts(n_a, n_b, n_both)
    seen, best = a + b - m, min(a * b // m, _FAR) if m else _FAR
    least = (_log_likelihood(best, a, b, m) if m else 0.0) - normal_quantile(level) ** 2 / 2

    def likely(size: int) -> bool:
        return _log_likelihood(size, a, b, m) >= least

    low = seen if likely(seen) else _edge(best, seen, likely)
    beyond = best + 1
    while beyond < _FAR and likely(beyond):
        beyond *= 2
    high = inf if beyond >= _FAR else float(_edge(best, beyond, likely))
    return Estimate(float(best) if m else inf, float(low), high)


def _edge(inside: int, outside: int, holds: Callable[[int], bool]) -> int:
    """Return the last number from ``inside`` towards ``outside`` for which ``holds`` is true."""
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def _log_likelihood(size: int, a: int, b: int, m: int) -> float:
    """Return log [C(N − a, b − m) / C(N, b)] up to a constant."""
    return _log_falling(size - a, b - m) - _log_falling(size, b)


def _log_falling(n: int, k: int) -> float:
    """Return log [n (n − 1) … (n − k + 1)], by Stirling's series where two log-gammas would cancel."""
    rest = n - k
    if rest < 100:
        return lgamma(n + 1) - lgamma(rest + 1)
    return k * log(n) - (rest + 0.5) * log1p(-k / n) - k + (1 / n - 1 / rest) / 12


def _chapman(a: int, b: int, m: int) -> float:
    return (a + 1) * (b + 1) / (m + 1) - 1


def _seber(a: int, b: int, m: int) -> float:
    """Return the estimated variance of Chapman's estimate."""
    return (a + 1) * (b + 1) * (a - m) * (b - m) / ((m + 1) ** 2 * (m + 2))


def _log_normal(size: float, variance: float, seen: int, level: float) -> Estimate:
    z, unseen = normal_quantile(level), size - seen
    if unseen <= 0:
        return Estimate(size, size, size)
    factor = exp(z * sqrt(log1p(variance / unseen**2)))
    return Estimate(size, seen + unseen / factor, seen + unseen * factor)


def normal_quantile(level: float) -> float:
    """Return z: a normal number lies within z standard deviations of its mean with chance ``level``."""
    return NormalDist().inv_cdf((1 + checked_level(level)) / 2)


def checked_level(level: float) -> float:
    """Return the level of an interval. Raises ValueError unless it is between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}: give the chance that the interval is to cover, as 0.95")
    return level


def _counts(n_a: int, n_b: int, n_both: int) -> tuple[int, int, int]:
    a, b, m = index(n_a), index(n_b), index(n_both)
    if min(a, b) < 1:
        raise ValueError(f"a sample has {min(a, b)} pages: both need at least 1")
    if not 0 <= m <= min(a, b):
        raise ValueError(f"n_both is {m}: of samples of {a} and {b}, 0 to {min(a, b)} can be in both")
    return a, b, m
