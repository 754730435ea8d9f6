"""The explorer of whole webs as bow-ties (section 19.2): Saltmere, generated ones, one's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from ircourse.graphs import Graph, as_graph, copying_graph, erdos_renyi
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import INK, look
from ircourse.show.svg import Drawing, Markup, element, joined, label
from ircourse.show.web_graph import NAMES, Explained, explain, told
from ircourse.show.webs import links_of
from ircourse.web import random_web, tiny_web

PAGES, LINKS, FIRST = 2000, 8.0, 3
MADE = (
    "An area is a number of pages. With links at random, go from one half link a page upwards: where does "
    "the core come into being, and where do the other parts vanish?"
)
YOURS = "An area is a number of pages. Try pages of several parts: the path below says why each is there."

__all__ = ["see_bow_tie"]


@cache
def _saltmere() -> Graph:
    town = dict(tiny_web())
    return as_graph(
        {url: [str(link) for link in page.links if str(link) in town] for url, page in town.items()}
    )


@lru_cache(maxsize=40)
def _made(kind: str, links: float) -> Graph:
    makers = {
        "planted": lambda: random_web(PAGES, 1, links=links).graph,
        "copied": lambda: copying_graph(PAGES, links, 1),
        "random": lambda: erdos_renyi(PAGES, links, 1),
    }
    return makers[kind]()


SPOTS = {
    "in": (110, 124),
    "core": (320, 124),
    "out": (530, 124),
    "tendrils": (110, 276),
    "tubes": (320, 276),
    "other": (530, 276),
}
ARROWS = (("in", "core"), ("core", "out"), ("in", "tendrils"), ("in", "tubes"), ("tubes", "out"))
RADIUS = 72.0


def _arrow(sizes: Mapping[str, float], u: str, v: str) -> Markup:
    """Return a line from one part's disc to another's, with a head; nothing where one of them is empty."""
    (x0, y0), (x1, y1) = SPOTS[u], SPOTS[v]
    if not sizes[u] or not sizes[v]:
        return Markup("")
    long = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    dx, dy = (x1 - x0) / long, (y1 - y0) / long
    a, b = sizes[u] + 6, long - sizes[v] - 8
    ends = {
        "x1": round(x0 + a * dx),
        "y1": round(y0 + a * dy),
        "x2": round(x0 + b * dx),
        "y2": round(y0 + b * dy),
    }
    x, y = x0 + b * dx, y0 + b * dy
    head = " ".join(
        f"{x + s * dx + t * dy:.0f},{y + s * dy - t * dx:.0f}" for s, t in ((8, 0), (-5, 5), (-5, -5))
    )
    line = element("line", **ends, stroke=INK, stroke_width=2)
    return joined([line, element("polygon", points=head, fill=INK)])


def _discs(seen: Explained) -> Drawing:
    """Return the parts as discs whose areas are their sizes."""
    n = max(1, seen.graph.n_nodes)
    radius = {p: size and max(2.0, round(RADIUS * (size / n) ** 0.5)) for p, size in seen.sizes().items()}
    parts = [_arrow(radius, u, v) for u, v in ARROWS]
    here = None if seen.page is None else seen.parts[seen.page]
    for part, size in seen.sizes().items():
        x, y = SPOTS[part]
        kind = look("target") if part == here else look("plain")
        fill = {"fill": kind.fill, "stroke": kind.stroke, "stroke_width": kind.width}
        if size:
            parts.append(element("circle", cx=x, cy=y, r=radius[part], **fill))
        if part == here:
            parts.append(label(kind.mark, x, y + 6, anchor="middle", bold=True, fill=kind.stroke))
        at = 14 if y < 200 else y + RADIUS + 18
        parts.append(label(NAMES[part], x, at, anchor="middle", bold=True))
        parts.append(label(f"{size:,} ({size / n:.0%})", x, at + 18, anchor="middle"))
    return Drawing(640, 390, joined(parts))


def see_bow_tie(web: Mapping[Any, Any] | None = None) -> Explorer:
    """Return the parts of Saltmere, of a generated web or of ``web``, and why a page is in its part."""
    links_from = {} if web is None else links_of(web)
    yours = as_graph({u: [v for v in out if v in links_from] for u, out in links_from.items()})
    kinds = [("made with a bow-tie", "planted"), ("links copied", "copied"), ("links at random", "random")]
    for _, kind in kinds:
        _made(kind, LINKS)  # loads the generators now, not at the first choice
    options = [*([("your web", "yours")] if web else []), ("Saltmere", "saltmere"), *kinds]

    def state(kind: str, links: float, page: int) -> Explained:
        fixed = {"yours": yours, "saltmere": _saltmere()}
        graph = fixed[kind] if kind in fixed else _made(kind, links)
        if page < graph.n_nodes:
            return explain(graph, page)
        missing = f"There is no page {page}: the last has the number {graph.n_nodes - 1}."
        return explain(graph, None)._replace(says=missing)

    def table(seen: Explained) -> list[Row]:
        n = seen.graph.n_nodes
        rows = [[NAMES[part], size, f"{size / n:.1%}"] for part, size in seen.sizes().items()]
        paths = [["path", len(path), " \u2192 ".join(map(seen.name, path))] for path in seen.paths]
        return [["part", "pages", "share"], *rows, *paths]

    return Sliders(
        state,
        _discs,
        told,
        table,
        title="The bow-tie of a web",
        controls={
            "kind": Choice("Web", options, None if web else "planted"),
            "links": Number("Links a page (generated webs)", 0.5, 12.0, LINKS, 0.5),
            "page": Number("Page to explain", 0, PAGES - 1, FIRST),
        },
        notice=YOURS if web else MADE,
    )
