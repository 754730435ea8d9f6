"""Crawling (sections 20.1 and 20.2): spiders, URLs, HTML, robots.txt, and fetching over HTTP."""

from ircourse.crawl.bloom import BloomFilter
from ircourse.crawl.changes import (
    Measured,
    PolicyMeans,
    RateEstimate,
    Visit,
    age,
    freshness,
    mean_age,
    mean_freshness,
    measure,
    naive_rate,
    policy_means,
    proportional_rates,
    rate_from_dates,
    rate_from_regular_visits,
    rate_from_visits,
    revisit_rates,
    revisit_rates_for_age,
    revisit_threshold,
    simulate_visits,
    stale_priority,
    uniform_rates,
    visit_by_priority,
    visit_priority,
)
from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.crawler.gain import by_gain
from ircourse.crawl.crawler.revisit import adaptive, every
from ircourse.crawl.feeds.feeds import Feed, FeedEntry, parse_feed
from ircourse.crawl.feeds.sitemaps import Sitemap, SitemapEntry, parse_sitemap
from ircourse.crawl.frontier.frontier import Empty, Fetch, Frontier, Item, Outcome, Wait
from ircourse.crawl.lookup import look_up_in, look_up_with
from ircourse.crawl.net.dns import Resolver
from ircourse.crawl.net.fetch import http_fetcher
from ircourse.crawl.net.head import head_first
from ircourse.crawl.pages.html import ParsedPage, parse_html
from ircourse.crawl.pages.main_text import main_text, without_recurring
from ircourse.crawl.robots import Robots
from ircourse.crawl.seeds import coverage, diverse_seeds, random_seeds
from ircourse.crawl.seen import SeenUrls
from ircourse.crawl.spiders import spider1, spider2, spider3, spider4, spider4_counting
from ircourse.crawl.store.store import Capture, PageStore, StoredResponse
from ircourse.crawl.store.trec import TrecDocument, TrecProblem, read_trec, write_trec
from ircourse.crawl.urls import canonical_url
from ircourse.crawl.watching import Held
from ircourse.types import FetchError, Link, Response

__all__ = [
    "BloomFilter",
    "Capture",
    "Crawler",
    "Empty",
    "Feed",
    "FeedEntry",
    "Fetch",
    "FetchError",
    "Frontier",
    "Held",
    "Item",
    "Link",
    "Measured",
    "Outcome",
    "PageStore",
    "ParsedPage",
    "PolicyMeans",
    "RateEstimate",
    "Resolver",
    "Response",
    "Robots",
    "SeenUrls",
    "Sitemap",
    "SitemapEntry",
    "StoredResponse",
    "TrecDocument",
    "TrecProblem",
    "Visit",
    "Wait",
    "adaptive",
    "age",
    "by_gain",
    "canonical_url",
    "coverage",
    "diverse_seeds",
    "every",
    "freshness",
    "head_first",
    "http_fetcher",
    "look_up_in",
    "look_up_with",
    "main_text",
    "mean_age",
    "mean_freshness",
    "measure",
    "naive_rate",
    "parse_feed",
    "parse_html",
    "parse_sitemap",
    "policy_means",
    "proportional_rates",
    "random_seeds",
    "rate_from_dates",
    "rate_from_regular_visits",
    "rate_from_visits",
    "read_trec",
    "revisit_rates",
    "revisit_rates_for_age",
    "revisit_threshold",
    "simulate_visits",
    "spider1",
    "spider2",
    "spider3",
    "spider4",
    "spider4_counting",
    "stale_priority",
    "uniform_rates",
    "visit_by_priority",
    "visit_priority",
    "without_recurring",
    "write_trec",
]
