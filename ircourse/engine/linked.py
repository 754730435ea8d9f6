"""The links among the pages that are kept: the graph, and what links say of the pages they lead to.

A link to a mirror counts as one to the page that stands for it; links of mirrors, links marked nofollow and a
page's links to itself do not count, nor do links to pages that are not in the collection. A page that links
to another several times says each word once (book, section 21.1.1).

said  for each page that is linked to, by the page that links: the words of its links there
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ircourse.engine.collection import Collection
from ircourse.graphs import Graph

__all__ = ["Linked", "linked_pages"]


class Linked(NamedTuple):
    """The graph, whose labels are the addresses of the pages kept, in order; and what was said."""

    graph: Graph
    said: Mapping[str, Mapping[str, str]]


def linked_pages(collection: Collection) -> Linked:
    """Return the links among the pages that are kept; O(pages + links)."""
    rows = {url: row for row, url in enumerate(collection.kept)}
    edges: list[tuple[int, int]] = []
    said: dict[str, dict[str, str]] = {}
    for source in collection.kept:
        for address, terms in collection.words.of(source).items():
            target = collection.stands_for.get(address, source)
            if target == source:
                continue
            edges.append((rows[source], rows[target]))
            by_source = said.setdefault(target, {})
            if source in by_source:  # by another of its addresses
                terms = " ".join(dict.fromkeys([*by_source[source].split(), *terms.split()]))
            by_source[source] = terms
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    graph = Graph.from_edges(pairs, nodes=range(len(rows)))
    return Linked(Graph(graph.indptr, graph.indices, None, tuple(collection.kept)), said)
