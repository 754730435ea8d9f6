"""The explorer of one copy (section 20.1.2, notes on freshness): when it is fresh, and how old it gets.

λ, I   changes of the page a day, and days between two visits
age    days since the first change that the copy misses; 0 while it misses none

The page's changes are those of a `ChangingSite`, the means those that `measure` takes from the visits, and
the dashed lines `freshness` and `age`.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ircourse.crawl import Measured, Visit, age, freshness, mean_age, mean_freshness, measure
from ircourse.crawl.feeds.finding import DAY, ChangingSite
from ircourse.show.charts_svg import LEFT, curves
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import look
from ircourse.show.svg import Drawing, Markup, below, element, joined, label, plural, text_width

DAYS, STEP, WIDTH = 30, 0.1, 660
HEAD = "\u2715 the page changes, \u25b2 a visit; solid: this copy, dashed: expected"
COPY, EXPECTED = "", " "  # told apart in the head; names at the ends would lie on the axis

__all__ = ["Kept", "kept", "watch_a_copy"]


class Kept(NamedTuple):
    """A page and the copy of it over a month.

    changes   moments at which the page changed, in days
    visits    one for each interval that ends within the month
    measured  mean freshness and age of the one copy
    """

    rate: float
    interval: float
    changes: tuple[float, ...]
    visits: tuple[Visit, ...]
    measured: Measured

    def at(self, time: float) -> tuple[int, float, float]:
        """Return whether the copy is fresh at a time, its age, and the days since the last visit."""
        last = self.interval * int(time / self.interval + 1e-9)
        missed = next((change for change in self.changes if last < change <= time), None)
        return int(missed is None), 0.0 if missed is None else time - missed, time - last


def kept(rate: float, interval: float, seed: int) -> Kept:
    """Return a month of a page that changes ``rate`` times a day, visited every ``interval`` days.

    >>> state = kept(1 / 7, 7.0, 0)
    >>> len(state.visits), state.at(7.0)
    (4, (1, 0.0, 0.0))
    """
    changes = tuple(when / DAY for when, _ in ChangingSite([rate], DAYS, seed).changes)
    ends = [interval * i for i in range(int(DAYS / interval + 1e-9) + 1)]
    visits = tuple(_visit(start, end, changes) for start, end in pairwise(ends))
    return Kept(rate, interval, changes, visits, measure(visits, 1))


def _visit(start: float, end: float, changes: tuple[float, ...]) -> Visit:
    missed = [change for change in changes if start < change <= end]
    fresh_for, since = (missed[0] - start, end - missed[-1]) if missed else (end - start, inf)
    return Visit(end, 0, end - start, fresh_for, since)


def _draw(state: Kept) -> Drawing:
    right = max(map(text_width, (COPY, EXPECTED))) + 16
    times = [i * STEP for i in range(round(DAYS / STEP) + 1)]
    fresh, old, since = np.array([state.at(time) for time in times]).T
    likely, older = freshness(state.rate, since), age(state.rate, since)
    top = {COPY: _line(times, fresh), EXPECTED: _line(times, likely)}
    low = {COPY: _line(times, old), EXPECTED: _line(times, older)}
    marks = [label(HEAD, 0, 13)]
    scale = (WIDTH - LEFT - right) / DAYS
    crossed, visited = look("refused").stroke, look("stored").stroke
    marks += [_cross(round(LEFT + change * scale), 28, crossed) for change in state.changes]
    for visit in (0.0, *(visit.time for visit in state.visits)):
        x = round(LEFT + visit * scale)
        corners = f"{x},38 {x - 6},50 {x + 6},50"
        marks.append(element("polygon", points=corners, fill=visited))
    head = Drawing(WIDTH, 52, joined(marks))
    upper = curves(top, "days", "freshness: 1 fresh, 0 stale", y_range=(0, 1), width=WIDTH, height=200)
    return below(head, upper, curves(low, "days", "age, in days", width=WIDTH, height=220), gap=8)


def _line(times: list[float], values: ArrayLike) -> list[tuple[float, float]]:
    return list(zip(times, np.asarray(values).tolist(), strict=True))


def _cross(x: int, y: int, colour: str) -> Markup:
    d = f"M{x - 4} {y - 4} L{x + 4} {y + 4} M{x - 4} {y + 4} L{x + 4} {y - 4}"
    return element("path", d=d, stroke=colour, stroke_width=2, fill="none")


def _numbers(state: Kept) -> list[tuple[str, float, float]]:
    """Return what is measured of this copy in this month, and in the long run."""
    fresh, old = float(state.measured.freshness[0]), float(state.measured.age[0])
    return [
        ("share of time fresh", fresh, mean_freshness(state.rate, state.interval)),
        ("mean age, days", old, mean_age(state.rate, state.interval)),
    ]


def _told(state: Kept) -> str:
    (_, fresh, mean), (_, old, mean_old) = _numbers(state)
    every = "day" if state.interval == 1 else f"{state.interval:g} days"
    return (
        f"In 30 days the page changes {plural(len(state.changes), 'time')}; a visit every {every}. This copy "
        f"is fresh for {fresh:.0%} of the time between visits, and {old:.2f} days old on average. "
        f"In the long run: {mean:.0%} and {mean_old:.2f} days."
    )


def _table(state: Kept) -> list[Row]:
    rows = [[what, f"{value:.3f}", f"{expected:.3f}"] for what, value, expected in _numbers(state)]
    spells = [[f"visit on day {v.time:g}: fresh for, days", f"{v.fresh_for:.2f}", ""] for v in state.visits]
    return [["what", "this copy", "in the long run"], *rows, *spells]


def watch_a_copy() -> Explorer:
    """Return sliders: a page that changes at random, and the freshness and age of a copy of it."""
    return Sliders(
        lambda rate, interval, seed: kept(rate, float(interval), seed),
        _draw,
        _told,
        _table,
        title="One page and its copy",
        controls={
            "rate": Choice(
                "The page changes",
                [("monthly", 1 / 30), ("weekly", 1 / 7), ("every second day", 0.5), ("daily", 1.0)],
                1 / 7,
            ),
            "interval": Number("Days between visits", 1, 15, 7),
            "seed": Number("Another month", 0, 9, 4),
        },
        notice="Freshness falls to 0 at the first change, and a second one does it no more harm. Age goes on "
        "growing until the visit. Go from 14 days between visits to 7: which of the two long-run means "
        "changes by the larger factor?",
    )
