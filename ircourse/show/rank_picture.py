"""A small graph whose pages are as large as their scores and whose arrows are as wide as what they carry.

Pages stand on an ellipse in the order given, so that no arrow runs behind a page; names stand outside it.
The area of a page is in proportion to its score, the width of an arrow to the score that flows along it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ircourse.show.graph_svg import arrow_head
from ircourse.show.graphs import parse_edges
from ircourse.show.style import INK, MUTED, VERMILION, look
from ircourse.show.svg import Drawing, Markup, element, joined, label, shorten

Edge = tuple[str, str]

MOST = 12  # pages that have room
RADIUS = 50.0  # pixels of a page that has the whole score
WIDEST = 9.0  # pixels of an arrow that carries the whole score
NAME = 92.0  # pixels for a name

__all__ = ["MOST", "RankPicture", "parse_pages"]


def parse_pages(text: str) -> dict[str, list[str]]:
    """Return a graph that a student wrote, as ``parse_edges``, pages with a line of their own first.

    A link written twice is one. Raises ValueError over 12 pages.

    >>> parse_pages("a c\\nb a a")
    {'a': ['c'], 'b': ['a'], 'c': []}
    """
    graph = parse_edges(text)
    if len(graph) > MOST:
        raise ValueError(f"{len(graph)} pages are too many to see their sizes: write at most {MOST}.")
    written = [next(iter(parse_edges(line))) for line in text.splitlines() if line.strip(" \t,->")]
    return {page: list(dict.fromkeys(graph[page])) for page in dict.fromkeys([*written, *graph])}


class RankPicture:
    """The drawing of one graph of at most 12 pages: places are found once, sizes at each step.

    links  what each page links to, the pages in the order in which they stand, clockwise from the left
    """

    def __init__(
        self, links: Mapping[str, Sequence[str]], *, width: float = 430, height: float = 330
    ) -> None:
        self.links, self.width, self.height = links, width, height
        n = len(links)
        self.turn = {page: math.pi * (2 * i / n - 1 + 1 / n) for i, page in enumerate(links)}
        rx, ry = (width / 2 - NAME - 14, height / 2 - 58) if n > 1 else (0.0, 0.0)
        self.centres = {
            page: (round(width / 2 + rx * math.cos(a)), round(height / 2 + ry * math.sin(a)))
            for page, a in self.turn.items()
        }

    def draw(
        self,
        scores: Mapping[str, float],
        flow: Callable[[Edge], float] = lambda edge: 0.0,
        *,
        looks: Mapping[str, str] | None = None,
        rings: Mapping[str, float] | None = None,
        strong: Edge | None = None,
    ) -> Drawing:
        """Return the picture of one state.

        scores  of the pages, sum at most 1
        flow    what an arrow carries
        looks   names of looks (`style.LOOKS`) where a page is not plain; pages without links are dashed
        rings   scores drawn as empty circles over the pages
        strong  an arrow that stands out
        """
        radii = {page: max(RADIUS * math.sqrt(scores[page]), 2.0) for page in self.links}
        rings = {page: RADIUS * math.sqrt(score) for page, score in (rings or {}).items()}
        reach = {page: max(radii[page], rings.get(page, 0)) for page in radii}
        edges = [(u, v) for u, out in self.links.items() for v in out]
        arrows = [self._arrow(edge, reach, flow(edge), edge == strong) for edge in edges]
        pages = [self._page(page, radii[page], (looks or {}).get(page, "plain")) for page in radii]
        outlines = [
            element("circle", cx=x, cy=y, r=float(r), fill="none", stroke=VERMILION, stroke_width=2)
            for page, r in rings.items()
            for x, y in [self.centres[page]]
        ]
        names = [self._name(page, reach[page]) for page in reach]
        return Drawing(self.width, self.height, joined([*pages, *arrows, *outlines, *names]))

    def _page(self, page: str, radius: float, name: str) -> Markup:
        x, y = self.centres[page]
        seems = look(name)
        dash = None if self.links[page] else "4 3"
        return element(
            "circle",
            cx=x,
            cy=y,
            r=float(radius),
            fill=seems.fill,
            stroke=seems.stroke,
            stroke_width=seems.width,
            stroke_dasharray=dash,
        )

    def _name(self, page: str, radius: float) -> Markup:
        (x, y), a = self.centres[page], self.turn[page]
        if len(self.links) == 1:
            return label(shorten(page, NAME), x, y + radius + 18, anchor="middle", bold=True)
        side, far = math.cos(a), radius + 7
        anchor = "middle" if abs(side) < 0.4 else "start" if side > 0 else "end"
        drop = 5 + 6 * math.sin(a)
        at = x + far * side, y + far * math.sin(a) + drop
        return label(shorten(page, NAME), round(at[0]), round(at[1]), anchor=anchor, bold=True)

    def _arrow(self, edge: Edge, reach: Mapping[str, float], flow: float, strong: bool) -> Markup:
        u, v = edge
        path = self._loop(u, reach[u]) if u == v else self._link(edge, reach[u], reach[v])
        colour = INK if strong else MUTED
        wide = 3.5 if strong else min(1 + WIDEST * flow, 6.0)
        return element("path", d=path, fill="none", stroke=colour, stroke_width=wide, opacity=0.85)

    def _link(self, edge: Edge, start: float, end: float) -> str:
        """Return an arrow from rim to rim; two that run to and fro bend apart."""
        (ax, ay), (bx, by) = self.centres[edge[0]], self.centres[edge[1]]
        dx, dy = bx - ax, by - ay
        length = max(math.hypot(dx, dy), 1.0)
        bend = 18 / length if edge[0] in self.links[edge[1]] else 0.0
        cx, cy = (ax + bx) / 2 - bend * dy, (ay + by) / 2 + bend * dx
        half = max(math.hypot(cx - ax, cy - ay), 1.0)
        start, end = min(start + 1, 0.9 * half), min(end + 3, 0.9 * half)
        first = ax + (cx - ax) * start / half, ay + (cy - ay) * start / half
        last = bx + (cx - bx) * end / half, by + (cy - by) * end / half
        curve = f"M{first[0]:.1f} {first[1]:.1f} Q{cx:.1f} {cy:.1f} {last[0]:.1f} {last[1]:.1f}"
        return curve + arrow_head(*last, math.atan2(last[1] - cy, last[0] - cx))

    def _loop(self, page: str, radius: float) -> str:
        """Return an arrow from a page to itself, beside its name."""
        (x, y), a = self.centres[page], self.turn[page]
        out, back = a - 1.35, a - 0.75

        def at(far: float, turn: float) -> str:
            return f"{x + far * math.cos(turn):.1f} {y + far * math.sin(turn):.1f}"

        rim, far = radius + 2, radius + 30
        curve = f"M{at(rim, out)} C{at(far, out - 0.2)} {at(far, back + 0.2)} {at(rim, back)}"
        tip = x + rim * math.cos(back), y + rim * math.sin(back)
        return curve + arrow_head(*tip, back + math.pi - 0.25)
