"""What workers do to find the pairs of texts that are near: stages 3 and 4 of ``dedup.py``.

docs     numbers of texts, rising within a part: part p has ``cuts[p]`` … ``cuts[p + 1]`` − 1
pair     of docs i < j as one number, i · n + j with n = ``cuts[-1]``, int64
bucket   the share of a worker in what is exchanged: all equal keys meet in the same one
group    the docs of a bucket that share a band's key; one of over ``cap`` is a large one
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup.buckets import agreements, band_keys
from ircourse.dedup.minhash import NOTHING
from ircourse.distribute.jobs.dedup_sketches import Sketched
from ircourse.kernels import in_threads

__all__ = [
    "Groups",
    "agreeing",
    "grouped",
    "keys_by_bucket",
    "large",
    "once",
    "pairs_of_all",
    "pairs_with_first",
    "parts_of",
    "rows_of",
]

Longs: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.uint64]
AT_ONCE = 1 << 20  # pairs that are made at once


class Groups(NamedTuple):
    """The groups of a bucket: group g is ``docs[starts[g] : starts[g] + sizes[g]]``."""

    docs: Longs
    starts: Longs
    sizes: Longs


def keys_by_bucket(part: Sketched, bands: int, width: int, buckets: int) -> list[Any]:
    """Return for each bucket (band, key, doc) of the bands whose key belongs there."""
    keys = np.empty((bands, len(part.rows)), np.uint64)
    in_threads(band_keys, len(part.rows), part.rows, width, keys)
    keys = keys[:, part.rows[:, 0] != np.uint64(NOTHING)]
    docs = part.docs[part.rows[:, 0] != np.uint64(NOTHING)]
    band, place = np.divmod(np.arange(keys.size), max(1, len(docs)))
    flat, band = keys.reshape(-1), band.astype(np.int16)
    to = (flat % np.uint64(buckets)).astype(np.int64)
    order = np.argsort(to, kind="stable")
    cuts = np.searchsorted(to[order], np.arange(1, buckets))
    pieces = [np.split(array[order], cuts) for array in (band, flat, docs[place] if len(docs) else place)]
    return list(zip(*pieces, strict=True))


def grouped(*pieces: Any) -> Groups:
    """Return the groups of two or more docs of a bucket, each in rising order."""
    band, key, docs = (np.concatenate([piece[x] for piece in pieces]) for x in range(3))
    order = np.lexsort((docs, key, band))
    band, key, docs = band[order], key[order], docs[order]
    new = np.ones(len(docs) + 1, np.bool_)
    new[1:-1] = (key[1:] != key[:-1]) | (band[1:] != band[:-1])
    starts = np.flatnonzero(new)
    sizes = np.diff(starts)
    docs, starts, sizes = docs[np.repeat(sizes > 1, sizes)], starts[:-1][sizes > 1], sizes[sizes > 1]
    return Groups(docs, np.cumsum(sizes) - sizes, sizes)


def large(groups: Groups, cap: int) -> tuple[Longs, Longs]:
    """Return the first docs of large groups, and how many docs each group has."""
    big = groups.sizes > cap
    return groups.docs[groups.starts[big]], groups.sizes[big]


def pairs_with_first(groups: Groups, cap: int, cuts: Longs) -> list[Longs]:
    """Return the pairs of the first doc and each other of large groups, by the other's part.

    The sketches of the few first docs are fetched then, and not those of the many others.
    """
    big = groups.sizes > cap
    firsts = np.repeat(groups.docs[groups.starts[big]], groups.sizes[big])
    others = groups.docs[np.repeat(big, groups.sizes)]
    part = np.searchsorted(cuts, others, "right") - 1
    part[firsts == others] = -1
    pairs = firsts * cuts[-1] + others
    return [np.unique(pairs[part == p]) for p in range(len(cuts) - 1)]


def pairs_of_all(groups: Groups, settled: tuple[Longs, Longs], cap: int, cuts: Longs) -> list[Longs]:
    """Return the pairs of all docs of each other group, by the first one's part, settled ones aside.

    settled  docs, rising, and the cluster of each: two of one cluster are no pair
    """
    found = [np.empty(0, np.int64)]
    for size in np.unique(groups.sizes[groups.sizes <= cap]).tolist():
        a, b = np.triu_indices(size, 1)
        starts = groups.starts[groups.sizes == size]
        step = max(1, AT_ONCE // len(a))
        for g in range(0, len(starts), step):
            at = starts[g : g + step, np.newaxis]
            i, j = groups.docs[at + a].reshape(-1), groups.docs[at + b].reshape(-1)
            left = ~_together(i, j, *settled)
            found.append(np.unique(i[left] * cuts[-1] + j[left]))
            if sum(map(len, found[1:])) > max(AT_ONCE, len(found[0])):
                found = [np.unique(np.concatenate(found))]
    return _by_part(np.unique(np.concatenate(found)), cuts)


def once(*pieces: Longs) -> Longs:
    """Return the pairs of all pieces, rising, each once."""
    return np.unique(np.concatenate(pieces))


def parts_of(pairs: Longs, cuts: Longs) -> list[int]:
    """Return the parts that hold a doc of these pairs."""
    docs = np.concatenate(np.divmod(pairs, cuts[-1]))
    parts: list[int] = np.unique(np.searchsorted(cuts, docs, "right") - 1).tolist()
    return parts


def rows_of(part: Sketched, pairs: Longs, n: int) -> tuple[Longs, Rows]:
    """Return those of the docs of pairs that the part has, and their rows."""
    at = np.flatnonzero(np.isin(part.docs, np.concatenate(np.divmod(pairs, n))))
    return part.docs[at], part.rows[at]


def agreeing(pairs: Longs, n: int, need: int, *found: tuple[Longs, Rows]) -> tuple[Longs, Longs]:
    """Return the pairs that agree in ``need`` places, and in how many; ``found`` has all their rows."""
    docs = np.concatenate([one[0] for one in found])  # rising: parts come in their order
    rows = np.concatenate([one[1] for one in found])
    i, j = (np.searchsorted(docs, x) for x in np.divmod(pairs, n))
    agree = agreements(np.ascontiguousarray(rows), i, j)
    return pairs[agree >= need], agree[agree >= need]


def _together(i: Longs, j: Longs, docs: Longs, roots: Longs) -> NDArray[np.bool_]:
    """Return which pairs are of docs with one root; docs that are not listed have none."""
    if not len(docs):
        return np.zeros(len(i), np.bool_)
    at_i, at_j = (np.minimum(np.searchsorted(docs, x), len(docs) - 1) for x in (i, j))
    same: NDArray[np.bool_] = (docs[at_i] == i) & (docs[at_j] == j) & (roots[at_i] == roots[at_j])
    return same


def _by_part(pairs: Longs, cuts: Longs) -> list[Longs]:
    """Cut rising pairs by the part of the first doc."""
    return np.split(pairs, np.searchsorted(pairs, cuts[1:-1] * cuts[-1]))
