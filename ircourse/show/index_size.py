"""The explorer of repeated surveys (section 19.5): two overlapping engines, and estimates of |A| / |B|.

The pages are drawn uniformly, as no outsider can; the estimate and its interval are ``size_ratio``'s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ircourse.indexsize import Checked, Estimate, size_ratio
from ircourse.show.controls import Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.intervals_svg import covers, intervals
from ircourse.show.style import INK, look
from ircourse.show.svg import Drawing, Markup, below, box, caption, joined, label, text_width

SURVEYS, WIDTH = 40, 620

__all__ = ["Surveys", "repeat_survey"]


class Surveys(NamedTuple):
    """Engines of ``a`` and ``b`` pages, ``both`` in both, and what surveys with n draws of each found."""

    a: int
    b: int
    both: int
    asked: int
    n: int
    found: list[Estimate]

    @property
    def truth(self) -> float:
        """The true |A| / |B|."""
        return self.a / self.b

    @property
    def covering(self) -> int:
        """How many of the intervals hold the true value."""
        return sum(covers(one, self.truth) for one in self.found)


def sample(n: int, size: int, both: int, rng: np.random.Generator) -> Checked:
    """Return n uniform draws of an engine whose first ``both`` pages are also in the other."""
    docs = rng.integers(size, size=n)
    return Checked(docs, np.ones(n), docs < both)


def repeat_survey() -> Explorer:
    """Return sliders: sizes, overlap and draws of two engines; forty surveys of them against the truth."""

    def surveyed(a: int, b: int, both: int, n: int, seed: int) -> Surveys:
        shared, rng = min(a, b, both), np.random.default_rng(seed)
        pairs = [(sample(n, a, shared, rng), sample(n, b, shared, rng)) for _ in range(SURVEYS)]
        return Surveys(a, b, shared, both, n, [size_ratio(*pair) for pair in pairs])

    def draw(state: Surveys) -> Drawing:
        says = f"|A| / |B|: {SURVEYS} surveys, each of {state.n} pages of A and {state.n} of B"
        return below(_sets(state), intervals(state.found, state.truth, says), gap=18)

    def table(state: Surveys) -> list[Row]:
        rows = [
            [i, *(f"{value:.2f}" for value in one), "yes" if covers(one, state.truth) else "no"]
            for i, one in enumerate(state.found, 1)
        ]
        return [["survey", "|A| / |B|", "from", "to", "holds the truth"], *rows]

    return Sliders(
        surveyed,
        draw,
        _told,
        table,
        title="Two engines, surveyed again and again",
        controls={
            "a": Number("Pages of A", 100, 5000, 2500, 100),
            "b": Number("Pages of B", 100, 5000, 1500, 100),
            "both": Number("Pages in both", 0, 5000, 700, 100),
            "n": Number("Draws of each", 10, 500, 100, 10),
            "seed": Number("Other surveys", 0, 20, 0),
        },
        notice="A dot is an estimate, a line its interval; a cross marks an interval that misses the truth. "
        "Make the overlap small, then the draws few: what becomes of the intervals, and of the crosses?",
    )


def _told(state: Surveys) -> str:
    less = f" Both hold {state.both:,}, not {state.asked:,}: no more fit." if state.both < state.asked else ""
    x, y = state.both / state.a, state.both / state.b
    return (
        f"{x:.0%} of A's pages are in B, {y:.0%} of B's in A; |A| / |B| = {state.truth:.2f}. "
        f"{state.covering} of {SURVEYS} intervals hold it.{less}"
    )


def _sets(state: Surveys) -> Drawing:
    """Return A and B as bars whose lengths are their sizes, one above the other where they overlap."""
    union = state.a + state.b - state.both
    start = round(WIDTH * (state.a - state.both) / union)
    end = round(WIDTH * state.a / union)
    parts = [
        *_bar("a", f"A: {state.a:,}", 0, end, 0),
        *_bar("b", f"B: {state.b:,}", start, WIDTH, 30),
    ]
    if state.both:
        shared = look("shared")
        edge = {"fill": "none", "stroke": shared.stroke, "stroke_width": shared.width}
        parts.append(box(start, 1, max(end - start, 2), 56, **edge))
    words = f"both: {state.both:,}"
    half = text_width(words) / 2
    middle = min(max((start + end) / 2, half), WIDTH - half)
    parts.append(label(words, round(middle), 76, anchor="middle", bold=True))
    return below(caption("The pages of A and of B", WIDTH), Drawing(WIDTH, 80, joined(parts)), gap=4)


def _bar(name: str, words: str, start: int, end: int, y: int) -> list[Markup]:
    seems, wide = look(name), text_width(words) + 12
    frame = {"fill": seems.fill, "stroke": seems.stroke, "stroke_width": seems.width}
    parts = [box(start, y + 2, max(end - start, 2), 24, **frame)]
    if end - start >= wide:
        x, anchor = (start + 8, "start") if name == "a" else (end - 8, "end")
    elif name == "a":
        x, anchor = (end + 8, "start")
    else:
        x, anchor = (start - 8, "end")
    parts.append(label(words, x, y + 19, anchor=anchor, fill=INK))
    return parts
