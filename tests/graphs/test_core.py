"""Graph: its arrays, labels, degrees, reverse and conversions, against dictionaries and networkx."""

from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, UnknownNode, as_graph
from ircourse.graphs.build import _SMALL, by_source, compress, merge_parallel, number_edges

small = st.integers(0, 9)
edge_lists = st.lists(st.tuples(small, small), max_size=40)
weighted = st.lists(st.tuples(small, small, st.integers(0, 8).map(lambda w: w / 4)), max_size=40)


def links(graph):
    """The graph as a dictionary: node to the list of its links, in order."""
    return {label: graph.neighbours(label) for label in graph.labels}


def expected_links(edges, nodes=()):
    """The same dictionary, straight from the edges."""
    found = {node: {} for node in nodes}
    for u, v in edges:
        found.setdefault(u, {})
        found.setdefault(v, {})
        found[u][v] = True
    return {u: list(targets) for u, targets in found.items()}


@given(edge_lists, st.lists(small, max_size=5))
def test_links_keep_their_order_and_parallel_ones_merge(edges, nodes):
    graph = Graph.from_edges(edges, nodes=nodes)
    expected = expected_links(edges, nodes)
    assert links(graph) == expected
    assert list(graph.labels) == list(expected)
    assert graph.n_nodes == len(expected)
    assert graph.n_edges == len(set(edges)) == len(list(graph.edges()))
    assert graph.indptr.dtype == np.int64
    assert graph.indices.dtype == np.int32
    assert graph.weights is None


@given(edge_lists, st.sampled_from([np.int64, np.int32, np.uint8, np.uint64]))
def test_an_array_gives_the_graph_of_its_list(edges, dtype):
    array = np.array(edges, dtype).reshape(-1, 2)
    from_array, from_list = Graph.from_edges(array), Graph.from_edges(edges)
    assert from_array.labels == from_list.labels
    assert all(type(label) is int for label in from_array.labels)
    assert links(from_array) == links(from_list)
    ranged = Graph.from_edges(array, nodes=range(10))
    assert ranged.labels == range(10)
    assert links(ranged) == links(Graph.from_edges(edges, nodes=list(range(10))))


@given(weighted)
def test_weights_of_parallel_edges_are_added(edges):
    graph = Graph.from_edges([(u, v) for u, v, _ in edges], weights=[w for *_, w in edges])
    sums = defaultdict(float)
    for u, v, weight in edges:
        sums[u, v] += weight
    assert dict(zip(graph.edges(), graph.weights.tolist(), strict=True)) == sums
    back = graph.reverse()
    assert dict(zip(back.edges(), back.weights.tolist(), strict=True)) == {
        (v, u): weight for (u, v), weight in sums.items()
    }


@given(weighted, st.booleans())
def test_compiled_compressing_equals_plain(edges, with_weights):
    _, sources, targets = number_edges([(u, v) for u, v, _ in edges], nodes=range(10))
    weights = np.array([w for *_, w in edges if with_weights])
    outcomes = []
    for sort, merge in [(by_source, merge_parallel), (by_source.plain, merge_parallel.plain)]:
        indptr, order = np.zeros(11, np.int64), np.empty(len(edges), np.int64)
        indices, sums = np.zeros(len(edges), np.int32), np.zeros(len(weights))
        sort(sources, indptr, order)
        kept = merge(order, targets, weights, indptr, indices, sums)
        outcomes.append((int(kept), indptr.tolist(), indices.tolist(), sums.tolist(), order.tolist()))
    assert outcomes[0] == outcomes[1]


def test_a_large_array_takes_the_compiled_way_to_the_same_graph():
    rng = np.random.default_rng(3)
    pairs = rng.integers(0, 400, (_SMALL + 1, 2))
    weights = rng.integers(0, 5, len(pairs)).astype(float)
    graph = Graph.from_edges(pairs, weights=weights)
    assert links(graph) == expected_links(pairs.tolist())
    matrix = np.zeros((400, 400))
    np.add.at(matrix, (pairs[:, 0], pairs[:, 1]), weights)
    order = list(graph.labels)
    assert (graph.to_scipy().toarray() == matrix[np.ix_(order, order)]).all()


def test_a_million_edges():
    pairs = np.random.default_rng(0).integers(0, 100_000, (1_000_000, 2))
    graph = Graph.from_edges(pairs, nodes=range(100_000))
    assert graph.n_edges == len(np.unique(pairs[:, 0] * 100_000 + pairs[:, 1]))
    assert graph.number(99_999) == 99_999
    assert graph.in_degrees.sum() == graph.out_degrees.sum() == graph.n_edges


