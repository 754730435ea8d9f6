"""Latent semantic indexing and random projection on a cluster: blocks of documents stay with the workers.

A    terms × documents, (m, n); A_b its columns of block b, with the worker that has it
x    (n, q) or (m, q), what a matrix is applied to; x_b its rows of block b
G    the Gram matrix of the smaller side, AAᵗ = Σ_b A_b A_bᵗ, or AᵗA whose block (a, b) is A_aᵗ A_b

LSI         Up to a side of 1,200, or 6 k, G is formed, by one exchange. Beyond, block Lanczos iteration
            (``ircourse.latent.lanczos``) runs at the client, and asks the workers for G x, an exchange for
            each block of 8 vectors: Σ_b A_b (A_bᵗ x), or A_bᵗ y for each b with y = Σ_b A_b x_b. Either is
            exact to 1e-8 of the largest singular value, as locally; smaller values count as zero.
Projection  R A = [R A_1, R A_2, …]: every worker makes R from the seed, so R does not travel.

The compressed SVD of dask.array was weighed: it is an approximation, and its blocks are dense.
Source: see ``ircourse.latent.svd`` and ``ircourse.latent.projection``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.distribute.jobs.held import cuts_for
from ircourse.distribute.jobs.sizes import Block
from ircourse.distribute.jobs.stages import Future, Progress, Stages
from ircourse.distribute.jobs.terms import TermBlocks
from ircourse.latent import LSI
from ircourse.latent import random_projection as projection
from ircourse.latent.arrays import Matrix, as_matrix, counted, dense
from ircourse.latent.lanczos import lanczos
from ircourse.latent.svd import SMALL_SIDE, from_smaller_side

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["lsi", "random_projection"]

Floats: TypeAlias = NDArray[np.float64]


def lsi(
    client: Client,
    matrix: Matrix | TermBlocks,
    k: int,
    *,
    parts: int | None = None,
    progress: Progress | None = None,
) -> LSI:
    """Return the ``LSI`` of a matrix of terms × documents with k concepts, as the local function does.

    matrix    an array, or sparse, or what ``term_documents`` returns
    parts     into how many blocks of documents a matrix is cut; None: one a worker
    progress  called with the stage's name, how many of its tasks are done, and how many it has

    The client holds P, R and the vectors of the iteration, about 8 k numbers a term or document of the
    smaller side. Errors as of the local function; also TypeError for what is no client, ClusterError where
    the cluster fails.
    """
    stages = Stages(client, progress)
    return LSI(*from_smaller_side(_columns(stages, matrix, parts), counted(k, "k"), _leading))


def random_projection(
    client: Client,
    matrix: Matrix | TermBlocks,
    k: int,
    kind: str = "gaussian",
    rng: np.random.Generator | int = 0,
    *,
    parts: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Return R A, float64 (k, n): the columns of ``random_projection(m, k, kind, rng) @ matrix``.

    matrix  an array, or sparse, or what ``term_documents`` returns; other arguments as of ``lsi``

    Each worker holds R, k numbers a term. Errors as of the local function, and as of ``lsi``.
    """
    stages = Stages(client, progress)
    A = _columns(stages, matrix, parts)
    projection(1, k, kind, 0)  # wrong arguments are told here
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng
    futures = stages.spread(_projected, A.blocks, n_terms=A.m, k=k, kind=kind, seed=seed)
    return np.concatenate(stages.results("projections", futures), axis=1)


