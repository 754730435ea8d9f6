"""Results by text, by links and by both, on a crawl of the tiny web."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import spider4
from ircourse.graphs import Graph
from ircourse.index import InvertedIndex
from ircourse.links import ScoredHit, pagerank, search_with_links
from ircourse.web import tiny_web

DOCS = ["harbour harbour", "the harbour", "the town", "town by the old harbour", "harbour office"]


@pytest.fixture(scope="module")
def crawl():
    """The pages of a crawl, an index of them and their PageRank."""
    web = tiny_web()
    pages = {}
    for url, page in spider4(web.get, ["http://www.saltmere.example/"]):
        pages[url] = page
        if len(pages) == 100:
            break
    index = InvertedIndex({"title": p.title, "text": p.text} for p in pages.values())
    links = ((url, str(v)) for url, page in pages.items() for v in page.links if v in pages)
    return list(pages), index, pagerank(Graph.from_edges(links, nodes=list(pages)))


def test_text_alone_links_alone_and_both(crawl):
    _, index, ranks = crawl
    found = {w: search_with_links(index, ranks.scores, "harbour", weight=w, n=200) for w in (0, 0.5, 1)}
    assert [hit.doc for hit in found[0]] == [hit.doc for hit in index.search("harbour", 200)]
    links = [ranks.scores[hit.doc] for hit in found[1]]
    assert links == sorted(links, reverse=True)
    assert len({tuple(hit.doc for hit in hits) for hits in found.values()}) == 3
    assert {hit.doc for hit in found[0]} == {hit.doc for hit in found[0.5]} == {hit.doc for hit in found[1]}
    for _, score, text, link in found[0.5]:
        assert score == pytest.approx((text + link) / 2)


def test_no_query_changes_the_order_by_links_alone(crawl):
    _, index, ranks = crawl
    every = [hit.doc for hit in search_with_links(index, ranks.scores, "the", weight=1, n=200)]
    some = [hit.doc for hit in search_with_links(index, ranks.scores, "the herring", weight=1, n=200)]
    assert len(some) > 2 and some == [doc for doc in every if doc in some]


@given(st.lists(st.floats(0, 1e308), min_size=5, max_size=5), st.floats(0, 1))
def test_the_score_is_what_the_formula_says(scores, weight):
    index = InvertedIndex(DOCS)
    best = index.search("harbour", 1)[0].score
    scaled = [score / (max(scores) or 1) for score in scores]
    mean = sum(scaled) / 5 or 1
    expected = [
        ((1 - weight) * (hit.score / best) + weight * (scaled[hit.doc] / (scaled[hit.doc] + mean)), hit.doc)
        for hit in index.search("harbour")
    ]
    found = search_with_links(index, scores, "harbour", weight=weight)
    assert sorted(hit.doc for hit in found) == sorted(doc for _, doc in expected)
    assert [hit.score for hit in found] == pytest.approx(sorted((s for s, _ in expected), reverse=True))


def test_an_average_page_has_half_and_equal_pages_stand_by_number():
    found = search_with_links(InvertedIndex(["a b", "a c", "a d"]), [3, 3, 3], "a")
    assert [hit.doc for hit in found] == [0, 1, 2]
    assert found[0] == ScoredHit(0, 0.75, 1.0, 0.5)


def test_pages_without_any_links_are_ranked_by_text():
    found = search_with_links(InvertedIndex(DOCS), [0] * 5, "harbour")
    assert [hit.link for hit in found] == [0] * 4
    assert [hit.doc for hit in found] == [hit.doc for hit in InvertedIndex(DOCS).search("harbour")]


def test_any_of_the_terms_and_few_results():
    index = InvertedIndex(DOCS)
    assert len(search_with_links(index, np.ones(5), "harbour town")) == 1
    assert len(search_with_links(index, np.ones(5), "harbour town", mode="or")) == 5
    assert len(search_with_links(index, np.ones(5), ["harbour", "town"], mode="or", n=2)) == 2
    assert search_with_links(index, np.ones(5), "harbour", n=0) == []
    assert search_with_links(index, np.ones(5), "nowhere") == []


def test_removed_documents_keep_their_scores():
    index = InvertedIndex(DOCS)
    index.remove(1)
    assert [hit.doc for hit in search_with_links(index, [1, 9, 1, 8, 1], "harbour", weight=1)] == [3, 0, 4]


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([1, 2], "give one for each of 5"),
        ([[1] * 5], "shape"),
        ([1, 2, -1, 0, 0], "score of document 2 is -1"),
        ([1, 2, 3, float("nan"), 0], "score of document 3 is nan"),
        ([float("inf"), 2, 3, 4, 0], "score of document 0 is inf"),
    ],
)
def test_scores_that_are_none(scores, said):
    with pytest.raises(ValueError, match=said):
        search_with_links(InvertedIndex(DOCS), scores, "harbour")


@pytest.mark.parametrize(
    "options",
    [
        {"weight": -0.1},
        {"weight": 1.1},
        {"weight": float("nan")},
        {"weight": "0.5"},
        {"weight": None},
        {"n": -1},
        {"n": 1.5},
        {"n": "3"},
    ],
)
def test_options_that_are_none(options):
    with pytest.raises(ValueError, match=r"give a number"):
        search_with_links(InvertedIndex(DOCS), [1] * 5, "harbour", **options)
