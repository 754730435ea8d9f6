"""Servers that move between crawling and answering queries with the hour of the day (slides-C).

S       servers
q(h)    queries a second in hour h: mean (1 + swing cos(2π (h − peak)/24))
a, c    queries that a server answers a second, pages that it crawls a second
In hour h ⌈q(h)/a⌉ servers answer and the others crawl. Servers that do not move answer all day in the number
that the busiest hour needs.

Differs from a real day: a cosine stands in for it, and a server moves in no time.
Source: slides-C, "servers can migrate from spidering to query processing depending on time-of-day load".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, cos, inf, pi

from ircourse.distribute.planner_constants import checked
from ircourse.distribute.planner_plan import DAY

__all__ = ["Hour", "ServerDay", "server_day"]


@dataclass(frozen=True)
class Hour:
    """One hour: its queries a second, servers that answer and that crawl, and the pages crawled in it."""

    hour: int
    queries: float
    answering: int
    crawling: int
    pages: float


@dataclass(frozen=True)
class ServerDay:
    """A day of servers that move; ``fixed_pages`` is what a day brings where none moves."""

    hours: tuple[Hour, ...]
    fixed_pages: float

    @property
    def pages(self) -> float:
        """Pages crawled in the day."""
        return sum(hour.pages for hour in self.hours)

    @property
    def gain(self) -> float:
        """Pages with moving over pages without; infinite where the busiest hour leaves no server over."""
        if self.fixed_pages:
            return self.pages / self.fixed_pages
        return inf if self.pages else 1.0


def server_day(
    servers: int,
    queries_a_day: float,
    *,
    answers: float,
    crawls: float,
    peak: float = 20.0,
    swing: float = 0.8,
) -> ServerDay:
    """Return the 24 hours of ``servers`` servers.

    answers, crawls  queries that one answers a second, pages that it crawls a second
    peak             the busiest hour, 0 to 24
    swing            how far the busiest hour is above the mean: 0 for a flat day, at most 1

    Raises ValueError where the busiest hour needs more servers than there are, and for wrong numbers.

    >>> day = server_day(300, 100e6, answers=10, crawls=4)
    >>> day.hours[20].answering, day.hours[8].answering, round(day.gain, 2)
    (209, 24, 2.02)
    """
    example = "server_day(300, 1e8, answers=10, crawls=4)"
    checked("queries_a_day", queries_a_day, 1, 1e15, example)
    checked("answers", answers, 0.001, 1e9, example)
    checked("crawls", crawls, 0.001, 1e9, example)
    checked("peak", peak, 0, 24, "peak=20")
    checked("swing", swing, 0, 1, "swing=0.8")
    if checked("servers", servers, 1, 10**9, example) != int(servers):
        raise ValueError(f"servers is {servers!r:.60}: a whole number expected, as in {example}")
    mean = queries_a_day / DAY
    rates = [mean * (1 + swing * cos(2 * pi * (hour - peak) / 24)) for hour in range(24)]
    need = [ceil(rate / answers) for rate in rates]
    if max(need) > servers:
        raise ValueError(
            f"the busiest hour needs {max(need)} servers and there are {servers}: more servers, more answers "
            "a second or fewer queries expected"
        )
    hours = (
        Hour(hour, rate, n, servers - n, (servers - n) * crawls * 3600)
        for hour, (rate, n) in enumerate(zip(rates, need, strict=True))
    )
    return ServerDay(tuple(hours), (servers - max(need)) * crawls * DAY)
