"""Visiting again what gains most: a budget of visits by quality and change rate (book, section 20.2.3).

λ  changes of a page a second, by `rate_from_visits` from the visits on record; at the start of a further run
   roughly, by `change_rate`, which is a hundred times as fast
q  quality of a page: what a unit of time with a fresh copy is worth
μ  the level: what the last visit gains, alike for all pages (``revisit_rates``)

A page is visited again when the visit gains μ: q (1 − (1+x) e^{−x})/λ = μ at x = λ times the interval
(``visit_priority``). A visit never gains more than q/λ, so from λ = q/μ on a page is a lost cause: it may
change at every fetch and is visited hardly ever. `adaptive` does the contrary.

Source: Cho and Garcia-Molina (2003), "Effective page refresh policies for web crawlers".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import inf

from ircourse.crawl.changes.change_rates import rate_from_visits
from ircourse.crawl.changes.policies import revisit_rates
from ircourse.crawl.changes.priorities import visit_priority
from ircourse.crawl.crawler.revisit import Visit, change_rate

__all__ = ["ByGain", "by_gain"]

SPARE = 10  # lost causes take at most this part of the budget beside it


class ByGain:
    """The policy that `by_gain` returns; memory holds two numbers a page."""

    def __init__(
        self, budget: float, quality: Callable[[str], float], first: float, shortest: float, longest: float
    ) -> None:
        self.budget, self.quality = budget, quality
        self.first, self.shortest, self.longest = first, shortest, longest
        self._pages: dict[str, tuple[float, float]] = {}
        self._level, self._solved, self._since = 0.0, 0, 0

    def recall(self, pages: Iterable[tuple[str, Sequence[Visit]]]) -> None:
        """Take in the pages and visits of an earlier run, which share the budget."""
        for url, visits in pages:
            self._learn(url, visits, change_rate(visits) or self._rate(visits))

    def __call__(self, url: str, visits: Sequence[Visit]) -> float:
        """Return the seconds until the next visit of a page."""
        from scipy.special import gammaincinv  # inverts 1 − (1+x) e^{−x}

        before, _ = self._pages.get(url, (0.0, 0.0))
        rate, worth = self._learn(url, visits, self._rate(visits, before))
        self._since += 1
        if self._since > self._solved or 10 * len(self._pages) > 11 * self._solved:
            self._solve()
        most = max(self.longest, SPARE * len(self._pages) / self.budget)
        gain = self._level * rate / worth if worth else inf
        seconds = float(gammaincinv(2, gain)) / rate if gain < 1 else most
        if len(visits) > 1:  # a few visits prove little
            seconds = min(seconds, 2 * (visits[-1].time - visits[-2].time))
        return min(most, max(self.shortest, seconds))

    def _learn(self, url: str, visits: Sequence[Visit], rate: float) -> tuple[float, float]:
        worth = float(self.quality(url))
        if not 0 <= worth < inf:
            raise ValueError(f"the quality of {url:.200} is {worth!r}: give a number of at least 0")
        self._pages[url] = found = rate, worth
        return found

    def _rate(self, visits: Sequence[Visit], before: float = 0.0) -> float:
        """Return λ, at first the less the longer no change was seen.

        Looks that all found a change tell only how low λ is not, so that rarer ones do not make it less than
        it was taken for ``before``. Else a lost cause would be forgotten as it is visited less.
        """
        looks = [(after.time - before.time, after.changed) for before, after in pairwise(visits)]
        looks = [look for look in looks if look[0] > 1e-6]
        if not any(changed for _, changed in looks):
            return 1 / (self.first + sum(seconds for seconds, _ in looks))
        rate = rate_from_visits(*zip(*looks, strict=True)).rate
        return max(rate, before) if all(changed for _, changed in looks) else rate

    def _solve(self) -> None:
        """Find the level at which the pages known by now take up the budget."""
        rates, worths = zip(*self._pages.values(), strict=True)
        visits = revisit_rates(rates, self.budget, worths)
        best = int(visits.argmax())
        often = float(visits[best])
        self._level = float(visit_priority(rates[best], 1 / often, worths[best])) if often else inf
        self._solved, self._since = len(self._pages), 0


def by_gain(
    visits_a_day: float,
    quality: Callable[[str], float] = lambda url: 1.0,
    *,
    first: float = 7 * 86_400.0,
    shortest: float = 3600.0,
    longest: float = 30 * 86_400.0,
) -> ByGain:
    """Return the policy that spends so many visits a day, of all pages, where they gain most freshness.

    quality   ``quality(url)``, at least 0: what a fresh copy is worth, such as the page's PageRank. 0 for a
              page that is worth no visit
    first     a page is taken to change once in so many seconds until visits tell
    shortest, longest  bounds of the interval, in seconds; it at most doubles from one visit to the next

    Pages that change too often to be kept fresh, and those worth nothing, are visited after ``longest``, or
    later where that took more than a tenth of the visits. While nothing is known and just after more pages
    were found, visits may be more than ``visits_a_day``; bounds may make them fewer. Of pages given up for
    dead the visits are not spent. Raises ValueError for what cannot be.

    >>> policy = by_gain(1.0, {"http://a.example/": 1.0, "http://a.example/tides": 3.0}.__getitem__)
    >>> visits = [Visit(864_000.0 * n, n % 2 == 1) for n in range(20)]
    >>> policy.recall((url, visits) for url in ("http://a.example/", "http://a.example/tides"))
    >>> [round(policy(url, visits) / 86_400, 1) for url in ("http://a.example/", "http://a.example/tides")]
    [2.8, 1.6]
    """
    if not (0 < visits_a_day < inf and 0 < first < inf and 0 < shortest <= longest < inf):
        raise ValueError(
            f"visits_a_day {visits_a_day!r}, first {first!r}, shortest {shortest!r}, longest {longest!r}: "
            "numbers above 0 expected, the last two in this order"
        )
    return ByGain(visits_a_day / 86_400.0, quality, first, shortest, longest)
