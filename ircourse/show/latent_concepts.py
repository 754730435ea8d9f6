"""The collection of five topics as a matrix, and an explorer of its concepts as bars (section 18.4)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ircourse.latent import LSI, Collection, TermDocument, five_topics, lsi
from ircourse.show.charts_svg import bars
from ircourse.show.controls import Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.svg import Drawing, below, beside, caption

MOST, STRONGEST = 100, 12  # concepts that are computed, and terms shown of one

__all__ = ["Measured", "measured_topics", "show_concepts"]


class Measured(NamedTuple):
    """The collection of five topics, the topic of each text, the matrix, and its first 100 concepts."""

    collection: Collection
    topics: tuple[str, ...]
    terms: TermDocument
    model: LSI


@cache
def measured_topics() -> Measured:
    """Return the collection of five topics, weighed by tf·idf at length 1, terms of a single text left out.

    >>> measured_topics().model
    <LSI: 100 concepts, 457 terms, 120 documents>
    """
    collection = five_topics()
    td = TermDocument.from_texts(collection.documents, min_df=2, unit_length=True)
    return Measured(collection, five_topics("K").documents, td, lsi(td.matrix, MOST))


class Concept(NamedTuple):
    """A concept's number from 1, its strongest terms with their signs, and its share in each topic."""

    number: int
    terms: list[tuple[str, float]]
    shares: dict[str, float]


def show_concepts() -> Explorer:
    """Return a concept of the five topics as bars: its strongest terms, and its share in each topic."""
    found = measured_topics()
    topics = list(dict.fromkeys(found.topics))

    def state(c: int) -> Concept:
        squares = found.model.R[:, c - 1] ** 2  # they add up to 1
        belongs = np.array(found.topics)
        shares = {topic: float(squares[belongs == topic].sum()) for topic in topics}
        return Concept(c, found.model.concept(c - 1, found.terms.terms, STRONGEST), shares)

    def draw(now: Concept) -> Drawing:
        names = [f"{'+' if weight > 0 else '−'} {term}" for term, weight in now.terms]
        sizes = [round(abs(weight), 2) for _, weight in now.terms]
        signs = ["a" if weight > 0 else "b" for _, weight in now.terms]
        shares = [round(share, 2) for share in now.shares.values()]
        left = bars(names, sizes, "strength in the concept", looks=signs, limit=0.3)
        right = bars(topics, shares, "share of its squares in the texts of", limit=1.0)
        return beside(
            below(caption(f"Concept {now.number}", 300), left), below(caption("Topics", 300), right)
        )

    def describe(now: Concept) -> str:
        most = max(now.shares, key=lambda topic: now.shares[topic])
        words = ", ".join(term for term, _ in now.terms[:4])
        return f"Concept {now.number}: {words}. {now.shares[most]:.0%} of its squares lie in texts on {most}."

    def table(now: Concept) -> list[Row]:
        return [["term", "strength"], *([term, f"{weight:+.2f}"] for term, weight in now.terms)]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="A concept as bars of terms",
        controls={"c": Number("Concept", 1, 40, 2)},
        notice="Which of the first ten could you name? Which topic is set against which by the signs?",
    )
