"""Explorer of root and base sets (section 21.3.1): what a query's graph is made of, and who leads in it.

Pages are those of Saltmere; the sets, the links and the scores are those of `ircourse.links`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ircourse.graphs import Graph, as_graph
from ircourse.index import InvertedIndex
from ircourse.links import BasePages, Hits, base_pages, base_set, hits, host_of, root_set
from ircourse.show.anchors import name_of
from ircourse.show.charts_svg import bars
from ircourse.show.controls import Choice, Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.player import Player
from ircourse.show.style import INK, MUTED, look
from ircourse.show.svg import (
    Drawing,
    Markup,
    below,
    beside,
    box,
    caption,
    clip,
    element,
    joined,
    label,
    plural,
)
from ircourse.web import tiny_web

FIELDS = ("link to a root page", "root set", "linked to by one")
ACROSS, SPACING, WIDTH, SHOWN = 7, 24.0, 660.0, 5
LEADERS = 3

__all__ = ["grow_base_set"]


@cache
def _town() -> tuple[list[str], Graph, InvertedIndex]:
    """Return the URLs of the pages, the graph of their links, and the index of their words."""
    pages = dict(tiny_web())
    links = {url: [str(link) for link in page.links if str(link) in pages] for url, page in pages.items()}
    return (
        list(pages),
        as_graph(links),
        InvertedIndex(f"{page.title}\n{page.text}" for page in pages.values()),
    )


class Stage(NamedTuple):
    """A stage of the growth: which pages are in, which links are drawn, and at the end the scores."""

    query: str
    pages: BasePages
    step: int  # 1 root set, 2 with what it links to, 3 what links to it, 4 links left out, 5 scored
    links: Sequence[tuple[str, str]]
    dropped: int
    scores: Hits | None

    def fields(self) -> list[Sequence[str]]:
        """Return the pages that are in, by where they stand."""
        root, to, linking, _ = self.pages
        return [linking if self.step > 2 else (), root, to if self.step > 1 else ()]

    def leaders(self, kind: str) -> list[tuple[str, float]]:
        """Return the pages of highest scores."""
        if self.scores is None:
            return []
        ranked = self.scores.hub_ranking() if kind == "hub" else self.scores.authority_ranking()
        return [(str(page), score) for page, score in ranked[:SHOWN] if score > 1e-9]


def stages(query: str, n: int, cap: int, within: bool) -> list[Stage]:
    """Return the growth of a query's base set: root, out, in, links within hosts left out, scores."""
    urls, web, index = _town()
    root = [urls[doc] for doc in root_set(index, query, n=n)]
    pages = base_pages(web, root, cap=cap)
    everything, kept = (
        base_set(web, root, cap=cap, host=host) for host in (None, None if within else host_of)
    )
    links, final = list(everything.edges()), list(kept.edges())
    found = []
    for step in (1, 2, 3):
        inside = {page for part in pages[:step] for page in part}
        among = [(u, v) for u, v in links if u in inside and v in inside]
        found.append(Stage(query, pages, step, among, 0, None))
    dropped = len(links) - len(final)
    found.append(Stage(query, pages, 4, final, dropped, None))
    return [*found, Stage(query, pages, 5, final, dropped, hits(kept) if final else None)]


