"""Bibliometrics: what link analysis descends from (book, section 20.4 and chapter 21's history).

A[u, v]                 1 where paper u cites paper v
co-citation             (AᵗA)[v, w]: the number of papers that cite both v and w
bibliographic coupling  (AAᵗ)[u, w]: the number of papers that both u and w cite

On the diagonal stand the numbers of citations received and of references given. The hubs and authorities of a
web are the principal eigenvectors of the same two matrices.

Source: Small (1973); Kessler (1963).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ircourse.graphs.convert import GraphLike, as_graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["bibliographic_coupling", "co_citation"]


def co_citation(graph: GraphLike) -> csr_array[Any, tuple[int, int]]:
    """Return how many nodes link to both of two nodes, AᵗA, as a sparse matrix, int64 (n, n), in node order.

    Weights are left aside. O(Σ out-degree²) time and room.

    >>> co_citation([("p", "a"), ("p", "b"), ("q", "b")]).toarray().tolist()
    [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 0], [0, 0, 0, 0]]
    """
    matrix = _matrix(graph)
    counts: csr_array[Any, tuple[int, int]] = matrix.T.tocsr() @ matrix
    return counts


def bibliographic_coupling(graph: GraphLike) -> csr_array[Any, tuple[int, int]]:
    """Return how many nodes both of two nodes link to, AAᵗ, as a sparse matrix, int64 (n, n), in node order.

    Weights are left aside. O(Σ in-degree²) time and room.

    >>> bibliographic_coupling([("p", "a"), ("p", "b"), ("q", "b")]).toarray().tolist()
    [[2, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1]]
    """
    matrix = _matrix(graph)
    counts: csr_array[Any, tuple[int, int]] = matrix @ matrix.T.tocsr()
    return counts


def _matrix(graph: GraphLike) -> Any:
    matrix = as_graph(graph).to_scipy()
    matrix.data[:] = 1  # an edge of weight 0 is an edge
    return matrix.astype("int64")
