"""Small charts: curves, bars, histograms, matrices, each with its axes and units.

ticks are round numbers; a curve is named at its end, so that no legend is needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ircourse.show.style import BLUE, GREEN, INK, ORANGE, PURPLE, RULE, VERMILION, look
from ircourse.show.svg import Drawing, Markup, box, element, joined, label, shorten, text_width

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE)
DASHES = (None, "8 4", "2 3", "10 3 2 3", "5 2")
LEFT, BOTTOM, TOP = 64.0, 52.0, 32.0
LARGEST = 1e300  # the span of an axis must be finite too

__all__ = ["bars", "curves", "histogram", "matrix", "ticks", "written"]


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers from at most ``low`` to at least ``high``.

    >>> ticks(0, 7.3)
    [0, 2, 4, 6, 8]
    """
    largest = max(abs(drawable(low)), abs(drawable(high)))
    span = max(high - low, 1e-9 * largest) if largest > 1e-300 else 1.0
    unit = 10.0 ** math.floor(math.log10(span / about))
    step = next(unit * m for m in (1, 2, 5, 10) if span / (unit * m) <= about)
    first, last = math.floor(low / step), math.ceil(high / step)
    found = [float(f"{step * i:.12g}") for i in range(first, max(last, first + 1) + 1)]
    return [int(t) if t == int(t) else t for t in found]


def drawable(value: float) -> float:
    """Return ``value``; ValueError where no axis could hold it.

    >>> drawable(10**400)
    Traceback (most recent call last):
        ...
    ValueError: cannot draw an integer of over 300 digits: give finite numbers from -1e+300 to 1e+300
    """
    if not -LARGEST <= value <= LARGEST:  # which NaN is not either
        said = value if isinstance(value, float) else "an integer of over 300 digits"
        raise ValueError(f"cannot draw {said}: give finite numbers from {-LARGEST:g} to {LARGEST:g}")
    return value


