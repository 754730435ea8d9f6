"""Popularity: pages ranked by counting links (book, section 21.1; slides, link-based ranking).

undirected  links to a page plus links from it
directed    links to it alone

The first link-based rankings counted so. Whoever has m pages adds m to any count (claim C63), which is why
PageRank asks who links.

Differs from the slides: nothing; that a link given twice counts once, and that a self-loop is a link to the
page as well as one from it, they leave open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import GraphLike, Label, as_graph

__all__ = ["Popularity", "directed_popularity", "undirected_popularity"]


@dataclass(frozen=True, eq=False)
class Popularity:
    """How many links each page has: ``labels`` in the graph's order, ``scores`` int64 (n,)."""

    labels: Sequence[Label]
    scores: NDArray[np.int64]

    def ranking(self) -> list[tuple[Label, int]]:
        """Return the pages with their scores, the highest first, equal ones in the graph's order."""
        scores = self.scores.tolist()
        return [(self.labels[i], scores[i]) for i in np.argsort(-self.scores, kind="stable").tolist()]

    def as_dict(self) -> dict[Label, int]:
        """Return the score of each page by its label, in the graph's order."""
        return dict(zip(self.labels, self.scores.tolist(), strict=True))


def undirected_popularity(graph: GraphLike) -> Popularity:
    """Return the number of links to each page plus the number from it.

    A page's link to itself counts 2, links of the same two pages in the same direction once; weights do not
    count. Raises TypeError for what is not graph-like.

    >>> undirected_popularity([("a", "t"), ("b", "t"), ("c", "t"), ("t", "d"), ("t", "e")]).as_dict()["t"]
    5
    """
    links = as_graph(graph)
    return Popularity(links.labels, links.in_degrees + links.out_degrees)


def directed_popularity(graph: GraphLike) -> Popularity:
    """Return the number of links to each page.

    A page's link to itself counts 1, links of the same two pages in the same direction once; weights do not
    count. Raises TypeError for what is not graph-like.

    >>> directed_popularity([("a", "t"), ("b", "t"), ("c", "t"), ("t", "d"), ("t", "e")]).ranking()[:2]
    [('t', 3), ('d', 1)]
    """
    links = as_graph(graph)
    return Popularity(links.labels, links.in_degrees)
