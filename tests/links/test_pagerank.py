"""PageRank by power iteration, linear system and sweeps: worked examples, networkx, errors."""

from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from itertools import islice

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, UnknownNode
from ircourse.links import (
    pagerank,
    pagerank_linear,
    pagerank_steps,
    partial_pagerank,
    transition_matrix,
)
from ircourse.types import NotConverged

links_pagerank = import_module("ircourse.links.pagerank")  # the name is the function's too

RING = [(0, 1), (1, 2), (2, 3), (3, 0)]


def by_steps(graph, **options):
    """The end of the power iteration."""
    *_, last = pagerank_steps(graph, **options)
    return last.scores


WAYS = [
    by_steps,
    lambda graph, **options: pagerank(graph, **options).scores,
    lambda graph, **options: pagerank_linear(graph, **options).scores,
]
each_way = pytest.mark.parametrize("way", WAYS, ids=["steps", "sweeps", "linear"])

# edges, nodes, damping, teleport, scores as fractions
EXAMPLES = {
    "three states": ([(0, 1), (2, 1), (1, 0), (1, 2)], 3, 0.5, None, "5/18 4/9 5/18"),
    "one page": ([], 1, 0.85, None, "1"),
    "no links": ([], 4, 0.85, None, "1/4 1/4 1/4 1/4"),
    "self-loop": ([(0, 1), (1, 2), (2, 0), (1, 1)], 3, 0.85, None, "380/1429 686/1429 363/1429"),
    "ring": (RING, 4, 0.85, None, "1/4 1/4 1/4 1/4"),
    "star, its middle dangling": (
        [(i, 0) for i in range(1, 6)], 6, 0.85, None, "21/41 4/41 4/41 4/41 4/41 4/41",
    ),
    "all teleport to a dangling page": ([(0, 1)], 2, 0.85, [0, 1], "0 1"),
    "dangling leads to the teleport page": (
        [(0, 1), (1, 2), (3, 0)], 4, 0.85, {0: 1}, "400/1029 340/1029 289/1029 0",
    ),
    "weights need no sum": ([(0, 1), (1, 2), (2, 0)], 3, 0.85, {0: 10}, "400/1029 340/1029 289/1029"),
    "two topics": (
        [(0, 1), (1, 2), (2, 0), (3, 4), (4, 3), (2, 3)], 5, 0.85, [3, 3, 0, 2, 2],
        "9801/110870 1332/11087 5661/55435 19757/55435 36913/110870",
    ),
    "slow": (
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2)], 5, 0.99, None,
        "980199002/4420697005 98807980/884139401 983139401/4420697005 982149401/4420697005 "
        "981169301/4420697005",
    ),
    "no damping": ([(0, 1), (1, 2)], 3, 0, [1, 2, 1], "1/4 1/2 1/4"),
}  # fmt: skip


@each_way
@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples(way, name):
    edges, n, damping, teleport, expected = EXAMPLES[name]
    graph = Graph.from_edges(edges, nodes=range(n))
    scores = way(graph, damping=damping, teleport=teleport, tol=1e-12)
    assert scores == pytest.approx([float(Fraction(part)) for part in expected.split()], abs=1e-11)


@each_way
def test_weights_share_out_the_score(way):
    edges, weights = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2)], [3, 1, 0.5, 2, 1]
    expected = [1318 / 3827, 78699 / 306160, 5527 / 15308, 3 / 80]
    for factor in (1.0, 1e307, 1e-300):
        graph = Graph.from_edges(edges, nodes=range(4), weights=np.array(weights) * factor)
        assert way(graph) == pytest.approx(expected, abs=1e-9)


@each_way
def test_a_link_of_weight_0_is_none(way):
    graph = Graph.from_edges([(0, 1), (0, 2), (1, 0), (2, 1)], weights=[1, 0, 0, 2])
    assert way(graph) == pytest.approx(way(Graph.from_edges([(0, 1), (2, 1)], nodes=range(3))), abs=1e-9)


@each_way
@pytest.mark.parametrize("scale", [1e308, 1e-308])
def test_teleport_weights_of_any_size(way, scale):
    assert way(RING, teleport=[scale] * 4) == pytest.approx([0.25] * 4)


webs = st.integers(1, 8).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0, 0.5, 1, 3])),
            max_size=25,
        ),
        st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any),
        st.sampled_from([0, 0.15, 0.5, 0.85, 0.97]),
        st.booleans(),
    )
)


