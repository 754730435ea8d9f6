"""How a crawl goes, while it goes: a bar on a terminal and in a notebook, else a line now and then."""

from __future__ import annotations

import re
import sys
from time import monotonic
from typing import Any, TextIO

from ircourse.commands.output import write_line
from ircourse.crawl.crawler.events import Step
from ircourse.crawl.crawler.real import GRACE
from ircourse.crawl.crawler.statistics import Statistics

__all__ = ["FAULTS", "Progress", "summary"]

FAULTS = ("dead", "failed", "again", "refused", "robots", "soft 404", "noindex", "missed", "gone")
_HARMLESS = re.compile(r"status (?!429)[234]")  # answers about robots.txt; the others close the site for now
EVERY = 5.0  # seconds between two lines where there is no bar
REDRAWN = 0.5  # seconds between two looks of a bar's numbers


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
        self._next = monotonic() + (REDRAWN if self._bar is not None else EVERY)

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
            self._bar.set_postfix_str(f"{statistics.waiting} waiting, {statistics.hosts} hosts", False)
        else:
            self._next = now + EVERY
            self._say(summary(statistics))

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


def summary(statistics: Statistics) -> str:
    """Return the numbers of a crawl in a line.

    >>> summary(Statistics(stored=3, fetched=5, bytes=52_000, hosts=2, waiting=7))
    '3 pages stored, 5 requests, 0.1 MB, 2 hosts, 7 URLs waiting'
    """
    saved = f" ({statistics.saved / 1e6:,.1f} MB not sent again)" if statistics.saved else ""
    return (
        f"{statistics.stored:,} pages stored, {statistics.fetched:,} requests, "
        f"{statistics.bytes / 1e6:,.1f} MB{saved}, {statistics.hosts:,} hosts, "
        f"{statistics.waiting:,} URLs waiting"
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
