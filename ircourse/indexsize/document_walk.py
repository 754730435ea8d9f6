"""Document random walk: a graph that nobody builds (book, section 19.5).

Pages are nodes, joined if they share at least two words. A walker at d draws two of d's words, asks the
engine for the pages that hold both, and goes to one of those; d itself is among them.

m_d   words of d that count: all its different words, or those in a dictionary
C_d   m_d (m_d − 1) / 2, its word pairs: the chance of d in the long run is in proportion to C_d

From d to e the chance is (1 / C_d) Σ 1 / card(q) over the pairs q that both hold, and back it is
(1 / C_e) times the same sum. So this is not the walk that takes every neighbour alike: shared pairs count,
the rare ones most. Metropolis–Hastings with w = C makes it uniform over the pages that it reaches.

A pair that overflows the engine's limit, or gets no answer, is a step on the spot; so is one that does not
show d itself, for then the way back is closed.

Source: book, section 19.5; Bar-Yossef and Gurevich (2006).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ircourse.indexsize.engine import Searchable, ask
from ircourse.indexsize.samplers import Pages, Rng, collected, pick, random_queries
from ircourse.text import tokenize

__all__ = ["DocumentStep", "document_walk", "document_walk_steps", "word_pairs"]


class DocumentStep(NamedTuple):
    """A step of the walk.

    page      where the walker stands
    pair      the two words drawn
    answer    the pages that hold both; empty where the pair was rejected
    proposed  the page drawn from the answer
    to        where the walker goes: ``proposed``, or ``page`` if the step was not accepted
    """

    page: int
    pair: tuple[str, str]
    answer: tuple[int, ...]
    proposed: int
    to: int


def counted_words(text: str, dictionary: Collection[str] | None = None) -> list[str]:
    """Return the different words of a text, those of a dictionary where one is given, sorted."""
    words = set(tokenize(text))
    return sorted(words if dictionary is None else words.intersection(dictionary))


def word_pairs(engine: Searchable, number: int, dictionary: Collection[str] | None = None) -> float:
    """Return C of a page: the chance, up to a factor, that the walk is there in the long run.

    >>> from ircourse.indexsize import SearchEngine
    >>> word_pairs(SearchEngine(["a rose is a rose"]), 0)
    3.0
    """
    return _pairs(counted_words(engine.text(number), dictionary))


def document_walk_steps(
    engine: Searchable,
    rng: Rng = 0,
    *,
    start: int,
    dictionary: Collection[str] | None = None,
    uniform: bool = False,
    tries: int = 3,
) -> Iterator[DocumentStep]:
    """Yield the steps of the walk from page ``start``, without end; ``uniform``: by Metropolis–Hastings.

    Raises ValueError where ``start`` has fewer than two words that count.

    >>> from ircourse.indexsize import SearchEngine
    >>> engine = SearchEngine(["a red rose", "the red rose", "the harbour"])
    >>> next(document_walk_steps(engine, 3, start=0))
    DocumentStep(page=0, pair=('a', 'red'), answer=(0,), proposed=0, to=0)
    """
    rng = np.random.default_rng(rng)
    known = None if dictionary is None else frozenset(dictionary)

    @lru_cache(10_000)
    def words_of(page: int) -> list[str]:
        return counted_words(engine.text(page), known)

    if len(words_of(start)) < 2:
        raise ValueError(f"page {start} has fewer than two words that count: start at another page")
    page = start
    while True:
        words = words_of(page)
        i, j = np.sort(rng.choice(len(words), 2, replace=False)).tolist()
        answer = ask(engine, (words[i], words[j]), tries=tries) or []
        if len(answer) >= engine.top or page not in answer:
            answer = []
        to = proposed = pick(answer, rng) if answer else page
        if uniform and rng.random() * _pairs(words_of(proposed)) >= _pairs(words):
            to = page
        yield DocumentStep(page, (words[i], words[j]), tuple(answer), proposed, to)
        page = to


def document_walk(
    engine: Searchable,
    n: int,
    rng: Rng = 0,
    *,
    start: int | None = None,
    burn_in: int = 100,
    between: int = 10,
    dictionary: Collection[str] | None = None,
    uniform: bool = False,
    tries: int = 3,
) -> Pages:
    """Return n pages of a document walk.

    start    a page that the engine holds, with two words that count; None: one that a random query of the
             dictionary finds
    burn_in  steps before the first page is taken; between: from one that is taken to the next
    uniform  walk by Metropolis–Hastings; else a page comes in proportion to ``word_pairs``

    Pages that share no two words with others, directly or by way of more pages, are never reached.

    >>> from ircourse.indexsize import SearchEngine
    >>> engine = SearchEngine(["a red rose", "the red rose", "the harbour"])
    >>> document_walk(engine, 8, 1, start=0).tolist()
    [1, 1, 1, 0, 1, 1, 0, 1]
    """
    if burn_in < 0 or between < 1:
        raise ValueError(f"burn_in {burn_in} and between {between}: give at least 0 and at least 1")
    rng = np.random.default_rng(rng)
    if start is None:
        if dictionary is None:
            raise ValueError("there is no start: give a page, or a dictionary to find one by a query")
        start = int(random_queries(engine, 1, rng, dictionary=dictionary, top=None, tries=tries)[0])
    steps = document_walk_steps(engine, rng, start=start, dictionary=dictionary, uniform=uniform, tries=tries)
    taken = (s.page for t, s in enumerate(steps) if t >= burn_in and (t - burn_in) % between == 0)
    return collected(taken, n)


def _pairs(words: list[str]) -> float:
    return len(words) * (len(words) - 1) / 2