def graph_of(n, edges, weighted):
    """The graph of triples, with their weights or without."""
    weights = [w for _, _, w in edges] if weighted else None
    return Graph.from_edges([(u, v) for u, v, _ in edges], nodes=range(n), weights=weights)


@given(webs)
def test_the_three_ways_agree_and_are_stationary(web):
    n, edges, teleport, damping, weighted = web
    graph = graph_of(n, edges, weighted)
    options = {"damping": damping, "teleport": teleport, "tol": 1e-11}
    scores = [way(graph, **options) for way in WAYS]
    P = transition_matrix(graph, damping, teleport)
    assert P.sum(axis=1) == pytest.approx(np.ones(n))
    for x in scores:
        assert (x >= 0).all()
        assert x.sum() == pytest.approx(1)
        assert np.abs(x @ P - x).sum() < 1e-10
        assert np.abs(x - scores[0]).sum() < 3e-11


@given(webs)
def test_equal_to_networkx(web):
    n, edges, teleport, damping, weighted = web
    graph = graph_of(n, [edge for edge in edges if edge[2] or not weighted], weighted)
    other = nx.pagerank(
        graph.to_networkx(),
        alpha=damping,
        personalization=dict(enumerate(teleport)),
        tol=1e-12,
        max_iter=2000,
    )
    assert pagerank(graph, damping=damping, teleport=teleport).as_dict() == pytest.approx(other, abs=1e-8)


@given(webs)
def test_the_bound_holds_at_every_step(web):
    n, edges, teleport, damping, weighted = web
    graph = graph_of(n, edges, weighted)
    options = {"damping": damping, "teleport": teleport}
    true = np.linalg.matrix_power(transition_matrix(graph, **options), 2**11)[0]
    for tol in (0.3, 1e-2, 1e-4, 1e-8):
        result = pagerank(graph, tol=tol, **options)
        assert result.residuals[-1] <= tol
        assert np.abs(result.scores - true).sum() <= tol + 1e-12
        for state in pagerank_steps(graph, tol=tol, **options):
            assert np.abs(state.scores - true).sum() <= state.residual / (1 - damping) + 1e-12


@pytest.mark.parametrize("damping", [0.999, 0.9999])
def test_damping_near_1(damping):
    edges = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 0), (4, 2), (4, 5), (1, 2)]
    x = pagerank(edges, damping=damping)
    assert np.abs(x.scores - pagerank_linear(edges, damping=damping, tol=1e-9).scores).sum() < 1e-8
    assert x.residuals[-1] <= 1e-10


ISLANDS = [(0, 1), (1, 0), (2, 3), (3, 2), (3, 4), (4, 3), (5, 0), (5, 2)]


def exact(edges, n, d):
    """PageRank by elimination in fractions: no rounding at all."""
    d, links = Fraction(d), [[v for u, v in edges if u == page] for page in range(n)]
    rows = [
        [Fraction(i == j) - sum(d / len(links[j]) for v in links[j] if v == i) for j in range(n)]
        + [Fraction(1)]
        for i in range(n)
    ]
    for i in range(n):
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    z = [row[-1] for row in rows]
    return np.array([float(part / sum(z)) for part in z])


@pytest.mark.parametrize("way", WAYS[1:], ids=["sweeps", "linear"])
@pytest.mark.parametrize("gap", [1e-4, 1e-5, 1e-6, 1e-7, 1e-9, 1e-12, 2**-53])
def test_ever_nearer_to_1_it_is_within_the_tolerance_or_told(way, gap):
    true = exact(ISLANDS, 6, 1 - gap)
    for tol in (1e-10, 1e-6, 1e-2):
        try:
            scores = way(ISLANDS, damping=1 - gap, tol=tol)
        except NotConverged as error:
            assert error.residual > tol
            assert gap < 1e-4
        else:
            assert np.abs(scores - true).sum() <= tol


@pytest.mark.parametrize("edges", [ISLANDS, [(i, (i + 1) % 97) for i in range(97)], [(0, 0), (1, 0)]])
def test_a_tolerance_below_rounding_is_told_at_once(edges):
    with pytest.raises(NotConverged) as told:
        pagerank(edges, damping=1 - 1e-8)
    assert told.value.steps == 0
    with pytest.raises(NotConverged, match="a larger tolerance"):
        pagerank_linear(edges, damping=1 - 2**-53)


def test_a_bound_that_has_stopped_falling_is_told():
    with pytest.raises(NotConverged) as told:
        pagerank(ISLANDS, damping=0.99999, max_steps=10**9)
    assert told.value.steps < 20_000


