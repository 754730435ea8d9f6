"""Claim C70, and C71 for HITS: eigenvectors, co-citation, the figure's sums, the query, worked values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph
from ircourse.index import InvertedIndex
from ircourse.links import anchor_texts, base_set, hits, hits_steps, root_set, weigh_by_query
from ircourse.types import Link, Page

FIGURE = [(2, 1), (3, 1), (4, 1), (1, 5), (1, 6), (1, 7)]


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=25))
def test_c70_hubs_and_authorities_are_principal_eigenvectors(edges):
    graph = Graph.from_edges(edges, nodes=range(8))
    A = graph.to_scipy().toarray()
    scores = hits(graph)
    for x, M in ((scores.hubs, A @ A.T), (scores.authorities, A.T @ A)):
        assert (M == M.T).all()
        largest = np.linalg.eigvalsh(M)[-1]
        assert M @ x == pytest.approx(largest * x, abs=1e-8)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25))
def test_c70_ata_counts_co_citation(edges):
    A = Graph.from_edges(edges, nodes=range(7)).to_scipy().toarray()
    cited_by = [{u for u, v in edges if v == page} for page in range(7)]
    linking_to = [{v for u, v in edges if u == page} for page in range(7)]
    assert (A.T @ A).tolist() == [[len(a & b) for b in cited_by] for a in cited_by]
    assert (A @ A.T).tolist() == [
        [len(a & b) for b in linking_to] for a in linking_to
    ]  # bibliographic coupling


def test_c70_the_figure_s_sums():
    labels = list(Graph.from_edges(FIGURE).labels)
    before = None
    for state in hits_steps(FIGURE):
        h = dict(zip(labels, state.hubs.tolist(), strict=True))
        a = dict(zip(labels, state.authorities.tolist(), strict=True))
        if before is not None:  # a = Aᵗh of the last step, h = A a, each up to its scale
            assert a[1] / a[5] == pytest.approx((before[2] + before[3] + before[4]) / before[1])
            if h[2]:
                assert h[1] / h[2] == pytest.approx((a[5] + a[6] + a[7]) / a[1])
        before = h
    # Both sides of page 1 are stars of three links: a tie, which the start at equal hub scores keeps.
    scores = hits(FIGURE)
    h = dict(zip(scores.labels, scores.hubs.tolist(), strict=True))
    a = dict(zip(scores.labels, scores.authorities.tolist(), strict=True))
    assert a[1] / a[5] == pytest.approx((h[2] + h[3] + h[4]) / h[1])
    assert h[1] / h[2] == pytest.approx((a[5] + a[6] + a[7]) / a[1])


def small_web():
    """Pages about jaguars: the animal with its hubs, the car with its own."""
    texts = {
        "zoo": "animals of the forest",
        "cat-club": "jaguar cat links",
        "cat-list": "jaguar and other cats",
        "dealer": "cars for sale",
        "car-club": "jaguar cars links",
        "car-list": "jaguar motor car list",
        "car-fans": "motor car clubs",
    }
    links = {
        "cat-club": [Link("zoo", "jaguar cats in the zoo"), Link("cat-list", "list")],
        "cat-list": [Link("zoo", "the cat house")],
        "car-club": [
            Link("dealer", "the motor dealer"),
            Link("car-list", "car list"),
            Link("zoo", "a jaguar cat"),
        ],
        "car-list": [Link("dealer", "car dealer")],
        "car-fans": [Link("dealer", "dealer"), Link("car-list", "motor car list")],
    }
    return [Page(f"http://{n}.example/", text, links=tuple(
        Link(f"http://{link}.example/", link.anchor) for link in links.get(n, ())
    )) for n, text in texts.items()]  # fmt: skip


def best_authority(query, weigh_by=None):
    """The best authority of the base set of a query."""
    pages = small_web()
    graph = {page.url: page.links for page in pages}
    index = InvertedIndex([page.text for page in pages])
    root = [pages[doc].url for doc in root_set(index, query)]
    base = base_set(graph, root)
    if weigh_by is not None:
        base = weigh_by_query(base, anchor_texts(pages), weigh_by)
    return hits(base).authority_ranking()[0][0], root


def test_c70_scores_depend_on_the_query_through_root_and_base_sets():
    best, root = best_authority("jaguar cat")
    assert best == "http://zoo.example/"
    assert best not in root  # it does not have the words
    best, root = best_authority("motor car")
    assert best == "http://dealer.example/"
    assert best not in root


def test_c70_weighting_links_by_the_words_near_them():
    assert best_authority("jaguar")[0] == "http://dealer.example/"
    assert best_authority("jaguar", weigh_by="cat jaguar")[0] == "http://zoo.example/"
    assert best_authority("jaguar", weigh_by="dealer")[0] == "http://dealer.example/"


def test_c71_the_book_s_seven_pages():
    edges = [
        *[(0, 2), (1, 1), (1, 2), (2, 0), (2, 2), (2, 3), (3, 3), (3, 4)],
        *[(4, 6), (5, 5), (5, 6), (6, 3), (6, 4), (6, 6)],
    ]
    jaguar = {(2, 3), (6, 3)}  # links whose anchor has the word of the query count twice
    near = {edge: "jaguar" if edge in jaguar else "" for edge in edges}
    scores = hits(weigh_by_query(Graph.from_edges(edges, nodes=range(7)), near, "jaguar"))
    assert scores.hubs.round(2).tolist() == [0.03, 0.04, 0.33, 0.18, 0.04, 0.04, 0.35]
    assert scores.authorities.round(2).tolist() == [0.10, 0.01, 0.12, 0.47, 0.16, 0.01, 0.13]
