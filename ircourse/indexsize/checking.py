"""Is a page in an engine's index? Asked by search alone (book, section 19.5).

The page's rarest terms, 6 to 8 of them, make a conjunctive query; the engine holds the page if it is among
the results. A dictionary sampled from the web says how rare a term is. A phrase is the newer way: fewer words
tell a page as well, since their order counts.

frequencies  of terms: documents of the sample that hold the term; a term without one is the rarest

Both answer None where the engine gave no answer, which a careless survey takes for "not there".

Source: book, section 19.5; Bharat and Broder (1998).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ircourse.indexsize.engine import Searchable, ask
from ircourse.text import tokenize

__all__ = ["has_by_phrase", "has_by_terms", "rare_phrase", "rare_terms", "sample_dictionary"]


def sample_dictionary(texts: Iterable[str]) -> dict[str, int]:
    """Return the terms of a crawled sample and how many of its texts hold each, sorted by code points.

    >>> sample_dictionary(["a rose is a rose", "a harbour"])
    {'a': 2, 'harbour': 1, 'is': 1, 'rose': 1}
    """
    count: Counter[str] = Counter()
    for text in texts:
        count.update(set(tokenize(text)))
    return dict(sorted(count.items()))


def rare_terms(text: str, frequencies: Mapping[str, int], terms: int = 8) -> list[str]:
    """Return the rarest ``terms`` of a text, equally rare ones by code points; fewer where it has fewer.

    >>> rare_terms("a rose is a rose", {"a": 9, "is": 7, "rose": 2}, 2)
    ['rose', 'is']
    """
    _at_least_one("terms", terms)
    return sorted(set(tokenize(text)), key=lambda term: (frequencies.get(term, 0), term))[:terms]


def rare_phrase(text: str, frequencies: Mapping[str, int], words: int = 5) -> str:
    """Return the run of ``words`` words of a text whose frequencies have the least sum, the first of several.

    >>> rare_phrase("a rose is a rose by the harbour", {"a": 9, "is": 7, "the": 9}, 3)
    'a rose by'
    """
    _at_least_one("words", words)
    terms = tokenize(text)
    runs = [terms[i : i + words] for i in range(max(1, len(terms) - words + 1))]
    return " ".join(min(runs, key=lambda run: sum(frequencies.get(term, 0) for term in run)))


def has_by_terms(
    engine: Searchable, number: int, *, frequencies: Mapping[str, int], terms: int = 8, tries: int = 3
) -> bool | None:
    """Return whether a conjunctive query of the page's rarest terms finds it; None: no answer in ``tries``.

    A page without words is never found.

    >>> from ircourse.indexsize import SearchEngine
    >>> engine = SearchEngine(["a rose", "a harbour"], members=[1])
    >>> [has_by_terms(engine, number, frequencies={"a": 2}) for number in (0, 1)]
    [False, True]
    """
    return _finds(engine, number, rare_terms(engine.text(number), frequencies, terms), tries)


def has_by_phrase(
    engine: Searchable, number: int, *, frequencies: Mapping[str, int], words: int = 5, tries: int = 3
) -> bool | None:
    """Return whether a phrase query of the page's rarest run of words finds it; None: no answer.

    >>> from ircourse.indexsize import SearchEngine
    >>> has_by_phrase(SearchEngine(["by the harbour"]), 0, frequencies={}, words=2)
    True
    """
    return _finds(engine, number, [rare_phrase(engine.text(number), frequencies, words)], tries)


def _finds(engine: Searchable, number: int, query: list[str], tries: int) -> bool | None:
    answer = ask(engine, query, tries=tries)
    return None if answer is None else number in answer


def _at_least_one(name: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"{name} is {value}: give at least 1")
