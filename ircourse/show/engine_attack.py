"""Explorer of attacks on the engine (chapter A2): the rank of a page that shops are paid to link to.

The shops are pages of the engine from the start, so that only their links change from size to size.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ircourse.engine import Candidates, Engine, Weights
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Choice, Number
from ircourse.show.engine_town import (
    DEFAULT,
    NORTHPORT,
    in_links,
    quality,
    ranked,
    shops,
    with_scores,
)
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.svg import Drawing
from ircourse.web import tiny_web

QUERY = "fish market"
SIZES = (0, 1, 2, 3, 5, 10, 20, 40)
LAST = SIZES[-1]
SAYS = (QUERY, "visit us")

__all__ = ["attack_engine"]


class Attacked(NamedTuple):
    """The rank of Northport by the number of shops, and how well the town's own questions are answered."""

    says: str
    by_pagerank: dict[int, int]
    by_counts: dict[int, int]
    quality: float


@cache
def _engine() -> Engine:
    return Engine.build([*tiny_web().values(), *shops(LAST, "", linked=0)])


@cache
def _found(says: str) -> dict[int, tuple[Candidates, Candidates]]:
    """Return by size what the query retrieves, with PageRank and with in-link counts in its place."""
    engine, found = _engine(), {}
    for size in SIZES:
        engine.update(shops(LAST, says, linked=size))
        candidates = engine.candidates(QUERY)
        found[size] = candidates, with_scores(candidates, in_links(engine))
    return found


def attack_engine() -> Explorer:
    """Return the damage of a link farm and of planted anchors, by the weights of links and of anchors."""
    for says in SAYS:
        _found(says)  # once, so that every change is drawn at once

    def state(says: str, pagerank: float, anchors: float) -> Attacked:
        weights = Weights(**{**vars(DEFAULT), "pagerank": pagerank, "anchors": anchors})
        by_pagerank, by_counts = (
            {n: ranked(both[i], weights, _engine()).index(NORTHPORT) + 1 for n, both in _found(says).items()}
            for i in (0, 1)
        )
        return Attacked(says, by_pagerank, by_counts, quality(weights))

    def draw(attacked: Attacked) -> Drawing:
        lines = {"PageRank": attacked.by_pagerank, "in-links": attacked.by_counts}
        points = {name: [*places.items()] for name, places in lines.items()}
        return curves(points, "shops that link to Northport", "Northport's rank", y_range=(0, 50))

    def describe(attacked: Attacked) -> str:
        before, after = attacked.by_pagerank[0], attacked.by_pagerank[LAST]
        count, counted = attacked.by_counts[0], attacked.by_counts[LAST]
        return (
            f"{LAST} shops that say “{attacked.says}” take Northport from rank {before} to {after}; with "
            f"in-link counts from {count} to {counted}. Without shops the town's own questions have a mean "
            f"reciprocal rank of {attacked.quality:.2f} with these weights."
        )

    def table(attacked: Attacked) -> list[Row]:
        rows = [[size, place, attacked.by_counts[size]] for size, place in attacked.by_pagerank.items()]
        return [["shops", "rank by PageRank", "rank by in-links"], *rows]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Attack and damage",
        controls={
            "says": Choice("Their links say", SAYS),
            "pagerank": Number("Weight of PageRank", 0, 1, DEFAULT.pagerank, 0.05),
            "anchors": Number("Weight of anchors", 0, 1, DEFAULT.anchors, 0.05),
        },
        notice="Rank 1 is the lowest point: where a curve falls, the attack works. Find weights with which "
        "the town's questions are answered best. What do the shops gain there?",
    )
