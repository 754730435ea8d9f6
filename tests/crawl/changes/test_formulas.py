"""Freshness and age against exact arithmetic, quadrature, and what bad input gets."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from ircourse.crawl import age, freshness, mean_age, mean_freshness

ALL = [freshness, age, mean_freshness, mean_age]


def exactly(rate, t):
    """The four values to some hundred digits, from the formulas as they are printed."""
    with localcontext() as context:
        context.prec = 700
        rate, t = Decimal(rate), Decimal(t)
        x = rate * t
        kept = (-x).exp()
        half = Decimal(1) / 2
        return kept, t - (1 - kept) / rate, (1 - kept) / x, t * (half - 1 / x + (1 - kept) / x**2)


@pytest.mark.parametrize("rate", [1e-150, 1e-30, 1e-9, 0.1, 1 / 7, 0.999, 1.0, 1.001, 2.5, 40.1, 1e9, 1e150])
@pytest.mark.parametrize("t", [1e-3, 0.7, 1.0, 7.0, 1e4])
def test_relative_errors_are_below_2e_15(rate, t):
    for function, value in zip(ALL, exactly(rate, t), strict=True):
        if value > Decimal("1e-300"):
            assert abs(Decimal(function(rate, t)) / value - 1) < Decimal("2e-15"), function.__name__
        else:
            assert function(rate, t) < 1e-299


@given(st.floats(-8, 2.8), st.floats(-20, 20))
@settings(max_examples=60, deadline=None)
def test_relative_errors_are_below_2e_15_for_any_rate(log_x, log_t):
    t = 10.0**log_t
    rate = 10.0**log_x / t
    for function, value in zip(ALL, exactly(rate, t), strict=True):
        if value > Decimal("1e-300"):
            assert abs(Decimal(function(rate, t)) / value - 1) < Decimal("2e-15"), function.__name__


@pytest.mark.parametrize(("rate", "t"), [(0.3, 5.0), (2.0, 1.5), (1e-4, 3.0)])
def test_they_are_the_integrals_they_are_told_to_be(rate, t):
    expected = quad(lambda s: rate * math.exp(-rate * s) * (t - s), 0, t)[0]
    assert age(rate, t) == pytest.approx(expected, rel=1e-10)
    assert mean_freshness(rate, t) == pytest.approx(
        quad(lambda s: freshness(rate, s), 0, t)[0] / t, rel=1e-10
    )
    assert mean_age(rate, t) == pytest.approx(quad(lambda s: age(rate, s), 0, t)[0] / t, rel=1e-10)


@pytest.mark.parametrize(
    ("rate", "interval", "fresh", "old"),
    [
        (1, 1, 0.6321205588285577, 0.13212055882855767),
        (2, 5, 0.09999546000702375, 2.0499977300035117),
        (1e-9, 1, 0.9999999995, 1.66666666625e-10),
        (50, 1, 0.02, 0.4804),
    ],
)
def test_known_values(rate, interval, fresh, old):
    assert mean_freshness(rate, interval) == pytest.approx(fresh, rel=1e-12)
    assert mean_age(rate, interval) == pytest.approx(old, rel=1e-12)


def test_ends():
    assert [f(0, 3) for f in ALL] == [1, 0, 1, 0]
    assert [f(2, 0) for f in ALL] == [1, 0, 1, 0]
    assert [f(0, 0) for f in ALL] == [1, 0, 1, 0]
    assert [f(2, math.inf) for f in ALL] == [0, math.inf, 0, math.inf]
    assert [f(0, math.inf) for f in ALL] == [1, 0, 1, 0]
    assert [f(1e300, 1e300) for f in ALL] == [0, 1e300, 0, 5e299]
    assert [f(5e-324, 1.0) for f in ALL[::2]] == [1, 1]


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
@settings(max_examples=100, deadline=None)
def test_freshness_falls_and_age_grows_with_time_and_with_rate(rate, t, more):
    for a, b in (((rate, t), (rate, t + more)), ((rate, t), (rate + more, t))):
        for function, sign in zip(ALL, (-1, 1, -1, 1), strict=True):
            slack = 1e-15 * max(function(*a), function(*b))
            assert sign * (function(*b) - function(*a)) >= -slack
    assert 0 <= mean_age(rate, t) <= age(rate, t) <= t
    assert 0 <= freshness(rate, t) <= mean_freshness(rate, t) <= 1


@pytest.mark.parametrize("function", ALL)
def test_arrays_broadcast_and_numbers_give_numbers(function):
    assert type(function(1, 2)) is float
    rates, times = np.array([[0.0], [1e-9], [3.0]]), [0.0, 0.5, 2.0, np.inf]
    table = function(rates, times)
    assert table.shape == (3, 4) and table.dtype == np.float64
    assert table.tolist() == [[function(r, t) for t in times] for r in rates[:, 0].tolist()]
    assert function([], 1.0).shape == (0,)


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize(
    ("rate", "time", "message"),
    [
        (-1, 1, r"^rate is -1.0: give finite numbers of at least 0$"),
        (math.nan, 1, r"^rate is nan: give finite"),
        (math.inf, 1, r"^rate is inf: give finite"),
        ([1, -0.5, -2], 1, r"^rate is -0.5"),
        ("1", 1, r"^rate is '1': give"),
        (None, 1, r"^rate is None: give"),
        (True, 1, r"^rate is True: give"),
        (1j, 1, r"^rate is 1j: give"),
        ([[1], [1, 2]], 1, r"^rate is \[\[1\], \[1, 2\]\]: give"),
        (10**400, 1, r"^rate is 1000.*: give"),
        (1, -1e-9, r"^(t|interval) is -1e-09: give numbers of at least 0$"),
        (1, math.nan, r"^(t|interval) is nan"),
        ([1, 2], [1, 2, 3], r"^rate has shape \(2,\), (t|interval) has shape \(3,\): give shapes"),
    ],
)
def test_bad_input_gets_one_clear_error(function, rate, time, message):
    with pytest.raises(ValueError, match=message):
        function(rate, time)
