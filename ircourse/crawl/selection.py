"""Which page next: orders of page selection (book, sections 20.1.2 and 20.2.3; slides on crawlers).

policy     an object whose ``found(url, page)`` is told of each page fetched, in order, and yields
           ``(link, priority)`` for each URL whose priority is new or has changed by it
priority   at least 0, the higher the sooner; the scale of `Frontier.add`
coverage   of the web by the links seen so far; a policy knows nothing else

For a `Frontier`, take the priority at the time when the URL is first met: ``for link, priority in
policy.found(url, page): if seen.add(link): frontier.add(link, priority)``. Mercator's front queues are coarse
and do not reorder what waits, so there an order is kept roughly; `race` keeps it exactly.

Partial PageRank runs a short power iteration of its own over the links seen so far, since the package for
link analysis stands above this one; another way to score can be passed in.
Source: Cho, Garcia-Molina and Page (1998), "Efficient crawling through URL ordering".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.text import tokenize

if TYPE_CHECKING:
    from ircourse.crawl.spiders import HasLinks

__all__ = [
    "BreadthFirst",
    "Combined",
    "DepthFirst",
    "InLinks",
    "PartialPageRank",
    "Policy",
    "RandomOrder",
    "TopicDriven",
    "share_of_words",
    "short_pagerank",
]

Found: TypeAlias = Iterable[tuple[Any, float]]


class Policy(Protocol):
    """An order of page selection."""

    def found(self, url: Any, page: HasLinks) -> Found:
        """Yield the URLs whose priority is new or changed now that ``page`` was read, with their priority."""


class BreadthFirst:
    """First met, first fetched: the order of a queue, and of a frontier whose priorities are all the same."""

    def __init__(self) -> None:
        self._met = dict[Any, float]()

    def found(self, url: Any, page: HasLinks) -> Found:
        """Yield 1 / (1 + the number of URLs met before)."""
        for link in page.links:
            if link not in self._met:
                self._met[link] = 1 / (1 + len(self._met))
                yield link, self._met[link]


class DepthFirst:
    """Last met, first fetched: the order of SPIDER3's stack, where a URL met again is pushed again."""

    def __init__(self) -> None:
        self._pushed = 0

    def found(self, url: Any, page: HasLinks) -> Found:
        """Yield how many links were pushed before."""
        for link in page.links:
            self._pushed += 1
            yield link, float(self._pushed)


class RandomOrder:
    """Any waiting URL with the same chance."""

    def __init__(self, rng: np.random.Generator | int = 0) -> None:
        self._rng = np.random.default_rng(rng)
        self._met = set[Any]()

    def found(self, url: Any, page: HasLinks) -> Found:
        """Yield a number from 0 to 1 for each new link."""
        for link in page.links:
            if link not in self._met:
                self._met.add(link)
                yield link, float(self._rng.random())


class InLinks:
    """Most pages linking to it first; a page that links twice counts once.

    >>> from ircourse.types import Page
    >>> policy = InLinks()
    >>> list(policy.found("a", Page("a", links=("b", "c", "b"))))
    [('b', 1.0), ('c', 1.0)]
    >>> list(policy.found("b", Page("b", links=("c",))))
    [('c', 2.0)]
    """

    def __init__(self) -> None:
        self._count = dict[Any, int]()

    def found(self, url: Any, page: HasLinks) -> Found:
        """Yield the number of pages fetched so far that link to each link."""
        for link in dict.fromkeys(page.links):
            self._count[link] = self._count.get(link, 0) + 1
            yield link, float(self._count[link])


Edges: TypeAlias = NDArray[np.int64]


def short_pagerank(n: int, edges: Edges, damping: float = 0.85, steps: int = 30) -> NDArray[np.float64]:
    """Return PageRank after some steps of power iteration, float64 (n,), sum 1; no links: leads anywhere.

    edges  int64 (m, 2): pairs of node numbers

    >>> short_pagerank(3, np.array([[0, 1], [0, 2], [2, 1]])).round(3).tolist()
    [0.198, 0.521, 0.282]
    """
    source, target = edges.reshape(-1, 2).T
    degree = np.bincount(source, minlength=n)
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        share = rank / np.maximum(degree, 1)
        followed = np.bincount(target, share[source], minlength=n)
        rank = damping * (followed + rank[degree == 0].sum() / n) + (1 - damping) / n
    return rank


