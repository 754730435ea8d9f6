"""Random projection: fewer dimensions whose choice does not look at the data (slides-P).

R     k × m, independent entries of mean 0 and variance 1/k, so that E ‖Rx‖² = ‖x‖²
n     number of points

Johnson and Lindenstrauss: for 0 < ε < 1 and k ≥ 4 ln n / (ε²/2 − ε³/3) some R keeps all squared distances
between n points within 1 ± ε of what they were, and a random R does so with probability at least 1/n. It does
not matter how many dimensions m there were.

kind         √k times an entry
"gaussian"   normal, mean 0, variance 1
"sign"       +1 or −1, 1/2 each
"sparse"     +√3, 0, −√3 with probability 1/6, 2/3, 1/6 (10,923 of 65,536 for 1/6)

Entry (c, t) is made from the seed, t and c alone, by splitmix64: it is the same in every process, so that
documents stored today and a query next year are projected alike, and matrices of different k share rows.

Differs from slides-P: its k grows with the logarithm of the dimension; it is that of the number of points.
Source: Dasgupta and Gupta (2003); Achlioptas (2003); Steele and others (2014) for splitmix64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ircourse.kernels import in_threads, kernel
from ircourse.latent.arrays import Floats, Matrix, as_vectors, counted, dense, is_sparse

__all__ = ["Projection", "jl_dimension", "random_projection"]

Hashes: TypeAlias = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
KINDS = ("gaussian", "sign", "sparse")
ENDS = {"sign": 2**15, "sparse": 10_923}  # of 2**16: how many give +1, and how many −1


def jl_dimension(n_points: int, epsilon: float, beta: float = 0.0) -> int:
    """Return the least whole k with k ≥ (4 + 2β) ln n / (ε²/2 − ε³/3), at least 1.

    β = 0: a random R keeps all squared distances within 1 ± ε with probability at least 1/n
    β > 0: it fails with probability below n^−β

    Raises ValueError for n below 1, ε not between 0 and 1, β below 0.

    >>> jl_dimension(1000, 0.1), jl_dimension(1_000_000, 0.1), jl_dimension(1000, 0.5)
    (5921, 11842, 332)
    """
    n_points = counted(n_points, "n_points")
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon is {epsilon}: give a number between 0 and 1")
    if not 0 <= beta < math.inf:
        raise ValueError(f"beta is {beta}: give a number of at least 0")
    bound = (4 + 2 * beta) * math.log(n_points) / (epsilon**2 / 2 - epsilon**3 / 3)
    return max(1, math.ceil(bound))


def random_projection(
    n_terms: int, k: int, kind: str = "gaussian", rng: np.random.Generator | int = 0
) -> Projection:
    """Return a random k × n_terms matrix R: ``R @ x`` projects, ``R.matrix`` is the array.

    kind  "gaussian", "sign" or "sparse"
    rng   a seed, or a generator from which one is drawn

    Raises ValueError for k or n_terms below 1 or another kind.

    >>> R = random_projection(1000, 3, "sparse", rng=1)
    >>> R.shape, sorted({round(float(entry), 9) for entry in R.matrix.flat})
    ((3, 1000), [-1.0, 0.0, 1.0])
    """
    n_terms, k = counted(n_terms, "n_terms"), counted(k, "k")
    if kind not in KINDS:
        raise ValueError(f"no kind {kind!r}: choose from {', '.join(KINDS)}")
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else index(rng)
    if kind == "gaussian":
        return Projection(_normals(n_terms, k, seed), 1 / math.sqrt(k))
    variance = {"sign": 1.0, "sparse": 1 / 3}[kind]
    return Projection(_ternary(n_terms, k, seed, ENDS[kind]), 1 / math.sqrt(k * variance))


@dataclass(frozen=True, eq=False, repr=False)
class Projection:
    """A k × m matrix R = ``scale`` · ``entries``ᵗ, with entries float64 or int8 (m, k), a row a term."""

    entries: NDArray[np.float64] | NDArray[np.int8]
    scale: float

    def __repr__(self) -> str:
        k, m = self.shape
        return f"<Projection: {m} dimensions to {k}>"

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of R, (k, m)."""
        return self.entries.shape[1], self.entries.shape[0]

    @cached_property
    def matrix(self) -> Floats:
        """Return R as an array, float64 (k, m)."""
        R: Floats = self.entries.T.astype(np.float64) * self.scale
        return R

    def __matmul__(self, vectors: Matrix) -> Floats:
        """Return R x, float64 (k,), or of columns, (k, n); ``vectors`` is an array or sparse.

        Raises ValueError for another number of dimensions than m.

        >>> R = random_projection(4, 2, "sign")
        >>> bool(np.allclose(R @ [1, 0, 2, 0], R.matrix @ [1, 0, 2, 0]))
        True
        """
        vectors = as_vectors(vectors, self.shape[1], "dimensions")
        if is_sparse(vectors) and self.entries.dtype == np.int8:
            return _signed_sums(vectors, self.entries.astype(np.int8, copy=False)).T * self.scale
        return dense((vectors.T @ self.entries).T) * self.scale


