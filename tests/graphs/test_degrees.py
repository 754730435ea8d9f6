"""Degrees and their power law: the likeliest exponent by another way, draws from the law, wrong input."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import zeta

from ircourse.graphs import (
    continuous_exponent,
    copying_graph,
    degree_counts,
    draw_power_law,
    goodness_of_fit,
    power_law_exponent,
    share_at_least,
)

degrees = st.lists(st.integers(0, 50) | st.integers(0, 10**9), max_size=40)


@given(degrees)
def test_counts_and_shares(some):
    values, counts = degree_counts(some)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == Counter(some)
    values, shares = share_at_least(some)
    assert values.tolist() == sorted(set(some))
    assert shares.tolist() == [sum(y >= x for y in some) / len(some) for x in sorted(set(some))]


def likeliest(tail, x_min):
    """The exponent where the law's mean logarithm is the tail's, which is where the likelihood is largest."""
    mean, h = np.log(tail).mean(), 1e-5

    def slope(alpha):
        return (np.log(zeta(alpha + h, x_min)) - np.log(zeta(alpha - h, x_min))) / (2 * h) + mean

    return brentq(slope, 1.001, 40)


@settings(max_examples=40)
@given(st.floats(1.3, 4), st.sampled_from([1, 2, 5, 50]), st.integers(0, 9))
def test_the_exponent_is_the_likeliest(alpha, x_min, seed):
    drawn = draw_power_law(alpha, x_min, 300, seed)
    fit = power_law_exponent(drawn, x_min)
    assert fit.exponent == pytest.approx(likeliest(drawn, x_min), abs=1e-5)
    assert fit.n_tail == 300
    x = np.arange(x_min, x_min + 100)
    law = x**-fit.exponent / zeta(fit.exponent, x_min)
    assert fit.share_at_least(x) == pytest.approx(fit.share_at_least(x + 1) + law)
    places = np.concatenate([x, drawn, drawn + 1])
    shares = (drawn >= places[:, None]).mean(axis=1)
    assert fit.distance == pytest.approx(np.abs(shares - fit.share_at_least(places)).max())


@given(degrees, st.integers(1, 5))
def test_degrees_below_the_tail_do_not_count(some, x_min):
    some = [*some, 7, 9, 30]
    tail = [x for x in some if x >= x_min]
    assert power_law_exponent(some, x_min) == power_law_exponent(np.array(tail)[::-1], x_min)


def test_the_standard_error_is_what_fits_vary_by():
    fits = [power_law_exponent(draw_power_law(2.5, 3, 1000, seed), 3) for seed in range(200)]
    spread = np.std([fit.exponent for fit in fits])
    # The spread of 200 fits is known to 5%, one standard error.
    assert np.mean([fit.standard_error for fit in fits]) == pytest.approx(spread, rel=0.15)
    assert np.mean([fit.exponent for fit in fits]) == pytest.approx(2.5, abs=4 * spread / 200**0.5)


@pytest.mark.parametrize(("alpha", "x_min"), [(2.1, 1), (1.2, 3), (3.5, 20)])
def test_draws_follow_the_law(alpha, x_min):
    n = 200_000
    drawn = draw_power_law(alpha, x_min, n, 5)
    assert drawn.min() == x_min
    for x in (x_min + 1, x_min + 2, 2 * x_min + 10, 1000, 10**6, 10**9):
        share = zeta(alpha, x) / zeta(alpha, x_min)
        assert abs((drawn >= x).mean() - share) <= 4 * (share * (1 - share) / n) ** 0.5 + 1e-12


def test_draws_near_exponent_one_stop_at_the_largest():
    drawn = draw_power_law(1.01, 1, 1000, 0)
    assert drawn.max() == 2**62
    assert drawn.min() >= 1


def test_draws_are_repeatable():
    assert (
        draw_power_law(2.1, 1, 50, 3).tolist()
        == draw_power_law(2.1, 1, 50, np.random.default_rng(3)).tolist()
    )
    assert draw_power_law(2.1, 1, 0).tolist() == []


def test_goodness_of_fit_tells_a_power_law_from_none():
    law = power_law_exponent(draw_power_law(2.3, 2, 3000, 1), 2)
    assert goodness_of_fit(law, 1) > 0.1
    assert goodness_of_fit(law, 1, samples=20) == goodness_of_fit(law, np.random.default_rng(1), samples=20)
    poisson = np.random.default_rng(2).poisson(9, 3000)
    assert goodness_of_fit(power_law_exponent(poisson, 2), 1, samples=50) == 0
    # The body of a web's in-degrees follows no power law.
    assert goodness_of_fit(power_law_exponent(copying_graph(20_000, 9, 1).in_degrees, 1), 1, samples=20) == 0


def test_the_continuous_formula_comes_near_for_a_late_tail_only():
    for x_min, most in ((1, np.inf), (50, 0.03)):
        drawn = draw_power_law(2.1, x_min, 100_000, 1)
        off = abs(continuous_exponent(drawn, x_min) - power_law_exponent(drawn, x_min).exponent)
        assert off < most
    assert off > 0  # and yet not the same


@pytest.mark.parametrize(
    ("some", "x_min", "say"),
    [
        ([], 1, "0 of 0 degrees"),
        ([0, 0], 1, "0 of 2 degrees"),
        ([5], 1, "1 of 1 degrees"),
        ([1, 2, 9], 10, "0 of 3 degrees"),
        ([3, 3, 3, 3], 3, "faster than any power law"),
        ([1000] * 10**4 + [1001], 1000, "faster than any power law"),
        ([1, -1], 1, "at least 0"),
        ([1.5, 2], 1, "whole numbers"),
        ([1, np.nan], 1, "whole numbers"),
        ([1, np.inf], 1, "whole numbers"),
        (["a"], 1, "whole numbers"),
        ([[1, 2]], 1, "in one row"),
        ([1, 2], 0, "x_min is 0"),
        ([1, 2], 1.5, "x_min is 1.5"),
        ([1, 2], -3, "x_min is -3"),
    ],
)
def test_wrong_input(some, x_min, say):
    with pytest.raises(ValueError, match=say):
        power_law_exponent(some, x_min)


def test_wrong_input_of_the_others():
    for exponent in (1, 0.5, np.nan, np.inf):
        with pytest.raises(ValueError, match="exponent is"):
            draw_power_law(exponent, 1, 5)
    with pytest.raises(ValueError, match="too large for x_min"):
        draw_power_law(500.0, 1000, 5)
    with pytest.raises(ValueError, match="n is -1"):
        draw_power_law(2.1, 1, -1)
    with pytest.raises(ValueError, match="samples is 0"):
        goodness_of_fit(power_law_exponent([1, 2, 3], 1), samples=0)
    with pytest.raises(ValueError, match="all degrees from x_min on are 4"):
        continuous_exponent([4, 4, 1], 4)
