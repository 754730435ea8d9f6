"""The explorer of degrees (section 19.2): a plot with logarithmic axes, and three ways to find an exponent.

Fits are those of `ircourse.graphs.degrees`. The line that is drawn through the dots by least squares, as a
ruler would, is here for comparison: it is no good estimate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.graphs import (
    PowerLaw,
    continuous_exponent,
    copying_graph,
    degree_counts,
    draw_power_law,
    erdos_renyi,
    power_law_exponent,
    share_at_least,
)
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import BLUE, INK, MUTED, RULE, VERMILION
from ircourse.show.svg import Drawing, Markup, element, joined, label, superscript

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640.0, 360.0, 64.0, 125.0, 34.0, 50.0
MOST_DOTS, LARGEST_X_MIN = 160, 200
ABOVE, EXACTLY = "at least x links", "exactly x links"

Line = Sequence[tuple[float, float]]

__all__ = ["Fitted", "fit", "fit_degrees", "log_log", "ruler_exponent"]


class Fitted(NamedTuple):
    """Degrees as dots (degree, share of the pages), with what was fitted to those from ``x_min`` on.

    law, continuous, ruler  the likeliest law, and two other exponents; None where the tail allows none
    """

    dots: list[tuple[int, float]]
    exactly: bool
    x_min: int
    law: PowerLaw | None
    continuous: float | None
    ruler: float | None
    lines: dict[str, Line]
    says: str


def ruler_exponent(dots: Sequence[tuple[int, float]], exactly: bool) -> tuple[float, float]:
    """Return the exponent by least squares through the logarithms of the dots, and where the line begins.

    >>> exponent, _ = ruler_exponent([(1, 0.5), (2, 0.125), (4, 0.03125)], exactly=True)
    >>> round(exponent, 3)
    2.0
    """
    x, y = np.log10(np.array(dots, np.float64)).T
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    return (-slope if exactly else 1 - slope), float(y.mean() - slope * x.mean())


def fit(degrees: ArrayLike, x_min: int, exactly: bool = False) -> Fitted:
    """Return the degrees' dots, and three exponents fitted from ``x_min`` on.

    >>> seen = fit(draw_power_law(2.1, 1, 10_000, 0), 1)
    >>> f"{seen.law.exponent:.2f} {seen.continuous:.2f}"
    '2.10 3.03'
    """
    given: NDArray[np.int64] = np.asarray(degrees, np.int64)
    values, counts = degree_counts(given)
    shares = counts / max(1, counts.sum()) if exactly else share_at_least(given)[1]
    dots = [(x, y) for x, y in zip(values.tolist(), shares.tolist(), strict=True) if x > 0]
    tail = [dot for dot in dots if dot[0] >= x_min]
    n_tail = int(counts[values >= x_min].sum())
    if len(tail) < 3:
        says = f"{n_tail:,} of {given.size:,} pages have {x_min} links or more: too few kinds for a fit."
        return Fitted(dots, exactly, x_min, None, None, None, {}, says)
    try:
        law = power_law_exponent(given, x_min)
    except ValueError:
        says = f"From {x_min} on the degrees fall faster than any power law."
        return Fitted(dots, exactly, x_min, None, None, None, {}, says)
    ruler, start = ruler_exponent(tail, exactly)
    ends = np.unique(np.round(np.geomspace(x_min, tail[-1][0], 40)))
    above = law.share_at_least(ends) * (n_tail / given.size)
    y = above - law.share_at_least(ends + 1) * (n_tail / given.size) if exactly else above
    slope = -ruler if exactly else 1 - ruler
    lines = {
        "likeliest": list(zip(ends.tolist(), y.tolist(), strict=True)),
        "ruler": [(x, 10 ** (start + slope * math.log10(x))) for x in ends.tolist()],
    }
    says = (
        f"{n_tail:,} of {given.size:,} are in the tail from {x_min} on. Exponents: likeliest "
        f"{law.exponent:.3f} \u00b1 {law.standard_error:.3f}, continuous formula "
        f"{(continuous := continuous_exponent(given, x_min)):.2f}, ruler {ruler:.2f}."
    )
    return Fitted(dots, exactly, x_min, law, continuous, ruler, lines, says)


def log_log(
    dots: Line, lines: Mapping[str, Line], x_label: str, y_label: str, x_min: float | None = None
) -> Drawing:
    """Return dots and named lines between axes of powers of ten; dots below ``x_min`` are hollow."""
    x_most = max(10.0, *(x for x, _ in dots))
    y_least = min(0.1, *(y for _, y in dots))
    decades, down = math.ceil(math.log10(x_most) - 1e-9), math.ceil(-math.log10(y_least) - 1e-9)
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(x: float, y: float) -> tuple[int, int]:
        share = -math.log10(max(y, 1e-30)) / down
        return round(LEFT + wide * math.log10(x) / decades), round(TOP + high * share)

    parts = [_axes(decades, down, at, x_label, y_label)]
    if x_min is not None and x_min <= 10**decades:
        x = at(x_min, 1)[0]
        ends = {"x1": x, "x2": x, "y1": TOP, "y2": HEIGHT - BOTTOM}
        parts.append(element("line", **ends, stroke=MUTED, stroke_dasharray="4 4"))
        parts.append(label(f"x_min = {x_min:g}", x + 5, HEIGHT - BOTTOM - 8, fill=MUTED))
    for x, y in _thinned(dots):
        cx, cy = at(x, y)
        fill = BLUE if x_min is None or x >= x_min else "none"
        parts.append(element("circle", cx=cx, cy=cy, r=3, fill=fill, stroke=BLUE))
    ends_at = []
    for (name, line), (colour, dash) in zip(lines.items(), ((VERMILION, None), (INK, "8 4")), strict=False):
        shown = [at(x, y) for x, y in line if 10.0**-down <= y <= 1] or [at(1, 1)]
        path = "M" + " L".join(f"{x} {y}" for x, y in shown)
        parts.append(
            element("path", d=path, fill="none", stroke=colour, stroke_width=2.5, stroke_dasharray=dash)
        )
        ends_at.append((shown[-1][1], f"{name}, {'dashed' if dash else 'solid'}", colour))
    low = HEIGHT - BOTTOM - 6 + 17
    for y, name, colour in sorted(ends_at, reverse=True):
        low = min(y + 5, low - 17)
        parts.append(label(name, WIDTH - RIGHT + 8, low, bold=True, fill=colour))
    return Drawing(WIDTH, HEIGHT, joined(parts))


def _axes(decades: int, down: int, at, x_label: str, y_label: str) -> Markup:  # type: ignore[no-untyped-def]
    parts = []
    for d in range(decades + 1):
        x = at(10.0**d, 1)[0]
        parts.append(label(f"{10**d:,}", x, HEIGHT - BOTTOM + 19, anchor="middle"))
    for d in range(0, down + 1, 1 if down <= 5 else 2):
        y = at(1, 10.0**-d)[1]
        ends = {"x1": LEFT, "x2": WIDTH - RIGHT, "y1": y, "y2": y}
        parts.append(element("line", **ends, stroke=RULE))
        parts.append(label(f"10\u207b{superscript(d)}" if d else "1", LEFT - 8, y + 5, anchor="end"))
    parts.append(label(x_label, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, anchor="middle"))
    parts.append(label(y_label, 0, 14))
    return joined(parts)


def _thinned(dots: Line) -> Line:
    """Return at most 160 dots, evenly over their logarithms."""
    if len(dots) <= MOST_DOTS:
        return dots
    x = np.log([x for x, _ in dots])
    places = np.round(x / x.max() * (MOST_DOTS - 1)).astype(int)
    return [dots[i] for i in np.unique(places, return_index=True)[1].tolist()]


@lru_cache(maxsize=1)
def _webs() -> dict[str, NDArray[np.int64]]:
    return {
        "copied links": copying_graph(200_000, 9, 1).in_degrees,
        "numbers from the law": draw_power_law(2.1, 1, 100_000, 0),
        "links at random": erdos_renyi(100_000, 9, 1).in_degrees,
    }


def fit_degrees(degrees: Mapping[str, ArrayLike] | None = None, x_min: int = 1) -> Explorer:
    """Return the degrees of a web with the fits from an x_min on; ``degrees`` adds webs by name."""
    webs = {**{name: np.asarray(some) for name, some in (degrees or {}).items()}, **_webs()}

    @lru_cache(maxsize=200)
    def state(name: str, x_min: int, plot: str) -> Fitted:
        return fit(webs[name], x_min, plot == EXACTLY)

    def draw(seen: Fitted) -> Drawing:
        what = EXACTLY if seen.exactly else ABOVE
        return log_log(seen.dots, seen.lines, "x, links to a page", f"share of pages with {what}", seen.x_min)

    def table(seen: Fitted) -> list[Row]:
        fits = [("likeliest", seen.law and seen.law.exponent), ("continuous formula", seen.continuous)]
        fits = [
            *fits,
            ("ruler", seen.ruler),
            ("distance of the likeliest law", seen.law and seen.law.distance),
        ]
        rows = [[name, "none" if value is None else f"{value:.3f}"] for name, value in fits]
        dots = [[f"share, x = {x:,}", f"{y:.3g}"] for x, y in _thinned(seen.dots)[:20]]
        return [["", "value"], *rows, *dots]

    return Sliders(
        state,
        draw,
        lambda seen: seen.says,
        table,
        title="Degrees and their exponent",
        controls={
            "name": Choice("Web", list(webs)),
            "x_min": Number("x_min", 1, LARGEST_X_MIN, x_min),
            "plot": Choice("Share of pages with", [ABOVE, EXACTLY]),
        },
        notice="Full dots are in the tail, hollow ones below x_min; of many dots some are drawn. The first "
        "two were made for an exponent of 2.1: between which x_min is the likeliest near it?",
    )
