"""Anchor text: a page found by what others say of it (book, section 21.1.1).

t, d   a term, a page
tf     in the text of d: how often t stands there; in its anchor text: how many pages link to d with t. A page
       that links to d a hundred times counts once
N, df  pages; those of them whose text holds t. For anchor text: pages with any, those of them with t in it
The weight of t in either is (1 + ln tf) · ln(N / df), and the score of d the sum over the query's terms, its
two parts kept apart: terms of anchors are marked as such. A term that all anchor texts hold ("click here")
weighs nothing.

The window adds the words around each link to its anchor text. A page's link to itself says nothing. A page
that was linked to and never fetched can be found.

Differs from the book: it says "weighted by frequency, with a penalty for terms that occur very often"; the
formula is that of its section 6.4.1.
Source: book, sections 6.4.1 and 21.1.1; McBryan (1994).
"""

from __future__ import annotations

import operator
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ircourse.index import InvertedIndex
from ircourse.links.anchors_near import anchor_places, around
from ircourse.links.hits_base import host_of
from ircourse.text import tokenize
from ircourse.types import Page

__all__ = ["AnchorHit", "AnchorIndex", "AnchorTerm", "Snippet"]

MAX_WINDOW = 100  # words on each side


class AnchorHit(NamedTuple):
    """A page that was found; its score, and the parts of that from its own text and from anchor text."""

    url: str
    score: float
    text: float
    anchors: float


class AnchorTerm(NamedTuple):
    """A term of a page's anchor text; how many pages link with it; its weight."""

    term: str
    pages: int
    weight: float


class Snippet(NamedTuple):
    """A link to a page: the page it is on, the words before it, its own and those after it."""

    source: str
    before: str
    anchor: str
    after: str


