"""Spelling: the word of the index that was meant (book, section 3.3).

The distance of two words is the least number of characters put in, taken out, replaced, or exchanged with
their neighbour. A word that no page holds is replaced by the nearest of the index: of those at distance 1 (or
2 for words of five characters and more) the nearest, of the nearest the one that most pages hold, then the
first by code points.

letters   by word the set of its characters, 32 bits, character c at bit c mod 32
One change moves at most two bits of that set and the length by one. So most words are ruled out by two
comparisons of whole arrays, and only the others are measured.

Differs from the book: it keeps k-grams to find candidates; a bit set is smaller and as quick at 10^5 words.
Source: Damerau (1964); book, section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel

__all__ = ["Spelling"]

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]

LONGEST = 40  # characters; longer words are not mended
SHORT = 5  # characters; below that one change is as many as can be made out


class Spelling:
    """The words of an index and in how many pages each stands.

    >>> Spelling({"harbour": 7, "harbor": 2, "labour": 6}).nearest("habour")
    'harbour'
    """

    def __init__(self, frequencies: Mapping[str, int]) -> None:
        self.words = sorted(word for word in frequencies if 0 < len(word) <= LONGEST)
        self.frequencies = np.array([frequencies[word] for word in self.words], np.int64)
        self._codes, self._starts = _coded(self.words)
        self._letters = _letters(self._codes, self._starts)

    def nearest(self, word: str) -> str | None:
        """Return the word of the index that is nearest to ``word``, None where none is near.

        A word of the index is its own nearest.
        """
        if not 0 < len(word) <= LONGEST or not self.words:
            return None
        limit = 1 if len(word) < SHORT else 2
        codes, starts = _coded([word])
        apart = np.bitwise_count(self._letters ^ _letters(codes, starts)[0])
        lengths = np.diff(self._starts)
        near = np.flatnonzero((abs(lengths - len(word)) <= limit) & (apart <= 2 * limit))
        distances = np.empty(len(near), np.int64)
        _measure(self._codes, self._starts, near, codes, limit, distances)
        best = near[distances <= limit]
        if not len(best):
            return None
        order = np.lexsort((best, -self.frequencies[best], distances[distances <= limit]))
        return self.words[int(best[order[0]])]


def _coded(words: Iterable[str]) -> tuple[Ints, Longs]:
    """Return the code points of all words, end to end, and where each word's begin, and the end."""
    words = list(words)
    starts = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(word) for word in words], out=starts[1:])
    codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.int32)
    return codes, starts


def _letters(codes: Ints, starts: Longs) -> NDArray[np.uint32]:
    if not len(codes):
        return np.empty(0, np.uint32)
    bits = np.uint32(1) << (codes & 31).astype(np.uint32)
    return np.bitwise_or.reduceat(bits, starts[:-1])


@kernel("void(const int32[::1], const int64[::1], const int64[::1], const int32[::1], int64, int64[::1])")
def _measure(codes: Ints, starts: Longs, rows: Longs, word: Ints, limit: int, out: Longs) -> None:
    """Fill ``out`` with the distance of each of the words ``rows`` from ``word``; limit + 1 for more."""
    n = len(word)
    before, last, row = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    for x in range(len(rows)):
        start, end = starts[rows[x]], starts[rows[x] + 1]
        for j in range(n + 1):
            last[j] = j
        least = 0
        for i in range(1, end - start + 1):
            row[0] = least = i
            c = codes[start + i - 1]
            for j in range(1, n + 1):
                d = min(last[j], row[j - 1]) + 1
                d = min(d, last[j - 1] + (0 if c == word[j - 1] else 1))
                if i > 1 and j > 1 and c == word[j - 2] and codes[start + i - 2] == word[j - 1]:
                    d = min(d, before[j - 2] + 1)
                row[j] = d
                least = min(least, d)
            if least > limit:
                break
            before, last, row = last, row, before
        out[x] = limit + 1 if least > limit else min(last[n], limit + 1)