def _spots(fields: Sequence[Sequence[str]]) -> dict[str, tuple[float, float]]:
    """Return a place for each page, field by field."""
    spots = {}
    for column, pages in enumerate(fields):
        for i, page in enumerate(pages):
            x = 22 + column * 234 + SPACING * (i % ACROSS)
            spots[page] = (x, 14 + SPACING * (i // ACROSS))
    return spots


def _lines(
    spots: Mapping[str, tuple[float, float]], links: Sequence[tuple[str, str]], width: float, opacity: float
) -> Markup:
    """Return links as one path of straight lines."""
    ends = [(spots[u], spots[v]) for u, v in links if u != v]
    path = "".join(f"M{x:.0f} {y:.0f}L{p:.0f} {q:.0f}" for (x, y), (p, q) in ends)
    return element("path", d=path or "M0 0", stroke=INK, stroke_width=width, opacity=opacity, fill="none")


def _dot(spot: tuple[float, float], rank: Mapping[str, int]) -> Markup:
    """Return a page: a disc for a leading authority, a square for a leading hub, both with their place."""
    (x, y), parts = spot, []
    if not rank:
        return element("circle", cx=x, cy=y, r=5, fill="#f4f4f4", stroke="#6b6b6b")
    for kind, place in rank.items():
        seems = look(kind)
        at = x + (0 if len(rank) == 1 else -7 if kind == "hub" else 7)
        frame = {"fill": seems.fill, "stroke": seems.stroke, "stroke_width": 2}
        parts.append(box(at - 10, y - 10, 20, 20, rx=0 if kind == "hub" else 10, **frame))
        parts.append(label(str(place), at, y + 5, anchor="middle", bold=True))
    return joined(parts)


def _bars(stage: Stage, kind: str) -> Drawing:
    title = {"hub": "Hubs (squares)", "authority": "Authorities (discs)"}[kind]
    leaders = stage.leaders(kind)
    if not leaders:
        says = "no links, no scores" if stage.step == 5 else "scored at the last step"
        space = Drawing(310, 6 + 26 * (SHOWN + 1), label(says, 0, 15, fill=MUTED, font_style="italic"))
        return below(caption(title, 310), space, gap=4)
    names = [f"{i}  {name_of(page)}" for i, (page, _) in enumerate(leaders, 1)]
    values = [round(score, 3) for _, score in leaders]
    chart = bars(names, values, f"{kind} score", looks=[kind] * len(leaders), width=310)
    return below(caption(title, 310), Drawing(310, 26 * (SHOWN + 1), chart.body), gap=4)


def draw(stage: Stage) -> Drawing:
    """Return the pages in three fields, the links between them, and below the leaders."""
    fields = stage.fields()
    spots = _spots(fields)
    best = next((page for page, _ in stage.leaders("authority")), None)
    faint = [(u, v) for u, v in stage.links if v != best]
    heavy = [(u, v) for u, v in stage.links if v == best]
    lines = [_lines(spots, faint, 0.7, 0.25), _lines(spots, heavy, 1.6, 0.85)]
    ranks: dict[str, dict[str, int]] = {page: {} for page in spots}
    for kind in ("hub", "authority"):
        for place, (page, _) in enumerate(stage.leaders(kind)[:LEADERS], 1):
            ranks[page][kind] = place
    dots = [_dot(spots[page], ranks[page]) for page in sorted(spots, key=lambda page: len(ranks[page]))]
    heads = [
        label(f"{name} ({len(pages)})", 8 + column * 234, 15, bold=True)
        for column, (name, pages) in enumerate(zip(FIELDS, fields, strict=True))
    ]
    most = max(len(part) for part in stage.pages[:3])
    height = SPACING * -(-most // ACROSS) + 14
    if not stage.pages.root:
        heads.append(label("nothing found", 242, 40, fill=MUTED, font_style="italic"))
    field = Drawing(WIDTH, max(height, 60), joined([*lines, *dots]))
    charts = beside(_bars(stage, "hub"), _bars(stage, "authority"), gap=40)
    return below(Drawing(WIDTH, 20, joined(heads)), field, charts, gap=8)


def describe(stage: Stage) -> str:
    """Return what this stage adds."""
    root, to, linking, left_out = stage.pages
    links = plural(len(stage.links), "link")
    if not root:
        return f"No page holds all words of “{clip(stage.query, 60)}”: no root set, no scores."
    if stage.step == 1:
        pages = plural(len(root), "page")
        return f"The root set: the {pages} that a search for the query finds, with {links} among them."
    if stage.step == 2:
        return f"With what the root pages link to: {plural(len(to), 'page')} more, {links}."
    if stage.step == 3:
        over = f"{len(left_out)} over the cap" if left_out else "none over the cap"
        return f"With what links to a root page: {plural(len(linking), 'page')} more, {over}; {links}."
    if stage.step == 4:
        left = "no links are left out" if not stage.dropped else f"{stage.dropped} within hosts are left out"
        return f"Of the links {left}: {links} to score."
    if stage.scores is None:
        return "No links remain between these pages: there are no hubs and authorities."
    hub, authority = (name_of(stage.leaders(kind)[0][0]) for kind in ("hub", "authority"))
    return f"HITS on {links}: the best hub is {hub}, the best authority {authority}."


def table(stage: Stage) -> list[Row]:
    """Return the pages with where they came in, and their scores."""
    scores = {} if stage.scores is None else dict(stage.scores.authority_ranking())
    hubs = {} if stage.scores is None else dict(stage.scores.hub_ranking())
    rows = [
        [name_of(page), name, *(f"{s[page]:.3f}" if page in s else "" for s in (hubs, scores))]
        for name, pages in zip(FIELDS, stage.fields(), strict=True)
        for page in pages
    ]
    return [["page", "stands under", "hub", "authority"], *rows]


def grow_base_set(query: str = "museum") -> Explorer:
    """Return a player: the root set of a query on Saltmere grows to the base set and is scored."""
    return Player(
        stages,
        draw,
        describe,
        table,
        title="From a query to its base set",
        controls={
            "query": Text("Query", query, examples=["library", "crab fishing", "tide"]),
            "n": Number("Root pages at most", 1, 30, 20),
            "cap": Number("Pages that may link to each", 0, 50, 50),
            "within": Choice("Links within a host", [("left out", False), ("kept", True)]),
        },
        notice="Dark lines lead to the best authority, disc 1; numbered squares are the best hubs. For "
        "“museum” disc 1 stands right of the root set: the search did not find it, the links did.",
        start=4,
    )