@given(edge_lists)
def test_degrees_reverse_and_conversions_agree_with_networkx(edges):
    graph, other = Graph.from_edges(edges), nx.DiGraph(edges)
    assert graph.out_degrees.tolist() == [other.out_degree(label) for label in graph.labels]
    assert graph.in_degrees.tolist() == [other.in_degree(label) for label in graph.labels]
    assert set(graph.reverse().edges()) == set(other.reverse().edges())
    assert links(graph.reverse().reverse()).keys() == links(graph).keys()
    converted = graph.to_networkx()
    assert list(converted.nodes) == list(graph.labels)
    assert list(converted.edges) == list(graph.edges())
    if edges:
        matrix = nx.to_numpy_array(other, nodelist=list(graph.labels))
        assert (graph.to_scipy().toarray() == matrix).all()


def test_labels_are_the_users_own_objects():
    a, b = ("host", 1), frozenset({2})
    graph = Graph.from_edges([(a, b)], nodes=["first", "first"])
    assert graph.labels == ("first", a, b)
    assert graph.labels[1] is a
    assert graph.neighbours(a)[0] is b
    strings = Graph.from_edges(np.array([["x", "y"], ["y", "x"]]))
    assert all(type(label) is str for label in strings.labels)
    numbers = Graph.from_edges([(1, 2)], nodes=np.array([7, 1]))
    assert [(type(label), label) for label in numbers.labels] == [(int, 7), (int, 1), (int, 2)]


@pytest.mark.parametrize("empty", [[], np.empty((0, 2), int), np.array([]), iter(())])
def test_the_empty_graph(empty):
    graph = Graph.from_edges(empty)
    assert repr(graph) == "<Graph: 0 nodes, 0 edges>"
    assert graph.indptr.tolist() == [0]
    assert list(graph.edges()) == graph.out_degrees.tolist() == graph.in_degrees.tolist() == []
    assert graph.to_scipy().shape == (0, 0)
    assert graph.reverse().n_nodes == graph.to_networkx().number_of_nodes() == 0


def test_one_node_and_a_self_loop():
    alone = Graph.from_edges([], nodes=["a"])
    assert (alone.n_nodes, alone.n_edges, alone.neighbours("a")) == (1, 0, [])
    loop = Graph.from_edges([("a", "a"), ("a", "a")])
    assert (loop.n_edges, loop.neighbours("a")) == (1, ["a"])
    assert loop.in_degrees.tolist() == loop.out_degrees.tolist() == [1]


