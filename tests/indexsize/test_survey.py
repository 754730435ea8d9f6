"""Whole surveys: known truths, the ends of the range, the bootstrap beside the formula."""

from functools import partial
from math import inf, isnan

import numpy as np
import pytest

from ircourse.indexsize import (
    Checked,
    SearchEngine,
    SurveyFailed,
    bootstrap,
    bootstrap_relative_size,
    document_walk,
    estimate_relative_size,
    has_by_terms,
    query_bias,
    random_queries,
    rejection_sample,
    size_ratio,
    word_pairs,
)

WEB = [f"page{i} of the web" for i in range(90)]
HAS = partial(has_by_terms, frequencies={})
UNIFORM = partial(random_queries, dictionary=[f"page{i}" for i in range(90)], terms=1)


def survey(a, b, n=200, **more):
    return estimate_relative_size(SearchEngine(WEB, a), SearchEngine(WEB, b), UNIFORM, n, 1, has=HAS, **more)


def checked(found, weights=None):
    found = np.array(found, bool)
    return Checked(
        np.arange(len(found)), np.ones(len(found)) if weights is None else np.array(weights), found
    )


def test_the_survey_finds_the_truth():
    found = survey(range(50), range(35, 65))  # 30% and 50%, as in Exercise 19.7
    assert found.low < 5 / 3 < found.high
    assert found.a.share == pytest.approx(0.3, abs=4 * 0.033)  # 200 draws
    assert found.size == pytest.approx(found.b.share / found.a.share)
    assert found.high / found.low < 3
    assert survey(range(50), range(35, 65), level=0.5).high < found.high


def test_a_equals_b_and_one_within_the_other():
    same = survey(range(60), range(60))
    assert (same.size, same.a.share, same.b.share) == (1, 1, 1)
    assert 0.9 < same.low < 1 < same.high < 1.1  # even so, 200 draws leave room
    within = survey(range(60), range(20))
    assert within.b.share == 1
    assert within.low < 3 < within.high


def test_no_overlap_says_nothing():
    none = survey(range(30), range(40, 80), n=30)
    assert isnan(none.size) and (none.low, none.high) == (0, inf)
    nothing, some = checked([False] * 9), checked([True] + [False] * 8)
    assert size_ratio(nothing, some)[::2] == (inf, inf) and size_ratio(nothing, some).low > 0
    assert size_ratio(some, nothing)[:2] == (0, 0) and size_ratio(some, nothing).high < inf
    assert bootstrap_relative_size(nothing, nothing)[1:] == (0, inf)
    assert bootstrap_relative_size(nothing, some).size == inf
    assert bootstrap_relative_size(some, nothing)[:2] == (0, 0)


def test_a_page_drawn_twice_counts_twice_and_is_checked_once():
    a, b = SearchEngine(WEB, range(4)), SearchEngine(WEB, range(2, 6))
    draws = lambda engine, n, rng: np.array([3, 3, 2, 3, int(engine.search("page0") == [])])  # noqa: E731
    found = estimate_relative_size(a, b, draws, 5, 1, has=HAS)
    assert found.a.found.tolist() == [True, True, True, True, False]
    assert found.a.share == 0.8
    assert b.requests == 1 + 3


def test_the_interval_covers():
    # 300 surveys of 100 draws each: a coverage of 0.95 has a standard error of 0.013.
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(300):
        one = size_ratio(checked(rng.random(100) < 0.3), checked(rng.random(100) < 0.5))
        covered += one.low <= 5 / 3 <= one.high
    assert covered / 300 > 0.95 - 3 * 0.013


def test_the_bootstrap_agrees_with_the_formula():
    rng = np.random.default_rng(6)
    weights = np.exp(rng.normal(0, 0.5, 400))
    x = checked(rng.random(400) < 0.3, weights)
    y = checked(rng.random(400) < 0.5, weights[::-1])
    formula, resampled = size_ratio(x, y), bootstrap_relative_size(x, y, 1)
    assert resampled.size == formula.size
    assert resampled[1:] == pytest.approx(formula[1:], rel=0.1)
    share = bootstrap(x, 1)
    half = 1.96 * np.sqrt(x.share * (1 - x.share) * (weights**2).sum()) / weights.sum()
    assert share == pytest.approx((x.share, x.share - half, x.share + half), abs=0.015)
    assert bootstrap(checked([True] * 5)) == (1, 1, 1)
    assert bootstrap(x, 1) == share


def biased_web(seed=7):
    """80 pages of 3 or 10 of 18 words, page 0 to 59 in A, 40 to 79 in B; nearly all long ones are in both."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i:02}" for i in range(18)])
    sizes = [3] * 40 + [10] * 18 + [3] * 22
    return [" ".join(rng.choice(words, size, replace=False)) for size in sizes], words.tolist()


def test_rejection_mends_a_biased_survey_of_engines():
    texts, words = biased_web()
    a, b = SearchEngine(texts, range(60)), SearchEngine(texts, range(40, 80))  # |A| / |B| = 1.5

    def rejected(engine, n, rng):
        docs = random_queries(engine, n, rng, dictionary=words, top=None)
        chances = {page: query_bias(engine, page, words).chance for page in set(docs.tolist())}
        return rejection_sample(docs, [chances[page] for page in docs.tolist()], rng)

    found = estimate_relative_size(
        a, b, rejected, 2000, 2, has=partial(has_by_terms, frequencies={}, terms=10)
    )
    assert found.low < 1.5 < found.high < 1.5 * found.low * 2
    assert 20 < len(found.a.docs) < 1000 and (found.a.weights == 1).all()


@pytest.mark.parametrize("by", ["queries", "documents"])
def test_weights_mend_a_biased_survey(by):
    texts, words = biased_web()
    a, b = SearchEngine(texts, range(60)), SearchEngine(texts, range(40, 80))  # |A| / |B| = 1.5
    has = partial(has_by_terms, frequencies={}, terms=10)
    if by == "queries":
        sampler = partial(random_queries, dictionary=words, top=None)
        chance = lambda engine, page: query_bias(engine, page, words).chance  # noqa: E731
    else:
        sampler = partial(document_walk, start=45, between=6)
        chance = word_pairs
    raw = estimate_relative_size(a, b, sampler, 600, 2, has=has)
    mended = estimate_relative_size(a, b, sampler, 600, 2, has=has, chance=chance)
    assert raw.high < 1.3
    assert mended.low < 1.5 < mended.high
    assert mended.a.weights.mean() == pytest.approx(1)


def test_a_survey_of_silence_fails():
    a, b = SearchEngine(WEB, range(50)), SearchEngine(WEB, range(35, 65), timeouts=1)
    with pytest.raises(SurveyFailed, match="none of"):
        estimate_relative_size(a, b, UNIFORM, 5, 1, has=HAS)


def test_wrong_arguments_are_told():
    for level in (0, 1, 1.5):
        with pytest.raises(ValueError, match="level is"):
            size_ratio(checked([True]), checked([True]), level=level)
        with pytest.raises(ValueError, match="level is"):
            bootstrap(checked([True, False]), level=level)
    with pytest.raises(ValueError, match="times is 0"):
        bootstrap(checked([True, False]), times=0)
