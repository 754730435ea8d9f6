"""HITS by power iteration and by Lanczos: worked examples, a dense eigensolver, ties, small gaps, errors."""

from itertools import islice

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ircourse.graphs import Graph, copying_graph, host_graph
from ircourse.links import hits, hits_leading, hits_steps
from ircourse.types import NotConverged


def limit_of_ones(A):
    """Where power iteration from h = 1 ends: the projection of Aᵗ1 on the top eigenspace, and its hubs."""
    theta, vectors = np.linalg.eigh(A.T @ A)
    top = vectors[:, theta > theta[-1] * (1 - 1e-9)]
    a = top @ (top.T @ A.sum(axis=0))
    h = A @ a
    return h / h.sum(), a / a.sum()


# edges, nodes, hubs, authorities
TIED = {
    "a path both ways": ([(0, 1), (1, 0), (1, 2), (2, 1)], 3, [1 / 3] * 3, [1 / 4, 1 / 2, 1 / 4]),
    "two equal stars": (
        [(0, 1), (0, 2), (3, 4), (3, 5)], 6, [0.5, 0, 0, 0.5, 0, 0], [0, 0.25, 0.25, 0, 0.25, 0.25],
    ),
    "a chain": ([(0, 1), (1, 2), (2, 3)], 4, [1 / 3, 1 / 3, 1 / 3, 0], [0, 1 / 3, 1 / 3, 1 / 3]),
}  # fmt: skip
UNIQUE = {
    "the larger star takes all": (
        [(0, 1), (0, 2), (3, 4), (3, 5), (3, 6)], 7,
        [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1 / 3, 1 / 3, 1 / 3],
    ),
    "self-loops": ([(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)], 3, [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]),
    "one link": ([(1, 0)], 2, [0, 1], [1, 0]),
}  # fmt: skip
EXAMPLES = TIED | UNIQUE


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples(name):
    edges, n, hubs, authorities = EXAMPLES[name]
    graph = Graph.from_edges(edges, nodes=range(n))
    scores = hits(graph, tol=1e-13)
    *_, last = hits_steps(graph, tol=1e-13)
    for found in (scores, last):
        assert found.hubs == pytest.approx(hubs, abs=1e-11)
        assert found.authorities == pytest.approx(authorities, abs=1e-11)
        assert not found.hubs.flags.writeable


edge_lists = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0.5, 1, 3])), min_size=1, max_size=25
)


@given(edge_lists, st.booleans())
def test_equal_to_the_dense_eigenvectors(edges, weighted):
    weights = [w for _, _, w in edges] if weighted else None
    graph = Graph.from_edges([(u, v) for u, v, _ in edges], nodes=range(8), weights=weights)
    hubs, authorities = limit_of_ones(graph.to_scipy().toarray())
    scores = hits(graph)
    assert scores.hubs == pytest.approx(hubs, abs=1e-8)
    assert scores.authorities == pytest.approx(authorities, abs=1e-8)
    for vector in (scores.hubs, scores.authorities):
        assert (vector >= 0).all()
        assert vector.sum() == pytest.approx(1)


@given(edge_lists)
def test_steps_are_the_plain_iteration_and_end_where_hits_does(edges):
    graph = Graph.from_edges([(u, v) for u, v, _ in edges], nodes=range(8))
    A, h = graph.to_scipy().toarray(), np.full(8, 1 / 8)
    states = hits_steps(graph, tol=1e-13, max_steps=5000)
    assert next(states).hubs == pytest.approx(h)
    for state in states:
        a = A.T @ h
        h = A @ (a / a.sum())
        h = h / h.sum()
        assert state.authorities == pytest.approx(a / a.sum())
        assert state.hubs == pytest.approx(h)
    assert state.hubs == pytest.approx(hits(graph).hubs, abs=1e-6)


def test_equal_to_networkx_where_it_is_right():
    graph = nx.gnp_random_graph(100, 0.08, seed=3, directed=True)
    hubs, authorities = nx.hits(graph, tol=1e-12)
    scores = hits(graph)
    assert scores.hubs == pytest.approx([hubs[u] for u in scores.labels], abs=1e-8)
    assert scores.authorities == pytest.approx([authorities[u] for u in scores.labels], abs=1e-8)


@given(edge_lists, st.booleans())
def test_equal_to_networkx_wherever_one_eigenvalue_is_largest(edges, weighted):
    weights = [w for _, _, w in edges] if weighted else None
    graph = Graph.from_edges([(u, v) for u, v, _ in edges], nodes=range(8), weights=weights)
    theta = np.linalg.eigvalsh(graph.to_scipy().toarray().T @ graph.to_scipy().toarray())
    assume(theta[-2] < theta[-1] * (1 - 1e-3))
    hubs, authorities = nx.hits(graph.to_networkx(), max_iter=100_000, tol=1e-12)  # power iteration in 3.7
    scores = hits(graph)
    assert scores.hubs == pytest.approx([hubs[u] for u in scores.labels], abs=1e-8)
    assert scores.authorities == pytest.approx([authorities[u] for u in scores.labels], abs=1e-8)


