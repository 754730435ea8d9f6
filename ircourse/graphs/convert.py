"""What the course takes for a graph.

"graph-like" is a ``Graph``; a networkx graph; a SciPy sparse matrix; a mapping from a node to an iterable of
nodes; an iterable of pairs, or an array of shape (m, 2). Every function of the course that works on a graph
takes any of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from ircourse.graphs.build import checked_weights
from ircourse.graphs.core import Graph, Label

__all__ = ["GraphLike", "as_graph"]

GraphLike: TypeAlias = object


def as_graph(graph_like: GraphLike) -> Graph:
    """Return the ``Graph`` of anything graph-like; a ``Graph`` itself comes back as it is.

    mapping     its keys are the first nodes, in order
    networkx    an undirected edge becomes one in each direction; parallel edges one; the attribute
                ``weight`` gives the weights, added up for parallel edges, 1 where an edge has none;
                a graph without that attribute has no weights
    SciPy       entry (u, v) is the weight of u → v, labels are 0 … n−1; entries given twice are added, a
                stored 0 is no edge; a matrix of ones has no weights; links come in column order

    Raises TypeError for what is not graph-like, ValueError for what is wrong inside.

    >>> list(as_graph({"a": ["b", "c"], "b": [], "d": "a b".split()}).edges())
    [('a', 'b'), ('a', 'c'), ('d', 'a'), ('d', 'b')]
    """
    if isinstance(graph_like, Graph):
        return graph_like
    networkx, sparse = sys.modules.get("networkx"), sys.modules.get("scipy.sparse")
    if networkx is not None and isinstance(graph_like, networkx.Graph):
        return _from_networkx(graph_like)
    if sparse is not None and sparse.issparse(graph_like):
        return _from_scipy(graph_like)
    if isinstance(graph_like, Mapping):
        return Graph.from_edges(_pairs(graph_like), nodes=graph_like)
    if isinstance(graph_like, Iterable) and not isinstance(graph_like, str | bytes):
        return Graph.from_edges(graph_like)
    raise TypeError(
        f"a {type(graph_like).__name__} is no graph: give pairs (from, to), a mapping from a node to its "
        "links, a networkx graph, a SciPy sparse matrix or a Graph"
    )


def _pairs(mapping: Mapping[Label, Iterable[Label]]) -> Iterator[tuple[Label, Label]]:
    """Yield the edges of a mapping from a node to its links."""
    for source, targets in mapping.items():
        if isinstance(targets, str | bytes) or not isinstance(targets, Iterable):
            raise ValueError(f"the links of {source!r:.60} are {targets!r:.60}: give a list of nodes")
        for target in targets:
            yield source, target


def _from_networkx(graph: Any) -> Graph:
    """Read networkx's adjacency, which lists an undirected edge at both its ends."""
    several = graph.is_multigraph()

    def edges() -> Iterator[tuple[Label, Label, Mapping[str, Any]]]:
        for u, targets in graph.adjacency():
            for v, data in targets.items():
                for one in data.values() if several else (data,):
                    yield u, v, one

    weighted = any("weight" in data for _, _, data in edges())
    weights = (data.get("weight", 1) for _, _, data in edges()) if weighted else None
    return Graph.from_edges(((u, v) for u, v, _ in edges()), nodes=graph, weights=weights)


def _from_scipy(matrix: Any) -> Graph:
    """Take over the arrays of a square sparse matrix."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a matrix of shape {matrix.shape} is no graph: give a square one")
    rows = matrix.tocsr(copy=True)
    if not rows.has_canonical_format:
        rows.sum_duplicates()
    if (rows.data == 0).any():
        rows.eliminate_zeros()
    weights = checked_weights(rows.data, rows.nnz)
    indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    return Graph(indptr, indices, None if (weights == 1).all() else weights, range(rows.shape[0]))