def written(value: float) -> str:
    """Return a number as a reader wants it: four significant digits, thousands separated.

    >>> written(12345), written(0.333333), written(2.0)
    ('12,345', '0.3333', '2')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}"


class _Plane:
    """The map from values to pixels, and the axes."""

    def __init__(
        self, xs: Sequence[float], ys: Sequence[float], size: tuple[float, float], right: float
    ) -> None:
        self.xs, self.ys, (self.width, self.height), self.right = xs, ys, size, right

    def x(self, value: float) -> float:
        share = (value - self.xs[0]) / (self.xs[-1] - self.xs[0])
        return LEFT + share * (self.width - LEFT - self.right)

    def y(self, value: float) -> float:
        share = (value - self.ys[0]) / (self.ys[-1] - self.ys[0])
        return self.height - BOTTOM - share * (self.height - BOTTOM - TOP)

    def axes(self, x_label: str, y_label: str) -> Markup:
        bottom, end = self.y(self.ys[0]), self.width - self.right
        parts = []
        for t in self.ys:
            parts.append(_line(LEFT, self.y(t), end, self.y(t), RULE))
            parts.append(label(written(t), LEFT - 8, self.y(t) + 5, anchor="end"))
        parts += [label(written(t), self.x(t), bottom + 20, anchor="middle") for t in self.xs]
        parts.append(_line(LEFT, bottom, end, bottom, INK))
        parts.append(label(x_label, (LEFT + end) / 2, self.height - 8, anchor="middle"))
        parts.append(label(y_label, 0, 12))
        return joined(parts)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, **more: object) -> Markup:
    return element("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=colour, **more)


def curves(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    x_label: str,
    y_label: str,
    *,
    y_range: tuple[float, float] | None = None,
    width: float = 620,
    height: float = 300,
) -> Drawing:
    """Return named curves through points (x, y) in one plane; each named at its end and told by its dash."""
    points = [(drawable(x), drawable(y)) for line in lines.values() for x, y in line]
    if not all(lines.values()) or not points:
        raise ValueError("no points to draw: give each curve at least one (x, y)")
    low, high = y_range or (min(0, *(y for _, y in points)), max(y for _, y in points))
    xs = ticks(min(x for x, _ in points), max(x for x, _ in points), 8)
    plane = _Plane(xs, ticks(low, high), (width, height), max(map(text_width, lines)) + 16)
    parts = [plane.axes(x_label, y_label)]
    ends: list[tuple[float, float, str]] = []
    for i, (name, line) in enumerate(lines.items()):
        spots = [(plane.x(x), plane.y(y)) for x, y in line]
        path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]
        parts.append(
            element("path", d=path, fill="none", stroke=colour, stroke_width=2.5, stroke_dasharray=dash)
        )
        parts += [element("circle", cx=x, cy=y, r=3, fill=colour) for x, y in spots if len(spots) <= 40]
        ends.append((spots[-1][1], spots[-1][0], name))
    return Drawing(width, height, joined([*parts, *_names(ends, height - BOTTOM + 5)]))


def _names(ends: Sequence[tuple[float, float, str]], lowest: float) -> list[Markup]:
    """Return the name of each curve at its end (y, x, name); none lies on another or below ``lowest``."""
    ends, ys = sorted(ends), [-17.0]
    for y, _, _ in ends:
        ys.append(max(y, ys[-1] + 17))
    for i in range(len(ends), 0, -1):
        ys[i] = min(ys[i], lowest - 17 * (len(ends) - i))
    return [label(name, x + 9, y + 5, bold=True) for y, (_, x, name) in zip(ys[1:], ends, strict=True)]


def bars(
    names: Sequence[str],
    values: Sequence[float],
    value_label: str,
    *,
    looks: Sequence[str] | None = None,
    limit: float | None = None,
    width: float = 420,
) -> Drawing:
    """Return horizontal bars, one a name, the value written at its end; ``limit`` fixes the axis."""
    side = min(max(map(text_width, names), default=0), 180.0) + 12
    most = max([*map(drawable, values), limit or 0, 1e-12])
    parts = [label(value_label, side, 13)]
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        seems = look(looks[i] if looks else "plain")
        y, long = 22 + i * 26, (width - side - 70) * value / most
        frame = seems.frame()
        parts.append(label(shorten(name, side - 10), side - 8, y + 16, anchor="end"))
        parts.append(box(side, y + 2.5, max(long, 1), 20, **frame))
        parts.append(label(written(value), side + long + 7, y + 17, bold=True))
    return Drawing(width, 26 + 26 * len(names), joined(parts))


def histogram(
    edges: Sequence[float], counts: Sequence[float], x_label: str, y_label: str, *, width: float = 620
) -> Drawing:
    """Return columns between ``edges`` (one more than ``counts``) from 0 to each count."""
    if len(edges) != len(counts) + 1:
        raise ValueError(f"{len(counts)} counts need {len(counts) + 1} edges, not {len(edges)}")
    most = max(map(drawable, counts), default=0)
    plane = _Plane(ticks(edges[0], edges[-1], 8), ticks(0, most), (width, 300), 16)
    parts = [plane.axes(x_label, y_label)]
    for left, right, count in zip(edges, edges[1:], counts, strict=False):
        x, y = plane.x(left), plane.y(count)
        parts.append(box(x, y, plane.x(right) - x, plane.y(0) - y, fill="#cce3f0", stroke=BLUE))
    return Drawing(width, 300, joined(parts))


def matrix(
    rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], *, cell: float = 58
) -> Drawing:
    """Return a matrix, each value written in its cell and shaded by its size relative to the largest."""
    most = max((abs(drawable(v)) for row in values for v in row), default=0) or 1
    side = max(map(text_width, rows), default=0) + 12
    parts = [
        label(shorten(c, cell - 4), side + (j + 0.5) * cell, 15, anchor="middle")
        for j, c in enumerate(columns)
    ]
    for i, (name, row) in enumerate(zip(rows, values, strict=True)):
        y = 22 + i * 30
        parts.append(label(name, side - 8, y + 20, anchor="end"))
        for j, value in enumerate(row):
            shade = "#cce3f0" if value >= 0 else "#fbdcc8"
            x = side + j * cell
            parts.append(box(x, y, cell, 30))
            parts.append(box(x, y, cell, 30, fill=shade, opacity=float(abs(value) / most)))
            parts.append(label(written(value), x + cell / 2, y + 20, anchor="middle"))
    return Drawing(side + cell * len(columns) + 1, 24 + 30 * len(rows), joined(parts))
