"""The rows of a connectivity server in bits, by compiled loops: the same bits as ``gap_coding``.

bits    uint8, the rows one after the other, the highest bit of a byte first
starts  int64: the bit where row 0, 64, 128 … starts; those between are found by the lengths of the rows
indptr, indices  the rows as a ``Graph`` has them, each ascending
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.gap_coding import LENGTH_K, MOST_REFERENCES, WINDOW
from ircourse.kernels import kernel

__all__ = ["ROWS_A_START", "best_k", "encode_rows"]

ROWS_A_START = 64
MOST_K = 16
_SAMPLE = 20_000
_SMALL = 1000  # below this the plain loops are done before numba is loaded

Ints = NDArray[np.int64]


def best_k(indptr: Ints, indices: NDArray[np.int32]) -> int:
    """Return the k for which ζ_k makes the gaps of a sample of the rows shortest."""
    step = max(1, (len(indptr) - 1) // _SAMPLE)
    measure = gap_bits.plain if len(indices) < _SMALL else gap_bits
    sizes = [int(measure(indptr, indices, k, step)) for k in range(1, MOST_K + 1)]
    return 1 + sizes.index(min(sizes))


def encode_rows(indptr: Ints, indices: NDArray[np.int32], k: int) -> tuple[NDArray[np.uint8], Ints]:
    """Return the rows in bits, and where every 64th of them starts: ``(bits, starts)``. O(n + m).

    >>> bits, starts = encode_rows(np.array([0, 2, 2, 3]), np.array([1, 2, 0], np.int32), 3)
    >>> "".join(f"{byte:08b}" for byte in bits.tolist()), starts.tolist()
    ('1101100010111001010000011000000110000000', [0])
    """
    n = len(indptr) - 1
    refers, lengths, ends = np.zeros(n, np.int8), np.zeros(n, np.int64), np.zeros(n + 1, np.int64)
    small = n + len(indices) < _SMALL
    (choose.plain if small else choose)(indptr, indices, k, refers, lengths, ends)
    bits = np.zeros(-(-int(ends[n]) // 8), np.uint8)
    (write_rows.plain if small else write_rows)(indptr, indices, k, refers, lengths, bits)
    return bits, ends[:n:ROWS_A_START].copy()


@kernel("int64(int64)")
def log2(x):  # type: ignore[no-untyped-def]
    """Return the whole part of the logarithm of x ≥ 1."""
    found = 0
    while x > 1:
        x >>= 1
        found += 1
    return found


@kernel("int64(int64, int64)")
def zeta_bits(x, k):  # type: ignore[no-untyped-def]
    """Return the number of bits of ζ_k of x."""
    h = log2(x) // k
    return h + (h + 1) * k + (0 if x < np.int64(2) << (h * k) else 1)


@kernel("int64(int64, int64)")
def first_gap(v, u):  # type: ignore[no-untyped-def]
    """Return the number that stands for the first link to be added: v seen from u, at least 1."""
    return 2 * (v - u) + 1 if v >= u else 2 * (u - v)


@kernel("int64(const int64[:], const int32[:], int64, int64)")
def gap_bits(indptr, indices, k, step):  # type: ignore[no-untyped-def]
    """Return the bits that the gaps of every step-th row take when it refers to no other."""
    total = 0
    for u in range(0, len(indptr) - 1, step):
        for e in range(indptr[u], indptr[u + 1]):
            x = first_gap(indices[e], u) if e == indptr[u] else indices[e] - indices[e - 1]
            total += zeta_bits(x, k)
    return total


@kernel("int64(const int32[:], int64, int64, int64, int64, int64, int64, int64)")
def row_bits(indices, a, b, c, d, u, r, k):  # type: ignore[no-untyped-def]
    """Return the bits of row u, indices[a:b], if it refers to the row r before, indices[c:d]; 0 for none."""
    total, dropped, place, added, last = 3, 0, np.int64(-1), 0, np.int64(0)
    base = c
    for e in range(a, b + 1):
        # The last time round drops what is left of the other row.
        while base < d and (e == b or indices[base] < indices[e]):
            total += zeta_bits(base - c - place, 1)
            place, dropped, base = base - c, dropped + 1, base + 1
        if e == b:
            break
        if base < d and indices[base] == indices[e]:
            base += 1
        else:
            v = np.int64(indices[e])
            total += zeta_bits(first_gap(v, u) if added == 0 else v - last, k)
            last, added = v, added + 1
    return total + (zeta_bits(dropped + 1, 1) if r > 0 else 0)


@kernel("void(const int64[:], const int32[:], int64, int8[::1], int64[::1], int64[::1])")
def choose(indptr, indices, k, refers, lengths, ends):  # type: ignore[no-untyped-def]
    """Fill in to which row before it each row refers, 0 for none, how many bits it takes, where it ends."""
    depth = np.zeros(len(refers), np.int8)
    for u in range(len(refers)):
        a, b = indptr[u], indptr[u + 1]
        lengths[u] = row_bits(indices, a, b, 0, 0, u, 0, k)
        for r in range(1, min(WINDOW, u) + 1):
            c, d = indptr[u - r], indptr[u - r + 1]
            if depth[u - r] < MOST_REFERENCES:
                size = row_bits(indices, a, b, c, d, u, r, k)
                if size < lengths[u]:
                    lengths[u], refers[u] = size, r
        if refers[u] > 0:
            depth[u] = depth[u - np.int64(refers[u])] + 1
        ends[u + 1] = ends[u] + zeta_bits(lengths[u] + 1, LENGTH_K) + lengths[u]


@kernel("int64(uint8[::1], int64, int64, int64)")
def put(bits, at, value, width):  # type: ignore[no-untyped-def]
    """Write a value in ``width`` bits from bit ``at`` on; return where they end."""
    for i in range(width):
        if (value >> (width - 1 - i)) & 1:
            bits[(at + i) >> 3] |= np.uint8(128 >> ((at + i) & 7))
    return at + width


@kernel("int64(uint8[::1], int64, int64, int64)")
def put_zeta(bits, at, x, k):  # type: ignore[no-untyped-def]
    """Write ζ_k of x from bit ``at`` on; return where it ends."""
    h = log2(x) // k
    low, width = np.int64(1) << (h * k), (h + 1) * k
    at = put(bits, at + h, 1, 1)
    return put(bits, at, x - low, width - 1) if x < 2 * low else put(bits, at, x, width)


@kernel("void(const int64[:], const int32[:], int64, const int8[::1], const int64[::1], uint8[::1])")
def write_rows(indptr, indices, k, refers, lengths, bits):  # type: ignore[no-untyped-def]
    """Write all rows, each with its length before it."""
    at = 0
    for u in range(len(refers)):
        at = put_zeta(bits, at, lengths[u] + 1, LENGTH_K)
        r = np.int64(refers[u])
        at = put(bits, at, r, 3)
        a, b, c, d = indptr[u], indptr[u + 1], indptr[u - r], indptr[u - r + 1] if r > 0 else indptr[u]
        new = np.empty(b - a, np.int64)
        gone = np.empty(d - c, np.int64)
        added, dropped, base = 0, 0, c
        for e in range(a, b + 1):
            while base < d and (e == b or indices[base] < indices[e]):
                gone[dropped] = base - c
                dropped, base = dropped + 1, base + 1
            if e < b and base < d and indices[base] == indices[e]:
                base += 1
            elif e < b:
                new[added] = indices[e]
                added += 1
        if r > 0:
            at = put_zeta(bits, at, dropped + 1, 1)
            for i in range(dropped):
                at = put_zeta(bits, at, gone[i] + 1 if i == 0 else gone[i] - gone[i - 1], 1)
        for i in range(added):
            at = put_zeta(bits, at, first_gap(new[i], u) if i == 0 else new[i] - new[i - 1], k)
