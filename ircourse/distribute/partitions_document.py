"""An index partitioned by documents: each node holds the whole index of some (book, section 20.3; notes-W).

known  N, Σ L_d and df(t) of all documents together, as the nodes last heard them
key    documents of one key stand on one node: their host, say, whose pages the crawler has in one place

Every query goes to every node. A node ranks its documents and sends the n best; the broker merges D short
lists. Scores can be compared only where all nodes use the same df(t), N and mean length. No node knows them:
they are gathered, added up and sent out from time to time (``refresh``). The df of a phrase, which nobody
can gather beforehand, is asked for with the query.

Differs from the book: nodes answer one after the other, and the model has no time.
Source: book, section 20.3; notes-W.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from operator import index

from ircourse.distribute.partitions import (
    BROKER,
    RESULT,
    STATISTIC,
    Mode,
    Partitioned,
    QueryCost,
    QueryStep,
    check_query,
    several,
    size_of,
)
from ircourse.distribute.partitions_merge import Piece, fields_of, merge_hits
from ircourse.index import Document
from ircourse.ranking import Statistics, Unit, units_of
from ircourse.types import Hit

__all__ = ["DocumentPartitioned"]


class DocumentPartitioned(Partitioned):
    """An index whose documents are spread over nodes. For ``nodes``, ``place``, ``copies`` see `Partitioned`.

    docs           as `InvertedIndex` takes them, numbered from 0
    keys           of the documents, one each; None: a document's number is its key
    shared         whether nodes rank by ``known`` (the same results as one index has) or each by what it
                   knows of its own documents; may be set at any time
    refresh_every  additions and removals after which the next query refreshes ``known`` first, which is in
                   the cost of no query; None: only a call does

    >>> index = DocumentPartitioned(["a rose", "a harbour", "rose, rose"], ["north", "south"])
    >>> [hit.doc for hit in index.search("rose")], index.ask("rose").cost.messages
    ([2, 0], 4)
    """

    def __init__(
        self,
        docs: Iterable[Document],
        nodes: Iterable[str],
        *,
        keys: Iterable[str] | None = None,
        place: Callable[[str], str] | None = None,
        copies: int = 1,
        shared: bool = True,
        refresh_every: int | None = 1,
        k1: float = 1.2,
        b: float = 0.75,
    ) -> None:
        super().__init__(nodes, place, copies)
        if refresh_every is not None and index(refresh_every) < 1:
            raise ValueError(f"refresh_every is {refresh_every}: give at least 1 change, or None")
        self.shared, self.refresh_every = shared, refresh_every
        self._pieces = {node: Piece(k1, b) for node in self.nodes}
        self._where: list[tuple[str, int]] = []  # by document: the node it is placed on, its number there
        self._changes = 0  # since the last refresh
        self.extend(docs, keys)
        self.refresh()

    def __len__(self) -> int:
        """Return the number of documents, whether or not their nodes are up."""
        return sum(len(piece.index) for piece in self._pieces.values())

    def add(self, doc: Document, key: str | None = None) -> int:
        """Add a document and return its number. One node is touched, and those with copies of it."""
        return self.extend([doc], None if key is None else [key])[0]

    def extend(self, docs: Iterable[Document], keys: Iterable[str] | None = None) -> range:
        """Add documents and return their numbers; where one is none, TypeError, and none is added."""
        docs, first = list(several(docs)), len(self._where)
        numbers = range(first, first + len(docs))
        for doc, number in zip(docs, numbers, strict=True):
            fields_of(doc, number)
        keys = map(str, numbers) if keys is None else several(keys)
        homes = [self.placed(key) for _, key in zip(docs, keys, strict=True)]
        there: dict[str, list[int]] = {}
        for number, home in zip(numbers, homes, strict=True):
            there.setdefault(home, []).append(number)
        local: dict[int, int] = {}
        for home, those in there.items():
            added = self._pieces[home].extend([docs[number - first] for number in those], those)
            local.update(zip(those, added, strict=True))
        self._where += [(home, local[number]) for number, home in zip(numbers, homes, strict=True)]
        self._changes += len(docs)
        return numbers

    def remove(self, number: int) -> None:
        """Remove a document. Raises IndexError where there is none."""
        node, local = self._find(number)
        self._pieces[node].remove(local)
        self._changes += 1

    def nodes_of(self, number: int) -> tuple[str, ...]:
        """Return the nodes that hold a document: those that adding or removing it touches."""
        return self._ordered(self.holders(self._find(number)[0]))

    def refresh(self) -> QueryCost:
        """Add up what all nodes know into ``known``, which they use until the next time; return the cost.

        Each node sends its terms with their df, and is sent all terms with theirs. One that is down counts as
        if it were up: N and df are those of all documents, whether or not they can be found just now.
        """
        frequencies: Counter[str] = Counter()
        size = 0
        for piece in self._pieces.values():
            frequencies.update(piece.frequencies)
            size += size_of(piece.frequencies) + STATISTIC * (len(piece.frequencies) + 2)
        size += len(self.nodes) * (size_of(frequencies) + STATISTIC * (len(frequencies) + 2))
        length = sum(piece.length for piece in self._pieces.values())
        self.known = Statistics(len(self), length, frequencies)
        self._changes = 0
        return QueryCost(self.nodes, 2 * len(self.nodes), size)

    def query_steps(self, terms: str | Iterable[str], n: int = 10, mode: Mode = "and") -> Iterator[QueryStep]:
        """Yield what happens; see `QueryStep`."""
        check_query(n, mode)
        units = units_of(terms)
        names = tuple(" ".join(unit) for unit in units)
        if self.refresh_every is not None and self._changes >= self.refresh_every:
            self.refresh()
        pieces = self._readers() if units else {}
        cost, known = QueryCost(tuple(pieces)), None
        if self.shared:
            cost, known = yield from self._count(units, pieces, cost)
        size = size_of(names) + (STATISTIC * (len(names) + 2) if self.shared else 0)
        for node in pieces:
            cost = cost.plus(messages=1, bytes=size)
            yield QueryStep("ask", node, names, (), size, cost)
        cost, answers = yield from self._read(units, pieces, known, n, mode, cost)
        lost = tuple(node for node in self.nodes if units and self.reader(node) is None)
        if lost:
            yield QueryStep("missing", BROKER, lost, (), 0, cost)
        hits, comparisons = merge_hits(answers, n)
        yield QueryStep("merge", BROKER, names, tuple(hits), 0, cost.plus(comparisons=comparisons))

    def _read(
        self,
        units: list[Unit],
        pieces: dict[str, list[Piece]],
        known: Statistics | None,
        n: int,
        mode: Mode,
        cost: QueryCost,
    ) -> Generator[QueryStep, None, tuple[QueryCost, list[list[Hit]]]]:
        """Return what each node finds best."""
        names, answers = tuple(" ".join(unit) for unit in units), []
        for node in pieces:
            read = sum(piece.read(units) for piece in pieces[node])
            cost = cost.plus(read=read)
            yield QueryStep("read", node, names, (), read, cost)
            found = [piece.best(units, known, n, mode) for piece in pieces[node]]
            hits, _ = merge_hits(found, n)  # its own work, where it stands in for another
            answers.append(hits)
            cost = cost.plus(messages=1, bytes=RESULT * len(hits))
            yield QueryStep("answer", node, names, tuple(hits), RESULT * len(hits), cost)
        return cost, answers

    def _readers(self) -> dict[str, list[Piece]]:
        """Return who is asked, and for which pieces."""
        asked: dict[str, list[Piece]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            if (reader := self.reader(node)) is not None:
                asked[reader].append(self._pieces[node])
        return {node: pieces for node, pieces in asked.items() if pieces}

    def _count(
        self, units: list[Unit], pieces: dict[str, list[Piece]], cost: QueryCost
    ) -> Generator[QueryStep, None, tuple[QueryCost, Statistics]]:
        """Return what all nodes are to rank by. Phrases are counted by the nodes first."""
        df = {" ".join(unit): self.known.frequencies.get(" ".join(unit), 0) for unit in units}
        phrases = [unit for unit in units if len(unit) > 1]
        names = tuple(" ".join(phrase) for phrase in phrases)
        size = size_of(names) + STATISTIC * len(names)
        for node in pieces if phrases else ():
            for name, phrase in zip(names, phrases, strict=True):
                df[name] += sum(piece.read([phrase]) for piece in pieces[node])
            cost = cost.plus(messages=2, bytes=size)
            yield QueryStep("count", node, names, (), size, cost)
        most = self.known.documents  # as they were, and a phrase may have come since
        df = {name: min(n, most) for name, n in df.items()}
        return cost, Statistics(most, self.known.length, df)

    def _find(self, number: int) -> tuple[str, int]:
        if 0 <= index(number) < len(self._where):
            node, local = self._where[number]
            if local in self._pieces[node].index:
                return node, local
        last = len(self._where) - 1
        raise IndexError(f"there is no document {number}: it was removed, or is not in 0 to {last}")
