"""Explorer of the transition matrix (section 21.2.2): a step of the power iteration, column by column.

The matrix is ``transition_matrix``'s, the scores are those of ``pagerank_steps``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircourse.links import pagerank_steps, transition_matrix
from ircourse.show.controls import Choice, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.pagerank import READY, SEVEN
from ircourse.show.rank_picture import parse_pages
from ircourse.show.style import INK, look
from ircourse.show.svg import Drawing, Markup, box, clip, joined, label, shorten

MOST_PAGES, ROUNDS = 8, 3
CELL, HIGH, LEFT, TOP = 52.0, 28.0, 140.0, 44.0
WORDS = {"the chances P": False, "what flows, x · P": True}

__all__ = ["watch_matrix"]


class Column(NamedTuple):
    """One column of one step: ``x`` before, the matrix, the sums ``new``, of which ``done`` are known."""

    pages: list[str]
    step: int
    x: NDArray[np.float64]
    P: NDArray[np.float64]
    done: int
    flows: bool

    def shown(self) -> NDArray[np.float64]:
        """Return what stands in the cells."""
        return self.x[:, None] * self.P if self.flows else self.P

    def new(self) -> list[float]:
        """Return the new scores that are known."""
        return [float(value) for value in (self.x @ self.P)[: self.done]]


def parse_few(text: str) -> dict[str, list[str]]:
    """Return a graph that a student wrote, of at most 8 pages."""
    graph = parse_pages(text)
    if len(graph) > MOST_PAGES:
        raise ValueError(f"{len(graph)} pages make too large a matrix: write at most {MOST_PAGES}.")
    return graph


def _cells(values: Sequence[float], x: float, y: float, most: float, seems: str) -> list[Markup]:
    """Return a row of cells, each shaded by its share of ``most``."""
    parts = []
    for j, value in enumerate(values):
        left = x + j * CELL
        shade = {"fill": look(seems).fill, "opacity": round(min(value / most, 1), 2)}
        parts += [box(left, y, CELL, HIGH), box(left, y, CELL, HIGH, **shade)]
        parts.append(label(f"{value:.3f}", left + CELL / 2, y + 19, anchor="middle"))
    return parts


def draw(column: Column) -> Drawing:
    """Return x beside the matrix, the new x below it, and a frame around the column just summed."""
    n, shown = len(column.pages), column.shown()
    most = float(shown.max()) or 1.0
    parts = [label("old x", LEFT - CELL - 4, TOP - 8, anchor="middle", bold=True)]
    parts.append(label("to", LEFT + n * CELL / 2, 14, anchor="middle"))
    for i, page in enumerate(column.pages):
        y = TOP + i * HIGH
        parts.append(label(shorten(f"from {page}", 58), 0, y + 19))
        parts += _cells([float(column.x[i])], LEFT - 1.5 * CELL - 4, y, float(column.x.max()), "stored")
        parts += _cells(shown[i].tolist(), LEFT, y, most, "a")
        across = LEFT + (i + 0.5) * CELL
        parts.append(label(shorten(page, CELL - 4), across, TOP - 8, anchor="middle", bold=True))
    y = TOP + n * HIGH + 12
    parts.append(label("new x", LEFT - 10, y + 19, anchor="end", bold=True))
    parts += _cells(column.new(), LEFT, y, float(column.x.max()), "stored")
    if column.done:
        left = LEFT + (column.done - 1) * CELL
        frame = {"fill": "none", "stroke": INK, "stroke_width": 2.5}
        parts.append(box(left, TOP, CELL, n * HIGH + 12 + HIGH, **frame))
    return Drawing(LEFT + n * CELL + 2, y + HIGH + 4, joined(parts))


def describe(column: Column) -> str:
    """Return the sum that gives the new score."""
    if not column.done:
        return f"Step {column.step}: the old scores stand beside the matrix, whose rows each sum to 1."
    j = column.done - 1
    terms = [f"{x:.3f} \u00b7 {p:.3f}" for x, p in zip(column.x, column.P[:, j], strict=True) if x]
    return f"Step {column.step}, new score of {column.pages[j]}: {' + '.join(terms)} = {column.new()[j]:.3f}."


def table(column: Column) -> list[Row]:
    """Return the rows of the picture."""
    rows = [
        [f"from {page}", f"{x:.3f}", *(f"{value:.3f}" for value in row)]
        for page, x, row in zip(column.pages, column.x, column.shown(), strict=True)
    ]
    known = [f"{value:.3f}" for value in column.new()]
    last = ["new x", "", *known, *[""] * (len(column.pages) - len(known))]
    return [["", "old x", *(clip(page, 40) for page in column.pages)], *rows, last]


def watch_matrix(edges: str = SEVEN) -> Explorer:
    """Return a player: each column of the matrix in turn gives a page its new score, for three steps."""

    def states(text: dict[str, list[str]], damping: float, cells: str) -> list[Column]:
        pages, P = list(text), transition_matrix(text, damping)
        start = {pages[0]: 1.0}
        rounds = islice(pagerank_steps(text, damping=damping, start=start), ROUNDS)
        return [
            Column(pages, step.step + 1, step.scores, P, done, WORDS[cells])
            for step in rounds
            for done in range(len(pages) + 1)
        ]

    ready = {name: text for name, text in READY.items() if name != "a harbour town"}
    return Editor(
        Text("A page, then those it links to", edges, parse_few, lines=4, ready=ready),
        states,
        draw,
        describe,
        table,
        title="A step as a matrix",
        controls={
            "damping": Choice("Damping d", [0.5, 0.85, 0.86, 0.95], 0.86),
            "cells": Choice("In the cells", list(WORDS)),
        },
        notice="A row says where a page's surfers go, and sums to 1. A column says where a page's new score "
        "comes from. Choose what flows: the cells of the whole matrix then sum to 1, as the scores do.",
        start=len(parse_few(edges)) + 4,
    )
