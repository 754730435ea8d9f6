"""Drawing pages of an index by queries, from a log or from a dictionary (book, section 19.5).

E  an engine, known by its answers alone
n  pages to draw; the same page may come again
q  a query; card(q) is the number of its results

Every sampler is ``sampler(engine, n, rng, …) -> int64 (n,)``, numbers of pages that the engine holds; what
else it needs is fixed beforehand by ``functools.partial``. None of them is uniform: what is wrong with each
stands in its docstring, and ``bias.py`` mends some of it.

Source: book, section 19.5; Bharat and Broder (1998); Lawrence and Giles (1998).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from operator import index
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.indexsize.engine import Searchable, ask

__all__ = ["Pages", "SurveyFailed", "random_queries", "random_searches"]

Pages: TypeAlias = NDArray[np.int64]
Rng: TypeAlias = np.random.Generator | int

_PATIENCE = 1000  # draws without a page, for each page wanted


class SurveyFailed(RuntimeError):
    """A sampler asked and asked, and too few pages came."""


def random_searches(
    engine: Searchable, n: int, rng: Rng = 0, *, log: Sequence[str], top: int = 100, tries: int = 3
) -> Pages:
    """Return n pages: a search drawn from a log, a page drawn from its first ``top`` results.

    Biased to what the people behind the log look for, and to what the engine ranks high.

    >>> from ircourse.indexsize import SearchEngine
    >>> engine = SearchEngine(["a rose", "a harbour", "a town"])
    >>> random_searches(engine, 4, 1, log=["rose", "rose harbour", "town"]).tolist()
    [2, 2, 0, 0]
    """
    if not len(log):
        raise ValueError("the log has no searches: give at least one")
    rng = np.random.default_rng(rng)

    def draws() -> Iterator[int | None]:
        while True:
            answer = ask(engine, log[int(rng.integers(len(log)))], top, tries=tries)
            yield pick(answer, rng) if answer else None

    return collected(draws(), n)


def random_queries(
    engine: Searchable,
    n: int,
    rng: Rng = 0,
    *,
    dictionary: Collection[str],
    terms: int = 2,
    top: int | None = 100,
    by_count: bool = False,
    tries: int = 3,
) -> Pages:
    """Return n pages: a conjunctive query of ``terms`` random words, a page drawn from its first ``top``.

    dictionary  to draw from, uniformly; of a crawled sample (``sample_dictionary``)
    top         None: from all results; a query that overflows ``engine.top`` is rejected
    by_count    with top None: accept a query with chance card(q) / engine.top, too

    Biased to long pages, which answer more queries. With top None a page comes with chance in proportion to
    Σ 1 / card(q) over the queries that it answers, with by_count to their number.

    >>> from ircourse.indexsize import SearchEngine
    >>> engine = SearchEngine(["a rose", "a rose is a rose", "a harbour"])
    >>> random_queries(engine, 8, 1, dictionary=["a", "is", "rose"]).tolist()
    [1, 1, 1, 0, 1, 1, 1, 1]
    """
    words = sorted(set(dictionary))
    if not 1 <= terms <= len(words):
        raise ValueError(f"terms is {terms}: give from 1 to the {len(words)} words of the dictionary")
    if by_count and top is not None:
        raise ValueError("by_count needs the whole answer: give top=None")
    rng = np.random.default_rng(rng)

    def draws() -> Iterator[int | None]:
        while True:
            query = [words[i] for i in rng.choice(len(words), terms, replace=False)]
            answer = ask(engine, query, top, tries=tries)
            overflows = top is None and answer is not None and len(answer) >= engine.top
            if not answer or overflows or (by_count and rng.random() >= len(answer) / engine.top):
                yield None
            else:
                yield pick(answer, rng)

    return collected(draws(), n)


def pick(answer: Sequence[int], rng: np.random.Generator) -> int:
    """Return one of the answer, uniformly."""
    return answer[int(rng.integers(len(answer)))]


def collected(draws: Iterator[int | None], n: int) -> Pages:
    """Return the first n pages that ``draws`` yields, or raise SurveyFailed; None is a draw in vain."""
    if index(n) < 1:
        raise ValueError(f"n is {n}: draw at least 1 page")
    limit = n * _PATIENCE
    pages = list(islice((page for page in islice(draws, limit) if page is not None), n))
    if len(pages) < n:
        raise SurveyFailed(
            f"{limit:,} draws gave {len(pages)} of {n} pages: try other words, limits or pages"
        )
    return np.array(pages, np.int64)
