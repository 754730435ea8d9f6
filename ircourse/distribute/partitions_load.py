"""A log of queries put to an index in pieces: the load of each node, and what local idf changes.

Queries are asked as words are used: the one of rank r with chance proportional to 1 / r^s (Zipf). A node's
load is the postings that it reads. By documents every node has about 1/D of every list; by terms the node of
a popular term has all of its list, each time that it is asked for.

Source: book, sections 5.1.2 and 20.3; notes-W.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import index

import numpy as np

from ircourse.distribute.partitions import Mode, Partitioned, QueryCost, several
from ircourse.distribute.partitions_document import DocumentPartitioned

__all__ = ["QueryLoad", "TopChanges", "query_load", "top_changes", "zipf_log"]


@dataclass(frozen=True)
class QueryLoad:
    """What a log of queries costs.

    nodes      their names
    asked      queries that each was asked
    read       postings that each read
    total      cost of all queries; its nodes are those that any query touched
    queries    number of queries
    imbalance  the largest of ``read`` over the mean, 1 where nothing was read
    """

    nodes: tuple[str, ...]
    asked: tuple[int, ...]
    read: tuple[int, ...]
    total: QueryCost
    queries: int

    @property
    def imbalance(self) -> float:  # noqa: D102
        return max(self.read) * len(self.read) / sum(self.read) if sum(self.read) else 1.0


def query_load(pieces: Partitioned, queries: Iterable[str], n: int = 10, mode: Mode = "and") -> QueryLoad:
    """Return the load of each node under ``queries``.

    >>> from ircourse.distribute import TermPartitioned
    >>> pieces = TermPartitioned(["a rose", "a rose"], ["a", "rose"], place=lambda term: term)
    >>> load = query_load(pieces, ["rose", "a rose", "rose"])
    >>> load.asked, load.read, load.imbalance
    ((1, 3), (2, 6), 1.5)
    """
    asked, read = dict.fromkeys(pieces.nodes, 0), dict.fromkeys(pieces.nodes, 0)
    total, count = QueryCost(), 0
    for query in several(queries):
        count += 1
        for step in pieces.query_steps(query, n, mode):
            asked[step.node] = asked.get(step.node, 0) + (step.action == "ask")
            if step.action == "read":
                read[step.node] += step.size
        total += step.cost
    total = replace(total, nodes=tuple(node for node in pieces.nodes if node in total.nodes))
    each = [(asked[node], read[node]) for node in pieces.nodes]
    return QueryLoad(pieces.nodes, tuple(a for a, _ in each), tuple(r for _, r in each), total, count)


@dataclass(frozen=True)
class TopChanges:
    """What local idf changes.

    queries    number of those that found anything
    members    those of them whose ``n`` best are other documents
    order      those of them whose ``n`` best are other documents, or in another order
    kept       mean share of the ``n`` best that stay
    """

    queries: int
    members: int
    order: int
    kept: float


def top_changes(
    pieces: DocumentPartitioned, queries: Iterable[str], n: int = 10, mode: Mode = "or"
) -> TopChanges:
    """Return how the ``n`` best change when each node ranks by what it knows of its own documents alone."""
    shared = pieces.shared
    kept: list[float] = []
    members = order = 0
    try:
        for query in several(queries):
            pieces.shared = True
            right = [hit.doc for hit in pieces.search(query, n, mode)]
            pieces.shared = False
            local = [hit.doc for hit in pieces.search(query, n, mode)]
            if right:
                members += set(right) != set(local)
                order += right != local
                kept.append(len(set(right) & set(local)) / len(right))
    finally:
        pieces.shared = shared
    return TopChanges(len(kept), members, order, sum(kept) / len(kept) if kept else 1.0)


def zipf_log(
    queries: Sequence[str], n: int, rng: np.random.Generator | int, exponent: float = 1.0
) -> list[str]:
    """Return ``n`` queries drawn from ``queries``, which are listed from the most popular on.

    Raises ValueError where there are none to draw from, or the exponent is negative.

    >>> zipf_log(["weather", "ferry", "inn"], 6, rng=2)
    ['weather', 'weather', 'ferry', 'weather', 'ferry', 'ferry']
    """
    several(queries)
    if not len(queries) or index(n) < 0:
        raise ValueError(f"{n} of {len(queries)} queries: give queries, and a number of at least 0")
    if not 0 <= exponent < np.inf:
        raise ValueError(f"exponent is {exponent!r}: give a number of at least 0")
    chances = np.arange(1, len(queries) + 1, dtype=float) ** -exponent
    drawn = np.random.default_rng(rng).choice(len(queries), n, p=chances / chances.sum())
    return [queries[i] for i in drawn.tolist()]
