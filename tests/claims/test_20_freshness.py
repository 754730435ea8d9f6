"""Claims C52 and C53: freshness, age, and how often to visit."""

import math
from itertools import islice

import numpy as np
import pytest
from scipy.integrate import quad

from ircourse.crawl import (
    age,
    freshness,
    mean_age,
    mean_freshness,
    measure,
    policy_means,
    proportional_rates,
    revisit_rates,
    revisit_rates_for_age,
    revisit_threshold,
    simulate_visits,
    uniform_rates,
)


def test_c52_a_copy_is_fresh_or_not_and_fresh_with_chance_e_to_the_minus_rate_times_t():
    # One page at a time t after its visit, 20,000 times: fresh (1) or stale (0), e^{−λt} on average.
    rate, t = 1 / 7, 7.0
    first_change = np.random.default_rng(52).exponential(1 / rate, 20_000)
    fresh = (first_change > t).astype(int)
    assert set(fresh.tolist()) == {0, 1}
    assert fresh.mean() == pytest.approx(freshness(rate, t), abs=4 * math.sqrt(0.25 / 20_000))
    assert freshness(rate, t) == pytest.approx(1 / math.e)
    ages = np.maximum(t - first_change, 0)
    assert ages.mean() == pytest.approx(age(rate, t), abs=4 * ages.std() / math.sqrt(20_000))


def test_c52_age_is_t_minus_and_a_week_gives_seven_over_e():
    assert age(1 / 7, 7) == pytest.approx(7 / math.e, rel=1e-15)
    assert round(age(1 / 7, 7), 3) == 2.575
    for rate, t in ((1 / 7, 7.0), (2.0, 3.0), (0.01, 5.0)):
        assert age(rate, t) == pytest.approx(t - (1 - math.exp(-rate * t)) / rate, rel=1e-9)
        integral = quad(lambda x, a, t: a * math.exp(-a * x) * (t - x), 0, t, args=(rate, t))[0]
        assert age(rate, t) == pytest.approx(integral, rel=1e-9)


def test_c52_age_grows_with_staleness_while_freshness_is_used_up():
    t = np.linspace(0, 70, 200)
    fresh, old = freshness(1 / 7, t), age(1 / 7, t)
    growth = np.diff(old)
    assert (np.diff(growth) > 0).all()  # the longer unvisited, the faster it ages, up to a day a day
    assert growth[-1] == pytest.approx(t[1], rel=1e-3)
    assert fresh[-1] < 1e-4 and (np.diff(fresh) < 0).all()


def test_c52_erratum_the_printed_integral_is_no_age():
    # notes-J has e^{λx} for e^{−λx}.
    def printed(rate, t):
        return quad(lambda x: rate * math.exp(rate * x) * (t - x), 0, t)[0]

    assert printed(1 / 7, 7) == pytest.approx(7 * (math.e - 2))  # 5.03 days for 2.58
    assert printed(3 / 7, 7) > 5 * 7  # older than the time since the visit
    assert age(3 / 7, 7) < 7
    assert quad(lambda x: math.exp(x), 0, 1)[0] > 1.7  # and its "density" sums to more than 1


def test_c52_tiny_rates():
    rate, t = 1e-9, 7.0
    assert t - (1 - math.exp(-rate * t)) / rate < 0  # as printed: a negative age
    assert age(rate, t) == pytest.approx(rate * t**2 / 2, rel=1e-8)


def web_of(n, seed=53):
    """Change rates a day as webs have them: half of the pages monthly or slower, a few many times a day."""
    return np.random.default_rng(seed).lognormal(math.log(1 / 30), 2.0, n)


@pytest.mark.parametrize("visits_a_page", [0.01, 0.1, 1.0])
def test_c53_equal_visits_beat_visits_in_proportion_to_change(visits_a_page):
    rates = web_of(10_000)
    budget = visits_a_page * len(rates)
    equal = policy_means(rates, uniform_rates(rates, budget))
    proportional = policy_means(rates, proportional_rates(rates, budget))
    assert equal.freshness > proportional.freshness
    assert proportional.age > 10 * equal.age  # far more in age
    # In proportion, every page is as fresh as any other, the slow ones too.
    x = rates / proportional_rates(rates, budget)
    assert x == pytest.approx(x[0])


def test_c53_equal_beats_proportional_whatever_the_rates():
    rng = np.random.default_rng(0)
    for _ in range(50):
        rates, budget = rng.lognormal(0, rng.uniform(0.1, 3), 30), float(rng.lognormal(2, 2))
        equal = policy_means(rates, uniform_rates(rates, budget))
        proportional = policy_means(rates, proportional_rates(rates, budget))
        assert equal.freshness > proportional.freshness and equal.age < proportional.age


@pytest.mark.parametrize("visits_a_page", [0.01, 0.1, 1.0])
def test_c53_the_optimum_never_visits_the_fastest_few(visits_a_page):
    rates = web_of(10_000)
    budget = visits_a_page * len(rates)
    visits = revisit_rates(rates, budget)
    abandoned = visits == 0
    assert 0 < abandoned.sum() < 0.4 * len(rates)  # a third where visits are this rare: 4% at 1 a page
    assert rates[abandoned].min() >= revisit_threshold(rates, budget) > rates[~abandoned].max()
    best = policy_means(rates, visits).freshness
    assert best > policy_means(rates, uniform_rates(rates, budget)).freshness
    # For age no page may be abandoned, and the faster a page changes the more it is visited.
    for_age = revisit_rates_for_age(rates, budget)
    assert for_age.min() > 0 and (np.diff(for_age[np.argsort(rates)]) >= 0).all()
    assert for_age.max() / for_age.min() < rates.max() / rates.min() / 100  # yet far less than in proportion


def test_c53_measured_on_a_virtual_clock():
    # Five pages that change 1 to 9 times a day, ten visits a day in all; 12,000 visits by each policy.
    rates = np.array([0.1, 1.0, 3.0, 6.0, 9.0])
    measured = {}
    for policy in (uniform_rates, proportional_rates, revisit_rates_for_age):
        visits = policy(rates, 10)
        found = measure(islice(simulate_visits(rates, visits, rng=9), 12_000), 5)
        assert abs(found.freshness - mean_freshness(rates, 1 / visits)) == pytest.approx(
            np.zeros(5), abs=4 * found.freshness_error.max() + 1e-12
        )
        assert (abs(found.age - mean_age(rates, 1 / visits)) <= 5 * found.age_error + 1e-12).all()
        measured[policy] = found.freshness.mean(), found.age.mean()
    (fresh, old), (fresh_p, old_p) = measured[uniform_rates], measured[proportional_rates]
    assert fresh > fresh_p + 0.02 and old_p > 4 * old
    assert measured[revisit_rates_for_age][1] < old
