"""Co-citation and bibliographic coupling by counting, and what they are to each other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, bibliographic_coupling, co_citation

edge_lists = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=25)


@given(edge_lists)
def test_counts(edges):
    graph = Graph.from_edges(edges, nodes=range(8), weights=[0.5] * len(edges))
    cites = {u: set(graph.links(u)) for u in range(8)}
    both = [[sum(v in cites[u] and w in cites[u] for u in range(8)) for w in range(8)] for v in range(8)]
    assert co_citation(graph).toarray().tolist() == both
    shared = [[len(cites[u] & cites[w]) for w in range(8)] for u in range(8)]
    coupling = bibliographic_coupling(graph)
    assert coupling.toarray().tolist() == shared
    assert (co_citation(graph.reverse()) != coupling).nnz == 0
    assert coupling.dtype == np.int64
    assert np.array_equal(coupling.diagonal(), graph.out_degrees)


def test_empty():
    assert co_citation({}).shape == bibliographic_coupling({}).shape == (0, 0)
