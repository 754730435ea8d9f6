"""What a spider's membership tests cost: comparisons of URLs, counted (claim C05)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ircourse.crawl.lookup import look_up_in

__all__ = ["comparisons"]


def comparisons(spider: Callable[..., Iterable[Any]], web: Mapping[str, Iterable[str]], root: str) -> int:
    """Return how often ``spider`` compares two URLs while it crawls ``web`` (from URL to URLs) from ``root``.

    Each link is a string of its own, as in a page just parsed, so no test is answered by two names for one
    object. A hash table compares only URLs whose hashes agree.

    >>> from ircourse.crawl import spider2, spider3
    >>> web = {"a": ["b", "c"], "b": ["a", "c"], "c": ["a", "b"]}
    >>> comparisons(spider2, web, "a"), comparisons(spider3, web, "a")
    (10, 4)
    """
    made = 0

    class Url(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal made
            made += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    def look_up(url: str) -> Any:
        links = web.get(str(url))
        return None if links is None else look_up_in({url: [Url(link) for link in links]})(url)

    for _ in spider(look_up, Url(root)):
        pass
    return made
