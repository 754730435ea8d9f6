"""One field of all pages (text, title, anchors) in an inverted index of its own, changed in place.

rows  by document of the index: the page's number among those that are kept, −1 for those removed
A field of its own has a score of its own, so how much it counts can be said afterwards. Each field is scored
by BM25 with its own mean length, and with the document frequency of the pages, the same for all fields: else
"the", rare in titles, would weigh much there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.engine.index_inside import lengths_of
from ircourse.index import InvertedIndex
from ircourse.ranking import Statistics, Unit, bm25

__all__ = ["Field", "Found"]

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Found: TypeAlias = tuple[Longs, Floats]

K1 = 1.2


class Field:
    """A field of the pages; ``b`` says how far long ones are held back.

    keys  by address a digest of what is indexed: a page with the same one is left alone

    >>> field = Field(b=0.75)
    >>> field.sync({"http://a.example/": b"1"}, lambda url: "a rose is a rose")
    True
    >>> field.align(["http://a.example/"])
    >>> [column.tolist() for column in field.find(("rose",))]
    [[0], [2.0]]
    """

    def __init__(self, b: float) -> None:
        self.b = b
        self.index = InvertedIndex(k1=K1, b=b)
        self.keys: dict[str, bytes] = {}
        self.docs: dict[str, int] = {}
        self.rows: Longs = np.empty(0, np.int64)
        self.lengths: Floats = np.empty(0)

    def sync(self, keys: Mapping[str, bytes], content: Callable[[str], str | Mapping[str, str]]) -> bool:
        """Remove what is no more or has changed, and add what is new; return whether there was anything.

        keys     by address the digest of what is to be indexed
        content  returns that, called for the pages that are added
        """
        gone = [url for url, key in self.keys.items() if keys.get(url) != key]
        for url in gone:
            self.index.remove(self.docs.pop(url))
            del self.keys[url]
        new = [url for url in keys if url not in self.keys]
        numbers = self.index.extend(content(url) for url in new)
        self.docs |= zip(new, numbers, strict=True)
        self.keys |= {url: keys[url] for url in new}
        return bool(gone or new)

    def align(self, urls: Sequence[str]) -> None:
        """Number the pages in the order of ``urls``, which are all that the field holds."""
        docs = np.array([self.docs[url] for url in urls], np.int64)
        self.rows = np.full(int(docs.max(initial=-1)) + 1, -1, np.int64)
        self.rows[docs] = np.arange(len(docs))
        self.lengths = lengths_of(self.index, docs)

    def find(self, unit: Unit) -> Found:
        """Return the numbers of the pages that hold a term or phrase, and how often each does."""
        docs, counts = self.index.postings(" ".join(unit))
        return self.rows[docs], counts.astype(np.float64)

    def scores(self, unit: Unit, found: Found, df: int) -> Floats:
        """Return the BM25 scores of what was found, ``df`` pages having the unit in any field."""
        rows, tf = found
        known = Statistics(len(self.lengths), float(self.lengths.sum()), {" ".join(unit): df})
        return bm25(unit, tf, self.lengths[rows], known, k1=K1, b=self.b)
