"""Link scores in search: the results of a query by text, by links, and by both (slides, use in search).

text   BM25 score of the document for the query, over that of the best result: 1 for the best, above 0
x      its link score over the mean of all documents: 1 for an average page
link   x / (1 + x), from 0 to 1: ½ for an average page, 0.91 for one of ten times the mean
w      the weight of links; the score is (1 − w) · text + w · link

At w = 0 the order is that of BM25. At w = 1 it is that of the link scores, which no query changes: the query
says only who takes part. Link scores have a long tail, a few pages hundreds of times the mean, so they are
made to saturate as BM25 makes a term's further occurrences.

Differs from the slides: they rank what contains the query's terms by PageRank alone.
Source: Craswell, Robertson, Zaragoza and Taylor (2005) for the form x / (k + x).
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index as index_of
from typing import Literal, NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.index import InvertedIndex

__all__ = ["ScoredHit", "search_with_links"]


class ScoredHit(NamedTuple):
    """One result: the document's number, its score, and the two parts of that before they are weighed."""

    doc: int
    score: float
    text: float
    link: float


def search_with_links(
    index: InvertedIndex,
    scores: ArrayLike,
    query: str | Iterable[str],
    *,
    weight: float = 0.5,
    n: int = 10,
    mode: Literal["and", "or"] = "and",
) -> list[ScoredHit]:
    """Return the ``n`` best results of a query by text and links together, equal ones by number.

    scores  of the documents by number, at least 0: PageRank, authority, popularity; float64 (documents,)
    weight  of links, from 0, text alone, to 1, links alone
    mode    as of ``InvertedIndex.search``

    Where all scores are 0 every link part is 0. Raises ValueError for another weight, and for scores that
    are not one finite number of at least 0 for each document.

    >>> index = InvertedIndex(["harbour harbour", "the harbour", "the town"])
    >>> [[hit.doc for hit in search_with_links(index, [1, 7, 1], "harbour", weight=w)] for w in (0, 1)]
    [[0, 1], [1, 0]]
    """
    if not isinstance(weight, SupportsFloat) or not 0 <= float(weight) <= 1:
        raise ValueError(f"the weight of links is {weight!r:.60}: give a number from 0 to 1")
    if not isinstance(n, SupportsIndex) or index_of(n) < 0:
        raise ValueError(f"n is {n!r:.60}: give a number of results of at least 0")
    hits = index.search(query, len(index), mode)
    links = _saturated(scores, 1 + max((hit.doc for hit in hits), default=-1), len(index))
    if not hits:
        return []
    docs = np.array(sorted(hit.doc for hit in hits))
    by_doc = {hit.doc: hit.score for hit in hits}
    text = np.array([by_doc[doc] for doc in docs.tolist()]) / hits[0].score
    link = links[docs]
    score = (1 - weight) * text + weight * link
    order = np.argsort(-score, kind="stable")[:n]
    columns = (docs, score, text, link)
    return [ScoredHit(*row) for row in zip(*(column[order].tolist() for column in columns), strict=True)]


def _saturated(scores: ArrayLike, least: int, documents: int) -> NDArray[np.float64]:
    """Return x / (1 + x) of each score."""
    values = np.asarray(scores, np.float64)
    if values.ndim != 1 or len(values) < max(least, documents):
        raise ValueError(
            f"scores have the shape {values.shape}: give one for each of {max(least, documents)} documents"
        )
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        raise ValueError(
            f"the score of document {wrong[0]} is {values[wrong[0]]}: give a finite number of at least 0"
        )
    values = values / (values.max(initial=0.0) or 1.0)  # so that no sum overflows
    mean = values.mean() if len(values) else 0.0
    return values / (values + (mean or 1.0))
