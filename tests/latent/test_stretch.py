"""Tests of what a map does to distances, norms, products and cosines."""

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ircourse.latent import lsi, miss_probability, random_projection, stretch
from tests.latent.examples import matrices


@given(points=matrices(), seed=st.integers(0, 99))
def test_by_the_definitions(points, seed):
    images = random_projection(len(points), 3, rng=seed) @ points
    found = stretch(sparse.csc_array(points), images)
    pairs = [(i, j) for i in range(points.shape[1]) for j in range(i + 1, points.shape[1])]
    for p, (i, j) in enumerate(pairs):
        u, v, fu, fv = points[:, i], points[:, j], images[:, i], images[:, j]
        if (u != v).any():
            assert found.distances[p] == pytest.approx(
                np.sum((fu - fv) ** 2) / np.sum((u - v) ** 2), abs=1e-9
            )
        else:
            assert found.distances[p] == 1.0
        assert found.products[p] == pytest.approx(fu @ fv - u @ v, abs=1e-9)
        if u.any() and v.any():
            before = u @ v / np.linalg.norm(u) / np.linalg.norm(v)
            after = fu @ fv / np.linalg.norm(fu) / np.linalg.norm(fv)
            assert found.cosines[p] == pytest.approx(after - before, abs=1e-9)
        else:
            assert found.cosines[p] == 0.0
    for i, u in enumerate(points.T):
        wanted = np.sum(images[:, i] ** 2) / (u @ u) if u.any() else 1.0
        assert found.norms[i] == pytest.approx(wanted)


def test_a_map_that_does_nothing_stretches_nothing():
    points = np.random.default_rng(0).standard_normal((6, 9))
    found = stretch(points, points)
    assert found.distances.tolist() == [1.0] * 36
    assert (found.products == 0).all()


def test_equal_points_sent_apart_and_together():
    points = np.array([[1, 1], [0, 0.0]])
    assert stretch(points, [[1, 1]]).distances.tolist() == [1.0]
    assert stretch(points, [[1, 2]]).distances.tolist() == [np.inf]


def test_equal_points_whose_images_differ_by_rounding_alone():
    points = np.array([[1, 1, 0], [2, 2, 0], [0, 0, 1.0]])
    # the image of (1, 2, 0) is short, so what was rounded on its way is large beside it
    assert stretch(points, [[1e-9, 1.0005e-9, 1]]).distances.tolist() == [1.0, *[pytest.approx(1 / 6)] * 2]
    assert stretch(points, [[1, 1 + 1e-7, 1]]).distances[0] == 1.0
    assert stretch(points, [[1, 1.001, 1]]).distances[0] == np.inf


def test_equal_pages_stay_together_under_both_maps():
    columns = np.random.default_rng(0).random((400, 40))
    points = sparse.csc_array(np.hstack([columns, columns[:, ::-1]]))
    for images in (lsi(points, 9).documents, random_projection(400, 9) @ points):
        assert np.isfinite(stretch(points, images).distances).all()


def test_empty_documents_stay_where_they_are():
    matrix = np.array([[1, 0, 2, 0], [3, 0, 1, 0], [0, 0, 1, 0.0]])
    assert np.isfinite(stretch(matrix, lsi(matrix, 2).documents).distances).all()


def test_one_point_has_no_pairs():
    assert stretch([[1], [2]], [[1]]).distances.shape == (0,)


def test_the_bound_on_missing():
    assert miss_probability(332, 0.5) == pytest.approx(2 * exp(-332 * (0.125 - 0.125 / 3) / 2))
    assert miss_probability(1, 0.01) == 1.0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: stretch(np.eye(3), np.eye(2)), "3 points and 2 images"),
        (lambda: stretch([[np.nan]], [[1]]), "not a number"),
        (lambda: miss_probability(10, 1), "epsilon is 1"),
        (lambda: miss_probability(0, 0.5), "k is 0"),
    ],
)
def test_wrong_arguments_are_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()
