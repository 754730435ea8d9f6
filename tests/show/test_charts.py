"""Axes hold their values, and every value is written."""

import math
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.show.charts_svg import bars, curves, histogram, matrix, number_line, ticks
from ircourse.show.style import matplotlib_style
from ircourse.show.svg import figure

FINITE = st.floats(-1e9, 1e9, allow_nan=False)


def words(drawing):
    return list(ET.fromstring(str(figure(drawing, "x"))).itertext())


@given(FINITE, FINITE)
def test_ticks_enclose_the_range_and_are_few(a, b):
    low, high = sorted((a, b))
    found = ticks(low, high)
    slack = 1e-9 * max(abs(low), abs(high), 1e-3)
    assert found[0] <= low + slack and found[-1] >= high - slack
    assert 2 <= len(found) <= 9
    assert found == sorted(set(found))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_axis_needs_finite_numbers(bad):
    with pytest.raises(ValueError, match="finite"):
        ticks(0, bad)


def test_curves_name_axes_and_lines():
    said = words(curves({"one": [(0, 0), (4, 2)], "two": [(0, 1), (4, 2)]}, "seeds", "share"))
    assert {"seeds", "share", "one", "two"} <= set(said)


def test_names_of_curves_that_end_together_stand_apart():
    drawing = curves({"one": [(0, 1)], "two": [(0, 1)], "three": [(0, 1)]}, "x", "y")
    texts = [e for e in ET.fromstring(str(figure(drawing, "x"))).iter() if e.get("font-weight") == "bold"]
    heights = sorted(float(e.get("y")) for e in texts)
    assert min(b - a for a, b in pairwise(heights)) >= 16


def test_no_points_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        curves({}, "x", "y")


def test_values_are_written():
    assert {"A", "12,345", "0.3333"} <= set(words(bars(["A", "B"], [12345, 1 / 3], "pages")))
    assert {"r", "c", "0.25"} <= set(words(matrix(["r"], ["c"], [[0.25]])))
    assert {"SPIDER1", "SPIDER2"} <= set(words(number_line([(1, "SPIDER1"), (1.01, "SPIDER2")], "s")))
    assert {"in-degree", "pages"} <= set(words(histogram([0, 1, 2], [3, 0], "in-degree", "pages")))


def test_all_zero_and_empty_bars_are_drawn():
    bars(["A"], [0], "pages")
    bars([], [], "pages")


def test_a_histogram_needs_one_edge_more():
    with pytest.raises(ValueError, match="3 edges"):
        histogram([0, 1], [1, 2], "x", "y")


def test_the_matplotlib_style_is_accepted():
    import matplotlib.pyplot as plt

    with plt.rc_context(matplotlib_style()):
        figure, axes = plt.subplots()
        axes.plot([0, 1], [0, 1])
        plt.close(figure)
