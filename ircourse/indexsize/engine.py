"""A search engine as an outsider meets it: ranked answers, and limits (book, section 19.5).

The book's operational problems are parameters, each off by default but the first two:

top         results that a query shows at most; what is ranked below is out of reach
per_page    results to a request: who reads them all asks again and again
max_terms   words to a query, those of a phrase counted; longer queries find nothing, or are cut (``cuts``)
per_minute  requests in any 60 seconds; more are refused
timeouts    chance that a request gets no answer
per_host    results shown from one host

A survey may use what ``Searchable`` lists and nothing else: it does not know what the engine holds.

Differs from the book: ``per_page`` and ``per_host`` are ours; a page is fetched by its number, never in vain.
Source: book, section 19.5.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from operator import index
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ircourse.index import InvertedIndex
from ircourse.types import Clock, VirtualClock

__all__ = ["NoAnswer", "Refused", "SearchEngine", "Searchable", "TimedOut", "ask"]

MINUTE, TIMEOUT = 60.0, 30.0  # seconds


class NoAnswer(Exception):
    """A search engine did not answer."""


class Refused(NoAnswer):
    """The engine takes the one who asks for a robot; it answers again in ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"refused: too many requests in a minute, ask again in {seconds:.4g} s")
        self.seconds = seconds


class TimedOut(NoAnswer):
    """The connection timed out."""

    def __init__(self) -> None:
        super().__init__(f"timed out: no answer in {TIMEOUT:.0f} s")


class Searchable(Protocol):
    """What anybody may ask of a search engine and the web behind it.

    top    results shown at most, as the engine publishes it
    clock  by which requests are counted
    """

    @property
    def top(self) -> int: ...  # noqa: D102

    @property
    def clock(self) -> Clock: ...  # noqa: D102

    def search(self, terms: str | Iterable[str], n: int | None = None) -> list[int]: ...  # noqa: D102

    def text(self, number: int) -> str: ...  # noqa: D102


