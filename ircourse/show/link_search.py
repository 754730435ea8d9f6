"""Explorer of link scores in search (section 21.2): the pages of Saltmere by text, by PageRank, by both.

The results are ``search_with_links``'s.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ircourse.index import InvertedIndex
from ircourse.links import PageRank, ScoredHit, pagerank, search_with_links
from ircourse.show.controls import Choice, Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Table
from ircourse.show.svg import clip
from ircourse.web import tiny_web

SHOWN = 10
READY = {word: word for word in ("crab", "lighthouse", "harbour", "rope")}

__all__ = ["search_the_town"]


class Found(NamedTuple):
    """The best results of a query, how many there are, and the places of the pages by text alone."""

    query: str
    hits: list[ScoredHit]
    number: int
    by_text: dict[int, int]


@lru_cache(maxsize=1)
def _town() -> tuple[InvertedIndex, PageRank]:
    """Return the pages of Saltmere as an index, and their PageRank."""
    web = tiny_web()
    return InvertedIndex([page.text for page in web.values()]), pagerank(web.link_graph())


def search_the_town() -> Explorer:
    """Return a search of Saltmere whose results are ranked by text and PageRank, weighed as one likes."""

    def state(query: str, weight: float, mode: str) -> Found:
        index, ranks = _town()
        text = search_with_links(index, ranks.scores, query, weight=0, n=len(index), mode=mode)
        hits = search_with_links(index, ranks.scores, query, weight=weight, n=SHOWN, mode=mode)
        return Found(query, hits, len(text), {hit.doc: place for place, hit in enumerate(text, 1)})

    def describe(found: Found) -> str:
        if not found.hits:
            return f"No page has {clip(found.query, 60) or 'that'}."
        top = _name(found.hits[0].doc)
        return f"{found.number} pages; the first {len(found.hits)}. On top: {top}."

    def table(found: Found) -> list[Row]:
        rows = [
            [place, _name(doc), f"{score:.3f}", f"{text:.3f}", f"{link:.3f}", found.by_text[doc]]
            for place, (doc, score, text, link) in enumerate(found.hits, 1)
        ]
        return [["place", "page", "score", "text", "links", "place by text alone"], *rows]

    return Table(
        state,
        describe,
        table,
        title="Saltmere, searched by text and links",
        controls={
            "query": Text("Query", "crab", ready=READY),
            "weight": Number("Weight of links", 0, 1, 0.5, 0.1),
            "mode": Choice("Pages with", [("all words", "and"), ("any word", "or")]),
        },
        notice="Take the weight from 0 to 1. Which page rises farthest, and is it what was asked for?",
    )


def _name(doc: int) -> str:
    return clip(str(_town()[1].labels[doc]).removeprefix("http://"), 80)
