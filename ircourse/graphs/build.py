"""From pairs of labels to the arrays of a graph.

labels    the nodes in order; a node's number is its place there
sources   int64 (m,), the number of the node where each edge starts
targets   int64 (m,), the number of the node where it ends

Numbering takes the nodes given first, the others as they appear. Compressing is a counting sort by source,
which keeps the order of each node's links, and one walk that merges parallel edges: O(n + m).
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel

__all__ = ["checked_weights", "compress", "number_edges"]

Ints: TypeAlias = NDArray[np.int64]
Numbered: TypeAlias = tuple[Sequence[Any], Ints, Ints]

_SMALL = 20_000  # below this the plain loop is done before numba is loaded
_MOST_NODES = 2**31
_MOST_LABELS = 10**8  # in a dictionary, whose memory is about 100 bytes each


def number_edges(pairs: Iterable[Any], nodes: Iterable[Any] | None = None) -> Numbered:
    """Return the labels and, for each edge, the numbers of its two ends: ``(labels, sources, targets)``.

    >>> labels, sources, targets = number_edges([("b", "a"), ("a", "c")])
    >>> labels, sources.tolist(), targets.tolist()
    (('b', 'a', 'c'), [0, 1], [1, 2])
    """
    if isinstance(pairs, np.ndarray):
        pairs = _unmasked(pairs, "edges")
        if pairs.size == 0:
            pairs = np.empty((0, 2), np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(
                f"an array of edges has the shape (m, 2), this one {pairs.shape}: "
                "make an adjacency matrix sparse first, with scipy.sparse.csr_array(matrix)"
            )
        if pairs.dtype.kind in "iu" and (nodes is None or isinstance(nodes, range)):
            return _number_integers(pairs, nodes)
        pairs = pairs.tolist()
    return _number_labels(pairs, nodes)


def _number_labels(pairs: Iterable[Any], nodes: Iterable[Any] | None) -> Numbered:
    """Number labels of any kind, one by one."""
    first: Iterable[Any] = () if nodes is None else nodes
    if isinstance(nodes, np.ndarray):
        first = _unmasked(nodes, "nodes").tolist()
    _check_size(nodes, _MOST_LABELS, "; more fit where the edges are an integer array and the nodes range(n)")
    numbers = {label: i for i, label in enumerate(dict.fromkeys(first))}
    ends: list[int] = []
    for i, pair in enumerate(pairs):
        try:
            if isinstance(pair, str | bytes):
                raise TypeError("a string is no pair")
            source, target = pair
            ends.append(numbers.setdefault(source, len(numbers)))
            ends.append(numbers.setdefault(target, len(numbers)))
        except (TypeError, ValueError):
            raise ValueError(
                f"edge {i} is {pair!r:.200}: give a pair (from, to) of hashable labels"
            ) from None
    flat = np.array(ends, np.int64)
    return tuple(numbers), flat[::2], flat[1::2]


def _number_integers(pairs: NDArray[Any], nodes: range | None) -> Numbered:
    """Number the integers of an array, all at once."""
    if nodes is not None:
        _check_size(nodes, _MOST_NODES - 1)
        n = len(nodes)
        if nodes == range(n) and (pairs.size == 0 or (pairs.min() >= 0 and pairs.max() < n)):
            ends = pairs.astype(np.int64, copy=False)
            return range(n), ends[:, 0], ends[:, 1]
        return _number_labels(pairs.tolist(), nodes)
    values, first, inverse = np.unique(pairs.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)  # from value order to order of appearance
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    numbers = rank[inverse.ravel()]
    return tuple(values[order].tolist()), numbers[::2], numbers[1::2]


def compress(
    n: int, sources: Ints, targets: Ints, weights: Iterable[float] | None = None
) -> tuple[Ints, NDArray[np.int32], NDArray[np.float64] | None]:
    """Return ``(indptr, indices, weights)`` of a graph of n nodes, parallel edges merged.

    >>> indptr, indices, _ = compress(2, np.array([1, 0, 1, 1]), np.array([1, 1, 0, 1]))
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 3], [1, 1, 0])
    """
    if n >= _MOST_NODES:
        raise ValueError(f"{n} nodes are too many for one graph: at most {_MOST_NODES - 1}")
    m = len(sources)
    given = np.empty(0) if weights is None else checked_weights(weights, m)
    indptr, order = np.zeros(n + 1, np.int64), np.empty(m, np.int64)
    indices, sums = np.empty(m, np.int32), np.zeros(len(given))
    if n + m < _SMALL:
        sort, merge = by_source.plain, merge_parallel.plain
    else:
        sort, merge = by_source, merge_parallel
    sort(sources, indptr, order)
    with np.errstate(over="ignore"):
        kept = int(merge(order, targets, given, indptr, indices, sums))
    if len(wrong := np.flatnonzero(np.isinf(sums[:kept]))):
        u, v = np.searchsorted(indptr, wrong[0], side="right") - 1, indices[wrong[0]]
        raise ValueError(
            f"the weights of the edges from node number {u} to {v} add up to infinity: scale them"
        )
    return indptr, indices[:kept].copy(), None if weights is None else sums[:kept].copy()


def checked_weights(weights: Iterable[float], m: int) -> NDArray[np.float64]:
    """Return the weights as an array, float64 (m,); ValueError for too few, too many or a wrong one."""
    values: Any = _unmasked(weights, "weights") if isinstance(weights, np.ndarray) else weights
    try:
        values = values if isinstance(values, np.ndarray) else list(values)
        numbers = np.asarray(values)
        if numbers.dtype.kind not in "biufO":  # O: ints beyond 64 bits, fractions
            raise TypeError(numbers.dtype)
        given = np.asarray(numbers, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"weights are numbers of at least 0, one for each edge, not {reprlib.repr(values)}"
        ) from None
    if given.shape != (m,):
        raise ValueError(f"there are {m} edges, and weights of shape {given.shape}: give one for each edge")
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if len(wrong):
        raise ValueError(f"weight {wrong[0]} is {given[wrong[0]]}: give a finite number of at least 0")
    return given


def _unmasked(array: NDArray[Any], what: str) -> NDArray[Any]:
    """Return the array, not masked any more; ValueError where an entry is."""
    if np.ma.is_masked(array):
        raise ValueError(f"some of the {what} are masked: leave them out, or fill them with .filled(value)")
    return np.asarray(array)


def _check_size(nodes: object, most: int, remedy: str = "") -> None:
    if isinstance(nodes, range) and nodes[most:]:  # len() fails for the largest
        raise ValueError(f"{nodes} are too many nodes: at most {most:,}{remedy}")


@kernel("void(const int64[:], int64[::1], int64[::1])")
def by_source(sources: Ints, indptr: Ints, order: Ints) -> None:
    """Fill ``order`` with the edges sorted by source, stably; edges of u from indptr[u] on. O(n + m)."""
    for e in range(len(sources)):
        indptr[sources[e] + 1] += 1
    for u in range(len(indptr) - 1):
        indptr[u + 1] += indptr[u]
    place = indptr.copy()
    for e in range(len(sources)):
        u = sources[e]
        order[place[u]] = e
        place[u] += 1


@kernel("int64(const int64[::1], const int64[:], const float64[:], int64[::1], int32[::1], float64[::1])")
def merge_parallel(
    order: Ints,
    targets: Ints,
    weights: NDArray[np.float64],
    indptr: Ints,
    indices: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> int:
    """Fill ``indices``, ``sums`` with one entry per (source, target) and tighten ``indptr``; O(n + m)."""
    n = len(indptr) - 1
    slot = np.full(n, -1, np.int64)  # slot[v]: where the last link to v was put
    kept = 0
    start = 0
    for u in range(n):
        stop = indptr[u + 1]
        indptr[u] = kept
        for i in range(start, stop):
            v = targets[order[i]]
            if slot[v] < indptr[u]:  # u has not linked to v yet
                slot[v] = kept
                indices[kept] = v
                kept += 1
            if len(weights) > 0:
                sums[slot[v]] += weights[order[i]]
        start = stop
    indptr[n] = kept
    return kept
