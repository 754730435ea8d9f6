"""Web spiders: SPIDER1 to SPIDER4 and in-link counts (section 20.1; slides-C, "Graph-search algorithms").

root, seeds  where the crawl starts, one URL or several
look_up      a function from a URL to its page, an object with ``.links``; None for a dead link
stack        URLs found and not yet taken, the last in is the first out
collection   the URL-page pairs stored: what a spider yields, in order
visited      a hash table of the URLs already taken

URLs may be anything hashable, so a spider also walks a graph of integers. A spider is a generator of
``(url, page)``: taking the next pair is STORE, and the caller decides what COLLECTION is and when to stop.

``watch(event, url, page, held)`` is called once in each turn of the outer While: see watching.py.

Differs from the slides:
- As printed, SPIDER2 to SPIDER4 pop from an empty stack when every URL left on it was seen before, the usual
  end of a crawl (claim C06). Here `pop_until_new` says NOTHING, and the crawl from that root ends.
- The slides lost their indentation. Here SPIDER4's While stands inside its For, as the text around it says.
- A dead link is not stored. SPIDER2, which has no VISITED, looks it up again whenever it meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Hashable, Iterable
from typing import Any, Protocol, TypeAlias, TypeVar

from ircourse.crawl.watching import Watch, views

__all__ = ["pop_until_new", "spider1", "spider2", "spider3", "spider4", "spider4_counting"]


class HasLinks(Protocol):
    """What a spider needs to know of a page."""

    @property
    def links(self) -> Iterable[Any]:
        """The URLs that the page links to, in document order."""


U = TypeVar("U", bound=Hashable)
P = TypeVar("P", bound=HasLinks)
LookUp: TypeAlias = Callable[[U], P | None]
NOTHING: Any = object()


def spider1(look_up: LookUp[U, P], root: U, *, watch: Watch = None) -> Generator[tuple[U, P]]:
    """Yield each page as often as there are paths to it from ``root``: incorrect, see claims C03 and C04.

    Never ends where a cycle can be reached from ``root``.

    >>> from ircourse.crawl import look_up_in
    >>> diamond = look_up_in({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []})
    >>> [url for url, page in spider1(diamond, "a")]
    ['a', 'c', 'd', 'b', 'd']
    """
    stack = [root]
    held = views(stack)
    while stack:
        url = stack.pop()
        page = look_up(url)
        if page is not None:
            yield url, page
            stack.extend(page.links)
        if watch:
            watch("stored" if page is not None else "dead", url, page, held)


def pop_until_new(stack: list[U], seen: Collection[U]) -> U:
    """Do URLcurr := pop(STACK) Until URLcurr is not in ``seen``; NOTHING if the stack runs empty first."""
    while stack:
        if (url := stack.pop()) not in seen:
            return url
    return NOTHING  # type: ignore[no-any-return]


def spider2(look_up: LookUp[U, P], root: U, *, watch: Watch = None) -> Generator[tuple[U, P]]:
    """Yield each page reachable from ``root`` once; correct, but each test scans the whole collection.

    With n pages and m links the scans compare O(n m) URLs (claim C05).

    >>> from ircourse.crawl import look_up_in
    >>> [url for url, page in spider2(look_up_in({"a": ["b"], "b": ["a"]}), "a")]
    ['a', 'b']
    """
    stack = [root]
    collection: list[U] = []  # the URLs of COLLECTION; their pages are the caller's
    held = views(stack, collection)
    while stack:
        url = pop_until_new(stack, collection)
        if url is NOTHING:
            if watch:
                watch("empty", None, None, held)
            break
        page = look_up(url)
        if page is not None:
            collection.append(url)
            yield url, page
            stack.extend(page.links)
        if watch:
            watch("stored" if page is not None else "dead", url, page, held)


def spider3(look_up: LookUp[U, P], root: U, *, watch: Watch = None) -> Generator[tuple[U, P]]:
    """Yield each page reachable from ``root`` once; each test is one look-up in a hash table.

    >>> from ircourse.crawl import look_up_in
    >>> [url for url, page in spider3(look_up_in({"a": ["b"], "b": ["a"]}), "a")]
    ['a', 'b']
    """
    stack = [root]
    visited: set[U] = set()
    held = views(stack, visited)
    while stack:
        url = pop_until_new(stack, visited)
        if url is NOTHING:
            if watch:
                watch("empty", None, None, held)
            break
        visited.add(url)
        page = look_up(url)
        if page is not None:
            yield url, page
            stack.extend(page.links)
        if watch:
            watch("stored" if page is not None else "dead", url, page, held)


def spider4(look_up: LookUp[U, P], seeds: Iterable[U], *, watch: Watch = None) -> Generator[tuple[U, P]]:
    """Yield each page reachable from any of ``seeds`` once, seed after seed.

    >>> from ircourse.crawl import look_up_in
    >>> [url for url, page in spider4(look_up_in({"a": ["b"], "b": ["a"], "c": []}), ["a", "c"])]
    ['a', 'b', 'c']
    """
    visited: set[U] = set()
    stack: list[U] = []
    held = views(stack, visited)
    for root in seeds:
        stack.append(root)
        while stack:
            url = pop_until_new(stack, visited)
            if url is NOTHING:  # also when this seed was reached from an earlier one
                if watch:
                    watch("empty", None, None, held)
                break
            visited.add(url)
            page = look_up(url)
            if page is not None:
                yield url, page
                stack.extend(page.links)
            if watch:
                watch("stored" if page is not None else "dead", url, page, held)


def spider4_counting(
    look_up: LookUp[U, P], seeds: Iterable[U], counts: dict[U, int] | None = None, *, watch: Watch = None
) -> Generator[tuple[U, P], None, dict[U, int]]:
    """Yield as `spider4` does, and count the pages that link to each URL.

    ``counts`` holds the <URL, COUNT> pairs: pass a dict of your own to read it while the crawl runs; it is
    also the generator's return value. A COUNT is the in-degree within the pages crawled so far, URLs still
    waiting and dead links included. It grows when a link is pushed: counting at the pop would give each seed
    one too many and the waiting pages none (claim C09). A page that links twice to another counts once.

    >>> from ircourse.crawl import look_up_in
    >>> counts = {}
    >>> web = look_up_in({"a": ["b", "c"], "b": ["c"], "c": ["a", "dead"]})
    >>> pages = dict(spider4_counting(web, ["a"], counts))
    >>> counts
    {'a': 1, 'b': 1, 'c': 2, 'dead': 1}
    """
    counts = {} if counts is None else counts
    visited: set[U] = set()
    stack: list[U] = []
    held = views(stack, visited, counts)
    for root in seeds:
        stack.append(root)
        counts.setdefault(root, 0)
        while stack:
            url = pop_until_new(stack, visited)
            if url is NOTHING:
                if watch:
                    watch("empty", None, None, held)
                break
            visited.add(url)
            page = look_up(url)
            if page is not None:
                yield url, page
                for link in dict.fromkeys(page.links):
                    counts[link] = counts.get(link, 0) + 1
                    stack.append(link)
            if watch:
                watch("stored" if page is not None else "dead", url, page, held)
    return counts
