"""Crawling (sections 20.1 and 20.2): spiders, URLs, HTML, robots.txt, and fetching over HTTP."""

from ircourse.crawl.bloom import BloomFilter
from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.frontier.frontier import Empty, Fetch, Frontier, Item, Outcome, Wait
from ircourse.crawl.lookup import look_up_in, look_up_with
from ircourse.crawl.net.dns import Resolver
from ircourse.crawl.net.fetch import http_fetcher
from ircourse.crawl.pages.html import ParsedPage, parse_html
from ircourse.crawl.robots import Robots
from ircourse.crawl.seeds import coverage, diverse_seeds, random_seeds
from ircourse.crawl.seen import SeenUrls
from ircourse.crawl.spiders import spider1, spider2, spider3, spider4, spider4_counting
from ircourse.crawl.store.store import PageStore, StoredResponse
from ircourse.crawl.urls import canonical_url
from ircourse.crawl.watching import Held
from ircourse.types import FetchError, Link, Response

__all__ = [
    "BloomFilter",
    "Crawler",
    "Empty",
    "Fetch",
    "FetchError",
    "Frontier",
    "Held",
    "Item",
    "Link",
    "Outcome",
    "PageStore",
    "ParsedPage",
    "Resolver",
    "Response",
    "Robots",
    "SeenUrls",
    "StoredResponse",
    "Wait",
    "canonical_url",
    "coverage",
    "diverse_seeds",
    "http_fetcher",
    "look_up_in",
    "look_up_with",
    "parse_html",
    "random_seeds",
    "spider1",
    "spider2",
    "spider3",
    "spider4",
    "spider4_counting",
]
