"""A web of 100 short pages and two engines on it, small enough to survey while one waits.

Pages have 4 to 16 different words. Those of ``JARGON`` are in no general dictionary; every fourth page has
three of them and one other. A holds 80 pages. B holds 50, the long ones rather than the short ones, few
with jargon.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ircourse.indexsize import SearchEngine

GENERAL = tuple(
    "bay boat bread bridge church crab ferry fish gale gull harbour inn market moon quay tide".split()
)
JARGON = tuple("ballast binnacle bollard fairlead halyard leeboard scupper thwart".split())
WORDS = tuple(sorted(GENERAL + JARGON))
PAGES, HELD_BY_A, HELD_BY_B, COMMON = 100, 80, 50, 40

__all__ = ["GENERAL", "JARGON", "WORDS", "engine", "lengths", "members", "pages", "plain"]


@cache
def pages() -> tuple[str, ...]:
    """Return the texts of the web.

    >>> pages()[0]
    'bay bread bridge church crab ferry gale gull harbour inn moon tide'
    """
    rng = np.random.default_rng(19)
    texts = []
    for number in range(PAGES):
        if number % 4 == 3:  # in the words of the trade
            words = [*rng.choice(JARGON, 3, replace=False), *rng.choice(GENERAL, 1)]
        else:
            words = rng.choice(GENERAL, int(rng.integers(5, len(GENERAL) + 1)), replace=False).tolist()
        texts.append(" ".join(sorted(map(str, words))))
    return tuple(texts)


def lengths() -> list[int]:
    """Return the number of words of each page."""
    return [len(text.split()) for text in pages()]


def plain() -> list[int]:
    """Return the pages without jargon."""
    return [page for page in range(PAGES) if page % 4 != 3]


@cache
def members(name: str) -> tuple[int, ...]:
    """Return the pages that engine A or B holds."""
    by_length = sorted(range(PAGES), key=lambda page: (-lengths()[page], page))
    common = [page for page in by_length if page in plain()][:COMMON]
    rest = [page for page in range(PAGES) if page not in common]
    only_b = rest[:: len(rest) // (HELD_BY_B - COMMON)][: HELD_BY_B - COMMON]
    only_a = [page for page in rest if page not in only_b][: HELD_BY_A - COMMON]
    return tuple(sorted(common + (only_a if name == "A" else only_b)))


def engine(name: str, **limits: object) -> SearchEngine:
    """Return engine A or B with the limits given."""
    return SearchEngine(pages(), members(name), **limits)  # type: ignore[arg-type]
