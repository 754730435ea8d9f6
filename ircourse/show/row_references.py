"""The explorer of references (section 20.4): the bits of a row by the row before it that it refers to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ircourse.graphs import reference_lengths
from ircourse.show.charts_svg import bars
from ircourse.show.connectivity import WIDTH, Rows, before, cells, rows_text, saltmere_rows
from ircourse.show.controls import Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.svg import Drawing, Markup, below, joined, plural

__all__ = ["Chosen", "choose_reference"]


class Chosen(NamedTuple):
    """Rows, and the bits that the last takes by the row that it refers to."""

    rows: Rows
    lengths: Mapping[int, int]

    @property
    def taken(self) -> int:
        """How far before the row referred to stands, 0 for none."""
        return min(self.lengths, key=lambda r: self.lengths[r])


def choose_reference(rows: str | None = None) -> Explorer:
    """Return the bits that a row takes by the row that it refers to: none, or one of the seven before it."""

    def state(rows: Rows, k: int) -> Chosen:
        page = max(rows)
        return Chosen(rows, reference_lengths(page, rows[page], before(rows), k))

    def name(chosen: Chosen, r: int) -> str:
        return f"row {max(chosen.rows) - r}" if r else "none"

    def draw(chosen: Chosen) -> Drawing:
        base = chosen.rows[max(chosen.rows) - chosen.taken] if chosen.taken else []
        parts: list[Markup] = []
        last, y = max(chosen.rows), 0.0
        for page, links in chosen.rows.items():
            both = chosen.rows[last] if page == last - chosen.taken else base if page == last else []
            made, y = cells(f"{page}:", [(v, "kept" if v in both else "") for v in links], y, page == last)
            parts += made
        looks = ["target" if r == chosen.taken else "plain" for r in chosen.lengths]
        names = [name(chosen, r) + ", taken" * (r == chosen.taken) for r in chosen.lengths]
        chart = bars(
            names,
            list(chosen.lengths.values()),
            "bits after the row's length, by the row referred to",
            looks=looks,
            width=WIDTH,
        )
        return below(Drawing(WIDTH, y, joined(parts)), chart, gap=18)

    def describe(chosen: Chosen) -> str:
        least, none = chosen.lengths[chosen.taken], chosen.lengths[0]
        way = f"Referring to {name(chosen, chosen.taken)}" if chosen.taken else "Referring to none"
        takes = f"the row of page {max(chosen.rows)} takes {plural(least, 'bit')} after its length"
        return f"{way}, {takes}; without reference {none}."

    def table(chosen: Chosen) -> list[Row]:
        rows = [
            [name(chosen, r), bits, "taken" if r == chosen.taken else ""]
            for r, bits in chosen.lengths.items()
        ]
        return [["refers to", "bits", ""], *rows]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Which row to refer to",
        controls={
            "rows": rows_text(saltmere_rows() if rows is None else rows),
            "k": Number("k of the code for added links", 1, 8, 3),
        },
        notice="The shortest is taken, the nearest of equal ones. Can a reference be worse than none?",
    )
