"""An index partitioned by terms: each node holds the whole lists of some terms (book, section 20.3; notes-W).

list     of a term: the documents that hold it, its counts in them, and where it stands
lengths  L_d of each document, which the broker holds

A query goes to the nodes of its terms, at most one a term. They rank nothing: whole lists travel to the
broker, which merges them as one index does, from the same numbers, df(t) being a list's length. A document
has terms on many nodes, and adding or removing it touches them all. Who holds a popular term has the work.

A lost node takes its terms with it: a query is answered by the rest of its terms.

Differs from the book: documents and not terms are what is put in, and nodes answer one after the other.
Source: book, sections 2.4.2 and 20.3; notes-W.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.distribute.partitions import (
    BROKER,
    POSITION,
    POSTING,
    Mode,
    Partitioned,
    QueryCost,
    QueryStep,
    check_query,
    several,
    size_of,
)
from ircourse.distribute.partitions_merge import Lists, comparisons, fields_of, ranked
from ircourse.index import Document, InvertedIndex
from ircourse.postings import intersect, viewed
from ircourse.ranking import Statistics, Unit, units_of
from ircourse.text import tokenize
from ircourse.types import Hit

__all__ = ["TermPartitioned"]

Longs: TypeAlias = NDArray[np.int64]


class TermPartitioned(Partitioned):
    """An index whose terms are spread over nodes. For ``nodes``, ``place``, ``copies`` see `Partitioned`.

    docs   as `InvertedIndex` takes them, numbered from 0
    k1, b  of BM25

    >>> index = TermPartitioned(["a rose", "a harbour", "rose, rose"], ["north", "south"])
    >>> [hit.doc for hit in index.search("rose")], index.ask("rose").cost.messages
    ([2, 0], 2)
    """

    def __init__(
        self,
        docs: Iterable[Document],
        nodes: Iterable[str],
        *,
        place: Callable[[str], str] | None = None,
        copies: int = 1,
        k1: float = 1.2,
        b: float = 0.75,
    ) -> None:
        super().__init__(nodes, place, copies)
        checked = InvertedIndex(k1=k1, b=b)
        self.k1, self.b = checked.k1, checked.b
        self._lists: dict[str, dict[str, _List]] = {node: {} for node in self.nodes}
        self._lengths: array[float] = array("d")
        self._terms: list[tuple[str, ...] | None] = []  # of each document; None: removed
        self._homes: dict[str, str] = {}  # where a term is placed
        for doc in several(docs):
            self.add(doc)

    def __len__(self) -> int:
        """Return the number of documents."""
        return sum(terms is not None for terms in self._terms)

    def add(self, doc: Document) -> int:
        """Add a document and return its number. Each node that one of its terms is placed on is touched."""
        number = len(self._terms)
        positions, length = _positions(doc, number)
        self._homes |= {term: self.placed(term) for term in positions if term not in self._homes}
        for term, stands in positions.items():
            self._lists[self._homes[term]].setdefault(term, _List()).add(number, stands)
        self._terms.append(tuple(positions))
        self._lengths.append(length)
        return number

    def remove(self, number: int) -> None:
        """Remove a document. Raises IndexError where there is none."""
        for term in self._find(number):
            lists = self._lists[self._homes[term]]
            lists[term].remove(number)
            if not lists[term].docs:
                del lists[term]
        self._terms[number], self._lengths[number] = None, 0.0

    def nodes_of(self, number: int) -> tuple[str, ...]:
        """Return the nodes with terms of a document: those that adding or removing it touches."""
        homes = {self._homes[term] for term in self._find(number)}
        return self._ordered(holder for home in homes for holder in self.holders(home))

    def query_steps(self, terms: str | Iterable[str], n: int = 10, mode: Mode = "and") -> Iterator[QueryStep]:
        """Yield what happens; see `QueryStep`."""
        check_query(n, mode)
        units = units_of(terms)
        readers = {term: self.reader(self.placed(term)) for unit in units for term in unit}
        asked = {
            node: tuple(term for term, reader in readers.items() if reader == node)
            for node in self._ordered(reader for reader in readers.values() if reader is not None)
        }
        cost = QueryCost(tuple(asked))
        for node, names in asked.items():
            cost = cost.plus(messages=1, bytes=size_of(names))
            yield QueryStep("ask", node, names, (), size_of(names), cost)
        with_positions = {term for unit in units if len(unit) > 1 for term in unit}
        got: dict[str, _List] = {}
        for node, names in asked.items():
            got |= {term: self._lists[self.placed(term)].get(term, _List()) for term in names}
            postings = sum(len(got[term].docs) for term in names)
            cost = cost.plus(read=postings)
            yield QueryStep("read", node, names, (), postings, cost)
            size = POSTING * postings
            size += POSITION * sum(len(got[term].positions) for term in with_positions.intersection(names))
            cost = cost.plus(messages=1, bytes=size, moved=postings)
            yield QueryStep("answer", node, names, (), size, cost)
        yield from self._merge(units, got, n, mode, cost)

    def _merge(
        self, units: list[Unit], got: dict[str, _List], n: int, mode: Mode, cost: QueryCost
    ) -> Iterator[QueryStep]:
        """Rank as one index does; a unit with a term that nobody sent is left out."""
        whole = [unit for unit in units if all(term in got for term in unit)]
        if len(whole) < len(units):
            lost = dict.fromkeys(term for unit in units for term in unit if term not in got)
            yield QueryStep("missing", BROKER, tuple(lost), (), 0, cost)
        lists = {unit: _found([got[term] for term in unit]) for unit in whole}
        cost = cost.plus(comparisons=comparisons(lists, mode))
        names = tuple(" ".join(unit) for unit in whole)
        yield QueryStep("merge", BROKER, names, tuple(self._ranked(lists, n, mode)), 0, cost)

    def _ranked(self, lists: Lists, n: int, mode: Mode) -> list[Hit]:
        df = {" ".join(unit): len(docs) for unit, (docs, _) in lists.items()}
        lengths = viewed(self._lengths)
        known = Statistics(len(self), float(lengths.sum()), df)
        return ranked(lists, lengths, known, n, mode, self.k1, self.b)

    def _find(self, number: int) -> tuple[str, ...]:
        terms = self._terms[number] if 0 <= index(number) < len(self._terms) else None
        if terms is None:
            last = len(self._terms) - 1
            raise IndexError(f"there is no document {number}: it was removed, or is not in 0 to {last}")
        return terms


class _List:
    """A term's list: documents ascend; the positions in each follow those in the one before."""

    def __init__(self) -> None:
        self.docs: array[int] = array("q")
        self.counts: array[int] = array("q")
        self.positions: array[int] = array("q")

    def add(self, doc: int, positions: Sequence[int]) -> None:
        self.docs.append(doc)
        self.counts.append(len(positions))
        self.positions.extend(positions)

    def remove(self, doc: int) -> None:
        at = self.docs.index(doc)
        start = sum(self.counts[:at])
        del self.positions[start : start + self.counts[at]]
        del self.docs[at], self.counts[at]

    def places(self) -> Longs:
        """Return where the term stands: the document in the upper 32 bits, the position in the lower."""
        docs = np.repeat(viewed(self.docs), viewed(self.counts))
        places: Longs = docs * 2**32 + viewed(self.positions)
        return places


def _found(terms: list[_List]) -> tuple[Longs, Longs]:
    """Return the documents that hold the terms one after the other, ascending, and how often."""
    if len(terms) == 1:
        return viewed(terms[0].docs).copy(), viewed(terms[0].counts).copy()
    begins = [each.places() - i for i, each in enumerate(terms)]
    first, *others = sorted(begins, key=len)
    for other in others:
        first = first[intersect(first, other)[0]]
    return np.unique(first >> 32, return_counts=True)


def _positions(doc: Document, number: int) -> tuple[dict[str, list[int]], float]:
    """Return where each term of a document stands, and L_d. A field begins where no phrase can reach it."""
    positions: dict[str, list[int]] = {}
    start = length = 0
    for text in fields_of(doc, number):
        terms = tokenize(text)
        for at, term in enumerate(terms, start):
            positions.setdefault(term, []).append(at)
        start += len(terms) + 1
        length += len(terms)
    return positions, float(length)
