"""The explorer of a connectivity server's row (section 20.4): its bits, one group after the other.

Bits and what they say are those of `ircourse.graphs.explain_row`. Links that are as in the row referred to,
dropped from it and added to it are told by =, × and +.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from ircourse.graphs import ConnectivityServer, as_graph, explain_row
from ircourse.graphs.gap_coding import WINDOW, Field
from ircourse.show.charts_svg import bars
from ircourse.show.controls import Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.style import MONO, MUTED, Look, look
from ircourse.show.svg import Drawing, Markup, below, box, clip, joined, label, plural, text_width
from ircourse.web import tiny_web

BOOK = (
    "101: 1 2 4 8 16 32 64\n102: 1 4 9 16 25 36 49 64\n"
    "103: 1 2 3 5 8 13 21 34 55 89 144\n104: 1 4 8 16 25 36 49 64"
)
NEAR = "40: 41 42 43 44 45 46 47\n41: 40 42 43 44 45 46 47"
MOST_ROWS, MOST_LINKS, PLAIN = 8, 24, 32
WIDTH, CELL = 640.0, 28.0
SIGNS = {
    "kept": ("=", "shared"),
    "dropped": ("\u00d7", "refused"),
    "added": ("+", "fetching"),
    "": ("", "plain"),
}

Rows = dict[int, list[int]]

__all__ = [
    "Coding",
    "Rows",
    "before",
    "cells",
    "code_a_row",
    "coding",
    "parse_rows",
    "rows_text",
    "saltmere_rows",
]


def parse_rows(text: str) -> Rows:
    """Return rows that a student wrote, "page: links" on each line, pages one after the other.

    >>> parse_rows("7: 3 9\\n8: 9 3 9")
    {7: [3, 9], 8: [3, 9]}
    """
    rows: Rows = {}
    for line in filter(str.strip, text.splitlines()):
        found = re.fullmatch(r"\s*(\d{1,9})\s*:((?:[\s,]+\d{1,9})*)[\s,]*", line)
        if not found:
            raise ValueError(
                f"cannot read {clip(line, 40)!r}: write a page, a colon and the pages that it links to."
            )
        page, links = int(found[1]), sorted({int(v) for v in re.findall(r"\d+", found[2])})
        if rows and page != max(rows) + 1:
            raise ValueError(f"page {page} follows page {max(rows)}: number the lines one by one.")
        if len(links) > MOST_LINKS:
            raise ValueError(f"{len(links)} links are too many for this picture: write at most {MOST_LINKS}.")
        rows[page] = links
    if not 0 < len(rows) <= MOST_ROWS:
        raise ValueError(f"{len(rows)} rows: write one to {MOST_ROWS}, such as 7: 3 9")
    return rows


@cache
def saltmere_rows(url: str = "http://gazette.saltmere.example/letters.html") -> str:
    """Return a page's row in Saltmere's server, after the seven before it, as a student would write them."""
    town = dict(tiny_web())
    links = {u: [str(link) for link in page.links if str(link) in town] for u, page in town.items()}
    order = sorted(town)
    server, place = ConnectivityServer(order, as_graph(links)), {u: i for i, u in enumerate(order)}
    last = place[url]
    rows = {u: server.out_links(order[u]) for u in range(max(0, last - WINDOW), last + 1)}
    return "\n".join(f"{u}: {' '.join(str(place[v]) for v in row)}" for u, row in rows.items())


class Coding(NamedTuple):
    """The last of some rows and its bits; of these, ``shown`` groups are written."""

    rows: Rows
    fields: list[Field]
    base: int | None
    shown: int

    @property
    def page(self) -> int:
        """The page whose row it is."""
        return max(self.rows)

    def changes(self) -> list[tuple[int, str]]:
        """Return the links that groups of bits drop and add, in their order."""
        links = self.rows[self.page]
        base = [] if self.base is None else self.rows[self.base]
        dropped = [(v, "dropped") for v in base if v not in links]
        return dropped + [(v, "added") for v in links if v not in base]

    def told(self) -> list[tuple[int, str]]:
        """Return the changes whose bits are written."""
        changes = self.changes()
        return changes[: max(0, self.shown - (len(self.fields) - len(changes)))]

    def settled(self) -> bool:
        """Return whether the bits written tell which links of the row referred to are kept."""
        dropped = sum(kind == "dropped" for _, kind in self.changes())
        return self.base is not None and self.shown >= 3 + dropped

    def bits(self, shown: int | None = None) -> int:
        """Return how many bits are written."""
        return sum(len(field.bits) for field in self.fields[: self.shown if shown is None else shown])


def before(rows: Rows) -> list[list[int]]:
    """Return the rows before the last, nearest first."""
    page = max(rows)
    return [rows[page - r] for r in range(1, min(WINDOW, len(rows) - 1) + 1)]


def coding(rows: Rows, k: int) -> list[Coding]:
    """Return the states of writing the last row: nothing, then one group of bits more at a time.

    >>> steps = coding(parse_rows("11: 3 9 11 14\\n12: 3 11 14 15"), 3)
    >>> len(steps), steps[-1].bits(), steps[-1].base, steps[-1].changes()
    (6, 18, 11, [(9, 'dropped'), (15, 'added')])
    """
    page = max(rows)
    fields = explain_row(page, rows[page], before(rows), k)
    r = int(fields[1].bits, 2)
    return [Coding(rows, fields, page - r if r else None, shown) for shown in range(len(fields) + 1)]


def cells(title: str, numbers: Sequence[tuple[int, str]], y: float, bold: bool) -> tuple[list[Markup], float]:
    """Return a row of numbers in boxes from ``y`` on, wrapped, and where it ends."""
    side = 62.0
    parts, x = [label(title, side - 12, y + 18, anchor="end", bold=bold)], side
    for v, kind in numbers:
        sign, name = SIGNS[kind]
        seems: Look = look(name)
        wide = text_width(str(v)) + (26 if sign else 14)
        if x + wide > WIDTH:
            x, y = side, y + CELL
        frame = seems.frame()
        parts.append(box(x, y, wide - 4, CELL - 4, rx=3, **frame))
        parts.append(label(f"{sign}{v}", x + wide / 2 - 2, y + 17, anchor="middle", bold=bool(kind)))
        x += wide
    if not numbers:
        parts.append(label("no links", side, y + 18, fill=MUTED, font_style="italic"))
    return parts, y + CELL


def _rows_of(step: Coding) -> Drawing:
    """Return all rows, with what is known of the last one from the bits written."""
    told = dict(step.told())
    referred = step.shown > 1 and step.base is not None
    parts: list[Markup] = []
    y = 0.0
    for page, links in step.rows.items():
        marks = [(v, "") for v in links]
        if page == step.base and referred:
            gone = {v for v, kind in step.changes() if kind == "dropped"}
            marks = [(v, told.get(v, "kept" if step.settled() and v not in gone else "")) for v in links]
        if page == step.page:
            base = step.rows[step.base] if step.settled() and step.base is not None else []
            marks = [(v, "kept" if v in base else told.get(v, "")) for v in links]
        made, y = cells(f"{page}:", marks, y, page == step.page or (page == step.base and referred))
        parts += made
    words = "= as in the row referred to   \u00d7 dropped from it   + added"
    return below(Drawing(WIDTH, y, joined(parts)), Drawing(WIDTH, 18, label(words, 0, 13)), gap=6)


def _bits_of(step: Coding) -> Drawing:
    """Return the groups of bits that are written, each with what it says."""
    parts = []
    for i, (bits, meaning) in enumerate(step.fields[: step.shown]):
        last = i == step.shown - 1
        parts.append(label(bits, 200, 16 + i * 22, anchor="end", bold=last, font_family=MONO))
        parts.append(label(meaning, 214, 16 + i * 22, bold=last))
    if not step.shown:
        parts.append(label("No bit is written yet.", 214, 16, fill=MUTED, font_style="italic"))
    return Drawing(WIDTH, 22.0 * len(step.fields) + 4, joined(parts))


def _bars_of(step: Coding) -> Drawing:
    links = len(step.rows[step.page])
    names = ["written so far", f"plain, {PLAIN} bits a link"]
    return bars(names, [step.bits(), PLAIN * links], "bits", limit=PLAIN * links or 1, width=WIDTH)


def code_a_row(rows: str = BOOK) -> Explorer:
    """Return a player: the last of some rows is written, one group of bits after the other."""

    def draw(step: Coding) -> Drawing:
        return below(_rows_of(step), _bars_of(step), _bits_of(step), gap=14)

    def describe(step: Coding) -> str:
        plain = PLAIN * len(step.rows[step.page])
        of = f"{plural(step.bits(), 'bit')} of {step.bits(len(step.fields))}"
        count = f"{of} are written; plainly the row takes {plain}."
        if not step.shown:
            return f"The row of page {step.page} is about to be written. {count}"
        field = step.fields[step.shown - 1]
        return f"{field.bits}: {field.meaning.replace(', but:', ', with changes')}. {count}"

    def table(step: Coding) -> list[Row]:
        ends = accumulate(len(field.bits) for field in step.fields)
        rows = zip(step.fields[: step.shown], ends, strict=False)
        return [["bits", "they say", "bits in all"], *([f.bits, f.meaning, end] for f, end in rows)]

    return Editor(
        rows_text(rows),
        lambda text, k: coding(text, k),
        draw,
        describe,
        table,
        title="A row in bits",
        controls={"k": Number("k of the code for added links", 1, 8, 3)},
        notice="Go one group of bits back, and on to the end: from which group on does a reader know the "
        "links that are kept?",
        start=4,
    )


def rows_text(rows: str) -> Text:
    """Return the field in which rows are written."""
    ready = {"the book's four rows": BOOK, "pages of one host": NEAR, "Saltmere's Gazette": saltmere_rows()}
    if rows not in ready.values():
        ready = {"your rows": rows, **ready}
    return Text(
        "Rows, the last is written", rows, parse_rows, lines=8, examples=["0:", "5: 5\n6: 5 6"], ready=ready
    )
