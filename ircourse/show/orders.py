"""The explorer of Theorem 19.1 (section 19.6): Figure 19.9, one order of the rows after another.

C_xy  number of rows with x in column A and y in column B
J     C11 / (C01 + C10 + C11)
"""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import accumulate, permutations
from typing import NamedTuple, TypeAlias

from ircourse.dedup import splitmix64
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.lists_svg import CELL
from ircourse.show.style import GREEN, MUTED, PAPER, RULE, VERMILION, look
from ircourse.show.svg import Drawing, below, beside, box, caption, joined, label, plural

Rows: TypeAlias = tuple[tuple[int, int], ...]

FIGURE = "0 1 1 0 1 0\n1 0 1 0 1 1"
MOST_ROWS, MOST_ORDERS = 10, 720
KINDS = {(1, 0): "a", (0, 1): "b", (1, 1): "shared"}

__all__ = ["agree_by_order", "orders_of", "parse_columns"]


class Order(NamedTuple):
    """One order of the rows.

    order   the numbers of the rows, from 0, as they come in it
    number  of the order, from 1
    agreed  in how many of the first 1, 2, … orders, of all, the first rows of A and B agree
    """

    rows: Rows
    order: tuple[int, ...]
    number: int
    agreed: list[int]

    @property
    def first(self) -> int:
        """The place in the order of the first row of the union."""
        return next(place for place, row in enumerate(self.order) if any(self.rows[row]))

    @property
    def shared(self) -> bool:
        """Whether that row is in both columns."""
        return all(self.rows[self.order[self.first]])


def parse_columns(text: str) -> Rows:
    """Return the rows of two columns, each written as a line of 0 and 1; ValueError says what cannot be read.

    >>> parse_columns("0 1 1\\n1,0,1")
    ((0, 1), (1, 0), (1, 1))
    """
    lines = [re.sub(r"[\s,]", "", line) for line in text.strip().splitlines() if line.strip()]
    if len(lines) != 2:
        raise ValueError(f"{plural(len(lines), 'line')}: write two, the columns A and B, such as: 0 1 1 0")
    a, b = lines
    if strange := set(a + b) - {"0", "1"}:
        raise ValueError(f"A column holds 0 and 1, not {min(strange)!r}.")
    if len(a) != len(b) or len(a) > MOST_ROWS:
        raise ValueError(f"{len(a)} and {len(b)} rows: write as many in both columns, at most {MOST_ROWS}.")
    if "1" not in a + b:
        raise ValueError("Both columns are empty, and no row comes first: write at least one 1.")
    return tuple(zip(map(int, a), map(int, b), strict=True))


@cache
def orders_of(n: int) -> tuple[tuple[int, ...], ...]:
    """Return all orders of n rows, mixed; a sample of 720 where there are more, drawn with replacement.

    >>> orders_of(2), len(orders_of(6)), len(orders_of(10))
    (((1, 0), (0, 1)), 720, 720)
    """
    if math.factorial(n) <= MOST_ORDERS:
        every = list(permutations(range(n)))
        return tuple(every[i] for i in sorted(range(len(every)), key=splitmix64))
    keys = [[splitmix64(draw * n + row) for row in range(n)] for draw in range(MOST_ORDERS)]
    return tuple(tuple(sorted(range(n), key=draw.__getitem__)) for draw in keys)


def _states(text: Rows) -> list[Order]:
    orders = orders_of(len(text))
    firsts = [[next((row for row in order if text[row][x]), None) for x in (0, 1)] for order in orders]
    agreed = list(accumulate(int(a == b) for a, b in firsts))
    return [Order(text, order, number, agreed) for number, order in enumerate(orders, 1)]


def counts(rows: Rows) -> dict[str, int]:
    """Return C00, C01, C10 and C11.

    >>> counts(parse_columns(FIGURE))
    {'C00': 1, 'C01': 2, 'C10': 1, 'C11': 2}
    """
    return {f"C{x}{y}": rows.count((x, y)) for x in (0, 1) for y in (0, 1)}


def _jaccard(rows: Rows) -> tuple[int, int]:
    """Return the terms of the fraction J."""
    c = counts(rows)
    return c["C11"], c["C01"] + c["C10"] + c["C11"]


