"""Planning a crawl: what fetching, the frontier, the store, the index and the graph take (section 20.2).

Each part takes so many bytes and seconds for each page, URL, link or host, so what a plan takes grows in
proportion to its pages. `Constants` says how many, and whose figures they are.

Differs from the book: it counts pages a second and the memory of the web graph; the rest is the same
arithmetic on figures of others.
Sources: book, sections 19.6 and 20.2 to 20.4; slides-P; slides-C.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log

from ircourse.distribute.planner_constants import Constants, checked
from ircourse.distribute.planner_plan import DAY, Part, Plan

__all__ = ["cycles", "line_pages_a_day", "plan"]


def plan(pages: float, weeks: float = 4.0, constants: Constants | None = None, *, bloom: bool = True) -> Plan:
    """Return what a crawl of ``pages`` pages in ``weeks`` weeks, and its index, takes.

    bloom  whether a Bloom filter says which URLs were seen; otherwise their text in memory does

    Raises TypeError and ValueError for what are no numbers from 1 to 10^15 pages, from 0.001 to 1,000 weeks.

    >>> crawl = plan(10**9, weeks=30 / 7)
    >>> round(crawl.pages_per_second), crawl.lines, crawl.part("URL-seen, exact").memory
    (386, 2, 1000000000000.0)
    >>> plan(0)
    Traceback (most recent call last):
    ValueError: pages is 0: a number from 1 to 1e+15 expected, as in plan(10**9, weeks=4)
    """
    example = "plan(10**9, weeks=4)"
    pages = checked("pages", pages, 1, 10**15, example)
    weeks = checked("weeks", weeks, 0.001, 1_000, example)
    bare = Plan(pages, weeks, _constants(constants), ())
    return Plan(pages, weeks, bare.constants, (*_crawling(bare), *_seen(bare, bloom), *_indexing(bare)))


def cycles(
    pages: float, weeks: Iterable[float] = (1, 2, 3, 4), constants: Constants | None = None
) -> tuple[Plan, ...]:
    """Return the plans of one crawl done again every so many weeks.

    The best engines took 1 to 2 weeks to drop dead links, 2 to 4 to crawl the whole web again (slides-C).

    >>> [round(each.pages_per_second) for each in cycles(10**9)]
    [1653, 827, 551, 413]
    """
    return tuple(plan(pages, each, constants) for each in weeks)


def line_pages_a_day(constants: Constants | None = None) -> float:
    """Return the pages that one line brings in a day: a T3 line, where nothing else is given.

    >>> round(line_pages_a_day() / 1e6, 1)  # million
    21.7
    >>> round(line_pages_a_day(Constants(page_bytes=147.8e9 / 24e6)) / 1e6, 1)  # pages of 1998
    78.4
    """
    k = _constants(constants)
    return k.line_bits * DAY / (8 * k.page_bytes)


def _constants(given: Constants | None) -> Constants:
    """Return the constants given, or the usual ones."""
    if not isinstance(given, Constants | None):
        raise TypeError(f"constants are {given!r:.60}: Constants(...) expected")
    return given or Constants()


def _crawling(p: Plan) -> Iterable[Part]:
    """Yield what fetching, looking up names, keeping what waits and storing take."""
    k = p.constants
    threads, html = p.pages_per_second * k.fetch_seconds, p.pages * k.page_bytes
    yield Part(
        "fetching",
        p.pages,
        "pages",
        memory=threads * k.page_bytes,
        bits=8 * html / p.seconds,
        seconds=html / k.parse_bytes,
    )
    # A cache of names: name and address take about what a URL does.
    yield Part("names", p.hosts, "look-ups", memory=p.hosts * k.url_bytes)
    # Three back queues a thread (book), each with its next URL in memory; the rest of the frontier on disk.
    waiting = max(0.0, p.urls - p.pages)
    in_memory = 3 * threads * k.url_bytes
    yield Part("frontier", waiting, "URLs waiting", memory=in_memory, disk=waiting * k.url_bytes)
    yield Part("page store", p.pages, "pages", disk=html * k.store_share, seconds=html / k.store_bytes)


def _seen(p: Plan, bloom: bool) -> Iterable[Part]:
    """Yield both ways to know which URLs were seen."""
    k = p.constants
    bits = log(1 / k.bloom_error) / log(2) ** 2
    yield Part("URL-seen, exact", p.urls, "URLs", memory=p.urls * k.url_bytes, used=not bloom)
    # A table on disk answers for the URLs that the filter may be wrong about.
    on_disk = p.urls * k.fingerprint_bytes
    yield Part("URL-seen, Bloom", p.urls, "URLs", memory=p.urls * bits / 8, disk=on_disk, used=bloom)


def _indexing(p: Plan) -> Iterable[Part]:
    """Yield what is made of the pages."""
    k = p.constants
    text = p.pages * k.text_bytes
    indexed = p.pages * k.page_bytes * k.index_share
    yield Part("index", p.pages, "documents", disk=indexed, seconds=text / k.index_bytes)
    # Sketches lie on disk; union-find holds a number for each page.
    yield Part(
        "sketches",
        text / k.word_bytes,
        "shingles",
        memory=8 * p.pages,
        disk=8 * k.sketch_values * p.pages,
        seconds=text / k.sketch_bytes,
    )
    yield Part("graph", p.links, "links", memory=2 * p.links * k.link_bits / 8)  # in-links and out-links
    # The scores before and after a sweep; links are read from the coded graph.
    read = k.sweeps * p.links
    yield Part("PageRank", read, "links read", memory=16 * p.pages, seconds=read / k.rank_links)
