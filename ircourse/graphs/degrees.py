"""Degrees and the power law of in-degrees (book, section 19.2.1).

x        a degree, a whole number of at least 1
x_min    where the tail starts that the law is fitted to
alpha    the exponent: in the tail the share of pages with degree x is x^−alpha / ζ(alpha, x_min)
ζ(a, q)  Hurwitz's zeta function, the sum of (q + i)^−a over i = 0, 1, 2, …

The likeliest exponent maximises −n ln ζ(alpha, x_min) − alpha Σ ln x over the n degrees of the tail. Its
standard error is 1 / √(n (ln ζ)″). How well it fits is told by the largest distance between the share of the
tail at x or above and what the law says; how large a distance chance alone gives, by the same from numbers
drawn from the law.

Differs from the book: it names the exponent, 2.1, not how it was found. A line through the points of a plot
with logarithmic axes, or a fit to all degrees, measures the body of the distribution, which has no power law.
Source: Clauset, Shalizi and Newman (2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "PowerLaw",
    "continuous_exponent",
    "degree_counts",
    "draw_power_law",
    "goodness_of_fit",
    "power_law_exponent",
    "share_at_least",
]

LARGEST = 2**62
_TABLE = 2**12  # so many values are found in a table, larger ones by halving

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PowerLaw:
    """A power law fitted to a tail.

    exponent, standard_error  alpha and its standard error
    x_min, n_tail             where the tail starts, and how many degrees are in it
    distance                  Kolmogorov and Smirnov's: the most by which the shares at least x differ
    """

    exponent: float
    standard_error: float
    x_min: int
    n_tail: int
    distance: float

    def share_at_least(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the tail that the law puts at x or above, x ≥ x_min; float64."""
        from scipy.special import zeta

        shares: NDArray[np.float64] = zeta(self.exponent, np.asarray(x, np.float64)) / zeta(
            self.exponent, self.x_min
        )
        return shares


def degree_counts(degrees: ArrayLike) -> tuple[Ints, Ints]:
    """Return the degrees that occur, ascending, and how many pages have each: ``(values, counts)``.

    >>> values, counts = degree_counts([3, 0, 1, 1])
    >>> values.tolist(), counts.tolist()
    ([0, 1, 3], [1, 2, 1])
    """
    values, counts = np.unique(_checked(degrees), return_counts=True)
    return values, counts.astype(np.int64)


def share_at_least(degrees: ArrayLike) -> tuple[Ints, NDArray[np.float64]]:
    """Return the degrees that occur, and the share of pages with at least each: ``(values, shares)``.

    With logarithmic axes a power law is a straight line of slope −(alpha − 1), without the noise that single
    degrees have.

    >>> values, shares = share_at_least([3, 0, 1, 1])
    >>> values.tolist(), shares.tolist()
    ([0, 1, 3], [1.0, 0.75, 0.25])
    """
    values, counts = degree_counts(degrees)
    return values, np.cumsum(counts[::-1])[::-1] / max(1, counts.sum())


def power_law_exponent(degrees: ArrayLike, x_min: int) -> PowerLaw:
    """Return the power law that makes the degrees from ``x_min`` on likeliest.

    degrees  whole numbers of at least 0, in any order; those below x_min do not count

    Raises ValueError for fewer than two degrees in the tail, and where no exponent is likeliest, since all
    are x_min or they fall faster than any power law.

    >>> fit = power_law_exponent([1] * 80 + [2] * 13 + [3] * 4 + [5, 8, 40], 1)
    >>> round(fit.exponent, 3), round(fit.standard_error, 3), fit.n_tail, round(fit.distance, 3)
    (2.784, 0.209, 100, 0.017)
    """
    from scipy.optimize import minimize_scalar

    tail = _tail(degrees, x_min)
    mean = float(np.log(tail).mean())
    most = 600 / np.log(x_min + 1)  # beyond it ζ is too small for a float
    found = minimize_scalar(
        lambda alpha: _log_zeta(alpha, x_min) + alpha * mean,
        bounds=(1 + 1e-6, most),
        method="bounded",
        options={"xatol": 1e-9},
    )
    alpha = float(found.x)
    if (tail == x_min).all() or alpha > 0.99 * most:
        raise ValueError(
            f"the {len(tail)} degrees from {x_min} to {tail.max()} fall faster than any power law: give a "
            "smaller x_min"
        )
    h = 1e-3 * (alpha - 1)
    bend = (_log_zeta(alpha + h, x_min) - 2 * _log_zeta(alpha, x_min) + _log_zeta(alpha - h, x_min)) / h**2
    law = PowerLaw(alpha, float(1 / np.sqrt(len(tail) * bend)), int(x_min), len(tail), 0.0)
    return PowerLaw(law.exponent, law.standard_error, law.x_min, law.n_tail, _distance(tail, law))


