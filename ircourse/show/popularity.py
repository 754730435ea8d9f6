"""Explorers of popularity (section 21.1): links counted, and what a farm of pages adds to PageRank.

Scores and graphs are those of `ircourse.links`; the farm links to the page that is written first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ircourse.links import (
    FarmEffect,
    directed_popularity,
    farm_effect,
    link_farm,
    pagerank,
    undirected_popularity,
)
from ircourse.show.charts_svg import bars, curves
from ircourse.show.controls import Choice, Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.graph_svg import GraphPicture, legend
from ircourse.show.graphs import parse_edges
from ircourse.show.samples import HARBOUR, HARBOUR_LINES
from ircourse.show.style import MUTED
from ircourse.show.svg import Drawing, below, beside, caption, label, plural

FIGURE = "t d e\na t\nb t\nc t"
READY = {
    "the figure": FIGURE,
    "a harbour town": HARBOUR_LINES,
    "one that links to all": "x a b c d e f\na b\nb a",
}
MOST_SPAM, SHOWN = 6, 6
WIDTH = 640

LOOP, RING = (
    {page: [link] for page, link in zip("tabcdefg", links, strict=True)} for links in ("atcdefgb", "abcdefgt")
)
TARGETS: dict[str, tuple[Mapping[str, Sequence[str]], str]] = {
    "t and one page link to each other": (LOOP, "t"),
    "t stands in a ring of eight": (RING, "t"),
    "the fish of the harbour town": (HARBOUR, "fish"),
}
SIZES, EVERY = (0, 2, 5, 10, 20, 30, 40, 60, 80, 100), range(101)

__all__ = ["LOOP", "RING", "count_links", "watch_farm"]


class Counted(NamedTuple):
    """A graph with its spam: the page it is about, and both counts of links."""

    target: str
    spam: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    undirected: dict[str, int]
    directed: dict[str, int]

    def looks(self) -> dict[str, str]:
        """Return what each page is."""
        return dict.fromkeys(self.spam, "spam") | {self.target: "target"}

    def first(self, scores: dict[str, int]) -> str:
        """Return the page of highest score."""
        return max(scores, key=lambda page: scores[page])


def _ranked(counted: Counted, scores: dict[str, int], name: str) -> Drawing:
    best = sorted(scores, key=lambda page: -scores[page])[:SHOWN]
    looks = [counted.looks().get(page, "plain") for page in best]
    chart = bars(best, [scores[page] for page in best], "links", looks=looks, width=300)
    more = f"and {len(scores) - SHOWN} more" if len(scores) > SHOWN else ""
    rest = Drawing(300, 18, label(more, 12, 12, fill=MUTED))
    return below(caption(name, 300), chart, rest, gap=6)


def count_links(edges: str = FIGURE) -> Explorer:
    """Return a graph to write with both counts of links, and spam pages that link to its first page."""

    def state(edges: dict[str, list[str]], spam: int) -> Counted:
        target = next(iter(edges))
        graph = link_farm(edges, target, spam)
        undirected, directed = undirected_popularity(graph).as_dict(), directed_popularity(graph).as_dict()
        added = tuple(graph.labels[len(edges) :])
        return Counted(target, added, tuple(graph.edges()), undirected, directed)

    def draw(counted: Counted) -> Drawing:
        linked = {v for u, v in counted.links if u != v}
        roots = [page for page in counted.directed if page not in linked]
        counts = [edge for edge in counted.links if counted.target in edge]
        names = {page: page.removeprefix("spam ") for page in counted.spam}
        picture = GraphPicture(counted.directed, counted.links, roots, names=names, width=WIDTH)
        charts = [
            _ranked(counted, counted.undirected, "Undirected: links to and from"),
            _ranked(counted, counted.directed, "Directed: links to"),
        ]
        graph = picture.draw(counted.looks(), strong=counts)
        return below(graph, legend(["target", "spam", "plain"], WIDTH), beside(*charts, gap=40), gap=18)

    def describe(counted: Counted) -> str:
        t, both, to = counted.target, counted.undirected, counted.directed
        spam = f" {plural(len(counted.spam), 'spam page')} gave {len(counted.spam)}." if counted.spam else ""
        return (
            f"{t} has {to[t]} to it and {both[t] - to[t]} from it: undirected {both[t]}, directed "
            f"{to[t]}.{spam} First: {counted.first(both)} undirected, {counted.first(to)} directed."
        )

    def table(counted: Counted) -> list[Row]:
        rows = [[page, both, counted.directed[page]] for page, both in counted.undirected.items()]
        return [["page", "undirected", "directed"], *rows]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Popularity by counting links",
        controls={
            "edges": Text("A page, then those it links to", edges, parse_edges, lines=5, ready=READY),
            "spam": Number("Spam pages that link to the first page", 0, MOST_SPAM, 0),
        },
        notice="Heavy arrows are the links that the marked page's scores count. What does one spam page add? "
        "Which of the two counts can a page raise without any help?",
    )


class Farmed(NamedTuple):
    """What a farm does: its size and effect; the target's scores by size, by claim C64 and as measured."""

    size: int
    effect: FarmEffect
    formula: list[tuple[float, float]]
    measured: list[tuple[float, float]]


