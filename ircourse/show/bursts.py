"""Explorers of politeness (section 20.2.3): bursts of a plain queue beside the frontier; busy threads.

T, B, g  threads, back queues, gap in times of the last fetch, as in `ircourse.crawl.frontier.visits`

A crawl is shown second by second: a row for each host, a column for each second, and in each cell one bar
for each connection to the host in that second.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np

from ircourse.crawl.frontier.frontier import Frontier
from ircourse.crawl.frontier.visits import PlainQueue, Visit, busiest, too_early, utilisation, visits
from ircourse.graphs.bow_tie import PARTS
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Comparison, Sliders
from ircourse.show.style import MUTED, look
from ircourse.show.svg import Drawing, Markup, box, joined, label, plural
from ircourse.web import RandomWeb, random_web

PAGES, HOST_SIZE, SEED = 400, 30, 4
SECONDS, SHOWN, HOSTS = 90, 24, 8
SIDE, CELL, ROW = 64.0, 11.0, 30.0
MULTIPLES = (1, 2, 3, 4, 6, 8, 11, 14, 16)

__all__ = ["Second", "compare_queues", "crawled", "share_busy"]


class Second(NamedTuple):
    """A crawl at a time: the visits that have begun by then.

    hosts        those shown, the same at each time
    connections  by host and second, of the whole crawl
    over         whether the crawl has ended by itself
    """

    time: int
    gap: float
    hosts: tuple[str, ...]
    visits: tuple[Visit, ...]
    connections: Counter[tuple[str, int]]
    over: bool


@lru_cache(maxsize=8)
def _web(local: float) -> RandomWeb:
    return random_web(PAGES, SEED, local=local, host_size=HOST_SIZE)


@lru_cache(maxsize=64)
def crawled(polite: bool, local: float, threads: int, gap: float) -> tuple[Visit, ...]:
    """Return the visits of a crawl in which a fetch takes a second.

    >>> len(too_early(crawled(True, 0.8, 4, 10.0))), len(too_early(crawled(False, 0.8, 4, 10.0))) > 100
    (0, True)
    """
    web = _web(local)
    queue = Frontier(back_queues=64, gap_factor=gap, min_gap=0.0) if polite else PlainQueue()
    queue.add(web.url(int(np.flatnonzero(web.regions == PARTS.index("in"))[0])))
    links = {web.url(i): [web.url(j) for j in web.graph.links(i)] for i in range(PAGES)}
    return tuple(visits(queue, threads, lambda url: 1.0, links.__getitem__))


def _seconds(trial: Sequence[Visit], gap: float, hosts: tuple[str, ...]) -> list[Second]:
    open_ = Counter((v.host, s) for v in trial for s in range(int(v.start), ceil(v.end)))
    end = max(visit.end for visit in trial)
    starts = [visit.start for visit in trial]
    return [
        Second(t, gap, hosts, tuple(trial[: bisect_left(starts, t)]), open_, end <= t)
        for t in range(SECONDS + 1)
    ]


def _side(now: Second) -> Drawing:
    """Return the last seconds of a crawl, host by host."""
    first = max(0, now.time - SHOWN)
    parts: list[Markup] = []
    for row, host in enumerate(now.hosts):
        top = 20 + row * ROW
        parts.append(label(host.partition(".")[0], 0, top + 19))
        parts.append(box(SIDE, top, SHOWN * CELL, ROW - 4))
        for second in range(first, now.time):
            many = now.connections[host, second]
            style = look("refused" if many > 1 else "fetching")
            for bar in range(min(many, 4)):
                x, y = SIDE + (second - first) * CELL + 1, top + ROW - 10.5 - bar * 6
                parts.append(box(x, y, CELL - 2, 5, fill=style.stroke, stroke=style.stroke, stroke_width=0.5))
    bottom = 20 + len(now.hosts) * ROW
    parts.append(label("host", 0, 13, fill=MUTED))
    parts.append(label(f"t = {first} s", SIDE, bottom + 14))
    parts.append(label(f"{first + SHOWN} s", SIDE + SHOWN * CELL, bottom + 14, anchor="end"))
    lines = [f"{name}: {value}" for name, value in _numbers(now)]
    parts += [label(line, 0, bottom + 42 + 20 * i) for i, line in enumerate(lines)]
    return Drawing(SIDE + SHOWN * CELL + 2, bottom + 46 + 20 * len(lines), joined(parts))


def _numbers(now: Second) -> list[tuple[str, int]]:
    at_once = [many for (_, second), many in now.connections.items() if second < now.time]
    return [
        ("pages asked for", len(now.visits)),
        ("most connections to a host at once", max(at_once, default=0)),
        ("most requests to a host within 10 s", busiest(now.visits, 10.0)),
        (f"requests sooner than the gap of {now.gap:g} s", len(too_early(now.visits, now.gap))),
    ]


def _told(now: Second) -> str:
    pages, at_once, within, early = (value for _, value in _numbers(now))
    over = " The crawl is over." if now.over else ""
    return (
        f"after {now.time} s {plural(pages, 'page')} asked for, at most {plural(at_once, 'connection')} to a "
        f"host at once and {plural(within, 'request')} within 10 s, {early} too soon.{over}"
    )


def _table(now: Second) -> list[Row]:
    return [["what", "so far"], *map(list, _numbers(now))]


def compare_queues() -> Explorer:
    """Return a comparison: the same web crawled from a plain queue and through the frontier."""

    def states(local: float, threads: int, gap: int) -> tuple[Sequence[Second], Sequence[Second]]:
        trials = [crawled(polite, local, threads, float(gap)) for polite in (False, True)]
        hosts = [visit.host for trial in trials for visit in trial]
        rows = sorted(sorted(set(hosts)), key=hosts.count, reverse=True)[:HOSTS]
        plain, polite = (_seconds(trial, float(gap), tuple(rows)) for trial in trials)
        return plain, polite

    return Comparison(
        ("Plain queue", "Frontier"),
        states,
        _side,
        _told,
        _table,
        title="Bursts",
        controls={
            "local": Choice(
                "Links that stay on their host", [("20%", 0.2), ("80%", 0.8), ("95%", 0.95)], 0.8
            ),
            "threads": Number("Threads", 1, 4, 4),
            "gap": Number("Gap, in fetch times", 0, 20, 10),
        },
        notice="The eight hosts asked most; stacked bars are connections to one host in the same second. "
        "With more local links the bars of the plain queue grow and the frontier gets fewer pages. Too soon "
        "the plain queue is in any case.",
        start=24,
    )


class Busy(NamedTuple):
    """T threads, B back queues and a gap of g fetch times; the share of time busy by B, as measured."""

    threads: int
    back: int
    gap: int
    measured: dict[int, float]

    def formula(self, back: float) -> float:
        """Return min(1, B / ((1 + g) T))."""
        return min(1.0, back / ((1 + self.gap) * self.threads))


def share_busy() -> Explorer:
    """Return sliders: the share of their time that threads are busy, by the number of back queues."""

    def measured(threads: int, times: int, gap: int) -> Busy:
        every = sorted({*MULTIPLES, times})
        shares = {k * threads: utilisation(threads, k * threads, gap, rounds=3) for k in every}
        return Busy(threads, times * threads, gap, shares)

    def draw(state: Busy) -> Drawing:
        enough = (1 + state.gap) * state.threads
        most = max(*state.measured, enough)
        corner = sorted({1, min(enough, most), most})
        lines = {
            "formula": [(b, state.formula(b)) for b in corner],
            "measured": list(state.measured.items()),
            "": [(state.back, 0.0), (state.back, 1.0)],
        }
        asked = f"back queues B (upright: {state.back})"
        return curves(lines, asked, "share of time that a thread is busy", y_range=(0, 1), width=660)

    return Sliders(
        measured,
        draw,
        _told_of_busy,
        _table_of_busy,
        title="Busy threads",
        controls={
            "threads": Number("Threads T", 1, 6, 4),
            "times": Number("Back queues for each thread", 1, 16, 3),
            "gap": Number("Gap g, in fetch times", 0, 15, 10),
        },
        notice="The line rises until there are 1 + g back queues for each thread, and is flat from there. "
        "Three for each, the rule of the book, is enough up to a gap of two fetch times.",
    )


def _told_of_busy(state: Busy) -> str:
    share = state.measured[state.back]
    return (
        f"{plural(state.threads, 'thread')} and {plural(state.back, 'back queue')}, a gap of "
        f"{plural(state.gap, 'fetch time')}: a thread is busy {share:.1%} of its time as measured, "
        f"{state.formula(state.back):.1%} by the formula. All are busy from B = (1 + {state.gap}) · "
        f"{state.threads} = {(1 + state.gap) * state.threads} on."
    )


def _table_of_busy(state: Busy) -> list[Row]:
    rows = [[b, f"{share:.4f}", f"{state.formula(b):.4f}"] for b, share in state.measured.items()]
    return [["back queues B", "measured", "formula"], *rows]
