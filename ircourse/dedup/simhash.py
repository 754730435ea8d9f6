"""SimHash: a document as 64 bits, of which like documents share most (notes, similar pages).

h_f  64-bit hash of feature f, here a term; w_f its weight, here how often the term occurs
V_i  sum over f of +w_f where bit i of h_f is 1, −w_f where it is 0
Bit i of the SimHash is 1 if V_i > 0, else 0: the notes leave V_i = 0 open, and here the bit is 0.

Each bit says on which side of a hyperplane the document's vector lies. Were the planes Gaussian, a bit would
agree with chance 1 − θ/π, θ the angle between the vectors. Signs from hash bits come near that where no
word outweighs the rest (claim C36). Two within distance d are found by cutting the 64 bits into d + 1
blocks: one block at least is the same in both, so sorting by each block in turn brings them side by side.

Source: Charikar (2002); Manku, Jain and Das Sarma (2007).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.dedup.minhash import as_ids
from ircourse.kernels import kernel
from ircourse.text import term_hash, term_hashes

__all__ = ["SimHashIndex", "bit_sums", "hamming", "hyperplane_bits", "simhash", "simhash_of"]

Hashes: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float64]
ONE = np.uint64(1)


def simhash(text: str, *, weights: Mapping[str, float] | None = None, characters: bool = False) -> int:
    """Return the 64-bit SimHash of ``text``, each occurrence of a term adding its weight; 0 for no terms.

    weights     by term, as ``tokenize`` gives it; 1 where none is given

    >>> near = hamming(simhash("the old harbour and its ferry"), simhash("the old harbour and the ferry"))
    >>> far = hamming(simhash("the old harbour and its ferry"), simhash("a rose is a rose"))
    >>> near < far
    True
    """
    hashes, _ = term_hashes([text], characters)
    each, counts = np.unique(hashes, return_counts=True)
    if not weights:
        return simhash_of(each, counts)
    weight_of = {term_hash(term): weight for term, weight in weights.items()}
    return simhash_of(each, counts * np.array([weight_of.get(h, 1.0) for h in each.tolist()]))


def simhash_of(hashes: Collection[int] | Hashes, weights: ArrayLike | None = None, bits: int = 64) -> int:
    """Return the SimHash of features given by their hashes, all of weight 1 or of ``weights``.

    >>> simhash_of([178, 150, 240], bits=8), simhash_of([8, 7], [5, 1], bits=4), simhash_of([])
    (178, 8, 0)
    """
    sums = bit_sums(hashes, weights, bits)
    return sum(1 << i for i in np.flatnonzero(sums > 0).tolist())


def bit_sums(hashes: Collection[int] | Hashes, weights: ArrayLike | None = None, bits: int = 64) -> Floats:
    """Return V, lowest bit first, float64 (bits,).

    Raises ValueError for bits outside 1 … 64, hashes that do not fit, or weights that are not finite.

    >>> bit_sums([178, 150, 240], bits=8).tolist()
    [-3.0, 1.0, -1.0, -3.0, 3.0, 1.0, -1.0, 3.0]
    """
    if not 1 <= bits <= 64:
        raise ValueError(f"bits is {bits}: give a number from 1 to 64")
    h = as_ids(hashes)
    if len(h) and int(h.max()) >> bits:
        raise ValueError(f"hash {h.max()} does not fit {bits} bits: give integers from 0 to 2**{bits} - 1")
    w = np.ones(len(h)) if weights is None else np.asarray(weights, np.float64)
    if w.shape != h.shape or not np.isfinite(w).all():
        raise ValueError(f"weights of shape {w.shape} for {len(h)} hashes: give one finite number each")
    sums = np.zeros(bits)
    _add(h, np.ascontiguousarray(w), sums)
    return sums


def hamming(a: int, b: int) -> int:
    """Return in how many bits two integers of at least 0 differ.

    >>> hamming(0b1011, 0b0110)
    3
    """
    if a < 0 or b < 0:
        raise ValueError(f"{min(a, b)} is below 0: give SimHashes")
    return (int(a) ^ int(b)).bit_count()


def hyperplane_bits(vectors: ArrayLike, bits: int, rng: np.random.Generator | int) -> NDArray[np.bool_]:
    """Return on which side of ``bits`` random planes each vector lies: normals Gaussian; (vectors, bits).

    >>> hyperplane_bits([[1.0, 0.0], [2.0, 0.0], [-1.0, 0.0]], 3, 0).tolist()
    [[True, True, False], [True, True, False], [False, False, True]]
    """
    rows = np.atleast_2d(np.asarray(vectors, np.float64))
    normals = np.random.default_rng(rng).standard_normal((bits, rows.shape[1]))
    return np.asarray(rows @ normals.T > 0)


class SimHashIndex:
    """SimHashes, numbered as they come, to be searched within a distance of 0 to 63 bits.

    Holds distance + 1 sorted copies. A query reads, in each copy, those that share its leading block:
    about n / 2^(64 / (distance + 1)) of n random ones.

    >>> index = SimHashIndex([0b1111, 0b1110, 0b0011], distance=1)
    >>> index.search(0b1111), index.pairs()
    ([0, 1], [(0, 1)])
    """

    def __init__(self, simhashes: Sequence[int] | Hashes, distance: int = 3) -> None:
        if not 0 <= distance <= 63:
            raise ValueError(f"distance is {distance}: give a number of bits from 0 to 63")
        self.distance = distance
        self._hashes = as_ids(simhashes)
        cuts = [64 * i // (distance + 1) for i in range(distance + 2)]
        self._tables = []  # (bits to rotate by, width of the leading block, sorted hashes, their numbers)
        for start, stop in pairwise(cuts):
            turned = _turned(self._hashes, start)
            order = np.argsort(turned, kind="stable")
            self._tables.append((start, stop - start, turned[order], order))

    def search(self, simhash: int) -> list[int]:
        """Return the numbers of those within the distance of ``simhash``, in rising order."""
        found: set[int] = set()
        query = np.array([simhash], np.uint64)
        for start, width, turned, order in self._tables:
            low = int(_turned(query, start)[0]) >> (64 - width) << (64 - width)
            high = low + (1 << (64 - width)) - 1
            first = np.searchsorted(turned, np.uint64(low))
            last = np.searchsorted(turned, np.uint64(high), side="right")
            near = order[first:last]
            apart = np.bitwise_count(self._hashes[near] ^ query)
            found.update(near[apart <= self.distance].tolist())
        return sorted(found)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs i < j within the distance, in rising order."""
        return [(i, j) for i, h in enumerate(self._hashes.tolist()) for j in self.search(h) if i < j]


def _turned(hashes: Hashes, by: int) -> Hashes:
    """Return the hashes rotated to the left."""
    return (hashes << np.uint64(by)) | (hashes >> np.uint64(64 - by)) if by else hashes


@kernel("void(const uint64[::1], const float64[::1], float64[::1])")
def _add(hashes: Hashes, weights: Floats, sums: Floats) -> None:
    """Add each feature to the sums: its weight where a bit is 1, minus its weight where it is 0."""
    for feature in range(len(hashes)):
        for bit in range(len(sums)):
            if hashes[feature] >> np.uint64(bit) & ONE:
                sums[bit] += weights[feature]
            else:
                sums[bit] -= weights[feature]