@lru_cache(maxsize=4)
def _by_size(name: str, damping: float) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the score of the target by the size of the farm: by claim C64, and as PageRank measures it."""
    graph, t = TARGETS[name]
    effect = farm_effect(graph, t, 0, damping=damping)
    n, at, d = len(effect.labels), effect.labels.index(t), damping
    before, visits = float(effect.before[at]), float(effect.visits[at])
    formula = [(float(m), (n * before + m * d * (1 - d) * visits) / (n + m)) for m in EVERY]
    scores = [pagerank(link_farm(graph, t, m), damping=damping).as_dict()[t] for m in SIZES]
    return formula, [(float(m), float(score)) for m, score in zip(SIZES, scores, strict=True)]


def watch_farm() -> Explorer:
    """Return a small web with a link farm: its size, the damping and the target's place to choose."""

    def state(name: str, size: int, damping: float) -> Farmed:
        graph, target = TARGETS[name]
        return Farmed(size, farm_effect(graph, target, size, damping=damping), *_by_size(name, damping))

    def draw(farmed: Farmed) -> Drawing:
        both = {"formula": farmed.formula, "measured": farmed.measured}
        lines = {name: [(m, round(score, 6)) for m, score in line] for name, line in both.items()}
        chart = curves(lines, "pages in the farm", "PageRank of the target", width=WIDTH, height=270)
        effect = farmed.effect
        names = [str(page) for page in effect.labels]
        looks = ["target" if page == effect.target else "plain" for page in effect.labels]
        limit = float(max(effect.before.max(), effect.after.max()))
        sides = [
            below(
                caption(says, 300),
                bars(names, scores.round(4).tolist(), "PageRank", looks=looks, limit=limit, width=300),
                gap=6,
            )
            for says, scores in (("Before", effect.before), (f"With {farmed.size} pages", effect.after))
        ]
        return below(chart, beside(*sides, gap=40), gap=18)

    def describe(farmed: Farmed) -> str:
        effect = farmed.effect
        t = effect.labels.index(effect.target)
        farm = farmed.size * effect.spam
        return (
            f"A farm of {plural(farmed.size, 'page')} takes {effect.target} from {effect.before[t]:.3f} to "
            f"{effect.after[t]:.3f}. The farm's own pages hold {farm:.3f} of all PageRank, the rest of the "
            f"web {1 - farm - effect.after[t]:.3f}. A surfer at {effect.target} is there "
            f"{effect.visits[t]:.2f} times before he is bored."
        )

    def table(farmed: Farmed) -> list[Row]:
        formula = dict(farmed.formula)
        rows = [[f"{m:g}", f"{formula[m]:.4f}", f"{score:.4f}"] for m, score in farmed.measured]
        return [["pages in the farm", "formula", "measured"], *rows]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="A link farm and what it gains",
        controls={
            "name": Choice("Where", list(TARGETS)),
            "size": Number("Pages in the farm", 0, 100, 20),
            "damping": Choice("Damping d", [0.5, 0.7, 0.85], 0.85),
        },
        notice="Dots are measured. In which web does the formula fail, and why? Which damping helps the "
        "farm most in the ring, and which in the loop?",
    )
