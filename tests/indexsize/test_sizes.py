"""Relative size and capture–recapture: known values, exact oracles, the ends of the range."""

from fractions import Fraction
from math import comb, exp, inf, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import canonical_url
from ircourse.indexsize import (
    chapman,
    lincoln_petersen,
    normal_interval,
    profile_interval,
    relative_size,
    share_held,
)

ALL = (chapman, lincoln_petersen, normal_interval, profile_interval)
counts = st.tuples(st.integers(1, 60), st.integers(1, 60), st.integers(0, 60)).map(
    lambda t: (t[0], t[1], min(t))
)


@pytest.mark.parametrize(
    ("x", "y", "ratio"),
    [(0.3, 0.5, 5 / 3), (1.0, 1.0, 1), (0.45, 0.5, 10 / 9), (0.0, 0.2, inf), (0.2, 0.0, 0), (1, 0.25, 0.25)],
)
def test_relative_sizes(x, y, ratio):
    assert relative_size(x, y) == pytest.approx(ratio)


def test_relative_sizes_of_fractions_are_exact():
    assert relative_size(Fraction(9, 20), Fraction(1, 2)) == Fraction(10, 9)


def test_dropped_second_copies_show_in_the_relative_size():
    # Two crawls of 500 pages, 100 of them in pairs of copies. A holds all, B leaves out the 50 second copies.
    # 225 pages are in both: 45% of A's 500, 50% of B's 450.
    b_over_a = 1 / relative_size(Fraction(45, 100), Fraction(50, 100))
    assert b_over_a == Fraction(9, 10)
    assert 1 - 2 * (1 - b_over_a) == Fraction(4, 5)  # the pages without a copy


@given(st.sets(st.integers(0, 20), min_size=1), st.sets(st.integers(0, 20), min_size=1))
def test_relative_size_is_the_ratio_of_the_sizes_where_they_overlap(a, b):
    if a & b:
        ratio = relative_size(Fraction(len(a & b), len(a)), Fraction(len(a & b), len(b)))
        assert ratio == Fraction(len(a), len(b))
    else:
        with pytest.raises(ValueError, match="0 / 0"):
            relative_size(0.0, 0.0)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("nan")])
def test_what_is_no_share_is_told(wrong):
    with pytest.raises(ValueError, match="a_in_b is"):
        relative_size(wrong, 0.5)
    with pytest.raises(ValueError, match="b_in_a is"):
        relative_size(0.5, wrong)


def test_urls_are_compared_in_canonical_form():
    sample = ["http://EXAMPLE.example:80/a", "http://example.example/b#x"]
    index = ["http://example.example/a", "http://example.example/b"]
    assert share_held(sample, index, canonical_url) == 1
    assert share_held(sample, index) == 0
    with pytest.raises(ValueError, match="empty"):
        share_held([], index)


def test_the_textbook_survey():
    assert lincoln_petersen(100, 80, 20).size == 400
    assert chapman(100, 80, 20).size == pytest.approx(101 * 81 / 21 - 1)
    # By the formulas: f = N − 160, C = exp(1.96 √ln(1 + σ²/f²)), [160 + f / C, 160 + f C]
    size, variance = 101 * 81 / 21 - 1, 101 * 81 * 80 * 60 / (21**2 * 22)
    factor = exp(1.959964 * sqrt(log(1 + variance / (size - 160) ** 2)))
    low, high = 160 + (size - 160) / factor, 160 + (size - 160) * factor
    assert chapman(100, 80, 20)[1:] == pytest.approx((low, high))
    assert normal_interval(100, 80, 20)[1:] == pytest.approx(
        (size - 1.959964 * sqrt(variance), size + 1.959964 * sqrt(variance))
    )


def test_no_recapture():
    with pytest.raises(ValueError, match="use chapman"):
        lincoln_petersen(100, 80, 0)
    assert chapman(100, 80, 0).size == 8180
    assert 180 < chapman(100, 80, 0).low < 8180 < chapman(100, 80, 0).high < inf
    size, low, high = profile_interval(100, 80, 0)
    assert (size, high) == (inf, inf)
    assert 2000 < low < 8180


def test_full_overlap_and_a_equal_to_b():
    for a, b in ((80, 80), (100, 80), (80, 100)):
        for estimate in (chapman(a, b, 80), lincoln_petersen(a, b, 80), normal_interval(a, b, 80)):
            assert estimate == pytest.approx((max(a, b),) * 3)
        size, low, high = profile_interval(a, b, 80)
        assert size == low == max(a, b) <= high
    assert profile_interval(2, 2, 2).high > 2  # two small samples that agree prove little


@given(counts)
def test_no_interval_leaves_out_its_estimate_or_holds_less_than_was_seen(c):
    a, b, m = c
    for estimate in (chapman, profile_interval, *([lincoln_petersen] if m else [])):
        size, low, high = estimate(a, b, m)
        assert a + b - m - 1e-9 <= low <= size * (1 + 1e-12) and size <= high * (1 + 1e-12)
        assert estimate(b, a, m) == pytest.approx((size, low, high))
        wide = estimate(a, b, m, level=0.99)
        assert wide.low <= low + 1e-9 and wide.high >= high - 1e-9


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 12))
def test_chapman_is_unbiased_where_the_samples_are_large_enough(a, b, extra):
    n = max(a, b) + extra
    if a + b < n:
        return
    mean = sum(
        Fraction(comb(a, m) * comb(n - a, b - m), comb(n, b)) * (Fraction((a + 1) * (b + 1), m + 1) - 1)
        for m in range(max(0, a + b - n), min(a, b) + 1)
    )
    assert mean == n


@given(counts.filter(lambda c: c[2] > 0))
def test_the_profile_interval_holds_the_sizes_that_are_nearly_as_likely(c):
    a, b, m = c
    seen = a + b - m
    size, low, high = profile_interval(a, b, m)

    def likelihood(n):
        return log(Fraction(comb(a, m) * comb(n - a, b - m), comb(n, b)))

    best = max(likelihood(n) for n in range(seen, 2 * a * b // m + 2))
    assert likelihood(int(size)) == pytest.approx(best)
    least = best - 1.959964**2 / 2
    for n, inside in ((low, True), (low - 1, False), (high, True), (high + 1, False)):
        if n >= seen and n < 10**7 and abs(likelihood(int(n)) - least) > 1e-6:
            assert (likelihood(int(n)) > least) == inside


def test_large_counts_are_no_trouble():
    size, low, high = profile_interval(10**6, 10**6, 10**5)
    assert size == 10**7
    assert (low, high) == pytest.approx(chapman(10**6, 10**6, 10**5)[1:], rel=1e-3)
    assert profile_interval(10**9, 3, 1).size == 3 * 10**9
    assert profile_interval(10**10, 10**10, 10**9)[1:] == pytest.approx(chapman(10**10, 10**10, 10**9)[1:])


@pytest.mark.parametrize("estimate", ALL)
def test_wrong_counts_are_told(estimate):
    with pytest.raises(ValueError, match="n_both is 7"):
        estimate(10, 5, 7)
    with pytest.raises(ValueError, match="n_both is -1"):
        estimate(10, 5, -1)
    with pytest.raises(ValueError, match="at least 1"):
        estimate(0, 5, 0)
    with pytest.raises(TypeError):
        estimate(10.5, 5, 2)
    with pytest.raises(ValueError, match="level is 1"):
        estimate(10, 5, 2, level=1)