class SearchEngine:
    """A search engine that holds some of the pages of a web.

    docs     texts of all pages; a page's number is its place here, the same for every engine of this web
    members  numbers of the pages that the engine holds; None: all
    hosts    of all pages, by number, where ``per_host`` is given
    rng      decides which requests time out

    ``requests`` counts what was asked, refusals and time-outs too. ``members`` is the truth, sorted, for
    those who judge a survey. Raises ValueError for limits that are none and numbers that no page has.

    >>> engine = SearchEngine(["a rose", "a harbour", "rose and harbour"], members=[1, 2])
    >>> engine.search("rose"), engine.search(["harbour"]), engine.search('"rose harbour"')
    ([2], [1, 2], [])
    >>> engine.text(0), engine.requests
    ('a rose', 3)
    """

    def __init__(
        self,
        docs: Iterable[str],
        members: Iterable[int] | None = None,
        *,
        top: int = 1000,
        per_page: int = 100,
        max_terms: int | None = None,
        cuts: bool = False,
        per_minute: int | None = None,
        timeouts: float = 0.0,
        hosts: Sequence[str] | None = None,
        per_host: int | None = None,
        seconds: float = 0.0,
        clock: Clock | None = None,
        rng: np.random.Generator | int = 0,
    ) -> None:
        if isinstance(docs, str):
            raise TypeError(f"docs are several texts, not one: write [{docs!r:.60}]")
        self._docs = tuple(docs)
        self.members = _checked_members(members, len(self._docs))
        self._index = InvertedIndex(self._docs[number] for number in self.members.tolist())
        self._top, self.per_page = _limit("top", top), _limit("per_page", per_page)
        self.max_terms = None if max_terms is None else _limit("max_terms", max_terms)
        self.per_minute = None if per_minute is None else _limit("per_minute", per_minute)
        self.per_host = None if per_host is None else _limit("per_host", per_host)
        if self.per_host is not None and (hosts is None or len(hosts) != len(self._docs)):
            raise ValueError(f"per_host needs the host of each of the {len(self._docs)} pages: give hosts")
        if not 0 <= timeouts <= 1:
            raise ValueError(f"timeouts is {timeouts!r}: give a chance from 0 to 1")
        if not 0 <= seconds < np.inf:
            raise ValueError(f"seconds is {seconds!r}: give the time that a request takes, at least 0")
        self.cuts, self.timeouts, self.seconds = cuts, timeouts, seconds
        self._hosts = hosts
        self._clock = VirtualClock() if clock is None else clock
        self._rng = np.random.default_rng(rng)
        self._recent: deque[float] = deque()  # times of the requests of the last minute
        self.requests = 0

    @property
    def top(self) -> int:
        """Number of results that a query shows at most."""
        return self._top

    @property
    def clock(self) -> Clock:
        """The clock by which requests are counted."""
        return self._clock

    def search(self, terms: str | Iterable[str], n: int | None = None) -> list[int]:
        """Return the numbers of the ``n`` best pages that hold every term and phrase; None: all shown.

        A ``str`` may have phrases in double quotes; an item of several words in a list is a phrase. Costs a
        request for each ``per_page`` results, one where there are none. Raises Refused or TimedOut.
        """
        if n is not None and index(n) < 0:
            raise ValueError(f"n is {n}: give a number of results of at least 0, or None")
        terms = terms if isinstance(terms, str) else list(terms)
        self._request()
        shown = self._shown(terms)[:n]
        for _ in range(self.per_page, len(shown), self.per_page):
            self._request()
        return shown

    def text(self, number: int) -> str:
        """Return the text of a page of the web, whether or not the engine holds it, or raise IndexError."""
        if not 0 <= index(number) < len(self._docs):
            raise IndexError(f"there is no page {number}: the web has pages 0 to {len(self._docs) - 1}")
        return self._docs[number]

    def _shown(self, terms: str | list[str]) -> list[int]:
        kept = self._handled(terms)
        if self.per_host is None or self._hosts is None:
            return self._numbers(kept, self._top)
        count: Counter[str] = Counter()
        shown = []
        for number in self._numbers(kept, len(self.members)):
            count[self._hosts[number]] += 1
            if count[self._hosts[number]] <= self.per_host:
                shown.append(number)
        return shown[: self._top]

    def _numbers(self, terms: str | list[str], n: int) -> list[int]:
        hits = self._index.search(terms, n)
        numbers: list[int] = self.members[[hit.doc for hit in hits]].tolist()
        return numbers

    def _handled(self, terms: str | list[str]) -> str | list[str]:
        """Return what the engine makes of a query: all, the units that fit, or nothing."""
        if self.max_terms is None:
            return terms
        units = list(self._index.statistics(terms).frequencies)
        words = np.cumsum([len(unit.split(" ")) for unit in units])
        fits = int(np.searchsorted(words, self.max_terms, side="right"))
        return units[:fits] if self.cuts or fits == len(units) else []

    def _request(self) -> None:
        self.requests += 1
        now = self._clock.now()
        while self._recent and self._recent[0] + MINUTE <= now:
            self._recent.popleft()
        if self.per_minute is not None:
            if len(self._recent) >= self.per_minute:
                raise Refused(self._recent[0] + MINUTE - now)
            self._recent.append(now)
        if self.timeouts and self._rng.random() < self.timeouts:
            self._clock.wait(TIMEOUT)
            raise TimedOut
        if self.seconds:
            self._clock.wait(self.seconds)


def ask(
    engine: Searchable, terms: str | Sequence[str], n: int | None = None, *, tries: int = 3
) -> list[int] | None:
    """Return the engine's answer, or None if there was none in ``tries``.

    After a refusal the next try waits for as long as the engine says, by the engine's clock.

    >>> ask(SearchEngine(["a rose"], timeouts=1), "rose") is None
    True
    """
    if tries < 1:
        raise ValueError(f"tries is {tries}: give at least 1")
    for left in range(tries - 1, -1, -1):
        try:
            return engine.search(terms, n)
        except Refused as refusal:
            if left:
                engine.clock.wait(refusal.seconds)
        except TimedOut:
            pass
    return None


def _limit(name: str, value: int) -> int:
    if index(value) < 1:
        raise ValueError(f"{name} is {value}: give a limit of at least 1")
    return index(value)


def _checked_members(members: Iterable[int] | None, n: int) -> NDArray[np.int64]:
    if members is None:
        return np.arange(n)
    numbers = np.array(sorted({index(number) for number in members}), np.int64)
    if len(numbers) and not 0 <= numbers[0] <= numbers[-1] < n:
        wrong = numbers[0] if numbers[0] < 0 else numbers[-1]
        raise ValueError(f"there is no page {wrong}: members are from 0 to {n - 1}")
    return numbers
