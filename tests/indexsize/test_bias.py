"""Weights, rejection and the chances behind them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.indexsize import (
    SearchEngine,
    effective_size,
    importance_weights,
    query_bias,
    rejection_sample,
)

chances = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20)


@given(chances)
def test_weights_are_the_inverse_chances_of_mean_one(c):
    weights = importance_weights(c)
    assert weights.mean() == pytest.approx(1)
    assert np.ptp(weights * c) <= 1e-9 * (weights * c).max()
    assert 1 - 1e-9 <= effective_size(weights) <= len(c) * (1 + 1e-9)


def test_a_rejected_draw_is_rejected_in_proportion():
    docs = np.repeat([0, 1, 2], 4000)
    kept = np.bincount(rejection_sample(docs, np.repeat([1.0, 2.0, 8.0], 4000), 1))
    # Of 4,000 draws 4,000, 2,000 and 500 are kept; standard errors 0, 32 and 21.
    assert kept[0] == 4000
    assert abs(kept[1] - 2000) < 4 * 32 and abs(kept[2] - 500) < 4 * 21
    half = rejection_sample(docs, np.repeat([1.0, 2.0, 8.0], 4000), 1, least=0.5)
    assert abs((half == 0).sum() - 2000) < 4 * 32


def test_a_page_s_bias_is_known_from_a_sample_of_its_queries():
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(24)]
    engine = SearchEngine([" ".join(rng.choice(words, 12, replace=False)) for _ in range(30)])
    exact = query_bias(engine, 0, words)
    assert query_bias(engine, 0, words, at_most=66) == exact  # 12 · 11 / 2
    mean = np.mean([query_bias(engine, 0, words, at_most=20, rng=seed) for seed in range(60)], axis=0)
    assert mean == pytest.approx(exact, rel=0.05)  # 1,200 queries; counts spread by about a half: 1.5%
    assert query_bias(engine, 0, words, terms=3).queries == 220
    assert query_bias(engine, 0, ["elsewhere"]) == (0, 0)
    assert query_bias(SearchEngine(["a rose"], timeouts=1), 0, ["a", "rose"]) == (0, 0)


def test_wrong_arguments_are_told():
    for wrong in ([0.5, 0], [-1], [float("nan")], [float("inf")]):
        with pytest.raises(ValueError, match="above 0"):
            importance_weights(wrong)
    for shape in ([], [[1, 2]]):
        with pytest.raises(ValueError, match="shape"):
            importance_weights(shape)
    with pytest.raises(ValueError, match="one chance a draw"):
        rejection_sample([1, 2], [1])
    for least in (0, 2, -1):
        with pytest.raises(ValueError, match="least is"):
            rejection_sample([1, 2], [1, 3], least=least)
