"""as_graph: each graph-like thing gives the graph that it means."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ircourse.graphs import Graph, as_graph

small = st.integers(0, 7)
edge_lists = st.lists(st.tuples(small, small), max_size=30)


def content(graph):
    """Labels, edges and weights of a graph, to compare."""
    return list(graph.labels), list(graph.edges()), None if graph.weights is None else graph.weights.tolist()


@given(edge_lists)
def test_every_form_of_one_graph(edges):
    nodes = list(range(8))
    graph = Graph.from_edges(edges, nodes=nodes)
    assert as_graph(graph) is graph
    assert content(as_graph({u: graph.neighbours(u) for u in nodes})) == content(graph)
    assert content(as_graph(graph.to_networkx())) == content(graph)
    by_column = sorted(set(edges))
    for form in ("csr", "csc", "coo", "lil", "dok"):
        assert content(as_graph(graph.to_scipy().asformat(form))) == (nodes, by_column, None)
    assert content(as_graph(edges)) == content(as_graph(iter(edges))) == content(Graph.from_edges(edges))


@given(st.dictionaries(st.tuples(small, small), st.integers(1, 9).map(float), max_size=20))
def test_weights_survive(weights):
    graph = Graph.from_edges(weights, nodes=range(8), weights=weights.values())
    back = as_graph(graph.to_networkx())
    if weights:
        assert content(back) == content(graph)
    matrix = as_graph(graph.to_scipy())
    assert (matrix.to_scipy() != graph.to_scipy()).nnz == 0


@given(edge_lists, st.sampled_from([nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph]))
def test_networkx_graphs_of_every_kind(edges, kind):
    other = kind()
    other.add_nodes_from(range(8))
    other.add_edges_from(edges)
    graph = as_graph(other)
    directed = edges if other.is_directed() else edges + [(v, u) for u, v in edges]
    assert set(graph.edges()) == set(directed)
    assert graph.n_edges == len(set(directed))
    assert graph.weights is None


def test_networkx_weights():
    several = nx.MultiDiGraph()
    several.add_edge("a", "b", weight=2)
    several.add_edge("a", "b")
    several.add_edge("b", "a", weight=0.5)
    assert content(as_graph(several)) == (["a", "b"], [("a", "b"), ("b", "a")], [3.0, 0.5])
    both = nx.Graph()
    both.add_edge("a", "b", weight=2)
    both.add_edge("b", "b", weight=3)
    assert content(as_graph(both)) == (["a", "b"], [("a", "b"), ("b", "a"), ("b", "b")], [2.0, 2.0, 3.0])


def test_scipy_duplicates_are_added_and_zeros_are_no_edges():
    twice = sparse.coo_array(([1, 2, 0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert content(as_graph(twice)) == ([0, 1], [(0, 1)], [3.0])
    assert content(as_graph(sparse.csr_matrix(np.eye(2, dtype=bool)))) == ([0, 1], [(0, 0), (1, 1)], None)
    assert content(as_graph(sparse.csr_array((0, 0)))) == ([], [], None)


def test_the_matrix_stays_the_users_own():
    matrix = sparse.csr_array(np.array([[0.0, 2.0], [0.0, 0.0]]))
    graph = as_graph(matrix)
    matrix.data[0] = 7
    matrix.indices[0] = 0
    assert content(graph) == ([0, 1], [(0, 1)], [2.0])


def test_a_mapping_puts_its_keys_first():
    assert as_graph({"c": ["x", "a"], "a": ()}).labels == ("c", "a", "x")
    assert as_graph({}).n_nodes == as_graph([]).n_nodes == 0


@pytest.mark.parametrize(
    ("given_", "error", "message"),
    [
        (7, TypeError, "a int is no graph: give pairs"),
        (None, TypeError, "a NoneType is no graph"),
        ("ab", TypeError, "a str is no graph"),
        ({"a": "bc"}, ValueError, "the links of 'a' are 'bc': give a list of nodes"),
        ({"a": None}, ValueError, "the links of 'a' are None"),
        ({"a": [["b"]]}, ValueError, r"edge 0 is \('a', \['b'\]\)"),
        (sparse.csr_array((2, 3)), ValueError, r"a matrix of shape \(2, 3\) is no graph"),
        (sparse.csr_array(np.array([[-2.0]])), ValueError, r"weight 0 is -2\.0"),
        (sparse.csr_array(np.array([[np.nan]])), ValueError, "weight 0 is nan"),
        (nx.DiGraph([("a", "b", {"weight": None})]), ValueError, "weight 0 is nan"),
        (nx.MultiDiGraph([("a", "b", {"weight": "x"})]), ValueError, r"weights are numbers"),
        (nx.MultiGraph([("a", "b", {"weight": 1e308})] * 2), ValueError, "add up to infinity"),
        (nx.DiGraph([("a", "b", {"weight": "2"})]), ValueError, "weights are numbers"),
        (sparse.csr_array(np.array([[1 + 2j]])), ValueError, "weights are numbers"),
        (sparse.coo_array(([1e308] * 2, ([0, 0], [0, 0]))), ValueError, "weight 0 is inf"),
        (np.ma.array([[0, 1]], mask=[[0, 1]]), ValueError, "some of the edges are masked"),
        (np.zeros((3, 3), int), ValueError, "scipy.sparse.csr_array"),
    ],
)
def test_what_is_no_graph_is_named(given_, error, message):
    with pytest.raises(error, match=message):
        as_graph(given_)
