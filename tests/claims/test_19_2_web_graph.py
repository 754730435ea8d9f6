"""Claims C11 to C13: the bow-tie, the power law of in-degrees, the size of the adjacency matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import (
    Graph,
    adjacency_bytes,
    bow_tie,
    breadth_first,
    continuous_exponent,
    copying_graph,
    draw_power_law,
    erdos_renyi,
    goodness_of_fit,
    power_law_exponent,
    strong_components,
    weak_components,
)

N = 10**6


@given(st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=35))
def test_c11_the_parts_of_the_bow_tie_partition_the_pages(edges):
    graph = Graph.from_edges(edges, nodes=range(15))
    parts = bow_tie(graph)
    sets = [parts.core, parts.in_, parts.out, parts.tubes, parts.tendrils, parts.other]
    assert sorted(page for part in sets for page in part) == list(range(15))
    after = {page: set(breadth_first(graph, page)) for page in graph.labels}
    before = {page: {v for v in after if page in after[v]} for page in after}
    largest = max(strong_components(graph), key=len)
    if len(largest) == 1:
        assert parts.other == set(range(15))
        return
    assert parts.core == set(largest)
    assert parts.in_ == before[largest[0]] - parts.core
    assert parts.out == after[largest[0]] - parts.core
    for page in parts.tubes | parts.tendrils | parts.other:
        from_in, to_out = bool(before[page] & parts.in_), bool(after[page] & parts.out)
        assert (page in parts.tubes) == (from_in and to_out)
        assert (page in parts.tendrils) == (from_in != to_out)
    # What is not connected at all is "other".
    for piece in weak_components(graph):
        assert parts.core <= set(piece) or set(piece) <= parts.other


def test_c11_what_hangs_on_a_tendril_is_other():
    links = [("core", "core 2"), ("core 2", "core"), ("in", "core"), ("in", "tendril"), ("hangs", "tendril")]
    parts = bow_tie([*links, ("alone", "alone 2"), ("tendril", "on")])
    assert parts.tendrils == {"tendril", "on"}  # "on" is on a path from "in" too
    assert parts.other == {"hangs", "alone", "alone 2"}


@pytest.mark.parametrize("x_min", [1, 50])
def test_c12_the_likeliest_exponent_recovers_2_1(x_min):
    # Samples of 10^6 numbers: a standard error of 0.0012 for x_min 1, 0.0011 for 50.
    for seed in range(5):
        fit = power_law_exponent(draw_power_law(2.1, x_min, N, seed), x_min)
        assert fit.standard_error < 0.0013
        assert abs(fit.exponent - 2.1) < 3 * fit.standard_error


@pytest.fixture(scope="module")
def in_degrees():
    return copying_graph(N, 9, 1, exponent=2.1).in_degrees


def test_c12_the_tail_of_a_copying_web_has_the_exponent_that_it_was_made_for(in_degrees):
    fit = power_law_exponent(in_degrees, 50)
    # About 12,300 pages are in the tail: a standard error of 0.0098.
    assert fit.n_tail == pytest.approx(12_300, rel=0.05)
    assert fit.standard_error == pytest.approx(0.0098, rel=0.05)
    assert abs(fit.exponent - 2.1) < 0.05
    # The body is no power law, and a fit that takes it in is off by far: by 0.46 from x = 1, 0.05 from 5.
    assert power_law_exponent(in_degrees, 1).exponent == pytest.approx(1.64, abs=0.02)
    assert power_law_exponent(in_degrees, 5).exponent == pytest.approx(2.05, abs=0.02)
    assert goodness_of_fit(power_law_exponent(in_degrees, 1), samples=5) == 0
    # Without copying there is no such tail at all.
    assert erdos_renyi(N // 10, 9, 1).in_degrees.max() < 40


def test_c12_the_continuous_formula_misleads(in_degrees):
    # On numbers from the law itself it gives 3.04 for 2.1 from x = 1 on; from x = 50 on it is off by 0.013.
    drawn = draw_power_law(2.1, 1, N, 0)
    assert continuous_exponent(drawn, 1) == pytest.approx(3.04, abs=0.02)
    off = continuous_exponent(drawn, 50) - power_law_exponent(drawn, 50).exponent
    assert off == pytest.approx(0.0125, abs=0.002)
    # On a web both faults together look almost right: 1.93 from x = 1 on.
    assert continuous_exponent(in_degrees, 1) == pytest.approx(1.93, abs=0.02)


def test_c13_the_adjacency_matrix_of_the_web():
    pages, links_a_page = 50 * 10**9, 10
    ones = pages * links_a_page
    assert ones == 500 * 10**9
    assert ones / pages**2 == pytest.approx(2e-10)  # the matrix is all but empty
    size = adjacency_bytes(pages, ones, bits_per_link=6)
    assert size["matrix"] == 312.5e18  # bytes: 312.5 million terabytes
    assert size["lists"] == pytest.approx(4.4e12)  # 4.4 terabytes, numbers of 8 bytes
    assert size["coded"] == 375e9  # at 6 bits a link, as a crawl of one site takes
    assert np.ceil(np.log2(pages)) == 36  # bits for the number of a page, so 4 bytes are too few
