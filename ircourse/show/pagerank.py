"""Explorers of PageRank (section 21.2): a graph to write with its scores, and the power iteration at work.

Scores and states are those of `ircourse.links`: ``pagerank``, ``pagerank_steps``, ``pagerank_linear``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ircourse.links import pagerank, pagerank_linear, pagerank_steps
from ircourse.show.charts_svg import bars, curves
from ircourse.show.controls import Choice, Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor, Sliders
from ircourse.show.rank_picture import RankPicture, parse_pages
from ircourse.show.samples import HARBOUR_LINES
from ircourse.show.svg import Drawing, below, beside, caption, clip, plural

SEVEN = "0 2\n1 1 2\n2 0 2 3\n3 3 4\n4 6\n5 5 6\n6 3 4 6"
READY = {
    "the book's seven pages": SEVEN,
    "the book's three": "1 2\n2 1 3\n3 2",
    "one link against two": "0 1\n1 0\n2 3\n4 3\n5 0\n6 0\n7 0",
    "a trap": "a b\nb a c\nc d\nd c",
    "two islands": "a b\nb a\nc d\nd c",
    "a harbour town": HARBOUR_LINES,
}
LEAST = 1e-4  # errors below this are drawn as this
NOWHERE = "Pages without links are dashed."

__all__ = ["READY", "SEVEN", "rank_a_graph", "watch_power"]


class Ranked(NamedTuple):
    """A graph with its scores; names of pages to teleport to that are no pages."""

    links: dict[str, list[str]]
    damping: float
    scores: dict[str, float]
    unknown: list[str]

    def in_links(self, page: str) -> int:
        """Return how many pages link to this one."""
        return sum(page in out for out in self.links.values())

    def order(self) -> list[str]:
        """Return the pages, the highest score first."""
        return sorted(self.links, key=lambda page: -round(self.scores[page], 10))

    def drawing(self, best: Sequence[str] = (), limit: float | None = None) -> Drawing:
        """Return the graph beside its scores, in the order ``best``, else the highest first."""
        picture = RankPicture(self.links)
        best = best or self.order()
        names = [f"{clip(page, 14)}  ({self.in_links(page)})" for page in best]
        chart = bars(
            names, [round(self.scores[page], 4) for page in best], "PageRank", limit=limit, width=270
        )
        right = below(caption("Page (links to it)", 270), chart, gap=2)
        return beside(picture.draw(self.scores, passed_on(self.links, self.scores, self.damping)), right)


def passed_on(
    links: Mapping[str, Sequence[str]], scores: Mapping[str, float], damping: float
) -> Callable[[tuple[str, str]], float]:
    """Return the function that says what each arrow carries: d · x(u) / #out(u)."""
    return lambda edge: damping * scores[edge[0]] / len(links[edge[0]])


def rank_a_graph(edges: str = SEVEN, damping: float = 0.86) -> Explorer:
    """Return a graph to write: its pages as large as their PageRank, damping and teleport to choose."""

    def state(edges: dict[str, list[str]], damping: float, to: list[str]) -> Ranked:
        known = [page for page in to if page in edges]
        teleport = dict.fromkeys(known, 1.0) if known else None
        scores = pagerank(edges, damping=damping, teleport=teleport).as_dict()
        return Ranked(edges, damping, scores, [page for page in to if page not in edges])

    def describe(ranked: Ranked) -> str:
        best = ranked.order()
        most = max(map(ranked.in_links, best))
        counted = [page for page in best if ranked.in_links(page) == most]
        first = f"First is {best[0]} with {ranked.scores[best[0]]:.3f}"
        second = f", then {best[1]} with {ranked.scores[best[1]]:.3f}" if len(best) > 1 else ""
        says = f"{first}{second}. Most linked to: {', '.join(counted)}, by {plural(most, 'page')}."
        return says + (f" No page is called {', '.join(ranked.unknown)}." if ranked.unknown else "")

    def table(ranked: Ranked) -> list[Row]:
        rows = [
            [page, ranked.in_links(page), len(ranked.links[page]), f"{ranked.scores[page]:.4f}"]
            for page in ranked.order()
        ]
        return [["page", "links to it", "links from it", "PageRank"], *rows]

    return Sliders(
        state,
        Ranked.drawing,
        describe,
        table,
        title="A graph and its PageRank",
        controls={
            "edges": Text("A page, then those it links to", edges, parse_pages, lines=5, ready=READY),
            "damping": Number("Damping d", 0, 0.99, damping, 0.01),
            "to": Text("Teleport to these pages alone (empty: to all)", "", str.split, examples=["3 6 x"]),
        },
        notice=f"The area of a page is its score, the width of an arrow what it carries. {NOWHERE} "
        "Take the damping down to 0: what is left of the differences?",
    )