def continuous_exponent(degrees: ArrayLike, x_min: int) -> float:
    """Return 1 + n / Σ ln(x / x_min): the likeliest exponent if degrees were no whole numbers.

    It comes near that of ``power_law_exponent`` for a large x_min only.

    >>> round(continuous_exponent([1] * 80 + [2] * 13 + [3] * 4 + [5, 8, 40], 1), 3)
    5.812
    """
    tail = _tail(degrees, x_min)
    total = float(np.log(tail / x_min).sum())
    if total == 0:
        raise ValueError(f"all degrees from x_min on are {x_min}: give a smaller x_min")
    return 1 + len(tail) / total


def goodness_of_fit(law: PowerLaw, rng: np.random.Generator | int = 0, samples: int = 100) -> float:
    """Return the share of samples drawn from the law that lie farther from their own fit than its tail did.

    Near 0, the law is not plausible: below 0.1 it is commonly given up. The standard error is at most
    0.5 / √samples.

    >>> goodness_of_fit(power_law_exponent(draw_power_law(2.1, 3, 500, 0), 3)) > 0.1
    True
    """
    if samples < 1:
        raise ValueError(f"samples is {samples!r}: give a number of at least 1")
    rng = np.random.default_rng(rng)
    farther = 0
    for _ in range(samples):
        drawn = draw_power_law(law.exponent, law.x_min, law.n_tail, rng)
        farther += (drawn == law.x_min).all() or power_law_exponent(drawn, law.x_min).distance >= law.distance
    return farther / samples


def draw_power_law(exponent: float, x_min: int, n: int, rng: np.random.Generator | int = 0) -> Ints:
    """Return n whole numbers drawn from the power law, at least x_min; int64 (n,).

    Those above 2**62, which exponents near 1 give, come as 2**62.

    >>> draw_power_law(2.1, 1, 8, 1).tolist()
    [1, 9, 1, 9, 1, 1, 3, 1]
    """
    from scipy.special import zeta

    if not 1 < exponent < np.inf:
        raise ValueError(f"exponent is {exponent!r}: give a finite number above 1")
    _check_x_min(x_min)
    if n < 0:
        raise ValueError(f"n is {n!r}: give a number of at least 0")
    whole = float(zeta(exponent, x_min))
    if whole == 0:
        raise ValueError(f"exponent {exponent!r} is too large for x_min {x_min}: give one that is smaller")
    # x is the largest number with a share of at least u at x or above, so look for the first below u.
    u = 1 - np.random.default_rng(rng).random(n)
    table = zeta(exponent, np.arange(x_min + 1, x_min + _TABLE)) / whole
    drawn = x_min + np.searchsorted(-table, -u, side="right").astype(np.int64)
    far = drawn == x_min + len(table)
    low, high = drawn[far], np.full(int(far.sum()), LARGEST)
    while (low < high).any():
        middle = low + (high - low + 1) // 2
        at_least = zeta(exponent, middle) / whole >= u[far]
        low, high = np.where(at_least, middle, low), np.where(at_least, high, middle - 1)
    drawn[far] = low
    return drawn


def _distance(tail: Ints, law: PowerLaw) -> float:
    """Return the most by which the shares of the tail and of the law at or above any x differ."""
    values, shares = share_at_least(tail)
    after = np.append(shares[1:], 0)  # of the tail, above each value
    differences = np.abs(shares - law.share_at_least(values)), np.abs(after - law.share_at_least(values + 1))
    return float(np.maximum(*differences).max())


def _log_zeta(alpha: float, x_min: int) -> float:
    from scipy.special import zeta

    return float(np.log(zeta(alpha, x_min)))


def _tail(degrees: ArrayLike, x_min: int) -> Ints:
    _check_x_min(x_min)
    degrees = _checked(degrees)
    tail = np.sort(degrees[degrees >= x_min])  # so that sums do not depend on the order
    if len(tail) < 2:
        raise ValueError(
            f"{len(tail)} of {len(degrees)} degrees are at least x_min {x_min}: give a smaller one"
        )
    return tail


def _checked(degrees: ArrayLike) -> Ints:
    given: NDArray[Any] = np.asarray(degrees)
    if given.size == 0:
        return np.empty(0, np.int64)
    whole = given.dtype.kind in "iu" or (
        given.dtype.kind == "f" and np.isfinite(given).all() and (np.floor(given) == given).all()
    )
    if given.ndim != 1 or not whole or given.min() < 0:
        raise ValueError(f"degrees are whole numbers of at least 0 in one row, not {given!r:.120}")
    return given.astype(np.int64)


def _check_x_min(x_min: int) -> None:
    if not 1 <= x_min < LARGEST or x_min != int(x_min):
        raise ValueError(f"x_min is {x_min!r}: give a whole number of at least 1")
