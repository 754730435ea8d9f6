"""The inverted index against a plain one that goes through all documents, term by term."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ircourse import index as module
from ircourse import postings as lists
from ircourse.index import InvertedIndex, Statistics
from ircourse.postings import Postings, intersect
from ircourse.ranking import units_of
from ircourse.text import tokenize

ROSES = [
    "a rose is a rose is a rose",
    "a rose is a flower which is a rose",
    "",
    "the harbour",
    "THE Harbour!",
]


class PlainIndex:
    """BM25 by its definition: no postings, every document is read for every query."""

    def __init__(self, docs, weights=None, k1=1.2, b=0.75):
        self.weights, self.k1, self.b = weights or {}, k1, b
        self.docs = {}
        for number, doc in enumerate(docs):
            fields = {"text": doc} if isinstance(doc, str) else doc
            weighted = [(self.weights.get(name, 1), tokenize(text)) for name, text in fields.items()]
            self.docs[number] = [(weight, terms) for weight, terms in weighted if weight]

    def remove(self, number):
        del self.docs[number]

    def count(self, unit, terms):
        return sum(tuple(terms[i : i + len(unit)]) == unit for i in range(len(terms) - len(unit) + 1))

    def tf(self, unit, number):
        return sum(weight * self.count(unit, terms) for weight, terms in self.docs[number])

    def length(self, number):
        return sum(weight * len(terms) for weight, terms in self.docs[number])

    def postings(self, unit):
        counts = {d: sum(self.count(unit, terms) for _, terms in fields) for d, fields in self.docs.items()}
        return {d: count for d, count in counts.items() if count}

    def scores(self, query, mode):
        units = units_of(query)
        n = len(self.docs)
        mean = sum(map(self.length, self.docs)) / n if n else 0
        df = {u: len(self.postings(u)) for u in units}
        scores = {}
        for number in self.docs:
            shares = []
            for unit in units:
                tf = self.tf(unit, number)
                if tf:
                    idf = math.log(1 + (n - df[unit] + 0.5) / (df[unit] + 0.5))
                    norm = self.k1 * (1 - self.b + self.b * self.length(number) / mean)
                    shares.append(idf * tf * (self.k1 + 1) / (tf + norm))
            if units and shares and (mode == "or" or len(shares) == len(units)):
                scores[number] = sum(shares)
        return scores


def assert_same(index, plain, query, mode):
    """Every document and its score, in falling order, ties by number; and fewer are the first of all."""
    expected = plain.scores(query, mode)
    hits = index.search(query, n=1_000, mode=mode)
    assert {hit.doc: hit.score for hit in hits} == pytest.approx(expected, rel=1e-12)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.doc))
    assert all(type(hit.doc) is int and type(hit.score) is float for hit in hits)
    for n in (0, 1, 2, 5):
        assert index.search(query, n=n, mode=mode) == hits[:n]


WORDS = st.sampled_from(["a", "b", "c", "d", "é", "rose", "."])
TEXT = st.lists(WORDS, max_size=12).map(" ".join)
DOC = TEXT | st.dictionaries(st.sampled_from(["title", "text", "anchor", "note"]), TEXT, max_size=3)
PHRASE = st.lists(WORDS, max_size=3).map(lambda words: f'"{" ".join(words)}"')
QUERY = st.lists(WORDS | PHRASE | st.just("zebra"), max_size=4).map(" ".join)
MODE = st.sampled_from(["and", "or"])
WEIGHTS = {"title": 2.0, "anchor": 0.3, "note": 0}


@given(st.lists(DOC, max_size=8), QUERY, MODE, st.sampled_from([0, 1.2, 5]), st.sampled_from([0, 0.75, 1]))
def test_search_is_plain(docs, query, mode, k1, b):
    index = InvertedIndex(iter(docs), weights=WEIGHTS, k1=k1, b=b)
    assert_same(index, PlainIndex(docs, WEIGHTS, k1, b), query, mode)


@given(st.lists(DOC, max_size=8), st.lists(WORDS, min_size=1, max_size=3))
@example(["a a a a", "a a"], ["a", "a"])
def test_postings_are_plain(docs, phrase):
    numbers, counts = InvertedIndex(docs, weights=WEIGHTS).postings(" ".join(phrase))
    assert (numbers.dtype, counts.dtype) == (np.int64, np.int64)
    unit = tuple(tokenize(" ".join(phrase)))
    expected = PlainIndex(docs, WEIGHTS).postings(unit) if unit else {}
    assert list(zip(numbers.tolist(), counts.tolist(), strict=True)) == list(expected.items())


@given(st.lists(DOC, min_size=1, max_size=8), st.data(), QUERY, MODE, st.sampled_from([0, 10_000]))
def test_removed_is_as_if_never_there(docs, data, query, mode, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEW", few)  # 0: postings go as soon as most are dead
        index, plain = InvertedIndex(docs, weights=WEIGHTS), PlainIndex(docs, WEIGHTS)
        for number in data.draw(st.lists(st.integers(0, len(docs) - 1), unique=True)):
            index.remove(number)
            plain.remove(number)
            assert number not in index
    assert_same(index, plain, query, mode)
    assert len(index) == len(plain.docs)
    assert index.terms() == sorted(
        {t for fields in plain.docs.values() for _, terms in fields for t in terms}
    )
    number = index.add("a new rose")
    assert number == len(docs)
    assert index.search("new")[0].doc == number


@given(st.lists(DOC, max_size=8), st.integers(0, 8), QUERY, MODE, st.sampled_from([1, 20, 10**6]))
def test_one_by_one_is_at_once(docs, cut, query, mode, batch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BATCH", batch)
        one_by_one = InvertedIndex(docs[:cut], weights=WEIGHTS)
        numbers = [one_by_one.add(doc) for doc in docs[cut : cut + 2]]
        numbers += one_by_one.extend(docs[cut + 2 :])
    assert numbers == list(range(min(cut, len(docs)), len(docs)))
    at_once = InvertedIndex(docs, weights=WEIGHTS)
    assert one_by_one.search(query, mode=mode) == at_once.search(query, mode=mode)
    assert one_by_one.terms() == at_once.terms()


@given(st.lists(DOC, max_size=9), QUERY, MODE)
def test_pieces_with_common_statistics_score_as_one(docs, query, mode):
    whole = InvertedIndex(docs)
    pieces = [InvertedIndex(docs[i::3]) for i in range(3)]
    known = sum((piece.statistics(query) for piece in pieces), Statistics(0, 0.0, {}))
    assert known.frequencies == whole.statistics(query).frequencies
    merged = {
        hit.doc * 3 + i: hit.score
        for i, piece in enumerate(pieces)
        for hit in piece.search(query, n=100, mode=mode, statistics=known)
    }
    assert merged == pytest.approx(dict(whole.search(query, n=100, mode=mode)), rel=1e-12)


@given(TEXT, TEXT, QUERY, MODE)
def test_a_title_of_weight_two_is_a_title_written_twice(title, text, query, mode):
    query = query.replace('"', "")  # a phrase could run from one copy into the next
    fielded = InvertedIndex([{"title": title, "text": text}, "a b c"], weights={"title": 2})
    repeated = InvertedIndex([f"{title} {title} {text}", "a b c"])
    assert dict(fielded.search(query, mode=mode)) == pytest.approx(
        dict(repeated.search(query, mode=mode)), rel=1e-12
    )


def test_a_worked_example():
    # Three documents of 4, 2 and 3 terms, L = 3; rose is in two of them, twice in the first.
    index = InvertedIndex(["rose red rose white", "red rose", "the harbour wall"])
    idf = math.log(1 + 1.5 / 2.5)
    assert index.search("rose") == [
        (0, pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3)))),
        (1, pytest.approx(idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3)))),
    ]


@pytest.mark.parametrize(
    ("query", "mode", "docs"),
    [
        ("rose", "and", [0, 1]),
        ("rose rose", "and", [0, 1]),
        ("rose flower", "and", [1]),
        ("rose zebra", "and", []),
        ("rose zebra", "or", [0, 1]),
        ("harbour", "and", [3, 4]),  # equal scores, in the order of numbers
        ("HARBOUR", "and", [3, 4]),
        ('"rose is a rose"', "and", [0]),
        ('"a flower which" rose', "and", [1]),
        ('harbour "is a flower"', "or", [3, 4, 1]),
        ('"harbour the"', "and", []),  # not from one document into the next
        ('rose "flower', "and", [1]),  # a quote without its partner is none
        ('rose ""', "and", [0, 1]),
        (["rose is", "flower"], "and", [1]),
        (["rose", "!!"], "and", [0, 1]),
        ((word for word in ["rose"]), "and", [0, 1]),
        ("", "and", []),
        ("", "or", []),
        ([], "or", []),
        ("?!", "or", []),
        ("zebra", "and", []),
    ],
)
def test_queries(query, mode, docs):
    assert [hit.doc for hit in InvertedIndex(ROSES).search(query, mode=mode)] == docs


def test_a_phrase_stays_in_its_field():
    index = InvertedIndex([{"title": "the old", "text": "harbour"}, {"title": "the", "text": "old harbour"}])
    assert [hit.doc for hit in index.search('"old harbour"')] == [1]
    assert [hit.doc for hit in index.search("old harbour")] == [0, 1]


def test_fields_without_weight_are_left_out():
    index = InvertedIndex([{"title": "rose", "text": "red"}, {}, ""], weights={"title": 0})
    assert index.search("rose") == [] and index.length(0) == 1 and len(index) == 3


def test_an_index_of_nothing():
    index = InvertedIndex()
    assert (len(index), index.terms(), index.search("rose"), index.search("rose", mode="or")) == (
        0,
        [],
        [],
        [],
    )
    assert index.postings("rose")[0].tolist() == [] == index.postings("?")[1].tolist()
    assert index.statistics("rose is") == Statistics(0, 0.0, {"rose": 0, "is": 0})
    index = InvertedIndex(["", ""])
    assert len(index) == 2 and index.search("rose", mode="or") == []


def test_what_an_index_tells_of_itself():
    index = InvertedIndex(ROSES)
    assert index.terms() == sorted(set(tokenize(" ".join(ROSES))))
    assert [index.length(i) for i in range(5)] == [8, 9, 0, 2, 2]
    assert 4 in index and 5 not in index and -1 not in index
    assert index.statistics('rose "the harbour"') == Statistics(5, 21.0, {"rose": 2, "the harbour": 2})


def test_clean_up_frees_postings(monkeypatch):
    monkeypatch.setattr(module, "_FEW", 0)
    index = InvertedIndex(["red rose", "white rose", "old harbour wall"])
    index.remove(2)
    assert "harbour" in list(index._postings)  # three terms of seven
    index.remove(0)
    assert list(index._postings) == ["rose", "white"]
    assert index.postings("white rose")[0].tolist() == [1]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: InvertedIndex("a rose"), TypeError, r"write \['a rose'\]"),
        (lambda: InvertedIndex({"text": "a rose"}), TypeError, "several"),
        (lambda: InvertedIndex(["a", None]), TypeError, "document 1 .* None"),
        (lambda: InvertedIndex(["a", b"rose"]), TypeError, "document 1 .* b'rose'"),
        (lambda: InvertedIndex(["a", {"title": 3}]), TypeError, "'title' of document 1 .* 3"),
        (lambda: InvertedIndex(weights={"title": -1}), ValueError, "'title' is -1"),
        (lambda: InvertedIndex(weights={"title": math.nan}), ValueError, "'title' is nan"),
        (lambda: InvertedIndex(weights={"title": "2"}), ValueError, "'title' is '2'"),
        (
            lambda: InvertedIndex(weights={"title": 1e308}),
            ValueError,
            r"1e\+308: give .* from 0 to 1,000,000,000$",
        ),
        (lambda: InvertedIndex(weights={"title": 10**400}), ValueError, "'title' is 10000"),
        (lambda: InvertedIndex(weights=[1]), TypeError, r"mapping from field to number, not \[1\]"),
        (lambda: InvertedIndex(weights=0), TypeError, "mapping from field to number, not 0"),
        (lambda: InvertedIndex(k1=1e308), ValueError, r"k1 is 1e\+308"),
        (lambda: InvertedIndex(k1=-1), ValueError, "k1 is -1"),
        (lambda: InvertedIndex(k1=math.inf), ValueError, "k1 is inf"),
        (lambda: InvertedIndex(b=1.5), ValueError, "b is 1.5.* from 0 to 1$"),
        (lambda: InvertedIndex(ROSES).search("rose", n=-1), ValueError, "n is -1"),
        (lambda: InvertedIndex(ROSES).search("rose", n=2.5), ValueError, r"n is 2\.5: give"),
        (lambda: InvertedIndex(ROSES).search("rose", n="x"), ValueError, "n is 'x': give a number of"),
        (lambda: InvertedIndex(ROSES).search("rose", mode="not"), ValueError, "mode is 'not'"),
        (lambda: InvertedIndex(ROSES).search(None), TypeError, "not None"),
        (lambda: InvertedIndex(ROSES).search(b"rose"), TypeError, "not int: 114"),
        (lambda: InvertedIndex(ROSES).search(["rose", 3]), TypeError, "not int: 3"),
        (
            lambda: InvertedIndex(ROSES).search("rose", statistics=Statistics(9, 9.0, {})),
            ValueError,
            "lack 'rose'",
        ),
        (lambda: InvertedIndex(ROSES).postings(3), TypeError, "not int: 3"),
        (lambda: InvertedIndex(ROSES).remove(5), IndexError, "no document 5"),
        (lambda: InvertedIndex(ROSES).remove(-1), IndexError, "no document -1"),
        (lambda: InvertedIndex(ROSES).length(5), IndexError, "no document 5"),
        (lambda: InvertedIndex(ROSES).remove("x"), TypeError, "number of a document is an int, not 'x'"),
        (lambda: InvertedIndex(ROSES).remove(None), TypeError, "number of a document is an int, not None"),
        (lambda: InvertedIndex(ROSES).remove(0.0), TypeError, r"number of a document is an int, not 0\.0"),
        (lambda: InvertedIndex(ROSES).length("x"), TypeError, "number of a document is an int, not 'x'"),
        (lambda: InvertedIndex(ROSES).remove(2**70), IndexError, f"no document {2**70}"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("other", ["x", None, 0.0, (0,), math.nan, np.float64(0), 2**70, -(2**70)])
def test_what_is_no_number_of_a_document_is_not_in_the_index(other):
    index = InvertedIndex(ROSES)
    assert other not in index and np.int64(0) in index


@pytest.mark.parametrize("weight", [1e9, 1e-300, 5e-324])
@pytest.mark.parametrize("k1", [0, 5e-324, 1e9])
@pytest.mark.parametrize("b", [0, 1])
def test_weights_at_their_limits(weight, k1, b):
    docs = [{"title": "rose", "text": "old harbour"}, {"title": "a rose is"}, {"title": "harbour"}, "rose"]
    hits = InvertedIndex(docs, weights={"title": weight}, k1=k1, b=b).search("rose", mode="or")
    assert {hit.doc for hit in hits} == {0, 1, 3} and all(0 <= hit.score < math.inf for hit in hits)


def test_messages_shorten_what_they_name():
    long = "x" * 100_000
    for call in (
        lambda: InvertedIndex(weights={long: -1}),
        lambda: InvertedIndex([{long: 3}]),
        lambda: InvertedIndex(ROSES).search(long, statistics=Statistics(9, 9.0, {})),
        lambda: InvertedIndex(ROSES).search("rose", mode=long),
        lambda: InvertedIndex(ROSES).remove(long),
    ):
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
        assert len(str(caught.value)) < 300


def test_a_bad_document_loses_nothing():
    index = InvertedIndex(ROSES)
    with pytest.raises(TypeError, match="document 5"):
        index.add(None)
    with pytest.raises(IndexError, match="no document 0"):
        index.remove(0), index.remove(0)
    assert [hit.doc for hit in index.search("rose")] == [1]
    assert index.add("rose") == 5


ASCENDING = st.sets(st.integers(-50, 50)).map(lambda values: np.array(sorted(values), np.int64))


@given(ASCENDING, ASCENDING)
def test_intersect(p1, p2):
    i, j = intersect(p1, p2)
    values, i_expected, j_expected = np.intersect1d(p1, p2, assume_unique=True, return_indices=True)
    assert p1[i].tolist() == p2[j].tolist() == values.tolist()
    assert i.tolist() == i_expected.tolist() and j.tolist() == j_expected.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "_intersect", lists._intersect.plain)
        assert [where.tolist() for where in intersect(p1, p2)] == [i.tolist(), j.tolist()]


@given(st.lists(st.lists(TEXT, max_size=4), max_size=4), st.lists(WORDS, min_size=1, max_size=3))
def test_phrases_in_texts_of_many_batches(batches, phrase):
    postings, texts = Postings(), [text for batch in batches for text in batch]
    for batch in batches:
        postings.extend(batch)
    unit = tuple(tokenize(" ".join(phrase)))
    expected = PlainIndex(texts).postings(unit) if unit else {}
    found, counts = postings.find(unit)
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == expected
    assert postings.sizes.tolist() == [len(tokenize(text)) for text in texts]


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_a_larger_random_corpus(seed):
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(60)]
    docs = [" ".join(rng.choice(words, size=rng.integers(0, 40))) for _ in range(150)]
    index, plain = InvertedIndex(docs), PlainIndex(docs)
    for query in ("w0", "w1 w2", 'w3 "w4 w5"', "w6 w7 w8 w9"):
        for mode in ("and", "or"):
            assert_same(index, plain, query, mode)
