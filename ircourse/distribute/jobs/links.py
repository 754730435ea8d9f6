"""PageRank and HITS on a cluster: rows of the matrix stay with the workers, one exchange a step.

P_b, A_b  block b of the rows of P and of A (see ``ircourse.links``), float64 (rows, n), sparse
x_b       the part of x that belongs to its rows

PageRank   power iteration: y = Σ_b P_bᵗ x_b. A worker gets its x_b and gives n numbers; these are added pair
           by pair, always in the same order, and the client scales the sum and looks at the residual.
HITS       the Lanczos iteration of ``ircourse.links.hits`` with AᵗA x = Σ_b A_bᵗ(A_b x) from the workers.

So a step moves 8 n bytes to each block and back, however many links there are. Tolerances mean what they mean
in the local functions, the L1 distance to the true vector, and scores agree within the two tolerances. Local
PageRank goes by sweeps, of which fewer are needed; their new scores at once would be an exchange for each.
Source: Page and others (1998); Langville and Meyer, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.distribute.jobs.graph import Rows, blocks_of
from ircourse.distribute.jobs.parts import Edges
from ircourse.distribute.jobs.sizes import Block
from ircourse.distribute.jobs.stages import Future, Progress, Stages
from ircourse.graphs import GraphLike
from ircourse.links import Hits, PageRank, Teleport
from ircourse.links.hits import MOST_STEPS
from ircourse.links.hits_leading import leading
from ircourse.links.pagerank import _limit
from ircourse.links.pagerank_chain import EPS, checked, checked_steps, checked_tol, probabilities
from ircourse.types import NotConverged

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["hits", "pagerank"]

Floats: TypeAlias = NDArray[np.float64]


def pagerank(
    client: Client,
    graph: GraphLike | Sequence[Edges],
    *,
    damping: float = 0.85,
    teleport: Teleport = None,
    tol: float = 1e-10,
    max_steps: int | None = None,
    parts: int | None = None,
    progress: Progress | None = None,
) -> PageRank:
    """Return the PageRank of each page, within ``tol`` of the true vector in L1 distance.

    graph      as for the local function, or parts of edge lists: see ``edge_parts``
    max_steps  steps of the power iteration; None: twice what ``damping`` and ``tol`` can ask for
    parts      blocks of rows; None: one a worker, of edge lists one for each four parts at least
    progress   called with the stage's name, how many of its tasks are done, and how many it has; the steps
               are one stage, that may end before its limit

    Other arguments and errors as of the local function; also TypeError for what is no client, and
    ClusterError where the cluster fails. ``residuals`` has a bound for each step.
    """
    stages = Stages(client, progress)
    checked_tol(tol)
    blocks = blocks_of(stages, graph, parts)
    _, d, t = checked(blocks.empty, damping, teleport, tol)
    limit = checked_steps(max_steps, _limit(d, tol, None))
    if EPS / (1 - d) > tol:
        raise NotConverged(EPS / (1 - d), 0)
    rows = stages.spread(_chances, blocks.blocks)
    dangling = np.concatenate(stages.results("chances", stages.spread(_dangling, rows)))
    matrix = _Matrix(stages, rows, blocks.cuts)
    x, residuals = t, list[float]()
    for step in range(limit + 1):
        following = d * (matrix.from_left(x) + x[dangling].sum() * t) + (1 - d) * t
        residuals.append(float(np.abs(following - x).sum()) / (1 - d))
        stages.tell("steps", step, limit)
        if residuals[-1] <= tol:
            return PageRank(blocks.labels, _fixed(x), _fixed(np.array(residuals)))
        x = following / following.sum()
    raise NotConverged(residuals[-1], limit)


def hits(
    client: Client,
    graph: GraphLike | Sequence[Edges],
    *,
    tol: float = 1e-10,
    max_steps: int | None = None,
    parts: int | None = None,
    progress: Progress | None = None,
) -> Hits:
    """Return hub and authority scores, within ``tol`` of the end of the power iteration in L1 distance.

    Arguments as of ``pagerank``, and as of the local function, whose errors these are too. The client holds
    the vectors of the iteration, 160 MB at most, or 16 where that is more.
    """
    stages = Stages(client, progress)
    tol, limit = checked_tol(tol), checked_steps(max_steps, MOST_STEPS)
    blocks = blocks_of(stages, graph, parts)
    largest = stages.results("links", stages.spread(_largest, blocks.blocks))
    if max(largest, default=0) <= 0:
        what = "links of positive weight" if any(one == 0 for one in largest) else "links"
        raise ValueError(f"the graph has no {what}: without any there are no hubs and authorities")
    scale = float(2.0 ** -np.frexp(max(largest))[1])  # exact: nothing overflows, nothing changes
    rows = stages.spread(_weights, blocks.blocks, scale=scale)
    A: Any = _Links(_Matrix(stages, rows, blocks.cuts), limit)
    a, bounds = leading(A, tol, limit)
    h = A.hubs(a)
    return Hits(blocks.labels, _fixed(h / h.sum()), _fixed(a), _fixed(bounds))


@dataclass(frozen=True)
class _Matrix:
    """A matrix n × n in blocks of rows."""

    stages: Stages
    rows: list[Future]
    cuts: NDArray[np.int64]

    def from_left(self, x: Floats) -> Floats:
        """Return x M."""
        pieces = self.stages.hold([x[a:b] for a, b in zip(self.cuts[:-1], self.cuts[1:], strict=True)])
        return self._sum("steps", self.stages.spread(_from_left, self.rows, pieces))

    def gram(self, x: Floats) -> Floats:
        """Return Mᵗ M x."""
        shared = [self.stages.share(x)] * len(self.rows)
        return self._sum("steps", self.stages.spread(_gram, self.rows, shared))

    def from_right(self, x: Floats) -> Floats:
        """Return M x."""
        shared = [self.stages.share(x)] * len(self.rows)
        pieces = self.stages.collect("last step", self.stages.spread(_from_right, self.rows, shared))
        return np.concatenate(pieces)

    def _sum(self, stage: str, futures: list[Future]) -> Floats:
        total: Floats = self.stages.collect(stage, [self.stages.sum(futures)])[0]
        return total


class _Links:
    """What Lanczos iteration asks of a graph, asked of the workers."""

    def __init__(self, matrix: _Matrix, limit: int) -> None:
        self._matrix, self._limit, self._step = matrix, limit, 0
        self.n = int(matrix.cuts[-1])

    def in_weights(self) -> Floats:
        """Return Aᵗ1."""
        return self._matrix.from_left(np.ones(self.n))

    def gram(self, x: Floats) -> Floats:
        """Return AᵗA x."""
        self._step += 1
        self._matrix.stages.tell("steps", self._step, self._limit)
        return self._matrix.gram(x)

    def hubs(self, x: Floats) -> Floats:
        """Return A x."""
        return self._matrix.from_right(x)


def _csr(rows: Rows, data: Floats) -> Any:
    from scipy.sparse import csr_array

    indptr = rows.indptr.astype(np.int32) if len(data) < 2**31 else rows.indptr
    return csr_array((data, rows.indices, indptr), shape=(len(indptr) - 1, rows.n))


def _chances(rows: Rows) -> Block:
    """Return a block of P, and which of its pages are dangling."""
    share, none = probabilities(rows.graph)
    dangling = np.zeros(len(rows.indptr) - 1, np.bool_)
    dangling[none] = True
    return Block(_csr(rows, share), dangling)


def _weights(rows: Rows, scale: float) -> Block:
    """Return a block of A, scaled."""
    weights = np.ones(len(rows.indices)) if rows.weights is None else rows.weights
    return Block(_csr(rows, weights * scale))


def _dangling(block: Block) -> NDArray[np.bool_]:
    dangling: NDArray[np.bool_] = block.dangling
    return dangling


def _largest(rows: Rows) -> float:
    """Return the largest weight of a link, −1 where there is no link."""
    return float(np.max(rows.weights if rows.weights is not None else 1.0)) if len(rows.indices) else -1.0


def _from_left(block: Block, x: Floats) -> Floats:
    y: Floats = x @ block.matrix
    return y


def _from_right(block: Block, x: Floats) -> Floats:
    y: Floats = block.matrix @ x
    return y


def _gram(block: Block, x: Floats) -> Floats:
    return _from_left(block, block.matrix @ x)


def _fixed(array: Floats) -> Floats:
    array.setflags(write=False)
    return array
