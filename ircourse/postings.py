"""The dictionary and the postings lists under an inverted index, with positions for phrases.

Texts are numbered from 0 in the order in which they come. The dictionary maps each term to two lists:

pairs      <text, count>: a text that holds the term, and how often; texts ascend; int32 (p, 2)
positions  where the term stands, ascending, int64 (occurrences,)

Positions run through the whole collection, with one left free after each text. So a phrase never runs from
one text into the next, and finding it is an intersection of lists: "a b" begins at i if a stands at i and
b at i + 1.

Differs from the book: its postings hold the positions inside a document; these have one list a term, which
the intersection of section 1.3 takes as it is.
Source: book, sections 1.2, 1.3 and 2.4.2.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel
from ircourse.text import term_ids

__all__ = ["Postings", "intersect", "viewed"]

Longs: TypeAlias = NDArray[np.int64]

_TYPES: dict[str, Any] = {"B": np.uint8, "i": np.int32, "q": np.int64, "d": np.float64}


class Postings:
    """The postings of texts that come in batches.

    sizes  number of terms of each text

    >>> postings = Postings()
    >>> postings.extend(["a rose is a rose", "is it a rose"])
    >>> [column.tolist() for column in postings.find(("a", "rose"))]
    [[0, 1], [2, 1]]
    """

    def __init__(self) -> None:
        self.sizes: array[int] = array("q")
        self._starts: array[int] = array("q")  # each text's first position
        self._free = 0  # the next free position
        # Two dictionaries, not one of objects that hold two lists: less memory a term, less to collect.
        self._pairs: dict[str, array[int]] = {}
        self._positions: dict[str, array[int]] = {}

    def __iter__(self) -> Iterator[str]:
        """Yield the terms in the order in which they first came."""
        return iter(self._pairs)

    def extend(self, texts: Sequence[str]) -> None:
        """Add texts, all or (one of them is not a ``str``: TypeError) none."""
        ids, offsets, terms = term_ids(texts)
        sizes = np.diff(offsets)
        text = np.repeat(np.arange(len(texts)), sizes)
        position = np.arange(len(ids)) + text + self._free  # + text: those left free
        order = np.argsort(ids, kind="stable")  # by term, then by position
        ids, text, position = ids[order], text[order] + len(self.sizes), position[order]
        begins = np.flatnonzero((np.diff(ids, prepend=-1) != 0) | (np.diff(text, prepend=-1) != 0))
        counts = np.diff(begins, append=len(ids))
        each = np.arange(len(terms) + 1)
        pairs = np.stack([text[begins], counts], axis=1)
        _append(self._pairs, terms, _packed("i", pairs), 2 * np.searchsorted(ids[begins], each))
        _append(self._positions, terms, _packed("q", position), np.searchsorted(ids, each))
        self.sizes.frombytes(sizes.tobytes())
        self._starts.frombytes((self._free + offsets[:-1] + np.arange(len(texts))).tobytes())
        self._free += len(ids) + len(texts)

    def find(self, phrase: Sequence[str]) -> tuple[Longs, Longs]:
        """Return the numbers of the texts that hold the terms one after the other, ascending, and how often.

        Both are int64 arrays; a phrase of one term is that term; occurrences may overlap.
        """
        if not phrase or any(term not in self._pairs for term in phrase):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        if len(phrase) == 1:
            texts, counts = viewed(self._pairs[phrase[0]]).reshape(-1, 2).T.astype(np.int64)
            return texts, counts
        # Where the phrase would begin, by each of its terms; the shortest list goes first.
        begins = [viewed(self._positions[term]) - i for i, term in enumerate(phrase)]
        first, *others = sorted(begins, key=len)
        for other in others:
            first = first[intersect(first, other)[0]]
        texts = np.searchsorted(viewed(self._starts), first, side="right") - 1
        return np.unique(texts, return_counts=True)

    def keep(self, wanted: NDArray[np.bool_]) -> None:
        """Drop the postings of the texts that are not ``wanted``, (texts,); the numbers stay as they are."""
        for term in list(self._pairs):
            pairs = viewed(self._pairs[term]).reshape(-1, 2)
            stays = wanted[pairs[:, 0]]
            if not stays.any():
                del self._pairs[term], self._positions[term]
            elif not stays.all():
                stands = np.repeat(stays, pairs[:, 1])
                self._pairs[term] = _packed("i", pairs[stays])
                self._positions[term] = _packed("q", viewed(self._positions[term])[stands])


def _append(lists: dict[str, array[int]], terms: list[str], values: array[int], cuts: Longs) -> None:
    """Append to the list of term i the values from cut i to cut i + 1."""
    for term, start, stop in zip(terms, cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        more = values[start:stop]
        if lists.setdefault(term, more) is not more:
            lists[term].extend(more)


def intersect(p1: Longs, p2: Longs) -> tuple[Longs, Longs]:
    """Return where in ``p1`` and where in ``p2`` the values stand that both hold; both ascend strictly.

    >>> [where.tolist() for where in intersect(np.array([1, 3, 7]), np.array([0, 3, 5, 7]))]
    [[1, 2], [1, 3]]
    """
    answer1, answer2 = np.empty(min(len(p1), len(p2)), np.int64), np.empty(min(len(p1), len(p2)), np.int64)
    n = _intersect(p1, p2, answer1, answer2)
    return answer1[:n], answer2[:n]


@kernel("int64(const int64[::1], const int64[::1], int64[::1], int64[::1])")
def _intersect(p1: Longs, p2: Longs, answer1: Longs, answer2: Longs) -> int:
    """INTERSECT of the book's Figure 1.6, which keeps places in place of values."""
    n = i = j = 0
    while i < len(p1) and j < len(p2):
        if p1[i] == p2[j]:
            answer1[n], answer2[n] = i, j
            n, i, j = n + 1, i + 1, j + 1
        elif p1[i] < p2[j]:
            i += 1
        else:
            j += 1
    return n


def viewed(values: bytearray | array[int] | array[float]) -> NDArray[Any]:
    """Return an array of the same numbers; nothing is copied, and while it is held ``values`` cannot grow."""
    return np.frombuffer(values, _TYPES["B" if isinstance(values, bytearray) else values.typecode])


def _packed(code: str, values: NDArray[Any]) -> array[int]:
    return array(code, values.astype(_TYPES[code]).tobytes())
