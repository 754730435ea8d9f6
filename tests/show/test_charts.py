"""Axes hold their values, and every value is written."""

import math
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.show.charts_svg import bars, curves, histogram, matrix, ticks
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


HUGE = [math.nan, math.inf, -math.inf, 1e308, -1e308, 10**400, -(10**5000)]
DRAWINGS = {
    "ticks to": lambda bad: ticks(0, bad),
    "ticks from": lambda bad: ticks(bad, 0),
    "curves": lambda bad: curves({"a": [(0, 0), (1, bad), (2, 2)]}, "x", "y"),
    "bars": lambda bad: bars(["a", "b"], [1, bad], "x"),
    "histogram": lambda bad: histogram([0, 1, 2], [1, bad], "x", "y"),
    "matrix": lambda bad: matrix(["r"], ["a", "b"], [[1, bad]]),
}


@pytest.mark.parametrize("bad", HUGE, ids=["nan", "inf", "-inf", "1e308", "-1e308", "10**400", "-10**5000"])
@pytest.mark.parametrize("kind", DRAWINGS)
def test_only_finite_numbers_are_drawn(kind, bad):
    with pytest.raises(ValueError, match=r"cannot draw .*: give finite numbers from -1e\+300 to 1e\+300"):
        DRAWINGS[kind](bad)


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_ticks_of_any_size_are_finite_and_few(a, b):
    found = ticks(*sorted((a, b)))
    assert 2 <= len(found) <= 9 and all(map(math.isfinite, found)) and found == sorted(set(found))


def test_curves_name_axes_and_lines():
    said = words(curves({"one": [(0, 0), (4, 2)], "two": [(0, 1), (4, 2)]}, "seeds", "share"))
    assert {"seeds", "share", "one", "two"} <= set(said)


def test_names_of_curves_that_end_together_stand_apart():
    drawing = curves({"one": [(0, 1)], "two": [(0, 1)], "three": [(0, 1)]}, "x", "y")
    texts = [e for e in ET.fromstring(str(figure(drawing, "x"))).iter() if e.get("font-weight") == "bold"]
    heights = sorted(float(e.get("y")) for e in texts)
    assert min(b - a for a, b in pairwise(heights)) >= 16


def test_names_of_curves_that_end_at_the_bottom_stay_above_the_ticks():
    drawing = curves({"one": [(0, 0), (9, 0)], "two": [(0, 5), (9, 0)]}, "x", "y")
    texts = [e for e in ET.fromstring(str(figure(drawing, "x"))).iter() if e.tag.endswith("text")]
    names = [float(e.get("y")) for e in texts if e.get("font-weight") == "bold"]
    assert max(names) - min(names) >= 16
    assert max(names) < min(float(e.get("y")) for e in texts if e.text == "10") - 9


def test_no_points_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        curves({}, "x", "y")
    with pytest.raises(ValueError, match="at least one"):
        curves({"a": [(0, 0)], "b": []}, "x", "y")
    histogram([1], [], "x", "y")


def test_values_are_written():
    assert {"A", "12,345", "0.3333"} <= set(words(bars(["A", "B"], [12345, 1 / 3], "pages")))
    assert {"r", "c", "0.25"} <= set(words(matrix(["r"], ["c"], [[0.25]])))
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
