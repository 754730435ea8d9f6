"""Directed graphs as three arrays (slides, graph theory; book, section 19.2).

n        number of nodes; a node is a number 0 … n−1 inside, a label outside
m        number of edges (links, for a web)
indptr   int64 (n + 1,): the links of node u stand at indptr[u] … indptr[u + 1] − 1 …
indices  … of indices, int32 (m,): the numbers of the nodes linked to, in the order of the links
weights  float64 (m,), or None where every link counts 1

This is "compressed sparse row" form: two arrays however many links there are, and a node's links side by
side. The links of a node keep the order in which they were given, so that a search follows them as a reader
would.

Differs from the slides: there a graph is a pair of sets <n, v>; here its nodes and links have an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.build import compress, number_edges

if TYPE_CHECKING:
    import networkx
    from scipy.sparse import csr_array

__all__ = ["Graph", "Label", "UnknownNode"]

Label: TypeAlias = Any  # whatever can be hashed: a URL, a number, a tuple


class UnknownNode(KeyError):
    """A graph was asked about a label that none of its nodes has."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A directed graph that does not change; make one with ``from_edges`` or ``as_graph``.

    ``indptr``, ``indices`` and ``weights`` are read-only arrays, ``labels`` the nodes' labels in order.

    >>> graph = Graph.from_edges([("a", "b"), ("a", "c"), ("c", "a")])
    >>> graph
    <Graph: 3 nodes, 3 edges>
    >>> graph.labels, graph.indptr.tolist(), graph.indices.tolist()
    (('a', 'b', 'c'), [0, 2, 2, 3], [1, 2, 0])
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    labels: Sequence[Label]

    def __post_init__(self) -> None:
        for array in (self.indptr, self.indices, self.weights):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def from_edges(
        cls,
        pairs: Iterable[Any],
        nodes: Iterable[Label] | None = None,
        weights: Iterable[float] | None = None,
    ) -> Graph:
        """Return the graph of the edges ``(from, to)``.

        pairs    pairs of labels, or an array (m, 2); integers of an array become Python's ints
        nodes    labels that come first and may have no edge; the others follow as they first appear.
                 An integer array together with ``range(n)`` is the fastest way to a large graph
        weights  one number of at least 0 for each pair

        Parallel edges become one, their weights added; without weights a link counts once however often
        it is given. Self-loops stay. Raises ValueError for what is no pair and for wrong weights.

        >>> Graph.from_edges([(1, 2), (1, 2), (2, 2)], nodes=[5], weights=[0.5, 1, 3]).weights.tolist()
        [1.5, 3.0]
        """
        labels, sources, targets = number_edges(pairs, nodes)
        return cls(*compress(len(labels), sources, targets, weights), labels)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weighted"
        return f"<Graph: {self.n_nodes} nodes, {self.n_edges} edges{weighted}>"

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @property
    def n_edges(self) -> int:
        """Number of edges, parallel ones counted once, self-loops too."""
        return len(self.indices)

    @property
    def out_degrees(self) -> NDArray[np.int64]:
        """Number of links from each node, int64 (n,)."""
        return np.diff(self.indptr)

    @property
    def in_degrees(self) -> NDArray[np.int64]:
        """Number of links to each node, int64 (n,)."""
        return np.bincount(self.indices, minlength=self.n_nodes).astype(np.int64)

    @cached_property
    def _numbers(self) -> dict[Label, int]:
        return {label: number for number, label in enumerate(self.labels)}

    def number(self, label: Label) -> int:
        """Return the number of the node with this label, or raise ``UnknownNode``, which is a KeyError."""
        try:
            if isinstance(self.labels, range):
                return self.labels.index(index(label))
            return self._numbers[label]
        except (KeyError, TypeError, ValueError):
            some = ", ".join(f"{some!r:.60}" for some in islice(self.labels, 5)) or "none"
            more = ", …" if self.n_nodes > 5 else ""
            raise UnknownNode(f"{label!r:.60} is no node of this graph; its nodes are {some}{more}") from None

    def links(self, number: int) -> list[int]:
        """Return the numbers of the nodes that a node, given by its number, links to, in order."""
        numbers: list[int] = self.indices[self.indptr[number] : self.indptr[number + 1]].tolist()
        return numbers

    def neighbours(self, label: Label) -> list[Label]:
        """Return the labels of the nodes that a node links to, in the order of its links.

        >>> Graph.from_edges([("a", "c"), ("a", "b")]).neighbours("a")
        ['c', 'b']
        """
        return [self.labels[v] for v in self.links(self.number(label))]

    def edges(self) -> Iterator[tuple[Label, Label]]:
        """Yield the edges as pairs of labels, node by node.

        >>> list(Graph.from_edges([("b", "a"), ("a", "b"), ("b", "b")]).edges())
        [('b', 'a'), ('b', 'b'), ('a', 'b')]
        """
        for u, label in enumerate(self.labels):
            for v in self.links(u):
                yield label, self.labels[v]

    def reverse(self) -> Graph:
        """Return the graph with every edge turned round; a node's links then come in node order.

        >>> list(Graph.from_edges([("a", "b"), ("c", "b")]).reverse().edges())
        [('b', 'a'), ('b', 'c')]
        """
        turned = self.to_scipy().tocsc()
        weights = None if self.weights is None else turned.data
        return Graph(turned.indptr.astype(np.int64), turned.indices.astype(np.int32), weights, self.labels)

    def to_scipy(self) -> csr_array[Any, tuple[int, int]]:
        """Return the adjacency matrix, float64 (n, n), with the weight of edge u → v in row u, column v.

        >>> Graph.from_edges([(0, 1), (1, 0), (1, 1)]).to_scipy().toarray().tolist()
        [[0.0, 1.0], [1.0, 1.0]]
        """
        from scipy.sparse import csr_array

        weights = np.ones(self.n_edges) if self.weights is None else self.weights.copy()
        shape = (self.n_nodes, self.n_nodes)
        return csr_array((weights, self.indices.copy(), self.indptr.copy()), shape=shape)

    def to_networkx(self) -> networkx.DiGraph:
        """Return the same graph for networkx, nodes and links in the same order, weights as ``weight``.

        >>> Graph.from_edges([(0, 1)], weights=[2.5]).to_networkx().edges(data=True)
        OutEdgeDataView([(0, 1, {'weight': 2.5})])
        """
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.labels)
        if self.weights is None:
            graph.add_edges_from(self.edges())
        else:
            pairs = zip(self.edges(), self.weights.tolist(), strict=True)
            graph.add_weighted_edges_from((u, v, weight) for (u, v), weight in pairs)
        return graph
