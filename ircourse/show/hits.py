"""Explorer of HITS (section 21.3): scores that bounce to and fro between hubs and authorities.

What is watched is `ircourse.links.hits_steps`, each step in its two halves: a = Aᵗh, then h = A a. In the
graphs that a student writes, a link written twice weighs twice.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import Graph, Label
from ircourse.links import hits_steps
from ircourse.show.controls import Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.graphs import parse_edges
from ircourse.show.samples import HARBOUR_LINES
from ircourse.show.style import INK, RULE, look
from ircourse.show.svg import Drawing, Markup, below, box, element, joined, label, shorten

FIGURE = "2 1\n3 1\n4 1\n1 5 6 7"
JAGUAR = "0 2\n1 1 2\n2 0 2 3 3\n3 3 4\n4 6\n5 5 6\n6 3 3 4 6"
READY = {
    "the slides' figure": FIGURE,
    "the book's jaguar": JAGUAR,
    "two communities": "p a b c\nq a b c\nr a b c\ns v w x y\nt v w x y",
    "a harbour town": HARBOUR_LINES,
}
MOST_PAGES, MOST_STEPS = 16, 12
ENOUGH = 1e-4  # a step that changes the scores by less is the last
ROW, BAR, NAME, BETWEEN = 34.0, 150.0, 110.0, 190.0

__all__ = ["FIGURE", "JAGUAR", "READY", "parse_links", "watch_hits", "weighted"]


def parse_links(text: str) -> Graph:
    """Return the graph that was written, a link written twice with weight 2; ValueError tells what is wrong.

    >>> graph = parse_links("a b c c")
    >>> list(graph.edges()), graph.weights.tolist()
    ([('a', 'b'), ('a', 'c')], [1.0, 2.0])
    """
    links = parse_edges(text)
    if len(links) > MOST_PAGES:
        raise ValueError(f"{len(links)} pages are too many for this picture: write at most {MOST_PAGES}.")
    times = Counter((page, other) for page, out in links.items() for other in out)
    if not times:
        raise ValueError("No link yet. Write a page and those it links to on each line, such as: A B C")
    return Graph.from_edges(list(times), nodes=sorted(links), weights=[float(n) for n in times.values()])


def weighted(graph: Graph) -> list[tuple[tuple[Label, Label], float]]:
    """Return the links of a graph with their weights."""
    weights = [1.0] * graph.n_edges if graph.weights is None else graph.weights.tolist()
    return list(zip(graph.edges(), weights, strict=True))


class Half(NamedTuple):
    """Half a step: what is new ("hubs", "authorities", "the start"), both vectors, a page, the sum of all.

    unfinished  whether the picture stops here although the scores still change
    """

    graph: Graph
    new: str
    hubs: NDArray[np.float64]
    authorities: NDArray[np.float64]
    page: int
    total: float
    unfinished: bool = False

    def sum_of(self, symbol: str, other: str, reverse: bool) -> str:
        """Return the sum that gives the page its new score, in words."""
        labels, page = self.graph.labels, self.page
        given = self.hubs if reverse else self.authorities
        near = [
            (u if reverse else v, w)
            for (u, v), w in weighted(self.graph)
            if (v if reverse else u) == labels[page]
        ]
        if not near:
            return f"{symbol}({labels[page]}) is an empty sum, 0"
        numbers = [given[self.graph.number(name)] for name, _ in near]
        terms = [f"{w:g} {other}({name})" if w != 1 else f"{other}({name})" for name, w in near]
        values = [
            f"{w:g} · {x:.3f}" if w != 1 else f"{x:.3f}" for (_, w), x in zip(near, numbers, strict=True)
        ]
        raw = sum(w * x for (_, w), x in zip(near, numbers, strict=True))
        return f"{symbol}({labels[page]}) = {' + '.join(terms)} = {' + '.join(values)} = {raw:.3f}" + (
            f", divided by {self.total:.3f}, the sum of all, {raw / self.total:.3f}"
        )


def halves(graph: Graph, page: str) -> list[Half]:
    """Return the first steps of HITS in halves, with the sum that ``page`` gets."""
    A = graph.to_scipy()
    at = graph.number(page) if page in set(graph.labels) else 0
    found: list[Half] = []
    for state in islice(hits_steps(graph, tol=ENOUGH, max_steps=MOST_STEPS + 1), MOST_STEPS + 1):
        h, a = state.hubs, state.authorities
        if found:
            before = found[-1].hubs
            found.append(Half(graph, "authorities", before, a, at, float((before @ A).sum())))
            more = state.step == MOST_STEPS and state.residual > ENOUGH
            found.append(Half(graph, "hubs", h, a, at, float((A @ a).sum()), more))
        else:
            found.append(Half(graph, "the start", h, a, at, 1.0))
    return found


def _lines(half: Half) -> Markup:
    """Return a line from each page as hub to each page that it links to as authority."""
    left = BAR + NAME
    parts: list[tuple[bool, Markup]] = []
    given = half.authorities if half.new == "hubs" else half.hubs
    for (u, v), weight in weighted(half.graph):
        i, j = half.graph.number(u), half.graph.number(v)
        chosen = half.new != "the start" and half.page == (i if half.new == "hubs" else j)
        flow = weight * float(given[j if half.new == "hubs" else i]) / float(given.max())
        ends = {"x1": left, "y1": i * ROW + 14, "x2": left + BETWEEN, "y2": j * ROW + 14}
        width = round(0.8 + 5 * min(flow, 1.5), 1)
        colour = INK if chosen else "#b5b5b5"
        parts.append((chosen, element("line", stroke=colour, stroke_width=width, **ends)))
    return joined(part for _, part in sorted(parts, key=lambda pair: pair[0]))


def _side(half: Half, kind: str) -> Markup:
    """Return the pages as hubs, on the left, or as authorities, each with its score as a bar."""
    right, scores = kind == "authority", half.authorities if kind == "authority" else half.hubs
    seems, parts = look(kind), []
    x = BAR + NAME + BETWEEN if right else BAR
    for i, name in enumerate(map(str, half.graph.labels)):
        y, long = i * ROW, round((BAR - 52) * float(scores[i]))
        chosen = i == half.page and half.new == ("authorities" if right else "hubs")
        frame = {"fill": seems.fill, "stroke": seems.stroke, "stroke_width": 3 if chosen else 1.5}
        parts.append(box(x, y, NAME, 28, rx=seems.corner, **frame))
        parts.append(label(shorten(name, NAME - 20), x + NAME / 2, y + 19, anchor="middle", bold=chosen))
        start = x + NAME + 4 if right else x - 4 - long
        parts.append(box(start, y + 5, max(long, 1), 18, fill=seems.fill, stroke=seems.stroke))
        end = start + long + 5 if right else start - 5
        parts.append(label(f"{scores[i]:.3f}", end, y + 19, anchor="start" if right else "end"))
    return joined(parts)


def draw(half: Half) -> Drawing:
    """Return every page twice, as hub and as authority, and the links from the one to the other."""
    width = 2 * BAR + 2 * NAME + BETWEEN
    heads = [
        label("as hubs: h", BAR, 15, bold=True),
        label("as authorities: a", BAR + NAME + BETWEEN, 15, bold=True),
    ]
    if half.new != "the start":
        way = "h flows along the links" if half.new == "authorities" else "a flows back"
        middle = BAR + NAME + BETWEEN / 2
        heads.append(label(way, middle, 15, anchor="middle"))
    rule = element("line", x1=0, y1=23, x2=width, y2=23, stroke=RULE)
    body = joined([_lines(half), _side(half, "hub"), _side(half, "authority")])
    return below(
        Drawing(width, 24, joined([*heads, rule])), Drawing(width, ROW * half.graph.n_nodes, body), gap=8
    )


def describe(half: Half) -> str:
    """Return the sum of the page that is watched, and who leads."""
    labels = half.graph.labels
    if half.new == "the start":
        return f"The start: every page has hub score 1/{len(labels)} = {half.hubs[0]:.3f}."
    authorities = half.new == "authorities"
    scores = half.authorities if authorities else half.hubs
    said = half.sum_of("a", "h", True) if authorities else half.sum_of("h", "a", False)
    best = labels[int(np.argmax(scores.round(10)))]
    end = f" Stopped after {MOST_STEPS} steps, not yet at the end." if half.unfinished else ""
    return f"New {half.new}: {said}. The highest is {best} with {scores.max():.3f}.{end}"


def table(half: Half) -> list[Row]:
    """Return both scores of each page."""
    rows = zip(half.graph.labels, half.hubs, half.authorities, strict=True)
    return [["page", "hub", "authority"], *([str(page), f"{h:.4f}", f"{a:.4f}"] for page, h, a in rows)]


class HalfSteps(Editor):
    """An editor whose states are the start and then two for each step."""

    def _step(self) -> str:
        if not self.at:
            return ""
        which = "second" if self.at % 2 == 0 else "first"
        return f"Step {(self.at + 1) // 2} of {len(self.trace) // 2}, {which} half. "


def watch_hits(edges: str = FIGURE, page: str = "1") -> Explorer:
    """Return an editor: HITS on a small graph, half a step at a time, the sum of one page spelled out."""
    return HalfSteps(
        Text("Links", edges, parse_links, lines=5, examples=["A A", "A B B"], ready=READY),
        lambda text, page: halves(text, page.strip()),
        draw,
        describe,
        table,
        title="HITS between hubs and authorities",
        controls={"page": Text("Page whose sum is spelled out", page, examples=["5", "no such page"])},
        notice="Each page stands twice. A heavy line carries a high score; the dark ones add up to the "
        "marked page's new score. Scores go to the right along links, and come back.",
        start=1,
    )
