"""What the explorers of chapter 18 show is what the package computes."""

import numpy as np
import pytest

from ircourse.latent import cosines, lsi, ranked
from ircourse.show.latent import BOOK, approximate, concept_plane, query_of
from ircourse.show.latent_concepts import measured_topics, show_concepts
from ircourse.show.latent_search import saltmere, search_both


def test_the_approximation_is_the_package_s_own():
    explorer = approximate()
    for k in range(1, 6):
        explorer.controls["k"].widget.value = k
        assert np.allclose(explorer.trace[0].matrix, lsi(BOOK, k).approximation(), atol=0.0051)
    assert np.array_equal(explorer.trace[0].matrix, BOOK) and "All are kept" in explorer.alt()


def test_the_errors_told_are_those_of_the_picture():
    explorer = approximate()
    square = np.linalg.norm(BOOK - lsi(BOOK, 2).approximation()) ** 2
    assert f"squared Frobenius error {square:.2f}." in explorer.alt() and "2.16, 1.59." in explorer.alt()


def test_a_query_in_the_plane_is_folded_in():
    explorer = concept_plane()
    explorer.controls["query"].widget.value = "ship boat"
    shown = explorer.trace[0]
    assert np.allclose(shown.reduced[:3], [0.847905332900944, 0.9934618259385304, 0.9709442583275798])
    assert np.allclose(shown.plain, cosines(BOOK, [1, 1, 0, 0, 0]))
    assert "nearest to d2, d3, d1" in explorer.alt()


def test_a_query_without_a_known_word_is_told():
    with pytest.raises(ValueError, match="write some of ship, boat"):
        query_of("submarine")


def test_both_rankings_are_the_package_s_own():
    town, explorer = saltmere(), search_both()
    vector = town.terms.vector("movie")
    assert explorer.trace[0].plain == [
        hit for hit in ranked(cosines(town.terms.matrix, vector)) if hit.score > 0
    ]
    assert explorer.trace[0].reduced == town.model.truncate(20).search(vector)
    assert "7 of 233 pages" in explorer.alt()
    holders = {i for i, text in enumerate(town.texts) if "movie" in text.lower().split()}
    assert holders <= explorer.trace[0].holders


def test_a_query_of_unknown_words_leaves_the_picture():
    explorer = search_both()
    before = explorer._view.value
    explorer.controls["query"].widget.value = "zeppelin"
    assert "No word of this" in explorer._says.value and explorer._view.value == before


def test_a_one_word_query_lies_on_its_term_in_the_plane():
    explorer = concept_plane()
    model = lsi(BOOK, 2)
    for row, term in enumerate(("ship", "boat", "ocean", "voyage", "trip")):
        explorer.controls["query"].widget.value = term
        assert np.allclose(explorer.trace[0].reduced, model.cosines(np.eye(5)[row]))
        assert np.allclose(explorer.trace[0].query, model.P[row])


def test_tied_pages_are_told():
    explorer = search_both()
    assert "tied" not in explorer.alt()
    explorer.controls["k"].widget.value = 1
    assert "All ten are tied" in explorer.alt()


def test_a_concept_s_bars_are_its_strongest_terms_and_its_share_in_each_topic():
    found, explorer = measured_topics(), show_concepts()
    for c in (1, 2, 30):
        explorer.controls["c"].widget.value = c
        now = explorer.trace[0]
        column = dict(zip(found.terms.terms, found.model.P[:, c - 1], strict=True))
        least = min(abs(weight) for _, weight in now.terms)
        assert all(column[term] == weight for term, weight in now.terms)
        assert sum(abs(weight) > least for weight in column.values()) < 12
        assert list(now.shares) == ["motoring", "medicine", "cinema", "seafaring", "money"]
        assert np.isclose(sum(now.shares.values()), 1)
    explorer.controls["c"].widget.value = 2
    assert "49% of its squares lie in texts on money." in explorer.alt()
