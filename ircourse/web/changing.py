"""A web whose pages change at random moments, and which knows how fresh a crawler's copies are (slides).

λ        changes of a page a second: its changes are a Poisson process on the clock
edition  how often a page has changed so far; its text names it, and ETag and Last-Modified go with it
visit    a request that was answered, with 200 or 304: from then on the visitor's copy is the page as it was
fresh    a copy of the edition that the page has now; a page without a copy is not

A page visited every I seconds is fresh for a share (1 − e^{−λI}) / (λI) of the time, in the long run.

Source: Cho and Garcia-Molina (2000), "Synchronizing a database to improve freshness".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.crawler.revisit import Revisit
from ircourse.crawl.crawler.statistics import Statistics
from ircourse.types import Clock, Response, VirtualClock
from ircourse.web.core import Resource, Web

__all__ = ["ChangingWeb", "Watched", "changing_web", "crawl_changing"]


class ChangingWeb(Web):
    """A web of which some pages change; made by `changing_web`.

    visits  the times of the answered requests, by page
    """

    def __init__(
        self, web: Web, rates: Mapping[str, float], clock: Clock, rng: np.random.Generator | int
    ) -> None:
        for url, rate in rates.items():
            if url not in web or not 0 <= rate < inf:
                raise ValueError(f"{url!r:.200} changes {rate!r} times a second: a page and a rate expected")
        super().__init__(web._urls, web.answer, hosts=web.hosts)
        self._web, self._clock, self._start = web, clock, clock.now()
        self.rates = {url: float(rate) for url, rate in rates.items()}
        streams = np.random.default_rng(rng).spawn(len(self.rates))
        self._streams = dict(zip(self.rates, streams, strict=True))
        self._changes: dict[str, list[float]] = {url: [] for url in self.rates}
        self.visits: dict[str, list[float]] = {url: [] for url in self.rates}

    def respond(self, url: str, headers: Mapping[str, str] | None = None, *, day: int = 0) -> Response:
        """Return what the server of ``url`` answers now; see `Web.respond`."""
        if url not in self.rates:
            return self._web.respond(url, headers, day=day)
        now = self._clock.now()
        changes = self.changes(url, now)
        plain = self._web.answer(url, day) or Resource(url, status=404)
        note = f"<p>Edition {len(changes)}.</p>".encode()
        before, end, after = plain.body.rpartition(b"</body>")
        body = before + note + end + after if end else plain.body + note
        since = datetime.fromtimestamp(int(changes[-1] if changes else self._start), UTC)
        said = {"etag": f'"{len(changes)}"', "last-modified": format_datetime(since, usegmt=True)}
        edition = Resource(url, body, plain.status, {**plain.headers, **said}, plain.delay, plain.fail)
        answer = Web([url], lambda _, __: edition).respond(url, headers)
        if answer.status in (200, 304):
            self.visits[url].append(now)
        return answer

    def changes(self, url: str, until: float) -> list[float]:
        """Return the times at which a page has changed up to ``until``."""
        times, rate = self._changes[url], self.rates[url]
        while rate and (not times or times[-1] <= until):
            last = times[-1] if times else self._start
            times.append(last + float(self._streams[url].exponential(1 / rate)))
        return times[: bisect_right(times, until)]

    def freshness(self, start: float, end: float) -> dict[str, float]:
        """Return for each page the share of the time from ``start`` to ``end`` that the copy of it was fresh.

        Exact: the times of all changes and visits are known.
        """
        if not start < end:
            raise ValueError(f"from {start!r} to {end!r} there is no time: give a later end")
        return {url: self._fresh(url, start, end) / (end - start) for url in self.rates}

    def _fresh(self, url: str, start: float, end: float) -> float:
        """Return for how many seconds the copies of a page were fresh."""
        changes, visits = [*self.changes(url, end), inf], [*self.visits[url], inf]
        seconds = 0.0
        for visit, following in pairwise(visits):
            stale = changes[bisect_right(changes, visit)]
            seconds += max(0.0, min(stale, following, end) - max(visit, start))
        return seconds


def changing_web(
    web: Web, rates: Mapping[str, float], clock: Clock, rng: np.random.Generator | int
) -> ChangingWeb:
    """Return ``web`` with pages that change as Poisson processes on ``clock``.

    rates  changes a second of those pages that change; a rate of 0 is a page that never does

    >>> clock, home = VirtualClock(), "http://a.example/"
    >>> web = changing_web(Web.from_pages({home: []}), {home: 0.01}, clock, rng=1)
    >>> first = web.respond(home)
    >>> clock.wait(1000)
    >>> second = web.respond(home, {"If-None-Match": first.headers["etag"]})
    >>> first.headers["etag"], second.status, len(web.changes(home, 1000.0))
    ('"0"', 200, 17)
    """
    return ChangingWeb(web, rates, clock, rng)


@dataclass(frozen=True)
class Watched:
    """What came of a crawl of a web that changes.

    freshness   of each page that changes and was kept, the share of the time that the copy was fresh
    statistics  the crawl's
    crawler     with its schedule and its store
    """

    freshness: Mapping[str, float]
    statistics: Statistics
    crawler: Crawler

    @property
    def mean(self) -> float:
        """The mean over the pages, 0 for none."""
        return sum(self.freshness.values()) / max(1, len(self.freshness))


def crawl_changing(
    web: Web,
    rates: Mapping[str, float],
    revisit: Revisit | Callable[..., float],
    *,
    seconds: float,
    settle: float = 0.0,
    rng: np.random.Generator | int = 0,
    **options: Any,
) -> Watched:
    """Return how fresh a crawl without end keeps its copies of a web that changes, on a virtual clock.

    rates    changes a second, by page
    revisit  when a page is visited again, such as `every(86400)`
    seconds  that the crawl takes; those from ``settle`` on count
    options  `Crawler`'s, and ``max_pages``; unless ``seeds`` are given the pages that change are, and alone

    >>> home = "http://a.example/"
    >>> watched = crawl_changing(
    ...     Web.from_pages({home: []}), {home: 1 / 3600}, lambda url, visits: 3600.0, seconds=30 * 86400
    ... )
    >>> round(watched.mean, 2)  # the formula gives 1 − 1/e = 0.63, give or take 0.03 in 720 intervals
    0.62
    """
    clock = VirtualClock()
    changing = changing_web(web, rates, clock, rng)
    if "seeds" not in options:
        options |= {"seeds": list(rates), "in_scope": rates.__contains__}
    seeds, most = options.pop("seeds"), options.pop("max_pages", None)
    crawler = Crawler(seeds, fetch=changing, clock=clock, revisit=revisit, **options)
    done = crawler.run(most, seconds=seconds)
    fresh = {url: share for url, share in changing.freshness(settle, seconds).items() if url in crawler.store}
    return Watched(fresh, done, crawler)
