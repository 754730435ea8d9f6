"""Pieces of a graph: weakly and strongly connected components (book, section 19.2; slides, graph theory).

weak    a path leads from each node to each other one if the direction of edges is ignored
strong  a path leads from each node to each other one along the edges

Every node is in exactly one component of each kind. Seen from afar, with each strong component shrunk to a
point, a graph has no cycles; the points that no edge enters are the *source* components. A spider that has a
seed in each of them reaches every page; one that misses any of them does not (claim C08).

``kosaraju`` is the plain algorithm, two depth-first searches; ``strong_components`` gives the same list with
SciPy's compiled one.
Source: Cormen, Leiserson, Rivest and Stein (2009), section 22.5; Pearce (2005) for SciPy's.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.convert import GraphLike, as_graph
from ircourse.graphs.core import Graph, Label
from ircourse.graphs.traverse import search_edges

__all__ = ["kosaraju", "source_components", "strong_components", "weak_components"]


def weak_components(graph: GraphLike) -> list[list[Label]]:
    """Return the weakly connected components, each a list of labels.

    Nodes stand in node order, components in the order of their first nodes. O(n + m).

    >>> weak_components({"a": ["b"], "c": [], "d": ["b"]})
    [['a', 'd', 'b'], ['c']]
    """
    graph = as_graph(graph)
    return _grouped(graph, component_numbers(graph, "weak"))


def strong_components(graph: GraphLike) -> list[list[Label]]:
    """Return the strongly connected components, ordered as in ``weak_components``. O(n + m).

    >>> strong_components([(1, 2), (2, 1), (2, 3), (4, 4)])
    [[1, 2], [3], [4]]
    """
    graph = as_graph(graph)
    return _grouped(graph, component_numbers(graph, "strong"))


def source_components(graph: GraphLike) -> list[list[Label]]:
    """Return those strong components to which no other one links, ordered as in ``weak_components``.

    >>> source_components([(1, 2), (2, 1), (2, 3), (4, 3), (4, 4)])
    [[1, 2], [4]]
    """
    graph = as_graph(graph)
    of = component_numbers(graph, "strong")
    source, target = np.repeat(of, graph.out_degrees), of[graph.indices]
    entered = np.zeros(graph.n_nodes, bool)
    entered[target[source != target]] = True
    return _grouped(graph, np.where(entered[of], -1, of))


def kosaraju(graph: GraphLike) -> list[list[Label]]:
    """Return the strong components as ``strong_components`` does, by two depth-first searches.

    The first search lists the nodes as it leaves them. The second goes against the links, from the last node
    left to the first: what it reaches from a node and has not seen is that node's component.

    >>> kosaraju([(1, 2), (2, 1), (2, 3), (4, 4)])
    [[1, 2], [3], [4]]
    """
    graph = as_graph(graph)
    reverse = graph.reverse()
    of = np.empty(graph.n_nodes, np.int64)
    visited = bytearray(graph.n_nodes)
    for start in reversed(_as_left(graph)):
        if not visited[start]:
            of[start] = start
            for _, v in search_edges(reverse.links, start, visited):
                of[v] = start
    return _grouped(graph, of)


def _as_left(graph: Graph) -> list[int]:
    """Return the nodes in the order in which depth-first searches from every node leave them."""
    visited = bytearray(graph.n_nodes)
    left: list[int] = []
    for start in range(graph.n_nodes):
        if not visited[start]:
            inside = [start]
            for parent, child in search_edges(graph.links, start, visited):
                while inside[-1] != parent:
                    left.append(inside.pop())
                inside.append(child)
            left.extend(reversed(inside))
    return left


def component_numbers(graph: Graph, connection: Literal["weak", "strong"]) -> NDArray[np.int64]:
    """Return for each node a number that it shares with its component, "weak" or "strong"; int64 (n,)."""
    from scipy.sparse.csgraph import connected_components

    if graph.n_nodes == 0:
        return np.empty(0, np.int64)
    matrix = graph.to_scipy()
    matrix.data[:] = 1  # an edge of weight 0 is an edge
    _, numbers = connected_components(matrix, directed=True, connection=connection)
    return numbers.astype(np.int64)


def _grouped(graph: Graph, of: NDArray[np.int64]) -> list[list[Label]]:
    """Return the labels grouped by number, groups as they first appear; −1 is left out."""
    groups: dict[int, list[Label]] = {}
    for label, number in zip(graph.labels, of.tolist(), strict=True):
        if number >= 0:
            groups.setdefault(number, []).append(label)
    return list(groups.values())
