"""Graphs as boxes and arrows; the boxes keep their places while their looks change from step to step."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from ircourse.show.layout import BOX_HEIGHT, Edge, Node, Point, layers, place, route, rows
from ircourse.show.style import INK, SIZE, Look, look
from ircourse.show.svg import Drawing, Markup, box, clip, element, joined, label, shorten, text_width

MOST = 60
EDGE = "#777777"
HEAD = 9.0  # pixels of each stroke of an arrow head

__all__ = ["GraphPicture", "arrow_head", "legend"]


class GraphPicture:
    """The drawing of one graph: places and arrows are found once, colours at each step.

    nodes  what the edges name, each once, in the order in which ties are broken
    edges  pairs of nodes; repeated ones are drawn once
    roots  the nodes of the first row
    names  what to write in the boxes (default: the node as text), shortened where too long
    width  in pixels

    Raises ValueError for more than 60 nodes, which nobody could read.
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        edges: Iterable[Edge],
        roots: Iterable[Node] = (),
        *,
        names: Mapping[Node, str] | None = None,
        width: float = 640,
    ) -> None:
        edges = list(dict.fromkeys(edges))
        self.nodes = list(dict.fromkeys([*nodes, *(node for edge in edges for node in edge)]))
        if len(self.nodes) > MOST:
            raise ValueError(f"{len(self.nodes)} nodes cannot be read in one picture: draw at most {MOST}")
        full = {node: clip(str(names.get(node, node) if names else node), 200) for node in self.nodes}
        longest = 170.0 if len(self.nodes) <= 14 else 92.0
        self.titles = full
        self.labels = {node: shorten(name, longest) for node, name in full.items()}
        self.widths = {node: max(text_width(name) + 34, 46.0) for node, name in self.labels.items()}
        roots = [node for node in dict.fromkeys(roots) if node in full]
        lines = rows(layers(self.nodes, edges, roots), self.widths, width)
        self.centres, self.height = place(lines, self.widths, width)
        self.width = width
        self.arrows = self._arrows(edges)

    def _arrows(self, edges: list[Edge]) -> dict[Edge, str]:
        """Return the path of each edge."""
        spot = {node: i for i, node in enumerate(self.nodes)}
        centres = [self.centres[node] for node in self.nodes]
        half = BOX_HEIGHT / 2 + 3
        frames = [(*self.centres[node], self.widths[node] / 2 + 3) for node in self.nodes]
        boxes = np.array([(x - w, y - half, x + w, y + half) for x, y, w in frames])
        known = set(edges)
        paths = {}
        for u, v in edges:
            if u == v:
                paths[u, v] = _loop(*self.centres[u], self.widths[u])
            else:
                paths[u, v] = _path(*route(spot[u], spot[v], centres, boxes, (v, u) in known))
        return paths

    def draw(
        self,
        looks: Mapping[Node, str],
        *,
        strong: Collection[Edge] = (),
        marks: Mapping[Node, str] | None = None,
        rest: str = "plain",
    ) -> Drawing:
        """Return the picture of one step.

        looks   the name of a look (`style.LOOKS`) for each node; ``rest`` for those that are missing
        strong  edges drawn heavy, such as those of a tree
        marks   what to write before a node's name in place of its look's mark
        """
        chosen = set(strong)
        lines = [_arrow(path, edge in chosen) for edge, path in self.arrows.items() if edge not in chosen]
        lines += [_arrow(path, True) for edge, path in self.arrows.items() if edge in chosen]
        boxes = [self._box(node, look(looks.get(node, rest)), (marks or {}).get(node)) for node in self.nodes]
        return Drawing(self.width, self.height, joined([*lines, *boxes]))

    def _box(self, node: Node, seems: Look, mark: str | None) -> Markup:
        x, y = self.centres[node]
        wide = self.widths[node]
        left, base = x - wide / 2, y + SIZE * 0.36
        mark = seems.mark if mark is None else mark
        frame = box(
            left,
            y - BOX_HEIGHT / 2,
            wide,
            BOX_HEIGHT,
            rx=seems.corner,
            fill=seems.fill,
            stroke=seems.stroke,
            stroke_width=seems.width,
            stroke_dasharray=seems.dash,
        )
        words = label(self.labels[node], x + (9 if mark else 0), base, anchor="middle")
        sign = (
            label(mark, left + 13, base, anchor="middle", bold=True, fill=seems.stroke) if mark else Markup()
        )
        whole = f"{self.titles[node]}: {seems.meaning}"
        return element("g", element("title", whole), frame, sign, words)


def _path(start: Point, control: Point, end: Point) -> str:
    """Return a curve with an arrow head at its end."""
    (x0, y0), (cx, cy), (x, y) = start, control, end
    curve = f"M{x0:.1f} {y0:.1f} Q{cx:.1f} {cy:.1f} {x:.1f} {y:.1f}"
    return curve + arrow_head(x, y, math.atan2(y - cy, x - cx))


def arrow_head(x: float, y: float, angle: float) -> str:
    """Return the two strokes of an arrow head at (x, y), of an arrow that runs in the direction ``angle``."""
    ends = [(x - HEAD * math.cos(angle + turn), y - HEAD * math.sin(angle + turn)) for turn in (0.45, -0.45)]
    (ax, ay), (bx, by) = ends
    return f" M{ax:.1f} {ay:.1f} L{x:.1f} {y:.1f} L{bx:.1f} {by:.1f}"


def _loop(x: float, y: float, width: float) -> str:
    """Return an arrow from a box to itself, over its upper right corner."""
    top, right = y - BOX_HEIGHT / 2, x + width / 2
    start, end = right - 16, y - 2
    line = f"M{start:.1f} {top - 2:.1f} C{start + 2:.1f} {top - 22:.1f} {right + 30:.1f} {end - 14:.1f}"
    return f"{line} {right + 4:.1f} {end:.1f}" + arrow_head(right + 4, end, 2.7)


def _arrow(path: str, strong: bool) -> Markup:
    colour, width = (INK, 3.2) if strong else (EDGE, 1.3)
    return element("path", d=path, fill="none", stroke=colour, stroke_width=width, stroke_linejoin="round")


def legend(names: Iterable[str], width: float = 640) -> Drawing:
    """Return small boxes that say what the looks mean, broken into lines."""
    parts: list[Markup] = []
    x, y = 0.0, 0.0
    for name in names:
        seems = look(name)
        step = 34 + text_width(seems.meaning) + 22
        if x and x + step - 22 > width:
            x, y = 0.0, y + 26
        style = seems.frame()
        parts.append(box(x + 1, y + 1, 28, 18, rx=min(seems.corner, 9), stroke_width=seems.width, **style))
        parts.append(
            label(seems.mark, x + 15, y + 15, anchor="middle", bold=True, fill=seems.stroke, font_size=12)
        )
        parts.append(label(seems.meaning, x + 36, y + 15))
        x += step
    return Drawing(width, y + 20, joined(parts))
