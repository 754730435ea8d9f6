"""All pages that a site's sitemaps name: found from robots.txt, followed through indexes, within limits.

start   a sitemap that robots.txt names; where it names none, /sitemap.xml, the custom
depth   of a start 0, of a part of an index one more than its index

An index may name itself, or another that names it: each file is asked for once. The protocol lets a site's
robots.txt vouch for sitemaps on other hosts; within them only the URLs of the site itself count, or any host
could send a crawler to any other.

Source: sitemaps.org, "Protocol", "Sitemap file location".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from ircourse.crawl.feeds.sitemaps import Sitemap, SitemapEntry, parse_sitemap
from ircourse.crawl.net.fetch import Fetch
from ircourse.crawl.robots import MAX_REDIRECTS, Robots
from ircourse.crawl.urls import canonical_url
from ircourse.types import FetchError

__all__ = ["ListedPages", "sitemap_urls"]


@dataclass(frozen=True, slots=True)
class ListedPages:
    """What the sitemaps of a site name together.

    entries   pages of the site, in order, each URL once; they will do as a crawl's seeds
    requests  the URLs asked for, redirects included, in order
    problems  what was amiss, from the URL of a file to what was
    """

    entries: tuple[SitemapEntry, ...]
    requests: tuple[str, ...]
    problems: dict[str, str]


def sitemap_urls(
    fetch: Fetch,
    site: str,
    robots: Robots,
    *,
    agent: str = "ircourse",
    max_files: int = 100,
    max_depth: int = 2,
    max_urls: int = 1_000_000,
) -> ListedPages:
    """Return what the sitemaps of ``site`` name: pages on its host that ``robots`` allows ``agent`` to fetch.

    fetch      what sends a request, `http_fetcher` or ``respond`` of a web in memory
    site       any URL of the site; only its host and port count, so http and https are one site
    robots     its robots.txt, which names the sitemaps
    max_files  asked for in all; max_depth: of indexes within indexes; max_urls: pages kept

    A file that cannot be had or read, or is over a limit, is told in ``problems``; the others count.
    Requests follow one another at once, so a site with a crawl delay is asked through a ``fetch`` that waits.

    >>> from ircourse.types import Response
    >>> body = b"<urlset><url><loc>http://a.example/tides</loc></url></urlset>"
    >>> fetch = lambda url, headers: Response(200, {}, body)
    >>> found = sitemap_urls(fetch, "http://a.example/", Robots.parse(""))
    >>> [entry.url for entry in found.entries], found.requests
    (['http://a.example/tides'], ('http://a.example/sitemap.xml',))

    Raises ValueError for a site that is no URL.
    """
    home = canonical_url(site)
    if home is None:
        raise ValueError(f"{site!r} is no site: give an http or https URL")
    host, start = urlsplit(home).netloc, canonical_url("/sitemap.xml", home) or ""
    names = [url for name in robots.sitemaps if (url := canonical_url(name, home))] or [start]
    walk = _Walk(fetch, agent, max_files, max_depth)
    pages: dict[str, SitemapEntry] = {}
    for url, sitemap in walk.files(names):
        for entry in sitemap.pages:
            if urlsplit(entry.url).netloc == host and robots.allows(entry.url, agent):
                pages.setdefault(entry.url, entry)
            if len(pages) == max_urls:
                walk.problems[url] = f"the limit of {max_urls:,} pages was reached"
                return ListedPages(tuple(pages.values()), tuple(walk.requests), walk.problems)
    return ListedPages(tuple(pages.values()), tuple(walk.requests), walk.problems)


class _Walk:
    """A walk through sitemaps, nearest first, that asks for none twice."""

    def __init__(self, fetch: Fetch, agent: str, max_files: int, max_depth: int) -> None:
        self.fetch, self.agent = fetch, agent
        self.max_files, self.max_depth = max_files, max_depth
        self.requests: dict[str, None] = {}
        self.problems: dict[str, str] = {}

    def files(self, names: list[str]) -> Iterator[tuple[str, Sitemap]]:
        """Yield the sitemaps named and those that they name, with their URLs."""
        waiting = deque((name, 0) for name in dict.fromkeys(names))
        while waiting:
            url, depth = waiting.popleft()
            if url in self.requests or (body := self._body(url)) is None:
                continue
            sitemap = parse_sitemap(body, url)
            if sitemap.problem:
                self.problems[url] = sitemap.problem
            yield url, sitemap
            if sitemap.sitemaps and depth == self.max_depth:
                self.problems[url] = f"an index within {depth} others: its parts were left out"
            elif len(waiting) <= self.max_files:
                waiting.extend((part, depth + 1) for part in sitemap.sitemaps)

    def _body(self, url: str) -> bytes | None:
        """Return the body of a file, after redirects, or None; then ``problems`` says why."""
        at: str | None = url
        for _ in range(MAX_REDIRECTS + 1):
            if at is None or at in self.requests:
                break
            if len(self.requests) == self.max_files:
                self.problems[url] = f"the limit of {self.max_files:,} files was reached"
                return None
            self.requests[at] = None
            try:
                answer = self.fetch(at, {"User-Agent": self.agent, "Accept-Encoding": "gzip"})
            except FetchError as error:
                self.problems[url] = str(error)
                return None
            if 300 <= answer.status < 400:
                at = canonical_url(answer.headers.get("location", ""), at)
                continue
            if answer.status == 200:
                return answer.body
            self.problems[url] = f"status {answer.status}"
            return None
        self.problems[url] = "redirects that lead nowhere new"
        return None
