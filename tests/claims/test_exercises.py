"""Claims C38 to C40, on the exercises 19.8 to 19.10."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from ircourse.exercises import EXERCISES, Variant


def crawled(reading, fraction, rng, pages=200_000):
    """Shares (a, b) seen by two engines on a web where ``fraction`` of the URLs have no duplicate.

    URLs 2i and 2i + 1 are copies of each other below the first ``(1 - fraction) * pages``.
    """
    twins = round((1 - fraction) * pages / 2) * 2
    first = np.arange(pages) // 2 * 2
    page = np.where(np.arange(pages) < twins, first, np.arange(pages))
    if reading == "together":
        a, b = ((rng.random(pages) < 0.5)[page] for _ in range(2))
    else:
        a, b = (rng.random(pages) < 0.5 for _ in range(2))
    keeps = b.copy()
    both = np.flatnonzero(b[:twins:2] & b[1:twins:2]) * 2
    keeps[both + rng.integers(2, size=both.size)] = False  # one of two copies is dropped, either
    common = np.count_nonzero(a & keeps)
    return common / np.count_nonzero(a), common / np.count_nonzero(keeps)


def test_c38_both_readings_give_45_and_50_per_cent():
    """Webs of 200,000 URLs, 20 crawls a reading: a's standard error is 0.0004, b's 0.0004."""
    rng = np.random.default_rng(38)
    for reading, answer in (("together", Fraction(4, 5)), ("independent", Fraction(3, 5))):
        (right,) = EXERCISES["19.8"].right((45, 50), reading)
        assert right.value == answer
        seen = np.array([crawled(reading, float(answer), rng) for _ in range(20)])
        error = seen.std(axis=0, ddof=1) / np.sqrt(20)
        assert (error < 0.001).all()
        assert (abs(seen.mean(axis=0) - (0.45, 0.5)) < 4 * error).all(), (reading, seen.mean(axis=0))


def means(n, union, both, rows):
    """The estimator's exact mean over the samples that meet the union, and with 0 for 0/0."""
    estimates = []
    for sample in combinations(range(n), rows):
        hit = sum(row < union for row in sample)
        estimates.append(Fraction(sum(row < both for row in sample), hit) if hit else None)
    met = [estimate for estimate in estimates if estimate is not None]
    return sum(met) / Fraction(len(met)), sum(met) / Fraction(len(estimates))


def test_c39_the_mean_is_j_given_a_hit_and_less_with_0_for_0_0():
    expected = {1: Fraction(1, 4), 2: Fraction(5, 14), 3: Fraction(11, 28)}
    for rows, biased in expected.items():
        assert means(8, 5, 2, rows) == (Fraction(2, 5), biased)
        (right,) = EXERCISES["19.9"].right((8, 5, 2, rows), "")
        assert right.value == biased
    for numbers, _ in EXERCISES["19.9"].choices()[::10]:
        _, union, both, _ = numbers
        (right,) = EXERCISES["19.9"].right(numbers, "")
        assert means(*numbers) == (Fraction(both, union), right.value)


def test_c40_one_hit_takes_two_to_the_64_over_a_thousand_and_200_a_fifth():
    once, many = (EXERCISES["19.10"].right((1000, hits), "")[0].value for hits in (1, 200))
    assert once == Fraction(2**64 + 1, 1001)
    assert abs(once / Fraction("1.84e16") - 1) < Fraction(1, 500)
    assert abs(many / 2**64 - Fraction(1, 5)) < Fraction(1, 1000)
    # The formula itself, by enumeration: draws until the h-th of u marked rows among n.
    n, u, h = 9, 4, 2
    places = list(combinations(range(1, n + 1), u))
    assert Fraction(sum(place[h - 1] for place in places), len(places)) == Fraction(h * (n + 1), u + 1)
    assert "2^{64}" in Variant("19.10", (1000, 200)).statement