def test_what_elimination_does_not_reach_is_not_told_as_too_few_steps():
    with pytest.raises(NotConverged, match=r"solved to .* a damping further from 1") as told:
        pagerank_linear(ISLANDS, damping=1 - 1e-7)
    assert "steps" not in str(told.value)


def test_steps_end_without_a_limit_given(monkeypatch):
    monkeypatch.setattr(links_pagerank, "MOST_STEPS", 300)
    with pytest.raises(NotConverged) as told:
        list(pagerank_steps([(0, 1), (1, 0)], damping=1 - 2**-53, start=[1, 0]))
    assert told.value.steps == 300


def test_the_networkx_stopping_rule_would_stop_at_once():
    # An error below N · tol is no condition once N · tol reaches 2; ours is absolute.
    chain = [(i, i + 1) for i in range(50)]
    assert pagerank(chain, tol=1e-3).scores == pytest.approx(pagerank_linear(chain).scores, abs=1e-3)


def test_dangling_pages_by_the_textbook():
    assert pagerank([(0, 1), (0, 2), (2, 1)]).scores == pytest.approx([0.198, 0.521, 0.282], abs=1e-3)


def test_steps_are_states_of_the_plain_iteration():
    P = transition_matrix([*RING, (0, 2)], 0.5)
    x = np.full(4, 0.25)
    for i, state in enumerate(islice(pagerank_steps([*RING, (0, 2)], damping=0.5), 10)):
        assert state.step == i
        assert state.scores == pytest.approx(x)
        assert state.residual == pytest.approx(np.abs(x @ P - x).sum())
        assert not state.scores.flags.writeable
        x = x @ P


def test_steps_from_another_start():
    first, *_ = pagerank_steps(RING, start={2: 5})
    assert first.scores.tolist() == [0, 0, 1, 0]
    assert by_steps(RING, start={2: 5}) == pytest.approx([0.25] * 4)


@each_way
def test_labels_of_any_kind_and_any_form_of_graph(way):
    pairs = [("b", "a"), ("b", ("c",)), ("a", "b")]
    scores = way(pairs)
    assert way({"b": ["a", ("c",)], "a": ["b"]}) == pytest.approx(scores)
    assert way(nx.DiGraph(pairs)) == pytest.approx(scores)
    assert way(Graph.from_edges(pairs).to_scipy()) == pytest.approx(scores)


def test_result():
    result = pagerank({"b": ["a", "c"], "a": ["b"], "c": []}, damping=0.5)
    assert list(result.labels) == ["b", "a", "c"]
    assert result.as_dict() == dict(zip("bac", result.scores.tolist(), strict=True))
    assert result.ranking() == [(page, result.as_dict()[page]) for page in "bac"]  # a and c tie
    assert len(result.residuals) > 1
    for array in (result.scores, result.residuals):
        assert array.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@each_way
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": -0.1}, "damping is -0.1"),
        ({"damping": 1.5}, "damping is 1.5"),
        ({"damping": 1}, "below 1"),
        ({"damping": float("nan")}, "damping is nan"),
        ({"damping": "0.85"}, "damping is '0.85'"),
        ({"damping": None}, "damping is None"),
        ({"damping": 0.5 + 0j}, "damping is"),
        ({"teleport": [1, 1, 1, None]}, "teleport weights are numbers"),
        ({"teleport": ["1", "1", "1", "2"]}, "teleport weights are numbers"),
        ({"teleport": np.array([1, 1, 1, 1j])}, "teleport weights are numbers"),
        ({"teleport": np.array([1, 2, 3, 4], "M8[D]")}, "teleport weights are numbers"),
        ({"teleport": np.ma.masked_less([1, 2, 3, 4], 2)}, "teleport weights are numbers"),
        ({"teleport": {0: None}}, "teleport weights are numbers"),
        ({"teleport": {0: [1]}}, "give one number for each page"),
        ({"teleport": [0, 0, 0, 0]}, "all teleport weights are 0"),
        ({"teleport": {}}, "all teleport weights are 0"),
        ({"teleport": [1, -1, -1, -1]}, "teleport weight of 1 is -1"),
        ({"teleport": [1, float("nan"), 1, 1]}, "teleport weight of 1 is nan"),
        ({"teleport": {2: float("inf")}}, "teleport weight of 2 is inf"),
        ({"teleport": [1, 1]}, r"shape \(2,\): give one weight for each of 4"),
        ({"teleport": "home"}, "numbers, not 'home'"),
        ({"tol": 0}, "tol is 0"),
        ({"tol": float("nan")}, "tol is nan"),
    ],
)
def test_wrong_numbers_are_told(way, options, message):
    with pytest.raises(ValueError, match=message):
        way(RING, **options)


