"""A polite crawler, put together from its parts (book, section 20.2).

A crawl is a `Core` and a driver: on a `VirtualClock` the simulated one, else threads. With a store, all that
the crawl knows is committed with each page, so it can be killed at any moment and goes on where it was.

Politeness: one connection a host; a gap of ten times the last fetch, at least ``delay``, more where
robots.txt or Retry-After asks for it; robots.txt before anything else; a name of its own in every request.
Only the hosts asked for, and only public addresses, whatever links, redirects and names say.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from math import inf
from os import PathLike
from time import time
from typing import Any

from ircourse.crawl.crawler.content import ContentSeen, SoftNotFound
from ircourse.crawl.crawler.continuous import Continuous
from ircourse.crawl.crawler.core import Core
from ircourse.crawl.crawler.events import Fetch as Request
from ircourse.crawl.crawler.harvest import Harvest, Priority, Watch
from ircourse.crawl.crawler.ledger import Ledger
from ircourse.crawl.crawler.manners import LEAST_DELAY, least_gap, polite_frontier, user_agent
from ircourse.crawl.crawler.names import Names
from ircourse.crawl.crawler.reading import Reader
from ircourse.crawl.crawler.real import drive
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.crawl.crawler.returns import Returns
from ircourse.crawl.crawler.revisit import Revisit
from ircourse.crawl.crawler.robots_files import MAX_FAILURES, RobotsFiles
from ircourse.crawl.crawler.schedule import Schedule, stand_down
from ircourse.crawl.crawler.scope import canonical_seeds, scoped
from ircourse.crawl.crawler.statistics import Statistics
from ircourse.crawl.crawler.virtual import drive_virtually
from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.net.connection import Resolve
from ircourse.crawl.net.fetch import Fetch
from ircourse.crawl.net.lookups import BackEnd, served_look_up, system_look_up
from ircourse.crawl.net.vetted import VettedFetcher
from ircourse.crawl.robots import MAX_BYTES
from ircourse.crawl.store.store import PageStore
from ircourse.types import Clock, Response, SystemClock, VirtualClock

__all__ = ["Crawler"]

DURABLE = 30.0  # seconds between two commits that wait for the disk


class Crawler:
    """A crawl from ``seeds``; `run` does it.

    fetch      ``fetch(url, headers)`` returns a `Response` or raises `FetchError`; or a `Web`; None: HTTP.
               In real time several threads may call it at once
    clock      None: real time; a `VirtualClock` needs ``fetch``
    store      a `PageStore`, or where to make one; a crawl found there goes on. None: `store` is a dict
    agent      the name in the requests and for robots.txt; ``contact`` a URL or address to go with it
    hosts      where the crawl may go, "*.town.example" for all below; None: the seeds' hosts; "*" everywhere
    delay      least seconds between two requests to a host; 0: none at private addresses, Crawl-delay alone
               with a ``fetch`` of your own; elsewhere at least 1 and ten times the last fetch
    threads    requests under way at once, each to another host
    in_scope   a further condition on URLs
    urls       the filter of URLs, in place of ``hosts`` and ``in_scope``
    retries    how often and when what may pass is tried again
    near_copies  share of equal shingles from which a page is a copy; None: copies are exact
    follow_copies  whether their links are followed, up to five times the same on a host
    soft_404   whether a page that may be an apology waits for what its host answers to a made-up URL
    resolve    a served web's, in place of the system's look-up; its addresses are vetted as any
    look_up    how hosts are looked up, such as `dnspython_look_up()`; None: by the system
    priority   ``priority(url, clicks)``, at least 0, the sooner the higher, with the clicks from a seed; the
               frontier's front queues keep it roughly. None: all the same, first found, first fetched
    revisit    when a page that was kept is visited again, such as `every(86400)`; None: never
    allow_private  whether private and loopback addresses may be connected to
    watch      ``watch(step, statistics)``, called at each `Step`
    beat       ``beat(statistics)``, called at least twice a second in real time

    A page's links are followed once; copies, pages that say noindex, and soft 404s are counted, and only
    copies of them stored. Raises ValueError for seeds that are no URLs.

    >>> from ircourse.web import Web
    >>> web = Web.from_pages({"http://a.example/": ["http://a.example/x"], "http://a.example/x": []})
    >>> crawler = Crawler(["http://a.example/"], fetch=web, clock=VirtualClock())
    >>> crawler.run().stored, list(crawler.store)
    (2, ['http://a.example/', 'http://a.example/x'])
    """

    def __init__(
        self,
        seeds: Iterable[str],
        *,
        fetch: Fetch | Any = None,
        clock: Clock | None = None,
        store: PageStore | str | PathLike[str] | None = None,
        agent: str = "ircourse",
        contact: str | None = None,
        hosts: Collection[str] | None = None,
        in_scope: Callable[[str], bool] | None = None,
        delay: float = 2.0,
        threads: int = 4,
        urls: UrlFilter | None = None,
        near_copies: float | None = None,
        follow_copies: bool = True,
        soft_404: bool = True,
        retries: RetryPolicy | None = None,
        timeout: float = 30.0,
        max_bytes: int = 10_000_000,
        resolve: Resolve | None = None,
        look_up: BackEnd | None = None,
        priority: Priority = None,
        revisit: Revisit | None = None,
        allow_private: bool = False,
        watch: Watch = None,
        beat: Callable[[Statistics], object] = lambda statistics: None,
    ) -> None:
        seeds = canonical_seeds(seeds)
        for name, number in {"threads": threads, "max_bytes": max_bytes, "timeout": timeout}.items():
            if not (1 if name != "timeout" else 1e-3) <= number < inf:
                raise ValueError(f"{name} is {number!r}: give a number of at least 1")
        if not 0 <= delay < inf:
            raise ValueError(f"delay is {delay!r}: give seconds, at least 0")
        self.clock = SystemClock() if clock is None else clock
        if fetch is None and isinstance(self.clock, VirtualClock):
            raise ValueError("a virtual clock cannot wait for real servers: give fetch, such as a Web")
        if urls is None:
            urls = scoped(hosts, seeds, in_scope)
        self.headers = {"User-Agent": user_agent(agent, contact), "Accept-Encoding": "gzip"}
        self.store: PageStore | dict[str, Response]
        self.store = {} if store is None else store if isinstance(store, PageStore) else PageStore(store)
        if isinstance(self.store, PageStore):
            self._connection = self.store.connection
        else:
            self._connection = sqlite3.connect(":memory:", check_same_thread=False)
            weakref.finalize(self, self._connection.close)
        self.ledger = Ledger(self._connection)
        seen = ContentSeen(near_copies, connection=self._connection)
        soft = SoftNotFound(connection=self._connection) if soft_404 else None
        reader = Reader(urls, seen, soft, follow_copies, agent)
        retries = retries or RetryPolicy()
        robots = RobotsFiles(lambda url: not urls.refuse(url), min(MAX_FAILURES, retries.max_tries))
        parts = polite_frontier(delay, threads), self.ledger, reader, robots
        how: dict[str, Any] = {"agent": agent, "priority": priority, "watch": watch}
        self.returns = self._returns(revisit) if revisit else None
        harvest = Continuous(self.returns, *parts, **how) if self.returns else Harvest(*parts, **how)
        self._durable, self._beat = self.clock.now(), beat
        self._look_up = look_up or (system_look_up if resolve is None else served_look_up(resolve))
        self._own = VettedFetcher(resolve, timeout, max_bytes) if fetch is None else None
        self._fetch = getattr(fetch, "respond", fetch)
        self._epoch = 0.0 if isinstance(self.clock, VirtualClock) else time() - self.clock.now()
        harvest.now = self.clock.now()
        self.core = Core(
            harvest,
            retries=retries,
            names=Names(allow_private=allow_private) if self._own else None,
            connections=threads,
            gap=least_gap if delay < LEAST_DELAY else None,
            hurry=not delay,
            epoch=self._epoch,
        )
        self.statistics: Statistics = self.core.statistics
        self._go_on(seeds)

    def run(self, max_pages: int | None = None, *, seconds: float | None = None) -> Statistics:
        """Crawl until no URL is left, ``max_pages`` are stored in all, or Ctrl-C; return the statistics.

        seconds  on the clock, after which no request begins; None: without end. With ``revisit`` only that
                 and Ctrl-C end a crawl: after ``max_pages`` it visits the pages that it has

        Called again, it goes on. After an error the store is as it was at the last commit, and a new crawler
        goes on from there.
        """
        if max_pages is not None and max_pages < 0:
            raise ValueError(f"max_pages is {max_pages!r}: give a number of at least 0, or None for all")
        if seconds is not None and not seconds >= 0:
            raise ValueError(f"seconds is {seconds!r}: give a number of at least 0, or None for no end")
        if self.returns and seconds is None and isinstance(self.clock, VirtualClock):
            raise ValueError("a crawl with revisit has no end: give seconds")
        core, start = self.core, self.clock.now()
        core.harvest.max_pages = inf if max_pages is None else max_pages
        core.stopping, core.end = False, inf if seconds is None else start + seconds
        self._durable = start
        core.harvest.call_in()
        try:
            if isinstance(self.clock, VirtualClock):
                drive_virtually(
                    core, self.clock, self._fetch, headers=self.headers, store=self._save, commit=self._commit
                )
            else:
                how: dict[str, Any] = {"store": self._save, "commit": self._commit, "look_up": self._look_up}
                drive(core, self.clock, self._ask, beat=lambda: self._beat(self.statistics), **how)
        except BaseException:  # half a turn must not be kept by whoever closes the store
            self._connection.rollback()
            if isinstance(self.store, PageStore):
                self.store.rollback()
            raise
        finally:
            self.statistics.seconds += self.clock.now() - start
        if isinstance(self.store, PageStore):
            self.store.commit(durable=True)
        return self.statistics

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C ended the last run."""
        return self.core.stopping

    def _returns(self, revisit: Revisit) -> Returns:
        """Return the pages that are visited again, at first those that an earlier run left."""
        store, schedule = self.store, Schedule(self._connection)
        bury = store.bury if isinstance(store, PageStore) else lambda url, date: None
        return Returns(schedule, revisit, holds=store.__contains__, bury=bury)

    def _go_on(self, seeds: Sequence[str]) -> None:
        """Take up what the store knows of an earlier run, then the seeds that are new."""
        harvest = self.core.harvest
        if self.returns:
            for url in self.returns.adopt(self.store, harvest.time):
                self.ledger.new([url])
            self.returns.forget(getattr(self.store, "lost", ()))
        else:
            stand_down(self._connection)
        if not len(self.store) and not any(self.ledger.waiting()):  # nothing came of it: begin anew
            self.ledger.clear()
        if len(self.ledger):
            self.statistics.stored = len(self.store)
            for url in self.ledger.known():
                harvest.reader.urls.spend(url)
            harvest.go_on()
        harvest.add(seeds)
        self._commit()

    def _ask(self, request: Request) -> Response:
        headers = {**self.headers, **dict(request.conditions)}
        if self._own:
            cut = 2 * MAX_BYTES + 2 if request.robots else None  # they count in UTF-8, and may come in UTF-16
            return self._own.fetch(request.url, headers, request.addresses, cut)
        return self._fetch(request.url, headers)

    def _save(self, url: str, response: Response) -> None:
        if isinstance(self.store, PageStore):
            self.store.add(url, response, date=self._epoch + self.clock.now())
        elif response.status != 304:
            self.store[url] = response

    def _commit(self) -> None:
        self.ledger.flush()
        if not self._connection.in_transaction:
            return
        if isinstance(self.store, PageStore):
            now = self.clock.now()
            durable = now - self._durable >= DURABLE
            self._durable = now if durable else self._durable
            self.store.commit(durable)
        else:
            self._connection.commit()
