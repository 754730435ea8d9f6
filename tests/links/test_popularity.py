"""Counting links: the slides' figure, networkx's degrees, and what counts once."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph
from ircourse.links import directed_popularity, undirected_popularity

FIGURE = [("a", "t"), ("b", "t"), ("c", "t"), ("t", "d"), ("t", "e")]


def test_the_figure_of_the_slides():
    assert undirected_popularity(FIGURE).as_dict()["t"] == 3 + 2
    assert directed_popularity(FIGURE).as_dict()["t"] == 3


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_the_scores_are_networkx_degrees(pairs):
    graph = nx.DiGraph(pairs)
    assert directed_popularity(pairs).as_dict() == dict(graph.in_degree())
    assert undirected_popularity(pairs).as_dict() == dict(graph.degree())


def test_a_link_to_oneself_counts_as_both_its_ends():
    assert undirected_popularity([("a", "a")]).as_dict() == {"a": 2}
    assert directed_popularity([("a", "a")]).as_dict() == {"a": 1}


def test_a_link_given_twice_counts_once_and_weights_do_not_count():
    assert directed_popularity([("a", "b"), ("a", "b")]).as_dict() == {"a": 0, "b": 1}
    weighted = Graph.from_edges([("a", "b"), ("a", "b"), ("c", "b")], weights=[0.5, 7, 0])
    assert undirected_popularity(weighted).as_dict() == {"a": 1, "b": 2, "c": 1}


def test_the_ranking_begins_with_the_most_popular_and_leaves_equals_in_order():
    found = directed_popularity({"z": ["b"], "a": ["b", "c"], "b": [], "c": ["z"]})
    assert found.ranking() == [("b", 2), ("z", 1), ("c", 1), ("a", 0)]
    assert found.scores.dtype == np.int64


def test_graphs_without_links():
    assert directed_popularity([]).ranking() == []
    assert undirected_popularity({"a": [], "b": []}).as_dict() == {"a": 0, "b": 0}


def test_an_undirected_graph_links_both_ways():
    assert undirected_popularity(nx.path_graph(3)).as_dict() == {0: 2, 1: 4, 2: 2}


def test_what_is_no_graph_is_refused():
    with pytest.raises(TypeError, match="is no graph"):
        directed_popularity(5)
