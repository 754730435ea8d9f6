"""Explorer of the tightly knit community effect (section 21.3): a few pages that link to each other take all.

A topic of eight hubs and eight authorities, three links from each hub, stands beside a clique, in which every
page links to every other. One hub of the topic links into the clique. Scores are those of `ircourse.links`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from ircourse.graphs import Graph
from ircourse.links import Hits, hits, weigh_by_query
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import INK, look
from ircourse.show.svg import Drawing, below, box, element, joined, label, plural

TOPIC, OUT, MOST_CLIQUE, MOST_WORDS = 8, 3, 10, 3
WIDTH, HIGH = 640.0, 300.0
WORD = "ferries"

__all__ = ["clique_share", "community", "watch_community"]


@lru_cache(maxsize=64)
def community(clique: int, words: int = 0) -> Graph:
    """Return the topic beside a clique of ``clique`` pages, links weighted by the query "ferries".

    words  how often the query's word stands near each link of the topic; near the clique's it never does

    >>> community(3).n_edges, community(3, 2).weights.tolist()[0]
    (31, 3.0)
    """
    topic = [(f"hub {i}", f"topic {(i + j) % TOPIC}") for i in range(TOPIC) for j in range(OUT)]
    pages = [f"clique {i}" for i in range(clique)]
    edges = [(u, v) for u in pages for v in pages if u != v]
    graph = Graph.from_edges([*topic, *edges, ("hub 0", "clique 0")])
    return weigh_by_query(graph, dict.fromkeys(topic, " ".join([WORD] * words)), WORD)


@lru_cache(maxsize=64)
def _scores(clique: int, words: int) -> Hits:
    return hits(community(clique, words))


def clique_share(clique: int, words: int = 0) -> float:
    """Return the part of all authority that the pages of the clique have.

    >>> round(clique_share(3), 2), round(clique_share(6), 2)
    (0.08, 0.97)
    """
    scores = _scores(clique, words)
    return float(sum(s for page, s in scores.authority_ranking() if str(page).startswith("clique")))


class Knit(NamedTuple):
    """A topic beside a clique: the scores, and the clique's part of all authority by the clique's size."""

    clique: int
    words: int
    scores: Hits
    shares: dict[str, list[tuple[float, float]]]

    def share(self) -> float:
        """Return the clique's part of all authority here."""
        return clique_share(self.clique, self.words)


def _spots(clique: int) -> dict[str, tuple[float, float]]:
    """Return where each page stands: the topic in two columns, the clique on a circle."""
    spots = {f"hub {i}": (60.0, 40.0 + 32 * i) for i in range(TOPIC)}
    spots |= {f"topic {i}": (230.0, 40.0 + 32 * i) for i in range(TOPIC)}
    for i in range(clique):
        turn = 2 * math.pi * i / clique + math.pi
        spots[f"clique {i}"] = (round(490 + 95 * math.cos(turn), 1), round(152 + 95 * math.sin(turn), 1))
    return spots


def _picture(knit: Knit) -> Drawing:
    """Return the pages and their links, each page as large as the score that matters for it."""
    graph, spots = community(knit.clique, knit.words), _spots(knit.clique)
    ends = [(spots[str(u)], spots[str(v)]) for u, v in graph.edges()]
    path = "".join(f"M{x:.0f} {y:.0f}L{p:.0f} {q:.0f}" for (x, y), (p, q) in ends)
    parts = [element("path", d=path, stroke=INK, stroke_width=0.9, opacity=0.4, fill="none")]
    hubs, authorities = dict(knit.scores.hub_ranking()), dict(knit.scores.authority_ranking())
    for page, (x, y) in spots.items():
        kind = "hub" if page.startswith("hub") else "authority" if page.startswith("topic") else "plain"
        score = hubs[page] if kind == "hub" else authorities[page]
        r, seems = round(3 + 45 * min(score, 0.25), 1), look(kind)
        style = {"fill": seems.fill, "stroke": seems.stroke, "stroke_width": 1.8}
        parts.append(box(x - r, y - r, 2 * r, 2 * r, rx=0 if kind == "hub" else r, **style))
    for text, x in (("hubs of the topic", 60), ("its authorities", 230), (f"a clique of {knit.clique}", 490)):
        parts.append(label(text, x, 15, anchor="middle", bold=True))
    return Drawing(WIDTH, HIGH, joined(parts))


def watch_community() -> Explorer:
    """Return a topic of sixteen pages beside a clique: who has the authority, by size and by query words."""

    def state(clique: int, words: int) -> Knit:
        sizes = range(2, MOST_CLIQUE + 1)
        shares = {
            plural(w, "word"): [(float(k), clique_share(k, w)) for k in sizes] for w in range(MOST_WORDS + 1)
        }
        return Knit(clique, words, _scores(clique, words), shares)

    def draw(knit: Knit) -> Drawing:
        chart = curves(
            knit.shares, "pages in the clique", "authority that the clique has", y_range=(0, 1), width=WIDTH
        )
        return below(_picture(knit), chart, gap=16)

    def describe(knit: Knit) -> str:
        near = plural(knit.words, "word")
        return (
            f"A clique of {knit.clique}, {near} of the query near each link of the topic. The topic's eight "
            f"authorities have {1 - knit.share():.3f} of all authority, the clique {knit.share():.3f}."
        )

    def table(knit: Knit) -> list[Row]:
        rows = zip(*knit.shares.values(), strict=True)
        return [
            ["pages in the clique", *knit.shares],
            *([f"{row[0][0]:g}", *(f"{share:.3f}" for _, share in row)] for row in rows),
        ]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="A tightly knit community",
        controls={
            "clique": Number("Pages in the clique", 2, MOST_CLIQUE, 5),
            "words": Number("Query words near each link of the topic", 0, MOST_WORDS, 0),
        },
        notice="A page is as large as its score. The curves leap: at which sizes, for 0, 1 and 2 words? "
        "Before the leap the topic has nearly all, after it the clique.",
    )
