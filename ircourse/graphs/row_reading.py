"""Rows read back out of bits, any of them at once; see ``row_bits`` for the arrays.

at  int64 (2,): the bit that is read next, and whether something was wrong with those read before

Bits may come from a file, so every loop keeps to its arrays, whatever the bits say. A row that makes no sense
is read as ``DAMAGED``.
"""

from __future__ import annotations

import numpy as np

from ircourse.graphs.gap_coding import LENGTH_K, MOST_REFERENCES
from ircourse.graphs.row_bits import ROWS_A_START
from ircourse.kernels import kernel

__all__ = ["DAMAGED", "read_row", "references"]

DAMAGED = -1  # the only link of such a row


@kernel("int64(const uint8[::1], int64[::1], int64)")
def take(bits, at, width):  # type: ignore[no-untyped-def]
    """Return the number that the next ``width`` bits are, at most 62."""
    value, here = np.int64(0), at[0]
    if width > 62 or here < 0 or here > 8 * len(bits) - width:  # here + width may be too large a number
        at[1] = 1
        return value
    at[0] = here + width
    while width > 0:
        left = 8 - (here & 7)  # bits of this byte
        n = min(left, width)
        value = (value << n) | ((np.int64(bits[here >> 3]) >> (left - n)) & ((1 << n) - 1))
        here, width = here + n, width - n
    return value


@kernel("int64(const uint8[::1], int64[::1], int64)")
def take_zeta(bits, at, k):  # type: ignore[no-untyped-def]
    """Return the number whose code ζ_k comes next, at least 1."""
    h, here, end = 0, at[0], 8 * len(bits)
    while 0 <= here < end and (bits[here >> 3] >> (7 - (here & 7))) & 1 == 0 and h <= 62:
        h, here = h + 1, here + 1
    if at[1] != 0 or here < 0 or here >= end or (h + 1) * k > 62:
        at[1] = 1
        return 1
    at[0] = here + 1
    low, width = np.int64(1) << (h * k), (h + 1) * k
    y = take(bits, at, width - 1)
    return y + low if y < low else 2 * y + take(bits, at, 1)


@kernel("int64(int64, const uint8[::1], const int64[::1], int64[::1])")
def go_to(u, bits, starts, at):  # type: ignore[no-untyped-def]
    """Go to the first bit of row u behind its length; return where the row ends."""
    at[0] = min(starts[u // ROWS_A_START], 8 * len(bits))
    for _ in range(u % ROWS_A_START):
        length = take_zeta(bits, at, LENGTH_K) - 1
        at[0] = min(at[0] + length, 8 * len(bits))
    length = take_zeta(bits, at, LENGTH_K) - 1
    return min(at[0] + length, 8 * len(bits))


@kernel("int64[:, ::1](int64, const uint8[::1], const int64[::1])")
def references(u, bits, starts):  # type: ignore[no-untyped-def]
    """Return the rows that stand behind a row: u, the one that it refers to, the one that that refers to …;
    under each the bit where it starts, behind its length, and the one where it ends.
    """
    found, count, at = np.empty((3, MOST_REFERENCES + 1), np.int64), 0, np.zeros(2, np.int64)
    while count <= MOST_REFERENCES:
        end = go_to(u, bits, starts, at)
        found[0, count], found[1, count], found[2, count] = u, at[0], end
        count += 1
        r = take(bits, at, 3)
        if r == 0 or r > u:
            break
        u -= r
    rows = np.empty((3, count), np.int64)
    for i in range(count):
        rows[0, i], rows[1, i], rows[2, i] = found[0, i], found[1, i], found[2, i]
    return rows


@kernel("int64[::1](int64, int64, const uint8[::1], const int64[::1], int64)")
def read_row(u, n, bits, starts, k):  # type: ignore[no-untyped-def]
    """Return the links of row u out of n, ascending, int64; ``DAMAGED`` for bits that are no row."""
    rows, at, base = references(u, bits, starts), np.zeros(2, np.int64), np.empty(0, np.int64)
    count = rows.shape[1]
    for i in range(count - 1, -1, -1):
        at[0] = rows[1, i]
        r = take(bits, at, 3)
        if r != (rows[0, i] - rows[0, i + 1] if i < count - 1 else 0):
            at[1] = 1
        kept = drop(base, bits, at) if r > 0 else base
        base = add(rows[0, i], n, kept, bits, at, rows[2, i], k)
        if at[1] != 0:
            damaged = np.empty(1, np.int64)
            damaged[0] = DAMAGED
            return damaged
    return base


@kernel("int64[::1](const int64[::1], const uint8[::1], int64[::1])")
def drop(base, bits, at):  # type: ignore[no-untyped-def]
    """Return the row without the links that the bits drop."""
    count = take_zeta(bits, at, 1) - 1
    if count > len(base):
        at[1], count = 1, 0
    kept, m, done = np.empty(len(base) - count, np.int64), 0, 0
    gone = take_zeta(bits, at, 1) - 1 if count > 0 else np.int64(-1)
    for i in range(len(base)):
        if i == gone:
            done += 1
            gone = gone + take_zeta(bits, at, 1) if done < count else np.int64(-1)
        elif m < len(kept):
            kept[m] = base[i]
            m += 1
    if done < count:
        at[1] = 1
    return kept


@kernel("int64[::1](int64, int64, const int64[::1], const uint8[::1], int64[::1], int64, int64)")
def add(u, n, kept, bits, at, end, k):  # type: ignore[no-untyped-def]
    """Return the row with the links that the bits until ``end`` add, ascending."""
    new, count, v = np.empty(max(0, min(n, end - at[0])), np.int64), 0, np.int64(0)
    while at[0] < end and at[1] == 0:
        x = take_zeta(bits, at, k)
        if count > 0:
            v += x
        elif x % 2 == 1:
            v = u + (x - 1) // 2
        else:
            v = u - x // 2
        if v < 0 or v >= n or count == len(new):
            at[1] = 1
        else:
            new[count] = v
            count += 1
    if at[0] != end:
        at[1] = 1
    row, m, i = np.empty(len(kept) + count, np.int64), 0, 0
    for j in range(count):
        while i < len(kept) and kept[i] < new[j]:
            row[m] = kept[i]
            m, i = m + 1, i + 1
        row[m] = new[j]
        m += 1
    while i < len(kept):
        row[m] = kept[i]
        m, i = m + 1, i + 1
    return row