class PartialPageRank:
    """Highest PageRank first, in the graph of the links seen so far.

    damping  probability of following a link
    every    the graph is scored anew when so many more pages were fetched, and at least a tenth more, so that
             the work stays in proportion to the crawl
    score    a function from ``(n, edges)`` to n scores in place of `short_pagerank`

    Priorities are PageRank times the number of URLs met: 1 is the average. A URL met since the last scoring
    has what the pages that link to it pass on.
    """

    def __init__(
        self,
        damping: float = 0.85,
        every: int = 20,
        score: Callable[[int, Edges], NDArray[np.float64]] | None = None,
    ) -> None:
        self._score = score or (lambda n, edges: short_pagerank(n, edges, damping))
        self._damping = damping
        self._every = every
        self._numbers = dict[Any, int]()
        self._priority: list[float] = []
        self._edges: list[tuple[int, int]] = []
        self._pages = 0
        self._next = every

    def found(self, url: Any, page: HasLinks) -> Found:
        """Yield new priorities: of the page's links, or of all URLs after a scoring."""
        source = self._number(url)
        targets = [self._number(link) for link in dict.fromkeys(page.links)]
        self._edges += [(source, target) for target in targets]
        self._pages += 1
        if self._pages >= self._next:
            self._next = self._pages + max(self._every, self._pages // 10)
            n = len(self._numbers)
            scores = self._score(n, np.array(self._edges, np.int64).reshape(-1, 2))
            self._priority = (scores * n).tolist()
            yield from zip(self._numbers, self._priority, strict=True)
            return
        passed = self._damping * self._priority[source] / max(1, len(targets))
        for link, target in zip(dict.fromkeys(page.links), targets, strict=True):
            self._priority[target] += passed
            yield link, self._priority[target]

    def _number(self, url: Any) -> int:
        number = self._numbers.setdefault(url, len(self._numbers))
        if number == len(self._priority):
            self._priority.append(1 - self._damping)
        return number


def share_of_words(words: Collection[str]) -> Callable[[str], float]:
    """Return a function from a text to the share of its words that are among ``words``, 0 for no text.

    >>> share_of_words({"ferry", "harbour"})("The harbour and the ferry")
    0.4
    """
    wanted = frozenset(word for text in words for word in tokenize(text))

    def share(text: str) -> float:
        terms = tokenize(text)
        return sum([term in wanted for term in terms]) / len(terms) if terms else 0.0

    return share


class TopicDriven:
    """Links of pages on the topic first: focused crawling.

    relevance  a function from a text to a number of at least 0, such as `share_of_words`

    A link is worth what its page is worth, or its anchor if that is more, and the best page that links to it
    decides. That pays as far as pages link to pages on their own topic (claim C56).
    """

    def __init__(self, relevance: Callable[[str], float]) -> None:
        self._relevance = relevance
        self._best = dict[Any, float]()

    def found(self, url: Any, page: HasLinks) -> Found:
        """Yield the relevance of each link that is new or now of more worth."""
        here = self._relevance(getattr(page, "text", ""))
        for link in page.links:
            anchor = getattr(link, "anchor", "")
            worth = max(here, self._relevance(anchor)) if anchor else here
            if worth > self._best.get(link, -1.0):
                self._best[link] = worth
                yield link, worth


class Combined:
    """Several orders at once: the weighted sum of their priorities p, each as p / (1 + p).

    >>> from ircourse.types import Page
    >>> policy = Combined([InLinks(), BreadthFirst()], weights=[2.0, 1.0])
    >>> list(policy.found("a", Page("a", links=("b", "c"))))
    [('b', 1.5), ('c', 1.3333333333333333)]
    """

    def __init__(self, policies: Sequence[Policy], weights: Sequence[float] | None = None) -> None:
        self._policies = list(policies)
        self._weights = [1.0] * len(self._policies) if weights is None else list(weights)
        if len(self._weights) != len(self._policies) or not all(0 <= w < np.inf for w in self._weights):
            raise ValueError(f"weights are {weights!r}: give a number of at least 0 for each policy")
        self._known = [dict[Any, float]() for _ in self._policies]

    def found(self, url: Any, page: HasLinks) -> Iterator[tuple[Any, float]]:
        """Yield the sum for each URL of which any of the orders has something new."""
        changed = dict[Any, None]()
        for policy, known in zip(self._policies, self._known, strict=True):
            for link, priority in policy.found(url, page):
                known[link] = priority / (1 + priority)
                changed[link] = None
        for link in changed:
            parts = zip(self._weights, self._known, strict=True)
            yield link, sum([weight * known.get(link, 0.0) for weight, known in parts])
