"""The small collection: what its README says is planted in it is there, and LSI makes use of it."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ircourse.latent import (
    TermDocument,
    cosines,
    five_topics,
    lsi,
    mean_average_precision,
    random_projection,
)
from ircourse.text import tokenize

README = (Path(__file__).parents[2] / "data/five_topics/README.md").read_text(encoding="utf-8")
TOPICS = ["motoring", "medicine", "cinema", "seafaring", "money"]
PAIRS = [
    tuple(pair.split(", "))
    for row in re.findall(rf"^\| (?:{'|'.join(TOPICS)}) \| (.*) \|$", README, re.MULTILINE)
    for pair in row.split("; ")
]
TWO_SENSES = "bank cast current film screen seal theatre".split()


@pytest.fixture(scope="module")
def collection():
    return five_topics()


@pytest.fixture(scope="module")
def words(collection):
    """The words of each text."""
    return [set(tokenize(text)) for text in collection.documents]


@pytest.fixture(scope="module")
def measured(collection):
    """The matrix, the queries and the mean average precision of the plain cosine."""
    td = TermDocument.from_texts(collection.documents, min_df=2, unit_length=True)
    queries = td.vectors(collection.queries)
    return td, queries, mean_average_precision(cosines(td.matrix, queries), collection.relevant)


def test_the_counts_are_those_that_the_readme_tells(collection):
    assert collection.numbers == tuple(range(1, 121))
    assert Counter(five_topics("K").documents) == dict.fromkeys(TOPICS, 24)
    assert len(set(collection.queries)) == len(collection.queries) == 20
    assert sum(map(len, collection.relevant)) == 118 and "118 judgements" in README


def test_texts_are_distinct_and_of_two_to_four_sentences(collection):
    assert len(set(collection.documents)) == 120
    for text in collection.documents:
        assert 2 <= len(re.findall(r"[.?](?: |$)", text)) <= 4, text
        assert 20 <= len(tokenize(text)) <= 50, text


def test_every_query_has_judgements_that_refer_to_a_text(collection):
    # read_smart refuses a judgement of a text or query that is not there
    assert all(3 <= len(found) <= 8 for found in collection.relevant)
    assert set().union(*collection.relevant) <= set(range(120))


def test_every_query_s_words_stand_in_a_relevant_text_or_two(collection, words):
    for query, found in zip(collection.queries, collection.relevant, strict=True):
        assert any(words[doc] & set(tokenize(query)) for doc in found), query


def test_there_are_fifteen_pairs():
    assert len(PAIRS) == 15 and all(len(pair) == 2 for pair in PAIRS)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_words_of_a_pair_never_meet_and_have_texts_of_their_own(words, one, other):
    assert not [text for text in words if {one, other} <= text]
    assert min(sum(word in text for text in words) for word in (one, other)) >= 2


@pytest.mark.parametrize("word", TWO_SENSES)
def test_a_word_of_two_senses_stands_in_two_topics(words, word):
    assert f"| {word} | " in README
    topics = {topic for topic, text in zip(five_topics("K").documents, words, strict=True) if word in text}
    assert len(topics) >= 2


def test_most_pairs_come_together(measured):
    td, _, _ = measured
    rows = lsi(td.matrix, 10).term_vectors
    after = [float(cosines(rows[[td.rows[a]]].T, rows[td.rows[b]])[0]) for a, b in PAIRS]
    assert np.median(after) > 0.5 and sum(value > 0.3 for value in after) >= 13


def test_lsi_at_its_best_beats_the_plain_cosine_by_15_per_cent(collection, measured):
    td, queries, plain = measured
    model = lsi(td.matrix, 100)
    by_k = [
        mean_average_precision(model.truncate(k).cosines(queries), collection.relevant) for k in (2, 30, 100)
    ]
    assert plain == pytest.approx(0.579, abs=0.01)
    assert by_k[1] > 1.15 * plain  # 0.695 measured
    assert by_k[0] < 0.5 * plain and by_k[2] < 1.1 * plain


def test_random_projection_stays_below_the_plain_cosine(collection, measured):
    td, queries, plain = measured
    found = [
        mean_average_precision(cosines(R @ td.matrix, R @ queries), collection.relevant)
        for R in (random_projection(len(td.terms), 30, "sign", rng=seed) for seed in range(5))
    ]
    assert max(found) < 0.7 * plain  # 0.27 measured, by itself 0.58
