"""Buckets: documents that share a key, and the pairs in them; the compiled part of ``pairs.py``.

keys    key of each item in each table, uint64 (tables, items); an item is a document, or one of its
        super-shingles: the document of item x is x // per
after   the next item of the same bucket, −1 for the last, int32 (tables, items)
head    the first item of the bucket, its representative, int32 (items,)
big     whether the item stands in a bucket of over ``cap`` items, (tables, items)
agree   in how many places two sketches are equal

A bucket of b documents has b (b − 1) / 2 pairs, and 10^5 near copies of one page fall into buckets of
thousands. So those over ``cap`` are compared with their representative only. What is found like it is
*settled*: it needs no comparing with others that are settled to the same cluster, in whatever bucket they
meet. All other pairs are taken where they first meet. The work is then linear in the number of documents.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup.shingles import BASE
from ircourse.dedup.union import roots_of
from ircourse.kernels import in_threads, kernel
from ircourse.text import MIX_1, MIX_2

__all__ = ["agreements", "band_keys", "meetings", "window_keys"]

Keys: TypeAlias = NDArray[np.uint64]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Found: TypeAlias = tuple[Longs, Longs, Longs]

BASE_, MIX_1_, MIX_2_ = np.uint64(BASE), np.uint64(MIX_1), np.uint64(MIX_2)
S27, S30, S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_ROOM = 1 << 18  # pairs that are compared at once


def agreements(sketches: Keys, i: Longs, j: Longs) -> Longs:
    """Return in how many places sketches ``i[x]`` and ``j[x]`` are equal, int64.

    >>> agreements(np.array([[1, 2], [1, 3]], np.uint64), np.array([0]), np.array([1])).tolist()
    [1]
    """
    agree = np.empty(len(i), np.int64)
    in_threads(_agree, len(i), sketches, i, j, agree)
    return agree


def meetings(
    sketches: Keys, keys: Keys, present: Flags, per: int, need: int, cap: int
) -> tuple[Found, dict[int, int]]:
    """Return ``(i, j, agree)`` of pairs i < j that share a key and agree in ``need`` places, and the caps.

    present  which items have a key at all
    caps     size of each bucket over ``cap``, in items, by its representative document; the largest of each

    Pairs come once each, in rising order.
    """
    after, big = np.empty(keys.shape, np.int32), np.empty(keys.shape, np.bool_)
    threads = min(os.cpu_count() or 1, 8)

    def link(start: int, stop: int) -> list[tuple[Longs, Longs, Longs]]:
        return [_linked(keys[t], present, cap, after[t], big[t]) for t in range(start, stop)]

    linked = [one for part in in_threads(link, len(keys), threads=threads) for one in part]
    caps: dict[int, int] = {}
    for heads, _, sizes in linked:
        for head, size in zip((heads // per).tolist(), sizes.tolist(), strict=True):
            caps[head] = max(caps.get(head, 0), size)
    n = len(sketches)
    found = [_kept(sketches, heads // per, items // per, need) for heads, items, _ in linked if len(items)]
    settled = np.full(n, -1, np.int64)
    for i, j, _ in found:
        settled[i] = settled[j] = 0
    if found:
        ends = [np.concatenate([one[x] for one in found]) for x in (0, 1)]
        settled[settled == 0] = roots_of(n, *ends)[settled == 0]
    for i, j in _candidates(keys, after, big, settled, per, cap):
        found.append(_kept(sketches, i, j, need))
    return _once(found, n), dict(sorted(caps.items()))


def _linked(keys: Keys, present: Flags, cap: int, after: Ints, big: Flags) -> Found:
    """Fill one table's ``after`` and ``big``; return head and item of those in big buckets, and the sizes."""
    table = np.full(2 << len(keys).bit_length(), -1, np.int32)
    head = np.empty(len(keys), np.int32)
    _link(keys, present, table, after, head)
    sizes = np.bincount(head[present], minlength=len(keys))
    big[:] = present & (sizes[head] > cap)
    items = np.flatnonzero(big)
    heads = head[items].astype(np.int64)
    return heads, items, sizes[heads].astype(np.int64)


def _kept(sketches: Keys, i: Longs, j: Longs, need: int) -> Found:
    """Return the pairs of different documents that agree in ``need`` places, each once."""
    n = len(sketches)
    i, j = np.divmod(np.unique(i[i != j] * n + j[i != j]), max(n, 1))
    agree = agreements(sketches, i, j)
    enough = agree >= need
    return i[enough], j[enough], agree[enough]


