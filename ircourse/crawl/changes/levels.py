"""Water-filling: the level at which visits that all gain the same use up the budget.

x  changes of a page to expect between two visits were all n pages visited equally; float64 (n,)
w  weights, the greatest 1; float64 (n,)
z  changes to expect between two visits at its own visit rate v = x/z; the v sum to n at the level looked for

A visit more to a page gains w g(z)/x^p: with g(z) = 1 − (1+z) e^{−z} and p = 1 for freshness, and with
g(z) = z²/2 − 1 + (1+z) e^{−z} and p = 2 for age. Both g grow with z, so each level gives one z a page, and
the sum of v falls as the level rises. It is bracketed by the least and the greatest gain when all pages are
visited equally.

z of a level is closed for freshness: z − ln(1+z) = s, s = −ln(1−g). Where s is small this is
Stirling's series in √(2s), elsewhere three of Newton's steps from a near start. For age it is Newton's
method alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ircourse.crawl.changes.checks import Floats
from ircourse.kernels import Kernel, in_threads, kernel

__all__ = ["AGE", "FRESHNESS", "Measure", "level", "visits_at"]

_STIRLING = (1.0, 1 / 3, 1 / 36, -1 / 270, 1 / 4320, 1 / 17010, -139 / 5443200, 1 / 204120, -571 / 2351462400)
_TOLERANCE = 9e-16  # four units in the last place, the least that brentq takes


class Measure(NamedTuple):
    """What visits are to serve: kernels that fill in all pages' gains when visited equally, and their v."""

    gains: Kernel[[int, int, Floats, Floats, Floats], None]
    visits: Kernel[[int, int, float, Floats, Floats, Floats], None]


def level(measure: Measure, x: Floats, w: Floats) -> tuple[float, float]:
    """Return two levels within rounding of each other, at the first of which at least n visits are made.

    At the second at most n are. x and w are positive, n ≥ 1.
    """
    from scipy.optimize import brentq  # here, as it takes long to import

    gains = np.empty(len(x))
    in_threads(measure.gains, len(x), x, w, gains)
    top = float(gains.max())

    def surplus(depth: float) -> float:
        total = float(visits_at(measure, top * math.exp(depth), x, w).sum())
        return (total - len(x)) / (total + len(x))

    deepest = math.log(float(gains.min()) / top)
    depth = brentq(surplus, deepest - 1e-12, 1e-12, xtol=_TOLERANCE, rtol=_TOLERANCE)
    near = 2 * _TOLERANCE * (1 + abs(depth))
    return top * math.exp(depth - near), top * math.exp(depth + near)


def visits_at(measure: Measure, mu: float, x: Floats, w: Floats) -> Floats:
    """Return the visits v of each page at the level ``mu``, shape (n,)."""
    visits = np.empty(len(x))
    in_threads(measure.visits, len(x), mu, x, w, visits)
    return visits


@kernel("float64(float64, int64)")
def _series(z: float, first: int) -> float:
    """Return the sum over k ≥ first of (k−1) zᵏ/k!, with signs + − + …; z is at most 1."""
    power = 1.0
    for k in range(1, first + 1):
        power *= z / k
    total = 0.0
    for k in range(first, first + 20):
        total += power * (k - 1)
        power *= -z / (k + 1)
    return total


@kernel("float64(float64)")
def _freshness_gain(z: float) -> float:
    return _series(z, 2) if z < 1 else 1 - (1 + z) * math.exp(-z)


@kernel("float64(float64)")
def _freshness_changes(gain: float) -> float:
    """Return z of the gain; infinite where the gain is 1 or more, which no visit has."""
    if gain >= 1:
        return np.inf
    s = -math.log1p(-gain)
    q = math.sqrt(2 * s)
    if q < 1.5:
        z = 0.0
        for c in _STIRLING[::-1]:
            z = (z + c) * q
        if q < 0.1:
            return z
    else:
        z = s + math.log1p(s + q)
    for _ in range(3):
        z = (math.log1p(z) + s) * (1 + z) / z - 1
    return z


@kernel("float64(float64)")
def _age_gain(z: float) -> float:
    return _series(z, 3) if z < 1 else z * z / 2 - 1 + (1 + z) * math.exp(-z)


@kernel("float64(float64)")
def _age_changes(gain: float) -> float:
    """Return z of the gain, from what the ends of its series say for small and large z."""
    t = (3 * gain) ** (1 / 3)
    z = t * (1 + t / 8) if gain < 1.5 else math.sqrt(2 * (gain + 1))
    for _ in range(4):
        z += (gain - _age_gain(z)) / (z * -math.expm1(-z))
    return z


@kernel("void(int64, int64, const float64[::1], const float64[::1], float64[::1])")
def _freshness_gains(start: int, stop: int, x: Floats, w: Floats, gains: Floats) -> None:
    for i in range(start, stop):
        gains[i] = _freshness_gain(x[i]) * (w[i] / x[i])


@kernel("void(int64, int64, const float64[::1], const float64[::1], float64[::1])")
def _age_gains(start: int, stop: int, x: Floats, w: Floats, gains: Floats) -> None:
    for i in range(start, stop):
        gains[i] = _age_gain(x[i]) * (w[i] / (x[i] * x[i]))


@kernel("void(int64, int64, float64, const float64[::1], const float64[::1], float64[::1])")
def _freshness_visits(start: int, stop: int, mu: float, x: Floats, w: Floats, visits: Floats) -> None:
    for i in range(start, stop):
        visits[i] = x[i] / _freshness_changes(mu * (x[i] / w[i]))


@kernel("void(int64, int64, float64, const float64[::1], const float64[::1], float64[::1])")
def _age_visits(start: int, stop: int, mu: float, x: Floats, w: Floats, visits: Floats) -> None:
    for i in range(start, stop):
        visits[i] = x[i] / _age_changes(mu * (x[i] * x[i] / w[i]))


FRESHNESS = Measure(_freshness_gains, _freshness_visits)
AGE = Measure(_age_gains, _age_visits)
