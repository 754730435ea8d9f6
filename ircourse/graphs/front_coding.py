"""Sorted strings in little room: front coding (book, sections 5.2.2 and 20.4).

strings  sorted, each once; as UTF-8, whose bytes sort as the characters do
block    every 16th string starts a block and is written whole; of each other one only what is not the
         beginning of the string before it
data     uint8: for each string the number of bytes that it shares with the one before (0 at the start of a
         block), the number that follow, and these
starts   int64: where in ``data`` each block starts

A string is sought by halving among the first strings of blocks, then along one block. Numbers are written
seven bits a byte, the lowest first, with the high bit set where more follow.

Data may come from a file, so every loop that reads keeps to its arrays, whatever they say.
Source: Witten, Moffat and Bell (1999), section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel

__all__ = ["BLOCK", "Fronted", "find", "front_code", "pack", "spell"]

BLOCK = 16
END = 255  # after each string that is spelled out: no byte of UTF-8
_SMALL = 2000

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


class Fronted(NamedTuple):
    """A string as front coding writes it: how many bytes of the one before it begins with, and the rest."""

    shared: int
    rest: bytes


def front_code(strings: Sequence[str], block: int = BLOCK) -> list[Fronted]:
    """Return how each of some sorted strings is written.

    >>> for shared, rest in front_code(["a.example/", "a.example/map", "a.example/may", "b.example/"]):
    ...     print(shared, rest.decode())
    0 a.example/
    10 map
    12 y
    0 b.example/
    """
    coded = []
    before = b""
    for i, string in enumerate(strings):
        data, shared = string.encode(), 0
        if i % block:
            while shared < min(len(data), len(before)) and data[shared] == before[shared]:
                shared += 1
        coded.append(Fronted(shared, data[shared:]))
        before = data
    return coded


def pack(strings: Sequence[bytes]) -> tuple[Bytes, Ints]:
    """Return sorted strings front-coded: ``(data, starts)``. O(bytes).

    >>> data, starts = pack([b"a.example/", b"a.example/map"])
    >>> bytes(data), starts.tolist()
    (b'\\x00\\na.example/\\n\\x03map', [0])
    """
    text = np.frombuffer(b"".join(strings), np.uint8)
    ends = np.cumsum(np.fromiter(map(len, strings), np.int64, len(strings)))
    data = np.empty(len(text) + 20 * len(strings), np.uint8)
    starts = np.zeros(-(-len(strings) // BLOCK), np.int64)
    write = write_strings if len(strings) > _SMALL else write_strings.plain
    return data[: int(write(text, ends, data, starts))].copy(), starts


@kernel("int64(const uint8[::1], const int64[::1], uint8[::1], int64[::1])")
def write_strings(text, ends, data, starts):  # type: ignore[no-untyped-def]
    """Write the strings that end at ``ends`` in ``text``; return the number of bytes written."""
    at, start, before = 0, 0, 0
    for i in range(len(ends)):
        end, shared = ends[i], 0
        if i % BLOCK == 0:
            starts[i // BLOCK] = at
        else:
            most = min(end - start, start - before)
            while shared < most and text[start + shared] == text[before + shared]:
                shared += 1
        for number in (np.int64(shared), np.int64(end - start - shared)):
            while number >= 128:
                data[at] = 128 | (number & 127)
                at, number = at + 1, number >> 7
            data[at] = number
            at += 1
        for j in range(start + shared, end):
            data[at] = text[j]
            at += 1
        before, start = start, end
    return at


@kernel("int64(const uint8[::1], int64[::1])")
def take(data, at):  # type: ignore[no-untyped-def]
    """Return the number at at[0], and go on behind it; at the end of the data, one beyond all of it."""
    number, shift = np.int64(0), 0
    while 0 <= at[0] < len(data) and shift <= 56:
        byte = np.int64(data[at[0]])
        at[0] += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number
    at[0] = len(data)
    return len(data) + 1


@kernel("int64(const uint8[::1], int64, const uint8[::1], const int64[::1])")
def find(string, n, data, starts):  # type: ignore[no-untyped-def]
    """Return the number of a string among n, or −1. O(log n) blocks are looked at."""
    at = np.zeros(1, np.int64)
    low, high = 0, len(starts)  # the block is in low … high − 1, if any
    while high - low > 1:
        middle = (low + high) // 2
        at[0] = starts[middle]
        take(data, at)
        if first_is_beyond(string, data, at):
            high = middle
        else:
            low = middle
    if low == high:
        return -1
    at[0] = starts[low]
    common = 0  # bytes at the beginning of both the string and the last one passed, which is smaller
    for i in range(low * BLOCK, min(n, (low + 1) * BLOCK)):
        shared, length = take(data, at), take(data, at)
        if length > len(data) - at[0] or shared < common:
            return -1
        here = at[0]
        at[0] += length
        if shared == common:
            while common < len(string) and common - shared < length:
                if string[common] != data[here + common - shared]:
                    break
                common += 1
            if common - shared == length:
                if common == len(string):
                    return i
            elif common == len(string) or string[common] < data[here + common - shared]:
                return -1
    return -1


@kernel("boolean(const uint8[::1], const uint8[::1], int64[::1])")
def first_is_beyond(string, data, at):  # type: ignore[no-untyped-def]
    """Return whether the first string of a block, whose length is next, comes after ``string``."""
    length = min(take(data, at), len(data) - at[0])
    for j in range(min(length, len(string))):
        if data[at[0] + j] != string[j]:
            return data[at[0] + j] > string[j]
    return length > len(string)


@kernel("uint8[::1](const int64[::1], int64, const uint8[::1], const int64[::1])")
def spell(numbers, n, data, starts):  # type: ignore[no-untyped-def]
    """Return the strings with these numbers out of n, each with ``END`` behind it; nothing if damaged."""
    out, start, at = np.empty(64 * len(numbers) + 64, np.uint8), 0, np.zeros(1, np.int64)
    for number in numbers:
        if number < 0 or number >= n:
            return np.empty(0, np.uint8)
        at[0], length = starts[number // BLOCK], 0
        for _ in range(number % BLOCK + 1):
            shared, more = take(data, at), take(data, at)
            if shared > length or more > len(data) - at[0]:
                return np.empty(0, np.uint8)
            length = shared + more
            if start + length + 1 > len(out):
                larger = np.empty(2 * (start + length + 1), np.uint8)
                for j in range(start + shared):
                    larger[j] = out[j]
                out = larger
            for j in range(more):
                out[start + shared + j] = data[at[0] + j]
            at[0] += more
        out[start + length] = END
        start += length + 1
    spelled = np.empty(start, np.uint8)
    for j in range(start):
        spelled[j] = out[j]
    return spelled
