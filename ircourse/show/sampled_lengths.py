"""The explorer of sampled lengths (section 19.5): long pages are drawn too often, and three ways to mend it.

The draws are ``random_queries``' and ``document_walk``'s, from an engine that holds the pages of
``surveyed_web`` without jargon; the weights come from ``query_bias``.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircourse.indexsize import (
    SearchEngine,
    document_walk,
    effective_size,
    importance_weights,
    query_bias,
    random_queries,
    rejection_sample,
)
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import INK, RULE, look
from ircourse.show.surveyed_web import GENERAL, lengths, pages, plain
from ircourse.show.svg import Drawing, below, box, element, joined, label, plural

MOST = 600
WARM, EACH = 50, 5  # steps before the first draw of the walk, and from one to the next
CLASSES = ((5, 6), (7, 8), (9, 10), (11, 12), (13, 14), (15, 16))
METHODS = ("none", "importance sampling", "rejection sampling", "Metropolis–Hastings")
WIDTH, HEIGHT, LEFT, FLOOR = 620, 290, 56, 236

__all__ = ["Lengths", "sampled_lengths"]


class Lengths(NamedTuple):
    """The lengths of n draws by random queries, and after the correction, with the weights of the draws."""

    method: str
    n: int
    raw: NDArray[np.int64]
    docs: NDArray[np.int64]
    weights: NDArray[np.float64]

    def mean(self) -> float:
        """Return the weighted mean length."""
        return float(np.average(np.array(lengths())[self.docs], weights=self.weights))


def engine() -> SearchEngine:
    """Return an engine that holds the pages without jargon."""
    return SearchEngine(pages(), plain())


@cache
def chances() -> dict[int, float]:
    """Return the bias of random queries for each page, from the engine's answers."""
    asked = engine()
    return {page: query_bias(asked, page, GENERAL).chance for page in plain()}


@cache
def draws(by_walk: bool) -> NDArray[np.int64]:
    """Return 600 pages, by random queries or by the corrected walk."""
    if by_walk:
        return document_walk(engine(), MOST, 5, start=0, burn_in=WARM, between=EACH, uniform=True)
    return random_queries(engine(), MOST, 5, dictionary=GENERAL, top=None)


def corrected(method: str, n: int) -> Lengths:
    """Return the first n draws, corrected."""
    raw = draws(False)[:n]
    known = chances()
    c = np.array([known[page] for page in raw.tolist()])
    if method == "importance sampling":
        return Lengths(method, n, raw, raw, importance_weights(c))
    kept = raw
    if method == "rejection sampling":
        kept = rejection_sample(raw, c, 5)
    elif method == "Metropolis–Hastings":
        kept = draws(True)[:n]
    return Lengths(method, n, raw, kept, np.ones(len(kept)))


def shares(docs: NDArray[np.int64], weights: NDArray[np.float64] | None = None) -> list[float]:
    """Return the share of the draws, or of their weights, in each class of lengths."""
    w = np.ones(len(docs)) if weights is None else weights
    size = np.array(lengths())[docs]
    return [float(w[(size >= low) & (size <= high)].sum() / w.sum()) for low, high in CLASSES]


def sampled_lengths() -> Explorer:
    """Return sliders: lengths of the pages drawn, before and after a correction, beside the true ones."""
    held = np.array(plain())
    truth, length = shares(held), np.array(lengths())
    for by_walk in (False, True):  # what takes longest is done once
        draws(by_walk)
    chances()

    def draw(state: Lengths) -> Drawing:
        after = shares(state.docs, state.weights)
        return below(_legend(), _columns(truth, shares(state.raw), after), gap=6)

    def describe(state: Lengths) -> str:
        n = effective_size(state.weights)
        worth = f"{plural(len(state.docs), 'draw')} worth {n:.0f}"
        if state.method == "rejection sampling":
            worth = f"{len(state.docs)} of {state.n} draws kept"
        elif state.method != "importance sampling":
            worth = plural(state.n, "draw")
        if state.method == "Metropolis–Hastings":
            worth += f", {WARM + state.n * EACH:,} steps"
        return (
            f"Mean length of all pages {length[held].mean():.1f}, as drawn {length[state.raw].mean():.1f}, "
            f"after {state.method.replace('none', 'no correction')} {state.mean():.1f} words ({worth})."
        )

    def table(state: Lengths) -> list[Row]:
        rows = zip(CLASSES, truth, shares(state.raw), shares(state.docs, state.weights), strict=True)
        head = ["words", "of all pages", "as drawn", "after correction"]
        return [head, *([f"{low}–{high}", *(f"{v:.3f}" for v in row)] for (low, high), *row in rows)]

    return Sliders(
        corrected,
        draw,
        describe,
        table,
        title="Lengths of the pages drawn",
        controls={
            "method": Choice("Correction", METHODS, "importance sampling"),
            "n": Number("Draws", 50, MOST, 400, 50),
        },
        notice="Without a correction short pages come too rarely and long ones too often. Each correction "
        "brings the third column towards the first; what does it cost in draws or steps?",
    )


LOOKS = {"of all pages": "unseen", "as drawn": "refused", "after correction": "stored"}


def _legend() -> Drawing:
    parts, x = [], LEFT
    for name, shown in LOOKS.items():
        seems = look(shown)
        parts.append(box(x, 2, 20, 14, fill=seems.fill, stroke=seems.stroke, stroke_dasharray=seems.dash))
        parts.append(label(name, x + 28, 14))
        x += 170
    return Drawing(WIDTH, 20, joined(parts))


def _columns(*columns: list[float]) -> Drawing:
    most = max(0.3, *(value for column in columns for value in column))
    top = -(-most // 0.1) / 10
    parts = [label("share", 0, 12)]
    for i in range(round(top * 10) + 1):
        y = round(FLOOR - i / 10 / top * (FLOOR - 24))
        parts.append(element("line", x1=LEFT, y1=y, x2=WIDTH, y2=y, stroke=RULE))
        parts.append(label(f"{i / 10:.1f}", LEFT - 8, y + 5, anchor="end"))
    wide = (WIDTH - LEFT) // len(CLASSES)
    for i, (low, high) in enumerate(CLASSES):
        for j, (column, shown) in enumerate(zip(columns, LOOKS.values(), strict=True)):
            seems, tall = look(shown), round(column[i] / top * (FLOOR - 24))
            x = LEFT + i * wide + 8 + j * 21
            frame = seems.frame()
            parts.append(box(x, FLOOR - tall, 19, tall, **frame))
        middle = LEFT + i * wide + 8 + 31
        parts.append(label(f"{low}–{high}", middle, FLOOR + 18, anchor="middle"))
    parts.append(element("line", x1=LEFT, y1=FLOOR, x2=WIDTH, y2=FLOOR, stroke=INK))
    parts.append(label("words of a page", (LEFT + WIDTH) / 2, FLOOR + 42, anchor="middle"))
    return Drawing(WIDTH, HEIGHT, joined(parts))
