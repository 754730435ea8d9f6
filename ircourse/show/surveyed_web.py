"""A web of 100 short pages and two engines on it, small enough to survey while one waits.

Pages have 4 to 16 different words. Those of ``JARGON`` are in no general dictionary; every fourth page has
three of them and one other. A holds 80 pages. B holds 50, the long ones rather than the short ones, few
with jargon. Long pages are on large hosts and have many links, short ones on small hosts, some of which
share an address.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ircourse.graphs import Graph
from ircourse.indexsize import SearchEngine, servers_by_address

GENERAL = tuple(
    "bay boat bread bridge church crab ferry fish gale gull harbour inn market moon quay tide".split()
)
JARGON = tuple("ballast binnacle bollard fairlead halyard leeboard scupper thwart".split())
WORDS = tuple(sorted(GENERAL + JARGON))
PAGES, HELD_BY_A, HELD_BY_B, COMMON = 100, 80, 50, 40

ADDRESSES = 64
LOG = ("crab", "ferry", "tide gale", "market bread", "church", "inn fish", "boat", "quay moon")

__all__ = ["ADDRESSES", "GENERAL", "JARGON", "LOG", "WORDS", "engine", "hosts", "lengths", "links", "members"]
__all__ += ["pages", "plain", "servers"]


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


def by_length() -> list[int]:
    """Return the pages, the longest first."""
    return sorted(range(PAGES), key=lambda page: (-lengths()[page], page))


@cache
def members(name: str) -> tuple[int, ...]:
    """Return the pages that engine A or B holds."""
    common = [page for page in by_length() if page in plain()][:COMMON]
    rest = [page for page in range(PAGES) if page not in common]
    only_b = rest[:: len(rest) // (HELD_BY_B - COMMON)][: HELD_BY_B - COMMON]
    only_a = [page for page in rest if page not in only_b][: HELD_BY_A - COMMON]
    return tuple(sorted(common + (only_a if name == "A" else only_b)))


def engine(name: str, **limits: object) -> SearchEngine:
    """Return engine A or B with the limits given."""
    return SearchEngine(pages(), members(name), **limits)  # type: ignore[arg-type]


@cache
def hosts() -> tuple[str, ...]:
    """Return the host of each page: the longest pages on two hosts of 20, the shortest on hosts of one."""
    sizes = [20, 20, *[6] * 5, *[2] * 5, *[1] * 20]
    names = [f"h{number:02}.example" for number, size in enumerate(sizes) for _ in range(size)]
    host = dict(zip(by_length(), names, strict=True))
    return tuple(host[page] for page in range(PAGES))


@cache
def servers() -> dict[int, list[int]]:
    """Return what each address shows: an address for each host, but one for 17 of the smaller hosts."""
    names = sorted(set(hosts()))
    return servers_by_address(hosts(), {name: 2 if 2 <= n < 19 else n for n, name in enumerate(names)})


@cache
def links() -> Graph:
    """Return links that lead both ways: each page's three, to pages drawn in proportion to their length."""
    rng, size = np.random.default_rng(5), np.array(lengths()) ** 2
    drawn = [rng.choice(PAGES, 3, replace=False, p=size / size.sum()).tolist() for _ in range(PAGES)]
    pairs = {(page, to) for page, ends in enumerate(drawn) for to in ends if to != page}
    return Graph.from_edges(sorted(pairs | {(to, page) for page, to in pairs}), nodes=range(PAGES))
