"""The speeds of this machine, measured by short runs of our own functions.

Pages of a generated web, sixteen joined to one of some 22 kB, are parsed and stored, their texts sketched and
indexed, and the links of a web ranked. The speeds are in bytes or links a second, the best of several runs:
what disturbs a run only makes it longer.

Differs from a real crawl: the pages have more text and fewer tags than most, and the store writes to a
temporary folder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from tempfile import TemporaryDirectory
from time import perf_counter

from ircourse.crawl import PageStore, parse_html
from ircourse.dedup import MinHasher
from ircourse.distribute.planner_constants import Constants, checked
from ircourse.index import InvertedIndex
from ircourse.links import pagerank
from ircourse.types import Response
from ircourse.web import random_web

__all__ = ["measured"]

PAGES, JOINED, LINKED = 48, 16, 20_000


def measured(
    constants: Constants | None = None, *, seconds: float = 0.4, clock: Callable[[], float] = perf_counter
) -> Constants:
    """Return ``constants`` with the speeds of this machine put in.

    Measured are parsing, storing, sketching, indexing and PageRank, as `Constants.speeds` lists them.

    seconds  that each of the five is repeated for, at least twice; together about 3 seconds with the default

    Raises ValueError for seconds outside 0.001 … 60.

    >>> tuple(name for name, _ in measured(seconds=0.01).measured)
    ('parse_bytes', 'store_bytes', 'sketch_bytes', 'index_bytes', 'rank_links')
    """
    seconds = checked("seconds", seconds, 0.001, 60, "measured(seconds=0.4)")
    bodies, texts = _pages()
    html, text = sum(map(len, bodies)), sum(len(each.encode()) for each in texts)
    graph, hasher = random_web(LINKED, 1).graph, MinHasher()
    sweeps = len(pagerank(graph).residuals)
    works: dict[str, tuple[float, Callable[[], object]]] = {
        "parse_bytes": (html, lambda: [parse_html(each, "http://harbour.example/") for each in bodies]),
        "store_bytes": (html, lambda: _store(bodies)),
        "sketch_bytes": (text, lambda: hasher.sketch_texts(texts)),
        "index_bytes": (text, lambda: InvertedIndex(texts)),
        "rank_links": (graph.n_edges * sweeps, lambda: pagerank(graph)),
    }
    speeds = {name: amount / _best(work, seconds, clock) for name, (amount, work) in works.items()}
    return replace(constants or Constants(), **speeds, measured=tuple(speeds.items()))


def _pages() -> tuple[list[bytes], list[str]]:
    """Return the bodies of pages and the texts in them."""
    web = random_web(PAGES * JOINED, 1)
    small = [web.respond(web.url(i)).body for i in range(len(web))]
    bodies = [b"".join(small[i : i + JOINED]) for i in range(0, len(small), JOINED)]
    return bodies, [parse_html(each, "http://harbour.example/").text for each in bodies]


def _store(bodies: list[bytes]) -> None:
    """Store all pages in a new store and keep them."""
    with TemporaryDirectory() as folder, PageStore(folder) as store:
        for i, body in enumerate(bodies):
            store.add(f"http://harbour.example/{i}", Response(200, {"content-type": "text/html"}, body))
        store.commit()


def _best(work: Callable[[], object], seconds: float, clock: Callable[[], float]) -> float:
    """Return the seconds of the shortest run; the first, which may compile, does not count."""
    work()
    best, begun, runs = inf, clock(), 0
    while runs < 2 or clock() - begun < seconds:
        start = clock()
        work()
        best, runs = min(best, clock() - start), runs + 1
    return max(best, 1e-9)
