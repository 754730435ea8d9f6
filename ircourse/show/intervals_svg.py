"""Estimates of a ratio with their intervals, one below the other, against the true value.

The axis is logarithmic, since a ratio twice too large and one half as large are equally wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ircourse.indexsize import Estimate
from ircourse.show.style import BLUE, INK, RULE, VERMILION
from ircourse.show.svg import Drawing, Markup, element, joined, label, text_width

TOP, BOTTOM = 30, 44

__all__ = ["covers", "intervals"]


def covers(found: Estimate, truth: float) -> bool:
    """Return whether the interval holds the true value."""
    return found.low <= truth <= found.high


class _Axis:
    """A logarithmic axis from truth / factor to truth · factor."""

    def __init__(self, truth: float, factor: float, left: int, width: int) -> None:
        self.truth, self.factor, self.left, self.right = truth, factor, left, width - 24

    def x(self, value: float) -> int:
        """Return the place of a value, at the edge where it is beyond."""
        if math.isnan(value):
            return self.left
        low, high = self.truth / self.factor, self.truth * self.factor
        share = math.log(min(max(value, low), high) / low) / math.log(high / low)
        return round(self.left + share * (self.right - self.left))

    def beyond(self, value: float) -> bool:
        return not self.truth / self.factor <= value <= self.truth * self.factor

    def ticks(self) -> list[float]:
        """Return round numbers within the axis: 1, 2 and 5 times powers of ten."""
        found = [m * 10.0**e for e in range(-4, 5) for m in (1, 2, 5)]
        return [t for t in found if not self.beyond(t)]


def intervals(
    estimates: Sequence[Estimate],
    truth: float,
    x_label: str,
    *,
    names: Sequence[str] = (),
    factor: float = 4,
    step: int = 9,
    width: int = 620,
) -> Drawing:
    """Return a line an interval and a dot an estimate; those that miss the truth are dashed, with a cross.

    An end beyond the axis, which runs from truth / factor to truth · factor, is an arrow head.
    """
    left = round(max(map(text_width, names), default=0)) + 34
    axis = _Axis(truth, factor, left, width)
    floor = TOP + step * len(estimates) + 6
    at = axis.x(truth)
    parts = [label(f"truth {truth:.2f}", at, 14, anchor="middle", bold=True)]
    parts.append(element("line", x1=at, y1=20, x2=at, y2=floor, stroke=INK, stroke_width=2))
    parts.append(element("line", x1=left, y1=floor, x2=axis.right, y2=floor, stroke=INK))
    for tick in axis.ticks():
        x = axis.x(tick)
        parts.append(element("line", x1=x, y1=TOP - 6, x2=x, y2=floor, stroke=RULE))
        parts.append(label(f"{tick:g}", x, floor + 18, anchor="middle"))
    parts.append(label(x_label, (left + axis.right) / 2, floor + 36, anchor="middle"))
    for i, found in enumerate(estimates):
        y = round(TOP + step * (i + 0.5))
        parts += _row(axis, found, y, covers(found, truth))
        if names:
            parts.append(label(names[i], left - 30, y + 5, anchor="end"))
    return Drawing(width, floor + BOTTOM, joined(parts))


def _row(axis: _Axis, found: Estimate, y: int, good: bool) -> list[Markup]:
    colour, dash = (BLUE, None) if good else (VERMILION, "6 3")
    low, high = axis.x(found.low), axis.x(found.high)
    line = {"stroke": colour, "stroke_width": 2.5, "stroke_dasharray": dash}
    parts = [element("line", x1=low, y1=y, x2=high, y2=y, **line)]
    for x in sorted({axis.x(end) for end in (found.low, found.high) if axis.beyond(end)}):
        way = 1 if x == axis.left else -1
        d = f"M{x + 6 * way} {y - 4} L{x} {y} L{x + 6 * way} {y + 4}"
        parts.append(element("path", d=d, fill="none", stroke=colour, stroke_width=2))
    if not math.isnan(found.size) and not axis.beyond(found.size):
        parts.append(element("circle", cx=axis.x(found.size), cy=y, r=4, fill=colour))
    if not good:
        parts.append(label("\u2715", axis.left - 16, y + 5, anchor="middle", font_size=12, fill=colour))
    return parts
