"""Which page to visit next, by how good it is and how often it changes (book, section 20.2.3; notes-W).

λ  change rate, t time since the last visit, x = λt
q  quality of the page, say its PageRank: what a unit of time with a fresh copy is worth

A page that changes at every fetch (spam, a clock, a random quotation) is always stale, so a priority that
looks at change alone, 1 − e^{−λt}, fetches it again and again for a copy that is stale at once. What a visit
is for is the freshness it gains:
    visit_priority = q (1 − (1+x) e^{−x}) / λ,
which never exceeds q/λ. Visiting each page when this reaches a level μ gives intervals I with
q (1 − (1+λI) e^{−λI})/λ = μ, the optimum of ``revisit_rates``. Visiting the page of highest priority at each
turn comes near it, and no rates need be worked out ahead.

Differs from the book: it gives frequently changing pages of high quality high priority, and takes quality
as a guard against spam. As a factor of 1 − e^{−λt} quality still leaves most visits to a good page that
changes at every fetch, or to spam that is not known to be bad.
Source: Cho and Garcia-Molina (2003) for the optimum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.crawl.changes.checks import Floats, column, number, numbers, together, unpacked

__all__ = ["Priority", "stale_priority", "visit_by_priority", "visit_priority"]

Priority = Callable[[Floats, Floats, Floats], float | Floats]


@overload
def visit_priority(change_rate: float, elapsed: float, quality: float = 1.0) -> float: ...
@overload
def visit_priority(
    change_rate: ArrayLike, elapsed: ArrayLike, quality: ArrayLike = 1.0
) -> float | Floats: ...
def visit_priority(change_rate: ArrayLike, elapsed: ArrayLike, quality: ArrayLike = 1.0) -> float | Floats:
    """Return q (1 − (1+λt) e^{−λt})/λ, what a visit gains, in units of quality times time; 0 at rate 0.

    change_rate  changes a unit of time, finite
    elapsed      time since the last visit, in that unit; infinite if there was none
    quality      what a unit of time with a fresh copy is worth, finite
    Arrays are broadcast; numbers give a float. Raises ValueError for negative numbers, NaN and shapes that do
    not fit.

    >>> visit_priority([0.1, 1, 20], elapsed=7).round(3)  # a slow page, a daily one, a clock
    array([1.558, 0.993, 0.05 ])
    """
    from scipy.special import gammainc  # 1 − (1+x) e^{−x}, without cancellation

    rate, time, worth = _checked(change_rate, elapsed, quality)
    with np.errstate(over="ignore", invalid="ignore"):
        gained = gammainc(2, np.where(rate > 0, rate * time, 0.0))
    return unpacked(worth * np.divide(gained, rate, out=np.zeros(rate.shape), where=rate > 0))


@overload
def stale_priority(change_rate: float, elapsed: float, quality: float = 1.0) -> float: ...
@overload
def stale_priority(
    change_rate: ArrayLike, elapsed: ArrayLike, quality: ArrayLike = 1.0
) -> float | Floats: ...
def stale_priority(change_rate: ArrayLike, elapsed: ArrayLike, quality: ArrayLike = 1.0) -> float | Floats:
    """Return q (1 − e^{−λt}), the chance that the copy is stale times quality: the naive priority.

    Arguments and errors as for ``visit_priority``.

    >>> stale_priority([0.1, 1, 20], elapsed=7).round(3)
    array([0.503, 0.999, 1.   ])
    """
    rate, time, worth = _checked(change_rate, elapsed, quality)
    with np.errstate(over="ignore", invalid="ignore"):
        return unpacked(worth * -np.expm1(-np.where(rate > 0, rate * time, 0.0)))


def visit_by_priority(
    priority: Priority,
    change_rates: ArrayLike,
    qualities: ArrayLike | None = None,
    *,
    every: float,
    visits: int,
) -> NDArray[np.int64]:
    """Return how often each page is visited, shape (n,), when each turn goes to the highest priority.

    every   time between two visits, whichever pages they go to; the budget is 1/every
    visits  how many turns; all copies are fresh before the first. The first page wins ties

    >>> spam_and_two_good_pages = [20, 1, 2]
    >>> visit_by_priority(stale_priority, spam_and_two_good_pages, every=0.25, visits=1000).tolist()
    [865, 45, 90]
    >>> visit_by_priority(visit_priority, spam_and_two_good_pages, every=0.25, visits=1000).tolist()
    [1, 499, 500]
    """
    rates = column("change_rates", change_rates)
    worth = np.ones(len(rates)) if qualities is None else column("qualities", qualities, len(rates))
    turn = number("every", every)
    if not len(rates) or turn == 0:
        raise ValueError(f"{len(rates)} pages and a visit every {turn!r}: give a page, and a time above 0")
    counts, last = np.zeros(len(rates), np.int64), np.zeros(len(rates))
    for k in range(1, visits + 1):
        page = int(np.argmax(priority(rates, k * turn - last, worth)))
        counts[page] += 1
        last[page] = k * turn
    return counts


def _checked(change_rate: ArrayLike, elapsed: ArrayLike, quality: ArrayLike) -> list[Floats]:
    return together(
        change_rate=numbers("change_rate", change_rate),
        elapsed=numbers("elapsed", elapsed, endless=True),
        quality=numbers("quality", quality),
    )
