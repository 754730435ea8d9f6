"""Explorer of four scores of a small graph (section 21.3): hub, authority, PageRank, and links to the page.

The scores are those of `ircourse.links`; a link written twice weighs twice in all but the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import Graph, Label
from ircourse.links import directed_popularity, hits, pagerank
from ircourse.show.charts_svg import bars
from ircourse.show.controls import Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.graph_svg import GraphPicture, legend
from ircourse.show.hits import JAGUAR, READY, parse_links, weighted
from ircourse.show.svg import Drawing, below, beside, caption

SHOWN = 7

__all__ = ["score_a_graph"]


class Scored(NamedTuple):
    """A graph and its pages' scores by four kinds, in the graph's order."""

    graph: Graph
    kinds: dict[str, NDArray[np.float64]]

    def first(self, kind: str) -> str:
        """Return the page of highest score; of equal ones the first."""
        return str(self.graph.labels[int(np.argmax(self.kinds[kind].round(10)))])


def _ranked(scored: Scored, kind: str) -> Drawing:
    scores = scored.kinds[kind]
    order = sorted(range(len(scores)), key=lambda i: -round(float(scores[i]), 10))[:SHOWN]
    names = [str(scored.graph.labels[i]) for i in order]
    looks = [kind if kind in ("hub", "authority") else "plain"] * len(order)
    unit = "links" if kind == "links to the page" else "score"
    values = [round(float(scores[i]), 4) for i in order]
    return below(caption(kind, 300), bars(names, values, unit, looks=looks, width=300), gap=4)


def score_a_graph(edges: str = JAGUAR) -> Explorer:
    """Return a graph to write, with the hub, authority, PageRank and in-link scores of its pages."""

    def state(edges: Graph) -> Scored:
        scores = hits(edges)
        kinds = {
            "hub": scores.hubs,
            "authority": scores.authorities,
            "PageRank": pagerank(edges).scores,
            "links to the page": np.array([*directed_popularity(edges).as_dict().values()], dtype=float),
        }
        return Scored(edges, kinds)

    def picture(graph: Graph) -> GraphPicture:
        """Return the graph, at the top the pages that no other page links to, or the first page."""
        linked = {v for u, v in graph.edges() if u != v}
        top = [page for page in graph.labels if page not in linked]
        return GraphPicture(graph.labels, graph.edges(), top or graph.labels[:1], width=640)

    def draw(scored: Scored) -> Drawing:
        looks: dict[Label, str] = {scored.first("hub"): "hub", scored.first("authority"): "authority"}
        double = [edge for edge, weight in weighted(scored.graph) if weight > 1]
        charts = [_ranked(scored, kind) for kind in scored.kinds]
        rows = below(beside(*charts[:2], gap=40), beside(*charts[2:], gap=40), gap=14)
        graph = picture(scored.graph).draw(looks, strong=double)
        return below(graph, legend(["hub", "authority"]), rows, gap=18)

    def describe(scored: Scored) -> str:
        return "First: " + ", ".join(f"{scored.first(kind)} by {kind}" for kind in scored.kinds) + "."

    def table(scored: Scored) -> list[Row]:
        rows = zip(scored.graph.labels, *scored.kinds.values(), strict=True)
        return [["page", *scored.kinds], *([str(name), *(f"{x:.4f}" for x in more)] for name, *more in rows)]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Hubs and authorities beside PageRank and in-links",
        controls={"edges": Text("A page, then those it links to", edges, parse_links, lines=5, ready=READY)},
        notice="The best hub and the best authority are marked. The other two scores have no word for a good "
        "hub. A link written twice is heavy and weighs 2 in all scores but the last, which counts pages; "
        "write each link of the jaguar graph once, and 6 leads in PageRank. Of equals the first is named.",
    )
