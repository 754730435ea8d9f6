"""The command ``crawl``: a real site, politely, into a page store."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import suppress
from errno import ENOSPC
from pathlib import Path
from typing import Any, TextIO

from ircourse.commands.output import write_line
from ircourse.commands.progress import Progress, summary
from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.crawler.events import Step
from ircourse.crawl.crawler.gain import by_gain
from ircourse.crawl.crawler.ledger import Ledger
from ircourse.crawl.crawler.manners import user_agent
from ircourse.crawl.crawler.revisit import Revisit, adaptive, every
from ircourse.crawl.crawler.robots_files import origin_of
from ircourse.crawl.crawler.statistics import Statistics
from ircourse.crawl.frontier.items import host_of
from ircourse.crawl.store.store import PageStore
from ircourse.crawl.urls import canonical_url

__all__ = ["crawl", "default_store"]

EMPTY = ("index.sqlite", "lock.sqlite")  # what a store without a page consists of


class _StartRefused(Exception):
    """Nothing listens where a crawl is to start."""


def crawl(
    url: str,
    *,
    max_pages: int | None = None,
    store: str | None = None,
    resume: bool | None = False,
    revisit: float | str | None = None,
    visits_a_day: float | None = None,
    seconds: float | None = None,
    hosts: Sequence[str] = (),
    out: TextIO | None = None,
    log: TextIO | None = None,
    **options: Any,
) -> int:
    """Crawl the site of ``url`` into a page store; return the exit code.

    max_pages  pages that the store is to hold in the end; None: all
    store      the folder; None: named after the host
    resume     go on with the crawl that it holds; None: where it holds one
    revisit    seconds after which each page is visited again; "adaptive": the more often the more often it
               changes; "best": ``visits_a_day`` (1000) where they gain most. The crawl then goes on until
               Ctrl-C; None: each page is fetched once
    seconds    after which the crawl ends in order; None: without end
    hosts      where the crawl may go beside the URL's own host
    options    `Crawler`'s: delay, threads, allow_private, contact, resolve

    The exit code is 0; 1 where no page could be had; 2 for what is no URL, for a store that holds a crawl
    without ``resume`` or none with it, is no store or cannot be written to, as where the disk is full; 130
    after Ctrl-C. A host that refuses the first connection ends the crawl. To ``log`` go progress and a line
    for each fault. Copies are told where they are exact.
    """
    out, log = out or sys.stdout, log or sys.stderr
    if visits_a_day is not None and revisit != "best":
        write_line(log, "ircourse: --visits-a-day goes with --revisit best alone")
        return 2
    has_scheme = re.match(r"[a-z][a-z0-9+.-]*:(?!\d)", url, re.IGNORECASE)
    address = canonical_url(url if has_scheme else f"http://{url}")
    if address is None:
        write_line(log, f"ircourse: {url!r:.200} is no address: give one such as http://town.example/")
        return 2
    folder = store or default_store(address)
    is_new = not os.path.lexists(folder)
    same = "the same command" if resume is None else "the same command with --resume"
    if resume and not _holds_a_crawl(Path(folder)):
        more = "check --out, or leave out --resume for a new crawl"
        write_line(log, f"ircourse: {folder} holds no crawl to go on with: {more}")
        return 2
    try:
        about = {
            "http-header-user-agent": user_agent("ircourse", options.get("contact")),
            "robots": "classic",
        }
        with PageStore(folder, about=about) as pages:
            if resume is False and len(pages) and len(Ledger(pages.connection)):
                raise ValueError(
                    f"{folder} holds a crawl: --resume goes on with it, --out takes another folder"
                )
            options["hosts"] = [host_of(address), *hosts]
            if revisit is not None:
                options["revisit"] = _policy(revisit, visits_a_day)
            code = _run(address, pages, (max_pages, seconds), options, out, log)
            if code == 130:
                write_line(log, f"ircourse: stopped; {same} goes on")
            return code
    except _StartRefused:
        host = address.split("/")[2]
        remedy = "check the address, or start the server that is to be crawled"
        write_line(log, f"ircourse: {host} refuses connections: {remedy}")
        if is_new:
            _remove_empty(Path(folder))
        return 1
    except (ValueError, OSError, sqlite3.Error) as error:
        if getattr(error, "errno", None) == ENOSPC or "disk is full" in str(error):
            more = f"the disk is full; make room, and {same} goes on in {folder}"
            write_line(log, f"ircourse: {more}")
        else:
            write_line(log, f"ircourse: {error}")
        if is_new:
            _remove_empty(Path(folder))
        return 2


def _policy(revisit: float | str, visits_a_day: float | None) -> Revisit:
    if isinstance(revisit, str):
        return by_gain(visits_a_day or 1000) if revisit == "best" else adaptive()
    return every(revisit)


def default_store(url: str) -> str:
    """Return the folder for a crawl from ``url`` that names none.

    >>> default_store("http://town.example:8000/")
    'crawl-town.example-8000'
    """
    return "crawl-" + re.sub(r"[^\w.-]+", "-", url.split("/")[2]).strip("-")


def _holds_a_crawl(folder: Path) -> bool:
    """Return whether a folder is a store, though perhaps one without a page yet."""
    if not folder.is_dir():
        return os.path.lexists(folder)  # what is no store gets the store's own sentence
    return any(file.name == "index.sqlite" or ".warc" in file.name for file in folder.iterdir())


def _remove_empty(folder: Path) -> None:
    """Remove a store that was made for nothing."""
    files = list(folder.iterdir()) if folder.is_dir() else []
    with suppress(OSError):
        if all(file.name in EMPTY for file in files):
            for file in files:
                file.unlink()
            folder.rmdir()


def _run(
    url: str,
    pages: PageStore,
    bounds: tuple[int | None, float | None],
    options: dict[str, Any],
    out: TextIO,
    log: TextIO,
) -> int:
    """Crawl, and say what came of it."""
    why, robots = "", f"{origin_of(url)}/robots.txt"
    max_pages, seconds = bounds
    with Progress(max_pages, log=log) as progress:

        def watch(step: Step, statistics: Statistics) -> None:
            nonlocal why
            begun = statistics.fetched > 1 or statistics.stored  # then it may pass, and is tried again
            if step.url == robots and step.why.startswith("refused:") and not begun:
                raise _StartRefused
            if step.url == url:
                why = step.why or step.what
            progress(step, statistics)

        crawler = Crawler(
            [url],
            store=pages,
            watch=watch,
            beat=lambda statistics: progress.beat(statistics, crawler.stopped),
            **options,
        )
        done = crawler.run(max_pages, seconds=seconds)
    write_line(out, f"{summary(done)}: {pages.path}")
    if crawler.stopped:
        return 130
    if not done.stored:
        write_line(log, f"ircourse: no page of {url} could be had: {why or 'see above'}")
    return 0 if done.stored else 1
