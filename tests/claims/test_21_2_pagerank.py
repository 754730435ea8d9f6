"""Claims C66 to C69, C83, and C71 for PageRank: the chain, its readings, convergence, worked values."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, copying_graph
from ircourse.index import InvertedIndex
from ircourse.links import (
    directed_popularity,
    pagerank,
    pagerank_linear,
    pagerank_steps,
    partial_pagerank,
    random_surfer,
    search_with_links,
    transition_matrix,
)

EDGES = [
    *[(0, 2), (1, 1), (1, 2), (2, 0), (2, 2), (2, 3), (3, 3), (3, 4)],
    *[(4, 6), (5, 5), (5, 6), (6, 3), (6, 4), (6, 6)],
]
SEVEN = Graph.from_edges(EDGES, nodes=range(7))
edge_lists = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20)


@given(edge_lists, st.floats(0, 1))
def test_c66_rows_sum_to_1_with_dangling_and_isolated_pages(edges, damping):
    graph = Graph.from_edges(edges, nodes=range(9))  # page 8 is isolated
    P = transition_matrix(graph, damping)
    assert (P >= 0).all()
    assert P.sum(axis=1) == pytest.approx(np.ones(9))
    assert P[8] == pytest.approx(np.full(9, 1 / 9))


@given(edge_lists, st.sampled_from([0.5, 0.85]))
def test_c67_the_graph_s_and_the_matrix_s_reading_agree(edges, d):
    graph = Graph.from_edges(edges, nodes=range(8))
    r = pagerank(graph, damping=d).scores
    # the graph: each page shares out d of its score among its links; a dangling one among all pages
    links = {u: graph.links(u) or list(range(8)) for u in range(8)}
    for i in range(8):
        received = sum(r[j] / len(links[j]) * links[j].count(i) for j in range(8))
        assert r[i] == pytest.approx(d * received + (1 - d) / 8)
    # the matrix: the eigenvector of the eigenvalue 1, no other being as large, and a linear system's solution
    values, vectors = np.linalg.eig(transition_matrix(graph, d).T)
    sizes = np.sort(np.abs(values))
    assert sizes[-1] == pytest.approx(1)
    assert sizes[-2] <= d + 1e-9
    principal = np.real(vectors[:, np.argmax(np.abs(values))])
    assert principal / principal.sum() == pytest.approx(r)
    assert pagerank_linear(graph, damping=d).scores == pytest.approx(r)


def test_c67_the_surfer_s_visits_agree():
    # 400,000 steps. The standard error of a share p is √(p (1 − p) / 400,000) ≤ 0.0008 for independent
    # visits; dependence multiplies it by at most √((1 + d) / (1 − d)) = 3.5: 0.0028.
    visits = random_surfer(SEVEN, 400_000, 67, damping=0.86)
    assert np.abs(visits.shares() - pagerank(SEVEN, damping=0.86).scores).max() < 3 * 0.0028
    early = np.abs(visits.shares(100) - pagerank(SEVEN, damping=0.86).scores).sum()
    late = np.abs(visits.shares() - pagerank(SEVEN, damping=0.86).scores).sum()
    assert late < early / 5


def errors(graph, d, steps, **options):
    """The L1 errors of the first steps of the power iteration."""
    true = np.linalg.matrix_power(transition_matrix(graph, d), 2**12)[0]
    states = pagerank_steps(graph, damping=d, tol=1e-13, **options)
    return np.array(
        [np.abs(state.scores - true).sum() for state, _ in zip(states, range(steps), strict=False)]
    )


@given(edge_lists, st.sampled_from([0.3, 0.85, 0.95]), st.integers(0, 7))
def test_c68_the_error_shrinks_by_d_a_step_at_least(edges, d, start):
    found = errors(Graph.from_edges(edges, nodes=range(8)), d, 30, start={start: 1})
    assert (found[1:] <= d * found[:-1] + 1e-12).all()


@pytest.mark.parametrize("d", [0.5, 0.85, 0.95])
def test_c68_with_two_closed_classes_it_shrinks_by_just_d(d):
    two_rings = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 3)]
    found = errors(two_rings, d, 20, start={0: 1, 1: 1, 2: 1})  # uniform within its class
    assert found[1:] / found[:-1] == pytest.approx(np.full(len(found) - 1, d), rel=1e-6)
    # and one class in which every page links to every other shrinks it by much more
    clique = [(u, v) for u in range(5) for v in range(5)]
    assert errors(clique, d, 3, start={0: 1})[1] < 1e-12


def test_c68_alpha_means_opposite_things():
    # The book's α is the chance of teleporting, the slides' that of following a link.
    alpha = 0.14
    book = pagerank(SEVEN, damping=1 - alpha).scores
    slides = pagerank(SEVEN, damping=alpha).scores
    assert book == pytest.approx([0.05, 0.04, 0.11, 0.25, 0.21, 0.04, 0.31], abs=0.005)
    assert np.abs(book - slides).sum() > 0.4


def test_c69_topic_specific_pagerank_is_linear_in_the_topics():
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 3), (2, 3)]
    first, second = (pagerank(edges, teleport=dict.fromkeys(topic, 1)).scores for topic in ([0, 1], [3, 4]))
    mixed = pagerank(edges, teleport={0: 0.3, 1: 0.3, 3: 0.2, 4: 0.2}).scores
    assert mixed == pytest.approx(0.6 * first + 0.4 * second)
    # a topic raises its own pages and what they link to
    everywhere = pagerank(edges).scores
    assert (first[[0, 1, 2]] > everywhere[[0, 1, 2]]).all()
    assert (second[[3, 4]] > everywhere[[3, 4]]).all()
    assert second[[0, 1, 2]].sum() == pytest.approx(0)  # the topic's pages do not lead there


def test_c69_partial_pagerank_comes_near_as_the_crawl_goes_on():
    graph = copying_graph(400, 5.0, 69)
    full = pagerank(graph).scores
    errors = []
    for crawled in (20, 100, 300, 400):
        known = partial_pagerank(graph, range(crawled)).as_dict()
        errors.append(np.abs(np.array([known.get(page, 0.0) for page in range(400)]) - full).sum())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-9


def test_c69_ranking_by_pagerank_alone_does_not_depend_on_the_query():
    texts = ["rose harbour", "harbour", "rose rose", "harbour rose ferry", "ferry", "rose", "harbour ferry"]
    index, scores = InvertedIndex(texts), pagerank(SEVEN, damping=0.86).scores
    order = np.argsort(-scores, kind="stable").tolist()
    by_text = 0
    for query in ("rose", "harbour", "ferry", "rose harbour"):
        ranked = [hit.doc for hit in search_with_links(index, scores, query, weight=1)]
        assert set(ranked) == {hit.doc for hit in index.search(query)}
        assert ranked == [page for page in order if page in ranked]
        by_text += ranked != [hit.doc for hit in search_with_links(index, scores, query, weight=0)]
    assert by_text > 0  # text alone does order by the query


def test_c71_the_book_s_seven_pages():
    x = pagerank(SEVEN, damping=0.86).scores
    assert x.round(2).tolist() == [0.05, 0.04, 0.11, 0.25, 0.21, 0.04, 0.31]
    *_, last = pagerank_steps(SEVEN, damping=0.86)
    assert last.scores.round(2).tolist() == x.round(2).tolist()
    P = transition_matrix(SEVEN, 0.86)
    assert P[0].round(2).tolist() == [0.02, 0.02, 0.88, 0.02, 0.02, 0.02, 0.02]
    assert P[1].round(2).tolist() == [0.02, 0.45, 0.45, 0.02, 0.02, 0.02, 0.02]
    assert P[2].round(2).tolist() == [0.31, 0.02, 0.31, 0.31, 0.02, 0.02, 0.02]


def test_c71_the_book_s_three_states():
    three = [(0, 1), (2, 1), (1, 0), (1, 2)]
    assert transition_matrix(three, 0.5) * 12 == pytest.approx(np.array([[2, 8, 2], [5, 2, 5], [2, 8, 2]]))
    states = [
        state.scores
        for state, _ in zip(pagerank_steps(three, damping=0.5, start={0: 1}), range(5), strict=False)
    ]
    expected = ["1 0 0", "1/6 2/3 1/6", "1/3 1/3 1/3", "1/4 1/2 1/4", "7/24 5/12 7/24"]
    for x, row in zip(states, expected, strict=True):
        assert x == pytest.approx([float(Fraction(part)) for part in row.split()])
    assert pagerank(three, damping=0.5).scores == pytest.approx([5 / 18, 4 / 9, 5 / 18])


def test_c83_who_links_matters_more_than_how_many():
    edges = [(0, 1), (1, 0), (2, 3), (4, 3), (5, 0), (6, 0), (7, 0)]
    links, scores = directed_popularity(edges).as_dict(), pagerank(edges).as_dict()
    assert (links[1], links[3]) == (1, 2)
    assert (round(scores[1], 3), round(scores[3], 3)) == (0.381, 0.071)
