"""Tests of precision, recall and their averages: by hand, by the definitions, at the edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.latent import (
    average_precision,
    interpolated_precision,
    mean_average_precision,
    precision_recall,
)

rankings = st.permutations(range(8)).flatmap(
    lambda docs: st.tuples(
        st.integers(0, 8).map(lambda n: docs[:n]), st.frozensets(st.integers(0, 9), min_size=1)
    )
)


@given(rankings)
def test_by_the_definitions(case):
    ranking, relevant = case
    curve = precision_recall(ranking, relevant)
    found = [sum(d in relevant for d in ranking[:i]) for i in range(1, len(ranking) + 1)]
    assert curve.precision == pytest.approx([r / i for i, r in enumerate(found, 1)])
    assert curve.recall == pytest.approx([r / len(relevant) for r in found])
    places = [i for i, d in enumerate(ranking) if d in relevant]
    assert average_precision(ranking, relevant) == pytest.approx(
        sum((n + 1) / (i + 1) for n, i in enumerate(places)) / len(relevant)
    )


@given(rankings)
def test_interpolated_precision_never_rises(case):
    levels = interpolated_precision(precision_recall(*case))
    assert len(levels) == 11
    assert (np.diff(levels) <= 0).all()


def test_a_perfect_ranking_and_one_that_finds_nothing():
    assert average_precision([4, 2, 7], {2, 4}) == 1.0
    assert average_precision([7, 8], {2, 4}) == 0.0
    assert average_precision([], {2}) == 0.0
    assert interpolated_precision(precision_recall([], {2}), levels=2).tolist() == [0.0, 0.0]


def test_three_tenths_are_recall_level_three():
    curve = precision_recall([*range(3), *range(20, 30)], set(range(10)))
    assert interpolated_precision(curve).tolist() == [1.0, 1.0, 1.0, 1.0] + [0.0] * 7


def test_the_mean_leaves_out_queries_without_relevant_documents():
    scores = np.array([[0.9, 0.1, 0.5], [0.5, 0.2, 0.6], [0.1, 0.3, 0.7]])
    assert mean_average_precision(scores, [{0}, set(), {0}]) == pytest.approx((1 + 1 / 3) / 2)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: average_precision([1], set()), "no document is relevant"),
        (lambda: mean_average_precision(np.zeros((2, 1)), [set()]), "no query has a relevant document"),
        (lambda: mean_average_precision(np.zeros((2, 1)), [{1}, {1}]), "documents × 2 queries"),
        (lambda: mean_average_precision(np.zeros(2), [{1}]), "documents × 1 queries"),
        (lambda: interpolated_precision(precision_recall([1], {1}), levels=1), "levels is 1"),
    ],
)
def test_wrong_arguments_are_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()
