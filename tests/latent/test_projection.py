"""Tests of random projection: entries, scale, dimensions, sameness in every process, products."""

import subprocess
import sys
from math import ceil, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ircourse.latent import jl_dimension, random_projection
from ircourse.latent.projection import _add_signed

KINDS = ["gaussian", "sign", "sparse"]


@pytest.mark.parametrize(
    ("n", "epsilon", "k"),
    [(1000, 0.1, 5921), (10**6, 0.1, 11842), (2, 0.1, 595), (100, 0.2, 1063), (1, 0.5, 1)],
)
def test_the_dimension_is_rounded_up(n, epsilon, k):
    assert jl_dimension(n, epsilon) == k


@given(n=st.integers(2, 10**9), epsilon=st.floats(0.01, 0.99), beta=st.floats(0, 3))
def test_the_dimension_is_the_least_that_the_bound_allows(n, epsilon, beta):
    bound = (4 + 2 * beta) * log(n) / (epsilon**2 / 2 - epsilon**3 / 3)
    k = jl_dimension(n, epsilon, beta)
    assert isinstance(k, int)
    assert k - 1 < bound <= k == max(1, ceil(bound))


@pytest.mark.parametrize(
    ("n", "epsilon", "beta", "error", "says"),
    [
        (0, 0.1, 0, ValueError, "n_points is 0"),
        (2.5, 0.1, 0, TypeError, "n_points is 2.5"),
        (10, 0, 0, ValueError, "epsilon is 0"),
        (10, 1, 0, ValueError, "epsilon is 1"),
        (10, float("nan"), 0, ValueError, "epsilon is nan"),
        (10, 0.5, -1, ValueError, "beta is -1"),
    ],
)
def test_wrong_dimensions_are_named(n, epsilon, beta, error, says):
    with pytest.raises(error, match=says):
        jl_dimension(n, epsilon, beta)


def test_entries_have_their_values_and_frequencies():
    k, m = 50, 4000  # 200,000 entries: a frequency p has standard error √(p(1−p)/200000) < 0.0012
    sparse_entries = random_projection(m, k, "sparse", rng=3).matrix * sqrt(k / 3)
    assert np.unique(sparse_entries.round(9)).tolist() == [-1, 0, 1]
    for value, part in ((-1, 1 / 6), (0, 2 / 3), (1, 1 / 6)):
        assert np.mean(sparse_entries.round() == value) == pytest.approx(part, abs=0.005)
    signs = random_projection(m, k, "sign", rng=3).matrix * sqrt(k)
    assert np.unique(signs.round(9)).tolist() == [-1, 1]
    assert np.mean(signs) == pytest.approx(0, abs=0.01)
    normal = random_projection(m, k, "gaussian", rng=3).matrix * sqrt(k)
    # moments 1 to 4 and the part beyond two deviations, five standard errors each
    for found, wanted, error in (
        (normal.mean(), 0, 1),
        ((normal**2).mean(), 1, sqrt(2)),
        ((normal**3).mean(), 0, sqrt(15)),
        ((normal**4).mean(), 3, sqrt(96)),
        ((np.abs(normal) > 2).mean(), 0.0455, 0.2084),
    ):
        assert found == pytest.approx(wanted, abs=5 * error / sqrt(k * m))


@pytest.mark.parametrize("kind", KINDS)
def test_entries_are_uncorrelated_between_rows_and_between_terms(kind):
    entries = random_projection(3000, 40, kind, rng=5).matrix * sqrt(40)
    between_rows = entries @ entries.T / 3000
    assert between_rows == pytest.approx(np.eye(40), abs=6 / sqrt(3000) * 1.6)
    neighbours = (entries[:, :-1] * entries[:, 1:]).mean()
    assert neighbours == pytest.approx(0, abs=5 / sqrt(120_000))


@pytest.mark.parametrize("kind", KINDS)
def test_the_squared_norm_is_right_on_average(kind):
    x = np.random.default_rng(1).standard_normal(300)
    ratios = [np.sum((random_projection(300, 64, kind, rng=seed) @ x) ** 2) / (x @ x) for seed in range(200)]
    assert np.mean(ratios) == pytest.approx(1, abs=4.5 * sqrt(2 / 64 / 200))


