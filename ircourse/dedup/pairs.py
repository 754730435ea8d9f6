"""Candidate pairs: from sketches to the pairs worth comparing (book, section 19.6; slides, duplication).

sketches  uint64 (documents, places), from ``MinHasher``; agree(i, j) is the number of equal places
Three ways to the pairs with some agreement, without looking at all n (n − 1) / 2:

- ``pairs_by_sorting``: the sorted list of <value, document>. Finds all that share a value.
- ``pairs_by_super_shingles``: the values of a sketch sorted, and shingles of them.
  Finds those that share one.
- ``pairs_by_bands``: t bands of h places each; finds those that agree in all places of a band, with chance
  1 − (1 − s^h)^t at similarity s, an S-curve that is steepest near (1/t)^(1/h).

Each returns its pairs with the share of equal places, those of at least ``at_least``. A value, super-shingle
or band that over ``cap`` documents share is told in ``capped``; ``buckets.py`` says what is done with it.
Empty documents, whose sketches are 2^64 − 1 throughout, are in no pair.

Differs from the book: the list is sorted by place and value, not by value alone, and equal values in
different places do not count; ``pairs_by_sorting`` groups by hash table, ``counts_by_sorting`` by sorting.
Source: Broder (2000); Leskovec, Rajaraman and Ullman, section 3.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircourse.dedup.buckets import band_keys, meetings, window_keys
from ircourse.dedup.minhash import NOTHING
from ircourse.kernels import in_threads

__all__ = [
    "Capped",
    "Pair",
    "Pairs",
    "band_chance",
    "bands_for",
    "counts_by_sorting",
    "pairs_by_bands",
    "pairs_by_sorting",
    "pairs_by_super_shingles",
]

Sketches: TypeAlias = NDArray[np.uint64]
Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

CAP = 1000


class Pair(NamedTuple):
    """Two documents, i < j, and how alike they are."""

    i: int
    j: int
    estimate: float


class Capped(NamedTuple):
    """A bucket over the cap: the document that stands for it, and how many shared it."""

    representative: int
    size: int


@dataclass(frozen=True, eq=False)
class Pairs(Sequence[Pair]):
    """Pairs in rising order, as a sequence of ``Pair``; held as three arrays, 24 bytes a pair.

    i, j      documents, int64 (pairs,)
    estimate  from 0 to 1, float64 (pairs,)
    capped    buckets over the cap, by their representatives
    """

    i: Longs
    j: Longs
    estimate: Floats
    capped: tuple[Capped, ...] = ()

    def __len__(self) -> int:
        return len(self.i)

    @overload
    def __getitem__(self, x: int) -> Pair: ...
    @overload
    def __getitem__(self, x: slice) -> list[Pair]: ...
    def __getitem__(self, x: int | slice) -> Pair | list[Pair]:
        if isinstance(x, slice):
            return [self[y] for y in range(*x.indices(len(self)))]
        return Pair(int(self.i[x]), int(self.j[x]), float(self.estimate[x]))

    def __iter__(self) -> Iterator[Pair]:
        return map(Pair, self.i.tolist(), self.j.tolist(), self.estimate.tolist())

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"({i}, {j}, {e:.4g})" for i, j, e in self[:5])
        return f"<{len(self)} pairs: {shown}{', …' if len(self) > 5 else ''}>"


def counts_by_sorting(sketches: Sketches) -> Counter[tuple[int, int]]:
    """Return for each pair i < j that shares a value in how many places it does: the book's procedure.

    >>> counts_by_sorting(np.array([[1, 2, 3], [9, 2, 3], [1, 8, 8]], np.uint64))
    Counter({(0, 1): 2, (0, 2): 1})
    """
    table = _checked(sketches).tolist()
    # Only the empty document's sketch has this value in its first place.
    listed = sorted((p, x, d) for d, row in enumerate(table) if row[0] != NOTHING for p, x in enumerate(row))
    counts = Counter[tuple[int, int]]()
    for _, run in groupby(listed, key=lambda item: item[:2]):
        counts.update(combinations([document for _, _, document in run], 2))
    return counts


def pairs_by_sorting(sketches: Sketches, *, at_least: float = 0.0, cap: int = CAP) -> Pairs:
    """Return the pairs that agree in any place, with the share of those in which they agree.

    Equal to ``counts_by_sorting`` over the number of places, unless a value is shared by more than ``cap``.

    >>> pairs_by_sorting(np.array([[1, 2, 3], [9, 2, 3], [1, 8, 8]], np.uint64))
    <2 pairs: (0, 1, 0.6667), (0, 2, 0.3333)>
    """
    return pairs_by_bands(sketches, _checked(sketches).shape[1], 1, at_least=at_least, cap=cap)


def pairs_by_bands(
    sketches: Sketches, bands: int, rows: int, *, at_least: float = 0.0, cap: int = CAP
) -> Pairs:
    """Return the pairs that agree in all places of a band, with the share of places in which they agree.

    bands, rows  t bands of h places from the first place on: t h at most the number of places

    >>> pairs_by_bands(np.array([[1, 2, 3, 4], [1, 2, 3, 9], [8, 8, 3, 4]], np.uint64), 2, 2)
    <2 pairs: (0, 1, 0.75), (0, 2, 0.5)>
    """
    sketches = _checked(sketches)
    if bands < 1 or rows < 1 or bands * rows > sketches.shape[1]:
        raise ValueError(
            f"{bands} bands of {rows} rows: give both at least 1, and a product of at most "
            f"{sketches.shape[1]}, the places of a sketch"
        )
    keys = np.empty((bands, len(sketches)), np.uint64)
    in_threads(band_keys, len(sketches), sketches, rows, keys)
    return _pairs(sketches, keys, 1, at_least, cap)


def pairs_by_super_shingles(
    sketches: Sketches, width: int, *, at_least: float = 0.0, cap: int = CAP
) -> Pairs:
    """Return the pairs that share a super-shingle: ``width`` values in a row of the sorted sketch.

    A heuristic: what it misses depends on the width and the similarity (claim C30). Holds 13 bytes for each
    super-shingle, of which a document has places − width + 1.

    >>> pairs_by_super_shingles(np.array([[5, 1, 3], [3, 1, 9], [2, 1, 3]], np.uint64), 2)
    <1 pairs: (0, 1, 0.3333)>
    """
    sketches = _checked(sketches)
    if not 1 <= width <= sketches.shape[1]:
        raise ValueError(f"width is {width}: give a number of values from 1 to {sketches.shape[1]}")
    ordered = np.sort(sketches, axis=1)
    per = sketches.shape[1] - width + 1
    if len(sketches) * per >= 2**31:
        raise ValueError(f"{len(sketches)} sketches make over 2**31 super-shingles: give fewer at once")
    keys = np.empty((1, len(sketches) * per), np.uint64)
    in_threads(window_keys, len(sketches), ordered, width, keys[0])
    return _pairs(sketches, keys, per, at_least, cap)


def band_chance(similarity: ArrayLike, bands: int, rows: int) -> Floats:
    """Return the chance 1 − (1 − s^h)^t that t bands of h rows find a pair of similarity s; shaped as s.

    >>> band_chance([0.4, 0.8], 28, 7).round(3).tolist()
    [0.045, 0.999]
    """
    return np.asarray(1 - (1 - np.asarray(similarity, np.float64) ** rows) ** bands)


def bands_for(threshold: float, permutations: int = 200, miss: float = 0.01) -> tuple[int, int]:
    """Return (t, h): the widest bands that find a pair at the threshold with chance at least 1 − miss.

    Wide bands have few candidates in vain. Bands of one row where even those miss more.

    >>> bands_for(0.8), bands_for(0.5), bands_for(1.0)
    ((28, 7), (66, 3), (1, 200))
    """
    for rows in range(permutations, 1, -1):
        if band_chance(threshold, permutations // rows, rows) >= 1 - miss:
            return permutations // rows, rows
    return permutations, 1


def _checked(sketches: Sketches) -> Sketches:
    sketches = np.ascontiguousarray(sketches)
    if sketches.dtype != np.uint64 or sketches.ndim != 2 or sketches.shape[1] < 1:
        raise ValueError(f"sketches are {sketches.dtype} {sketches.shape}: give uint64 (documents, places)")
    return sketches


def _pairs(sketches: Sketches, keys: Sketches, per: int, at_least: float, cap: int) -> Pairs:
    """Return the pairs of documents that share a key and agree in at least that share of places."""
    if not 0 <= at_least <= 1:
        raise ValueError(f"at_least is {at_least}: give a share of places from 0 to 1")
    if cap < 2:
        raise ValueError(f"cap is {cap}: give a number of documents of at least 2")
    places = sketches.shape[1]
    need = next(n for n in range(places + 1) if n / places >= at_least)
    present = np.repeat(sketches[:, 0] != np.uint64(NOTHING), per)
    (i, j, agree), caps = meetings(sketches, keys, present, per, need, cap)
    return Pairs(i, j, agree / places, tuple(Capped(d, size) for d, size in caps.items()))
