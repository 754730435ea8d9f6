"""Generated graphs: the sizes asked for, the shape of their degrees, the same graph from the same seed."""

import numpy as np
import pytest

from ircourse.graphs import Graph, copying_graph, erdos_renyi, host_graph
from ircourse.graphs.generators import copy_links

MAKERS = {
    "copying": lambda n, links, rng: copying_graph(n, links, rng),
    "hosts": lambda n, links, rng: host_graph(max(1, n // 50), n, rng, links=links),
    "uniform": lambda n, links, rng: erdos_renyi(n, links, rng),
}


def same(a: Graph, b: Graph) -> bool:
    return np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_number_of_links_is_about_what_was_asked_for(make):
    graph = make(20_000, 9, 3)
    assert graph.n_nodes == 20_000
    assert 0.85 * 180_000 < graph.n_edges < 1.03 * 180_000
    assert not (np.repeat(np.arange(20_000), graph.out_degrees) == graph.indices).any()  # no self-loop


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_same_seed_gives_the_same_graph_and_another_seed_another(make):
    assert same(make(500, 5, 7), make(500, 5, 7))
    assert not same(make(500, 5, 7), make(500, 5, 8))
    assert same(make(500, 5, np.random.default_rng(1)), make(500, 5, np.random.default_rng(1)))


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_small_and_empty(make):
    assert make(1, 5, 0).n_edges == 0
    assert make(100, 0, 0).n_edges == 0
    assert 0 < make(2, 5, 0).n_edges <= 2


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_wrong_arguments(make):
    for n, links, rng in ((0, 5, 0), (2**31, 5, 0), (10, -1, 0), (10, np.nan, 0), (10, 501, 0), (10, 5, -1)):
        with pytest.raises(ValueError, match="give"):
            make(n, links, rng)


def test_wrong_shares():
    for exponent in (1.9, np.nan):
        with pytest.raises(ValueError, match="exponent"):
            copying_graph(10, 5, exponent=exponent)
    for hosts, local in ((0, 0.5), (11, 0.5), (2, 1.5), (2, np.nan)):
        with pytest.raises(ValueError, match="give"):
            host_graph(hosts, 10, local=local)


def test_uniform_degrees_are_poisson_and_copied_ones_are_not():
    n, links = 50_000, 8
    uniform, copied = erdos_renyi(n, links, 1).in_degrees, copying_graph(n, links, 1).in_degrees
    # The variance of a Poisson count is its mean; the sample variance has a standard error of about 1%.
    assert uniform.var() == pytest.approx(links, rel=0.04)
    assert copied.var() > 1000 * links
    # Out-degrees are geometric: 1 / (links + 1) of the pages have none, standard error 0.0014.
    assert (copying_graph(n, links, 1).out_degrees == 0).mean() == pytest.approx(1 / 9, abs=0.005)


def test_links_stay_on_their_host():
    one = host_graph(20, 2000, 5, links=10, local=1)
    sources = np.repeat(np.arange(2000), one.out_degrees)
    pieces = np.flatnonzero(
        [
            (np.minimum(sources, one.indices) < i) @ (np.maximum(sources, one.indices) >= i) == 0
            for i in range(2000)
        ]
    )  # places that no link goes over: between hosts
    assert len(pieces) >= 20
    apart = host_graph(20, 2000, 5, links=10, local=0)
    assert same(apart, copying_graph(2000, 10, 5))


def test_the_plain_loop_copies_as_the_compiled_one_does():
    starts = np.array([0, 40, 65, 70])
    compiled, plain = np.empty(70, np.int64), np.empty(70, np.int64)
    copy_links(np.uint64(3), 50, 2**63, starts, compiled)
    copy_links.plain(np.uint64(3), 50, 2**63, starts, plain)
    assert compiled.tolist() == plain.tolist()
