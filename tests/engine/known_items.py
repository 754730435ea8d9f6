"""Known items: what a student would type, and the one page of Python's documentation that is meant.

The questions were written before any ranking of them was seen, and for pages other than those by which the
default weights were chosen. A page that is folded under another is found where that one is.
"""

import json
from contextlib import closing
from pathlib import Path

from ircourse.crawl import Crawler
from ircourse.crawl.store.store import PageStore
from ircourse.engine import Engine, Weights, pages_from
from ircourse.web import serve_pydoc

__all__ = ["DEFAULT", "QUESTIONS", "documentation", "mean_reciprocal", "ranked", "ranks", "without"]

DEFAULT = Weights()
QUESTIONS = tuple(
    (question, f"http://pydoc.example/{module}.html")
    for question, module in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
)


def documentation(folder):
    """Return the engine of this Python's documentation, crawled into a folder."""
    with serve_pydoc() as server, closing(PageStore(folder)) as store:
        Crawler(
            [server.start],
            store=store,
            delay=0,
            resolve=server.resolve,
            in_scope=server.in_scope,
            allow_private=True,
        ).run()
    return Engine.build(pages_from(folder))


def ranked(engine, query, weights=DEFAULT):
    """Return the addresses of all results of a query, best first."""
    rows, _ = engine.candidates(query).ranked(weights)
    return [engine.collection.kept[row] for row in rows.tolist()]


def ranks(engine, weights=DEFAULT):
    """Return the rank of each question's page, from 1; infinity where it is no result."""
    found = []
    for question, page in QUESTIONS:
        results = ranked(engine, question, weights)
        kept = engine.collection.stands_for[page]
        found.append(results.index(kept) + 1 if kept in results else float("inf"))
    return found


def mean_reciprocal(found):
    """Return the mean of 1 / rank."""
    return sum(1 / rank for rank in found) / len(found)


def without(*components):
    """Return the default weights with some components switched off."""
    return Weights(**vars(DEFAULT) | dict.fromkeys(components, 0))
