"""The town of Saltmere's pages were written with words for one thing: LSI brings them together."""

import pytest

from ircourse.latent import TermDocument, cosines, lsi
from ircourse.web import tiny_web


@pytest.fixture(scope="module")
def town():
    """The pages' matrix, exact copies once, and the ten first concepts' terms."""
    pages = tiny_web().values()
    texts = dict.fromkeys(f"{page.title} {page.text}" for page in pages if page is not None)
    td = TermDocument.from_texts(texts, unit_length=True)
    return td, lsi(td.matrix, 10)


def cosines_of(town, one, other):
    """The cosine of two terms over the pages, and over the concepts."""
    td, model = town
    i, j = td.rows[one], td.rows[other]
    rows = td.matrix.tocsr()[[i, j]].toarray()
    vectors = model.term_vectors
    return float(cosines(rows[:1].T, rows[1])[0]), float(cosines(vectors[[i]].T, vectors[j])[0])


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        ("car", "automobile", 0.9),
        ("film", "movie", 0.9),
        ("doctor", "physician", 0.85),
        ("boat", "ship", 0.7),
        ("ship", "vessel", 0.65),
        ("boat", "vessel", 0.65),
    ],
)
def test_words_for_one_thing_come_together(town, one, other, least):
    before, after = cosines_of(town, one, other)
    assert before < 0.6
    assert after > max(least, before + 0.1)


@pytest.mark.parametrize(("one", "other"), [("car", "ship"), ("film", "doctor")])
def test_words_for_different_things_stay_apart(town, one, other):
    before, after = cosines_of(town, one, other)
    assert before < 0.15
    assert after < 0.4


def test_a_query_finds_pages_that_use_the_other_word(town):
    td, model = town
    query = td.vector("automobile")
    without = [d for d, entry in enumerate(td.matrix[[td.rows["automobile"]]].toarray()[0]) if entry == 0]
    assert cosines(td.matrix, query)[without].max() == 0.0
    assert sum(score > 0.55 for score in model.cosines(query)[without].tolist()) >= 5
