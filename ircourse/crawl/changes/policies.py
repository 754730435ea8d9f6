"""How often to visit each page when visits are limited (book, section 20.1.2).

λ_i  change rate of page i; float64 (n,)
f_i  its visit rate, so that its interval is 1/f_i; float64 (n,), summing to the budget B
w_i  its weight, 1 unless given; float64 (n,)
x_i  λ_i / f_i, changes to expect between two visits
μ    the level: what one more visit a unit of time gains, alike for all pages that are visited

Mean freshness Σ w_i mean_freshness(λ_i, 1/f_i) is concave in f, so it is greatest where the last visit gains
the same everywhere (water-filling):
    (w_i/λ_i) (1 − (1+x_i) e^{−x_i}) = μ   where f_i > 0,   and   w_i/λ_i ≤ μ   where f_i = 0.
A visit to a page that changes often gains at most w_i/λ_i: the copy is soon stale again. From λ/w = 1/μ on a
page is never visited. For mean age the gain is (w_i/λ_i²) (x²/2 − 1 + (1+x) e^{−x}), which grows without end
as visits become rare: age abandons no page. levels.py finds μ.

Differs from the book: it asks for "a frequency that approximates the rate of change". Visits in proportion to
change are worse than equal visits in both measures (claim C53).
Source: Cho and Garcia-Molina (2000, 2003).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.crawl.changes.checks import Floats, column, number
from ircourse.crawl.changes.formulas import mean_age, mean_freshness
from ircourse.crawl.changes.levels import AGE, FRESHNESS, Measure, level, visits_at

__all__ = [
    "PolicyMeans",
    "policy_means",
    "proportional_rates",
    "revisit_rates",
    "revisit_rates_for_age",
    "revisit_threshold",
    "uniform_rates",
]

_FAR = 1e70  # rates and weights further apart are not told from 0 and infinite


class PolicyMeans(NamedTuple):
    """Mean freshness and mean age of a collection of copies, over pages and time."""

    freshness: float
    age: float


def revisit_rates(change_rates: ArrayLike, budget: float, weights: ArrayLike | None = None) -> Floats:
    """Return the visit rates, shape (n,), that maximise (weighted) mean freshness and sum to ``budget``.

    change_rates  changes of each page a unit of time, shape (n,)
    budget        visits of all pages together in that unit, at least 0
    weights       what each page's freshness is worth, shape (n,); None: alike

    Pages with λ/w from ``revisit_threshold`` on get 0, and so do those that never change or weigh nothing.
    The whole budget is spent, unless all pages are such; then all rates are 0. Equal pages get equal rates.
    Numbers so small or so large beside the rest that floats cannot tell (a factor of 10^70) count as 0; a
    budget so far from every page that changes is refused. Raises ValueError for negative, infinite, NaN and
    ill-shaped input.

    >>> revisit_rates([1, 2, 3, 4, 5], budget=5).round(3)
    array([1.15 , 1.358, 1.354, 1.138, 0.   ])

    Source: Cho and Garcia-Molina (2003), their example of five pages.
    """
    return _optimum(FRESHNESS, change_rates, budget, weights)


def revisit_rates_for_age(change_rates: ArrayLike, budget: float, weights: ArrayLike | None = None) -> Floats:
    """Return the visit rates, shape (n,), that minimise (weighted) mean age and sum to ``budget``.

    Arguments, errors and special cases as for ``revisit_rates``, but no page that changes is abandoned.

    >>> revisit_rates_for_age([1, 2, 3, 4, 5], budget=5).round(3)
    array([0.835, 0.968, 1.034, 1.071, 1.093])

    Source: Cho and Garcia-Molina (2003).
    """
    return _optimum(AGE, change_rates, budget, weights)


def revisit_threshold(change_rates: ArrayLike, budget: float, weights: ArrayLike | None = None) -> float:
    """Return the λ/w at and beyond which ``revisit_rates`` never visits a page; without weights, the λ.

    Infinite where the level is 0 as no page changes; 0 for budget 0, which visits none.

    >>> 4 < revisit_threshold([1, 2, 3, 4, 5], budget=5) < 5
    True
    """
    problem = _problem(change_rates, budget, weights)
    if problem.visit == 0 or not len(problem.x):
        return 0.0 if problem.visit == 0 else float("inf")
    low, high = level(FRESHNESS, problem.x, problem.w)
    return 2 / (low + high) * problem.visit / problem.weight


def uniform_rates(change_rates: ArrayLike, budget: float) -> Floats:
    """Return equal visit rates that sum to ``budget``.

    >>> uniform_rates([1, 9], 4)
    array([2., 2.])
    """
    rates, total = column("change_rates", change_rates), number("budget", budget)
    return np.full(len(rates), total / max(1, len(rates)))


def proportional_rates(change_rates: ArrayLike, budget: float) -> Floats:
    """Return visit rates in proportion to the change rates that sum to ``budget``; all 0 if no page changes.

    >>> proportional_rates([1, 9], 4)
    array([0.4, 3.6])
    """
    rates, total = column("change_rates", change_rates), number("budget", budget)
    parts: Floats = rates / max(rates.max(initial=0.0), np.finfo(float).tiny)
    return total * parts / (parts.sum() or 1.0)


def policy_means(
    change_rates: ArrayLike, visit_rates: ArrayLike, weights: ArrayLike | None = None
) -> PolicyMeans:
    """Return the (weighted) mean freshness and mean age of pages visited at ``visit_rates``, evenly in time.

    A page that is never visited counts as stale and infinitely old, or as fresh if it never changes. Age is
    in the unit of time of the rates. Raises ValueError as ``revisit_rates`` does, for no page, and for
    weights that are all 0.

    >>> rates = [1, 2, 3, 4, 5]
    >>> [round(policy_means(rates, policy(rates, 15)).freshness, 3)
    ...     for policy in (proportional_rates, uniform_rates, revisit_rates)]
    [0.632, 0.65, 0.656]
    """
    rates = column("change_rates", change_rates)
    visits = column("visit_rates", visit_rates, len(rates))
    worth = np.ones(len(rates)) if weights is None else column("weights", weights, len(rates))
    if not worth.any():
        raise ValueError(f"{len(rates)} pages of weight 0 have no mean: give a page with a weight above 0")
    counts = worth > 0
    rates, visits, worth = rates[counts], visits[counts], worth[counts] / worth.max()
    with np.errstate(divide="ignore", over="ignore"):
        intervals = 1 / visits
    fresh, old = mean_freshness(rates, intervals), mean_age(rates, intervals)
    return PolicyMeans(float(np.average(fresh, weights=worth)), float(np.average(old, weights=worth)))


class _Problem(NamedTuple):
    """The pages that count, shape (n,); x and w as levels.py has them; the units of visits and of weights."""

    counts: NDArray[np.bool_]
    x: Floats
    w: Floats
    visit: float
    weight: float


def _optimum(measure: Measure, change_rates: ArrayLike, budget: float, weights: ArrayLike | None) -> Floats:
    problem = _problem(change_rates, budget, weights)
    counts, x, w, visit, _ = problem
    visits = np.zeros(len(counts))
    if visit == 0 or not len(x):
        return visits
    more, fewer = (visits_at(measure, mu, x, w) for mu in level(measure, x, w))
    # Floats cannot tell the gain of a page that is hardly visited from that of one never visited, so that
    # visits may jump between two levels; what lies between is as good and spends the budget.
    most, least = float(more.sum()), float(fewer.sum())
    share = min(max((len(x) - least) / (most - least), 0.0), 1.0) if most > least else 1.0
    mixed = fewer + share * (more - fewer)
    visits[counts] = mixed * (len(x) / mixed.sum()) * visit
    return visits


def _problem(change_rates: ArrayLike, budget: float, weights: ArrayLike | None) -> _Problem:
    rates, total = column("change_rates", change_rates), number("budget", budget)
    worth = np.ones(len(rates)) if weights is None else column("weights", weights, len(rates))
    weight = float(worth.max(initial=0.0))
    counts = (rates > 0) & (worth > weight / _FAR) & (rates > total / max(1, len(rates)) / _FAR)
    n = max(1, int(counts.sum()))
    if not counts.any() and (fast := float(rates[worth > weight / _FAR].max(initial=0.0))) > 0:
        raise ValueError(
            f"budget is {total!r}, too large beside the fastest change rate, {fast!r}: "
            f"give one below {fast * _FAR * len(rates):.1e}"
        )
    if rates[counts].max(initial=0.0) / _FAR > total / n and total > 0:
        raise ValueError(
            f"budget is {total!r}, too small beside a change rate of {float(rates.max())!r}: "
            f"give one above {float(rates.max()) / _FAR * n:.1e}"
        )
    x = rates[counts] / (total / n) if total > 0 else rates[counts]
    return _Problem(counts, x, worth[counts] / (weight or 1.0), total / n, weight)
