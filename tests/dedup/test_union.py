"""Union–find."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.dedup import UnionFind
from ircourse.dedup.union import _join, roots_of

PAIRS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=25)


@given(pairs=PAIRS)
def test_clusters_are_the_connected_components(pairs):
    graph = nx.Graph(pairs)
    graph.add_nodes_from(range(12))
    components = sorted(tuple(sorted(c)) for c in nx.connected_components(graph))
    sets = UnionFind(12)
    joins = [sets.union(a, b) for a, b in pairs]
    assert sets.clusters() == tuple(c for c in components if len(c) > 1)
    assert joins.count(True) == 12 - len(components)
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    roots = roots_of(12, i, j).tolist()
    assert roots == [min(next(c for c in components if x in c)) for x in range(12)]
    plain = np.arange(12)
    _join.plain(plain, i, j)
    assert plain.tolist() == roots
    assert all((sets.find(a) == sets.find(b)) == (roots[a] == roots[b]) for a in range(12) for b in range(12))


def test_a_chain_of_200_000_is_one_cluster():
    n = 200_000
    sets = UnionFind(n)
    for i in range(n - 1):
        sets.union(i, i + 1)
    (cluster,) = sets.clusters()
    assert len(cluster) == n
    for i, j in ((np.arange(n - 1), np.arange(1, n)), (np.arange(1, n)[::-1], np.arange(n - 1)[::-1])):
        assert not roots_of(n, i, j).any()


def test_trees_stay_low():
    n = 1024
    sets = UnionFind(n)
    step = 1
    while step < n:
        for i in range(0, n, 2 * step):
            sets.union(i, i + step)
        step *= 2

    def depth(item):
        return 0 if sets.parent[item] == item else 1 + depth(sets.parent[item])

    assert max(map(depth, range(n))) <= 10


def test_nothing_and_what_is_no_item():
    assert UnionFind(0).clusters() == ()
    assert UnionFind(3).clusters() == ()
    for bad in (-1, 3):
        with pytest.raises(IndexError, match=f"{bad} is no item"):
            UnionFind(3).union(0, bad)
    for n in (-1, 2.0, "ab"):
        with pytest.raises(ValueError, match="n is"):
            UnionFind(n)
