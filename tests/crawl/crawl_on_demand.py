"""Crawls the tiny web in processes that a test can kill; run with the address and port of its server.

For each line of standard input, the folder of a store, a forked process goes on with the crawl there; where
a number of seconds follows behind a tab, pages are visited again after so many. The process's number is
printed, and its end with the wait status. What was imported need not be imported again.
"""

import os
import sys

from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.crawl.crawler.revisit import every
from ircourse.crawl.filters import UrlFilter
from ircourse.types import FetchError

START = "http://www.saltmere.example/"
# Their names do not resolve, or what they answer does not end, or is another on each visit.
LEFT_OUT = ("tramway", "webcam", "buoy", "calendar", "library")


def scope(web):
    """Return the hosts of the web that the crawl goes to."""
    return [host for host in web.hosts if host.partition(".")[0] not in LEFT_OUT]


def crawler(hosts, place, store, again=None):
    """Return a crawler of a web that is served at a place."""

    def resolve(host, port):
        if host not in hosts:
            raise FetchError(host, "dns")
        return place

    return Crawler(
        [START],
        store=store,
        urls=UrlFilter(hosts),
        delay=0,
        threads=3,
        timeout=10.0,
        retries=RetryPolicy(max_tries=2, first=0.01),
        resolve=resolve,
        allow_private=True,
        revisit=every(again) if again else None,
    )


def serve_lines(hosts, place):
    """Crawl as lines ask for it."""
    for line in sys.stdin:
        number = os.fork()
        if number == 0:
            try:
                folder, _, again = line.rstrip("\n").partition("\t")
                crawler(hosts, place, folder, float(again or 0)).run(12 if again else None)
            except BaseException as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        print(number, flush=True)
        print(os.waitpid(number, 0)[1], flush=True)


if __name__ == "__main__":
    serve_lines(sys.argv[3:], (sys.argv[1], int(sys.argv[2])))
