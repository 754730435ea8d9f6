"""Where a spider looks pages up: in a mapping, or on a real server over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ircourse.crawl.net.fetch import Fetch
from ircourse.crawl.pages.html import parse_html
from ircourse.crawl.urls import canonical_url
from ircourse.types import FetchError, Link, Page, Response

__all__ = ["look_up_in", "look_up_with", "page_of"]

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


def page_of(url: str, answer: Response) -> Page | None:
    """Return what the answer to a request for ``url`` says, None where its status is 400 or more.

    A redirect is a page without words whose one link is the target, so the spider's own bookkeeping sees to
    loops and repetitions; without a target that can be crawled it has no link.

    >>> page_of("http://a.example/old", Response(301, {"location": "new"})).links
    ('http://a.example/new',)
    >>> page_of("http://a.example/", Response(404, {}, b"no such page")) is None
    True
    """
    if answer.status >= 400:
        return None
    headers = answer.headers
    if answer.status >= 300:
        target = canonical_url(headers["location"], url) if "location" in headers else None
        return Page(url, links=(Link(target),) if target else ())
    page = parse_html(answer.body, url, headers.get("content-type"), robots_tag=headers.get("x-robots-tag"))
    return Page(url, page.text, page.title, page.links)


def look_up_with(
    fetch: Fetch, *, in_scope: Callable[[str], bool] | None = None, agent: str = "ircourse"
) -> Callable[[str], Page | None]:
    """Return a ``look_up`` that asks a server for each page and reads its links.

    fetch     what sends the request: `http_fetcher`, or ``respond`` of a web in memory
    in_scope  which URLs belong to the crawl; links to others are left out of the page
    agent     the name that the spider gives to servers

    No answer at all is a dead link, as is what `page_of` gives no page for: None.

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
            page = page_of(url, fetch(url, {"User-Agent": agent, "Accept-Encoding": "gzip"}))
        except FetchError:
            return None
        if page is None or in_scope is None:
            return page
        return replace(page, links=tuple(filter(in_scope, page.links)))

    return look_up
