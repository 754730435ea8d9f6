"""Searches against the recursive definition and networkx; theorems 1 and 2 on random graphs."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import (
    Graph,
    UnknownNode,
    as_graph,
    breadth_first,
    depth_first,
    spanning_forest,
    spanning_tree,
    weak_components,
)

small = st.integers(0, 11)
edge_lists = st.lists(st.tuples(small, small), max_size=30)


def recursive(graph, node, seen):
    """Depth-first search as everyone writes it first."""
    seen.append(node)
    for neighbour in graph.neighbours(node):
        if neighbour not in seen:
            recursive(graph, neighbour, seen)
    return seen


@given(edge_lists, small)
def test_orders_are_the_recursive_one_and_networkx_s(edges, root):
    graph = Graph.from_edges(edges, nodes=range(12))
    other = graph.to_networkx()
    depth, breadth = list(depth_first(graph, root)), list(breadth_first(graph, root))
    assert depth == recursive(graph, root, []) == list(nx.dfs_preorder_nodes(other, root))
    assert breadth == [root, *(v for _, v in nx.bfs_edges(other, root))]
    distance = nx.single_source_shortest_path_length(other, root)
    assert [distance[v] for v in breadth] == sorted(distance.values())


def test_the_seven_nodes_of_the_slides():
    figure = {1: [2], 2: [3, 5, 6], 3: [4], 6: [7]}
    assert list(depth_first(figure, 1)) == [1, 2, 3, 4, 5, 6, 7]
    assert list(breadth_first(figure, 1)) == [1, 2, 3, 5, 6, 4, 7]


def test_links_are_followed_in_the_order_given():
    assert list(depth_first([(0, 2), (0, 1)], 0)) == [0, 2, 1]
    assert list(breadth_first([(0, 2), (0, 1), (2, 3), (1, 4)], 0)) == [0, 2, 1, 3, 4]


@given(edge_lists, small)
def test_theorem_1_a_spanning_tree(edges, root):
    graph = Graph.from_edges(edges, nodes=range(12))
    piece = nx.node_connected_component(graph.to_networkx().to_undirected(), root)
    tree = spanning_tree(graph, root)
    assert len(tree) == len(piece) - 1
    assert {root}.union(*tree) == piece
    reached = [root]
    for parent, child in tree:  # each edge joins a new node to what is there: connected, no cycle
        assert parent in reached
        assert child not in reached
        assert (parent, child) in edges or (child, parent) in edges
        reached.append(child)


@given(edge_lists)
def test_theorem_2_a_forest_of_k_trees(edges):
    graph = Graph.from_edges(edges, nodes=range(12))
    pieces, forest = weak_components(graph), spanning_forest(graph)
    assert len(forest) == len(pieces)
    assert sum(map(len, forest)) == 12 - len(pieces)
    for piece, tree in zip(pieces, forest, strict=True):
        assert {piece[0]}.union(*tree) == set(piece)
        assert tree == spanning_tree(graph, piece[0])
        assert not tree or nx.is_tree(nx.Graph(tree))


@given(edge_lists)
def test_the_tree_is_a_depth_first_one(edges):
    # In an undirected graph a depth-first tree has no cross edges: one end of an edge is above the other.
    graph = as_graph(nx.Graph(edges))
    for tree in spanning_forest(graph):
        parent = {child: up for up, child in tree}

        def above(node, parent=parent):
            found = {node}
            while node in parent:
                node = parent[node]
                found.add(node)
            return found

        inside = {node for edge in tree for node in edge}
        assert all(v in above(u) or u in above(v) for u, v in graph.edges() if u in inside)


def test_empty_and_single():
    assert spanning_forest({}) == []
    assert spanning_forest({"a": ["a"]}) == [[]]
    assert spanning_tree({"a": ["a"]}, "a") == []
    assert list(depth_first({"a": ["a"]}, "a")) == list(breadth_first({"a": ["a"]}, "a")) == ["a"]


@pytest.mark.parametrize("search", [depth_first, breadth_first, spanning_tree])
def test_an_unknown_root_is_told_by_the_call_itself(search):
    with pytest.raises(UnknownNode, match="'z' is no node of this graph; its nodes are 'a', 'b'"):
        search([("a", "b")], "z")


def test_a_chain_of_a_million():
    n = 1_000_000
    chain = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    graph = Graph.from_edges(chain, nodes=range(n))
    assert sum(1 for _ in depth_first(graph, 0)) == n
    assert sum(1 for _ in breadth_first(graph, 0)) == n
    shorter = Graph.from_edges(chain[:50_000])
    assert len(spanning_tree(shorter, 25_000)) == 50_000
