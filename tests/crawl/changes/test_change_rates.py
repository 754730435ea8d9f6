"""Estimates of change rates: against their equations, a grid, and by trials with known rates."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from ircourse.crawl import (
    mean_freshness,
    naive_rate,
    rate_from_dates,
    rate_from_regular_visits,
    rate_from_visits,
)

intervals_and_changes = st.lists(
    st.tuples(st.floats(-4, 4).map(lambda e: 10.0**e), st.booleans()), min_size=1, max_size=30
).map(lambda pairs: ([t for t, _ in pairs], [c for _, c in pairs]))


def trial(rng, rate, intervals):
    """When the page last changed before each visit, and whether it had since the visit before."""
    since = rng.exponential(1 / rate, len(intervals))
    return since, since < intervals


def expected(rate, interval, n, estimate):
    """The exact mean of an estimate from n regular visits, over the binomial distribution of X."""
    p = -math.expm1(-rate * interval)
    chances = [math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]
    return math.fsum(chance * estimate(x) for x, chance in enumerate(chances))


@pytest.mark.parametrize("x", [0.01, 0.5, 1.0, 3.0, 10.0])
def test_the_naive_rate_is_low_by_the_factor_mean_freshness(x):
    mean = expected(x / 2, 2.0, 12, lambda k: naive_rate([2.0] * 12, [i < k for i in range(12)]))
    assert mean / (x / 2) == pytest.approx(mean_freshness(x / 2, 2.0), rel=1e-9)


@pytest.mark.parametrize(
    ("n", "x", "bias"),
    [(5, 0.1, 0.01), (5, 1.0, 0.01), (10, 1.0, 0.01), (20, 1.0, 0.01), (20, 2.0, 0.01), (50, 3.0, 0.01)],
)
def test_half_a_visit_takes_nearly_all_the_bias_away(n, x, bias):
    mean = expected(x, 1.0, n, lambda k: rate_from_regular_visits(k, n, 1.0))
    assert abs(mean / x - 1) < bias
    assert abs(mean_freshness(x, 1.0) - 1) > 4 * bias  # the naive rate's


def test_where_nearly_every_visit_finds_a_change_the_estimate_is_too_low():
    assert expected(2, 1.0, 10, lambda k: rate_from_regular_visits(k, 10, 1.0)) / 2 - 1 == pytest.approx(
        -0.03, abs=0.005
    )
    assert expected(3, 1.0, 5, lambda k: rate_from_regular_visits(k, 5, 1.0)) / 3 - 1 == pytest.approx(
        -0.29, abs=0.005
    )
    assert rate_from_regular_visits(10, 10, 0.5) == pytest.approx(math.log(21) / 0.5)


@given(st.integers(1, 60), st.floats(-6, 6), st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_regular_visits_are_a_case_of_any_visits(n, log_interval, seed):
    interval = 10.0**log_interval
    changed = np.random.default_rng(seed).random(n) < 0.5
    regular = rate_from_regular_visits(int(changed.sum()), n, interval)
    assert rate_from_visits([interval] * n, changed).rate == pytest.approx(regular, rel=1e-9)


@given(intervals_and_changes)
@settings(max_examples=120, deadline=None)
def test_the_estimate_solves_its_equation_and_lies_in_its_interval(visits):
    times, found = (np.array(part) for part in visits)
    rate, error, low, high = rate_from_visits(times, found)
    assert 0 <= low <= high
    if not found.any():
        assert (
            (rate, low) == (0, 0)
            and math.isnan(error)
            and high == pytest.approx(-math.log(0.025) / times.sum())
        )
        return
    with np.errstate(over="ignore"):
        left = (times[found] / np.expm1(rate * times[found])).sum()
        information = (times**2 / np.expm1(rate * times)).sum()
    assert left == pytest.approx(times[~found].sum() + times.mean() / 2, rel=1e-9)
    assert error == pytest.approx(information**-0.5, rel=1e-9)
    chance = np.log(-np.expm1(-low * times[found])).sum() - low * times[~found].sum()
    if found.all():
        assert high == math.inf and chance == pytest.approx(math.log(0.025), rel=1e-6)
    else:
        best = minimize_scalar(
            lambda u: (
                math.exp(u) * times[~found].sum() - np.log(-np.expm1(-math.exp(u) * times[found])).sum()
            ),
            bounds=(math.log(low), math.log(high)),
            method="bounded",
        )
        assert chance == pytest.approx(-best.fun - 1.9207, abs=1e-3)


@pytest.mark.parametrize(("n", "rate"), [(20, 1.0), (20, 2.0), (50, 0.5)])
@pytest.mark.parametrize("irregular", ["even", "exponential"])
def test_bias_and_intervals_with_irregular_visits_as_the_docstrings_say(n, rate, irregular):
    rng = np.random.default_rng(20)
    seen, dated, naive, held = [], [], [], np.zeros(2)
    for _ in range(400):
        times = rng.uniform(0.5, 1.5, n) if irregular == "even" else rng.exponential(1.0, n)
        since, changed = trial(rng, rate, times)
        a, b = rate_from_visits(times, changed), rate_from_dates(times, since)
        seen.append(a.rate)
        dated.append(b.rate)
        naive.append(naive_rate(times, changed))
        held += [a.low <= rate <= a.high, b.low <= rate <= b.high]
    noise = 4 / 20 * np.std(seen) / rate  # four standard errors of 400 trials
    assert abs(np.mean(seen) / rate - 1) < 0.05 + noise
    assert abs(np.mean(dated) / rate - 1) < 0.07 + noise
    assert np.mean(naive) / rate < 0.83 and np.mean(naive) < np.mean(seen)
    assert (held / 400 > 0.9).all()
    assert np.std(dated) < np.std(seen) * 1.1  # dates tell more, or as much


def test_the_standard_error_is_the_spread_of_estimates():
    rng = np.random.default_rng(3)
    times = rng.uniform(0.5, 1.5, 200)
    trials = [trial(rng, 1.0, times) for _ in range(300)]
    for estimates in (
        [rate_from_visits(times, changed) for _, changed in trials],
        [rate_from_dates(times, since) for since, _ in trials],
    ):
        spread = np.std([e.rate for e in estimates])
        assert np.mean([e.error for e in estimates]) == pytest.approx(spread, rel=0.15)


def test_dates_give_a_rate_where_visits_alone_cannot():
    # A page that changes 50 times between two visits: every visit finds a change, the dates tell the rest.
    since, changed = trial(np.random.default_rng(4), 50.0, np.ones(200))
    assert changed.all()
    assert rate_from_visits(np.ones(200), changed).rate == pytest.approx(math.log(401))
    low, high = rate_from_dates(np.ones(200), since)[2:]
    assert low < 50 < high < 65


def test_dates_exactly():
    assert rate_from_dates([2.0, 2.0], [5.0, math.inf])[:1] == (0.0,)
    assert rate_from_dates([2.0], [0.5]).rate == 2.0
    assert rate_from_dates([2.0, 2.0], [0.5, 1.5]).rate == 0.5  # (2 − 1)/2
    mixed = rate_from_dates([1.0, 2.0, 1.0], [0.5, 3.0, 1.0])
    assert mixed.rate == pytest.approx((0 - 1 / (3 * math.log(2 / 3))) / 3.5)


@given(intervals_and_changes, st.floats(-6, 6))
@settings(max_examples=60, deadline=None)
def test_rates_scale_with_the_unit_of_time(visits, log_unit):
    times, found = (np.array(part) for part in visits)
    unit = 10.0**log_unit
    ours, theirs = rate_from_visits(times, found), rate_from_visits(times * unit, found)
    assert np.allclose(np.array(theirs) * unit, ours, rtol=1e-8, equal_nan=True)
    assert naive_rate(times * unit, found) * unit == pytest.approx(naive_rate(times, found))


@pytest.mark.parametrize("estimate", [naive_rate, rate_from_visits])
@pytest.mark.parametrize(
    ("intervals", "changed", "message"),
    [
        ([], [], "^intervals is empty: give at least one, all above 0"),
        ([1, 0], [True, True], "^intervals is 0.0 beside 1.0: give at least one, all above 0"),
        ([1, -1], [True, True], "^intervals is -1.0"),
        ([1, math.nan], [True, True], "^intervals is nan"),
        ([1, math.inf], [True, True], "^intervals is inf"),
        ([1, 1], [True], r"^changed has shape \(1,\): give 2 numbers"),
        ([1, 1], [1, 2], "^changed holds 2.0: give True or False a visit"),
        ([1, 1], ["yes", "no"], r"^changed is"),
    ],
)
def test_bad_visits_get_one_clear_error(estimate, intervals, changed, message):
    with pytest.raises(ValueError, match=message):
        estimate(intervals, changed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 2, 1.0), "^3 changes in 2 visits"),
        ((0, 0, 1.0), "^0 changes in 0 visits"),
        ((0.5, 2, 1.0), "^0.5 changes"),
        ((-1, 2, 1.0), "^changes is -1.0"),
        ((1, 2, 0.0), "^interval is 0"),
        ((1, 2, math.nan), "^interval is nan"),
    ],
)
def test_bad_counts_get_one_clear_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        rate_from_regular_visits(*arguments)


def test_dates_that_cannot_be_or_tell_nothing_are_refused():
    with pytest.raises(ValueError, match=r"^since is 0 at every visit: such dates tell nothing"):
        rate_from_dates([1, 1], [0, 0])
    with pytest.raises(ValueError, match=r"^since is -3.0"):  # a server's clock that runs ahead
        rate_from_dates([1, 1], [0.5, -3])
    with pytest.raises(ValueError, match=r"^intervals has shape \(1,\): give 2 numbers"):
        rate_from_dates([1], [1, 1])
