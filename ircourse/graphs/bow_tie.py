"""The bow-tie: how the pages of a web lie about its largest strong component (book, section 19.2.1).

core      the largest strongly connected component
in        pages outside it from which a path leads to the core
out       pages outside it to which a path leads from the core
tubes     pages on a path from in to out that does not touch the core
tendrils  pages on a path from in, or to out, but not both
other     the rest: what hangs on a tendril against its direction, and what is not connected at all

Every page is in one part. The parts follow from four searches: from the core, to it, from in, to out.

Differs from the paper: what hangs on a tendril without being on a path from in or to out is "other", and
pages that are not connected to the rest have no part of their own.
Source: Broder et al. (2000).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.components import component_numbers
from ircourse.graphs.convert import GraphLike, as_graph
from ircourse.graphs.core import Graph, Label
from ircourse.kernels import kernel

__all__ = ["PARTS", "BowTie", "bow_tie", "bow_tie_parts"]

PARTS = ("core", "in", "out", "tubes", "tendrils", "other")
_SMALL = 20_000  # below this the plain search is done before numba is loaded

Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class BowTie:
    """The parts of a bow-tie, each a set of labels; see ``bow_tie``."""

    core: frozenset[Label]
    in_: frozenset[Label]
    out: frozenset[Label]
    tubes: frozenset[Label]
    tendrils: frozenset[Label]
    other: frozenset[Label]

    @property
    def sizes(self) -> dict[str, int]:
        """Number of pages in each part."""
        sets = (self.core, self.in_, self.out, self.tubes, self.tendrils, self.other)
        return {part: len(pages) for part, pages in zip(PARTS, sets, strict=True)}


def bow_tie(graph: GraphLike) -> BowTie:
    """Return the parts of a graph, sets of labels. O(n + m).

    A core has two pages at least: a graph without a cycle between pages has none, and all its pages are
    "other". Of several largest components the one with the first page is the core.

    >>> parts = bow_tie({"i": [*"cut"], "c": [*"do"], "d": ["c"], "u": ["o"], "z": ["t"]})
    >>> sorted(parts.core), parts.in_, parts.tubes, parts.tendrils, parts.other
    (['c', 'd'], frozenset({'i'}), frozenset({'u'}), frozenset({'t'}), frozenset({'z'}))
    >>> parts.sizes
    {'core': 2, 'in': 1, 'out': 1, 'tubes': 1, 'tendrils': 1, 'other': 1}
    """
    graph = as_graph(graph)
    sets: list[list[Label]] = [[] for _ in PARTS]
    for label, part in zip(graph.labels, bow_tie_parts(graph).tolist(), strict=True):
        sets[part].append(label)
    return BowTie(*map(frozenset, sets))


def bow_tie_parts(graph: GraphLike) -> NDArray[np.int8]:
    """Return for each page, in node order, the place of its part in ``PARTS``; int8 (n,). O(n + m).

    >>> [PARTS[part] for part in bow_tie_parts([(1, 2), (2, 1), (2, 3), (4, 4)])]
    ['core', 'core', 'out', 'other']
    """
    graph = as_graph(graph)
    core = _core(graph)
    if not core.any():
        return np.full(graph.n_nodes, PARTS.index("other"), np.int8)
    back = graph.reverse()
    in_, out = _reached(back, core) & ~core, _reached(graph, core) & ~core
    rest = ~(core | in_ | out)
    from_in, to_out = _reached(graph, in_) & rest, _reached(back, out) & rest
    marks = [core, in_, out, from_in & to_out, from_in ^ to_out]
    parts: NDArray[np.int8] = np.select(marks, range(len(marks)), PARTS.index("other")).astype(np.int8)
    return parts


def _core(graph: Graph) -> Marks:
    """Return which pages are in the largest strong component, none where it is a single page."""
    of = component_numbers(graph, "strong")
    sizes = np.bincount(of, minlength=1)
    if sizes.max() < 2:
        return np.zeros(graph.n_nodes, np.bool_)
    first = int(np.flatnonzero(sizes[of] == sizes.max())[0])
    core: Marks = of == of[first]
    return core


def _reached(graph: Graph, starts: Marks) -> Marks:
    """Return which pages a path leads to from one of ``starts``, those included."""
    reached = starts.copy()
    search = flood.plain if graph.n_nodes + graph.n_edges < _SMALL else flood
    search(graph.indptr, graph.indices, np.flatnonzero(starts), reached)
    return reached


@kernel("void(const int64[:], const int32[:], const int64[:], boolean[::1])")
def flood(indptr, indices, starts, reached):  # type: ignore[no-untyped-def]
    """Mark in ``reached``, where the starts are marked, all to which a path leads from them."""
    stack = np.empty(len(reached), np.int64)
    height = len(starts)
    stack[:height] = starts
    while height > 0:
        height -= 1
        u = stack[height]
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if not reached[v]:
                reached[v] = True
                stack[height] = v
                height += 1
