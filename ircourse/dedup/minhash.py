"""Min-hash sketches (book, section 19.6, Figure 19.8).

x     ids of a document's shingles, uint64 (m,)
H     the ids hashed, splitmix64 of each
π_i   permutation i of the 64-bit integers, π_i(h) = a_i h + b_i mod 2^64, a_i odd
Π_i   what π_i makes of H
The sketch is s_i = min Π_i, i = 0 … permutations − 1; the chance that s_i(A) = s_i(B) is J(A, B)
(Theorem 19.1), so the share of equal places estimates J with a standard error of √(J(1−J)/permutations).

The sketch of no shingles at all is 2^64 − 1 in every place.

Differs from the book: odd multipliers with an offset stand in for random permutations, of which there are
too many to draw one; ids are hashed first, since a linear map of unhashed ids is biased (claim C34).
Source: Broder (1997); Steele and others (2014) for splitmix64.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup.shingles import Strip, windows_of
from ircourse.kernels import in_threads, kernel
from ircourse.text import MIX_1, MIX_2

__all__ = ["MinHasher", "Stage", "similarity", "splitmix64"]

Ids: TypeAlias = NDArray[np.uint64]
Longs: TypeAlias = NDArray[np.int64]
Sketches: TypeAlias = NDArray[np.uint64]

GOLDEN, NOTHING = 0x9E3779B97F4A7C15, 2**64 - 1
GOLDEN_, NOTHING_, MIX_1_, MIX_2_ = (np.uint64(c) for c in (GOLDEN, NOTHING, MIX_1, MIX_2))
S27, S30, S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_PIECE = 1 << 18  # characters whose terms and shingles are held at once, for the processor's cache


class Stage(NamedTuple):
    """One row of Figure 19.8 for one document: what stands on the line of the 64-bit integers.

    name      "H", "H and Π", "Π", "minimum"
    hashes    H where it is shown, sorted
    permuted  Π where it is shown, in the order of the hashes
    minimum   the least of Π in the last stage; None before, and for no shingles
    """

    name: str
    hashes: tuple[int, ...]
    permuted: tuple[int, ...]
    minimum: int | None


class MinHasher:
    """Makes sketches of ``permutations`` values, the same for a seed in every process.

    a, b  coefficients of the permutations, uint64 (permutations,), drawn by splitmix64 from the seed

    Raises ValueError if permutations is below 1 or the seed does not fit 64 bits.

    >>> hasher = MinHasher()
    >>> sketches = hasher.sketch_texts(["a rose is a rose is a rose", "a rose is a rose is a flower"])
    >>> sketches.shape, similarity(*sketches)  # J is 3/4
    ((2, 200), 0.735)
    """

    def __init__(self, permutations: int = 200, seed: int = 0) -> None:
        if isinstance(permutations, bool) or not isinstance(permutations, int) or permutations < 1:
            raise ValueError(f"permutations is {permutations!r}: give a number of at least 1")
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
            raise ValueError(f"seed is {seed!r}: give an integer from 0 to 2**64 - 1")
        self.permutations, self.seed = permutations, seed
        start = splitmix64(seed)
        drawn = [splitmix64(start + i) for i in range(2 * permutations)]
        self.a = np.array([a | 1 for a in drawn[0::2]], np.uint64)
        self.b = np.array(drawn[1::2], np.uint64)
        self.a.flags.writeable = self.b.flags.writeable = False

    def stages(self, ids: Collection[int] | Ids, i: int = 0) -> Iterator[Stage]:
        """Yield the four stages of Figure 19.8 for permutation ``i``.

        >>> for stage in MinHasher(seed=1).stages({7, 8}):
        ...     print(stage.name, len(stage.hashes), len(stage.permuted), stage.minimum)
        H 2 0 None
        H and Π 2 2 None
        Π 0 2 None
        minimum 0 0 2355478975975723912
        """
        hashes = tuple(sorted(splitmix64(x) for x in set(as_ids(ids).tolist())))
        yield Stage("H", hashes, (), None)
        a, b = int(self.a[i]), int(self.b[i])
        permuted = tuple((a * h + b) % 2**64 for h in hashes)
        yield Stage("H and Π", hashes, permuted, None)
        yield Stage("Π", (), permuted, None)
        yield Stage("minimum", (), (), min(permuted, default=None))

    def permuted(self, ids: Collection[int] | Ids, i: int = 0) -> Ids:
        """Return Π for permutation ``i``, in the order of the ids, uint64.

        >>> bool(MinHasher().permuted([7, 8, 9]).min() == MinHasher().sketch([9, 8, 7])[0])
        True
        """
        z = as_ids(ids) * GOLDEN_ + GOLDEN_
        z = (z ^ z >> S30) * MIX_1_
        z = (z ^ z >> S27) * MIX_2_
        permuted: Ids = self.a[i] * (z ^ z >> S31) + self.b[i]
        return permuted

    def plain_sketch(self, ids: Collection[int] | Ids) -> list[int]:
        """Return the sketch by the four stages of each permutation; equal to ``sketch``.

        >>> MinHasher(3).plain_sketch({1, 2}) == MinHasher(3).sketch({1, 2}).tolist()
        True
        """
        last = [list(self.stages(ids, i))[-1].minimum for i in range(self.permutations)]
        return [NOTHING if least is None else least for least in last]

    def sketch(self, ids: Collection[int] | Ids) -> Sketches:
        """Return the sketch of a set of 64-bit ids, uint64 (permutations,); order and repeats do not matter.

        Raises ValueError for ids below 0 or beyond 64 bits, TypeError for what is no integer.

        >>> MinHasher(4).sketch([]).tolist() == [2**64 - 1] * 4
        True
        """
        ids = as_ids(ids)
        out = np.empty((1, self.permutations), np.uint64)
        _least(0, 1, ids, np.array([0, len(ids)]), self.a, self.b, out)
        return out.reshape(-1)

    def sketch_texts(
        self, texts: Sequence[str], k: int = 4, *, characters: bool = False, strip: Strip = ()
    ) -> Sketches:
        """Return the sketches of the k-shingles of texts, uint64 (texts, permutations).

        Arguments as of ``shingles``. Equal to ``sketch(shingle_ids(text, k))`` of each. Raises TypeError
        that names the first text that is not a ``str``.
        """
        if isinstance(texts, str):
            raise TypeError(f"texts are several, not one str: write [{texts!r:.60}]")
        for i, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(f"text {i} is to be a str, not {type(text).__name__}: {text!r:.60}")
        out = np.empty((len(texts), self.permutations), np.uint64)
        self.sketch_into(out, texts, k, characters=characters, strip=strip)
        return out

    def sketch_into(
        self, out: Sketches, texts: Sequence[str], k: int, *, characters: bool, strip: Strip
    ) -> None:
        """Fill ``out``, a row a text, as ``sketch_texts`` does."""
        strip = tuple(strip)

        def run(start: int, stop: int) -> None:
            for i, j in _pieces(texts, start, stop):
                ids, offsets = windows_of(texts[i:j], k, characters=characters, strip=strip)
                _least(0, j - i, ids, offsets, self.a, self.b, out[i:j])

        in_threads(run, len(texts))


def similarity(sketch_a: Sketches, sketch_b: Sketches) -> float:
    """Return the share of places in which two sketches agree: the estimate of J, from 0 to 1.

    Raises ValueError unless both are of one size and at least one place long.

    >>> similarity(np.array([3, 1, 4], np.uint64), np.array([3, 1, 5], np.uint64))
    0.6666666666666666
    """
    a, b = np.asarray(sketch_a), np.asarray(sketch_b)
    if a.ndim != 1 or a.shape != b.shape or not a.size:
        raise ValueError(f"sketches of shapes {a.shape} and {b.shape}: give two of the same MinHasher")
    return int(np.count_nonzero(a == b)) / a.size


def splitmix64(x: int) -> int:
    """Return number ``x`` of a fixed sequence of well-mixed 64-bit integers; a permutation of them.

    >>> hex(splitmix64(0))
    '0xe220a8397b1dcdaf'
    """
    z = (x + 1) * GOLDEN % 2**64
    z = (z ^ z >> 30) * MIX_1 % 2**64
    z = (z ^ z >> 27) * MIX_2 % 2**64
    return z ^ z >> 31


def as_ids(ids: Collection[int] | Ids) -> Ids:
    """Return ids as a contiguous array of uint64."""
    if isinstance(ids, np.ndarray) and ids.dtype == np.uint64 and ids.ndim == 1:
        return np.ascontiguousarray(ids)
    numbers = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
    for x in numbers:
        if isinstance(x, bool) or not isinstance(x, int | np.integer):
            raise TypeError(f"an id is an integer, not {type(x).__name__}: {x!r:.60}")
        if not 0 <= x < 2**64:
            raise ValueError(f"id {x} does not fit 64 bits: give integers from 0 to 2**64 - 1")
    return np.array(numbers, np.uint64)


def _pieces(texts: Sequence[str], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield ranges that cover start … stop, each of about ``_PIECE`` characters."""
    i, size = start, 0
    for j in range(start, stop):
        size += len(texts[j])
        if size >= _PIECE or j + 1 == stop:
            yield i, j + 1
            i, size = j + 1, 0


