"""How a crawl goes, while it goes: a bar on a terminal and in a notebook, else a line now and then.

A bar is one line, written over and over; other lines come the more seldom the longer the crawl takes.
"""

from __future__ import annotations

import re
import sys
from time import monotonic
from typing import Any, TextIO

from ircourse.commands.output import write_line
from ircourse.crawl.crawler.events import Step
from ircourse.crawl.crawler.real import GRACE
from ircourse.crawl.crawler.statistics import Statistics
from ircourse.engine.server.page import counted

__all__ = ["FAULTS", "Progress", "summary"]

FAULTS = ("dead", "failed", "again", "refused", "robots", "soft 404", "noindex", "missed", "gone")
_HARMLESS = re.compile(r"status (?!429)[234]")  # answers about robots.txt; the others close the site for now
EVERY, SELDOM = 5.0, 60.0  # seconds between two lines where there is no bar: the first, and in the end
REDRAWN = 0.5  # seconds between two looks of a bar's numbers
FEW = 5  # requests that are too few to tell from how long the rest takes


class Progress:
    """A `watch` for a `Crawler`; end it with `close`, or use it in a ``with``.

    max_pages  the whole of the bar; None: it only counts
    log        where lines go, standard error unless given; a bar is drawn where that is a terminal
    notebook   whether the bar is one for Jupyter, and faults are not told

    >>> import io
    >>> log = io.StringIO()
    >>> with Progress(log=log) as watch:
    ...     watch(Step(1.5, "http://a.example/x", "dead", "status 404"), Statistics())
    >>> log.getvalue()
    'dead: http://a.example/x (status 404)\\n'
    """

    def __init__(
        self, max_pages: int | None = None, *, log: TextIO | None = None, notebook: bool = False
    ) -> None:
        self._log = log or sys.stderr
        self._notebook = notebook
        self._bar: Any = _bar(max_pages, notebook, self._log)
        self._stopping = False
        self._max_pages, self._start, self._gap = max_pages, monotonic(), EVERY
        self._next = self._start + (REDRAWN if self._bar is not None else EVERY)

    def __call__(self, step: Step, statistics: Statistics) -> None:
        """Take in a step; see `Watch`."""
        is_fault = step.what in FAULTS or (step.what == "robots.txt" and not _HARMLESS.match(step.why))
        if is_fault and not self._notebook:
            self._say(f"{step.what}: {step.url}" + (f" ({step.why})" if step.why else ""))
        self.beat(statistics)

    def beat(self, statistics: Statistics, stopping: bool = False) -> None:
        """Show the numbers where it is time to; say once what a stop waits for."""
        if stopping and not self._stopping:
            self._say(
                f"stopping: waiting up to {GRACE:.0f} s for {statistics.under_way} requests under way; "
                "again to stop now"
            )
        self._stopping = stopping
        if self._bar is not None:
            self._bar.update(statistics.stored - self._bar.n)
        now = monotonic()
        if now < self._next:
            return
        if self._bar is not None:
            self._next = now + REDRAWN
            hosts = counted(statistics.hosts, "host")
            self._bar.set_postfix_str(
                f"{statistics.waiting} waiting, {hosts}{self._rest(statistics, now)}", False
            )
        else:
            self._gap = min(2 * self._gap, SELDOM)
            self._next = now + self._gap
            self._say(summary(statistics) + self._rest(statistics, now))

    def _rest(self, statistics: Statistics, now: float) -> str:
        """Return how long what waits takes, as fast as it went so far; "" while that cannot be told."""
        pages = statistics.waiting
        if self._max_pages is not None:
            pages = min(pages, self._max_pages - statistics.stored)
        if pages <= 0 or statistics.fetched < FEW:
            return ""
        return f", about {lasting(pages * (now - self._start) / statistics.fetched)} for what waits"

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, line: str) -> None:
        if self._bar is not None:
            self._bar.clear()
        write_line(self._log, line)


def lasting(seconds: float) -> str:
    """Return a time in its largest unit, roughly.

    >>> lasting(0.2), lasting(80), lasting(200), lasting(9000)
    ('1 second', '80 seconds', '3 minutes', '2.5 hours')
    """
    if seconds < 90:
        return counted(max(1, round(seconds)), "second")
    return counted(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:,.1f} hours"


def summary(statistics: Statistics) -> str:
    """Return the numbers of a crawl in a line.

    >>> summary(Statistics(stored=3, fetched=5, bytes=52_000, hosts=2, waiting=7))
    '3 pages stored, 5 requests, 0.1 MB, 2 hosts, 7 URLs waiting'
    """
    saved = f" ({statistics.saved / 1e6:,.1f} MB not sent again)" if statistics.saved else ""
    return (
        f"{counted(statistics.stored, 'page')} stored, {counted(statistics.fetched, 'request')}, "
        f"{statistics.bytes / 1e6:,.1f} MB{saved}, {counted(statistics.hosts, 'host')}, "
        f"{counted(statistics.waiting, 'URL')} waiting"
    )


def _bar(total: int | None, notebook: bool, log: TextIO) -> Any:
    """Return a bar of tqdm's, None where there is nobody to see it."""
    if notebook:
        from tqdm.auto import tqdm as notebook_bar

        return notebook_bar(total=total, unit="page")
    if not log.isatty():
        return None
    from tqdm import tqdm

    return tqdm(total=total, unit="page", file=log, dynamic_ncols=True)
