"""PageRank by sweeps: block Gauss–Seidel iteration on (I − d Pᵗ) z = t (Langville and Meyer, chapter 7).

A sweep takes the pages in order and gives each z(v) = t(v) + d Σ P(u, v) z(u) over the pages u that link to
it. Power iteration computes that sum from old scores alone; a sweep takes those of this sweep where there are
any, so that news travels over many links at once. What a sweep costs is fetching a score for each link, from
all over the memory, and fewer sweeps do.

Pages are cut into ranges with about equally many links, RANGES to a phase. The ranges of a phase run side by
side: each sees its own new scores, and of the other ranges of its phase the old ones, whichever thread was
first. So the scores do not depend on the threads.

y       float64 (2n,), two copies of z(u) · share(u): y[u] as the last phase left it, y[n + u] as it is now
share   1 / number of links; 1 for weighted pages, whose links have each their chance, and for dangling ones
late    how many of a page's links lead to pages that have not got its new score by the end of the sweep, the
        links of weighted pages counted by their chances; −1 for dangling pages
links   the links to page v come from links[starts[v]] … links[starts[v + 1] − 1], as places of y: u, or n + u
        where u is in v's range

After each sweep t is scaled to what flows out of z: flow = (1 − d) Σ z + d Σ z over dangling pages. Every few
sweeps the last eight scores are mixed so that their differences, which fade at the same pace where a web
has communities, cancel ("quadratic extrapolation"; here reduced-rank extrapolation, its least-squares form).

The bound: z + Δ, the scores after a sweep, miss the equations by d Σ P(u, v) |Δ(u)| at most, over the links
that are late; the scaled scores are off by that over (1 − d) Σ z, and by as much again for the scaling of t.
Rounding adds its share, over 1 − d too.

Source: Arasu and others (2002); Kamvar and others (2003); Gleich, PageRank beyond the web (2015).
"""

from __future__ import annotations

import math
import os
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import Graph
from ircourse.kernels import in_threads, kernel
from ircourse.links.pagerank_chain import EPS, probabilities
from ircourse.links.pagerank_links import count_late, point_to_new, turned
from ircourse.types import NotConverged

