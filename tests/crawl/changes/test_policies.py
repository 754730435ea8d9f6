"""Revisit policies: the optimum against a general optimiser, its conditions, and the ends of its range."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize
from scipy.special import gammainc, gammaincinv

from ircourse.crawl import (
    mean_age,
    mean_freshness,
    policy_means,
    proportional_rates,
    revisit_rates,
    revisit_rates_for_age,
    revisit_threshold,
    uniform_rates,
)
from ircourse.crawl.changes import levels

POLICIES = [revisit_rates, revisit_rates_for_age, uniform_rates, proportional_rates]
rates_of_pages = st.lists(st.floats(-9, 9).map(lambda e: 10.0**e), min_size=1, max_size=12)


def by_general_optimiser(cost, n, budget):
    found = minimize(
        cost,
        np.full(n, budget / n),
        method="trust-constr",
        bounds=[(1e-9, budget)] * n,
        constraints=[LinearConstraint(np.ones(n), budget, budget)],
        options={"maxiter": 400, "gtol": 1e-9, "xtol": 1e-12},
    )
    return found.x


@pytest.mark.filterwarnings("ignore::UserWarning")  # trust-constr's: the Jacobian has not changed
@pytest.mark.parametrize("weights", [None, [3.0, 0.5, 1.0, 2.0]])
def test_no_other_rates_that_a_general_optimiser_finds_are_better(weights):
    rates, budget = np.array([0.2, 1.0, 4.0, 9.0]), 3.0
    w = np.ones(4) if weights is None else np.array(weights)
    for policy, value in (
        (revisit_rates, lambda f: -(w * mean_freshness(rates, 1 / f)).sum()),
        (revisit_rates_for_age, lambda f: (w * mean_age(rates, 1 / f)).sum()),
    ):
        ours = policy(rates, budget, weights)
        theirs = by_general_optimiser(value, 4, budget)
        assert np.allclose(ours, theirs, atol=2e-3)
        assert value(np.maximum(ours, 1e-12)) <= value(theirs) + 1e-9


def gain(rates, visits, weights):
    """What another visit to each page gains in freshness: w (1 − (1+x) e^{−x}) / λ."""
    with np.errstate(divide="ignore"):
        return weights * gammainc(2, rates / visits) / rates


@given(rates_of_pages, st.floats(-6, 6), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_visits_that_are_made_gain_the_same_and_others_would_gain_no_more(rates, log_budget, seed):
    rates, budget = np.array(rates), 10.0**log_budget
    weights = np.random.default_rng(seed).choice([0.25, 1.0, 7.0], len(rates))
    visits = revisit_rates(rates, budget, weights)
    assert visits.sum() == pytest.approx(budget, rel=1e-12) and (visits >= 0).all()
    gains, threshold = gain(rates, visits, weights), revisit_threshold(rates, budget, weights)
    visited = visits > 0
    assert gains[visited] == pytest.approx(1 / threshold, rel=1e-11)
    assert (gains[~visited] <= gains[visited].min() * (1 + 1e-11)).all()
    assert (rates[~visited] / weights[~visited] >= threshold * (1 - 1e-11)).all()
    assert (rates[visited] / weights[visited] <= threshold * (1 + 1e-11)).all()


@given(rates_of_pages, st.floats(-6, 6))
@settings(max_examples=80, deadline=None)
def test_for_age_all_visits_gain_the_same_and_no_page_is_abandoned(rates, log_budget):
    rates, budget = np.array(rates), 10.0**log_budget
    visits = revisit_rates_for_age(rates, budget)
    assert visits.sum() == pytest.approx(budget, rel=1e-12) and (visits > 0).all()
    x = rates / visits
    small = x**3 * (1 / 3 - x * (1 / 8 - x * (1 / 30 - x / 144)))
    gains = np.where(x < 1e-3, small, x**2 / 2 - gammainc(2, x)) / rates**2
    assert gains == pytest.approx(gains[0], rel=1e-8)


@given(rates_of_pages, st.floats(-3, 3), st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_each_optimum_is_at_least_as_good_as_any_other_policy(rates, log_budget, seed):
    budget = 10.0**log_budget
    drawn = np.random.default_rng(seed).dirichlet(np.ones(len(rates))) * budget
    others = [policy(rates, budget) for policy in POLICIES] + [drawn]
    freshest = policy_means(rates, revisit_rates(rates, budget)).freshness
    youngest = policy_means(rates, revisit_rates_for_age(rates, budget)).age
    for visits in others:
        assert freshest >= policy_means(rates, visits).freshness - 1e-13
        assert youngest <= policy_means(rates, visits).age * (1 + 1e-12)


def test_the_book_of_the_example_is_kept():
    # Cho and Garcia-Molina's five pages that change 1 to 5 times a day, five visits a day in all.
    assert revisit_rates([1, 2, 3, 4, 5], 5) == pytest.approx([1.15, 1.36, 1.35, 1.14, 0.0], abs=0.006)


@pytest.mark.parametrize("policy", POLICIES)
def test_ends(policy):
    assert policy([], 5).tolist() == []
    assert policy([3.0], 5).tolist() == [5.0]
    assert policy([3.0, 1.0], 0).tolist() == [0.0, 0.0]
    assert policy([2.0] * 4, 8) == pytest.approx([2.0] * 4, rel=1e-14)
    assert policy(np.arange(1, 9), 1e30).sum() == pytest.approx(1e30, rel=1e-12)
    assert policy([1e-9, 1e9, 1.0], 3.0).sum() == pytest.approx(3.0, rel=1e-12)
    assert policy([3, 1], 5).dtype == np.float64


@pytest.mark.parametrize("policy", [revisit_rates, revisit_rates_for_age])
def test_pages_that_gain_nothing_get_nothing(policy):
    assert policy([0.0, 0.0], 5).tolist() == [0.0, 0.0]
    assert policy([0.0, 2.0], 5).tolist() == [0.0, 5.0]
    assert policy([1.0, 2.0], 5, [0.0, 3.0]).tolist() == [0.0, 5.0]
    assert policy([1.0, 2.0], 5, [0.0, 0.0]).tolist() == [0.0, 0.0]
    assert policy([1e-300, 2.0], 5).tolist() == [0.0, 5.0]
    assert np.array_equal(policy([1.0, 2.0], 5, [2.0, 2.0]), policy([1.0, 2.0], 5))


def test_equal_pages_get_equal_rates_even_where_hardly_any_visit_is_left_for_them():
    # Floats cannot tell the gain of 1e-6 visits a change from that of none: the level alone decides nothing.
    visits = revisit_rates([1e6] * 7, 7.0)
    assert visits == pytest.approx([1.0] * 7, rel=1e-14) and len(set(visits.tolist())) == 1
    mixed = revisit_rates([1.0, 1e6, 1e6, 1.0], 40.0)
    assert mixed[0] == mixed[3] > 0 and mixed[1] == mixed[2]


def test_the_threshold_parts_the_visited_from_the_abandoned():
    rates = np.random.default_rng(0).lognormal(0, 2, 2000)
    threshold = revisit_threshold(rates, 500)
    assert np.array_equal(revisit_rates(rates, 500) == 0, rates >= threshold)
    assert 0 < (rates >= threshold).sum() < 2000
    assert revisit_threshold(rates * 24, 500 * 24) == pytest.approx(24 * threshold)  # in other units
    weights = np.full(2000, 3.0)
    assert revisit_threshold(rates, 500, weights) == pytest.approx(threshold / 3)
    assert revisit_threshold([0.0], 1) == math.inf and revisit_threshold([1.0], 0) == 0


def test_rates_scale_with_the_unit_of_time_and_follow_the_pages():
    rates = np.random.default_rng(1).lognormal(0, 2, 50)
    for policy in POLICIES:
        visits = policy(rates, 20)
        assert policy(rates * 7, 20 * 7) == pytest.approx(visits * 7, rel=1e-11)
        assert policy(rates[::-1], 20) == pytest.approx(visits[::-1], rel=1e-12)


def test_policy_means_are_means_over_pages():
    means = policy_means([1.0, 2.0], [1.0, 0.5])
    assert means.freshness == pytest.approx((mean_freshness(1, 1) + mean_freshness(2, 2)) / 2)
    assert means.age == pytest.approx((mean_age(1, 1) + mean_age(2, 2)) / 2)
    weighed = policy_means([1.0, 2.0, 5.0], [1.0, 0.5, 0.0], [3.0, 1.0, 0.0])
    assert weighed.freshness == pytest.approx((3 * mean_freshness(1, 1) + mean_freshness(2, 2)) / 4)
    assert policy_means([1.0, 0.0], [0.0, 0.0]) == (0.5, math.inf)


def test_kernels_run_plain_to_the_same_numbers():
    for g in (1e-300, 1e-9, 0.004, 0.006, 0.5, 0.68, 0.9, 1 - 1e-12):
        z = levels._freshness_changes(g)
        assert z == pytest.approx(levels._freshness_changes.plain(g), rel=1e-14)
        assert z == pytest.approx(gammaincinv(2, g), rel=1e-12)
    for z in (1e-40, 1e-3, 0.99, 1.0, 1.01, 1.4, 2.0, 30.0, 1e20):
        assert levels._age_changes(levels._age_gain(z)) == pytest.approx(z, rel=2e-15)
        assert levels._age_gain.plain(z) == pytest.approx(levels._age_gain(z), rel=1e-15)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("rates", "budget", "message"),
    [
        ([1, -1], 1, "^change_rates is -1.0: give finite"),
        ([1, math.nan], 1, "^change_rates is nan"),
        ([math.inf], 1, "^change_rates is inf"),
        ("fast", 1, "^change_rates is 'fast'"),
        (1.0, 1, r"^change_rates has shape \(\): give a list of numbers, one a page"),
        ([[1.0]], 1, r"^change_rates has shape \(1, 1\)"),
        ([1], -1, "^budget is -1.0"),
        ([1], math.inf, "^budget is inf"),
        ([1], [1, 2], r"^budget is \[1, 2\]: give one"),
    ],
)
def test_bad_input_gets_one_clear_error(policy, rates, budget, message):
    with pytest.raises(ValueError, match=message):
        policy(rates, budget)


def test_bad_weights_visits_and_spreads_are_refused():
    for policy in (revisit_rates, revisit_rates_for_age):
        with pytest.raises(ValueError, match=r"^weights has shape \(1,\): give 2 numbers, one a page"):
            policy([1, 2], 1, [1])
        with pytest.raises(ValueError, match=r"^weights is -1.0"):
            policy([1, 2], 1, [1, -1])
        with pytest.raises(ValueError, match=r"budget is 1e\+300, too large .* below 4.0e\+70"):
            policy([1, 2], 1e300)
        assert policy([1, 2], 3e70).sum() == pytest.approx(3e70)
        assert list(policy([0, 0], 1e300)) == list(policy([1, 0], 1e300, [0, 1])) == [0, 0]
        with pytest.raises(ValueError, match="too small beside a change rate"):
            policy([1e300], 1e-300)
    with pytest.raises(ValueError, match=r"^visit_rates has shape \(1,\): give 2"):
        policy_means([1, 2], [1])
    with pytest.raises(ValueError, match=r"^2 pages of weight 0 have no mean"):
        policy_means([1, 2], [1, 1], [0, 0])
    with pytest.raises(ValueError, match=r"^0 pages"):
        policy_means([], [])