@pytest.mark.parametrize("length", [17, 60, 100])
def test_small_gaps(length):
    # A path both ways: largest eigenvalues 4 cos²(π k / (n + 1)), their gap about 30 / n² of 4.
    n = length
    edges = [(i, i + 1) for i in range(n - 1)] + [(i + 1, i) for i in range(n - 1)] + [(0, 0)]
    graph = Graph.from_edges(edges)
    hubs, authorities = limit_of_ones(graph.to_scipy().toarray())
    scores = hits(graph)
    assert np.abs(scores.hubs - hubs).sum() < 1e-8
    assert np.abs(scores.authorities - authorities).sum() < 1e-8
    last = list(islice(hits_steps(graph), 100))[-1]
    assert np.abs(last.authorities - authorities).sum() > 1e-6  # the power iteration is nowhere near


@pytest.fixture(params=["plain", "compiled", "compiled in parts", "with restarts"])
def form(request, monkeypatch):
    """Every form of the loops."""
    if request.param != "plain":
        monkeypatch.setattr(hits_leading, "PLAIN", 0)
    if request.param == "compiled in parts":
        monkeypatch.setattr(hits_leading, "ONE_PART", 0)
    if request.param == "with restarts":
        monkeypatch.setattr(hits_leading, "MEMORY", 0)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_form_of_the_loops(form, weighted):
    rng = np.random.default_rng(2)
    for graph in (copying_graph(150, 3.0, 3), host_graph(5, 150, 3, links=3.0)):
        weights = rng.integers(1, 4, graph.n_edges) / 2 if weighted else None
        graph = Graph(graph.indptr, graph.indices, weights, graph.labels)
        hubs, authorities = limit_of_ones(graph.to_scipy().toarray())
        scores = hits(graph)
        assert np.abs(scores.hubs - hubs).sum() < 1e-9
        assert np.abs(scores.authorities - authorities).sum() < 1e-9
        assert scores.residuals[-1] <= 1e-10


def test_restarts_lose_nothing(monkeypatch):
    n = 80
    graph = Graph.from_edges([(i, i + s) for i in range(1, n - 1) for s in (-1, 1)] + [(0, 0), (0, 1)])
    monkeypatch.setattr(hits_leading, "MEMORY", 0)
    scores = hits(graph)
    assert len(scores.residuals) > 3 * 16  # several bases were filled
    assert np.abs(scores.authorities - limit_of_ones(graph.to_scipy().toarray())[1]).sum() < 1e-8


def test_the_scores_do_not_depend_on_the_threads(monkeypatch):
    monkeypatch.setattr(hits_leading, "ONE_PART", 0)
    graph, found = copying_graph(3000, 5.0, 1), []
    for processors in (1, 2, 3, 64):
        monkeypatch.setattr(hits_leading.os, "cpu_count", lambda count=processors: count)
        found.append(hits(graph).authorities.tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("factor", [8e307, 1e307, 1e-300, 0.1])
def test_weights_of_any_size(factor):
    edges, weights = [(0, 1), (0, 2), (1, 2), (2, 0)], np.array([1, 2, 1, 0.5])
    expected = hits(Graph.from_edges(edges, weights=weights))
    scores = hits(Graph.from_edges(edges, weights=weights * factor))
    assert scores.hubs == pytest.approx(expected.hubs, abs=1e-10)
    *_, last = hits_steps(Graph.from_edges(edges, weights=weights * factor))
    assert last.hubs == pytest.approx(expected.hubs, abs=1e-8)


def test_a_link_of_weight_0_is_none():
    weighted = hits(Graph.from_edges([(0, 1), (2, 1), (2, 0)], weights=[1, 1, 0]))
    assert weighted.authorities.tolist() == [0, 1, 0]


def test_rankings_put_ties_in_order():
    scores = hits({"h": ["a", "b"], "i": ["b", "a"], "j": ["a"]})
    assert [page for page, _ in scores.hub_ranking()] == ["h", "i", "j", "a", "b"]
    assert [page for page, _ in scores.authority_ranking()][:2] == ["a", "b"]
    assert dict(scores.authority_ranking())["a"] == scores.authorities[list(scores.labels).index("a")]


@pytest.mark.parametrize("way", [hits, hits_steps])
def test_what_is_wrong_is_told(way):
    for nothing in ([], {"a": [], "b": []}):
        with pytest.raises(ValueError, match="no links"):
            way(nothing)
    with pytest.raises(ValueError, match="links of positive weight"):
        way(Graph.from_edges([(0, 1)], weights=[0]))
    with pytest.raises(ValueError, match="tol is -1"):
        way([(0, 1)], tol=-1)
    for wrong in (0, 1.5, float("nan"), float("inf"), True, "7"):
        with pytest.raises(ValueError, match=f"max_steps is {wrong!r}"):
            way([(0, 1)], max_steps=wrong)


def test_not_converged_is_told():
    with pytest.raises(NotConverged) as told:
        hits(copying_graph(200, 3.0, 3), max_steps=2)
    assert told.value.steps == 2
    with pytest.raises(NotConverged):
        list(hits_steps(copying_graph(200, 3.0, 3), max_steps=2))