__all__ = ["solve_by_sweeps"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

PHASES, RANGES = 8, 8
ONE_RANGE = 1_000_000  # pages and links: a smaller web is one range
PLAIN = 2_000  # pages and links: below this the loops are done before numba is loaded
KEPT = 8  # scores that an extrapolation mixes
FIRST = 3  # sweeps before the first of them
STALLED = 400  # sweeps without a bound 1% lower: it has come down to rounding, or mixing does harm
ROUNDING = 1e-12  # of a sum over all pages: no reason to scale
MOST = 2**30 - 1  # pages: places of y are int32


def solve_by_sweeps(graph: Graph, d: float, t: Floats, tol: float, limit: int) -> tuple[Floats, Floats]:
    """Return the scores, and after each sweep the bound of their L1 error.

    Raises NotConverged after ``limit`` sweeps, sooner where neither mixing nor sweeps alone lower the bound,
    and at once where rounding alone is above ``tol``.
    """
    if EPS / (1 - d) > tol:
        raise NotConverged(EPS / (1 - d), 0)
    web = _Web(graph, d, t)
    residuals: list[float] = []
    alone = limit // 2  # from here on no mixing: sweeps alone are sure to converge
    lowest, at = math.inf, 0
    for step in range(limit):
        residuals.append(web.sweep())
        if residuals[-1] <= tol:
            return web.scores(), np.array(residuals)
        if residuals[-1] < 0.99 * lowest:
            lowest, at = residuals[-1], step
        elif step - at >= STALLED:
            if step - alone >= STALLED:
                break  # sweeps alone do not help either
            alone, at = min(alone, step), step
        if FIRST <= step < alone:
            web.keep((step - FIRST) % KEPT)
            if (step - FIRST) % KEPT == KEPT - 1:
                web.mix()
    raise NotConverged(residuals[-1], len(residuals))


class _Web:
    """The arrays of the module's header, for one graph."""

    def __init__(self, graph: Graph, d: float, t: Floats) -> None:
        n, m = graph.n_nodes, graph.n_edges
        if n > MOST:
            raise ValueError(f"{n} pages are too many for pagerank: at most {MOST}")
        self.n, self.d, self.t = n, d, t
        self.small = n + m < PLAIN
        self.ranges = 1 if n + m < ONE_RANGE else RANGES
        share, dangling = np.empty(0), np.flatnonzero(graph.out_degrees == 0)
        if graph.weights is not None:
            share, dangling = probabilities(graph)
        pieces = min(self.ranges, os.cpu_count() or 1)
        self.starts, self.links, self.chances = turned(
            graph.indptr, graph.indices, share, pieces, compiled=not self.small
        )
        self.share = np.ones(n) if len(share) else 1 / np.maximum(graph.out_degrees, 1.0)
        self.cuts = self.cut(self.ranges * (1 if self.ranges == 1 else PHASES))
        self.threads(point_to_new, 0, len(self.cuts) - 1, self.starts, self.links)
        self.late = np.zeros(n)
        self.threads(
            count_late, 0, len(self.cuts) - 1, self.ranges, graph.indptr, graph.indices, share, self.late
        )
        self.late[dangling] = -1
        self.y, self.flow = np.tile(t * self.share, 2), 1 - d
        self.sums = np.zeros((len(self.cuts) - 1, 3))
        self.kept, self.flows = np.empty((0, n)), np.ones(KEPT)

    def cut(self, pieces: int) -> Ints:
        """Return where the ranges of pages begin, with about equal work in each."""
        work = self.starts + 2 * np.arange(self.n + 1)
        cuts: Ints = np.searchsorted(work, work[-1] * np.arange(pieces + 1) // pieces).astype(np.int64)
        cuts[-1] = self.n
        return cuts

    def threads(self, loop: Any, first: int, last: int, *args: Any) -> None:
        """Run ``loop(range, next range, cuts, …)`` over the ranges from ``first`` to ``last``."""
        run = loop.plain if self.small else loop
        in_threads(
            lambda i, j: run(first + i, first + j, self.cuts, *args),
            last - first,
            threads=max(1, min(os.cpu_count() or 1, last - first)),
        )

    def sweep(self) -> float:
        """Give each page its new score and return the bound."""
        n, y = self.n, self.y
        arrays = (self.starts, self.links, self.chances, self.share, self.late, self.t, self.flow, self.d)
        for first in range(0, len(self.sums), self.ranges):
            self.threads(sweep, first, first + self.ranges, *arrays, y, self.sums)
            a, b = self.cuts[first], self.cuts[first + self.ranges]
            y[a:b] = y[n + a : n + b]
        changed, total, dangling = self.sums.sum(axis=0).tolist()
        flow, stale = (1 - self.d) * total + self.d * dangling, self.d * changed
        wrong = abs(flow - self.flow)
        if wrong > ROUNDING * flow:
            self.flow = flow
        return float(((stale + min(wrong, stale)) / total + EPS) / (1 - self.d))

    def scores(self) -> Floats:
        """Return the scores, scaled to sum 1."""
        z = self.y[: self.n] / self.share
        scores: Floats = z / z.sum()
        return scores

    def keep(self, i: int) -> None:
        """Keep the present y as the i-th of those to mix."""
        if len(self.kept) == 0:
            self.kept = np.empty((KEPT, self.n))
        self.kept[i], self.flows[i] = self.y[: self.n], self.flow

    def mix(self) -> None:
        """Replace y by the mixture of the kept ones whose last change would have been least.

        Σ g_i Δ_i is to be shortest for weights with sum 1, Δ_i being the differences of those kept:
        g ~ G⁻¹ 1 with G_ij = Δ_i · Δ_j.
        """
        pieces = len(self.cuts) - 1
        G = np.zeros((pieces, KEPT - 1, KEPT - 1))
        self.threads(products, 0, pieces, self.kept, G)
        gram = G.sum(axis=0)
        gram += np.tril(gram, -1).T
        gram += np.eye(KEPT - 1) * max(1e-15 * np.trace(gram), 1e-300)  # differences may be dependent
        g = np.linalg.solve(gram, np.ones(KEPT - 1))
        g /= g.sum()
        flow = float(g @ self.flows[1:])
        if flow > 0:  # neither nonsense nor NaN
            self.threads(mixed, 0, pieces, self.kept, g, self.y)
            self.flow = flow


@kernel(
    "void(int64, int64, const int64[::1], const int64[::1], const int32[::1], const float64[::1], "
    "const float64[::1], const float64[::1], const float64[::1], float64, float64, float64[::1], "
    "float64[:, ::1])"
)
def sweep(  # type: ignore[no-untyped-def]
    first, last, cuts, starts, links, chances, share, late, t, flow, d, y, sums
):
    """Sweep over some ranges; ``sums`` gets by range Σ |Δ| of late links, Σ z, and Σ z of dangling pages."""
    n = len(share)
    for r in range(first, last):
        changed = total = dangling = 0.0
        for v in range(cuts[r], cuts[r + 1]):
            s = 0.0
            if len(chances) == 0:
                for e in range(starts[v], starts[v + 1]):
                    s += y[links[e]]
            else:
                for e in range(starts[v], starts[v + 1]):
                    s += chances[e] * y[links[e]]
            z = flow * t[v] + d * s
            new = z * share[v]
            if late[v] < 0:
                dangling += z
            else:
                changed += abs(new - y[n + v]) * late[v]
            total += z
            y[n + v] = new
        sums[r, 0], sums[r, 1], sums[r, 2] = changed, total, dangling


@kernel("void(int64, int64, const int64[::1], const float64[:, ::1], float64[:, :, ::1])")
def products(first, last, cuts, kept, G):  # type: ignore[no-untyped-def]
    """Add up, by range, the products of the differences of the vectors kept, each pair once."""
    k = len(kept) - 1
    change = np.empty(k)
    for r in range(first, last):
        for v in range(cuts[r], cuts[r + 1]):
            for i in range(k):
                change[i] = kept[i + 1, v] - kept[i, v]
                for j in range(i + 1):
                    G[r, i, j] += change[i] * change[j]


@kernel("void(int64, int64, const int64[::1], const float64[:, ::1], const float64[::1], float64[::1])")
def mixed(first, last, cuts, kept, g, y):  # type: ignore[no-untyped-def]
    """Put Σ g_i kept_(i + 1) into both copies of y."""
    n = len(y) // 2
    for v in range(cuts[first], cuts[last]):
        y[v] = 0.0
        for i in range(len(g)):
            y[v] += g[i] * kept[i + 1, v]
        y[n + v] = y[v]
