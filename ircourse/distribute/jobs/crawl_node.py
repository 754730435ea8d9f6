"""One node of a crawl, as it lives on a worker: its own hosts, its own folder, turn after turn.

turn    the node takes in its letters and crawls until it has nothing left to ask for, or the turn's time or
        pages are used up; then it hands over what it has for others
folder  a `PageStore` with all that the node knows; whoever has its lock is the node

Between turns the crawler stays where it is, with its connections, robots.txt files and addresses. If its
worker ends, another opens the folder: a crawl that was killed goes on as any does, and keeps the rest that a
host has a right to. It waits for the lock first, so that never two of them ask.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, NamedTuple

from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.crawler.ledger import Ledger
from ircourse.crawl.crawler.manners import user_agent
from ircourse.crawl.crawler.statistics import Statistics
from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.store.store import PageStore
from ircourse.distribute.jobs.crawl_post import Letters, Owners, OwnUrls, Post, ToldContents

__all__ = ["Node", "Turn", "close", "copies", "open_node", "stop_file", "store_of", "take_turn"]

PATIENCE = 60.0  # seconds for the lock of a folder whose worker was called lost, and may be only slow
LOOK = 0.2  # seconds between two tries to have it


class Turn(NamedTuple):
    """What a turn has come to.

    pages    in the node's folder; waiting: URLs that are left to ask for, as far as the node knows
    more     whether the turn ended before the node had nothing left
    fetched  requests answered or failed in this turn, bytes those of their bodies; hosts: asked so far
    letters  for others; last: what to ask for next time
    """

    pages: int
    waiting: int
    more: bool
    fetched: int
    bytes: int
    hosts: int
    letters: Letters
    last: tuple[int, int]


class Node:
    """The crawler of one node; see the module.

    again    whether the node was open in this crawl before: then it knows its URLs even where none of them
             gave a page, for which a `Crawler` begins anew
    number   of the node, of ``n``
    folder   of the whole crawl
    urls     the filter of the whole crawl
    options  `Crawler`'s

    Raises ValueError where the folder is no store, or another process has it for longer than PATIENCE.
    """

    def __init__(
        self, again: bool, number: int, n: int, folder: Path, urls: UrlFilter, options: dict[str, Any]
    ) -> None:
        self._stop = stop_file(folder)
        agent = user_agent(options.get("agent", "ircourse"), options.get("contact"))
        about = {"http-header-user-agent": agent, "robots": "classic"}
        self.store = PageStore(store_of(folder, number), about=about)
        try:
            _lock(self.store)
            self.post = Post(self.store.connection)
            known = list(Ledger(self.store.connection).known()) if again and not len(self.store) else []
            own = OwnUrls(urls, Owners(n), number, self.post)
            self.crawler = Crawler([], store=self.store, urls=own, beat=self._beat, **options)
            self.crawler.ledger.new(known)
        except BaseException:
            self.store.rollback()
            self.store.close()
            raise
        contents = ToldContents(options.get("near_copies"), self.store.connection, self.post)
        self.crawler.core.harvest.reader.seen = contents

    def turn(self, letters: Letters, last: tuple[int, int], target: int | None, seconds: float) -> Turn:
        """Take a turn of about ``seconds``, after which at most ``target`` pages are in the folder."""
        crawler, harvest, clock = self.crawler, self.crawler.core.harvest, self.crawler.clock
        harvest.now = start = clock.now()
        self.post.hear(letters.prints)
        for url, clicks in letters.links:
            harvest.add([url], clicks)
        fetched, read = crawler.statistics.fetched, crawler.statistics.bytes
        done = crawler.run(target, seconds=seconds)  # and commits, the letters too
        is_cut = crawler.stopped or clock.now() >= start + seconds or harvest.full
        more = is_cut and next(crawler.ledger.waiting(), None) is not None
        sent, last = self.post.sent(last)
        costs = done.fetched - fetched, done.bytes - read, done.hosts
        return Turn(done.stored, done.waiting, more, *costs, sent, last)

    def _beat(self, statistics: Statistics) -> None:
        """End the turn in order where whoever has asked for it is gone."""
        if self._stop.exists():
            self.crawler.core.stopping = True


def store_of(folder: Path, node: int) -> Path:
    """Return the folder of a node's pages."""
    return folder / f"node-{node}"


def stop_file(folder: Path) -> Path:
    """Return the file whose being there ends all turns."""
    return folder / "stop"


def open_node(again: bool, number: int, n: int, folder: Path, *how: Any) -> Node:
    """Return a node, to be held by the worker that opens it; see `Node`."""
    return Node(again, number, n, folder, *how)


def take_turn(node: Node, *how: Any) -> Turn:
    """Let a node take a turn; see `Node.turn`."""
    return node.turn(*how)


def copies(node: Node) -> Sequence[tuple[str, ...]]:
    """Return the groups of URLs with one text whose fingerprint belongs to a node."""
    return list(node.post.copies())


def close(node: Node) -> None:
    """Let others have the folder."""
    node.store.close()


def _lock(store: PageStore) -> None:
    """Become the one writer to a store, as soon as whoever was it has ended."""
    pause, end, waited = Event(), monotonic() + PATIENCE, False
    while True:
        try:
            store.connection  # noqa: B018
            return
        except ValueError:
            if monotonic() >= end:
                raise
            if not waited:
                _make_room()
                waited = True
            pause.wait(LOOK)


def _make_room() -> None:
    """Let this worker run other tasks meanwhile: the `close` that is waited for may be one of them."""
    with suppress(ImportError, ValueError):  # no worker runs this
        importlib.import_module("distributed").secede()
