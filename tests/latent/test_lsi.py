"""Tests of LSI: both query conventions, folding in, concepts, edges, against values from another program."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ircourse.latent import LSI, TermDocument, cosines, lsi, svd_dense
from tests.latent.examples import BOOK, BOOK_TERMS, TITLE_TERMS, matrices, texts_of, titles_matrix

# P_kᵗq against the columns of S_k R_kᵗ, and S_k⁻¹P_kᵗq against the rows of R_k, computed with 30 digits
SHIP_BOAT = [0.847905332900944, 0.9934618259385304, 0.9709442583275798]
SHIP_BOAT += [-0.06441136728399574, 0.27103856080812266, -0.4331206989486443]
SHIP_BOAT_WHITE = [0.8164466556212615, 0.9947034750127243, 0.9709863300589066]
SHIP_BOAT_WHITE += [-0.35322952045310135, -0.004901573535721706, -0.6365923346366273]
HUMAN = [0.9980930095689973, 0.9374863669686577, 0.9984452813340271, 0.9865886405556589, 0.9075594362644304]
HUMAN += [-0.1241679228934858, -0.10639260100886042, -0.0987946374714853, 0.05004178095605079]
HUMAN_WHITE = [0.9968577502889867, 0.8945014775204344, 0.9974340858920452, 0.9785995267136448]
HUMAN_WHITE += [0.846360528678701, -0.17603070897464423, -0.16260615086070707, -0.15686415176334503]
HUMAN_WHITE += [-0.04328087042284138]


def query(terms, words):
    """The vector of a query that has each word once."""
    return np.array([float(term in words) for term in terms])


def test_the_books_example_in_both_conventions():
    model, q = lsi(BOOK, 2), query(BOOK_TERMS, {"ship", "boat"})
    assert model.cosines(q) == pytest.approx(SHIP_BOAT, abs=1e-10)
    assert model.cosines(q, whiten=True) == pytest.approx(SHIP_BOAT_WHITE, abs=1e-10)
    assert [hit.doc for hit in model.search(q)] == [1, 2, 0, 4, 3, 5]
    # A_2, to the book's two decimals
    assert model.approximation()[0].round(2).tolist() == [0.85, 0.52, 0.28, 0.13, 0.21, -0.08]
    assert np.linalg.norm(BOOK - model.approximation()) == pytest.approx(1.6677932876555255)


def test_deerwesters_titles_in_both_conventions():
    model, q = lsi(titles_matrix(), 2), query(TITLE_TERMS, {"human", "computer"})
    assert model.cosines(q) == pytest.approx(HUMAN, abs=1e-10)
    assert model.cosines(q, whiten=True) == pytest.approx(HUMAN_WHITE, abs=1e-10)
    assert [hit.doc for hit in model.search(q)] == [2, 0, 3, 1, 4, 8, 7, 6, 5]
    # titles 3 and 5 share no word with the query and stand above all of the other topic
    assert cosines(titles_matrix(), q)[[2, 4]].tolist() == [0.0, 0.0]


def test_the_conventions_rank_differently():
    model = lsi([[3, 2, 2, 1], [1, 0, 0, 0], [0, 3, 2, 3], [2, 2, 3, 2]], 3)
    orders = [[hit.doc for hit in model.search(np.ones(4), whiten=white)] for white in (False, True)]
    assert orders == [[1, 2, 0, 3], [1, 0, 3, 2]]


@given(matrix=matrices(), k=st.integers(1, 8))
def test_documents_and_queries_are_reduced_by_p(matrix, k):
    model = lsi(matrix, k)
    assert model.documents == pytest.approx(model.P.T @ matrix, abs=1e-8)
    assert model.fold_in(matrix) == pytest.approx(model.documents, abs=1e-8)
    assert model.fold_in(matrix[:, 0]) == pytest.approx(model.documents[:, 0], abs=1e-8)
    assert model.fold_in(sparse.csc_array(matrix), whiten=True) == pytest.approx(model.R.T, abs=1e-7)
    assert model.term_vectors @ model.R.T == pytest.approx(model.approximation(), abs=1e-8)


@given(matrix=matrices(), k=st.integers(1, 8), flips=st.integers(0, 255))
def test_flipping_signs_of_concepts_changes_nothing(matrix, k, flips):
    model = lsi(matrix, k)
    signs = np.array([(-1.0) ** (flips >> c & 1) for c in range(model.k)])
    flipped = LSI(model.P * signs, model.s, model.R * signs)
    q = np.arange(1.0, len(matrix) + 1)
    assert flipped.cosines(q) == pytest.approx(model.cosines(q), abs=1e-9)
    assert flipped.search(q) == model.search(q)
    assert flipped.approximation() == pytest.approx(model.approximation(), abs=1e-9)


@given(matrix=matrices(), seed=st.integers(0, 99))
def test_at_full_rank_lsi_is_the_plain_cosine(matrix, seed):
    q = matrix @ np.random.default_rng(seed).integers(-2, 3, matrix.shape[1]).astype(float)
    assert lsi(matrix, 8).cosines(q) == pytest.approx(cosines(matrix, q), abs=1e-6)


def test_several_queries_at_once():
    model = lsi(BOOK, 3)
    one_by_one = np.array([model.cosines(q) for q in np.eye(5)]).T
    assert model.cosines(np.eye(5)) == pytest.approx(one_by_one)
    assert model.cosines(sparse.eye_array(5).tocsc()) == pytest.approx(one_by_one)


def test_k_above_the_rank_gives_documents_of_one_length():
    for matrix, rank in ((BOOK, 5), (np.array([[1, 0, 1], [0, 0, 1.0]]), 2)):
        model = lsi(matrix, 10)
        assert model.k == rank
        assert model.documents.shape == (rank, matrix.shape[1])


def test_an_empty_document_has_cosine_0_with_everything():
    model = lsi(np.array([[1, 0, 1], [0, 0, 1.0]]), 2)
    for whiten in (False, True):
        assert model.cosines([1, 0], whiten)[1] == 0.0
    assert model.cosines([1, 0]) == pytest.approx([1, 0, 0.5**0.5])
    larger = np.hstack([BOOK, np.zeros((5, 2)), BOOK])
    assert lsi(larger, 3).cosines(np.ones(5))[6:8].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("whiten", [False, True])
def test_a_zero_query_has_cosine_0_and_the_documents_in_order(whiten):
    model = lsi(BOOK, 2)
    assert model.cosines(np.zeros(5), whiten).tolist() == [0.0] * 6
    assert model.search(np.zeros(5), n=3, whiten=whiten) == [(0, 0.0), (1, 0.0), (2, 0.0)]


@pytest.mark.parametrize("whiten", [False, True])
def test_a_query_at_right_angles_to_every_concept_has_cosine_0(whiten):
    matrix = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1.0]])
    assert lsi(matrix, 1).cosines([0, 0, 1], whiten).tolist() == [0.0, 0.0, 0.0]
    assert lsi(matrix, 1).cosines([1, -2, 0], whiten).tolist() == [0.0, 0.0, 0.0]
    assert lsi(matrix, 1).cosines([1, 0, 0], whiten).tolist() == pytest.approx([1, 1, 0])


def test_a_matrix_of_zeros_has_no_concepts_and_cosines_of_0():
    model = lsi(np.zeros((3, 2)), 2)
    assert (model.k, model.documents.shape, model.orthogonality_loss()) == (0, (0, 2), 0.0)
    assert model.cosines([1, 2, 3]).tolist() == [0.0, 0.0]
    assert model.cosines(np.ones((3, 4))).shape == (2, 4)
    assert [hit.score for hit in model.search([1, 2, 3])] == [0.0, 0.0]
    assert model.approximation().tolist() == [[0, 0], [0, 0], [0, 0]]


def test_one_document():
    td = TermDocument.from_texts(["a ship"], "counts")
    assert lsi(td.matrix, 3).search(td.vector("ship")) == [(0, 1.0)]


def test_equal_scores_stand_in_the_order_of_the_documents():
    matrix = np.hstack([BOOK, BOOK])
    found = [hit.doc for hit in lsi(matrix, 2).search(query(BOOK_TERMS, {"ship"}), n=12)]
    assert [doc % 6 for doc in found[0::2]] == [doc % 6 for doc in found[1::2]]
    assert all(first < second for first, second in zip(found[0::2], found[1::2], strict=True))


def test_truncating_equals_asking_for_fewer():
    model = lsi(BOOK, 5)
    for k in (1, 3, 9):
        assert model.truncate(k).approximation() == pytest.approx(lsi(BOOK, k).approximation())


def test_documents_folded_in_are_found_and_cost_orthogonality():
    td = TermDocument.from_texts(texts_of(60, rng=1))
    model, new = lsi(td.matrix, 8), td.vectors(texts_of(20, rng=2))
    added = model.add(new)
    assert added.documents[:, :60].tolist() == model.documents.tolist()
    assert added.documents[:, 60:] == pytest.approx(model.fold_in(new))
    assert added.search(new[:, [3]].toarray()[:, 0], n=1)[0].doc == 63
    losses = [model.add(new[:, :count]).orthogonality_loss() for count in (0, 5, 10, 20)]
    assert losses[0] < 1e-12
    assert losses == sorted(losses)
    # recomputed, the same documents are orthonormal again
    both = sparse.hstack([td.matrix, new])
    assert lsi(both, 8).orthogonality_loss() < 1e-12
    assert model.R.shape == (60, 8)


def test_concepts_are_their_strongest_terms():
    model = lsi(titles_matrix(), 2)
    assert [term for term, _ in model.concept(0, TITLE_TERMS, n=3)] == ["system", "user", "eps"]
    assert {term for term, _ in model.concept(1, TITLE_TERMS, n=3)} == {"graph", "trees", "minors"}
    # response and time stand in the same titles, so they are equal, and come in the order of the terms
    names = [term for term, _ in model.concept(0, TITLE_TERMS, n=12)]
    assert names.index("time") == names.index("response") + 1


def test_another_decomposition_can_be_passed():
    assert lsi(BOOK, 2, svd=svd_dense).s == pytest.approx(lsi(BOOK, 2).s)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda m: m.fold_in([1, 2]), ValueError, r"each of the 5 terms: got shape \(2,\)"),
        (lambda m: m.fold_in(np.zeros((6, 2))), ValueError, "shape"),
        (lambda m: m.fold_in([1, 2, 3, 4, np.nan]), ValueError, "not a number"),
        (lambda m: m.search(np.eye(5)), ValueError, "one vector, not 5"),
        (lambda m: m.search(np.ones(5), n=-1), ValueError, "n is -1"),
        (lambda m: m.concept(2, BOOK_TERMS), ValueError, "no concept 2"),
        (lambda m: m.concept(-1, BOOK_TERMS), ValueError, "c is -1"),
        (lambda m: m.concept(0, ["ship"]), ValueError, "5 terms in the matrix, and 1"),
        (lambda m: m.truncate(0), ValueError, "k is 0"),
        (lambda m: lsi(BOOK, 0), ValueError, "k is 0"),
    ],
)
def test_wrong_arguments_are_named(call, error, says):
    with pytest.raises(error, match=says):
        call(lsi(BOOK, 2))


def test_a_model_is_told_in_a_line():
    assert repr(lsi(BOOK, 2)) == "<LSI: 2 concepts, 5 terms, 6 documents>"