def test_a_graph_does_not_change():
    graph = Graph.from_edges([(0, 1)], weights=[2])
    for array in (graph.indptr, graph.indices, graph.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    with pytest.raises(AttributeError):
        graph.labels = ()
    graph.to_scipy().data[:] = 9
    assert graph.weights.tolist() == [2]
    assert repr(graph) == "<Graph: 2 nodes, 1 edges, weighted>"


@pytest.mark.parametrize(
    ("graph", "label", "message"),
    [
        ([("a", "b")], "c", "'c' is no node of this graph; its nodes are 'a', 'b'"),
        ([], 1, "1 is no node of this graph; its nodes are none"),
        ({i: [] for i in range(9)}, 9, "9 is no node of this graph; its nodes are 0, 1, 2, 3, 4, …"),
        ([("a", "b")], ["a"], "['a'] is no node of this graph; its nodes are 'a', 'b'"),
    ],
)
def test_an_unknown_node_is_named(graph, label, message):
    with pytest.raises(UnknownNode) as caught:
        as_graph(graph).neighbours(label)
    assert str(caught.value) == message
    assert isinstance(caught.value, KeyError)


@pytest.mark.parametrize("label", [-1, 3, "1", 1.5, None])
def test_an_unknown_node_of_a_numbered_graph(label):
    graph = Graph.from_edges(np.array([[0, 1]]), nodes=range(3))
    assert graph.number(np.int64(1)) == 1
    with pytest.raises(UnknownNode, match="is no node of this graph; its nodes are 0, 1, 2"):
        graph.number(label)


def test_a_range_that_is_too_short_goes_on_in_order_of_appearance():
    graph = Graph.from_edges(np.array([[5, 1], [-2, 1]]), nodes=range(2))
    assert graph.labels == (0, 1, 5, -2)
    assert Graph.from_edges(np.array([[2, 4]]), nodes=range(2, 6, 2)).labels == (2, 4)


@pytest.mark.parametrize(
    ("pairs", "weights", "message"),
    [
        ([("a", "b"), ("c",)], None, r"edge 1 is \('c',\): give a pair"),
        (["ab"], None, "edge 0 is 'ab': give a pair"),
        ([("a", ["b"])], None, r"edge 0 is \('a', \['b'\]\): give a pair"),
        ([3], None, "edge 0 is 3: give a pair"),
        (np.zeros((3, 3), int), None, r"shape \(m, 2\), this one \(3, 3\)"),
        ([(0, 1)], [1, 2], r"1 edges, and weights of shape \(2,\)"),
        ([(0, 1)], [-1], r"weight 0 is -1\.0: give a finite number of at least 0"),
        ([(0, 1), (1, 0)], [1, float("nan")], "weight 1 is nan"),
        ([(0, 1)], ["heavy"], r"weights are numbers of at least 0, one for each edge, not \['heavy'\]"),
        ([(0, 1)], iter(["1"]), r"not \['1'\]"),
        ([(0, 1)], [1j], r"not \[1j\]"),
        ([(0, 1)], np.array([1 + 0j]), r"not array\(\[1\.\+0\.j\]\)"),
        ([(0, 1)], [10**400], "weights are numbers"),
        ([(0, 1)], 3, "weights are numbers of at least 0, one for each edge, not 3"),
        ([(0, 1)], np.ma.array([1.0], mask=[True]), "some of the weights are masked: leave them out"),
        (np.ma.array([[0, 1], [1, 2]], mask=[[0, 0], [0, 1]]), None, "some of the edges are masked"),
        (
            [(0, 1)] * 2,
            [1e308, 1e308],
            "weights of the edges from node number 0 to 1 add up to infinity: scale",
        ),
        ([(2, 2), (0, 1), (0, 1)], [9, 1e308, 1e308], "from node number 1 to 2 add up"),
    ],
)
def test_wrong_edges_and_weights_are_named(pairs, weights, message):
    with pytest.raises(ValueError, match=message):
        Graph.from_edges(pairs, weights=weights)


@pytest.mark.parametrize("pairs", [[(0, 1)], np.array([[0, 1]]), np.array([[0.0, 1.0]]), []])
def test_too_many_nodes_given(pairs):
    for n in (2**31, 2**70):
        with pytest.raises(ValueError, match=f"range\\(0, {n}\\) are too many nodes: at most"):
            Graph.from_edges(pairs, nodes=range(n))
    with pytest.raises(ValueError, match="too many nodes: at most 100,000,000; more fit where"):
        Graph.from_edges([(0, 1)], nodes=range(10**9))


def test_masked_nodes_and_arrays_without_a_masked_entry():
    with pytest.raises(ValueError, match="some of the nodes are masked"):
        Graph.from_edges([], nodes=np.ma.array([1, 2], mask=[0, 1]))
    graph = Graph.from_edges(np.ma.array([[0, 1]]), nodes=np.ma.array([5]), weights=np.ma.array([2.0]))
    assert (graph.labels, graph.weights.tolist()) == ((5, 0, 1), [2.0])
    assert Graph.from_edges(np.ma.array([[7, 1]])).labels == (7, 1)


def test_a_large_graph_whose_weights_overflow():
    pairs, weights = np.array([[3, 4]] * _SMALL), np.full(_SMALL, 1e308)
    with pytest.raises(ValueError, match="from node number 3 to 4 add up"):
        Graph.from_edges(pairs, nodes=range(5), weights=weights)


def test_messages_shorten_labels():
    long = "x" * 100_000
    for call in (
        lambda: Graph.from_edges([(long, 1)]).number(long + "y"),
        lambda: Graph.from_edges([(long, [])]),
        lambda: Graph.from_edges([(long,)]),
        lambda: Graph.from_edges([(1, 2)], weights=[long]),
        lambda: as_graph({long: long}),
    ):
        with pytest.raises((ValueError, UnknownNode)) as caught:
            call()
        assert len(str(caught.value)) < 500


def test_too_many_nodes():
    with pytest.raises(ValueError, match="nodes are too many"):
        compress(2**31, np.empty(0, np.int64), np.empty(0, np.int64))
