"""Bloom filter: which URLs were seen, in ten bits each, with a few mistakes of one kind (slides-P).

n  URLs added so far; capacity is the n that the filter is made for
m  bits, all 0 at first: m = ⌈capacity ln(1/error_rate) / (ln 2)²⌉
k  bits that a URL sets: k = m/capacity · ln 2, rounded
h  hash of the URL, 64 bits: `ircourse.text.term_hash`, the same in every process
The bits of a URL are those numbered (h + i g) mod m, i = 0 … k − 1, g = 1 + splitmix64(h) mod (m − 1).

A URL that was added is always found. One that was not is found all the same, as if seen, where others have
set all its bits: with probability (1 − e^{−kn/m})^k, which is error_rate at n = capacity (claim C47). Two
hashes in place of k add about k n/m², which shows in filters for fewer than some thousand URLs. Each of those
pages is lost to the crawl, so ours asks a table on disk where the filter says yes (`SeenUrls`).

Sources: Bloom (1970); Kirsch and Mitzenmacher (2006), two hashes in place of k.
"""

from __future__ import annotations

import hashlib
import math
import os
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel
from ircourse.text import BASIS, MIX_1, MIX_2, PRIME, term_hash

__all__ = ["BloomFilter"]

Words: TypeAlias = NDArray[np.uint64]
Longs: TypeAlias = NDArray[np.int64]

BASIS_, PRIME_, MIX_1_, MIX_2_ = np.uint64(BASIS), np.uint64(PRIME), np.uint64(MIX_1), np.uint64(MIX_2)
GOLDEN = 0x9E3779B97F4A7C15  # of splitmix64
GOLDEN_, ONE, SIX, LOW = np.uint64(GOLDEN), np.uint64(1), np.uint64(6), np.uint64(63)
S27, S30, S31 = np.uint64(27), np.uint64(30), np.uint64(31)
MAX_BITS = 2**43  # a terabyte
PIECE = 4096  # URLs handled at once, for the processor's cache
MAGIC = b"ircourse Bloom filter 1\n"
_HEAD = struct.Struct("<QdQ")  # capacity, error rate, n
_DIGEST = 16  # bytes at the end of a file


