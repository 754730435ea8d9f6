"""Root set, base set, weights by the query: what comes in, in which order, and what is left out."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, UnknownNode
from ircourse.index import InvertedIndex
from ircourse.links import (
    anchor_texts,
    base_pages,
    base_set,
    hits,
    host_of,
    root_set,
    weigh_by_query,
)
from ircourse.types import Link, Page

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"


def test_the_root_set_has_all_words_and_at_most_n_pages():
    index = InvertedIndex(["red rose", "red rose rose", "rose", "red", "a red and a white rose"])
    found = root_set(index, "red rose")
    assert set(found) == {0, 1, 4}
    assert root_set(index, "red rose", n=2) == found[:2]
    assert root_set(index, "harbour") == []


edge_lists = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40)


@given(edge_lists, st.lists(st.integers(0, 9), max_size=4), st.integers(0, 4))
def test_the_parts_are_what_the_header_says(edges, root, cap):
    graph = Graph.from_edges(edges, nodes=range(10))
    other = nx.DiGraph(edges)
    other.add_nodes_from(range(10))
    pages = base_pages(graph, root, cap=cap)
    everything = [page for part in pages for page in part]
    assert len(everything) == len(set(everything))
    assert pages.root == tuple(dict.fromkeys(root))
    pointing = {u for page in root for u in other.predecessors(page)}
    assert set(pages.root + pages.linked_to) == set(root) | {v for u in root for v in other.successors(u)}
    assert set(everything) == set(pages.root + pages.linked_to) | pointing
    kept = {u for page in root for u in sorted(other.predecessors(page))[:cap]}
    assert set(pages.linking) == kept - set(pages.root + pages.linked_to)
    base = base_set(graph, root, cap=cap)
    nodes = pages.root + pages.linked_to + pages.linking
    assert list(base.labels) == list(nodes)
    assert set(base.edges()) == set(other.subgraph(nodes).edges())


def test_links_within_a_host_are_left_out():
    web = {A: [A + "1", B], A + "1": [A, B + "2"], B: [C], "no url": [A], C: []}
    base = base_set(web, [A, A + "1", "no url"])
    assert set(base.edges()) == {(A, B), (A + "1", B + "2"), ("no url", A)}
    assert set(base_set(web, [A], host=None).edges()) == {(A, A + "1"), (A, B), (A + "1", A), ("no url", A)}
    assert set(base_set(web, [A], host=lambda label: "one").edges()) == set()


def test_weights_are_kept():
    graph = Graph.from_edges([(A, B), (A, A + "1"), (C, A)], weights=[2, 3, 5])
    base = base_set(graph, [A])
    assert list(base.edges()) == [(A, B), (C, A)]
    assert base.weights.tolist() == [2, 5]


@pytest.mark.parametrize("label", ["http://[", "http://[::1", "", "//", 5, None, ("a", 1)])
def test_labels_that_are_no_urls_have_no_host(label):
    assert not host_of(label)


def test_wrong_arguments_are_told():
    with pytest.raises(UnknownNode):
        base_set([(0, 1)], [2])
    with pytest.raises(ValueError, match="cap is -1"):
        base_set([(0, 1)], [0], cap=-1)
    with pytest.raises(ValueError, match="no links"):
        hits(base_set([(0, 1)], []))


def test_links_near_the_words_of_the_query_weigh_more():
    pages = [
        Page("h", links=[Link("cats", "big cats of the south"), Link("cars", "fast cars")]),
        Page("i", links=[Link("cars", "cars"), Link("cars", "CARS again"), "cats"]),
    ]
    graph = {page.url: page.links for page in pages}
    weighted = weigh_by_query(graph, anchor_texts(pages), "cars")
    assert dict(zip(weighted.edges(), weighted.weights.tolist(), strict=True)) == {
        ("h", "cats"): 1,
        ("h", "cars"): 2,
        ("i", "cars"): 3,
        ("i", "cats"): 1,
    }
    for query, best in (("cats", "cats"), ("cars", "cars")):
        weighted = weigh_by_query(graph, anchor_texts(pages), query)
        assert hits(weighted).authority_ranking()[0][0] == best


def test_weights_are_multiplied():
    graph = Graph.from_edges([("a", "b"), ("a", "c")], weights=[0.5, 4])
    weighted = weigh_by_query(graph, {("a", "b"): "rose rose"}, "rose")
    assert weighted.weights.tolist() == [1.5, 4]
    assert list(weighted.labels) == list(graph.labels)
