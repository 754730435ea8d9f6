"""Components: two independent algorithms and networkx agree; the order is the one stated."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import (
    Graph,
    breadth_first,
    kosaraju,
    source_components,
    strong_components,
    weak_components,
)

small = st.integers(0, 11)
edge_lists = st.lists(st.tuples(small, small), max_size=30)


def as_sets(components):
    return sorted(map(sorted, components))


@given(edge_lists)
def test_components_agree_with_networkx(edges):
    graph = Graph.from_edges(edges, nodes=range(12))
    other = graph.to_networkx()
    assert as_sets(weak_components(graph)) == as_sets(nx.weakly_connected_components(other))
    assert as_sets(strong_components(graph)) == as_sets(nx.strongly_connected_components(other))
    assert kosaraju(graph) == strong_components(graph)
    seen_from_afar = nx.condensation(other)
    sources = [seen_from_afar.nodes[c]["members"] for c, degree in seen_from_afar.in_degree() if degree == 0]
    assert as_sets(source_components(graph)) == as_sets(sources)


@given(edge_lists)
def test_the_order_is_that_of_the_nodes(edges):
    graph = Graph.from_edges(edges)
    for find in (weak_components, strong_components, kosaraju, source_components):
        numbers = [[graph.number(label) for label in component] for component in find(graph)]
        assert all(component == sorted(component) for component in numbers)
        assert numbers == sorted(numbers)


@given(edge_lists)
def test_one_seed_in_each_source_component_reaches_everything(edges):
    graph = Graph.from_edges(edges, nodes=range(12))
    seeds = [component[0] for component in source_components(graph)]
    for left_out in [None, *seeds]:
        reached = set().union(*(breadth_first(graph, seed) for seed in seeds if seed != left_out))
        assert (reached == set(range(12))) == (left_out is None)


@pytest.mark.parametrize("find", [weak_components, strong_components, kosaraju, source_components])
def test_empty_and_single(find):
    assert find({}) == []
    assert find({"a": []}) == find({"a": ["a"]}) == [["a"]]


def test_an_edge_of_weight_zero_is_an_edge():
    graph = Graph.from_edges([("a", "b"), ("b", "a")], weights=[0, 0])
    assert weak_components(graph) == strong_components(graph) == kosaraju(graph) == [["a", "b"]]


def test_a_long_ring_and_a_long_chain():
    n = 30_000
    chain = np.column_stack([np.arange(n), np.arange(1, n + 1)])
    ring = Graph.from_edges(chain % n, nodes=range(n))
    assert strong_components(ring) == kosaraju(ring) == [list(range(n))]
    graph = Graph.from_edges(chain, nodes=range(n + 1))
    assert strong_components(graph) == kosaraju(graph) == [[i] for i in range(n + 1)]
    assert source_components(graph) == [[0]]
    assert len(weak_components(graph)) == 1
