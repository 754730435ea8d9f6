"""Tests of the term–document matrix: weights by hand, an oracle, options, edges."""

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.latent import TermDocument
from ircourse.text import tokenize
from tests.latent.examples import TITLE_TERMS, TITLES, titles_matrix

WEIGHTINGS = ["counts", "logtf", "tfidf", "logentropy"]
texts = st.lists(st.text("abc é", max_size=12), min_size=1, max_size=8)


def expected(docs, weighting):
    """The matrix by the definitions, entry by entry."""
    counts = [Counter(tokenize(doc)) for doc in docs]
    terms = list(dict.fromkeys(term for doc in docs for term in tokenize(doc)))
    n, rows = len(docs), []
    for term in terms:
        tf = [c[term] for c in counts]
        cf, df = sum(tf), sum(t > 0 for t in tf)
        entropy = 1 + (sum(t / cf * log(t / cf) for t in tf if t) / log(n) if n > 1 else 0)
        local, weight = {
            "counts": (lambda t: t, 1),
            "logtf": (lambda t: 1 + log(t), 1),
            "tfidf": (lambda t: 1 + log(t), log(n / df)),
            "logentropy": (lambda t: log(1 + t), entropy),
        }[weighting]
        rows.append([local(t) * weight if t else 0.0 for t in tf])
    return terms, np.array(rows).reshape(len(terms), n)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@given(docs=texts)
def test_the_matrix_is_what_the_definitions_say(weighting, docs):
    td = TermDocument.from_texts(docs, weighting)
    terms, matrix = expected(docs, weighting)
    assert list(td.terms) == terms
    assert td.matrix.toarray() == pytest.approx(matrix, abs=1e-12)
    assert td.matrix.has_canonical_format


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("unit_length", [False, True])
@given(docs=texts)
def test_a_document_as_a_query_is_its_own_column(weighting, unit_length, docs):
    td = TermDocument.from_texts(docs, weighting, unit_length=unit_length)
    assert td.vectors(docs).toarray() == pytest.approx(td.matrix.toarray(), abs=1e-12)
    assert td.vector(docs[0]) == pytest.approx(td.matrix[:, [0]].toarray()[:, 0], abs=1e-12)


@given(docs=texts, seed=st.integers(0, 100))
def test_the_order_of_documents_moves_columns_only(docs, seed):
    order = np.random.default_rng(seed).permutation(len(docs))
    one, other = (TermDocument.from_texts(d) for d in (docs, [docs[i] for i in order]))
    rows = [one.rows[term] for term in other.terms]
    assert one.matrix.toarray()[rows][:, order] == pytest.approx(other.matrix.toarray(), abs=1e-12)


def test_deerwesters_titles_give_the_table_of_the_paper():
    td = TermDocument.from_texts(TITLES, "counts")
    rows = [td.rows[term] for term in TITLE_TERMS]
    assert td.matrix.toarray()[rows].tolist() == titles_matrix().tolist()


def test_unit_length_divides_each_column_by_its_length_and_leaves_an_empty_one():
    td = TermDocument.from_texts(["a b b", "", "c"], "counts", unit_length=True)
    assert np.linalg.norm(td.matrix.toarray(), axis=0).tolist() == pytest.approx([1, 0, 1])


def test_options_leave_out_rare_frequent_and_stop_words():
    docs = ["the cat sat", "the cat ran", "the dog ran", "the end"]
    assert TermDocument.from_texts(docs, min_df=2).terms == ("the", "cat", "ran")
    assert TermDocument.from_texts(docs, max_df=0.5).terms == ("cat", "sat", "ran", "dog", "end")
    assert TermDocument.from_texts(docs, stop_words={"the", "end"}).terms == ("cat", "sat", "ran", "dog")
    # idf is of what is in the texts, whatever is left out
    kept = TermDocument.from_texts(docs, min_df=2)
    assert kept.weights == pytest.approx([0.0, log(2), log(2)])


def test_a_term_in_every_document_weighs_nothing_under_tfidf():
    td = TermDocument.from_texts(["a b", "a c"])
    assert td.matrix[[td.rows["a"]]].nnz == 0


def test_one_document_and_no_terms():
    assert TermDocument.from_texts(["a b"]).matrix.nnz == 0
    assert TermDocument.from_texts(["a b a"], "logentropy").matrix.toarray()[:, 0] == pytest.approx(
        [log(3), log(2)]
    )
    empty = TermDocument.from_texts(["", "…"])
    assert empty.matrix.shape == (0, 2)
    assert empty.vector("a").shape == (0,)


def test_a_query_of_unknown_words_is_a_zero_vector():
    td = TermDocument.from_texts(["a b", "c"])
    assert td.vector("x y").tolist() == [0.0, 0.0, 0.0]
    assert td.vector("").tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "says"),
    [
        (([],), {}, ValueError, "give at least one"),
        (("a text",), {}, TypeError, "write"),
        ((["a", 3],), {}, TypeError, "text 1"),
        ((["a"], "bm25"), {}, ValueError, "no weighting 'bm25'"),
        ((["a"],), {"min_df": 0}, ValueError, "min_df is 0"),
        ((["a"],), {"min_df": 0.5}, TypeError, "min_df is 0.5"),
        ((["a"],), {"max_df": 0}, ValueError, "max_df is 0"),
        ((["a"],), {"max_df": 2}, ValueError, "max_df is 2"),
        ((["a"],), {"max_df": float("nan")}, ValueError, "max_df is nan"),
        ((["a"],), {"stop_words": "the"}, TypeError, "write"),
    ],
)
def test_wrong_arguments_are_named(arguments, options, error, says):
    with pytest.raises(error, match=says):
        TermDocument.from_texts(*arguments, **options)


def test_a_query_is_a_str():
    with pytest.raises(TypeError, match="a query is a str, not list"):
        TermDocument.from_texts(["a"]).vector(["a"])
