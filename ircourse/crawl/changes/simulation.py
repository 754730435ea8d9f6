"""Pages that change at random and are visited at fixed rates, on a virtual clock (Poisson model).

λ_i, f_i  change rate and visit rate of page i, float64 (n,)

A page's changes are drawn from its visits: the first comes after an exponential time, and, looking back from
the next visit, so does the last, unless that falls before the first, which then was the only one. A page that
changes 10⁹ times between two visits costs no more than one that does not change.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.crawl.changes.checks import Floats, column
from ircourse.types import Clock, VirtualClock

__all__ = ["Measured", "Visit", "measure", "simulate_visits"]


class Visit(NamedTuple):
    """A visit to a page, and what had become of the copy since the visit before.

    time       when, by the clock
    page       its number
    elapsed    time since the visit before
    fresh_for  how long the copy was fresh, at most ``elapsed``
    since      time from the page's last change to this visit; infinite if it had not changed
    """

    time: float
    page: int
    elapsed: float
    fresh_for: float
    since: float


class Measured(NamedTuple):
    """What visits measured of each page, shape (n,): means over time and their standard errors."""

    freshness: Floats
    freshness_error: Floats
    age: Floats
    age_error: Floats


def simulate_visits(
    change_rates: ArrayLike,
    visit_rates: ArrayLike,
    rng: np.random.Generator | int,
    clock: Clock | None = None,
) -> Iterator[Visit]:
    """Yield visits in the order of time, without end: each page every 1/f_i, from a random start.

    A page's first visit makes the copy and is not told. The clock, a virtual one of its own by default,
    stands at each visit's time when it is yielded; its unit is that of the rates. Pages with a visit rate of
    0 are never visited; if all are, nothing is yielded. Raises ValueError as ``policy_means`` does.

    >>> visits = simulate_visits([0, 100], [1, 1], rng=1)
    >>> [(v.page, v.elapsed, v.fresh_for == v.elapsed) for _, v in zip(range(2), visits)]
    [(0, 1.0, True), (1, 1.0, False)]
    """
    rates = column("change_rates", change_rates).tolist()
    visits = column("visit_rates", visit_rates, len(rates)).tolist()
    return _simulated(rates, visits, np.random.default_rng(rng), clock or VirtualClock())


def _simulated(
    rates: list[float], visits: list[float], rng: np.random.Generator, clock: Clock
) -> Iterator[Visit]:
    begin = clock.now()
    due = [(begin + rng.random() / f, page, 0) for page, f in enumerate(visits) if f > 0]
    starts = {page: start for start, page, _ in due}
    heapq.heapify(due)
    while due:
        time, page, k = due[0]
        clock.wait(max(0.0, time - clock.now()))
        # From its start, not from the visit before: no rounding adds up.
        heapq.heapreplace(due, (starts[page] + (k + 1) / visits[page], page, k + 1))
        if k:
            yield _visit(time, page, 1 / visits[page], rates[page], rng)


def _visit(time: float, page: int, elapsed: float, rate: float, rng: np.random.Generator) -> Visit:
    first, back = rng.standard_exponential(2) / rate if rate else (inf, inf)
    if first >= elapsed:
        return Visit(time, page, elapsed, elapsed, inf)
    return Visit(time, page, elapsed, float(first), float(min(back, elapsed - first)))


def measure(visits: Iterable[Visit], pages: int) -> Measured:
    """Return mean freshness and age of pages 0 … ``pages`` − 1 over the time that the visits close.

    A copy is fresh for ``fresh_for``; then its age grows from 0 until the visit. The standard errors come
    from the spread between visits. Raises ValueError unless each page is visited at least twice.

    >>> two = [Visit(1.0, 0, 1.0, 0.5, 0.2), Visit(2.0, 0, 1.0, 1.0, inf)]
    >>> measured = measure(two, 1)
    >>> measured.freshness, measured.age
    (array([0.75]), array([0.0625]))
    """
    told = list(visits)
    page = np.array([v.page for v in told], np.int64)
    elapsed = np.array([v.elapsed for v in told])
    fresh = np.array([v.fresh_for for v in told])
    counts = np.bincount(page, minlength=pages)
    if len(counts) == 0 or counts.min() < 2:
        raise ValueError(
            f"page {int(np.argmin(counts)) if len(counts) else 0} has fewer than 2 visits: "
            "take more of them, and leave out pages that are never visited"
        )
    parts = (fresh, (elapsed - fresh) ** 2 / 2)
    (freshness, error), (age, age_error) = (_over_time(page, part, elapsed, counts) for part in parts)
    return Measured(freshness, error, age, age_error)


def _over_time(
    page: NDArray[np.int64], part: Floats, elapsed: Floats, counts: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return each page's sum of ``part`` over its time, and the standard error of that ratio."""
    sums = [np.bincount(page, weights=weights) for weights in (part, elapsed)]
    ratio = sums[0] / sums[1]
    off = np.bincount(page, weights=(part - ratio[page] * elapsed) ** 2)
    return ratio, np.sqrt(off * counts / (counts - 1)) / sums[1]
