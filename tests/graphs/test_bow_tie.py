"""The bow-tie's parts: by their definition with networkx, on small webs and on generated ones."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import BowTie, Graph, bow_tie, bow_tie_parts
from ircourse.graphs.bow_tie import PARTS, flood
from ircourse.web import random_web
from ircourse.web.generator import REGIONS

small = st.integers(0, 14)
edge_lists = st.lists(st.tuples(small, small), max_size=35)


def by_definition(graph, order):
    """The parts, page by page, from what networkx says can be reached."""
    components = sorted(nx.strongly_connected_components(graph), key=lambda c: (-len(c), min(map(order, c))))
    core = components[0] if components and len(components[0]) > 1 else set()
    after = {u: nx.descendants(graph, u) for u in graph}
    one = next(iter(core), None)
    in_ = {u for u in graph if one in after[u]} - core if core else set()
    out = after[one] - core if core else set()
    rest = set(graph) - core - in_ - out
    from_in = {u for u in rest if any(u in after[v] for v in in_)}
    to_out = {u for u in rest if after[u] & out}
    return BowTie(
        *map(frozenset, (core, in_, out, from_in & to_out, from_in ^ to_out, rest - from_in - to_out))
    )


@given(edge_lists)
def test_parts_are_those_of_the_definition(edges):
    graph = Graph.from_edges(edges, nodes=range(15))
    parts = bow_tie(graph)
    assert parts == by_definition(graph.to_networkx(), graph.number)
    assert sum(parts.sizes.values()) == 15
    assert list(parts.sizes) == list(PARTS)


@given(st.permutations("abcdefghij"), st.data())
def test_a_bow_tie_in_any_order_of_pages(order, data):
    edges = [
        ("a", "b"), ("b", "c"), ("c", "a"),  # the core
        ("d", "a"), ("c", "e"),  # in, out
        ("d", "f"), ("f", "e"),  # a tube
        ("d", "g"), ("h", "e"),  # tendrils
        ("i", "g"), ("h", "j"),  # what hangs on them
    ]  # fmt: skip
    parts = bow_tie(Graph.from_edges(data.draw(st.permutations(edges)), nodes=order))
    assert parts == BowTie(*map(frozenset, ("abc", "d", "e", "f", "gh", "ij")))


def test_no_core():
    for graph in ({}, {"a": []}, {"a": ["a"]}, [("a", "b"), ("b", "c"), ("c", "c")]):
        parts = bow_tie(graph)
        assert parts.sizes["other"] == sum(parts.sizes.values())
    assert bow_tie_parts({}).tolist() == []


def test_of_two_largest_components_the_first():
    pairs = [("x", "y"), ("y", "x"), ("p", "q"), ("q", "p"), ("y", "p")]
    assert bow_tie(pairs).core == {"x", "y"}
    assert bow_tie(Graph.from_edges(pairs, nodes="pqxy")).core == {"p", "q"}
    assert bow_tie(Graph.from_edges(pairs, nodes="pqxy")).in_ == {"x", "y"}


def test_parts_do_not_change():
    parts = bow_tie([(1, 2), (2, 1)])
    with pytest.raises(AttributeError):
        parts.core = frozenset()


@pytest.mark.parametrize(("n", "seed"), [(300, 0), (5000, 1), (50_000, 2)])
def test_a_generated_web_has_the_bow_tie_that_was_planted(n, seed):
    web = random_web(n, seed)
    assert bow_tie_parts(web.graph).tolist() == web.regions.tolist()
    assert REGIONS == PARTS


def test_a_long_chain_into_a_ring():
    n = 100_000
    chain = np.column_stack([np.arange(n), np.arange(1, n + 1)])
    parts = bow_tie_parts(Graph.from_edges(np.concatenate([chain, [[n, n - 10]]]), nodes=range(n + 1)))
    assert parts.tolist() == [PARTS.index("in")] * (n - 10) + [PARTS.index("core")] * 11


@given(edge_lists, st.sets(small))
def test_the_compiled_search_is_the_plain_one(edges, starts):
    graph = Graph.from_edges(edges, nodes=range(15))
    marked = []
    for search in (flood, flood.plain):
        reached = np.zeros(15, np.bool_)
        reached[list(starts)] = True
        search(graph.indptr, graph.indices, np.flatnonzero(reached), reached)
        marked.append(np.flatnonzero(reached).tolist())
    other = graph.to_networkx()
    assert marked[0] == marked[1] == sorted(starts.union(*(nx.descendants(other, u) for u in starts)))
