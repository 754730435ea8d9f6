"""Retrieval: the parts of an engine that are made from its collection, and brought in line with it.

fields     text, title, anchors: inverted indexes changed in place (`fields`)
linked     the graph of the pages kept (`linked`)
pagerank, meaning, spelling    made anew when they are needed first after a change

A field holds the pages that are kept, in any order; rows number them by address. So after any updates each
number is what a fresh build gives. What an update costs is told in `Engine.update`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.engine.collection import Collection, Progress, digest_of
from ircourse.engine.fields import Field
from ircourse.engine.index_inside import frequencies_of
from ircourse.engine.linked import Linked, linked_pages
from ircourse.engine.meaning import Meaning
from ircourse.engine.scores import Candidates, field_components, pagerank_component, retrieved
from ircourse.engine.spelling import Spelling
from ircourse.links import pagerank
from ircourse.ranking import Unit

__all__ = ["FIELDS", "Retrieval"]

Floats: TypeAlias = NDArray[np.float64]
Content: TypeAlias = Callable[[str], str | Mapping[str, str]]

# b of BM25: a manual's long page is long because its subject is, and long anchor text is a sign of a page
# that many link to; neither is to be held back as far as usual
FIELDS = {"text": 0.4, "title": 0.75, "anchors": 0.0}


class Retrieval:
    """The indexes of a collection, which is to be changed through `sync` alone."""

    def __init__(self, collection: Collection, linked: Linked | None = None) -> None:
        self.collection = collection
        self.fields = {name: Field(b) for name, b in FIELDS.items()}
        self.linked = linked or linked_pages(collection)
        self._pagerank: Floats | None = None
        self._meaning: Meaning | None = None
        self._spelling: Spelling | None = None

    def sync(self, progress: Progress, *, first: bool = False) -> None:
        """Bring the fields and the links in line with the collection.

        first  make the concepts before the fields: what that takes in memory is then not added to them
        """
        pages, before = self.collection, self.linked.graph
        self.linked = linked_pages(pages)
        progress("links", 1, 1)
        meaning = self._made("meaning", progress) if first else None
        changed = []
        contents = {"text": self._text, "title": self._title, "anchors": self._anchors}
        for done, (name, field) in enumerate(self.fields.items(), 1):
            keys, content = contents[name]()
            changed.append(field.sync(keys, content))
            field.align(pages.kept)
            progress("index", done, len(self.fields))
        if changed[0] or changed[1]:
            self._meaning = meaning
        if any(changed):
            self._spelling = None
        after = self.linked.graph
        same = before.labels == after.labels and np.array_equal(before.indptr, after.indptr)
        if not (same and np.array_equal(before.indices, after.indices)):
            self._pagerank = None

    def _text(self) -> tuple[dict[str, bytes], Content]:
        return {url: self.collection.digests[url] for url in self.collection.kept}, self.collection.text

    def _title(self) -> tuple[dict[str, bytes], Content]:
        titles = self.collection.titles
        return {url: digest_of(titles[url]) for url in self.collection.kept}, titles.__getitem__

    def _anchors(self) -> tuple[dict[str, bytes], Content]:
        """Return what is said of each page, one text for each page that says it: no phrase runs across."""
        said = self.linked.said
        named = {url: "\n".join([f"{a} {b}" for a, b in by.items()]) for url, by in said.items()}
        keys = {url: digest_of(named.get(url, "")) for url in self.collection.kept}
        return keys, lambda url: said.get(url, {})

    def row(self, url: str) -> int:
        """Return the number of a page that is kept."""
        return self.linked.graph.number(url)

    @property
    def pagerank(self) -> Floats:
        """Return the PageRank of the pages kept, float64 (n,), sum 1."""
        if self._pagerank is None:
            graph = self.linked.graph
            self._pagerank = pagerank(graph).scores if graph.n_nodes else np.empty(0)
        return self._pagerank

    @property
    def meaning(self) -> Meaning:
        """Return the concepts of the pages kept."""
        if self._meaning is None:
            self._meaning = Meaning.of(self.collection.texts())
        return self._meaning

    @property
    def spelling(self) -> Spelling:
        """Return the words of all fields, each with the largest number of pages of any field."""
        if self._spelling is None:
            frequencies: dict[str, int] = {}
            for field in self.fields.values():
                for word, df in frequencies_of(field.index).items():
                    frequencies[word] = max(frequencies.get(word, 0), df)
            self._spelling = Spelling(frequencies)
        return self._spelling

    def restore(self, pagerank: Floats, meaning: Meaning, spelling: Spelling) -> None:
        """Set what is otherwise made when it is needed first."""
        self._pagerank, self._meaning, self._spelling = pagerank, meaning, spelling

    def finish(self, progress: Progress) -> None:
        """Make what is otherwise made when it is needed first."""
        for name in ("pagerank", "meaning", "spelling"):
            if getattr(self, f"_{name}") is None:
                self._made(name, progress)

    def _made(self, name: str, progress: Progress) -> Any:
        progress(name, 0, 1)
        made = getattr(self, name)
        progress(name, 1, 1)
        return made

    def candidates(self, query: str, units: list[Unit]) -> Candidates:
        """Return what a query retrieves."""
        by_field, missing = field_components(self.fields, units, len(self.collection.kept))
        absent = (word for unit in missing for word in unit if not self.holds(word))
        cosines = self.meaning.cosines(query)
        return retrieved(by_field, pagerank_component(self.pagerank), cosines, list(dict.fromkeys(absent)))

    def holds(self, word: str) -> bool:
        """Whether any field of any page holds a word."""
        return any(len(field.find((word,))[0]) for field in self.fields.values())