@dataclass(frozen=True)
class _Columns:
    """A in blocks of columns, or Aᵗ: what ``svd.py`` and ``lanczos.py`` ask of a matrix."""

    stages: Stages
    blocks: list[Future]
    cuts: NDArray[np.int64]
    m: int
    turned: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        n = int(self.cuts[-1])
        return (n, self.m) if self.turned else (self.m, n)

    @property
    def T(self) -> _Columns:
        """The matrix turned."""
        return replace(self, turned=not self.turned)

    def __abs__(self) -> Floats:
        """Return the largest size of an entry of each block, of which the maximum is asked for."""
        return np.array(self.stages.results("largest entry", self.stages.spread(_largest, self.blocks)))

    def __truediv__(self, scale: float) -> _Columns:
        return replace(self, blocks=self.stages.spread(_scaled, self.blocks, scale=scale))

    def __matmul__(self, x: Floats) -> Floats:
        futures = self._times(x)
        pieces = self.stages.collect("products", futures if self.turned else [self.stages.sum(futures)])
        return np.concatenate(pieces)

    def gram(self, x: Floats) -> Floats:
        """Return the product of the matrix, turned, and the matrix, and x; what lies between stays there."""
        stages = self.stages
        futures = self._times(x)
        if self.turned:
            futures = [stages.sum(stages.spread(_product, self.blocks, futures))]
        else:
            futures = stages.spread(_from_left, self.blocks, [stages.sum(futures)] * len(self.blocks))
        return np.concatenate(stages.collect("products", futures))

    def gram_matrix(self) -> Floats:
        """Return the product of the matrix, turned, and the matrix."""
        stages, blocks = self.stages, self.blocks
        if self.turned:
            total: Floats = stages.results("products", [stages.sum(stages.spread(_outer, blocks))])[0]
            return total
        pairs = [(a, b) for a in range(len(blocks)) for b in range(a, len(blocks))]
        futures = [stages.task(_inner, blocks[a], blocks[b]) for a, b in pairs]
        G = np.empty((self.shape[1],) * 2)
        for (a, b), piece in zip(pairs, stages.results("products", futures), strict=True):
            rows, columns = (slice(self.cuts[x], self.cuts[x + 1]) for x in (a, b))
            G[rows, columns], G[columns, rows] = piece, piece.T
        return G

    def _times(self, x: Floats) -> list[Future]:
        """Return futures of the product with x: of its rows block by block, or of what adds up to it."""
        if self.turned:
            shared = [self.stages.share(x)] * len(self.blocks)
            return self.stages.spread(_from_left, self.blocks, shared)
        pieces = self.stages.hold([x[a:b] for a, b in zip(self.cuts[:-1], self.cuts[1:], strict=True)])
        return self.stages.spread(_product, self.blocks, pieces)


class _Applied:
    """What ``lanczos`` asks of a matrix M, which is Mᵗ @ (M @ x): the first of the products does both."""

    def __init__(self, matrix: _Columns) -> None:
        self.shape = matrix.shape
        self._matrix = matrix
        self.T = _Identity()

    def __matmul__(self, x: Floats) -> Floats:
        return self._matrix.gram(x)


class _Identity:
    def __matmul__(self, x: Floats) -> Floats:
        return x


def _leading(matrix: _Columns, k: int) -> Floats:
    """Return eigenvectors of the Gram matrix of a matrix with no more columns than rows."""
    if matrix.shape[1] <= max(SMALL_SIDE, 6 * k):
        vectors: Floats = np.linalg.eigh(matrix.gram_matrix())[1][:, -k:]
        return vectors
    return lanczos(_Applied(matrix), k)


def _columns(stages: Stages, matrix: Matrix | TermBlocks, parts: int | None) -> _Columns:
    if isinstance(matrix, TermBlocks):
        m, n = len(matrix.queries.terms), int(matrix.cuts[-1])
        if m == 0:
            raise ValueError(f"the matrix has shape {(m, n)}: no term of the texts is kept")
        return _Columns(stages, matrix.blocks, matrix.cuts, m)
    matrix = as_matrix(matrix)
    ends = cuts_for(stages, matrix.shape[1], parts, 1)
    cuts = np.array([0, *(b for _, b in ends)])
    return _Columns(stages, stages.hold([Block(matrix[:, a:b]) for a, b in ends]), cuts, matrix.shape[0])


def _largest(block: Block) -> float:
    return float(abs(block.matrix).max()) if block.matrix.shape[1] else 0.0


def _scaled(block: Block, scale: float) -> Block:
    return Block(block.matrix / scale)


def _product(block: Block, x: Floats) -> Floats:
    return np.asarray(block.matrix @ x)


def _outer(block: Block) -> Floats:
    return dense(block.matrix @ block.matrix.T)


def _inner(a: Block, b: Block) -> Floats:
    return dense(a.matrix.T @ b.matrix)


def _from_left(block: Block, y: Floats) -> Floats:
    return np.asarray(block.matrix.T @ y)


def _projected(block: Block, n_terms: int, k: int, kind: str, seed: int) -> Floats:
    reduced: Floats = projection(n_terms, k, kind, seed) @ block.matrix
    return reduced