def _candidates(
    keys: Keys, after: Ints, big: Flags, settled: Longs, per: int, cap: int
) -> Iterator[tuple[Longs, Longs]]:
    """Yield the pairs of documents that meet in a bucket, some at a time."""
    i, j = np.empty(_ROOM + cap, np.int64), np.empty(_ROOM + cap, np.int64)
    where = np.zeros(2, np.int64)
    while where[0] < len(keys):
        n = _meet(keys, after, big, settled, per, _ROOM, where, i, j)
        yield i[:n].copy(), j[:n].copy()


def _once(found: list[Found], n: int) -> Found:
    """Return all pairs in rising order, each once."""
    if not found:
        none = np.empty(0, np.int64)
        return none, none, none
    i, j, agree = (np.concatenate([one[x] for one in found]) for x in range(3))
    pairs, first = np.unique(i * n + j, return_index=True)
    return pairs // max(n, 1), pairs % max(n, 1), agree[first]


@kernel("void(const uint64[::1], const boolean[::1], int32[::1], int32[::1], int32[::1])")
def _link(keys: Keys, present: Flags, table: Ints, after: Ints, head: Ints) -> None:
    """Fill ``after`` and ``head``; ``table`` is a hash table of buckets' first items, −1 where free.

    From the last item to the first, each going before its bucket: so buckets stand in rising order.
    """
    last = np.uint64(len(table) - 1)
    for item in range(len(keys) - 1, -1, -1):
        after[item] = head[item] = -1
        if present[item]:
            slot = keys[item] & last
            while table[slot] >= 0 and keys[table[slot]] != keys[item]:
                slot = (slot + np.uint64(1)) & last
            after[item] = table[slot]
            table[slot] = item
    for item in range(len(keys)):
        if head[item] < 0:
            head[item] = item
        if after[item] >= 0:
            head[after[item]] = head[item]


@kernel(
    "int64(const uint64[:, ::1], const int32[:, ::1], const boolean[:, ::1], const int64[::1], "
    "int64, int64, int64[::1], int64[::1], int64[::1])"
)
def _meet(
    keys: Keys,
    after: Ints,
    big: Flags,
    settled: Longs,
    per: int,
    room: int,
    where: Longs,
    i: Longs,
    j: Longs,
) -> int:
    """Fill ``i`` and ``j`` from table and item ``where`` on, till ``room`` is used up; return the number."""
    n = 0
    for table in range(where[0], len(keys)):
        for item in range(where[1], keys.shape[1]):
            if big[table, item]:
                continue
            if n >= room:
                where[0], where[1] = table, item
                return n
            a, other = item // per, after[table, item]
            while other >= 0:
                b = other // per
                skip = a == b or (settled[a] >= 0 and settled[a] == settled[b])
                t = 0
                while t < table and not skip:  # have they met before?
                    skip = keys[t, item] == keys[t, other] and not big[t, item]
                    t += 1
                if not skip:
                    i[n], j[n] = a, b
                    n += 1
                other = after[table, other]
        where[1] = 0
    where[0] = len(keys)
    return n


@kernel("void(int64, int64, const uint64[:, ::1], const int64[::1], const int64[::1], int64[::1])")
def _agree(start: int, stop: int, sketches: Keys, i: Longs, j: Longs, agree: Longs) -> None:
    """Fill ``agree`` from start to stop."""
    for x in range(start, stop):
        a, b = sketches[i[x]], sketches[j[x]]
        n = 0
        for place in range(len(a)):
            n += int(a[place] == b[place])
        agree[x] = n


@kernel("void(int64, int64, const uint64[:, ::1], int64, uint64[:, ::1])")
def band_keys(start: int, stop: int, sketches: Keys, rows: int, keys: Keys) -> None:
    """Fill ``keys[band, document]``."""
    for document in range(start, stop):
        for band in range(len(keys)):
            keys[band, document] = _key(sketches[document, band * rows : (band + 1) * rows])


@kernel("void(int64, int64, const uint64[:, ::1], int64, uint64[::1])")
def window_keys(start: int, stop: int, ordered: Keys, width: int, keys: Keys) -> None:
    """Fill ``keys``, document by document, with the keys of its windows."""
    per = ordered.shape[1] - width + 1
    for document in range(start, stop):
        for place in range(per):
            keys[document * per + place] = _key(ordered[document, place : place + width])


@kernel("uint64(const uint64[::1])")
def _key(values: Keys) -> np.uint64:
    """Return a hash of some values in their order."""
    h = np.uint64(len(values))
    for value in values:
        h = h * BASE_ + value
    h = (h ^ h >> S30) * MIX_1_
    h = (h ^ h >> S27) * MIX_2_
    return h ^ h >> S31
