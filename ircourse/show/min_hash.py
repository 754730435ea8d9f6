"""The explorer of min-hash (section 19.6): Figure 19.8 alive.

What is watched are the stages that `MinHasher` yields and the sketches that it makes. A shingle of A alone is
a square, of B alone a circle, of both a diamond; a hash is pale, a permuted one dark.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ircourse.dedup import MinHasher, Stage, jaccard, shingle_id, shingles, splitmix64
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.graph_svg import legend
from ircourse.show.player import Player
from ircourse.show.style import INK, MUTED, look
from ircourse.show.svg import Drawing, Markup, below, beside, caption, element, joined, label, plural
from ircourse.text import tokenize

TEXTS = (
    "the ferry leaves the old harbour at nine every morning",
    "the ferry leaves the old harbour at ten every morning",
)
MOST_WORDS, PERMUTATIONS, WIDTH = 40, 200, 320.0
TELLS = ("hashed", "moved by permutation {}", "where they are now", "the least, kept in the sketch")
HEIGHTS = (50.0, 76.0, 50.0, 50.0)
WITHIN = {"a": "A", "b": "B", "shared": "both"}

__all__ = ["short_text", "watch_min_hash"]


class Sketching(NamedTuple):
    """One step: ``shown`` of the four stages of a permutation, and what all before it have come to.

    names   the shingles as text, by their hashes, those of A first
    looks   of each hash and each permuted hash: "a", "b" or "shared"
    stages  the four of A, and the four of B
    number  of the permutation, from 1
    agreed  in how many of the first 1, 2, … permutations the minima agree
    exact   J
    """

    names: dict[int, str]
    looks: dict[int, str]
    stages: tuple[list[Stage], list[Stage]]
    shown: int
    number: int
    agreed: list[int]
    exact: float

    def error(self, n: int) -> float:
        """Return the standard error of an estimate from n permutations."""
        return math.sqrt(self.exact * (1 - self.exact) / n)


def short_text(text: str) -> str:
    """Return a text of at most 40 words, or raise a ValueError that says how many there are.

    >>> short_text("a rose is a rose")
    'a rose is a rose'
    """
    n = len(tokenize(text))
    if n > MOST_WORDS:
        raise ValueError(f"{n} words are too many to follow by eye: write at most {MOST_WORDS}.")
    return text


def sketching(text_a: str, text_b: str, k: int) -> list[Sketching]:
    """Return the four stages of the first permutation, then each further permutation as a whole.

    >>> steps = sketching("a rose is a rose", "a rose is a tulip", 2)
    >>> len(steps), steps[-1].agreed[-1], steps[-1].exact
    (203, 150, 0.75)
    """
    hasher = MinHasher(PERMUTATIONS)
    sets = [shingles(text, k) for text in (text_a, text_b)]
    ids = [{shingle_id(s) for s in found} for found in sets]
    names = {splitmix64(shingle_id(s)): " ".join(s) for found in sets for s in sorted(found)}
    exact = jaccard(*ids)
    agree = hasher.sketch(ids[0]) == hasher.sketch(ids[1])
    counts = np.cumsum(agree).tolist()
    made = []
    for i in range(PERMUTATIONS):
        a, b = (list(hasher.stages(side, i)) for side in ids)
        looks = _looks({*a[1].hashes, *a[1].permuted}, {*b[1].hashes, *b[1].permuted})
        for shown in (1, 2, 3, 4) if i == 0 else (4,):
            agreed = counts[: i + 1] if shown == 4 else []
            made.append(Sketching(names, looks, (a, b), shown, i + 1, agreed, exact))
    return made


def _looks(a: set[int], b: set[int]) -> dict[int, str]:
    return dict.fromkeys(a, "a") | dict.fromkeys(b, "b") | dict.fromkeys(a & b, "shared")


def _spot(value: int) -> float:
    return 12 + (WIDTH - 24) * (value / 2**64)


def _mark(kind: str, x: float, y: float, dark: bool) -> Markup:
    """Return the square, circle or diamond of a hash."""
    seems = look(kind)
    seen = {"fill": seems.stroke if dark else seems.fill, "stroke": seems.stroke, "stroke_width": 1.5}
    if kind == "b":
        return element("circle", cx=x, cy=y, r=5.5, **seen)
    reach = 7.5 if kind == "shared" else 5.0
    corners = ((0, -1), (1, 0), (0, 1), (-1, 0)) if kind == "shared" else ((-1, -1), (1, -1), (1, 1), (-1, 1))
    points = " ".join(f"{x + reach * dx:.1f},{y + reach * dy:.1f}" for dx, dy in corners)
    return element("polygon", points=points, **seen)


def _axis(y: float) -> Markup:
    return element("line", x1=12.0, y1=y, x2=WIDTH - 12, y2=y, stroke=INK)


def _row(step: Sketching, side: int, row: int) -> Drawing:
    """Return one row of Figure 19.8 for one document; its title alone where it is not reached."""
    stage, reached = step.stages[side][row], row < step.shown
    title = f"{stage.name}: {TELLS[row].format(step.number)}"
    parts = [label(title, 0, 13, fill=INK if reached else MUTED)]
    base = HEIGHTS[row] - 20
    high = 30.0 if stage.permuted else base
    for h, p in zip(stage.hashes, stage.permuted, strict=False) if reached else ():
        ends = {"x1": _spot(h), "y1": high, "x2": _spot(p), "y2": base}
        parts.append(element("line", **ends, stroke=look(step.looks[h]).stroke, opacity=0.6))
    if reached:
        parts += [_axis(base), label("0", 8, base + 20), label("2⁶⁴ − 1", WIDTH, base + 20, anchor="end")]
        parts += [_axis(high)] if stage.hashes else []
        kept = stage.permuted if stage.minimum is None else (stage.minimum,)
        parts += [_mark(step.looks[h], _spot(h), high, False) for h in stage.hashes]
        parts += [_mark(step.looks[p], _spot(p), base, True) for p in kept]
    if not step.stages[side][0].hashes:
        parts.append(label("no shingle", 60, base - 6, fill=MUTED))
    return Drawing(WIDTH, HEIGHTS[row] + 6, joined(parts))


def _estimates(step: Sketching) -> Drawing:
    """Return the running estimate against J and its error band; nothing before there is an estimate."""
    if not step.agreed:
        says = "The estimate follows when the first minima are known."
        return Drawing(664, 250, label(says, 0, 15, fill=MUTED))
    grid = [*range(1, 21), *range(25, PERMUTATIONS + 1, 5)]
    high = [(n, min(step.exact + step.error(n), 1)) for n in grid]
    low = [(n, max(step.exact - step.error(n), 0)) for n in grid]
    lines = {
        "": [(n, agreed / n) for n, agreed in enumerate(step.agreed, 1)],
        f"J = {step.exact:.3f}": [(1, step.exact), (PERMUTATIONS, step.exact)],
        "J ± error": [*low[::-1], *high],
    }
    says = "share of minima that agree: the estimate (solid), J (dashed), J ± its standard error (dotted)"
    return curves(lines, "permutations", says, y_range=(0, 1), width=664, height=250)


def _told(step: Sketching) -> str:
    a, b = (len(stages[0].hashes) for stages in step.stages)
    either = len(step.names)
    match step.shown:
        case 1:
            return (
                f"A has {plural(a, 'shingle')}, B has {b}; they share {a + b - either} of {either}, so J is "
                f"{step.exact:.3f}. Each is hashed to a place on the line."
            )
        case 2:
            return "Permutation 1 moves every hash, and a shared one to the same place in both documents."
        case 3:
            return "The old places are let go. Which of the new ones is the least is a matter of chance."
    same = step.stages[0][3].minimum == step.stages[1][3].minimum
    n, agreed = step.number, step.agreed[-1]
    return (
        f"Permutation {n}: the minima of A and B {'agree' if same else 'differ'}. So far {agreed} of {n} "
        f"agree, an estimate of {agreed / n:.3f}; J is {step.exact:.3f}, standard error {step.error(n):.3f}."
    )


def _table(step: Sketching) -> list[Row]:
    moved: dict[int, int] = {}
    for stages in step.stages:
        moved |= dict(zip(stages[1].hashes, stages[1].permuted, strict=True))
    rows: list[Row] = [["shingle", "document", "H / 2⁶⁴", f"Π / 2⁶⁴ (permutation {step.number})"]]
    for h, name in step.names.items():
        to = f"{moved[h] / 2**64:.4f}" if step.shown > 1 else ""
        rows.append([name, WITHIN[step.looks[h]], f"{h / 2**64:.4f}", to])
    if step.shown == 4:
        least = [stages[3].minimum for stages in step.stages]
        rows += [
            [f"minimum of {x}", x, "", "none" if m is None else f"{m / 2**64:.4f}"]
            for x, m in zip("AB", least, strict=True)
        ]
    return rows


def watch_min_hash(text_a: str = TEXTS[0], text_b: str = TEXTS[1]) -> Explorer:
    """Return a player: two texts sketched by 200 permutations, the first stage by stage; Figure 19.8."""

    def draw(step: Sketching) -> Drawing:
        sides = [
            below(caption(f"Document {name}", WIDTH), *(_row(step, side, row) for row in range(4)), gap=2)
            for side, name in enumerate("AB")
        ]
        return below(beside(*sides), legend(["a", "b", "shared"]), _estimates(step))

    return Player(
        sketching,
        draw,
        _told,
        _table,
        title="Min-hash sketches",
        controls={
            "text_a": Text("Document A", text_a, short_text, examples=["rose", "東京 東京 2"]),
            "text_b": Text("Document B", text_b, short_text, examples=[text_a]),
            "k": Number("Words in a shingle", 1, 4, 2),
        },
        notice="The minima agree where a diamond, a shared shingle, is the leftmost of both. "
        "The estimate strays by about one standard error, and the band narrows as 1/√n.",
        start=7,
    )
