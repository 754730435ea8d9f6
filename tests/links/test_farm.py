"""Link farms: the formula beside PageRank of the graph that holds the farm."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, UnknownNode, as_graph
from ircourse.links import farm_effect, link_farm
from ircourse.types import NotConverged

EDGES = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (3, 4)]  # 4 has no links


def power_iteration(graph, d):
    """PageRank by the textbook: a page without links teleports."""
    n = graph.n_nodes
    matrix = graph.to_scipy().toarray()
    sums = matrix.sum(axis=1, keepdims=True)
    matrix = np.where(sums > 0, matrix / np.where(sums > 0, sums, 1), 1 / n)
    scores = np.full(n, 1 / n)
    for _ in range(600):
        scores = d * scores @ matrix + (1 - d) / n
    return scores


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30),
    st.integers(0, 7),
    st.integers(0, 20),
    st.floats(0, 0.95),
    st.booleans(),
)
def test_the_formula_is_pagerank_with_the_farm(pairs, target, size, damping, weighted):
    weights = [1 + i % 3 for i in range(len(pairs))] if weighted else None
    graph = Graph.from_edges(pairs, nodes=range(8), weights=weights)
    effect = farm_effect(graph, target, size, damping=damping)
    with_farm = power_iteration(link_farm(graph, target, size), damping)
    np.testing.assert_allclose(effect.before, power_iteration(graph, damping), atol=1e-12)
    np.testing.assert_allclose(effect.after, with_farm[:8], atol=1e-12)
    np.testing.assert_allclose(with_farm[8:], effect.spam, atol=1e-12)
    assert effect.gain == pytest.approx(with_farm[target] - effect.before[target], abs=1e-12)
    assert effect.after.sum() + size * effect.spam == pytest.approx(1)


def test_networkx_agrees():
    effect = farm_effect(EDGES, 3, 12)
    theirs = nx.pagerank(link_farm(EDGES, 3, 12).to_networkx(), tol=1e-14, max_iter=500)
    for label, score in zip(effect.labels, effect.after, strict=True):
        assert score == pytest.approx(theirs[label], abs=1e-10)


def test_the_visits_are_a_column_of_the_inverse():
    ring = np.roll(np.eye(5), 1, axis=1)
    effect = farm_effect([(i, (i + 1) % 5) for i in range(5)], 2, 3, damping=0.7)
    np.testing.assert_allclose(effect.visits, np.linalg.inv(np.eye(5) - 0.7 * ring)[2], atol=1e-14)


def test_the_farm_stands_after_the_pages_and_only_links_to_the_target():
    farm = link_farm({"b": ["a"], "a": ["b", "a"], "spam 2": []}, "a", 3)
    assert farm.labels == ("b", "a", "spam 2", "spam 1", "spam 3", "spam 4")
    assert farm.in_degrees.tolist() == [1, 5, 0, 0, 0, 0]
    assert list(farm.edges())[:3] == [("b", "a"), ("a", "b"), ("a", "a")]
    twice = link_farm(farm, "b", 1)
    assert twice.labels[-1] == "spam 5" and twice.neighbours("spam 5") == ["b"]


def test_a_range_of_labels_goes_on():
    graph = Graph.from_edges(np.array([[0, 1], [1, 0]]), nodes=range(2))
    assert link_farm(graph, 1, 4).labels == range(6)
    matrix = graph.to_scipy()
    assert link_farm(matrix, 0, 1).labels == range(3)
    odd = Graph.from_edges([(0, 2)], nodes=range(0, 4, 2))
    assert list(link_farm(odd, 2, 1).labels) == [0, 2, "spam 1"]


def test_links_of_a_farm_weigh_one():
    farm = link_farm(Graph.from_edges([("a", "b")], weights=[0.25]), "b", 2)
    assert farm.weights.tolist() == [0.25, 1.0, 1.0]


def test_a_farm_of_no_pages_changes_nothing():
    effect = farm_effect(EDGES, 2, 0)
    assert effect.gain == 0 and (effect.before == effect.after).all()
    assert list(link_farm(EDGES, 2, 0).edges()) == list(as_graph(EDGES).edges())


def test_weights_of_any_size_and_none():
    heavy = farm_effect(Graph.from_edges([(0, 1), (0, 2)], weights=[1.5e308, 1.5e308]), 1, 1)
    assert heavy.before[1] == heavy.before[2]
    nothing = farm_effect(Graph.from_edges([(0, 1), (1, 0)], weights=[0, 0]), 1, 1)
    assert nothing.before.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("size", [-1, 1.5, "3", None, 10**8 + 1])
def test_sizes_that_are_none(size):
    with pytest.raises(ValueError, match=r"size is .*give a number of pages from 0"):
        link_farm(EDGES, 2, size)
    with pytest.raises(ValueError, match="size is"):
        farm_effect(EDGES, 2, size)


@pytest.mark.parametrize("damping", [1, -0.1, float("nan"), 2, "0.5", None, 0.5 + 0j])
def test_dampings_that_are_none(damping):
    with pytest.raises(ValueError, match="damping is"):
        farm_effect(EDGES, 2, 1, damping=damping)


def test_a_damping_too_near_one_is_told():
    with pytest.raises(NotConverged, match="after 100000 steps"):
        farm_effect([(0, 1), (1, 0)], 0, 1, damping=0.99999)
    assert farm_effect([(0, 1), (1, 0)], 0, 8, damping=0.999).before == pytest.approx([0.5, 0.5], abs=1e-12)


def test_a_target_that_is_no_page():
    with pytest.raises(UnknownNode, match="'z' is no node"):
        link_farm([("a", "b")], "z", 1)
    with pytest.raises(UnknownNode):
        farm_effect([], "z", 1)
