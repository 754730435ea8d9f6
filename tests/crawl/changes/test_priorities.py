"""Priorities from quality and change rate: what a visit gains, and that spam does not win."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import (
    policy_means,
    rate_from_visits,
    revisit_rates,
    stale_priority,
    visit_by_priority,
    visit_priority,
)

rates_of_pages = st.floats(-9, 9).map(lambda e: 10.0**e)


@given(rates_of_pages, rates_of_pages, st.floats(0, 1e3))
@settings(max_examples=100, deadline=None)
def test_the_priority_is_the_gain_that_the_optimum_levels(rate, elapsed, quality):
    x = rate * elapsed
    plain = 1 - (1 + x) * math.exp(-x)
    expected = quality * (plain if x > 1e-3 else x * x / 2 - x**3 / 3 + x**4 / 8) / rate
    assert visit_priority(rate, elapsed, quality) == pytest.approx(expected, rel=1e-7)
    assert visit_priority(rate, elapsed, quality) <= quality / rate * (1 + 1e-15)
    assert visit_priority(rate, 2 * elapsed, quality) >= visit_priority(rate, elapsed, quality)


def test_at_the_optimum_every_page_is_visited_at_the_same_priority():
    rng = np.random.default_rng(0)
    rates, quality = rng.lognormal(0, 1.5, 40), rng.lognormal(0, 1, 40)
    visits = revisit_rates(rates, 30, quality)
    visited = visits > 0
    due = visit_priority(rates[visited], 1 / visits[visited], quality[visited])
    assert due == pytest.approx(due[0], rel=1e-10)
    assert (visit_priority(rates[~visited], math.inf, quality[~visited]) <= due[0]).all()


def test_visiting_the_highest_priority_comes_near_the_optimum():
    rng = np.random.default_rng(1)
    rates, quality = rng.lognormal(0, 1.5, 40), rng.lognormal(0, 1, 40)
    visits = visit_by_priority(visit_priority, rates, quality, every=1 / 30, visits=6000)
    best = revisit_rates(rates, 30, quality)
    off = abs(visits / 200 - best)
    assert np.median(off) < 0.05 and off.sum() < 0.08 * 30
    reached = policy_means(rates, visits / 200, quality).freshness
    assert reached == pytest.approx(policy_means(rates, best, quality).freshness, rel=0.005)


def test_spam_gets_less_by_what_a_visit_gains_than_by_change_alone():
    # Thirty good pages, and three that change at every fetch: spam, a clock, a random quotation.
    rng = np.random.default_rng(2)
    rates = np.concatenate([[60.0] * 3, rng.lognormal(0, 1, 30)])
    quality = np.concatenate([[0.1, 1.0, 0.5], np.ones(30)])
    turns = {"every": 1 / 20, "visits": 3000}
    by_change = visit_by_priority(stale_priority, rates, **turns)
    by_both = visit_by_priority(stale_priority, rates, quality, **turns)
    by_gain = visit_by_priority(visit_priority, rates, quality, **turns)
    by_gain_alone = visit_by_priority(visit_priority, rates, **turns)
    spam = [int(counts[:3].sum()) for counts in (by_change, by_both, by_gain_alone, by_gain)]
    assert spam[0] > 0.7 * 3000 > spam[1] > 0.3 * 3000  # 3 of 33 pages: quality as a factor is not enough
    assert spam[2] <= 3 and spam[3] <= 3  # at the start, when no other page has had time to change
    fresh = [policy_means(rates, counts / 150, quality).freshness for counts in (by_change, by_both, by_gain)]
    assert fresh[0] < fresh[1] < fresh[2] - 0.2


def test_spam_is_found_out_from_its_own_visits():
    # Its rate is not known: each visit finds a change, so the estimate grows and the priority falls.
    priorities = []
    for n in (1, 3, 10, 100):
        estimate = rate_from_visits([0.01] * n, [True] * n)
        priorities.append(visit_priority(estimate.rate, 7.0))
    good = visit_priority(rate_from_visits([1.0] * 10, [True, False] * 5).rate, 7.0)
    assert priorities == sorted(priorities, reverse=True) and priorities[-1] < priorities[0] / 4
    assert max(priorities) < good / 50


@pytest.mark.parametrize("priority", [visit_priority, stale_priority])
def test_ends_and_shapes(priority):
    assert (
        priority(0, math.inf) == 0
        and priority(0, 5) == 0
        and priority(2.0, 0) == 0
        and priority(3, 2, 0) == 0
    )
    assert priority(2.0, math.inf, 6) == (3.0 if priority is visit_priority else 6.0)
    assert type(priority(1, 2)) is float
    table = priority([[1e-9], [1.0]], [0.0, 1.0, math.inf], 2.0)
    assert table.shape == (2, 3) and table[1, 1] == priority(1.0, 1.0, 2.0)


@pytest.mark.parametrize("priority", [visit_priority, stale_priority])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 1), "^change_rate is -1.0"),
        ((1, math.nan), "^elapsed is nan"),
        ((1, 1, math.inf), "^quality is inf"),
        (([1, 2], [1, 2, 3]), r"^change_rate has shape \(2,\), elapsed has shape \(3,\)"),
    ],
)
def test_bad_input_gets_one_clear_error(priority, arguments, message):
    with pytest.raises(ValueError, match=message):
        priority(*arguments)


def test_turns():
    assert visit_by_priority(visit_priority, [1.0, 1.0], every=1.0, visits=5).tolist() == [3, 2]
    assert visit_by_priority(visit_priority, [1.0, 1.0], every=1.0, visits=0).tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"^0 pages and a visit every 1.0"):
        visit_by_priority(visit_priority, [], every=1.0, visits=5)
    with pytest.raises(ValueError, match=r"^1 pages and a visit every 0.0"):
        visit_by_priority(visit_priority, [1.0], every=0.0, visits=5)
