"""Simulated changes and visits against the formulas, within the errors that they state."""

import math
from itertools import islice

import numpy as np
import pytest

from ircourse.crawl import Visit, mean_age, mean_freshness, measure, rate_from_dates, simulate_visits
from ircourse.types import VirtualClock


def test_what_is_measured_meets_the_formulas_within_four_standard_errors():
    # 20,000 visits to five pages, 4,000 each: the errors stated are below 2% of freshness and 4% of age.
    rates, visits = np.array([1e-3, 0.3, 1.0, 5.0, 1e6]), np.ones(5)
    measured = measure(islice(simulate_visits(rates, visits, rng=1), 20_000), 5)
    fresh, old = mean_freshness(rates, 1.0), mean_age(rates, 1.0)
    assert (abs(measured.freshness - fresh) <= 4 * measured.freshness_error).all()
    assert (abs(measured.age - old) <= 4 * measured.age_error).all()
    assert (measured.freshness_error[1:4] < 0.02 * fresh[1:4]).all()
    assert (measured.age_error[1:4] < 0.04 * old[1:4]).all()


def test_the_stated_errors_are_the_spread_between_runs():
    runs = [measure(islice(simulate_visits([1.0], [0.5], rng=i), 50), 1) for i in range(200)]
    for values, errors in ((0, 1), (2, 3)):
        spread = np.std([run[values][0] for run in runs])
        assert np.mean([run[errors][0] for run in runs]) == pytest.approx(spread, rel=0.15)


def test_visits_come_in_order_at_their_rates_by_the_clock():
    clock = VirtualClock(100.0)
    last = 100.0
    counts = [0, 0, 0]
    for visit in islice(simulate_visits([1.0, 1.0, 1.0], [4.0, 1.0, 0.0], rng=2, clock=clock), 500):
        assert visit.time == pytest.approx(clock.now()) and visit.time >= last
        assert visit.elapsed == (0.25, 1.0)[visit.page]
        assert 0 <= visit.fresh_for <= visit.elapsed
        assert (visit.since == math.inf) == (visit.fresh_for == visit.elapsed)
        assert visit.since == math.inf or visit.since <= visit.elapsed - visit.fresh_for
        last = visit.time
        counts[visit.page] += 1
    assert counts == pytest.approx([400, 100, 0], abs=2)


def test_the_times_of_last_changes_follow_the_rate():
    visits = list(islice(simulate_visits([3.0], [1.0], rng=5), 3000))
    estimate = rate_from_dates([v.elapsed for v in visits], [v.since for v in visits])
    assert abs(estimate.rate - 3) < 4 * estimate.error < 0.3


def test_it_repeats_and_ends_where_nothing_is_visited():
    first, again = (list(islice(simulate_visits([1, 2], [1, 3], rng=7), 50)) for _ in range(2))
    assert first == again
    assert list(simulate_visits([1.0], [0.0], rng=1)) == []
    assert list(simulate_visits([], [], rng=1)) == []


def test_bad_input_gets_one_clear_error_at_once():
    with pytest.raises(ValueError, match=r"^change_rates is -1.0"):
        simulate_visits([-1.0], [1.0], rng=1)
    with pytest.raises(ValueError, match=r"^visit_rates has shape \(2,\)"):
        simulate_visits([1.0], [1.0, 2.0], rng=1)
    for visits, pages in (([], 0), ([], 2), ([Visit(1.0, 0, 1.0, 1.0, math.inf)], 1)):
        with pytest.raises(ValueError, match=r"^page 0 has fewer than 2 visits: take more"):
            measure(visits, pages)
