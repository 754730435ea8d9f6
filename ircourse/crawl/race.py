"""A race between orders of page selection: how soon each finds the pages that matter (claim C56).

policy     an order of `selection`
important  the pages that matter: those of high PageRank, or on a topic
share      share[i] is the share of them among the first i pages fetched, float64

There is no politeness here, one fetch follows the other: what is compared is the order alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ircourse.crawl.selection import Policy
from ircourse.crawl.spiders import HasLinks

__all__ = ["order_of", "race"]


def order_of(
    look_up: Callable[[Any], HasLinks | None], seeds: Iterable[Any], policy: Policy
) -> Iterator[Any]:
    """Yield the URLs of the pages in the order in which ``policy`` fetches them, seeds first.

    look_up  a function from a URL to its page, None for a dead link

    Of URLs with the same priority the one met first comes first.

    >>> from ircourse.crawl import look_up_in
    >>> from ircourse.crawl.selection import BreadthFirst, DepthFirst
    >>> web = look_up_in({"a": ["b", "c"], "b": ["d"], "c": [], "d": []})
    >>> "".join(order_of(web, "a", BreadthFirst())), "".join(order_of(web, "a", DepthFirst()))
    ('abcd', 'acbd')
    """
    seeds = list(dict.fromkeys(seeds))
    met = {url: number for number, url in enumerate(seeds)}
    waiting = {url: float("inf") for url in seeds}  # the priority that counts; the heap holds old ones too
    heap = [(-float("inf"), number, url) for url, number in met.items()]
    fetched = set[Any]()
    while heap:
        negative, _, url = heappop(heap)
        if waiting.get(url) != -negative:
            continue
        del waiting[url]
        fetched.add(url)
        page = look_up(url)
        if page is None:
            continue
        yield url
        for link, priority in policy.found(url, page):
            if link not in fetched and waiting.get(link) != priority:
                waiting[link] = priority
                heappush(heap, (-priority, met.setdefault(link, len(met)), link))


def race(
    look_up: Callable[[Any], HasLinks | None],
    seeds: Iterable[Any],
    policies: Mapping[str, Policy],
    important: Collection[Any],
    n: int | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Return ``share`` for each of the policies: share[i] of ``important`` is found by i pages fetched.

    n  stop after so many pages; None: when no URL is left

    A policy remembers what it was told: give new ones to each race. Raises ValueError where nothing is
    important.

    >>> from ircourse.crawl import look_up_in
    >>> from ircourse.crawl.selection import BreadthFirst, DepthFirst
    >>> web = look_up_in({"a": ["b", "c"], "b": ["d"], "c": [], "d": []})
    >>> shares = race(web, "a", {"queue": BreadthFirst(), "stack": DepthFirst()}, important={"b", "d"})
    >>> shares["queue"].tolist(), shares["stack"].tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.0, 0.0, 0.5, 1.0])
    """
    wanted = frozenset(important)
    if not wanted:
        raise ValueError("important is empty: name the pages to look for")
    seeds = list(seeds)
    shares = {}
    for name, policy in policies.items():
        hits = [url in wanted for url in islice(order_of(look_up, seeds, policy), n)]
        shares[name] = np.concatenate([[0.0], np.cumsum(hits, dtype=np.float64)]) / len(wanted)
    return shares
