"""The explorer of the bow-tie (section 19.2): a small web to write, its pages in their parts, and why.

The parts are those that `ircourse.graphs.bow_tie_parts` finds. Why a page is in its part is told by shortest
paths from it or to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ircourse.graphs import Graph, as_graph, bow_tie_parts
from ircourse.graphs.bow_tie import PARTS
from ircourse.show.controls import Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.graph_svg import GraphPicture, legend
from ircourse.show.graphs import parse_edges
from ircourse.show.layout import BOX_HEIGHT, Edge
from ircourse.show.samples import HARBOUR_LINES
from ircourse.show.style import MUTED, PAPER, RULE
from ircourse.show.svg import Drawing, Markup, below, box, clip, joined, label, plural, text_width
from ircourse.show.webs import short

EXAMPLE = "a x\nx y\ny z\nz x o\no p\na t\nb y t\nb u\nu p\ns o\nh t\nm n"
READY = {
    "all six parts": EXAMPLE,
    "a harbour town": HARBOUR_LINES,
    "no core": "a b c\nb d\nc d\nd e",
    "two cores": "f f a\na b\nb a c\nc d\nd e\ne c",
}
NAMES = {"in": "IN", "core": "CORE", "out": "OUT", "tendrils": "TENDRILS", "tubes": "TUBES", "other": "OTHER"}
MOST_PAGES = 24
ZONE, GAP, ROW = 200.0, 20.0, 44.0

__all__ = ["NAMES", "Explained", "edit_bow_tie", "explain", "told"]


class Explained(NamedTuple):
    """A web's parts, one page of it, and the paths that say why it is in its part."""

    graph: Graph
    parts: list[str]
    page: int | None
    paths: list[list[int]]
    says: str

    def sizes(self) -> dict[str, int]:
        """Return how many pages each part has."""
        return {part: self.parts.count(part) for part in PARTS}

    def name(self, page: int) -> str:
        """Return what to call a page."""
        name = self.graph.labels[page]
        return f"page {name}" if isinstance(name, int) else short(name)


def shortest(links: Callable[[int], list[int]], starts: Iterable[int], page: int, n: int) -> list[int]:
    """Return the numbers of the pages on a shortest path from one of ``starts`` to ``page``, [] for none."""
    before = [-1] * n
    queue = deque(starts)
    for start in queue:
        before[start] = start
    while queue and before[page] < 0:
        u = queue.popleft()
        for v in links(u):
            if before[v] < 0:
                before[v] = u
                queue.append(v)
    path = [page] if before[page] >= 0 else []
    while path and before[path[-1]] != path[-1]:
        path.append(before[path[-1]])
    return path[::-1]


def explain(graph: Graph, page: int | None) -> Explained:
    """Return the parts of a web, and why a page is in its own.

    >>> seen = explain(as_graph([("i", "c"), ("c", "d"), ("d", "c")]), 0)
    >>> seen.parts, seen.paths
    (['in', 'core', 'core'], [[0, 1]])
    """
    parts = [PARTS[part] for part in bow_tie_parts(graph).tolist()]
    if page is None:
        return Explained(graph, parts, None, [], "")
    n, back = graph.n_nodes, graph.reverse()
    of = {part: [i for i in range(n) if parts[i] == part and i != page] for part in PARTS}

    def from_(part: str) -> list[int]:
        return shortest(graph.links, of[part], page, n)

    def to(part: str) -> list[int]:
        return shortest(back.links, of[part], page, n)[::-1]

    part = parts[page]
    found = {"core": [to("core"), from_("core")], "in": [to("core")], "out": [from_("core")], "other": []}
    paths = found[part] if part in found else [from_("in"), to("out")]
    paths = [path for path in paths if path]
    seen = Explained(graph, parts, page, paths, "")
    return seen._replace(says=_why(seen, part))


def _why(seen: Explained, part: str) -> str:
    """Return in words why the page is in its part."""
    name = seen.name(seen.page or 0)
    told = ["; ".join(_path(seen, path) for path in seen.paths)]
    match part:
        case "core":
            told += ["links lead from it to the rest of the core and back"]
        case "in":
            told += ["links lead from it to the core, none lead back"]
        case "out":
            told += ["links lead from the core to it, none lead back"]
        case "tubes":
            told += ["links lead to it from IN and on to OUT, past the core"]
        case "tendrils":
            away = seen.parts[seen.paths[0][0]] == "in"
            told += [
                "links lead to it from IN, none on to OUT" if away else "links lead to OUT, none from IN"
            ]
        case _:
            told = ["no path joins it with the core, none comes from IN, none leads to OUT"]
    return f"{name} is in {NAMES[part]}: {': '.join(told[::-1])}."


def _path(seen: Explained, path: Sequence[int]) -> str:
    names = [seen.name(page) for page in path]
    return " \u2192 ".join(names if len(names) <= 6 else [*names[:3], "\u2026", *names[-2:]])


