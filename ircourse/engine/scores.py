"""Scores: what each component says of each page for a query, and how they become one.

Every component lies in 0 … 1, by a formula that other pages found do not enter, so weights mean the same for
every query:

text, title, anchors   BM25 of the field over the most that BM25 can give for the query, Σ idf(t) (k1 + 1):
                       the share of the words' weight that the field has; words that no page holds left out
pagerank               x / (1 + x), x the PageRank over its mean: ½ for an average page, 0.91 for ten times it
lsi                    cosine of page and query in the space of concepts, 0 where it is negative

The score is Σ w_c · component / Σ w_c, so it lies in 0 … 1 too, and its terms are the shares shown.
A page is a candidate if any field holds a word or phrase of the query, or if it is among the 50 of highest
cosine and that is at least 0.3. PageRank alone makes no result: a page is one where the other parts of its
score are not all 0. Candidates do not depend on the weights: other weights need no new retrieval.

Source: Craswell, Robertson, Zaragoza and Taylor (2005) for x / (k + x).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.engine.fields import K1, Field
from ircourse.ranking import Unit

__all__ = ["COMPONENTS", "Candidates", "Weights", "field_components", "pagerank_component", "retrieved"]

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

BY_CONCEPTS, LEAST_COSINE = 50, 0.3


@dataclass(frozen=True)
class Weights:
    """How much each component counts: numbers of at least 0, not all 0; only their ratios matter.

    >>> Weights(text=2, title=1, anchors=0, pagerank=0, lsi=1).shares()
    {'text': 0.5, 'title': 0.25, 'anchors': 0.0, 'pagerank': 0.0, 'lsi': 0.25}
    """

    text: float = 0.5
    title: float = 0.25
    anchors: float = 0.15
    pagerank: float = 0.05
    lsi: float = 0.05

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e9:
                raise ValueError(f"the weight of {name} is {value!r:.60}: give a number from 0 to 1e9")
        if not sum(vars(self).values()) > 0:
            raise ValueError("all weights are 0: give at least one above 0")

    def shares(self) -> dict[str, float]:
        """Return each weight over the sum of all."""
        total = sum(vars(self).values())
        return {name: float(value) / total for name, value in vars(self).items()}


COMPONENTS = tuple(field.name for field in fields(Weights))


@dataclass(frozen=True, eq=False)
class Candidates:
    """What a query retrieves, before weights.

    rows     numbers of the pages, ascending, int64 (c,)
    parts    their components in the order of `COMPONENTS`, float64 (c, 5)
    unknown  words of the query that no page holds
    """

    rows: Longs
    parts: Floats
    unknown: tuple[str, ...]

    def ranked(self, weights: Weights) -> tuple[Longs, Floats]:
        """Return (rows, shares) of the results, best first, equal ones by number; shares float64 (r, 5).

        Scores are compared to twelve decimals.
        """
        w = np.array(list(weights.shares().values()))
        shares = self.parts * w
        about_query = shares.sum(axis=1) - shares[:, COMPONENTS.index("pagerank")]
        is_result = np.flatnonzero(about_query > 1e-15)
        scores = shares[is_result].sum(axis=1)
        order = is_result[np.argsort(-np.round(scores, 12), kind="stable")]
        return self.rows[order], shares[order]


def field_components(named: Mapping[str, Field], units: Sequence[Unit], n: int) -> tuple[Floats, list[Unit]]:
    """Return the fields' components of all pages, float64 (fields, n), and units that no page holds."""
    sums = np.zeros((len(named), n))
    bound = 0.0
    missing = []
    for unit in units:
        found = [field.find(unit) for field in named.values()]
        df = max(len(rows) for rows, _ in found)
        if df == 0:
            missing.append(unit)
            continue
        bound += math.log1p((n - df + 0.5) / (df + 0.5)) * (K1 + 1)
        for total, field, one in zip(sums, named.values(), found, strict=True):
            total[one[0]] += field.scores(unit, one, df)
    return sums / (bound or 1.0), missing


def pagerank_component(scores: Floats) -> Floats:
    """Return x / (1 + x), x the scores over their mean.

    >>> pagerank_component(np.array([0.1, 0.6, 0.2, 0.1])).round(3).tolist()
    [0.286, 0.706, 0.444, 0.286]
    """
    x = scores * len(scores)
    component: Floats = x / (1 + x)
    return component


def retrieved(by_field: Floats, pagerank: Floats, cosines: Floats, unknown: Sequence[str]) -> Candidates:
    """Return the candidates from the components of all pages."""
    lsi = np.maximum(cosines, 0.0)
    near = np.argsort(-np.round(lsi, 12), kind="stable")[:BY_CONCEPTS]
    candidate: NDArray[np.bool_] = np.asarray(by_field.max(axis=0) > 0)
    candidate[near[lsi[near] >= LEAST_COSINE]] = True
    rows = np.flatnonzero(candidate)
    parts = np.stack([*by_field[:, rows], pagerank[rows], lsi[rows]], axis=1)
    return Candidates(rows, parts, tuple(unknown))
