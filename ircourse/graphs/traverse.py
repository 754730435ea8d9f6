"""Visiting every node that can be reached: depth first, breadth first, spanning trees (slides, graph theory).

A stack goes deep, a queue goes wide. The edges along which a depth-first search first reaches each node make
a spanning tree (theorem 1: every connected graph has one); one search from each connected piece makes a
spanning forest (theorem 2: k pieces, k trees, n − k edges). "Connected" ignores the direction of the edges.

Differs from the slides: the stack holds the path to the present node, and beside each node on it the links
that are still to follow. This is the recursive search, without Python's limit on depth. A stack of nodes
alone, as in SPIDER2, visits in another order: it takes the last link first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain

from ircourse.graphs.convert import GraphLike, as_graph
from ircourse.graphs.core import Graph, Label

__all__ = ["breadth_first", "depth_first", "spanning_forest", "spanning_tree"]


def depth_first(graph: GraphLike, root: Label) -> Iterator[Label]:
    """Return a generator of the nodes reachable from ``root``, depth first.

    The order is that of the recursive search that visits a node and then, for each of its links in order,
    searches from there unless that node has been visited. O(n + m). Raises ``UnknownNode`` (a KeyError).

    >>> list(depth_first({1: [2, 5], 2: [3, 4], 5: [6]}, 1))
    [1, 2, 3, 4, 5, 6]
    """
    graph = as_graph(graph)
    start = graph.number(root)
    edges = search_edges(graph.links, start, bytearray(graph.n_nodes))
    labels = graph.labels
    return (labels[v] for v in chain([start], (child for _, child in edges)))


def breadth_first(graph: GraphLike, root: Label) -> Iterator[Label]:
    """Return a generator of the nodes reachable from ``root``, nearest first.

    A queue; a node is marked when it enters, so that none enters twice. Nodes at the same distance come in
    the order in which their first link was met. O(n + m). Raises ``UnknownNode`` (a KeyError).

    >>> list(breadth_first({1: [2, 5], 2: [3, 4], 5: [6]}, 1))
    [1, 2, 5, 3, 4, 6]
    """
    graph = as_graph(graph)
    return _breadth_first(graph, graph.number(root))


def _breadth_first(graph: Graph, start: int) -> Iterator[Label]:
    marked = bytearray(graph.n_nodes)
    marked[start] = True
    queue = deque([start])
    while queue:
        u = queue.popleft()
        yield graph.labels[u]
        for v in graph.links(u):
            if not marked[v]:
                marked[v] = True
                queue.append(v)


def spanning_tree(graph: GraphLike, root: Label) -> list[tuple[Label, Label]]:
    """Return the edges ``(parent, child)`` of a spanning tree, in the order in which they were found.

    Edges are followed both ways, a node's own links first, then those that lead to it. A connected graph of
    n nodes gives n − 1 edges; of another graph the tree spans the piece that holds ``root``. O(n + m).

    >>> spanning_tree([("a", "b"), ("b", "c"), ("c", "a"), ("d", "c")], "a")
    [('a', 'b'), ('b', 'c'), ('c', 'd')]
    """
    graph = as_graph(graph)
    start = graph.number(root)
    edges = search_edges(both_ways(graph), start, bytearray(graph.n_nodes))
    return [(graph.labels[u], graph.labels[v]) for u, v in edges]


def spanning_forest(graph: GraphLike) -> list[list[tuple[Label, Label]]]:
    """Return a spanning tree of each connected piece: k pieces give k trees and n − k edges.

    The trees come in the order of ``weak_components``, each from the piece's first node. A node without edges
    is a tree without edges. O(n + m).

    >>> spanning_forest({"a": ["b"], "b": ["a"], "c": [], "d": ["d", "e"]})
    [[('a', 'b')], [], [('d', 'e')]]
    """
    graph = as_graph(graph)
    visited = bytearray(graph.n_nodes)
    links, labels = both_ways(graph), graph.labels
    return [
        [(labels[u], labels[v]) for u, v in search_edges(links, start, visited)]
        for start in range(graph.n_nodes)
        if not visited[start]
    ]


def search_edges(
    links: Callable[[int], list[int]], start: int, visited: bytearray
) -> Iterator[tuple[int, int]]:
    """Yield the edges ``(parent, child)`` along which a depth-first search reaches nodes; mark them visited.

    links    gives the numbers of the nodes next to a node, in the order in which to follow them
    visited  one byte a node, shared by the searches that make a forest

    >>> list(search_edges([[1, 2], [2], [0]].__getitem__, 0, bytearray(3)))
    [(0, 1), (1, 2)]
    """
    visited[start] = True
    path, to_follow = [start], [links(start)[::-1]]  # reversed, so that pop() takes the first link first
    while path:
        if not to_follow[-1]:
            path.pop()
            to_follow.pop()
            continue
        child = to_follow[-1].pop()
        if not visited[child]:
            visited[child] = True
            yield path[-1], child
            path.append(child)
            to_follow.append(links(child)[::-1])


def both_ways(graph: Graph) -> Callable[[int], list[int]]:
    """Return a function that gives a node's links and then the nodes that link to it, by number."""
    reverse = graph.reverse()
    return lambda u: graph.links(u) + reverse.links(u)
