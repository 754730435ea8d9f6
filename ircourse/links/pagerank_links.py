"""The links of a web as the sweeps of PageRank read them: by the page that they lead to.

The names are those of ``pagerank_sweeps.py``; ``share`` here is each link's chance, empty where a page's
links have all the same.

Turning is a counting sort: the links to each page are counted, which says where they begin, and put there in
the order of the pages they come from. Writing all over the memory is what it costs, so each thread writes the
links to some of the pages, and reads all.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import in_threads, kernel

__all__ = ["count_late", "point_to_new", "turned"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.int32]


def turned(
    indptr: Ints, indices: Places, share: Floats, threads: int, *, compiled: bool = True
) -> tuple[Ints, Places, Floats]:
    """Return where the links to each page begin, int64 (n + 1,), their origins, and their chances or nothing.

    >>> indptr, indices = np.array([0, 2, 2, 3]), np.array([1, 2, 1], np.int32)
    >>> starts, links, _ = turned(indptr, indices, np.empty(0), 1, compiled=False)
    >>> starts.tolist(), links.tolist()
    ([0, 0, 2, 3], [0, 2, 0])
    """
    count, fill = (count_links, turn_round) if compiled else (count_links.plain, turn_round.plain)
    n, m = len(indptr) - 1, len(indices)
    starts, links, chances = np.zeros(n + 1, np.int64), np.empty(m, np.int32), np.empty(len(share))
    count(indices, starts)
    cuts = np.searchsorted(starts, m * np.arange(threads + 1) // threads)
    cuts[0], cuts[-1] = 0, n
    in_threads(
        lambda i, j: fill(cuts[i], cuts[j], indptr, indices, share, starts, links, chances),
        threads,
        threads=threads,
    )
    return starts, links, chances


@kernel("void(const int32[::1], int64[::1])")
def count_links(indices, starts):  # type: ignore[no-untyped-def]
    """Fill in where the links to each page begin."""
    for e in range(len(indices)):
        starts[indices[e] + 1] += 1
    for v in range(len(starts) - 1):
        starts[v + 1] += starts[v]


@kernel(
    "void(int64, int64, const int64[::1], const int32[::1], const float64[::1], const int64[::1], "
    "int32[::1], float64[::1])"
)
def turn_round(first, last, indptr, indices, share, starts, links, chances):  # type: ignore[no-untyped-def]
    """Fill in the links to pages ``first`` to ``last``, by rising page of origin, and their chances."""
    place = starts[first:last].copy()
    for u in range(len(indptr) - 1):
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if first <= v < last:
                i = place[v - first]
                links[i] = u
                if len(share) > 0:
                    chances[i] = share[e]
                place[v - first] = i + 1


@kernel("void(int64, int64, const int64[::1], const int64[::1], int32[::1])")
def point_to_new(first, last, cuts, starts, links):  # type: ignore[no-untyped-def]
    """Turn u into n + u where a link stays in its range."""
    n = len(starts) - 1
    for r in range(first, last):
        a, b = cuts[r], cuts[r + 1]
        for e in range(starts[a], starts[b]):
            u = links[e]
            if a <= u < b:
                links[e] = n + u


@kernel(
    "void(int64, int64, const int64[::1], int64, const int64[::1], const int32[::1], const float64[::1], "
    "float64[::1])"
)
def count_late(first, last, cuts, ranges, indptr, indices, share, late):  # type: ignore[no-untyped-def]
    """Count the links whose page is neither further on in the same range nor in a later phase."""
    for r in range(first, last):
        end, phase_end = cuts[r + 1], cuts[(r // ranges + 1) * ranges]
        for u in range(cuts[r], end):
            for e in range(indptr[u], indptr[u + 1]):
                v = indices[e]
                if v <= u or end <= v < phase_end:
                    late[u] += share[e] if len(share) > 0 else 1.0
