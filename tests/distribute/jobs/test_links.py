"""PageRank and HITS on a cluster: within the local functions' tolerances, from memory and from files."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse import links as local
from ircourse.distribute import edge_parts, hits, pagerank
from ircourse.distribute.jobs import stages
from ircourse.graphs import Graph, UnknownNode, copying_graph, read_edges
from ircourse.types import NotConverged

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=15)


def near(found, expected, tol=2e-9):
    """Whether two vectors are that near in L1 distance."""
    return np.abs(found - expected).sum() <= tol


@pytest.mark.parametrize("parts", [None, 1, 5])
def test_pagerank_is_the_local_one(client, parts):
    graph = copying_graph(40, 3.0, 2)
    found = pagerank(client, graph, tol=1e-5, parts=parts)
    assert near(found.scores, local.pagerank(graph, tol=1e-9).scores, 2e-5)
    assert found.labels == graph.labels
    assert found.residuals[-1] <= 1e-5 < found.residuals[-2]
    assert not found.scores.flags.writeable


def test_more_parts_than_pages(client):
    graph = copying_graph(7, 2.0, 2)
    found = pagerank(client, graph, damping=0.5, tol=1e-4, parts=10**6)
    assert near(found.scores, local.pagerank(graph, damping=0.5).scores, 1e-4)


@settings(max_examples=6)
@given(pairs, st.sampled_from([0.0, 0.5, 0.7]), st.integers(1, 3), st.booleans())
def test_any_graph(client, edges, damping, parts, weighted):
    weights = [float(i % 4) for i in range(len(edges))] if weighted else None
    graph = Graph.from_edges(edges, weights=weights)
    options = {"damping": damping, "tol": 1e-6, "teleport": {graph.labels[-1]: 2.0, graph.labels[0]: 1.0}}
    found = pagerank(client, graph, parts=parts, **options)
    assert near(found.scores, local.pagerank(graph, **options).scores, 2e-6)
    if graph.weights is None or graph.weights.any():
        expected = local.hits(graph, tol=1e-9)
        found = hits(client, graph, parts=parts, tol=1e-9)
        assert near(found.hubs, expected.hubs)
        assert near(found.authorities, expected.authorities)


@pytest.mark.parametrize("parts", [None, 1, 7])
def test_hits_is_the_local_one(client, parts):
    graph = copying_graph(300, 4.0, 5)
    graph = Graph(graph.indptr, graph.indices, 1e200 * (1.0 + graph.indices % 3), graph.labels)
    found, expected = hits(client, graph, parts=parts), local.hits(graph)
    assert near(found.hubs, expected.hubs)
    assert near(found.authorities, expected.authorities)
    assert len(found.residuals) == len(expected.residuals)


@pytest.mark.parametrize("size", [1000, 10**6])
def test_edge_lists_in_parts(client, tmp_path, size):
    rng = np.random.default_rng(3)
    edges = rng.integers(0, 60, (300, 2)) * 10**15
    path = tmp_path / "links.txt"
    path.write_text("# from, to\n" + "\n".join(f"{u},{v}" for u, v in edges.tolist()))
    graph, parts = read_edges(path), edge_parts(path, size)
    for blocks in (None, 1, 9) if size == 1000 else (None,):
        found = pagerank(client, parts, damping=0.5, tol=1e-4, parts=blocks)
        assert found.labels == graph.labels
        assert near(found.scores, local.pagerank(graph, damping=0.5).scores, 1e-4)
    found = hits(client, parts, tol=1e-9)
    assert found.labels == graph.labels
    assert near(found.hubs, local.hits(graph, tol=1e-9).hubs)


def test_vectors_that_are_sent(client, monkeypatch):
    monkeypatch.setattr(stages, "SMALL", 0)
    graph = copying_graph(30, 3.0, 4)
    assert near(pagerank(client, graph, tol=1e-3).scores, local.pagerank(graph, tol=1e-3).scores, 2e-3)
    assert near(hits(client, graph, tol=1e-9).hubs, local.hits(graph, tol=1e-9).hubs)


def test_progress_tells_of_steps(client):
    seen = []
    found = pagerank(
        client, [(0, 1), (1, 0), (1, 2)], damping=0.5, tol=0.01, progress=lambda *told: seen.append(told)
    )
    steps = [(done, total) for stage, done, total in seen if stage == "steps"]
    assert [done for done, _ in steps] == list(range(len(found.residuals)))
    assert all(total > len(steps) for _, total in steps)


def test_not_converged_is_told(client):
    ring = [(i, (i + 1) % 9) for i in range(9)] + [(0, 4)]
    with pytest.raises(NotConverged) as caught:
        pagerank(client, ring, max_steps=2)
    assert caught.value.steps == 2
    assert caught.value.residual > 1e-3
    with pytest.raises(NotConverged) as caught:
        pagerank(client, ring, damping=1 - 1e-9, tol=1e-10)
    assert caught.value.steps == 0
    with pytest.raises(NotConverged):
        hits(client, ring, max_steps=1, tol=1e-12)


def test_wrong_arguments_are_told_as_locally(client, tmp_path):
    for wrong in ({"damping": 1}, {"tol": 0}, {"max_steps": 0}, {"teleport": {0: -1}}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            pagerank(client, [(0, 1)], **wrong)
    with pytest.raises(UnknownNode):
        pagerank(client, [(0, 1)], teleport={"b": 1})
    with pytest.raises(ValueError, match="no pages"):
        pagerank(client, [])
    with pytest.raises(ValueError, match="has no links"):
        hits(client, [])
    with pytest.raises(ValueError, match="has no links of positive weight"):
        hits(client, Graph.from_edges([(0, 1)], weights=[0]))
    path = tmp_path / "links.txt"
    path.write_text("# nothing\n")
    with pytest.raises(ValueError, match="no pages"):
        pagerank(client, edge_parts(path))
    with pytest.raises(ValueError, match="has no links"):
        hits(client, edge_parts(path))
    path.write_text("1 2\n1 two\n")
    with pytest.raises(ValueError, match=r"links\.txt, line 2 .*'1 two'"):
        pagerank(client, edge_parts(path))