@kernel(
    "void(int64, int64, const uint64[::1], const int64[::1], "
    "const uint64[::1], const uint64[::1], uint64[:, ::1])"
)
def _least(start: int, stop: int, ids: Ids, offsets: Longs, a: Ids, b: Ids, out: Sketches) -> None:
    """Fill rows start … stop of ``out``. Eight ids at a time: each minimum is read and written less."""
    for document in range(start, stop):
        row, last = out[document], offsets[document + 1] - 1
        for i in range(len(a)):
            row[i] = NOTHING_
        for x in range(offsets[document], last + 1, 8):
            h0, h1 = _mixed(ids[x]), _mixed(ids[min(x + 1, last)])
            h2, h3 = _mixed(ids[min(x + 2, last)]), _mixed(ids[min(x + 3, last)])
            h4, h5 = _mixed(ids[min(x + 4, last)]), _mixed(ids[min(x + 5, last)])
            h6, h7 = _mixed(ids[min(x + 6, last)]), _mixed(ids[min(x + 7, last)])
            for i in range(len(a)):
                low = min(_lower(a[i], b[i], h0, h1), _lower(a[i], b[i], h2, h3))
                high = min(_lower(a[i], b[i], h4, h5), _lower(a[i], b[i], h6, h7))
                row[i] = min(row[i], min(low, high))


@kernel("uint64(uint64, uint64, uint64, uint64)")
def _lower(a: np.uint64, b: np.uint64, g: np.uint64, h: np.uint64) -> np.uint64:
    """Return the lower of what a permutation makes of two hashes."""
    return min(a * g + b, a * h + b)


@kernel("uint64(uint64)")
def _mixed(x: np.uint64) -> np.uint64:
    """Return ``splitmix64(x)``."""
    z = x * GOLDEN_ + GOLDEN_
    z = (z ^ z >> S30) * MIX_1_
    z = (z ^ z >> S27) * MIX_2_
    return z ^ z >> S31
