"""Crawling (sections 20.1 and 20.2): spiders, URLs, HTML, and fetching over HTTP."""

from ircourse.crawl.lookup import look_up_in
from ircourse.crawl.spiders import spider1, spider2, spider3, spider4, spider4_counting
from ircourse.crawl.watching import Step

__all__ = ["Step", "look_up_in", "spider1", "spider2", "spider3", "spider4", "spider4_counting"]
