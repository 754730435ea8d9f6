"""A web to crawl: a mapping from URL to page that also answers requests as its servers would.

url       canonical, and without a port: ``"http://harbour.example/ferries"``
resource  what one URL answers on one day, before any client asks for it
day       days since the web was first looked at; a page that changes answers otherwise on another day

Everything that serves pages here (a folder of files, a dict in memory, a generated web) is a list of URLs and
a function from URL and day to a `Resource`; `Web` makes the rest of the two.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import mktime_tz, parsedate_tz
from itertools import chain
from typing import TypeAlias

from ircourse.crawl.lookup import page_of
from ircourse.graphs import Graph
from ircourse.types import FetchError, Page, Response

__all__ = ["Resource", "Web", "host_of", "render"]

HTML = {"content-type": "text/html; charset=utf-8"}
TEXT = {"content-type": "text/plain; charset=utf-8"}
NOT_FOUND = b"no such page\n"


@dataclass(frozen=True, slots=True)
class Resource:
    """What one URL answers: a status, headers (names in lower case) and a body.

    delay  seconds until the answer comes
    fail   the kind of `FetchError` where no answer comes, "reset", "timeout" or "dns"; else None

    >>> Resource("http://harbour.example/old", status=301, headers={"location": "/"}).body
    b''
    """

    url: str
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: HTML)
    delay: float = 0.0
    fail: str | None = None


Answer: TypeAlias = Callable[[str, int], Resource | None]


class Web(Mapping[str, Page]):
    """A mapping from URL to `Page`, and the server of every one of its hosts.

    Iteration and ``len`` cover the HTML pages. Looking up answers any URL that gives a visitor something:
    also a redirect (a page without words whose one link is its target), a file (its text, no links), and the
    pages of an endless calendar, which no list can hold. What cannot be had is a KeyError, so ``web.get`` is
    the ``look_up`` of a spider. Pages are parsed when first looked up and remembered, as they are on
    day 0.

    urls    the HTML pages, in order
    answer  a function from URL and day to what the URL answers, None for a page that does not exist
    hosts   the hosts whose names resolve; None: those of ``urls``

    >>> web = Web.from_pages({"http://a.example/": ["http://b.example/"], "http://b.example/": []})
    >>> web["http://a.example/"].links
    ('http://b.example/',)
    >>> web.respond("http://a.example/nowhere").status
    404
    """

    def __init__(self, urls: Collection[str], answer: Answer, *, hosts: Iterable[str] | None = None) -> None:
        self._urls = urls
        self._pages: dict[str, Page] = {}
        self.answer = answer
        names = (host_of(url) for url in urls) if hosts is None else hosts
        self._known = frozenset(names) - {""}
        self.hosts: tuple[str, ...] = tuple(sorted(self._known))

    @classmethod
    def from_pages(cls, pages: Mapping[str, Page | Iterable[str]]) -> Web:
        """Return a web of pages in memory, each given as a `Page` or as the URLs it links to, in order.

        Names that are no URLs will do as long as nobody requests them from a server.
        """
        made = {url: _as_page(url, page) for url, page in pages.items()}

        def answer(url: str, day: int) -> Resource | None:
            page = made.get(url)
            return None if page is None else Resource(url, render(page))

        web = cls(made, answer)
        web._pages.update(made)
        return web

    def __getitem__(self, url: str) -> Page:
        page = self._pages.get(url)
        if page is None:
            page = self._pages[url] = self._parse(url)
        return page

    def __iter__(self) -> Iterator[str]:
        return iter(self._urls)

    def __len__(self) -> int:
        return len(self._urls)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} pages on {len(self.hosts)} hosts>"

    def respond(self, url: str, headers: Mapping[str, str] | None = None, *, day: int = 0) -> Response:
        """Return what the server of ``url`` answers to a GET; a crawler can use this as its ``fetch``.

        headers  the request's. If-None-Match and If-Modified-Since are heeded (RFC 9110, section 13.1): 304
        day      the day of the visit, at least 0

        Raises FetchError where no answer comes: "dns" for a host that is not part of this web, "reset" or
        "timeout" for a page that fails so. Raises ValueError for a name that is no http or https URL.
        """
        if not (host := host_of(url)):
            raise ValueError(f"{url!r} cannot be requested: give an http or https URL")
        resource = self.answer(url, day)
        if resource is None:
            if host not in self._known:
                raise FetchError(url, "dns")
            return Response(404, TEXT, NOT_FOUND)
        if resource.fail:
            raise FetchError(url, resource.fail)
        if resource.status == 200 and headers and _still_fresh(resource.headers, headers):
            kept = {name: value for name, value in resource.headers.items() if name != "content-type"}
            return Response(304, kept, b"", resource.delay)
        return Response(resource.status, resource.headers, resource.body, resource.delay)

    def link_graph(self) -> Graph:
        """Return the graph of the HTML pages; links to anything else are left out."""
        known = frozenset(self._urls)
        pairs = chain.from_iterable(((u, str(v)) for v in self[u].links if v in known) for u in self)
        return Graph.from_edges(pairs, nodes=list(self))

    def _parse(self, url: str) -> Page:
        """Return the page of a URL that is not remembered yet; KeyError where there is none."""
        resource = self.answer(url, 0)
        if resource is None or resource.fail:
            raise KeyError(url)
        page = page_of(url, Response(resource.status, resource.headers, resource.body))
        if page is None:
            raise KeyError(url)
        return page


def host_of(url: str) -> str:
    """Return the host of a canonical http or https URL, its port included where it has one; "" for others.

    >>> host_of("http://harbour.example/ferries"), host_of("A")
    ('harbour.example', '')
    """
    scheme, separator, rest = url.partition("://")
    return rest.partition("/")[0] if separator and scheme in ("http", "https") else ""


def render(page: Page) -> bytes:
    """Return HTML whose title, words and links are those of ``page``.

    >>> print(render(Page("http://a.example/", "Tides", "A", ("http://b.example/",))).decode())
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><title>A</title></head><body>
    <p>Tides</p>
    <p><a href="http://b.example/">http://b.example/</a></p>
    </body></html>
    """
    paragraphs = [f"<p>{html.escape(part)}</p>" for part in page.text.split("\n") if part.strip()]
    paragraphs += [f"<p>{_anchor(link)}</p>" for link in page.links]
    head = f'<head><meta charset="utf-8"><title>{html.escape(page.title)}</title></head>'
    lines = ["<!DOCTYPE html>", f'<html lang="en">{head}<body>', *paragraphs, "</body></html>"]
    return "\n".join(lines).encode("utf-8", "replace")


def _anchor(link: str) -> str:
    words = getattr(link, "anchor", "") or link
    nofollow = ' rel="nofollow"' if getattr(link, "nofollow", False) else ""
    return f'<a href="{html.escape(link)}"{nofollow}>{html.escape(words)}</a>'


def _as_page(url: str, page: Page | Iterable[str]) -> Page:
    if isinstance(page, Page):
        return page
    if isinstance(page, (str, bytes)):
        raise TypeError(
            f"the page {url!r} is given as {page!r}: give a Page or a list of the URLs it links to"
        )
    return Page(url, title=url, links=tuple(page))


def _still_fresh(stored: Mapping[str, str], asked: Mapping[str, str]) -> bool:
    """Whether the client's copy is the one the server has; If-None-Match counts before If-Modified-Since."""
    wanted = {name.lower(): value for name, value in asked.items()}
    if (tags := wanted.get("if-none-match")) is not None:
        etag = stored.get("etag", "").removeprefix("W/")
        return bool(etag) and (tags.strip() == "*" or etag in re.findall(r'"[^"]*"', tags))
    changed, since = _seconds(stored.get("last-modified")), _seconds(wanted.get("if-modified-since"))
    return changed is not None and since is not None and changed <= since


def _seconds(date: str | None) -> float | None:
    """Return an HTTP date as seconds since 1970, None for what is no date."""
    try:
        parsed = parsedate_tz(date or "")
        return None if parsed is None else float(mktime_tz(parsed))
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
