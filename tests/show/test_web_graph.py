"""What the explorers of 19.2 show is what the package finds."""

from itertools import pairwise

import numpy as np
import pytest

from ircourse.graphs import (
    as_graph,
    bow_tie,
    continuous_exponent,
    copying_graph,
    draw_power_law,
    power_law_exponent,
)
from ircourse.graphs.bow_tie import PARTS
from ircourse.show.bow_tie import see_bow_tie
from ircourse.show.degrees import fit, fit_degrees, log_log, ruler_exponent
from ircourse.show.graphs import parse_edges
from ircourse.show.web_graph import EXAMPLE, READY, edit_bow_tie, explain


@pytest.mark.parametrize("text", READY.values(), ids=READY)
def test_the_parts_shown_are_the_parts_tested(text):
    graph = as_graph(parse_edges(text))
    seen = explain(graph, 0)
    assert seen.sizes() == bow_tie(graph).sizes
    explorer = edit_bow_tie(text)
    assert explorer.trace[0].parts == seen.parts


def test_the_example_has_every_part():
    assert min(bow_tie(parse_edges(EXAMPLE)).sizes.values()) > 0


def test_paths_say_why():
    graph = copying_graph(300, 3, 1)
    links = {u: set(graph.links(u)) for u in range(300)}
    ends = {"in": ("in", "core"), "out": ("core", "out"), "core": ("core", "core")}
    for page in range(0, 300, 7):
        seen = explain(graph, page)
        part = seen.parts[page]
        for path in seen.paths:
            assert page in (path[0], path[-1]) and all(v in links[u] for u, v in pairwise(path))
            if part in ends:
                assert (seen.parts[path[0]], seen.parts[path[-1]]) == ends[part]
        count = {"core": 2, "in": 1, "out": 1, "tubes": 2, "tendrils": 1, "other": 0}[part]
        assert len(seen.paths) == count


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("a", "a is in IN: links lead from it to the core, none lead back: a → x."),
        ("u", "u is in TUBES: links lead to it from IN and on to OUT, past the core: b → u; u → p."),
        ("t", "t is in TENDRILS: links lead to it from IN, none on to OUT: "),
        ("s", "s is in TENDRILS: links lead to OUT, none from IN: s → o."),
        ("h", "h is in OTHER: no path joins it with the core"),
        ("nobody", "There is no page 'nobody' to explain."),
        ("", "OTHER 3. "),
    ],
)
def test_a_page_is_explained(page, words):
    explorer = edit_bow_tie()
    explorer.controls["page"].widget.value = page
    assert words in explorer.alt()


def test_a_link_from_out_to_in_makes_the_core_grow():
    explorer = edit_bow_tie()
    explorer.controls["edges"].widget.value += "\no a"
    assert explorer.trace[0].sizes()["core"] == 5
    assert "CORE 5" in explorer.alt()


def test_too_many_pages_are_told_and_the_last_picture_stays():
    explorer = edit_bow_tie()
    before = explorer._view.value
    explorer.controls["edges"].widget.value = " ".join(map(str, range(25)))
    assert "25 pages are too many" in explorer._says.value and explorer._view.value == before


def test_webs_have_their_parts():
    explorer = see_bow_tie()
    assert explorer.trace[0].sizes() == dict(zip(PARTS, (560, 420, 420, 20, 420, 160), strict=True))
    explorer.controls["kind"].widget.value = "saltmere"
    assert explorer.trace[0].sizes()["core"] == 223
    explorer.controls["kind"].widget.value = "random"
    cores = []
    for links in 0.5, 2, 8:
        explorer.controls["links"].widget.value = links
        cores.append(explorer.trace[0].sizes()["core"])
    assert cores[0] == 0 and cores[2] > 1990


def test_a_web_of_ones_own_comes_first_its_dead_links_left_out():
    seen = see_bow_tie({"a": ["b", "gone"], "b": ["a"]}).trace[0]
    assert seen.sizes()["core"] == seen.graph.n_nodes == 2


@pytest.mark.parametrize("exactly", [False, True])
def test_fits_are_the_packages(exactly):
    degrees = draw_power_law(2.3, 2, 20_000, 1)
    seen = fit(degrees, 4, exactly)
    assert seen.law == power_law_exponent(degrees, 4)
    assert seen.continuous == continuous_exponent(degrees, 4)
    x, y = (np.array(column) for column in zip(*(dot for dot in seen.dots if dot[0] >= 4), strict=True))
    slope = np.polyfit(np.log10(x), np.log10(y), 1)[0]
    assert seen.ruler == pytest.approx(-slope if exactly else 1 - slope)
    assert f"{seen.law.exponent:.3f}" in seen.says


def test_a_ruler_measures_a_straight_line():
    exponent, start = ruler_exponent([(x, x**-1.5) for x in (1, 2, 5, 9)], exactly=False)
    assert exponent == pytest.approx(2.5) and start == pytest.approx(0)


@pytest.mark.parametrize(
    ("degrees", "words"),
    [
        ([1, 1, 2, 2], "too few kinds"),
        ([1] * 10 + [2] * 900 + [3] * 900 + [4] * 900 + [5] * 5, "0 of"),
        ([0, 0], "too few kinds"),
    ],
)
def test_degrees_without_a_tail_are_told(degrees, words):
    seen = fit(degrees, 6 if max(degrees) == 5 else 1)
    assert words in seen.says and seen.law is None and seen.lines == {}


def test_the_plot_holds_what_it_is_given():
    drawing = log_log([(1, 0.5), (10, 0.1), (1000, 1e-5)], {"law": [(1, 0.5), (1000, 1e-7)]}, "x", "y", 5)
    assert "law, solid" in str(drawing.body) and str(drawing.body).count("<circle") == 3
    assert "x_min = 5" in str(drawing.body)


def test_degrees_of_ones_own_can_be_fitted():
    explorer = fit_degrees({"mine": [1, 1, 1, 2, 2, 3, 5, 9]})
    explorer.controls["name"].widget.value = "mine"
    assert "8 of 8 are in the tail" in explorer.alt()
    assert explorer.drive(3) > 0


def test_a_page_number_past_the_last_is_told_and_empty_parts_are_not_drawn():
    explorer = see_bow_tie({"a": ["b"], "b": ["a"]})
    assert "There is no page 3: the last has the number 1." in explorer.alt()
    explorer.controls["page"].widget.value = 1
    assert "b is in CORE" in explorer.alt()
    picture = str(explorer._draw(explorer.trace[0]).body)
    assert picture.count("<circle") == 1 and "<polygon" not in picture
