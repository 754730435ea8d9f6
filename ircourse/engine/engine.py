"""A search engine from all the parts: build, search, explain, update (book, chapters 18 to 21, put together).

Pages come in; the noise of their sites is taken out; near-duplicates are folded under one of them; the others
are indexed by text, title and the anchors that lead to them; their links give PageRank; their words give
concepts (LSI). A query collects candidates from all of these once, and weights rank them.

One thread changes an engine at a time, and none searches meanwhile; several may search at once.

Differs from a real engine: all is in memory and on one machine, 0.8 GB while 10,000 pages of 3 kB of text are
built; nothing is learnt from clicks; a page whose words were never in the collection together is not
understood.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable
from operator import index as index_of
from pathlib import Path
from threading import RLock
from typing import Any, SupportsIndex

from ircourse.engine.answers import hubs_of, page_in_full, related_to
from ircourse.engine.collection import Collection, Progress
from ircourse.engine.files import EngineFileError, read_folder, write_folder
from ircourse.engine.query import checked_query
from ircourse.engine.results import EngineHit, EnginePage, HubsAndAuthorities, Results, ScoredPage
from ircourse.engine.retrieval import Retrieval
from ircourse.engine.scores import COMPONENTS, Candidates, Weights
from ircourse.engine.snippets import marked, snippet
from ircourse.engine.stored import (
    collection_from,
    parts_of_collection,
    parts_of_retrieval,
    retrieval_from,
)
from ircourse.ranking import Unit

__all__ = ["Engine"]

DEFAULT = Weights()
ROOT = 200  # pages in the root set of HITS
LONGEST_TITLE = 500  # characters of it in a result
_UNFIT = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, EOFError, RecursionError)
_REMEMBERED = 16  # queries whose candidates are kept


class Engine:
    """A search engine over a collection of pages; make one with `build` or `load`.

    threshold  the estimated likeness from which pages are folded as duplicates; over 1: never

    >>> from ircourse.engine.pages import SourcePage
    >>> engine = Engine.build([SourcePage("http://a.example/", "The ferry leaves at nine.", "Ferries"),
    ...                        SourcePage("http://b.example/", "Roses for sale.", "Garden")])
    >>> found = engine.search("ferry")
    >>> found.total, found.hits[0].url, found.hits[0].snippet
    (1, 'http://a.example/', (('The ', False), ('ferry', True), (' leaves at nine.', False)))
    """

    def __init__(self, *, threshold: float = 0.9) -> None:
        self.collection = Collection(threshold)
        self.retrieval = Retrieval(self.collection)
        self._lock = RLock()
        self._remembered: OrderedDict[str, Candidates] = OrderedDict()

    @classmethod
    def build(
        cls, pages: Iterable[Any], *, threshold: float = 0.9, progress: Progress | None = None
    ) -> Engine:
        """Return the engine of pages, each with url, text, title, links and, where it is known, a date.

        progress  called with a stage ("pages", "duplicates", "links", "meaning", "index", "pagerank",
                  "spelling"), the steps of it that are done, and how many it has, 0 where nobody knows

        Of two pages with one address the last one counts. Raises TypeError or ValueError that names the first
        page that is none.
        """
        engine = cls(threshold=threshold)
        engine.collection.update(pages, progress=progress)
        engine.retrieval.sync(progress or _silent, first=True)
        engine.finish(progress)
        return engine

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Engine:
        """Return the engine that was saved in a folder.

        Raises EngineFileError, a ValueError, with a sentence that says what is wrong, where the folder holds
        none, one of another version, or one that is damaged.
        """
        engine = cls()
        try:
            parts = read_folder(Path(folder))
            engine.collection = collection_from(parts)
            engine.retrieval = retrieval_from(parts, engine.collection)
        except EngineFileError:
            raise
        except _UNFIT as error:
            raise EngineFileError(f"{folder} holds an engine that is not whole: {error}") from None
        return engine

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Save the engine in a folder, in place of the one that is there: all of it, or nothing is changed.

        Raises ValueError for a folder that holds other files, OSError where it cannot be written.
        """
        with self._lock:
            parts = parts_of_collection(self.collection) | parts_of_retrieval(self.retrieval)
        write_folder(Path(folder), {"threshold": self.collection.threshold, "pages": len(self)}, parts)

    def __len__(self) -> int:
        """Return the number of pages, mirrors included."""
        return len(self.collection.urls)

    def __contains__(self, url: object) -> bool:
        return url in self.collection.records

    def update(
        self, changed: Iterable[Any] = (), removed: Iterable[str] = (), *, progress: Progress | None = None
    ) -> None:
        """Remove pages, then add or replace others; the engine is then as one built of all its pages.

        In place: the postings of pages whose text, title or anchors changed, and sketches of new texts. Made
        anew by `finish`, at the latest in the next search, if what they depend on changed: PageRank, O(links)
        a sweep; the concepts, which cost as much as in a build (an SVD brought up to date is only near the
        one of all pages); the words for spelling. Raises KeyError for an address to remove that is not there,
        and as `build` does; then nothing has changed.
        """
        with self._lock:
            self.collection.update(changed, removed, progress)
            self.retrieval.sync(progress or _silent)
            self._remembered.clear()

    def finish(self, progress: Progress | None = None) -> None:
        """Make what the last updates left to the next search, so that none waits for it.

        progress  as in `build`, of its last three stages
        """
        with self._lock:
            self.retrieval.finish(progress or _silent)

    def search(self, query: str, n: int = 10, offset: int = 0, weights: Weights = DEFAULT) -> Results:
        """Return the results ``offset`` to ``offset + n`` of a query.

        A page is found by any of the words; a phrase in double quotes counts as a word. What a query has
        retrieved is remembered, so that other weights or another offset only rank again. Raises QueryError
        for a query that cannot be answered, ValueError for a negative n or offset.
        """
        n, offset = _number("n", n), _number("offset", offset)
        units = checked_query(query)
        candidates = self.candidates(query)
        rows, shares = candidates.ranked(weights)
        part = slice(offset, offset + n)
        found = zip(rows[part].tolist(), shares[part].tolist(), strict=True)
        return Results(
            query,
            len(rows),
            offset,
            tuple(self._hit(row, parts, units) for row, parts in found),
            self._mended(units, candidates.unknown),
            candidates.unknown,
            weights,
        )

    def candidates(self, query: str) -> Candidates:
        """Return the pages that a query retrieves, each with its components, whatever their weights."""
        units = checked_query(query)
        with self._lock:
            if query not in self._remembered:
                self._remembered[query] = self.retrieval.candidates(query, units)
                if len(self._remembered) > _REMEMBERED:
                    self._remembered.popitem(last=False)
            self._remembered.move_to_end(query)
            return self._remembered[query]

    def suggest(self, query: str) -> str | None:
        """Return the query with words that no page holds replaced by near ones, None where there are none.

        Raises QueryError as `search` does.
        """
        units = checked_query(query)
        unknown = [word for unit in units for word in unit if not self.retrieval.holds(word)]
        return self._mended(units, tuple(dict.fromkeys(unknown)))

    def related(self, url: str, n: int = 10) -> list[ScoredPage]:
        """Return the ``n`` pages that are most like a page, by cosine in the space of concepts, above 0.

        A mirror is like what the page that stands for it is like. Raises KeyError for an unknown address.
        """
        n = _number("n", n)
        with self._lock:
            return related_to(self.retrieval, url, n)

    def hubs_and_authorities(self, query: str, n: int = 10) -> HubsAndAuthorities:
        """Return the best hubs and authorities of a query: HITS on its base set (section 21.3).

        The root set are the best 200 results. Raises QueryError as `search` does, NotConverged where two
        communities are too close to tell apart.
        """
        n = _number("n", n)
        rows, _ = self.candidates(query).ranked(DEFAULT)
        root = [self.collection.kept[row] for row in rows[:ROOT].tolist()]
        return hubs_of(self.retrieval, query, root, n)

    def page(self, url: str) -> EnginePage:
        """Return what the engine knows of a page. Raises KeyError for an unknown address."""
        with self._lock:
            return page_in_full(self.retrieval, url)

    def _hit(self, row: int, shares: list[float], units: list[Unit]) -> EngineHit:
        words = {word for unit in units for word in unit}
        phrases = [unit for unit in units if len(unit) > 1]
        url = self.collection.kept[row]
        text, date = self.collection.text_and_date(url)
        title = self.collection.titles[url][:LONGEST_TITLE]
        parts = dict(zip(COMPONENTS, shares, strict=True))
        return EngineHit(
            url,
            title,
            marked(title, words),
            snippet(text, words, phrases=phrases),
            date,
            sum(shares),
            parts,
            self.collection.mirrors.get(url, ()),
        )

    def _mended(self, units: list[Unit], unknown: tuple[str, ...]) -> str | None:
        """Return the query with its unknown words replaced, None where that changes nothing."""
        if not unknown:
            return None
        with self._lock:
            near = {word: self.retrieval.spelling.nearest(word) or word for word in unknown}
        mended = [[near.get(word, word) for word in unit] for unit in units]
        if mended == [list(unit) for unit in units]:
            return None
        return " ".join(f'"{" ".join(unit)}"' if len(unit) > 1 else unit[0] for unit in mended)


def _number(name: str, value: object) -> int:
    if isinstance(value, SupportsIndex) and index_of(value) >= 0:
        return index_of(value)
    raise ValueError(f"{name} is {value!r:.60}: give a whole number of at least 0")


def _silent(stage: str, done: int, total: int) -> None:
    """Report nothing."""
