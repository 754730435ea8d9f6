"""Claims C72 to C79 and C82: what LSI and random projection keep, what they lose, and what they cost."""

from math import log, sqrt
from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ircourse.latent import (
    TermDocument,
    cosines,
    jl_dimension,
    lsi,
    miss_probability,
    random_projection,
    stretch,
    svd,
    svd_randomized,
)
from ircourse.latent.lanczos import lanczos

# book, example 18.4
BOOK = np.array([[int(c) for c in row] for row in "101000 010000 110000 100110 000101".split()], float)


def corpus(n=240, seed=0):
    """Texts on cars, money, rivers and bread; the first two words of a topic never stand in one text."""
    rng = np.random.default_rng(seed)
    subjects = {
        ("car", "automobile"): "engine wheel brake road tyre driver fuel garage",
        ("money", "loan"): "account interest credit bank cash coin debt saving",
        ("river", "stream"): "water bridge bank fish mud reed flood ferry",
        ("bread", "loaf"): "flour oven yeast crust dough salt butter baker",
    }
    made = []
    for i in range(n):
        names, words = list(subjects.items())[i % 4]
        made.append(" ".join([names[i // 4 % 2], *rng.choice(words.split(), 12)]))
    return made


def python_texts():
    """Paragraphs of at least 30 words of Python's own documentation: texts that nobody wrote for this."""
    paragraphs = [" ".join(part.split()) for key in sorted(topics) for part in topics[key].split("\n\n")]
    long = list(dict.fromkeys(part for part in paragraphs if len(part.split()) >= 30))
    return long[:: max(1, len(long) // 500)][:500]


def normals(m, n, seed):
    """n points in m dimensions at length 1."""
    points = np.random.default_rng(seed).standard_normal((m, n))
    return points / np.linalg.norm(points, axis=0)


def worst_stretch(points, k, kind="gaussian", seed=0):
    """The largest |ratio − 1| of a squared distance under one random projection."""
    images = random_projection(len(points), k, kind, rng=seed) @ points
    return float(np.abs(stretch(points, images).distances - 1).max())


def test_c72_a_is_p_s_rt_and_s_holds_square_roots_of_eigenvalues():
    P, s, R = svd(BOOK, 5)
    assert P * s @ R.T == pytest.approx(BOOK, abs=1e-12)
    eigenvalues = np.linalg.eigvalsh(BOOK @ BOOK.T)[::-1]
    assert s**2 == pytest.approx(eigenvalues)
    # as slides-P has it, with the eigenvalues themselves in S, A does not come back
    assert np.abs(P * eigenvalues @ R.T - BOOK).max() > 0.5


def test_c72_eigenvectors_computed_separately_rarely_rebuild_a():
    rng, rebuilt, matched = np.random.default_rng(1), 0, 0
    for _ in range(400):
        A = rng.standard_normal((6, 4))
        R = np.linalg.eigh(A.T @ A)[1]
        squares, P = (part[..., 2:] for part in np.linalg.eigh(A @ A.T))
        P = P * rng.choice([-1, 1], 4)  # nothing fixes the signs of eigenvectors
        rebuilt += np.allclose(P * np.sqrt(squares) @ R.T, A)
        signs = np.sign(np.sum(P * (A @ R), axis=0))
        matched += np.allclose(P * signs * np.sqrt(squares) @ R.T, A)
    # one of 2⁴ choices of signs matches: 25 expected of 400, standard error 4.8
    assert 0 < rebuilt < 25 + 5 * 4.8
    assert matched == 400


@given(seed=st.integers(0, 10_000), k=st.integers(1, 6))
def test_c73_the_error_of_a_k_is_the_next_singular_values(seed, k):
    A = np.random.default_rng(seed).standard_normal((9, 7))
    s = np.linalg.svd(A, compute_uv=False)
    rest = A - lsi(A, k).approximation()
    assert np.linalg.norm(rest, 2) == pytest.approx(s[k])
    assert np.sum(rest**2) == pytest.approx(np.sum(s[k:] ** 2))


def test_c73_rivals_of_rank_k_come_near_and_never_below():
    A = TermDocument.from_texts(corpus()).matrix.toarray()
    k, rng = 6, np.random.default_rng(2)
    rest = A - lsi(A, k).approximation()
    least, largest = np.linalg.norm(rest), np.linalg.norm(rest, 2)
    rivals = []
    for power in (0, 1, 4):
        parts = svd_randomized(A, k, power=power, rng=rng)
        rivals.append(parts.P * parts.s @ parts.R.T)
    for _ in range(8):  # alternating least squares: best Y for X, best X for Y
        X = rng.standard_normal((len(A), k))
        for _ in range(40):
            Y = np.linalg.lstsq(X, A, rcond=None)[0]
            X = np.linalg.lstsq(Y.T, A.T, rcond=None)[0].T
        rivals.append(X @ Y)
    errors = np.array([np.linalg.norm(A - rival) for rival in rivals])
    assert (errors >= least * (1 - 1e-12)).all()
    assert errors.min() < 1.0001 * least
    assert all(np.linalg.norm(A - rival, 2) >= largest * (1 - 1e-12) for rival in rivals)


@given(seed=st.integers(0, 10_000), k=st.integers(1, 6))
def test_c74_reduction_is_multiplication_by_pt_and_products_move_by_the_next_square(seed, k):
    A = np.random.default_rng(seed).standard_normal((9, 7))
    model = lsi(A, k)
    assert model.documents == pytest.approx(model.P.T @ A)
    moved = A.T @ A - model.documents.T @ model.documents
    assert np.linalg.norm(moved, 2) == pytest.approx(np.linalg.svd(A, compute_uv=False)[k] ** 2)


def term_cosine(vectors, rows, one, other):
    """The cosine of two rows by their terms."""
    return float(cosines(vectors[[rows[one]]].T, vectors[rows[other]])[0])


def test_c75_words_for_one_thing_come_together_and_a_word_of_two_senses_stays_between():
    td = TermDocument.from_texts(corpus())
    plain, reduced = td.matrix.toarray(), lsi(td.matrix, 4).term_vectors
    for pair in (("car", "automobile"), ("money", "loan"), ("river", "stream"), ("bread", "loaf")):
        assert term_cosine(plain, td.rows, *pair) == 0.0
        assert term_cosine(reduced, td.rows, *pair) > 0.97
    for pair in (("car", "money"), ("river", "loaf"), ("money", "river")):
        assert abs(term_cosine(reduced, td.rows, *pair)) < 0.25
    to_money, to_river = (term_cosine(reduced, td.rows, "bank", word) for word in ("money", "river"))
    assert 0.55 < to_money < 0.9
    assert 0.55 < to_river < 0.9


class Counted(float):
    """A number that counts how often it is multiplied."""

    times = 0

    def __mul__(self, other):
        Counted.times += 1
        return float(self) * float(other)

    __rmul__ = __mul__


def multiplications(*factors):
    """How many multiplications the products of the arrays, from the right, take."""
    Counted.times = 0
    result = np.vectorize(Counted, otypes=[object])(factors[-1])
    for factor in factors[-2::-1]:
        result = np.vectorize(Counted, otypes=[object])(factor @ result)
    return Counted.times


def test_c76_comparing_with_all_documents_costs_km_and_kn():
    m, k, dense, reduced = 60, 4, [], []
    sizes = [20, 40, 80]
    for n in sizes:
        A = np.random.default_rng(n).random((m, n))
        model, q = lsi(A, k), np.ones(m)
        dense.append(multiplications(A.T, q))
        reduced.append(multiplications(model.documents.T, model.P.T, q))
    assert dense == [m * n for n in sizes]
    assert reduced == [k * m + k * n for n in sizes]
    # a further document costs m before and k after
    assert np.polyfit(sizes, dense, 1)[0] == pytest.approx(m)
    assert np.polyfit(sizes, reduced, 1)[0] == pytest.approx(k)


def test_c76_an_inverted_index_does_less_than_both_for_short_queries():
    td = TermDocument.from_texts(python_texts())
    (m, n), k = td.matrix.shape, 100
    df = np.diff(td.matrix.tocsr().indptr)
    rng = np.random.default_rng(3)
    # two-word queries drawn from the texts, so common words come often
    stand = td.matrix.indices[rng.integers(0, td.matrix.nnz, (1000, 2))]
    by_index = df[stand].sum(axis=1)
    assert by_index.max() <= 2 * n
    assert by_index.max() < k * n < k * m + k * n
    assert k * m + k * n < m * n


@pytest.mark.parametrize("kind", ["gaussian", "sign", "sparse"])
def test_c77_all_distances_are_kept_whatever_the_dimension_was(kind):
    n, epsilon = 40, 0.5
    k = jl_dimension(n, epsilon)
    for m in (60, 600, 3000):
        points = normals(m, n, seed=m)
        kept = sum(worst_stretch(points, k, kind, seed) <= epsilon for seed in range(20))
        # the proof promises 1 in 40; what happens is nearly always
        assert kept >= 19


def test_c77_the_number_of_points_counts_and_not_the_dimension():
    k, spread = 60, {}
    for m, n in ((100, 200), (3000, 200), (3000, 10)):
        points = normals(m, n, seed=m + n)
        spread[m, n] = float(np.mean([worst_stretch(points, k, seed=seed) for seed in range(12)]))
    # thirty times the dimension moves the worst of 19,900 pairs by less than its noise (0.02 each)
    assert spread[3000, 200] == pytest.approx(spread[100, 200], abs=0.12)
    assert spread[3000, 10] < 0.7 * spread[3000, 200]


def test_c77_failures_are_rarer_than_n_to_the_minus_beta():
    n, epsilon, beta = 30, 0.7, 1.0
    k = jl_dimension(n, epsilon, beta)
    assert n * n * miss_probability(k, epsilon) / 2 <= n**-beta
    points = normals(80, n, seed=4)
    failures = sum(worst_stretch(points, k, seed=seed) > epsilon for seed in range(200))
    # at most 200/30 = 6.7 expected by the bound, standard error 2.5
    assert failures <= 6.7 + 3 * 2.5
    assert jl_dimension(n, epsilon) == int(np.ceil(4 * log(n) / (epsilon**2 / 2 - epsilon**3 / 3)))


def test_c77_inner_products_err_absolutely_so_small_cosines_have_no_relative_guarantee():
    epsilon, rng = 0.2, np.random.default_rng(5)
    base = np.linalg.qr(rng.standard_normal((400, 40)))[0]
    wanted = np.repeat([0.9, 0.5, 0.01], 13)
    points = np.hstack([base[:, :1], wanted * base[:, :1] + np.sqrt(1 - wanted**2) * base[:, 1:]])
    k = jl_dimension(2 * 40, epsilon)  # sums and differences with the first point are kept too
    images = [random_projection(400, k, rng=seed) @ points for seed in range(10)]
    found = np.array([stretch(points, image).products[:39] for image in images])
    assert np.abs(found).max() <= epsilon
    relative = np.abs(found) / wanted
    assert relative[:, :13].max() < 0.2
    assert relative[:, 26:].max() > 1.5


def ratios(entries, x):
    """‖Rx‖²/‖x‖² for each of many k × m arrays of entries, scaled by 1/√k."""
    return np.sum((entries @ x) ** 2, axis=1) / entries.shape[1] / (x @ x)


def test_c78_entries_need_mean_0_variance_1_and_no_heavy_tail():
    trials, k, m = 100, 64, 50
    rng = np.random.default_rng(6)
    vectors = {"even": np.ones(m), "one-hot": np.eye(m)[3], "sum 0": np.resize([1.0, -1.0], m)}
    good = {
        kind: np.array([random_projection(m, k, kind, rng=s).matrix for s in range(trials)]) * sqrt(k)
        for kind in ("gaussian", "sign", "sparse")
    }
    for entries in good.values():
        for x in vectors.values():
            # a ratio has standard deviation √(2/64) = 0.18 at most, so 0.75 is four of them
            assert np.abs(ratios(entries, x) - 1).max() < 0.75
    shifted = good["gaussian"] + 1  # variance 1, mean 1
    assert ratios(shifted, vectors["even"]).min() > 20
    assert np.abs(ratios(shifted, vectors["one-hot"]) - 2).max() < 1.5
    assert np.abs(ratios(shifted, vectors["sum 0"]) - 1).max() < 0.75
    # ±100 with total probability 10⁻⁴: mean 0, variance 1, and nearly always nothing at all
    draws = rng.random((trials, k, m))
    heavy = 100.0 * ((draws < 0.5e-4).astype(float) - (draws > 1 - 0.5e-4))
    on_one_hot = ratios(heavy, vectors["one-hot"])
    assert np.mean(on_one_hot == 0) > 0.9  # (1 − 10⁻⁴)⁶⁴ = 0.994
    assert set(np.unique(on_one_hot)) <= {0.0, 100.0**2 / k, 2 * 100.0**2 / k}


class Columns:
    """A matrix that counts the columns it is multiplied with, A and Aᵗ together."""

    def __init__(self, A):
        self.A, self.count, self.shape = A, 0, A.shape

    @property
    def T(self):
        other = Columns(self.A.T)
        other.counter = self
        return other

    def __matmul__(self, x):
        getattr(self, "counter", self).count += x.shape[1]
        return self.A @ x


def test_c79_lsi_loses_less_for_a_dimension_and_random_projection_costs_less():
    A = TermDocument.from_texts(python_texts(), unit_length=True).matrix
    full, total = A.toarray(), sparse.linalg.norm(A) ** 2
    lost = {"lsi": [], "projection": []}
    for k in (10, 40, 100):
        lost["lsi"].append(1 - np.sum(lsi(A, k).s ** 2) / total)
        R = random_projection(A.shape[0], k, "sparse").matrix
        guess = R.T @ np.linalg.solve(R @ R.T, R @ full)  # the nearest to A of what R could have come from
        lost["projection"].append(np.sum((full - guess) ** 2) / total)
    assert (np.array(lost["lsi"]) < np.array(lost["projection"])).all()
    assert lost["lsi"][2] < 0.6 < 0.9 < lost["projection"][2]
    # the work, in columns that all entries of A are multiplied with: 100 for the projection, a third of them
    # not 0, and some 900 for the decomposition
    counted = Columns(A)
    lanczos(counted, 100)
    assert 400 < counted.count < 2_000
    images = random_projection(A.shape[0], 100, "sparse") @ A
    assert np.median(stretch(A, images).distances) == pytest.approx(1, abs=0.05)
    assert np.median(stretch(A, lsi(A, 100).documents).distances) < 0.75


def test_c82_lsi_shrinks_distances_and_keeps_what_varies_most():
    A = TermDocument.from_texts(python_texts(), unit_length=True).matrix
    by_lsi = stretch(A, lsi(A, 100).documents).distances
    by_projection = stretch(A, random_projection(A.shape[0], 100, "sparse") @ A).distances
    # P_k is orthonormal, so no distance can grow, and these shrink unequally: by a factor of four and more
    assert by_lsi.max() <= 1 + 1e-9
    low, high = np.percentile(by_lsi, [1, 99])
    assert high > 2.5 * low
    assert np.mean(by_lsi) < 0.75
    assert np.mean(by_projection) == pytest.approx(1, abs=0.05)
    # LSI holds more of the squared lengths than any other choice of 100 dimensions
    kept = np.sum(lsi(A, 100).s ** 2)
    others = np.linalg.qr(np.random.default_rng(7).standard_normal((A.shape[0], 100)))[0]
    assert kept > 2 * np.sum((others.T @ A.toarray()) ** 2)
