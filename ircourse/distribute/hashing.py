"""Where an item stands on the circle: hashes of keys that every machine computes alike.

key     what is distributed: a host name or URL (str), or a number such as a fingerprint (int, 0 … 2^64 − 1)
ID      the key's place on the circle of 2^64 points, uint64
mixed   the finaliser of splitmix64: each bit of the result depends on all bits of the number

The ID of a str is FNV-1a over its UTF-8 bytes, mixed (`ircourse.text.term_hash`); that of a number is the
number, mixed. Python's own ``hash`` differs from process to process, so two nodes would disagree about who
owns a page.

Sources: Fowler, Noll and Vo; Steele and others (2014).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel
from ircourse.text import BASIS, MIX_1, MIX_2, PRIME

__all__ = ["IDs", "Key", "key_id", "key_ids", "mixed"]

Key: TypeAlias = str | int
IDs: TypeAlias = NDArray[np.uint64]

BASIS_, PRIME_, MIX_1_, MIX_2_ = np.uint64(BASIS), np.uint64(PRIME), np.uint64(MIX_1), np.uint64(MIX_2)
GOLDEN = 0x9E3779B97F4A7C15  # of splitmix64
S27, S30, S31 = np.uint64(27), np.uint64(30), np.uint64(31)
PIECE = 2**16  # strings that are joined at once


def key_id(key: Key) -> int:
    """Return the ID of a key, from 0 to 2^64 − 1.

    Raises TypeError for what is neither str nor int, ValueError for a number out of range.

    >>> hex(key_id("harbour.example")), hex(key_id(7))
    ('0x20759cf749b6f8f6', '0x63cbe1e459320dd7')
    """
    if isinstance(key, str):  # equal to `term_hash`, which is the plain loop
        return int(_hash(np.frombuffer(key.encode("utf-8", "surrogatepass"), np.uint8)))
    return mixed(_number(key) + GOLDEN)


def key_ids(keys: Iterable[Key] | IDs) -> IDs:
    """Return the IDs of keys, uint64 (n,): ``key_id`` of each.

    keys  all of them str, or all of them numbers; an array of uint64 is taken as it is

    Raises as `key_id` does, and TypeError where str and numbers are mixed. A million host names a quarter
    of a second.

    >>> key_ids(["harbour.example", "museum.example"]).tolist() == [
    ...     key_id("harbour.example"), key_id("museum.example")]
    True
    """
    if isinstance(keys, np.ndarray) and keys.dtype == np.uint64:
        return _mixed_all(keys + np.uint64(GOLDEN))
    if isinstance(keys, str):
        raise TypeError(f"keys are several, not one str: write [{keys!r:.60}]")
    listed = list(keys)
    if listed and not isinstance(listed[0], str):
        return _mixed_all(np.array([_number(key) for key in listed], np.uint64) + np.uint64(GOLDEN))
    ids = np.empty(len(listed), np.uint64)
    for start in range(0, len(listed), PIECE):
        piece = listed[start : start + PIECE]
        data, ends = _bytes(piece)
        _hash_all(data, ends, ids[start : start + len(piece)])
    return ids


def mixed(z: int) -> int:
    """Return what the finaliser of splitmix64 makes of ``z`` mod 2^64.

    >>> hex(mixed(0x9E3779B97F4A7C15))
    '0xe220a8397b1dcdaf'
    """
    z %= 2**64
    z = (z ^ z >> 30) * MIX_1 % 2**64
    z = (z ^ z >> 27) * MIX_2 % 2**64
    return z ^ z >> 31


def stream(start: int, n: int) -> IDs:
    """Return the first ``n`` numbers of splitmix64 from ``start``, uint64 (n,).

    >>> [hex(z) for z in stream(0, 2)]
    ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']
    """
    steps = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    return _mixed_all(steps + np.uint64(start))


def _mixed_all(z: IDs) -> IDs:
    z = (z ^ z >> S30) * MIX_1_
    z = (z ^ z >> S27) * MIX_2_
    return z ^ z >> S31


def _number(key: object) -> int:
    if isinstance(key, (bool, np.bool_)) or not isinstance(key, (int, np.integer)):
        raise TypeError(f"a key is a str or a whole number, not {type(key).__name__}: {key!r:.60}")
    if not 0 <= key < 2**64:
        raise ValueError(f"the key {key!r} is out of range: give a number from 0 to 2**64 − 1")
    return int(key)


def _bytes(piece: Sequence[object]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of strings, end to end, and where each ends."""
    try:
        text = "".join(piece)  # type: ignore[arg-type]
    except TypeError:
        other = next(key for key in piece if not isinstance(key, str))
        raise TypeError(f"these keys are str, and one is {type(other).__name__}: {other!r:.60}") from None
    data = text.encode("utf-8", "surrogatepass")
    coded = piece if text.isascii() else [str(key).encode("utf-8", "surrogatepass") for key in piece]
    ends = np.cumsum(np.fromiter(map(len, coded), np.int64, len(piece)))  # type: ignore[arg-type]
    return np.frombuffer(data, np.uint8), ends


@kernel("uint64(const uint8[::1])")
def _hash(data: NDArray[np.uint8]) -> np.uint64:
    """Return ``term_hash`` of the bytes."""
    h = BASIS_
    for i in range(len(data)):
        h = (h ^ np.uint64(data[i])) * PRIME_
    h = (h ^ h >> S30) * MIX_1_
    h = (h ^ h >> S27) * MIX_2_
    return h ^ h >> S31


@kernel("void(const uint8[::1], const int64[::1], uint64[::1])")
def _hash_all(data: NDArray[np.uint8], ends: NDArray[np.int64], ids: IDs) -> None:
    """Fill ``ids`` with the hashes of the bytes up to each end."""
    start = 0
    for i in range(len(ends)):
        ids[i] = _hash(data[start : ends[i]])
        start = ends[i]