def _columns(rows: Rows, order: tuple[int, ...]) -> Drawing:
    """Return the two columns, their rows in an order, numbered as written, each with its type."""
    parts = [label("row", 0, 15, fill=MUTED), label("A", 53, 15, bold=True), label("B", 93, 15, bold=True)]
    for place, row in enumerate(order):
        y = 22 + place * CELL
        parts.append(label(str(row + 1), 24, y + 18, anchor="end", fill=MUTED))
        seems = look(KINDS.get(rows[row], "unseen"))
        for side, value in enumerate(rows[row]):
            x = 38 + side * 40
            fill, stroke = (seems.fill, seems.stroke) if value else (PAPER, RULE)
            parts.append(box(x, y + 2, 38, CELL - 4, fill=fill, stroke=stroke))
            parts.append(label(str(value), x + 19, y + 18, anchor="middle", bold=bool(value)))
        parts.append(label("C{}{}".format(*rows[row]), 128, y + 18, fill=MUTED))
    return Drawing(164, 24 + len(order) * CELL, joined(parts))


def _ordered(state: Order) -> Drawing:
    """Return the columns in this order, the first row of the union framed and told."""
    plain = _columns(state.rows, state.order)
    y = 22 + state.first * CELL
    colour, dash = (GREEN, None) if state.shared else (VERMILION, "6 3")
    frame = box(32, y - 1, 90, CELL + 2, fill="none", stroke=colour, stroke_width=3.5, stroke_dasharray=dash)
    says = "✓ in both" if state.shared else f"✕ {'AB'[state.rows[state.order[state.first]][0] == 0]} alone"
    return Drawing(252, plain.height, joined([plain.body, frame, label(says, 170, y + 18, bold=True)]))


def _draw(state: Order) -> Drawing:
    shared, union = _jaccard(state.rows)
    says = ", ".join(f"{name} = {n}" for name, n in counts(state.rows).items())
    sums = Drawing(300, 22, label(f"{says}; J = {shared}/{union}", 0, 15))
    left = below(caption("As written", 164), _columns(state.rows, tuple(range(len(state.rows)))), gap=4)
    right = below(caption(f"Order {state.number}", 252), _ordered(state), gap=4)
    tally = [(n, agreed / n) for n, agreed in enumerate(state.agreed[: state.number], 1)]
    level = [(1, shared / union), (max(len(state.agreed), 2), shared / union)]
    lines = {"": tally, f"J = {shared}/{union}": level}
    chart = curves(
        lines,
        "orders tried",
        "share of orders that agree (solid), J (dashed)",
        y_range=(0, 1),
        width=380,
        height=250,
    )
    return below(sums, beside(left, right, chart, gap=16))


def _told(state: Order) -> str:
    shared, union = _jaccard(state.rows)
    n, agreed = state.number, state.agreed[state.number - 1]
    row = state.order[state.first]
    where = (
        "both columns: the first rows agree"
        if state.shared
        else (f"{'AB'[state.rows[row][0] == 0]} alone: the first rows differ")
    )
    end = "" if n < len(state.agreed) else " These are all that are tried."
    return (
        f"Order {n} of {len(state.agreed)}: row {row + 1} is the first of the union, in {where}. "
        f"So far {agreed} of {n} agree, a share of {agreed / n:.3f}; J is {shared}/{union}.{end}"
    )


def _table(state: Order) -> list[Row]:
    n, agreed = state.number, state.agreed[state.number - 1]
    shared, union = _jaccard(state.rows)
    return [
        ["what", "value"],
        *counts(state.rows).items(),
        ["J", f"{shared}/{union}"],
        ["rows in this order", " ".join(str(row + 1) for row in state.order)],
        ["first row of the union", state.order[state.first] + 1],
        ["orders tried", n],
        ["orders that agree", agreed],
        ["share that agree", f"{agreed / n:.4f}"],
    ]


def agree_by_order(columns: str = FIGURE) -> Explorer:
    """Return an editor: two columns of 0 and 1, all orders of their rows or 720 of them; Figure 19.9."""
    examples = ["1\n1", "1 0\n0 1", "0 0\n0 1", "1111100000\n0000111111"]
    return Editor(
        Text("Columns A and B", columns, parse_columns, lines=2, examples=examples),
        _states,
        _draw,
        _told,
        _table,
        title="Which row comes first",
        notice="Rows of type C00 never count. Each row of the union is the first as often as any other, and "
        "where a shared one is, A and B agree: at the end the share is J.",
        start=200,
    )