@pytest.mark.parametrize("kind", KINDS)
def test_fifty_points_keep_their_distances_at_the_bound(kind):
    rng = np.random.default_rng(2)
    points = rng.standard_normal((1000, 50))
    points /= np.linalg.norm(points, axis=0)
    k, kept = jl_dimension(50, 0.5), 0
    for seed in range(10):
        images = random_projection(1000, k, kind, rng=seed) @ points
        i, j = np.triu_indices(50, 1)
        ratios = ((images[:, i] - images[:, j]) ** 2).sum(0) / ((points[:, i] - points[:, j]) ** 2).sum(0)
        kept += bool((np.abs(ratios - 1) <= 0.5).all())
    assert kept >= 9


@pytest.mark.parametrize("kind", KINDS)
@given(m=st.integers(1, 20), k=st.integers(1, 9), n=st.integers(0, 5), seed=st.integers(0, 2**64 - 1))
def test_products_are_those_of_the_array(kind, m, k, n, seed):
    R = random_projection(m, k, kind, rng=seed)
    assert R.shape == R.matrix.shape == (k, m)
    x = np.random.default_rng(0).integers(-3, 4, (m, n)).astype(float)
    wanted = R.matrix @ x
    assert R @ x == pytest.approx(wanted, abs=1e-12)
    assert R @ sparse.csr_array(x) == pytest.approx(wanted, abs=1e-12)
    assert R @ np.ones(m) == pytest.approx(R.matrix.sum(axis=1), abs=1e-12)


def test_the_compiled_loop_equals_the_plain_one():
    rng = np.random.default_rng(4)
    vectors = sparse.csc_array(rng.random((40, 30)) * (rng.random((40, 30)) < 0.2))
    entries = rng.integers(-1, 2, (40, 7)).astype(np.int8)
    sums = [np.zeros((30, 7)), np.zeros((30, 7))]
    arrays = vectors.indptr.astype(np.int64), vectors.indices.astype(np.int32), vectors.data, entries
    _add_signed(0, 30, *arrays, sums[0])
    _add_signed.plain(0, 30, *arrays, sums[1])
    assert sums[0] == pytest.approx(sums[1], abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_do_not_depend_on_k_nor_columns_on_m(kind):
    large = random_projection(30, 12, kind, rng=9).matrix * sqrt(12)
    small = random_projection(20, 5, kind, rng=9).matrix * sqrt(5)
    assert small == pytest.approx(large[:5, :20], abs=1e-12)


def test_entries_stay_what_they_are():
    # stored documents must meet next year's queries in the same space
    signs = random_projection(6, 4, "sign", rng=1).matrix * 2
    assert ["".join("-0+"[int(e) + 1] for e in row) for row in signs.round().tolist()] == SIGNS
    thirds = random_projection(9, 4, "sparse", rng=1).matrix * 2 / sqrt(3)
    assert ["".join("-0+"[int(e) + 1] for e in row) for row in thirds.round().tolist()] == THIRDS
    assert random_projection(2, 2, rng=1).matrix.ravel() == pytest.approx(NORMALS, abs=1e-9)


SIGNS = ["+--+-+", "---+++", "+-++--", "-++-++"]
THIRDS = ["0-00000+0", "00-0+00++", "0-+000++0", "0+000000+"]
NORMALS = [-0.01997558703117705, -1.5059788038888617, -0.7535054653458321, 0.3898315905298614]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_in_another_process(kind):
    code = (
        "from ircourse.latent import random_projection\n"
        f"print(random_projection(50, 6, {kind!r}, rng=123).matrix.tobytes().hex())"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert other.strip() == random_projection(50, 6, kind, rng=123).matrix.tobytes().hex()


def test_a_generator_gives_a_seed():
    one, two = (random_projection(5, 3, rng=np.random.default_rng(8)).matrix.tolist() for _ in "ab")
    generator = np.random.default_rng(8)
    three, four = (random_projection(5, 3, rng=generator).matrix.tolist() for _ in "ab")
    assert one == two == three != four


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((0, 3), ValueError, "n_terms is 0"),
        ((3, 0), ValueError, "k is 0"),
        ((3, 2.0), TypeError, "k is 2.0"),
        ((3, 2, "dense"), ValueError, "no kind 'dense'"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, says):
    with pytest.raises(error, match=says):
        random_projection(*arguments)
    with pytest.raises(ValueError, match="each of the 3 dimensions"):
        random_projection(3, 2) @ [1, 2]
