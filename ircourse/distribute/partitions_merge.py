"""A node's documents, and the merging of what nodes answer, with its comparisons counted.

lists  each unit's documents, ascending, and its counts in them, both int64 (df,)

Source: book, sections 1.3, 7.1 and 20.3.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.distribute.partitions import Mode
from ircourse.index import Document, InvertedIndex
from ircourse.postings import viewed
from ircourse.ranking import Statistics, Unit, best, bm25, in_all, in_any
from ircourse.text import tokenize
from ircourse.types import Hit

__all__ = ["Piece", "comparisons", "fields_of", "merge_hits", "ranked"]

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Lists: TypeAlias = Mapping[Unit, tuple[Longs, Longs]]


class Piece:
    """The documents that are placed on one node, and what it knows of them.

    index, numbers, lengths  its index, each document's number in the whole collection, and L_d
    frequencies, length      df(t), and the sum of L_d
    """

    def __init__(self, k1: float, b: float) -> None:
        self.index = InvertedIndex(k1=k1, b=b)
        self.numbers: array[int] = array("q")
        self.lengths: array[float] = array("d")
        self.frequencies: Counter[str] = Counter()
        self.length = 0.0
        self._terms: list[tuple[str, ...]] = []  # of each document

    def extend(self, docs: Sequence[Document], numbers: Sequence[int]) -> range:
        """Add documents, which `fields_of` has checked, and return their numbers here."""
        added = self.index.extend(docs)
        for doc, number, local in zip(docs, numbers, added, strict=True):
            terms = (term for text in fields_of(doc, number) for term in tokenize(text))
            self._terms.append(tuple(dict.fromkeys(terms)))
            self.frequencies.update(self._terms[local])
            self.lengths.append(self.index.length(local))
            self.length += self.lengths[local]
        self.numbers.extend(numbers)
        return added

    def remove(self, local: int) -> None:
        """Remove a document."""
        self.index.remove(local)
        self.frequencies -= Counter(self._terms[local])
        self.length -= self.lengths[local]
        self._terms[local] = ()

    def read(self, units: Iterable[Unit]) -> int:
        """Return the number of postings that the units have here."""
        return sum(len(self.index.postings(" ".join(unit))[0]) for unit in units)

    def best(self, units: Sequence[Unit], known: Statistics | None, n: int, mode: Mode) -> list[Hit]:
        """Return the ``n`` best by what is ``known``; None: by what is known here."""
        lists = {unit: self.index.postings(" ".join(unit)) for unit in units}
        if known is None:
            df = {" ".join(unit): len(docs) for unit, (docs, _) in lists.items()}
            known = Statistics(len(self.index), self.length, df)
        hits = ranked(lists, viewed(self.lengths), known, n, mode, self.index.k1, self.index.b)
        return [Hit(self.numbers[doc], score) for doc, score in hits]


def fields_of(doc: Document, number: int) -> list[str]:
    """Return the texts of a document's fields, or raise TypeError."""
    fields = {"text": doc} if isinstance(doc, str) else doc
    if not isinstance(fields, Mapping) or not all(isinstance(text, str) for text in fields.values()):
        raise TypeError(f"document {number} is to be a str or a mapping from field to str, not {doc!r:.60}")
    return list(fields.values())


def ranked(
    lists: Lists, lengths: Floats, known: Statistics, n: int, mode: Mode, k1: float, b: float
) -> list[Hit]:
    """Return the ``n`` best documents, equal ones by number.

    The sums are taken in the order that the whole collection has: they are equal bit for bit wherever they
    are taken. In an order of each node's own, two copies of a page on two nodes could score differently.
    """
    scored = []
    for unit in sorted(lists, key=lambda unit: (known.frequencies[" ".join(unit)], unit)):
        docs, counts = lists[unit]
        scored.append((docs, bm25(unit, counts.astype(np.float64), lengths[docs], known, k1=k1, b=b)))
    return best(*(in_all(scored) if mode == "and" else in_any(scored, len(lengths))), n)


def merge_hits(answers: Sequence[Sequence[Hit]], n: int) -> tuple[list[Hit], int]:
    """Return the ``n`` best of ranked lists, and how many comparisons a heap of their heads takes.

    >>> merge_hits([[Hit(0, 3.0), Hit(4, 1.0)], [Hit(1, 2.0)]], n=2)
    ([Hit(doc=0, score=3.0), Hit(doc=1, score=2.0)], 2)
    """
    count = 0

    class Key:
        """What a list's head is compared by."""

        def __init__(self, hit: Hit) -> None:
            self.key = (-hit.score, hit.doc)

        def __lt__(self, other: Key) -> bool:
            nonlocal count
            count += 1
            return self.key < other.key

    hits = list(islice(merge(*answers, key=Key), min(n, sum(map(len, answers)))))
    return hits, count


def comparisons(lists: Lists, mode: Mode) -> int:
    """Return how many comparisons merging the lists takes, shortest first, and choosing among what is left.

    Merging two lists compares once for each document up to where one list ends; each document that is left
    is compared with the worst of those chosen so far.

    >>> a, b = np.array([1, 4]), np.array([0, 1, 2, 9])
    >>> lists = {("a",): (a, np.ones(2, int)), ("b",): (b, np.ones(4, int))}
    >>> comparisons(lists, "and"), comparisons(lists, "or")
    (5, 9)
    """
    total = 0
    left, *others = sorted((docs for docs, _ in lists.values()), key=len) or [np.empty(0, np.int64)]
    for other in others:
        both = np.union1d(left, other)
        if len(left) and len(other):
            total += int(np.searchsorted(both, min(left[-1], other[-1]), side="right"))
        left = both if mode == "or" else np.intersect1d(left, other, assume_unique=True)
    return total + len(left)