def _hashes(n_terms: int, per_term: int, seed: int) -> Hashes:
    """Return splitmix64's output for each counter t · 2³² + i from the seed, uint64 (n_terms, per_term)."""
    t: Hashes = np.arange(n_terms, dtype=np.uint64)[:, np.newaxis] << S32
    i: Hashes = np.arange(1, per_term + 1, dtype=np.uint64)
    h: Hashes = (t + i) * GOLDEN + np.uint64(seed % 2**64)
    h = (h ^ (h >> S30)) * MIX_1
    h = (h ^ (h >> S27)) * MIX_2
    return h ^ (h >> S31)


def _ternary(n_terms: int, k: int, seed: int, ends: int) -> NDArray[np.int8]:
    """Return +1, 0 or −1 by four 16-bit numbers a hash: +1 for the ``ends`` least, −1 for the most."""
    hashes = _hashes(n_terms, -(-k // 4), seed)
    # little-endian on every machine: entry c is bits 16 (c mod 4) … of hash c // 4
    numbers = hashes.astype("<u8", copy=False).view("<u2")[:, :k]
    return (numbers < ends).astype(np.int8) - (numbers >= 2**16 - ends)


def _normals(n_terms: int, k: int, seed: int) -> Floats:
    """Return normal numbers, two from each two hashes (Box and Muller)."""
    half = -(-k // 2)
    # the upper 53 bits as a number above 0, up to 1
    uniform = ((_hashes(n_terms, 2 * half, seed) >> np.uint64(11)) + np.uint64(1)) * 2.0**-53
    radius, angle = np.sqrt(-2 * np.log(uniform[:, 0::2])), 2 * np.pi * uniform[:, 1::2]
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2)
    return np.ascontiguousarray(pairs.reshape(n_terms, -1)[:, :k])


def _signed_sums(vectors: sparse.csc_array, entries: NDArray[np.int8]) -> Floats:
    """Return vectorsᵗ · entries, float64 (n, k)."""
    sums = np.zeros((vectors.shape[1], entries.shape[1]))
    indptr, indices = vectors.indptr.astype(np.int64), vectors.indices.astype(np.int32)
    in_threads(_add_signed, len(sums), indptr, indices, vectors.data, np.ascontiguousarray(entries), sums)
    return sums


@kernel(
    "void(int64, int64, const int64[::1], const int32[::1], const float64[::1], "
    "const int8[:, ::1], float64[:, ::1])"
)
def _add_signed(
    start: int,
    stop: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    data: Floats,
    entries: NDArray[np.int8],
    sums: Floats,
) -> None:
    """Add to row d of ``sums`` the rows of ``entries`` of its terms, each times its weight."""
    for d in range(start, stop):
        for j in range(indptr[d], indptr[d + 1]):
            weight, t = data[j], indices[j]
            for c in range(entries.shape[1]):
                sums[d, c] += weight * entries[t, c]
