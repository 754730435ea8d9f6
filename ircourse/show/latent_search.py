"""The pages of Saltmere as a matrix, and an explorer that ranks them by cosine and by LSI (section 18.4)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ircourse.latent import LSI, TermDocument, cosines, lsi, ranked
from ircourse.show.controls import Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.lists_svg import grid
from ircourse.show.svg import Drawing
from ircourse.text import tokenize
from ircourse.types import Hit
from ircourse.web import tiny_web

MOST = 100  # concepts that are computed

__all__ = ["Town", "saltmere", "search_both"]


class Town(NamedTuple):
    """Saltmere's texts, each once: the short names of their pages, the matrix, the first 100 concepts."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    terms: TermDocument
    model: LSI


@cache
def saltmere() -> Town:
    """Return the pages of Saltmere and its neighbours without exact copies, weighed by tf·idf at length 1.

    Terms of a single page are left out.

    >>> saltmere().model
    <LSI: 100 concepts, 1475 terms, 233 documents>
    """
    first: dict[str, str] = {}
    for url, page in tiny_web().items():
        first.setdefault(page.text, url)
    names = [url.removeprefix("http://").replace(".saltmere.example", "") for url in first.values()]
    td = TermDocument.from_texts(first, min_df=2, unit_length=True)
    return Town(tuple(names), tuple(first), td, lsi(td.matrix, MOST))


class Rankings(NamedTuple):
    """The best pages by plain cosine and by LSI, and which pages hold a word of the query."""

    query: str
    plain: list[Hit]
    reduced: list[Hit]
    holders: set[int]


def search_both() -> Explorer:
    """Return the ranking of Saltmere's pages by cosine beside that by LSI, query and k to choose."""
    town = saltmere()

    def known(text: str) -> str:
        if not town.terms.vector(text).any():
            raise ValueError("No word of this stands in two pages of Saltmere: try movie, physician or car.")
        return " ".join(tokenize(text))

    def state(query: str, k: int) -> Rankings:
        vector = town.terms.vector(query)
        plain = cosines(town.terms.matrix, vector)
        reduced = town.model.truncate(k).search(vector, 10)
        holders = set(np.flatnonzero(plain > 1e-9).tolist())
        return Rankings(query, [hit for hit in ranked(plain) if hit.doc in holders], reduced, holders)

    def table(found: Rankings) -> list[Row]:
        rows: list[Row] = [["rank", "by cosine", "cos", "by LSI", "cos ", "holds a query word"]]
        for i, hit in enumerate(found.reduced):
            left = (
                [town.names[found.plain[i].doc], f"{found.plain[i].score:.2f}"]
                if i < len(found.plain)
                else ["", ""]
            )
            rows.append(
                [
                    i + 1,
                    *left,
                    town.names[hit.doc],
                    f"{hit.score:.2f}",
                    "no" if hit.doc not in found.holders else "yes",
                ]
            )
        return rows

    def draw(found: Rankings) -> Drawing:
        rows = table(found)
        new = {(r, c): "waiting" for r, row in enumerate(rows[1:]) for c in (3, 4, 5) if row[5] == "no"}
        return grid([str(head) for head in rows[0]], rows[1:], looks=new)

    def describe(found: Rankings) -> str:
        new = sum(hit.doc not in found.holders for hit in found.reduced)
        tied = found.reduced[0].score == found.reduced[-1].score
        return (
            f"“{found.query[:60]}” stands in {len(found.holders)} of {len(town.names)} pages. "
            f"Of the first ten by LSI, {new} do not hold a word of it."
            + (" All ten are tied and stand in the order of the pages." if tied else "")
        )

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Plain cosine and LSI",
        controls={
            "query": Text("Query", "movie", known, examples=["car", "seal in the harbour"]),
            "k": Number("Concepts k", 1, MOST, 20),
        },
        notice="Shaded rows hold no word of the query. Where do they go as k grows to 100?",
    )
