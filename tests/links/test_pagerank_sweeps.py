"""The sweeps on webs large enough for ranges and compiled loops: accuracy, threads, mixing, memory."""

import random

import numpy as np
import pytest

from ircourse.graphs import Graph, copying_graph, host_graph
from ircourse.links import pagerank, pagerank_sweeps
from ircourse.links.pagerank_chain import probabilities
from ircourse.types import NotConverged


def power(graph, damping, teleport=None, error=1e-13):
    """The plain power iteration, to this error."""
    n = graph.n_nodes
    t = np.full(n, 1 / n) if teleport is None else teleport / teleport.sum()
    P = graph.to_scipy()
    P.data, dangling = probabilities(graph)
    P, x, change = P.T.tocsr(), t, 1.0
    while change > error * (1 - damping):
        new = damping * (P @ x + x[dangling].sum() * t) + (1 - damping) * t
        change, x = np.abs(new - x).sum(), new / new.sum()
    return x


@pytest.fixture
def small_ranges(monkeypatch):
    """Ranges, phases and compiled loops for webs of any size."""
    monkeypatch.setattr(pagerank_sweeps, "ONE_RANGE", 0)
    monkeypatch.setattr(pagerank_sweeps, "PLAIN", 0)


def webs(weighted=False):
    """A web that mixes fast and one that mixes slowly."""
    rng = np.random.default_rng(5)
    for graph in (copying_graph(1500, 6.0, 1), host_graph(30, 1500, 1)):
        weights = rng.integers(0, 4, graph.n_edges) / 2 if weighted else None
        yield Graph(graph.indptr, graph.indices, weights, graph.labels)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("damping", [0.5, 0.85, 0.97])
def test_the_scores_are_those_of_the_power_iteration(small_ranges, damping, weighted):
    teleport = np.random.default_rng(1).integers(0, 3, 1500).astype(float)
    for graph in webs(weighted):
        true = power(graph, damping, teleport)
        for tol in (1e-3, 1e-10):
            result = pagerank(graph, damping=damping, teleport=teleport, tol=tol)
            assert np.abs(result.scores - true).sum() <= tol
            assert (result.scores >= -tol).all()


def test_the_scores_do_not_depend_on_the_threads(small_ranges, monkeypatch):
    for graph in webs():
        found = []
        for processors in (1, 2, 3, 64):
            monkeypatch.setattr(pagerank_sweeps.os, "cpu_count", lambda count=processors: count)
            found.append(pagerank(graph).scores.tobytes())
        assert len(set(found)) == 1


def test_plain_and_compiled_loops_agree(monkeypatch):
    graph = copying_graph(300, 4.0, 2)
    plain = pagerank(graph)
    monkeypatch.setattr(pagerank_sweeps, "PLAIN", 0)
    compiled = pagerank(graph)
    assert compiled.scores == pytest.approx(plain.scores, abs=1e-15)
    assert len(compiled.residuals) == len(plain.residuals)


def test_fewer_sweeps_than_steps_of_the_power_iteration(small_ranges):
    fast, slow = webs()
    for graph, least in ((fast, 1.2), (slow, 1.8)):
        true, x, steps = power(graph, 0.85), np.full(1500, 1 / 1500), 0
        P = graph.to_scipy()
        P.data, dangling = probabilities(graph)
        while np.abs(x - true).sum() > 1e-9:
            x = 0.85 * (x @ P + x[dangling].sum() / 1500) + 0.15 / 1500
            steps += 1
        assert steps >= least * len(pagerank(graph, tol=1e-9).residuals)


def test_mixing_pays_where_pages_form_communities(monkeypatch):
    graph = host_graph(30, 1500, 1, local=0.995)
    mixed = len(pagerank(graph, damping=0.95).residuals)
    monkeypatch.setattr(pagerank_sweeps, "FIRST", 10**9)
    assert len(pagerank(graph, damping=0.95).residuals) > 1.5 * mixed


def test_sweeps_without_mixing_converge_within_the_limit(monkeypatch):
    monkeypatch.setattr(pagerank_sweeps, "FIRST", 10**9)
    for graph in webs():
        assert pagerank(graph, damping=0.9).residuals[-1] <= 1e-10


def test_a_ring_with_random_links():
    rng = random.Random(7)
    n = 20_000
    edges = [(i, (i + 1) % n) for i in range(n)] + [
        (rng.randrange(n), rng.randrange(n)) for _ in range(4 * n)
    ]
    scores = pagerank(Graph.from_edges(np.array(edges), nodes=range(n))).scores
    assert (scores > 0).all()
    assert scores.sum() == pytest.approx(1, abs=1e-9)


def test_too_few_sweeps_are_told():
    with pytest.raises(NotConverged) as told:
        pagerank(host_graph(3, 300, 1), damping=0.99, max_steps=20)
    assert told.value.steps == 20


def test_too_many_pages_are_told(monkeypatch):
    monkeypatch.setattr(pagerank_sweeps, "MOST", 3)
    with pytest.raises(ValueError, match="4 pages are too many"):
        pagerank([(0, 1), (1, 2), (2, 3)])
