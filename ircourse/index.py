"""An inverted index with ranked retrieval, phrases and weighted fields.

A document is one text or several named fields; documents are numbered from 0 as they come. ``postings.py``
holds the dictionary and the postings lists, ``ranking.py`` the formula (BM25) and the merging of lists.

Differs from the book: a document removed is marked at once, and its postings go when most are dead.
Source: book, sections 1.2, 2.4, 6.1 and 11.4.3.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable, Mapping
from contextlib import suppress
from numbers import Real
from typing import Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.postings import Postings, viewed
from ircourse.ranking import Statistics, Unit, best, bm25, in_all, in_any, units_of
from ircourse.text import tokenize
from ircourse.types import Hit

__all__ = ["InvertedIndex", "Statistics"]

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Document: TypeAlias = str | Mapping[str, str]

_BATCH = 1 << 23  # characters that are indexed at once
_FEW = 10_000  # dead terms that are not worth a clean-up


class InvertedIndex:
    """An index of documents, each a text or a mapping from field to text.

    weights  of fields, by name, from 0 to 1e9; 1 where none is given; a field of weight 0 is left out
    k1, b    of BM25: k1 from 0 to 1e9, b from 0 to 1

    A plain text is the field "text". No query finds an empty document, which counts all the same. A query is
    a ``str``, with phrases in double quotes, or a list, in which an item of several words is a phrase; what
    is repeated counts once. Not to be searched while another thread adds or removes.

    >>> index = InvertedIndex(["a rose is a rose", "is it a rose", "the harbour"])
    >>> [(doc, round(score, 4)) for doc, score in index.search("rose is")]
    [(0, 0.9954), (1, 0.9063)]
    >>> [hit.doc for hit in index.search('harbour "a rose is"', mode="or")]
    [2, 0]
    """

    def __init__(
        self,
        docs: Iterable[Document] = (),
        *,
        weights: Mapping[str, float] | None = None,
        k1: float = 1.2,
        b: float = 0.75,
    ) -> None:
        self.k1, self.b = _checked("k1", k1), _checked("b", b, 1)
        if not isinstance(weights, Mapping | None):
            raise TypeError(f"weights are a mapping from field to number, not {weights!r:.60}")
        self.weights = {f: _checked(f"the weight of {f!r:.60}", w) for f, w in (weights or {}).items()}
        self._postings = Postings()  # each field of each document is a text of its own
        self._doc: array[int] = array("q")  # by field: its document …
        self._weight: array[float] = array("d")  # … and its weight
        self._size: array[int] = array("q")  # by document: number of its terms, …
        self._length: array[float] = array("d")  # … their weighted number, …
        self._alive = bytearray()  # … and whether it is still there
        self._most_fields = 0  # of any document
        self._held = self._dead = 0  # terms with postings; those of them in documents removed
        self.extend(docs)

    def __len__(self) -> int:
        """Return the number of documents, those removed not counted."""
        return self._alive.count(1)

    def __contains__(self, number: object) -> bool:
        number = operator.index(number) if isinstance(number, SupportsIndex) else -1
        return 0 <= number < len(self._alive) and self._alive[number] == 1

    def add(self, doc: Document) -> int:
        """Index one more document and return its number, which is never used again.

        >>> index = InvertedIndex(["a rose"], weights={"title": 2})
        >>> index.add({"title": "Rose", "text": "a flower"})
        1
        >>> [hit.doc for hit in index.search("rose")]
        [1, 0]
        """
        return self.extend([doc])[0]

    def extend(self, docs: Iterable[Document]) -> range:
        """Index more documents and return their numbers.

        Raises TypeError that names the first document that is no text and no mapping to texts; documents
        before it may be indexed by then.
        """
        if isinstance(docs, str | Mapping):
            raise TypeError(f"docs are several, not one document: write [{docs!r:.60}]")
        first = len(self._alive)
        batch: list[list[tuple[str, float]]] = []
        size = 0
        for doc in docs:
            batch.append(self._fields(doc, len(self._alive) + len(batch)))
            size += sum(len(text) for text, _ in batch[-1])
            if size >= _BATCH:
                self._index(batch)
                batch, size = [], 0
        self._index(batch)
        return range(first, len(self._alive))

    def remove(self, number: int) -> None:
        """Remove a document; the others keep their numbers. Raises IndexError where there is none.

        >>> index = InvertedIndex(["a rose", "it is a rose"])
        >>> index.remove(0)
        >>> [hit.doc for hit in index.search("rose")]
        [1]
        """
        self._check(number)
        self._alive[number], self._length[number] = 0, 0.0
        self._dead += self._size[number]
        if self._dead > max(_FEW, self._held // 2):
            self._postings.keep(viewed(self._alive).astype(bool)[viewed(self._doc)])
            self._held, self._dead = self._held - self._dead, 0

    def length(self, number: int) -> float:
        """Return L_d of a document. Raises IndexError where there is none."""
        self._check(number)
        return self._length[number]

    def terms(self) -> list[str]:
        """Return the terms of all documents, sorted by code points."""
        alive = viewed(self._alive)[viewed(self._doc)]
        return sorted(
            t for t in self._postings if not self._dead or alive[self._postings.find((t,))[0]].any()
        )

    def postings(self, term: str) -> tuple[Longs, Longs]:
        """Return the documents that hold ``term``, ascending, and how often each does, both int64 (df,).

        Several words are a phrase. Fields are counted together, without their weights. A term that no
        document holds has empty arrays.

        >>> [column.tolist() for column in InvertedIndex(["a rose is a rose", "a"]).postings("a")]
        [[0, 1], [2, 1]]
        """
        docs, counts = self._documents(tuple(tokenize(term)), weighted=False)
        return docs, counts.astype(np.int64)

    def statistics(self, terms: str | Iterable[str]) -> Statistics:
        """Return what BM25 knows of this collection for a query, to be added to that of others."""
        units = units_of(terms)
        return self._statistics({" ".join(unit): len(self._documents(unit)[0]) for unit in units})

    def search(
        self,
        terms: str | Iterable[str],
        n: int = 10,
        mode: Literal["and", "or"] = "and",
        *,
        statistics: Statistics | None = None,
    ) -> list[Hit]:
        """Return the ``n`` documents of highest BM25 score, equal ones by number; fewer where fewer match.

        mode        "and": documents that hold every term and phrase; "or": at least one of them
        statistics  of a larger collection that this index is a piece of; None: its own

        No terms find nothing. Raises ValueError where n is negative or ``statistics`` lack a term.

        >>> index = InvertedIndex(["the harbour", "the old harbour", "the town"])
        >>> [hit.doc for hit in index.search("harbour town", mode="or")]
        [2, 0, 1]
        """
        if not isinstance(n, SupportsIndex) or operator.index(n) < 0:
            raise ValueError(f"n is {n!r:.60}: give a number of results of at least 0")
        if mode not in ("and", "or"):
            raise ValueError(f'mode is {mode!r:.60}: give "and" or "or"')
        found = {unit: self._documents(unit) for unit in units_of(terms)}
        if statistics is None:
            statistics = self._statistics({" ".join(unit): len(docs) for unit, (docs, _) in found.items()})
        scored = []
        for unit in sorted(found, key=lambda unit: (len(found[unit][0]), unit)):  # the rarest first
            docs, tf = found[unit]
            lengths = viewed(self._length)[docs]
            scored.append((docs, bm25(unit, tf, lengths, statistics, k1=self.k1, b=self.b)))
        return best(*(in_all(scored) if mode == "and" else in_any(scored, len(self._alive))), n)

    def _statistics(self, frequencies: Mapping[str, int]) -> Statistics:
        return Statistics(len(self), float(viewed(self._length).sum()), frequencies)

    def _documents(self, unit: Unit, weighted: bool = True) -> tuple[Longs, Floats]:
        """Return the documents that hold the unit, ascending, and tf in each."""
        fields, counts = self._postings.find(unit)
        docs = viewed(self._doc)[fields]
        tf = counts * (viewed(self._weight)[fields] if weighted else 1.0)
        if self._dead:
            alive = viewed(self._alive)[docs] == 1
            docs, tf = docs[alive], tf[alive]
        if self._most_fields > 1 and len(docs):  # a document may have the unit in two of them
            begins = np.flatnonzero(np.diff(docs, prepend=-1))
            docs, tf = docs[begins], np.add.reduceat(tf, begins)
        return docs, tf

    def _fields(self, doc: Document, number: int) -> list[tuple[str, float]]:
        """Return each field's text and weight."""
        fields = {"text": doc} if isinstance(doc, str) else doc
        if not isinstance(fields, Mapping):
            raise TypeError(
                f"document {number} is to be a str or a mapping from field to str, not {doc!r:.60}"
            )
        for field, text in fields.items():
            if not isinstance(text, str):
                raise TypeError(f"field {field!r:.60} of document {number} is to be a str, not {text!r:.60}")
        weighted = [(text, self.weights.get(field, 1.0)) for field, text in fields.items()]
        return [(text, weight) for text, weight in weighted if weight > 0]

    def _index(self, batch: list[list[tuple[str, float]]]) -> None:
        at = len(self._doc)
        self._postings.extend([text for fields in batch for text, _ in fields])
        for fields in batch:
            sizes = self._postings.sizes[at : at + len(fields)]
            self._doc.extend([len(self._alive)] * len(fields))
            self._weight.extend([weight for _, weight in fields])
            self._size.append(sum(sizes))
            self._length.append(sum(w * n for (_, w), n in zip(fields, sizes, strict=True)))
            self._alive.append(1)
            at += len(fields)
            self._held += self._size[-1]
            self._most_fields = max(self._most_fields, len(fields))

    def _check(self, number: int) -> None:
        if not isinstance(number, SupportsIndex):
            raise TypeError(f"the number of a document is an int, not {number!r:.60}")
        if number not in self:
            raise IndexError(
                f"there is no document {number}: it was removed, or is not in 0 to {len(self._alive) - 1}"
            )


def _checked(name: str, value: object, most: int = 10**9) -> float:
    with suppress(OverflowError):  # of an int beyond every float
        if isinstance(value, Real) and 0 <= float(value) <= most:
            return float(value)
    raise ValueError(f"{name} is {value!r:.60}: give a number from 0 to {most:,}")