class AnchorIndex:
    """An index of pages by their own words and by the words of the links to them.

    pages      `Page`s with their `Link`s, held as long as the index is
    window     words before and after each link that count as its own, from 0 to 100
    nofollow   links whose author says nofollow: False leaves them out, as he asks
    same_host  links within a host: False leaves them out, menus for the most part
    urls       the pages, then the addresses they link to that are not among them, as they first appear

    Raises TypeError for what is no `Page`, ValueError for a page given twice or another window.

    >>> from ircourse.types import Link
    >>> links = Link("http://harbour.example/", "when is high water"), Link("http://inn.example/", "the inn")
    >>> town = Page("http://town.example/", "You may ask when is high water or stay at the inn.", links=links)
    >>> index = AnchorIndex([town])
    >>> [hit.url for hit in index.search("water")], index.snippets("http://harbour.example/", words=3)
    (['http://harbour.example/'], [Snippet(source='http://town.example/', before='You may ask',
                                           anchor='when is high water', after='or stay at')])
    """

    def __init__(
        self, pages: Iterable[Page], *, window: int = 0, nofollow: bool = False, same_host: bool = True
    ) -> None:
        self.window, self.nofollow, self.same_host = (
            _checked("window", window, MAX_WINDOW),
            nofollow,
            same_host,
        )
        self._pages: list[Page] = []
        self._numbers: dict[str, int] = {}
        for page in pages:
            if not isinstance(page, Page):
                raise TypeError(f"page {len(self._pages)} is to be a Page, not {page!r:.60}")
            if self._numbers.setdefault(page.url, len(self._pages)) != len(self._pages):
                raise ValueError(f"the page {page.url!r:.200} is given twice: leave one out")
            self._pages.append(page)
        self._sources: dict[int, array[int]] = {}  # by page linked to: the numbers of those that link to it
        said: dict[int, list[str]] = {}  # by page linked to: for each source, the terms of its links
        for source, page in enumerate(self._pages):
            for url, terms in self._words(page).items():
                number = self._numbers.setdefault(url, len(self._numbers))
                self._sources.setdefault(number, array("q")).append(source)
                said.setdefault(number, []).append(" ".join(terms))
        self.urls: tuple[str, ...] = tuple(self._numbers)
        self._said = ["\n".join(said.get(number, ())) for number in range(len(self.urls))]
        self._texts = InvertedIndex(f"{page.title}\n{page.text}" for page in self._pages)
        self._anchors = InvertedIndex(self._said)
        self._with_anchors = sum(1 for words in self._said if words.strip())

    def __len__(self) -> int:
        """Return the number of pages that can be found, fetched or not."""
        return len(self.urls)

    def search(self, query: str, n: int = 10, *, text: float = 1.0, anchors: float = 1.0) -> list[AnchorHit]:
        """Return the ``n`` pages of highest score above 0, equal ones in the order of ``urls``.

        text, anchors  what the two parts of the score count; 0 leaves one out

        A page is found by any of the terms. Raises ValueError for a negative n or weight.

        >>> from ircourse.types import Link
        >>> said = {"http://a.example/": "big blue", "http://b.example/": "the blue boat"}
        >>> pages = [Page("http://news.example/", "blue", links=[Link(*item) for item in said.items()])]
        >>> [(url, round(of_anchors, 4)) for url, _, _, of_anchors in AnchorIndex(pages).search("big blue")]
        [('http://a.example/', 0.6931)]
        """
        n = _checked("n", n, 10**9)
        by_text, by_anchors = np.zeros(len(self)), np.zeros(len(self))
        for term in dict.fromkeys(tokenize(query)):
            _add(by_text, self._texts.postings(term), len(self._pages))
            _add(by_anchors, self._anchors.postings(term), self._with_anchors)
        scores = _weight("text", text) * by_text + _weight("anchors", anchors) * by_anchors
        best = [i for i in np.argsort(-scores, kind="stable")[:n].tolist() if scores[i] > 0]
        return [
            AnchorHit(self.urls[i], float(scores[i]), float(by_text[i]), float(by_anchors[i])) for i in best
        ]

    def anchor_terms(self, url: str) -> list[AnchorTerm]:
        """Return the terms of a page's anchor text, by weight. Raises KeyError for an unknown address."""
        counts = Counter(tokenize(self._said[self._number(url)]))
        terms = [
            AnchorTerm(term, pages, float(_weights(np.array([pages]), self._df(term), self._with_anchors)[0]))
            for term, pages in counts.items()
        ]
        return sorted(terms, key=lambda term: (-term.weight, term.term))

    def sources(self, url: str) -> list[str]:
        """Return the pages that link to a page, in their order. Raises KeyError for an unknown address."""
        return [self._pages[i].url for i in self._sources.get(self._number(url), ())]

    def snippets(self, url: str, n: int = 10, words: int = 8) -> list[Snippet]:
        """Return links to a page as they stand in their pages, of the first ``n`` pages that have any.

        words  before and after; empty where a link's place in its page is not known (see `anchors_near`)

        Raises KeyError for an unknown address.
        """
        n, words = _checked("n", n, 10**9), _checked("words", words, MAX_WINDOW)
        sources = self._sources.get(self._number(url), array("q"))[:n]
        return [snippet for i in sources for snippet in self._quoted(self._pages[i], url, words)]

    def _number(self, url: str) -> int:
        if url not in self._numbers:
            raise KeyError(f"{url!r:.200} is no page of this index, and none links to it")
        return self._numbers[url]

    def _df(self, term: str) -> int:
        return len(self._anchors.postings(term)[0])

    def _counts(self, page: Page, link: str) -> bool:
        """Whether a link says something of where it leads."""
        if link == page.url or (not self.nofollow and getattr(link, "nofollow", False)):
            return False
        return self.same_host or (host_of(link) or link) != (host_of(page.url) or page.url)

    def _words(self, page: Page) -> dict[str, dict[str, None]]:
        """Return for each page that this one links to the terms of its links, each once, in order."""
        anchors = [tokenize(getattr(link, "anchor", "")) for link in page.links]
        terms = tokenize(page.text) if self.window else []
        places = anchor_places(terms, anchors) if self.window else [-1] * len(anchors)
        words: dict[str, dict[str, None]] = {}
        for link, anchor, place in zip(page.links, anchors, places, strict=True):
            if self._counts(page, link):
                near = around(terms, place, len(anchor), self.window) if place >= 0 else ()
                words.setdefault(str(link), {}).update(dict.fromkeys([*anchor, *near]))
        return words

    def _quoted(self, page: Page, url: str, words: int) -> Iterator[Snippet]:
        """Yield the links of ``page`` to ``url``, as its text has them."""
        pieces = page.text.split()
        terms = [tokenize(piece) for piece in pieces]
        ends = list(accumulate(map(len, terms)))  # by piece: terms up to its end
        anchors = [tokenize(getattr(link, "anchor", "")) for link in page.links]
        places = anchor_places([term for piece in terms for term in piece], anchors)
        for link, anchor, place in zip(page.links, anchors, places, strict=True):
            if link == url and self._counts(page, link):
                first = int(np.searchsorted(ends, place, side="right")) if place >= 0 else 0
                last = int(np.searchsorted(ends, place + len(anchor))) + 1 if place >= 0 else len(pieces)
                before, after = pieces[max(0, first - words) : first], pieces[last : last + words]
                yield Snippet(page.url, " ".join(before), getattr(link, "anchor", ""), " ".join(after))


def _add(scores: NDArray[np.float64], postings: tuple[NDArray[np.int64], NDArray[np.int64]], n: int) -> None:
    """Add the weights of a term in the documents that hold it to their scores."""
    docs, tf = postings
    if len(docs):
        scores[docs] += _weights(tf, len(docs), n)


def _weights(tf: NDArray[np.int64], df: int, n: int) -> NDArray[np.float64]:
    return (1 + np.log(tf)) * float(np.log(n / df))


def _checked(name: str, value: object, most: int) -> int:
    if isinstance(value, SupportsIndex) and 0 <= operator.index(value) <= most:
        return operator.index(value)
    raise ValueError(f"{name} is {value!r:.60}: give a number from 0 to {most:,}")


def _weight(name: str, value: float) -> float:
    if not 0 <= value < float("inf"):
        raise ValueError(f"the weight of {name} is {value!r:.60}: give a finite number of at least 0")
    return float(value)
