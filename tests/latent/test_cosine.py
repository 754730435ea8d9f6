"""Tests of cosines and rankings: an oracle, zero vectors, extremes, ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ircourse.latent import cosines, order, ranked
from tests.latent.examples import matrices


@given(matrix=matrices(), seed=st.integers(0, 99))
def test_cosines_by_the_definition(matrix, seed):
    q = np.random.default_rng(seed).integers(-2, 3, (len(matrix), 2)).astype(float)
    wanted = np.zeros((matrix.shape[1], 2))
    for i, d in enumerate(matrix.T):
        for j, v in enumerate(q.T):
            if d.any() and v.any():
                wanted[i, j] = d @ v / np.linalg.norm(d) / np.linalg.norm(v)
    kinds = [(matrix, q), (sparse.csc_array(matrix), q), (sparse.csr_array(matrix), sparse.csc_array(q))]
    for documents, queries in kinds:
        assert cosines(documents, queries) == pytest.approx(wanted, abs=1e-12)
    assert cosines(matrix, q[:, 0]) == pytest.approx(wanted[:, 0], abs=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_huge_and_tiny_vectors_have_directions_too(scale):
    assert cosines(np.array([[1, 1], [0, 1]]) * scale, np.array([1, 0]) * scale) == pytest.approx(
        [1, 0.5**0.5]
    )
    assert cosines(sparse.csc_array([[scale, 0]]), [scale]).tolist() == [1.0, 0.0]


@given(matrix=matrices())
def test_cosines_never_leave_minus_1_to_1(matrix):
    found = cosines(matrix, matrix)
    assert (np.abs(found) <= 1).all()
    assert found == pytest.approx(found.T)


def test_sizes_that_differ_are_named():
    with pytest.raises(ValueError, match=r"each of the 2 dimensions: got shape \(3,\)"):
        cosines(np.eye(2), [1, 2, 3])


@given(scores=st.lists(st.sampled_from([0.1, 0.1 + 1e-15, 0.2, -0.3, 0.0, -0.0]), min_size=1, max_size=9))
def test_order_is_by_score_then_number(scores):
    found = order(np.array(scores)).tolist()
    assert sorted(found) == list(range(len(scores)))
    assert found == sorted(found, key=lambda i: (-round(scores[i], 12), i))


def test_ranked_takes_the_first_n():
    assert ranked(np.array([0.1, 0.3, -0.0]), n=2) == [(1, 0.3), (0, 0.1)]
    assert ranked(np.array([0.1]), n=0) == []
    assert len(ranked(np.zeros(3), n=10)) == 3
    assert str(ranked(np.array([-0.0]))[0].score) == "0.0"
