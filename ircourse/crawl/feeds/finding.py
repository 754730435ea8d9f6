"""What it costs to hear of changes: revisiting, a sitemap, a feed, push, side by side (claim C55).

page      of a site; it changes at random moments, as a Poisson process of its own rate
look      one visit to where changes can be told from: all pages, the sitemap, the feed
missed    a state of a page that no look told of before the month was over; two changes between looks are
          one state to find, since nobody can fetch the first any more

The site is one in memory, its sitemap and feed are real files read by this package's parsers, and the clock
is virtual: a month passes at once. By revisiting, each look is a request for every page; otherwise one for
the list, and one for every page that it tells of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TypeAlias

import numpy as np

from ircourse.crawl.feeds.changes import changed_urls, stamps_of
from ircourse.crawl.feeds.feeds import parse_feed
from ircourse.crawl.feeds.sitemaps import parse_sitemap
from ircourse.types import VirtualClock

__all__ = ["ChangingSite", "Found", "by_feed", "by_push", "by_revisiting", "by_sitemap", "requests_to_find"]

DAY = 86_400.0
START = datetime(2025, 3, 1, tzinfo=UTC)
HOME = "http://harbour.example"

Watch: TypeAlias = Callable[[float, Sequence[str]], object]


@dataclass(frozen=True, slots=True)
class Found:
    """What a way of hearing of changes cost and brought.

    requests  sent by the crawler; pushed: messages that it was sent
    states    of pages that the way could have told of: each is at least one change
    found     of these told of and fetched
    delay     mean seconds from a page's latest change to the fetch, over those found; 0 where none was
    """

    requests: int
    pushed: int
    states: int
    found: int
    delay: float


class ChangingSite:
    """A site whose pages change at times drawn once, and the lists that its owner keeps.

    rates  changes a day of each page, at least 0
    days   of the time watched

    >>> site = ChangingSite([0.0, 2.0], days=30, rng=0)
    >>> len(site.pages), all(page == 1 for _, page in site.changes)
    (2, True)
    """

    def __init__(self, rates: Sequence[float], days: float, rng: np.random.Generator | int) -> None:
        if not len(rates) or not all(0 <= rate < np.inf for rate in rates) or not 0 < days < np.inf:
            raise ValueError(
                f"rates {list(rates)[:5]} over {days!r} days: give rates of at least 0 and days above"
            )
        rng = np.random.default_rng(rng)
        self.pages = [f"{HOME}/page-{page}.html" for page in range(len(rates))]
        self.seconds = days * DAY
        counts = rng.poisson(np.asarray(rates, float) * days)
        self.changes: list[tuple[float, int]] = sorted(
            (float(when), page) for page, n in enumerate(counts) for when in rng.uniform(0, self.seconds, n)
        )

    def last_changes(self, now: float) -> dict[int, float]:
        """Return when each page that has changed by ``now`` last did, the latest last."""
        last: dict[int, float] = {}
        for when, page in self.changes:
            if when > now:
                break
            last.pop(page, None)
            last[page] = when
        return last

    def sitemap(self, now: float) -> bytes:
        """Return the sitemap as it stands at ``now``."""
        last = self.last_changes(now)
        lines = (
            f"<url><loc>{url}</loc><lastmod>{_moment(last.get(page, 0)).isoformat()}</lastmod></url>"
            for page, url in enumerate(self.pages)
        )
        return f"<urlset>{''.join(lines)}</urlset>".encode()

    def feed(self, now: float, length: int) -> bytes:
        """Return the feed at ``now``: the ``length`` pages that changed last, the latest first."""
        latest = list(self.last_changes(now).items())[::-1][:length]
        items = (
            f"<item><link>{self.pages[page]}</link><pubDate>{format_datetime(_moment(when))}</pubDate></item>"
            for page, when in latest
        )
        return f'<rss version="2.0"><channel>{"".join(items)}</channel></rss>'.encode()


def by_revisiting(site: ChangingSite, interval: float, *, watch: Watch | None = None) -> Found:
    """Return the cost of fetching every page every ``interval`` seconds.

    watch  called at each look, here and below, with its time and the pages that are fetched then
    """
    return _watch(site, interval, lambda now: site.pages, 0, watch)


def by_sitemap(site: ChangingSite, interval: float, *, watch: Watch | None = None) -> Found:
    """Return the cost of fetching the sitemap every ``interval`` seconds, and then what it tells of."""
    before = stamps_of(parse_sitemap(site.sitemap(0)).entries)

    def told(now: float) -> Iterable[str]:
        entries = parse_sitemap(site.sitemap(now)).entries
        changed = changed_urls(entries, before)
        before.update(stamps_of(entries))
        return changed

    return _watch(site, interval, told, 1, watch)


def by_feed(site: ChangingSite, interval: float, length: int = 20, *, watch: Watch | None = None) -> Found:
    """Return the cost of fetching a feed of ``length`` entries every ``interval``, and what it tells of.

    What fell out of the feed between two looks is missed.
    """
    before: dict[str, datetime | None] = {}

    def told(now: float) -> Iterable[str]:
        entries = parse_feed(site.feed(now, length)).entries
        changed = changed_urls(entries, before)
        before.update(stamps_of(entries))
        return changed

    return _watch(site, interval, told, 1, watch)


def by_push(site: ChangingSite, lease: float = 10 * DAY, seconds: float = 1.0) -> Found:
    """Return the cost of being told by a hub: one request a ``lease`` to subscribe, one a change told of.

    seconds  from a change to the fetch
    """
    subscriptions = -int(-site.seconds // lease)
    n = len(site.changes)
    return Found(subscriptions + n, n, n, n, seconds if n else 0.0)


def requests_to_find(
    rates: Sequence[float],
    *,
    days: float = 30,
    interval: float = DAY,
    length: int = 20,
    rng: np.random.Generator | int = 0,
) -> dict[str, Found]:
    """Return what each way costs to find the changes of one site: "revisiting", "sitemap", "feed", "push".

    rates     changes a day of each page; days: how long; interval: seconds between looks
    length    entries of the feed

    >>> costs = requests_to_find([0.01] * 100, rng=1)
    >>> {way: (found.requests, found.found) for way, found in costs.items()}
    {'revisiting': (3000, 35), 'sitemap': (65, 35), 'feed': (65, 35), 'push': (38, 35)}
    """
    site = ChangingSite(rates, days, rng)
    return {
        "revisiting": by_revisiting(site, interval),
        "sitemap": by_sitemap(site, interval),
        "feed": by_feed(site, interval, length),
        "push": by_push(site),
    }


def _watch(
    site: ChangingSite,
    interval: float,
    told: Callable[[float], Iterable[str]],
    per_look: int,
    watch: Watch | None,
) -> Found:
    """Return what it costs to fetch, every ``interval``, the pages that ``told`` names at that time."""
    if not interval > 0:
        raise ValueError(f"an interval of {interval!r} seconds: give a number above 0")
    clock, number = VirtualClock(), {url: page for page, url in enumerate(site.pages)}
    fetched = [0.0] * len(site.pages)
    requests = states = 0
    delays: list[float] = []
    while clock.now() + interval <= site.seconds:
        since = clock.now()
        clock.wait(interval)
        last = site.last_changes(clock.now())
        states += sum(when > since for when in last.values())
        urls = list(told(clock.now()))
        requests += per_look + len(urls)
        if watch:
            watch(clock.now(), urls)
        for page in (number[url] for url in urls):
            if last.get(page, 0.0) > fetched[page]:
                delays.append(clock.now() - last[page])
            fetched[page] = clock.now()
    return Found(requests, 0, states, len(delays), float(np.mean(delays)) if delays else 0.0)


def _moment(seconds: float) -> datetime:
    """Return the moment on the calendar, to the second, rounded up: no change seems older than it is."""
    return START + timedelta(seconds=float(np.ceil(seconds)))