class Power(NamedTuple):
    """One step of the power iteration, with the L1 errors up to it."""

    links: dict[str, list[str]]
    damping: float
    scores: dict[str, float]
    errors: list[float]
    last: int
    order: list[str]
    limit: float

    def chart(self) -> Drawing:
        """Return the errors up to this step and the bound of all steps, as powers of ten."""
        bound = [(k, _power(self.errors[0] * self.damping**k)) for k in range(self.last + 1)]
        error = [(k, _power(e)) for k, e in enumerate(self.errors)]
        says = "L1 error as a power of ten: \u22122 is 0.01"
        # the two may lie on each other, so the error is named below and not at its end
        lines = {"bound": bound, "": error}
        chart = curves(lines, "step", says, y_range=(math.log10(LEAST), 1), width=640, height=250)
        return below(chart, caption("Orange dashes: the error up to this step.", 640), gap=2)


def _power(error: float) -> float:
    return round(math.log10(max(error, LEAST)), 3)


def watch_power(edges: str = SEVEN) -> Explorer:
    """Return a player of the power iteration: the scores of each step, and how far they are from the end."""
    pagerank_linear({0: [0]})  # loads SciPy now, not at the first redraw

    def states(text: dict[str, list[str]], damping: float, start: str) -> list[Power]:
        first = next(iter(text))
        begin = {first: 1.0} if start == "at the first page" else None
        truth = pagerank_linear(text, damping=damping).scores
        steps = list(pagerank_steps(text, damping=damping, start=begin, tol=3e-3))
        errors = [float(np.abs(step.scores - truth).sum()) for step in steps]
        in_the_end = Ranked(text, damping, dict(zip(text, truth.tolist(), strict=True)), [])
        fixed = max(len(steps) - 1, 1), in_the_end.order(), float(truth.max())
        return [
            Power(
                text, damping, dict(zip(text, s.scores.tolist(), strict=True)), errors[: s.step + 1], *fixed
            )
            for s in steps
        ]

    def draw(state: Power) -> Drawing:
        graph = Ranked(state.links, state.damping, state.scores, [])
        return below(graph.drawing(state.order, state.limit), state.chart())

    def describe(state: Power) -> str:
        now, d = state.errors[-1], state.damping
        if len(state.errors) == 1:
            return f"The start is off by {now:.4f}, all pages together. Each step may leave d = {d} of it."
        before = state.errors[-2]
        ratio = f", {now / before:.2f} times the last error" if before > 1e-12 else ""
        return f"The scores are off by {now:.5f}, all pages together{ratio}; the bound is d = {d} times."

    def table(state: Power) -> list[Row]:
        return [["page", "score"], *([page, f"{score:.5f}"] for page, score in state.scores.items())]

    return Editor(
        Text("A page, then those it links to", edges, parse_pages, lines=4, ready=READY),
        states,
        draw,
        describe,
        table,
        title="The power iteration",
        controls={
            "damping": Choice("Damping d", [0.5, 0.85, 0.86, 0.95], 0.86),
            "start": Choice("Start", ["at the first page", "on all pages alike"]),
        },
        notice="A straight line falls by the same factor in each step. Does the error keep to the bound, or "
        "does it fall faster? Choose the two islands, then the book's three pages.",
        start=2,
    )
