"""Explorers of popularity, farms and anchor text: the sources' numbers, and what each control changes."""

import pytest

from ircourse.links import AnchorIndex, farm_effect, link_farm, pagerank
from ircourse.show.anchors import FERRIES, attackers, name_of, rank_three_ways, watch_attack
from ircourse.show.popularity import LOOP, MOST_SPAM, RING, TARGETS, count_links, watch_farm
from ircourse.web import tiny_web


def put(explorer, **values):
    for name, value in values.items():
        explorer.controls[name].widget.value = value
    return explorer.trace[0]


def test_the_figure_counts_five_and_three():
    counted = count_links().trace[0]
    assert (counted.undirected["t"], counted.directed["t"]) == (5, 3)


@pytest.mark.parametrize("m", [1, 4, MOST_SPAM])
def test_m_spam_pages_add_m(m):
    counted = put(count_links(), spam=m)
    assert (counted.undirected["t"], counted.directed["t"], len(counted.spam)) == (5 + m, 3 + m, m)


def test_the_graph_is_the_student_s():
    explorer = count_links()
    counted = put(explorer, edges="x a b\na b")
    assert counted.undirected == {"x": 2, "a": 2, "b": 2} and counted.directed["b"] == 2
    put(explorer, edges="")
    assert "No graph yet" in explorer._says.value and explorer.trace[0] is counted


def test_a_page_raises_undirected_popularity_by_itself():
    explorer = count_links("x a b c\na b\nb a")
    assert "First: x undirected, a directed." in explorer.alt()


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_drawn_of_a_farm_is_what_is_measured(name):
    explorer = watch_farm()
    farmed = put(explorer, name=name, size=40)
    graph, t = TARGETS[name]
    measured = dict(farmed.measured)[40]
    assert measured == pytest.approx(pagerank(link_farm(graph, t, 40)).as_dict()[t], abs=1e-9)
    assert measured == pytest.approx(farmed.effect.after[farmed.effect.labels.index(t)], abs=1e-9)


@pytest.mark.parametrize("name", TARGETS)
def test_the_formula_holds_where_every_page_has_a_link(name):
    farmed = put(watch_farm(), name=name, size=40)
    formula = dict(farmed.formula)
    gaps = [abs(formula[m] - score) for m, score in farmed.measured]
    holds = "fish" not in name  # two pages of the harbour town have none
    assert max(gaps) < 1e-9 if holds else max(gaps) > 0.02


def test_the_loop_gains_more_than_the_ring():
    loop, ring = (farm_effect(graph, "t", 20) for graph in (LOOP, RING))
    assert loop.before == pytest.approx(ring.before) and loop.gain > 3 * ring.gain


def test_the_attack_is_the_index_s():
    explorer = watch_attack()
    attack = explorer.trace[0]
    assert (attack.place("Without the attack"), attack.place("With it, text and anchors")) == (0, 1)
    assert attack.place("With it, by page text") == 0
    index = AnchorIndex([*tiny_web().values(), *attackers(30)])
    assert attack.rankings["With it, text and anchors"] == index.search("evil empire", len(index))
    assert attack.around[0][1] == 30


def test_the_window_lets_other_words_in():
    explorer = watch_attack("pills")
    places = [put(explorer, window=w).place("With it, text and anchors") for w in range(6)]
    assert places == [0, 0, 0, 0, 1, 1]  # and buy cheap pills


def test_no_attack_is_no_change():
    attack = put(watch_attack("ferry"), n=0)
    assert attack.rankings["Without the attack"] == attack.rankings["With it, text and anchors"]
    assert FERRIES not in {hit.url for hit in attack.rankings["With it, by page text"]}
    assert attack.place("With it, text and anchors") == 3


def test_links_within_a_host_can_be_left_out():
    attack = put(watch_attack(), n=0, same_host=False)
    assert [count for _, count in attack.around] == [1] * 4


def test_three_orders():
    explorer = rank_three_ways()
    orders = put(explorer, weight=0.0).orders
    index = AnchorIndex(tiny_web().values())
    assert orders["Text alone"] == [hit.url for hit in index.search("ferry timetable", 8, anchors=0)]
    assert orders["Text alone"] == [*orders.values()][2]
    assert len(put(explorer, weight=1.0).orders["Text alone"]) == 8
    assert [*put(explorer, query="").orders.values()] == [[], [], []]
    assert "nothing found" in explorer.alt()


def test_names_are_short():
    assert name_of("http://www.saltmere.example/visit.html?print=1") == "www/visit?print=1"


@pytest.mark.parametrize("make", [count_links, watch_farm, watch_attack, rank_three_ways])
def test_driven(make):
    assert make().drive(5) > 10
