"""Ranked retrieval: what a query is made of, BM25, and how its terms' lists become one.

The score of document d for the terms q is the sum over t in q of

    idf(t) · tf (k1 + 1) / (tf + k1 (1 − b + b · L_d / L)),   idf(t) = ln(1 + (N − df(t) + ½) / (df(t) + ½))

N, df(t)  documents, and those of them that hold t
tf        Σ over fields of weight · occurrences of t, so a title of weight 2 counts as if it stood there twice
L_d, L    length of d, Σ over fields of weight · terms in the field; mean length
k1, b     how slowly further occurrences stop counting; how far long documents are held back

A phrase is scored as if it were a term. A *unit* is either: the tuple of its terms. A scored list holds the
numbers of documents, ascending, int64 (df,), and the unit's share in their scores, float64 (df,).

Differs from the book: the idf has 1 + inside its logarithm, or a term that over half of the documents hold
would count against them.
Source: book, sections 1.3, 7.1 and 11.4.3; Robertson, Zaragoza and Taylor (2004) for the fields.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.postings import intersect
from ircourse.text import tokenize
from ircourse.types import Hit

__all__ = ["Statistics", "best", "bm25", "in_all", "in_any", "units_of"]

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Unit: TypeAlias = tuple[str, ...]
Scored: TypeAlias = tuple[Longs, Floats]


@dataclass(frozen=True)
class Statistics:
    """What BM25 knows of a collection; those of its pieces add up.

    documents    number of documents, N
    length       sum of their lengths, N · L
    frequencies  document frequency of each term and phrase ("two words") that was asked for

    >>> Statistics(2, 10.0, {"rose": 1}) + Statistics(1, 4.0, {"rose": 1})
    Statistics(documents=3, length=14.0, frequencies={'rose': 2})
    """

    documents: int
    length: float
    frequencies: Mapping[str, int]

    def __add__(self, other: Statistics) -> Statistics:
        """Return the statistics of both collections together."""
        names = dict.fromkeys([*self.frequencies, *other.frequencies])
        both = {t: self.frequencies.get(t, 0) + other.frequencies.get(t, 0) for t in names}
        return Statistics(self.documents + other.documents, self.length + other.length, both)


def bm25(unit: Unit, tf: Floats, lengths: Floats, known: Statistics, *, k1: float, b: float) -> Floats:
    """Return the share of a unit in the scores of documents where it occurs ``tf`` times, float64 (df,).

    >>> known = Statistics(8, 32.0, {"rose": 2})
    >>> bm25(("rose",), np.array([1.0, 2.0]), np.array([3.0, 5.0]), known, k1=1.2, b=0)
    array([1.2809..., 1.7612...])
    """
    df = known.frequencies.get(" ".join(unit))
    if df is None:
        raise ValueError(f"the statistics lack {' '.join(unit)!r:.60}: add up those of the same query")
    idf = math.log1p((known.documents - df + 0.5) / (df + 0.5))
    mean = known.length / max(known.documents, 1) or 1.0
    return idf * (k1 + 1) * tf / (tf + (k1 * (1 - b) + k1 * b * (lengths / mean)))


def units_of(terms: str | Iterable[str]) -> list[Unit]:
    """Return the different terms and phrases of a query, in their order.

    >>> units_of('the "old harbour" The')
    [('the',), ('old', 'harbour')]
    >>> units_of(["old harbour", "town"])
    [('old', 'harbour'), ('town',)]
    """
    if not isinstance(terms, Iterable):
        raise TypeError(f"a query is a str or a list of str, not {terms!r:.60}")
    if isinstance(terms, str):
        units: list[Unit] = []
        for i, piece in enumerate(re.split(r'"([^"]*)"', terms)):
            words = tokenize(piece)
            units += [tuple(words)] if i % 2 else [(word,) for word in words]  # every other one was in quotes
    else:
        units = [tuple(tokenize(item)) for item in terms]
    return [unit for unit in dict.fromkeys(units) if unit]


def in_all(scored: list[Scored]) -> Scored:
    """Return the documents that are in every list, and their sums."""
    docs, scores = scored[0] if scored else (np.empty(0, np.int64), np.empty(0))
    for others, more in scored[1:]:
        i, j = intersect(docs, others)
        docs, scores = docs[i], scores[i] + more[j]
    return docs, scores


def in_any(scored: list[Scored], n: int) -> Scored:
    """Return the documents below n that are in a list, and their sums: one accumulator a document."""
    touched, sums = np.zeros(n, bool), np.zeros(n)
    for docs, more in scored:
        touched[docs] = True
        sums[docs] += more
    docs = np.flatnonzero(touched)
    return docs, sums[docs]


def best(docs: Longs, scores: Floats, n: int) -> list[Hit]:
    """Return the n best; ``docs`` ascend, and a stable sort leaves equal scores in that order."""
    if 0 < n < len(docs):
        good = scores >= np.partition(scores, -n)[-n]
        docs, scores = docs[good], scores[good]
    order = np.argsort(-scores, kind="stable")[:n]
    return [Hit(doc, score) for doc, score in zip(docs[order].tolist(), scores[order].tolist(), strict=True)]
