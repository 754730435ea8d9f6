"""Still pictures: a drawing with its text alternative, its values as a table, and what to notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ircourse.show.charts_svg import curves, written
from ircourse.show.explorer import Row, remark, show, twin
from ircourse.show.graph_svg import GraphPicture
from ircourse.show.svg import Drawing, data_uri, element, figure, joined

__all__ = ["Still", "still_curves", "still_graph"]


class Still:
    """A picture as a cell's last value, the same with and without a kernel.

    alt     in words, what the picture shows
    rows    the values behind it, the first row the column heads
    notice  what to notice: the caption
    """

    def __init__(self, drawing: Drawing, alt: str, rows: Sequence[Row] = (), notice: str = "") -> None:
        self.drawing, self.alt, self.rows, self.notice = drawing, alt, rows, notice

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        image = element(
            "img", src=data_uri(figure(self.drawing, self.alt)), alt=self.alt, style="max-width: 100%"
        )
        parts = [image, *([twin(self.rows)] if self.rows else []), remark(self.notice)]
        return {"text/plain": self.alt, "text/html": str(show(joined(parts)))}

    def __repr__(self) -> str:
        return f"<Still: {self.alt}>"


def still_curves(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    x_label: str,
    y_label: str,
    *,
    alt: str,
    notice: str = "",
    y_range: tuple[float, float] | None = None,
) -> Still:
    """Return named curves through points (x, y) in one plane."""
    xs = sorted({x for line in lines.values() for x, _ in line})
    at = {name: dict(line) for name, line in lines.items()}
    values = [[at[name].get(x) for name in lines] for x in xs]
    rows = [
        [written(x), *("" if y is None else written(y) for y in row)]
        for x, row in zip(xs, values, strict=True)
    ]
    return Still(curves(lines, x_label, y_label, y_range=y_range), alt, [[x_label, *lines], *rows], notice)


def still_graph(links: Mapping[Any, Sequence[Any]], root: Any, *, alt: str, notice: str = "") -> Still:
    """Return the picture of a web of at most 60 pages, given as a mapping from a page to its links."""
    pairs = [(page, link) for page, out in links.items() for link in out]
    picture = GraphPicture(links, pairs, [root], width=520)
    rows = [["page", "links to"], *([page, ", ".join(map(str, out))] for page, out in links.items())]
    return Still(picture.draw({}), alt, rows, notice)