def told(seen: Explained) -> str:
    """Return the sizes of the parts, and why the page is in its own."""
    sizes = seen.sizes()
    counts = ", ".join(f"{NAMES[part]} {sizes[part]:,}" for part in PARTS)
    return f"{plural(seen.graph.n_nodes, 'page')}: {counts}. {seen.says}"


class BowTiePicture(GraphPicture):
    """A small web with each page in the zone of its part."""

    def __init__(self, graph: Graph, parts: Sequence[str]) -> None:
        edges: list[Edge] = [(u, v) for u, v in graph.edges() if u != v]
        super().__init__(graph.labels, edges, width=3 * ZONE + 2 * GAP)
        rows = {
            part: self._rows([graph.labels[i] for i, p in enumerate(parts) if p == part]) for part in PARTS
        }
        self.zones: list[Markup] = []
        self.heads: list[Markup] = []
        y = 0.0
        for line in (("in", "core", "out"), ("tendrils", "tubes", "other")):
            high = 48 + ROW * max(1, *(len(rows[part]) for part in line))
            for i, part in enumerate(line):
                self._place(part, rows[part], i * (ZONE + GAP), y, high)
            y += high + GAP
        self.height = y - GAP
        self.arrows = self._arrows(edges)

    def _rows(self, pages: Sequence[Any]) -> list[list[Any]]:
        """Return pages broken into rows that fit a zone."""
        rows: list[list[Any]] = []
        for page in pages:
            if rows and sum(self.widths[p] + 14 for p in [*rows[-1], page]) <= ZONE:
                rows[-1].append(page)
            else:
                rows.append([page])
        return rows

    def _place(self, part: str, rows: Sequence[Sequence[Any]], x: float, y: float, high: float) -> None:
        strong = part in ("in", "core", "out")
        frame = {
            "fill": "#f4f8fb" if strong else "#fafafa",
            "stroke": RULE,
            "stroke_dasharray": None if strong else "4 3",
        }
        self.zones.append(box(x + 0.5, y + 0.5, ZONE - 1, high - 1, rx=10, **frame))
        wide = text_width(NAMES[part]) + 8
        self.heads.append(box(x + 6, y + 5, wide, 20, fill=PAPER, stroke="none", rx=4))
        self.heads.append(label(NAMES[part], x + 10, y + 20, bold=True, fill=MUTED))
        for r, row in enumerate(rows):
            free = (ZONE - sum(self.widths[page] for page in row)) / (len(row) + 1)
            at = x + free
            for page in row:
                self.centres[page] = (
                    round(at + self.widths[page] / 2, 1),
                    y + 36 + r * ROW + BOX_HEIGHT / 2 + 3,
                )
                at += self.widths[page] + free

    def seen(self, seen: Explained) -> Drawing:
        """Return the picture, the page and its paths marked."""
        names = seen.graph.labels
        strong = [(names[u], names[v]) for path in seen.paths for u, v in pairwise(path)]
        looks = {} if seen.page is None else {names[seen.page]: "target"}
        web = self.draw(looks, strong=strong)
        return Drawing(self.width, self.height, joined([*self.zones, web.body, *self.heads]))


def edit_bow_tie(edges: str = EXAMPLE) -> Explorer:
    """Return a small web to write: every page in the zone of its part, and why one page is there."""

    def parse(text: str) -> dict[str, list[str]]:
        links = parse_edges(text)
        if len(links) > MOST_PAGES:
            raise ValueError(f"{len(links)} pages are too many for this picture: write at most {MOST_PAGES}.")
        return links

    def state(edges: dict[str, list[str]], page: str) -> Explained:
        graph = as_graph(edges)
        if page in graph.labels:
            return explain(graph, graph.number(page))
        missing = f"There is no page {clip(page, 40)!r} to explain." if page else ""
        return explain(graph, None)._replace(says=missing)

    def draw(seen: Explained) -> Drawing:
        return below(BowTiePicture(seen.graph, seen.parts).seen(seen), legend(["target", "plain"]))

    def table(seen: Explained) -> list[Row]:
        rows = [[NAMES[part], size, _members(seen, part)] for part, size in seen.sizes().items()]
        return [["part", "pages", "which"], *rows]

    ready = READY if edges in READY.values() else {"your web": edges, **READY}
    return Sliders(
        state,
        draw,
        told,
        table,
        title="A bow-tie to write",
        controls={
            "edges": Text("Links", edges, parse, lines=7, examples=["A A", "A B\nB A"], ready=ready),
            "page": Text("Page to explain", next(iter(parse_edges(edges))), examples=["t", "none"]),
        },
        notice="Which two links, each added on a line of its own, empty OTHER together? Answer the question "
        "below before you add the link o a.",
    )


def _members(seen: Explained, part: str) -> str:
    return ", ".join(str(seen.graph.labels[i]) for i, p in enumerate(seen.parts) if p == part)