@each_way
def test_no_pages_and_unknown_pages_are_told(way):
    with pytest.raises(ValueError, match="no pages"):
        way([])
    with pytest.raises(UnknownNode, match="'home' is no node"):
        way(RING, teleport={"home": 1})


@pytest.mark.parametrize("way", WAYS[:2], ids=["steps", "sweeps"])
def test_not_converged_is_told(way):
    edges = [(0, 1), (1, 0), (1, 2), (2, 0), (2, 3)]
    with pytest.raises(NotConverged) as told:
        way(edges, max_steps=1, tol=1e-12)
    assert told.value.steps == 1
    assert told.value.residual > 1e-12
    for wrong in (0, -3, 1.5, float("nan"), float("inf"), True, "7", [3], 2j, Decimal(3)):
        with pytest.raises(ValueError, match="max_steps is"):
            way(edges, max_steps=wrong)


def test_wrong_arguments_of_steps_are_told_at_once():
    with pytest.raises(ValueError, match="damping"):
        pagerank_steps(RING, damping=2)  # before the first state is asked for


def test_the_matrix_refuses_large_graphs_and_allows_no_teleporting():
    with pytest.raises(ValueError, match="too many for a dense matrix"):
        transition_matrix(Graph.from_edges([], nodes=range(5_001)))
    assert transition_matrix(RING, 1).tolist() == np.roll(np.eye(4), 1, axis=1).tolist()


@given(webs)
def test_partial_pagerank_is_that_of_the_known_pages(web):
    n, edges, _, damping, weighted = web
    graph = graph_of(n, edges, weighted)
    crawled = list(range(0, n, 2))
    partial = partial_pagerank(graph, crawled, damping=damping)
    assert list(partial.labels)[: len(crawled)] == crawled
    known = set(crawled) | {v for u, v, _ in edges if u in crawled}
    assert set(partial.labels) == known
    kept = [edge for edge in edges if edge[0] in crawled]
    alone = nx.MultiDiGraph()
    alone.add_nodes_from(partial.labels)
    if weighted:
        alone.add_weighted_edges_from(edge for edge in kept)
    else:
        alone.add_edges_from(dict.fromkeys((u, v) for u, v, _ in kept))
    assert partial.scores == pytest.approx(pagerank(alone, damping=damping).scores, abs=1e-9)


def test_weights_of_any_kind_of_number():
    expected = pagerank(RING, teleport=[1.0, 2.0, 0.0, 1.0]).scores
    for given_ in (
        [Fraction(1, 2), 1, 0, Fraction(1, 2)],
        np.array([1, 2, 0, 1], np.uint8),
        [10**30, 2 * 10**30, 0, 10**30],
    ):
        assert pagerank(RING, teleport=given_).scores == pytest.approx(expected, abs=1e-9)
    assert pagerank(RING, max_steps=1e3).scores == pytest.approx([0.25] * 4)


def test_200_000_pages_and_a_million_links():
    rng = np.random.default_rng(7)
    graph = Graph.from_edges(rng.integers(0, 200_000, (1_000_000, 2)), nodes=range(200_000))
    x = pagerank(graph).scores
    assert abs(x.sum() - 1) < 1e-9
    sources = np.repeat(np.arange(200_000), graph.out_degrees)
    dangling = x[graph.out_degrees == 0].sum()
    received = np.bincount(graph.indices, x[sources] / graph.out_degrees[sources], minlength=200_000)
    assert np.abs(0.85 * (received + dangling / 200_000) + 0.15 / 200_000 - x).sum() < 1e-9


def test_partial_pagerank_of_everything_is_the_whole_one():
    edges = [(2, 0), (0, 1), (1, 2), (1, 3)]
    assert partial_pagerank(edges, [3, 2, 1, 0]).as_dict() == pytest.approx(pagerank(edges).as_dict())
    with pytest.raises(UnknownNode):
        partial_pagerank(edges, [7])
    with pytest.raises(ValueError, match="no pages"):
        partial_pagerank(edges, [])


def test_gmres_on_a_larger_graph():
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(rng.integers(0, 4000, (20_000, 2)), nodes=range(4000))
    linear = pagerank_linear(graph)
    assert linear.residuals[-1] <= 1e-10
    assert np.abs(linear.scores - pagerank(graph).scores).sum() <= 2e-10
