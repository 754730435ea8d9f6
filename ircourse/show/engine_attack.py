"""Explorer of attacks on the engine (chapter A2): the rank of a page that shops are paid to link to.

The shops are pages of the engine from the start, so that only their links change from size to size.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ircourse.engine import Candidates, Engine
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Choice, Number
from ircourse.show.engine_town import (
    DEFAULT,
    NORTHPORT,
    QUESTIONS,
    in_links,
    mean_reciprocal,
    quality,
    rank_of,
    ranked,
    shops,
    short,
    with_scores,
)
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.svg import Drawing
from ircourse.web import tiny_web

QUERY = "fish market"
SIZES = (0, 1, 2, 3, 5, 10, 20, 40)
LAST = SIZES[-1]
SAYS = ("visit us", QUERY)

__all__ = ["attack_engine"]


class Attacked(NamedTuple):
    """The rank of Northport by the number of shops, and what others see of it.

    quality      mean reciprocal rank of the town's own questions without links of shops; ``_after`` with all
    first_after  addresses of the first results with all links
    """

    says: str
    by_pagerank: dict[int, int]
    by_counts: dict[int, int]
    quality: float
    quality_after: float
    first_after: tuple[str, ...]


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


@cache
def _asked(says: str) -> dict[str, Candidates]:
    """Return by question what it retrieves when all shops link."""
    _engine().update(shops(LAST, says))
    return {question: _engine().candidates(question) for question in QUESTIONS}


def attack_engine() -> Explorer:
    """Return the damage of a link farm and of planted anchors, by the weights of links and of anchors."""
    for says in SAYS:
        _found(says), _asked(says)  # once, so that every change is drawn at once

    def state(says: str, pagerank: float, anchors: float) -> Attacked:
        weights = replace(DEFAULT, pagerank=pagerank, anchors=anchors)
        by_pagerank, by_counts = (
            {n: ranked(both[i], weights, _engine()).index(NORTHPORT) + 1 for n, both in _found(says).items()}
            for i in (0, 1)
        )
        pages = QUESTIONS.items()
        after = [rank_of(page, _asked(says)[asked], weights, _engine()) for asked, page in pages]
        first = tuple(ranked(_found(says)[LAST][0], weights, _engine())[:3])
        better = quality(weights), mean_reciprocal(np.array(after))
        return Attacked(says, by_pagerank, by_counts, *better, first)

    def draw(attacked: Attacked) -> Drawing:
        lines = {"with PageRank": attacked.by_pagerank, "with in-link counts": attacked.by_counts}
        points = {name: [*places.items()] for name, places in lines.items()}
        return curves(points, "shops that link to Northport", "Northport's rank", y_range=(1, 50))

    def describe(attacked: Attacked) -> str:
        before, after = attacked.by_pagerank[0], attacked.by_pagerank[LAST]
        count, counted = attacked.by_counts[0], attacked.by_counts[LAST]
        first = ", ".join(map(short, attacked.first_after))
        return (
            f"{LAST} shops that say “{attacked.says}” take Northport from rank {before} to {after}; with "
            f"in-link counts from {count} to {counted}. First then: {first}. "
            f"The town's own questions: mean reciprocal rank {attacked.quality:.3f} without the links, "
            f"{attacked.quality_after:.3f} with them."
        )

    def table(attacked: Attacked) -> list[Row]:
        rows = [[size, place, attacked.by_counts[size]] for size, place in attacked.by_pagerank.items()]
        return [["shops", "rank with PageRank", "rank with in-link counts"], *rows]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Attack and damage",
        controls={
            "says": Choice("Their links say", SAYS),
            "pagerank": Number("Weight of PageRank", 0, 1, 0.25, 0.05),
            "anchors": Number("Weight of anchors", 0, 1, DEFAULT.anchors, 0.05),
        },
        notice="The lower, the nearer to rank 1: where a curve falls, the attack works. The picture begins "
        "at a PageRank weight of 0.25; all the shops exist from the start and only their links come, so "
        "ranks are not quite the cells'. Find weights with which the town's questions are answered best. "
        "What do the shops gain then? Is it seen among the first three?",
    )
