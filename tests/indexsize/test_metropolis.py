"""Chains: exact properties on small graphs."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.indexsize import distances, lazy, metropolis_hastings, mixing_time, walk_matrix

# Connected: each page linked both ways with an earlier one, and some more links.
graphs = st.integers(2, 8).flatmap(
    lambda n: st.tuples(
        st.tuples(*(st.integers(0, i - 1) for i in range(1, n))),
        st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=6),
    )
)


def linked(tree, more):
    pairs = {*((i + 1, j) for i, j in enumerate(tree)), *more}
    pairs |= {(v, u) for u, v in pairs}
    return {u: sorted(v for w, v in pairs if w == u) for u in range(len(tree) + 1)}


@given(graphs)
def test_the_corrected_walk_is_uniform_and_reversible(graph):
    graph = linked(*graph)
    P = walk_matrix(graph, uniform=True)
    assert (P >= -1e-12).all()
    assert P.sum(axis=1) == pytest.approx(np.ones(len(P)))
    assert pytest.approx(P.T) == P  # so the uniform distribution stays
    degrees = np.array([len(links) for links in graph.values()])
    assert degrees @ walk_matrix(graph) == pytest.approx(degrees)


@given(graphs)
def test_the_mixing_time_is_the_first_step_that_is_near_from_every_start(graph):
    P = lazy(walk_matrix(linked(*graph), uniform=True))
    n = len(P)
    uniform = np.full(n, 1 / n)
    steps = mixing_time(P, uniform, within=0.1)
    worst = np.max([list(islice(distances(P, uniform, start), steps + 1)) for start in range(n)], axis=0)
    assert worst[steps] <= 0.1 + 1e-9
    assert steps == 0 or worst[steps - 1] > 0.1 - 1e-9
    assert (np.diff(worst) < 1e-9).all()


def test_a_chain_that_never_settles_has_no_mixing_time():
    apart = {0: [1], 1: [0], 2: [3], 3: [2]}
    assert mixing_time(lazy(walk_matrix(apart)), [0.25] * 4, max_steps=1000) is None
    assert mixing_time(walk_matrix({0: [1], 1: [0]}), [0.5, 0.5]) is None
    assert mixing_time(np.array([[1.0]]), [1.0]) == 0
    slow = lazy(walk_matrix({i: [j for j in (i - 1, i + 1) if 0 <= j < 8] for i in range(8)}, uniform=True))
    steps = mixing_time(slow, [1 / 8] * 8)
    assert mixing_time(slow, [1 / 8] * 8, max_steps=steps) == steps
    assert mixing_time(slow, [1 / 8] * 8, max_steps=steps - 1) is None


def test_every_state_is_as_likely_after_the_correction():
    # A birth-and-death chain with stationary chances 1 : 2 : 4; 30,000 steps.
    up = {0: [0, 1], 1: [0, 1, 2, 2], 2: [1, 2, 2, 2]}
    w = {0: 2.0, 1: 4.0, 2: 8.0}
    rng = np.random.default_rng(8)
    chain = metropolis_hastings(0, lambda x: up[x][int(rng.integers(len(up[x])))], w.__getitem__, rng)
    counts = np.bincount(list(islice(chain, 30_000)))
    # A share of independent draws has a standard error of 0.0027; those here count for a fifth at worst.
    assert np.abs(counts / 30_000 - 1 / 3).max() < 4 * 0.0027 * np.sqrt(5)


def test_wrong_graphs_are_told():
    for wrong in ({}, {0: [1], 1: []}):
        with pytest.raises(ValueError, match="without links"):
            walk_matrix(wrong)
    with pytest.raises(ValueError, match="one way"):
        walk_matrix({0: [1], 1: [2], 2: [0]}, uniform=True)
