"""Seeds: how much of a web a crawl reaches from them, and how to choose them (slides-C, completeness).

The set reached depends on the seeds alone, not on their order; what the order decides is how soon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ircourse.crawl.spiders import spider4

__all__ = ["coverage", "diverse_seeds", "random_seeds"]


def coverage(look_up: Callable[[Any], Any], seeds: Iterable[Any]) -> list[int]:
    """Return the number of pages that SPIDER4 has stored after its first seed, its second, and so on.

    >>> from ircourse.crawl import look_up_in
    >>> coverage(look_up_in({"a": ["b"], "b": [], "c": ["b"], "d": []}), ["a", "c", "d"])
    [2, 3, 4]
    """
    stored = 0
    after: list[int] = []

    def one_by_one() -> Iterator[Any]:
        for seed in seeds:
            yield seed
            after.append(stored)  # SPIDER4 asks for another seed when this one's crawl is over

    for _ in spider4(look_up, one_by_one()):
        stored += 1
    return after


def random_seeds(urls: Sequence[str], n: int, rng: np.random.Generator | int) -> list[str]:
    """Return ``n`` different URLs, drawn from all with equal chances.

    >>> random_seeds(["http://a.example/1", "http://a.example/2", "http://b.example/"], 2, rng=1)
    ['http://a.example/1', 'http://a.example/2']
    """
    _check(urls, n)
    order = np.random.default_rng(rng).permutation(len(urls))
    return [urls[i] for i in order[:n]]


def diverse_seeds(urls: Sequence[str], n: int, rng: np.random.Generator | int) -> list[str]:
    """Return ``n`` different URLs, a random one of each host before a second one of any.

    >>> diverse_seeds(["http://a.example/1", "http://a.example/2", "http://b.example/"], 2, rng=1)
    ['http://a.example/1', 'http://b.example/']
    """
    _check(urls, n)
    by_host: dict[str, list[str]] = {}
    for url in random_seeds(urls, len(urls), rng):
        by_host.setdefault(urlsplit(url).netloc, []).append(url)
    rounds = chain.from_iterable(zip_longest(*by_host.values()))
    return [url for url in rounds if url is not None][:n]


def _check(urls: Sequence[str], n: int) -> None:
    if not 0 <= n <= len(urls):
        raise ValueError(f"cannot choose {n} seeds of {len(urls)} URLs: give a number from 0 to {len(urls)}")
