"""Where a spider looks pages up: in a mapping, or on a real server over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from ircourse.crawl.fetch import Fetch
from ircourse.crawl.html import parse_html
from ircourse.crawl.urls import canonical_url
from ircourse.types import FetchError, Link, Page

__all__ = ["look_up_in", "look_up_with"]

U = TypeVar("U", bound=Hashable)


def look_up_in(web: Mapping[U, Any]) -> Callable[[U], Any]:
    """Return the ``look_up`` of a mapping from a URL to its page, or to the URLs that it links to.

    >>> look_up_in({1: [2, 3], 2: [], 3: []})(1).links
    (2, 3)
    >>> look_up_in({1: [2]})(2) is None
    True
    """

    def look_up(url: U) -> Any:
        page = web.get(url)
        if page is None or hasattr(page, "links"):
            return page
        return Page(url, links=tuple(page))  # type: ignore[arg-type]

    return look_up


def look_up_with(
    fetch: Fetch, *, in_scope: Callable[[str], bool] | None = None, agent: str = "ircourse"
) -> Callable[[str], Page | None]:
    """Return a ``look_up`` that asks a server for each page and reads its links.

    fetch     what sends the request: `http_fetcher`, or ``respond`` of a web in memory
    in_scope  which URLs belong to the crawl; links to others are left out of the page
    agent     the name that the spider gives to servers

    A status of 400 or more, or no answer at all, is a dead link: None. A redirect is a page without words
    whose one link is the target, so the spider's own bookkeeping sees to loops and repetitions.

    >>> from ircourse.types import Response
    >>> answers = {
    ...     "http://a.example/": Response(200, {"content-type": "text/html"}, b"<a href=old>ferries</a>"),
    ...     "http://a.example/old": Response(301, {"location": "/new"}),
    ... }
    >>> look_up = look_up_with(lambda url, headers: answers.get(url, Response(404)))
    >>> [look_up(url).links for url in answers], look_up("http://a.example/new")
    ([('http://a.example/old',), ('http://a.example/new',)], None)
    """

    def look_up(url: str) -> Page | None:
        try:
            answer = fetch(url, {"User-Agent": agent, "Accept-Encoding": "gzip"})
        except FetchError:
            return None
        if answer.status >= 400:
            return None
        if answer.status >= 300:
            target = canonical_url(answer.headers["location"], url) if "location" in answer.headers else None
            return Page(url, links=tuple(_kept([Link(target)] if target else [], in_scope)))
        page = parse_html(
            answer.body,
            url,
            answer.headers.get("content-type"),
            robots_tag=answer.headers.get("x-robots-tag"),
        )
        return Page(url, page.text, page.title, tuple(_kept(page.links, in_scope)))

    return look_up


def _kept(links: Any, in_scope: Callable[[str], bool] | None) -> list[Link]:
    return [link for link in links if in_scope is None or in_scope(link)]