class BloomFilter:
    """A set of URLs that may contain more than was added; nothing can be taken out.

    capacity, error_rate  how many URLs it is made for, and the share of others it may then claim to contain
    n_bits, n_hashes      m and k
    count                 n, added URLs that were not contained

    Raises ValueError for a capacity below 1, an error rate outside 0 … 1 (both excluded) or over 2^43 bits.

    >>> seen = BloomFilter(capacity=1000, error_rate=0.01)
    >>> seen.add("http://harbour.example/"), seen.add("http://harbour.example/")
    (True, False)
    >>> "http://harbour.example/" in seen, "http://harbour.example/ferries" in seen, len(seen.bits)
    (True, False, 9586)

    Source: Bloom (1970).
    """

    def __init__(self, capacity: int, error_rate: float = 0.01) -> None:
        self.n_bits = _bits_for(capacity, error_rate)
        self.n_hashes = max(1, round(self.n_bits / capacity * math.log(2)))
        self.capacity, self.error_rate, self.count = capacity, error_rate, 0
        self._words: Words = np.zeros(
            -(-self.n_bits // 64), np.uint64
        )  # bit i: bit i mod 64 of word i div 64

    def positions(self, url: str) -> list[int]:
        """Return the numbers of the k bits of ``url``; the plain version of what the kernels compute.

        >>> BloomFilter(1000).positions("http://harbour.example/")
        [6104, 5785, 5466, 5147, 4828, 4509, 4190]
        """
        h = term_hash(url)
        z = (h + GOLDEN) % 2**64
        z = (z ^ z >> 30) * MIX_1 % 2**64
        z = (z ^ z >> 27) * MIX_2 % 2**64
        g = 1 + (z ^ z >> 31) % (self.n_bits - 1)
        return [(h + i * g) % self.n_bits for i in range(self.n_hashes)]

    def add(self, url: str) -> bool:
        """Add ``url`` and return whether it was not contained. Raises TypeError for what is no str."""
        return bool(self.add_many([url])[0])

    def add_many(self, urls: Iterable[str]) -> NDArray[np.bool_]:
        """Add URLs, one after the other, and return of each whether it was not contained before.

        >>> BloomFilter(1000).add_many(["http://a.example/", "http://b.example/", "http://a.example/"]).tolist()
        [True, True, False]
        """
        pieces = []
        for data, ends in _pieces(urls):
            new = np.empty(len(ends), np.bool_)
            self.count += int(_add(data, ends, self._words, np.uint64(self.n_bits), self.n_hashes, new))
            pieces.append(new)
        return np.concatenate(pieces)

    def __contains__(self, url: str) -> bool:
        return bool(self.contains_many([url])[0])

    def contains_many(self, urls: Iterable[str]) -> NDArray[np.bool_]:
        """Return of each URL whether it is contained, or seems to be."""
        pieces = []
        for data, ends in _pieces(urls):
            found = np.empty(len(ends), np.bool_)
            _find(data, ends, self._words, np.uint64(self.n_bits), self.n_hashes, found)
            pieces.append(found)
        return np.concatenate(pieces)

    @property
    def bits(self) -> NDArray[np.bool_]:
        """The m bits: a copy."""
        octets = self._words.astype("<u8").view(np.uint8)
        return np.unpackbits(octets, count=self.n_bits, bitorder="little").astype(np.bool_)

    @property
    def expected_error(self) -> float:
        """The probability that a URL that was not added is found: (1 − e^{−kn/m})^k, n the count.

        >>> BloomFilter(1000).expected_error
        0.0
        """
        return float((1 - math.exp(-self.n_hashes * self.count / self.n_bits)) ** self.n_hashes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the filter to a file, which is replaced only when the new one is whole on disk."""
        head = MAGIC + _HEAD.pack(self.capacity, self.error_rate, self.count)
        body = self._words.astype("<u8", copy=False)
        temporary = Path(f"{os.fspath(path)}.new")
        with temporary.open("wb") as file:
            for part in (head, body.data, _digest(head, body)):
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> BloomFilter:
        """Return the filter that `save` wrote. Raises ValueError for a file that is another or altered."""
        refused = f"{os.fspath(path)} holds no whole Bloom filter: save one again"
        with open(path, "rb") as file:
            head = file.read(len(MAGIC) + _HEAD.size)
            if not head.startswith(MAGIC) or len(head) < len(MAGIC) + _HEAD.size:
                raise ValueError(refused)
            body = np.frombuffer(file.read(), np.uint8)  # before its size is believed
        words, digest = body[:-_DIGEST], body[-_DIGEST:].tobytes()
        if digest != _digest(head, words):
            raise ValueError(refused)
        capacity, error_rate, count = _HEAD.unpack(head[len(MAGIC) :])
        if words.size != 8 * -(-_bits_for(capacity, error_rate) // 64):
            raise ValueError(refused)
        loaded = cls(capacity, error_rate)
        loaded._words[:] = words.view("<u8")
        loaded.count = count
        return loaded


def _bits_for(capacity: int, error_rate: float) -> int:
    """Return m."""
    if isinstance(capacity, bool) or not isinstance(capacity, int) or capacity < 1:
        raise ValueError(f"capacity is {capacity!r}: give a number of URLs of at least 1")
    if not isinstance(error_rate, float) or not 0 < error_rate < 1:
        raise ValueError(f"error_rate is {error_rate!r}: give a share between 0 and 1, say 0.01")
    m = max(2, math.ceil(capacity * -math.log(error_rate) / math.log(2) ** 2))
    if m > MAX_BITS:
        raise ValueError(f"{capacity:,} URLs at {error_rate} take {m:,} bits: 2^43 are the most")
    return m


def _digest(head: bytes, body: NDArray[np.generic]) -> bytes:
    digest = hashlib.blake2b(head, digest_size=_DIGEST)
    digest.update(np.ascontiguousarray(body).data)
    return digest.digest()


def _pieces(urls: Iterable[str]) -> Iterator[tuple[NDArray[np.uint8], Longs]]:
    """Yield the UTF-8 bytes of URLs, end to end, and where each ends; at least one piece."""
    if isinstance(urls, str):
        raise TypeError(f"URLs are several, not one str: write [{urls!r:.60}]")
    left = iter(urls)
    piece = list(islice(left, PIECE))
    while True:
        try:
            text = "".join(piece)
        except TypeError:
            other = next(url for url in piece if not isinstance(url, str))
            raise TypeError(f"a URL is a str, not {type(other).__name__}: {other!r:.60}") from None
        coded = piece if text.isascii() else [url.encode("utf-8", "surrogatepass") for url in piece]
        data = text.encode("utf-8", "surrogatepass")
        ends = np.cumsum(np.fromiter(map(len, coded), np.int64, len(piece)))
        yield np.frombuffer(data, np.uint8), ends
        piece = list(islice(left, PIECE))
        if not piece:
            return


@kernel("uint64(const uint8[::1], int64, int64)")
def _hash(data: NDArray[np.uint8], start: int, end: int) -> np.uint64:
    """Return ``term_hash`` of the bytes from start to end."""
    h = BASIS_
    for i in range(start, end):
        h = (h ^ np.uint64(data[i])) * PRIME_
    return _mixed(h)


@kernel("uint64(uint64)")
def _mixed(z: np.uint64) -> np.uint64:
    """Return what the finaliser of splitmix64 makes of z."""
    z = (z ^ z >> S30) * MIX_1_
    z = (z ^ z >> S27) * MIX_2_
    return z ^ z >> S31


@kernel("int64(const uint8[::1], const int64[::1], uint64[::1], uint64, int64, boolean[::1])")
def _add(
    data: NDArray[np.uint8], ends: Longs, words: Words, m: np.uint64, k: int, new: NDArray[np.bool_]
) -> int:
    """Fill ``new`` and return how many are."""
    start, count = 0, 0
    for u in range(len(ends)):
        h = _hash(data, start, ends[u])
        g = ONE + _mixed(h + GOLDEN_) % (m - ONE)
        at, unset = h % m, False
        for _ in range(k):
            bit = ONE << (at & LOW)
            unset |= words[at >> SIX] & bit == np.uint64(0)
            words[at >> SIX] |= bit
            at = at + g if at < m - g else at - (m - g)  # (at + g) mod m, without a division
        new[u], start, count = unset, ends[u], count + int(unset)
    return count


@kernel("void(const uint8[::1], const int64[::1], const uint64[::1], uint64, int64, boolean[::1])")
def _find(
    data: NDArray[np.uint8], ends: Longs, words: Words, m: np.uint64, k: int, found: NDArray[np.bool_]
) -> None:
    """Fill ``found``."""
    start = 0
    for u in range(len(ends)):
        h = _hash(data, start, ends[u])
        g = ONE + _mixed(h + GOLDEN_) % (m - ONE)
        at, left = h % m, k
        while left > 0 and words[at >> SIX] >> (at & LOW) & ONE != np.uint64(0):
            at, left = at + g if at < m - g else at - (m - g), left - 1
        found[u], start = left == 0, ends[u]
