"""Tests of the decomposition: LAPACK as oracle, the book's numbers, signs, shapes, ranks, repeats."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ircourse.latent import svd, svd_dense, svd_gram, svd_lanczos, svd_randomized
from ircourse.latent.lanczos import BLOCK, lanczos, orthonormal
from tests.latent.examples import BOOK, BOOK_S, TITLES_S, matrices, titles_matrix

EXACT = [svd, svd_dense, svd_gram, svd_lanczos]


def rebuilt(parts):
    """P S Rᵗ."""
    return parts.P * parts.s @ parts.R.T


def text_like(m, n, rng, density=0.02):
    """A sparse matrix with the falling singular values of texts."""
    rng = np.random.default_rng(rng)
    words = np.minimum(rng.zipf(1.3, int(m * n * density)) - 1, m - 1)
    columns = rng.integers(0, n, len(words))
    return sparse.csc_array((rng.random(len(words)), (words, columns)), shape=(m, n))


@pytest.mark.parametrize("method", [*EXACT, svd_randomized])
def test_the_books_example_and_deerwesters_titles(method):
    assert method(BOOK, 5).s == pytest.approx(BOOK_S, abs=1e-10)
    assert method(titles_matrix(), 9).s == pytest.approx(TITLES_S, abs=1e-10)
    # the book's U, printed without signs to be trusted
    assert np.abs(method(BOOK, 2).P).round(2).tolist() == [
        [0.44, 0.30],
        [0.13, 0.33],
        [0.48, 0.51],
        [0.70, 0.35],
        [0.26, 0.65],
    ]


@pytest.mark.parametrize("method", EXACT)
@given(matrix=matrices(), k=st.integers(1, 9), as_sparse=st.booleans())
def test_small_matrices_are_decomposed_as_by_numpy(method, matrix, k, as_sparse):
    s = np.linalg.svd(matrix, compute_uv=False)
    rank = int((s > 1e-10).sum())
    parts = method(sparse.csr_array(matrix) if as_sparse else matrix, k)
    kept = min(k, rank)
    assert parts.s == pytest.approx(s[:kept], abs=1e-8)
    assert parts.P.shape == (len(matrix), kept)
    assert parts.R.shape == (matrix.shape[1], kept)
    assert pytest.approx(np.eye(kept), abs=1e-9) == parts.P.T @ parts.P
    assert pytest.approx(np.eye(kept), abs=1e-9) == parts.R.T @ parts.R
    assert matrix @ parts.R == pytest.approx(parts.P * parts.s, abs=1e-8)
    if k >= rank:
        assert rebuilt(parts) == pytest.approx(matrix, abs=1e-8)


@pytest.mark.parametrize("shape", [(500, 160), (160, 500), (220, 220)])
@pytest.mark.parametrize("method", [svd, svd_gram, svd_lanczos])
def test_exact_to_eight_digits_on_matrices_like_texts(method, shape):
    matrix = text_like(*shape, rng=1)
    wanted = svd_dense(matrix, 20)
    parts = method(matrix, 20)
    assert parts.s == pytest.approx(wanted.s, abs=1e-8 * wanted.s[0])
    assert rebuilt(parts) == pytest.approx(rebuilt(wanted), abs=1e-8 * wanted.s[0])
    assert pytest.approx(wanted.P, abs=1e-7) == parts.P
    assert pytest.approx(wanted.R, abs=1e-7) == parts.R


def test_svd_takes_lanczos_for_large_shapes(monkeypatch):
    module = sys.modules["ircourse.latent.svd"]
    taken = []
    monkeypatch.setattr(module, "SMALL_AREA", 10)
    monkeypatch.setattr(module, "SMALL_SIDE", 30)
    for name in ("svd_dense", "svd_gram", "svd_lanczos"):
        method = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, n=name, m=method: taken.append(n) or m(*a))
    shapes = [(2, 5), (60, 30), (31, 90), (31, 90)]
    for (m, n), k in zip(shapes, (1, 2, 5, 6), strict=True):
        matrix = text_like(m, n, rng=2, density=0.5)
        assert svd(matrix, k).s == pytest.approx(np.linalg.svd(matrix.toarray(), compute_uv=False)[:k])
    assert taken == ["svd_dense", "svd_gram", "svd_lanczos", "svd_gram"]


@pytest.mark.parametrize("longest", [10 + 4 * BLOCK, 10 + 7 * BLOCK, 300, None])
def test_restarts_lose_nothing(longest):
    matrix = text_like(500, 300, rng=3)
    vectors = lanczos(matrix, 10, longest=longest)
    assert np.linalg.svd(matrix @ vectors, compute_uv=False) == pytest.approx(svd_dense(matrix, 10).s)


@pytest.mark.parametrize("method", EXACT)
def test_equal_singular_values_are_all_found(method):
    values = np.concatenate([np.full(BLOCK, 5.0), np.linspace(4, 1, 60)])
    parts = method(sparse.diags_array(values).tocsc(), BLOCK + 4)
    assert parts.s == pytest.approx(values[: BLOCK + 4], abs=1e-9)
    identity = method(np.eye(30), 12)
    assert identity.s == pytest.approx(np.ones(12))


@pytest.mark.parametrize("method", [*EXACT, svd_randomized])
def test_k_above_the_rank_gives_the_rank(method):
    rng = np.random.default_rng(4)
    matrix = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 40))
    parts = method(matrix, 10)
    assert parts.s.shape == (3,)
    assert rebuilt(parts) == pytest.approx(matrix)


@pytest.mark.parametrize("method", [*EXACT, svd_randomized])
@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (40, 2)])
def test_a_matrix_of_zeros_has_no_singular_values(method, shape):
    parts = method(np.zeros(shape), 2)
    assert (parts.P.shape, parts.s.shape, parts.R.shape) == ((shape[0], 0), (0,), (shape[1], 0))


@pytest.mark.parametrize("method", [*EXACT, svd_randomized])
def test_one_document_and_one_term(method):
    column, row = method([[3], [4]], 1), method([[3, 4]], 1)
    assert (column.s[0], column.P[:, 0].tolist(), column.R.tolist()) == (
        pytest.approx(5),
        pytest.approx([0.6, 0.8]),
        [[pytest.approx(1)]],
    )
    assert (row.P.tolist(), row.R[:, 0].tolist()) == ([[pytest.approx(1)]], pytest.approx([0.6, 0.8]))


@pytest.mark.parametrize("method", EXACT)
@given(matrix=matrices(), flips=st.integers(0, 255))
def test_the_largest_entry_of_a_column_of_p_is_positive(method, matrix, flips):
    for P in (
        method(matrix, 3).P,
        method(matrix * [(-1) ** (flips >> i & 1) for i in range(matrix.shape[1])], 3).P,
    ):
        for column in P.T:
            first = np.flatnonzero(np.abs(column) >= np.abs(column).max() * (1 - 1e-6))[0]
            assert column[first] > 0


def test_of_equal_entries_the_first_decides_the_sign():
    assert svd_dense([[-1, 0], [1, 0], [0, 1e-9]], 1).P[:, 0].tolist() == pytest.approx(
        [0.5**0.5, -(0.5**0.5), 0]
    )


def test_the_randomised_one_comes_near_and_never_below():
    matrix = text_like(300, 200, rng=5)
    full, k = matrix.toarray(), 15
    least = np.linalg.norm(full - rebuilt(svd_dense(matrix, k)))
    errors = [np.linalg.norm(full - rebuilt(svd_randomized(matrix, k, power=p))) for p in (0, 2, 6)]
    assert least - 1e-9 <= errors[2] <= errors[1] <= errors[0] <= 1.3 * least
    assert errors[2] <= 1.001 * least


def test_the_same_bytes_in_another_process():
    code = (
        "import hashlib, numpy as np\n"
        "from ircourse.latent import svd_randomized, svd_lanczos\n"
        "A = np.random.default_rng(0).random((60, 50))\n"
        "both = [svd_randomized(A, 5, rng=7), svd_lanczos(A, 5)]\n"
        "print(hashlib.sha256(b''.join(x.tobytes() for parts in both for x in parts)).hexdigest())"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in "ab"
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].split()[0]) == 2 * hashlib.sha256().digest_size


@pytest.mark.parametrize("method", [*EXACT, svd_randomized])
@pytest.mark.parametrize(
    ("matrix", "k", "error", "says"),
    [
        ([[1, 2]], 0, ValueError, "k is 0"),
        ([[1, 2]], -1, ValueError, "k is -1"),
        ([[1, 2]], 1.5, TypeError, "k is 1.5"),
        ([1, 2], 1, ValueError, "shape"),
        (np.zeros((0, 3)), 1, ValueError, "shape"),
        (np.zeros((3, 0)), 1, ValueError, "shape"),
        ([[1, np.nan]], 1, ValueError, "not a number"),
        (sparse.csc_array([[1, np.inf]]), 1, ValueError, "infinite"),
        ([[1j, 0]], 1, ValueError, "complex"),
        ([["a", "b"]], 1, ValueError, "real numbers"),
    ],
)
def test_wrong_arguments_are_named(method, matrix, k, error, says):
    with pytest.raises(error, match=says):
        method(matrix, k)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e140])
def test_scale_does_not_matter(scale):
    for method in EXACT:
        assert method(BOOK * scale, 5).s / scale == pytest.approx(BOOK_S)


def test_the_callers_matrix_is_left_as_it_was():
    full = BOOK.copy()
    repeated = sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    unsorted = sparse.csc_array((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2, 2])), shape=(2, 2))
    for method in EXACT:
        method(full, 2)
        assert method(repeated, 2).s == pytest.approx([3, 3])
        method(unsorted, 2)
    assert full.tolist() == BOOK.tolist()
    assert unsorted.indices.tolist() == [1, 0]


@given(w=matrices())
def test_orthonormal_keeps_the_product_and_drops_what_is_dependent(w):
    x, r = orthonormal(w.copy(), floor=1e-9)
    assert x.T @ x == pytest.approx(np.eye(x.shape[1]), abs=1e-9)
    assert x @ r == pytest.approx(w, abs=1e-8)
    assert x.shape[1] == np.linalg.matrix_rank(w, tol=1e-9)
