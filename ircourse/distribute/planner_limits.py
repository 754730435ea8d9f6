"""What breaks first as a crawl grows, and what was done about it (section 20.2).

Each limit is what one machine, one line or one polite connection gives; a plan breaks it where it needs more.
What is needed grows with the pages in proportion, so one size tells at which size each limit breaks.
More machines help against some limits only: the largest host allows one connection, and a look-up that waits
for the one before it is as slow on a larger machine.

Sources: those that each `Limit` names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ircourse.distribute.planner_constants import Constants
from ircourse.distribute.planner_parts import plan
from ircourse.distribute.planner_plan import Plan

__all__ = ["SIZES", "Limit", "Size", "limits", "sizes"]

SIZES = tuple(10**e for e in range(6, 12))


@dataclass(frozen=True)
class Limit:
    """One limit, and how near a plan comes to it.

    needed, available, unit  of what there is too little
    breaks_at  pages from which on it is too little
    machines   whether more machines or lines of the same kind mend it
    done       what real crawlers did about it, and who says so
    """

    name: str
    needed: float
    available: float
    unit: str
    breaks_at: float
    machines: bool
    done: str

    @property
    def load(self) -> float:
        """Needed over available: above 1 it breaks."""
        return self.needed / self.available


@dataclass(frozen=True)
class Size:
    """A plan with all its limits, the first to break first; ``broken`` are those that it breaks."""

    plan: Plan
    limits: tuple[Limit, ...]

    @property
    def broken(self) -> tuple[Limit, ...]:
        """Limits that the plan breaks, the first to break first."""
        return tuple(limit for limit in self.limits if limit.load > 1)

    @property
    def next(self) -> Limit | None:
        """The limit that would break next, None where all are broken."""
        return next((limit for limit in self.limits if limit.load <= 1), None)


DONE = {
    "URLs in memory": "Mercator (Heydon and Najork 1999) kept checksums of fixed size in a file on disk, "
    "with a cache in memory; the Internet Archive's crawler a Bloom filter (the slides); IRLbot (Lee "
    "and others 2008) checked URLs against disk in large batches.",
    "names one by one": "Mercator has a resolver of its own that does many look-ups at once, since the "
    "standard one does them in turn (book 20.2.2); each of Google's crawlers kept a cache of names (1998).",
    "memory": "Google (1998) held its lexicon in a machine's 256 MB, and pages, index and links on disk; a "
    "connectivity server codes a link in as few as 3 bits (book 20.4).",
    "disk": "Google (1998) compressed its pages to 53.5 of 147.8 GB; BigTable spreads a table of pages over "
    "hundreds to thousands of cheap machines (the Japanese notes).",
    "line": "Spiders ran at places with very high connectivity, such as a T3 line (the spider lecture); "
    "nodes of a distributed crawl can stand near the sites that they crawl (book 20.2.1); IRLbot (2008) "
    "kept up 319 Mbit/s.",
    "largest host": "More machines do not help: one connection to a host, and a gap. IRLbot (2008) gives a "
    "domain a budget of pages that grows with the other domains that link to it, and puts off the rest.",
    "time": "A full crawl took days on hundreds of servers (the spider lecture); Google (1998) ran some "
    "three crawlers at 48.5 pages a second and indexed 54; a host splitter cuts Mercator into nodes (book "
    "20.2.1).",
}


def limits(crawl: Plan) -> tuple[Limit, ...]:
    """Return the limits of a plan, the first to break first.

    >>> [limit.name for limit in limits(plan(10**9)) if not limit.machines]
    ['names one by one', 'largest host']
    """
    # All that is to be in memory but the text of URLs, which a Bloom filter replaces.
    k, exact = crawl.constants, crawl.part("URL-seen, exact").memory
    other = sum(part.memory for part in crawl.parts if part.name != "URL-seen, exact")
    in_turn = [
        ("URLs in memory", exact, k.memory_bytes, "bytes", True),
        ("memory", other, k.memory_bytes, "bytes", True),
        ("disk", crawl.disk, k.disk_bytes, "bytes", True),
        ("line", crawl.bits, k.line_bits, "bits a second", True),
        ("time", crawl.busy_seconds, crawl.seconds, "seconds", True),
        ("names one by one", crawl.hosts * k.lookup_seconds, crawl.seconds, "seconds", False),
        ("largest host", crawl.pages * k.largest_host * k.gap_seconds, crawl.seconds, "seconds", False),
    ]
    found = [
        Limit(name, needed, there, unit, crawl.pages * there / needed, machines, DONE[name])
        for name, needed, there, unit, machines in in_turn
    ]
    return tuple(sorted(found, key=lambda limit: limit.breaks_at))


def sizes(
    pages: Iterable[float] = SIZES, weeks: float = 4.0, constants: Constants | None = None
) -> tuple[Size, ...]:
    """Return a plan of each size with its limits.

    >>> [len(size.broken) for size in sizes()]
    [0, 0, 1, 6, 7, 7]
    >>> sizes()[2].broken[0].name, sizes()[2].next.name
    ('URLs in memory', 'names one by one')
    """
    plans = (plan(each, weeks, constants) for each in pages)
    return tuple(Size(each, limits(each)) for each in plans)
