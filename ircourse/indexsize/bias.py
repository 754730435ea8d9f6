"""Removing bias: how likely each page is to be drawn, and what to do about it (book, section 19.5).

c(d)  the chance that a sampler draws page d, up to a factor: the magnitude of its bias
w(d)  1 / c(d), the weight of a draw

Two standard methods make a uniform sample of a biased one. Importance sampling keeps every draw and weighs it
by 1 / c. Rejection sampling keeps a draw with chance min c / c(d). The third, Metropolis–Hastings, is in
``metropolis.py``.

For random conjunctive queries c(d) = Σ 1 / card(q) over the queries q that d answers and that do not overflow
the engine's limit. The number of such queries is the chance only where each was accepted in proportion to
card(q) (``random_queries`` with ``by_count``).

Source: book, section 19.5; Bar-Yossef and Gurevich (2006).
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from math import comb
from operator import index
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.indexsize.document_walk import counted_words
from ircourse.indexsize.engine import Searchable, ask
from ircourse.indexsize.samplers import Pages, Rng

__all__ = ["QueryBias", "effective_size", "importance_weights", "query_bias", "rejection_sample"]

Floats: TypeAlias = NDArray[np.float64]


class QueryBias(NamedTuple):
    """How likely random queries are to find a page, up to a factor.

    chance   Σ 1 / card(q) over the queries that the page answers
    queries  their number
    """

    chance: float
    queries: float


def query_bias(
    engine: Searchable,
    number: int,
    dictionary: Collection[str],
    *,
    terms: int = 2,
    at_most: int | None = None,
    rng: Rng = 0,
    tries: int = 3,
) -> QueryBias:
    """Return the bias of ``random_queries`` with top None for a page, from the engine's answers alone.

    at_most  queries to ask; where the page has more, so many are drawn and the sums scaled up; None: all

    A page of m dictionary words has m (m − 1) / 2 queries of two terms. Queries that overflow, get no answer,
    or do not show the page count for nothing.

    >>> from ircourse.indexsize import SearchEngine
    >>> engine = SearchEngine(["a rose", "a rose is a rose", "a harbour"])
    >>> query_bias(engine, 1, ["a", "is", "rose"])  # ½ + 1 + 1
    QueryBias(chance=2.5, queries=3.0)
    """
    words = counted_words(engine.text(number), dictionary)
    total = comb(len(words), terms)
    if at_most is None or total <= at_most:
        queries = [list(query) for query in combinations(words, terms)]
    else:
        rng = np.random.default_rng(rng)
        queries = [
            [words[i] for i in np.sort(rng.choice(len(words), terms, replace=False))]
            for _ in range(index(at_most))
        ]
    answers = [ask(engine, query, tries=tries) for query in queries]
    counts = [len(a) for a in answers if a is not None and number in a and len(a) < engine.top]
    scale = total / max(1, len(queries))
    return QueryBias(scale * sum(1 / count for count in counts), scale * len(counts))


def importance_weights(chances: ArrayLike) -> Floats:
    """Return the weights 1 / c of draws, scaled to mean 1, float64 (n,).

    Raises ValueError for a chance that is not above 0: such a page cannot have been drawn.

    >>> importance_weights([0.1, 0.3, 0.1]).round(3).tolist()
    [1.286, 0.429, 1.286]
    """
    weights = 1 / _chances(chances)
    scaled: Floats = weights / weights.mean()
    return scaled


def rejection_sample(
    docs: ArrayLike, chances: ArrayLike, rng: Rng = 0, *, least: float | None = None
) -> Pages:
    """Return the draws that are kept, each with chance ``least`` / c, in their order.

    least  a bound that no page's chance is below; None: the smallest of the draws, which is near it

    The larger the largest chance is beside the least, the fewer are kept; with bad luck none.

    >>> rejection_sample([5, 6, 7, 8, 5, 7], [1, 2, 4, 1, 1, 4], 2).tolist()
    [5, 6, 8, 5]
    """
    drawn, c = np.asarray(docs, np.int64), _chances(chances)
    if drawn.shape != c.shape:
        raise ValueError(f"{drawn.shape} draws and {c.shape} chances: give one chance a draw")
    bound = c.min() if least is None else least
    if not 0 < bound <= c.min():
        raise ValueError(
            f"least is {least!r}: give a bound above 0 that no chance is below, here {c.min():.4g}"
        )
    return drawn[np.random.default_rng(rng).random(len(c)) * c < bound]


def effective_size(weights: ArrayLike) -> float:
    """Return (Σ w)² / Σ w²: how many draws of equal weight tell about as much as these.

    >>> effective_size([1, 1, 1]), effective_size([1, 0, 0])
    (3.0, 1.0)
    """
    w = np.asarray(weights, float)
    return float(w.sum() ** 2 / (w**2).sum())


def _chances(chances: ArrayLike) -> Floats:
    c = np.asarray(chances, float)
    if c.ndim != 1 or not len(c):
        raise ValueError(f"chances have the shape {c.shape}: give one for each of at least one draw")
    if not (np.isfinite(c) & (c > 0)).all():
        raise ValueError(f"a chance is {c[~(np.isfinite(c) & (c > 0))][0]}: give numbers above 0")
    return c
