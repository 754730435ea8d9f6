"""The walk: it follows links with the chances of the chain, repeats, and agrees with its compiled form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, UnknownNode
from ircourse.links import pagerank, random_surfer, surfer, transition_matrix

WEB = {"a": ["b", "c"], "b": ["a"], "c": [], "d": ["d", "a"]}


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0, 1, 2.5])), max_size=15),
    st.lists(st.integers(0, 2), min_size=6, max_size=6).filter(any),
    st.sampled_from([0, 0.5, 1]),
    st.integers(0, 99),
)
def test_every_step_is_possible(edges, teleport, damping, seed):
    pairs = [(u, v) for u, v, _ in edges]
    graph = Graph.from_edges(pairs, nodes=range(6), weights=[w for _, _, w in edges])
    walk = random_surfer(graph, 60, seed, damping=damping, teleport=teleport)
    P = transition_matrix(graph, damping, teleport)
    assert walk.teleported[0]
    assert all(P[u, v] > 0 for u, v in zip(walk.path, walk.path[1:], strict=False))
    assert all(teleport[page] for page in walk.path[walk.teleported])
    links = transition_matrix(graph, 1, teleport)
    followed = np.flatnonzero(~walk.teleported)
    assert all(links[walk.path[i - 1], walk.path[i]] > 0 for i in followed)


def test_the_steps_have_the_chances_of_the_chain():
    # 200,000 steps; a row visited k times has shares known to at most 0.5 / √k, here 0.003.
    edges, weights = [(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 3), (3, 1)], [1, 2, 5, 1, 1, 1, 3]
    graph = Graph.from_edges(edges, weights=weights)
    walk = random_surfer(graph, 200_000, 4, damping=0.8, teleport={1: 1, 2: 3})
    counts = np.zeros((4, 4))
    np.add.at(counts, (walk.path[:-1], walk.path[1:]), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    assert np.abs(shares - transition_matrix(graph, 0.8, {1: 1, 2: 3})).max() < 5 * 0.003


def test_visits_add_up_over_time():
    walk = random_surfer(WEB, 1000, 3)
    assert walk.path.dtype == np.int32
    assert walk.visits().sum() == 1000
    assert walk.visits(10).tolist() == [int((walk.path[:10] == page).sum()) for page in range(4)]
    assert walk.shares(10).tolist() == (walk.visits(10) / 10).tolist()
    assert walk.shares().sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="at least 1"):
        walk.shares(0)


def test_the_shares_approach_the_scores():
    # Standard error of a share at 400,000 steps: below 0.5 / √400,000 · 2 = 0.0016, 2 for the dependence.
    scores = pagerank(WEB).scores
    assert np.abs(random_surfer(WEB, 400_000, 1).shares() - scores).max() < 5 * 0.0016


def test_a_walk_is_repeatable_and_the_same_compiled(monkeypatch):
    walks = [random_surfer(WEB, 500, 7), random_surfer(WEB, 500, np.random.default_rng(7))]
    monkeypatch.setattr(surfer, "_PLAIN", 0)
    walks.append(random_surfer(WEB, 500, 7))
    assert len({walk.path.tobytes() for walk in walks}) == 1
    assert len({walk.teleported.tobytes() for walk in walks}) == 1
    assert random_surfer(WEB, 500, 8).path.tobytes() != walks[0].path.tobytes()


def test_wrong_arguments_are_told():
    with pytest.raises(ValueError, match="steps is 0"):
        random_surfer(WEB, 0)
    with pytest.raises(TypeError):
        random_surfer(WEB, 1.5)
    with pytest.raises(ValueError, match="no pages"):
        random_surfer([], 5)
    with pytest.raises(ValueError, match="damping is 2"):
        random_surfer(WEB, 5, damping=2)
    with pytest.raises(UnknownNode):
        random_surfer(WEB, 5, teleport={"z": 1})
