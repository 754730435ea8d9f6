"""The robots.txt of every site that a crawl meets: which to ask for, which hold, which have expired.

origin   scheme, host and port: each has a file of its own
asked    the URL to ask for: ``origin/robots.txt``, after redirects their target
failures  how often in a row no file and no word of its absence came
given_up  whether that was so often, or for such a reason, that the site's URLs are given up

A file is asked about when a URL is about to be fetched, not only when its link is found: meanwhile the site
may have closed it (claim C49). So an expired file is asked for again first.

Source: RFC 9309, sections 2.3 and 2.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ircourse.crawl.crawler.retry import REDIRECTS, is_passing
from ircourse.crawl.robots import MAX_REDIRECTS, Robots
from ircourse.crawl.urls import canonical_url
from ircourse.types import FetchError, Response

__all__ = ["MAX_FAILURES", "RobotsFiles", "Site", "origin_of"]

MAX_FAILURES = 4  # in a row, after which the URLs of a site are given up, as they are where none may pass
FIRST_REST, LONGEST_REST = 60.0, 900.0  # seconds before a site that did not answer is asked again


def origin_of(url: str) -> str:
    """Return scheme, host and port of a canonical URL.

    >>> origin_of("http://harbour.example:81/ferries")
    'http://harbour.example:81'
    """
    return url[: url.index("/", 8)]


@dataclass(slots=True)
class Site:
    """What is known of one origin's file; see the module."""

    origin: str
    asked: str
    robots: Robots | None = None
    redirects: int = 0
    failures: int = 0
    given_up: bool = False

    @property
    def rests(self) -> bool:
        """Whether the site did not answer and is to be asked again."""
        return self.failures > 0 and not self.given_up


class RobotsFiles:
    """The files by origin.

    in_scope      whether the crawl may request a URL: a redirect to another is not followed
    max_failures  in a row, after which the URLs of a site are given up

    >>> files = RobotsFiles(lambda url: True)
    >>> site = files.site("http://harbour.example/ferries")
    >>> site.asked
    'http://harbour.example/robots.txt'
    >>> files.answered(site, Response(404), now=0.0)
    >>> files.current("http://harbour.example/", 0.0).allows("http://harbour.example/", "ircourse")
    True
    """

    def __init__(self, in_scope: Callable[[str], bool], max_failures: int = MAX_FAILURES) -> None:
        self._in_scope, self._max_failures = in_scope, max_failures
        self._sites: dict[str, Site] = {}

    def __len__(self) -> int:
        """How many sites are known."""
        return len(self._sites)

    def site(self, url: str) -> Site:
        """Return what is known of the site of ``url``."""
        origin = origin_of(url)
        site = self._sites.get(origin)
        if site is None:
            site = self._sites[origin] = Site(origin, f"{origin}/robots.txt")
        return site

    def current(self, url: str, now: float) -> Robots | None:
        """Return the file that holds for ``url``, None where it is to be asked for."""
        robots = self.site(url).robots
        return robots if robots is not None and now < robots.expires_at else None

    def answered(self, site: Site, answer: Response | FetchError, now: float) -> None:
        """Take in what came when ``site.asked`` was asked for.

        A redirect changes ``asked``, and the file is still to be asked for.
        """
        if isinstance(answer, Response) and answer.status in REDIRECTS and site.redirects < MAX_REDIRECTS:
            target = canonical_url(answer.headers.get("location", ""), site.asked)
            if target and "location" in answer.headers:
                if self._in_scope(target):
                    site.asked = target
                    site.redirects += 1
                    return
                answer = FetchError(target, "refused")
        status = answer if isinstance(answer, FetchError) else answer.status
        body = b"" if isinstance(answer, FetchError) else answer.body
        site.robots = Robots.from_answer(status, body, now=now)
        site.asked, site.redirects = f"{site.origin}/robots.txt", 0
        if isinstance(status, int) and status < 500 and status != 429:
            site.failures, site.given_up = 0, False
            return
        site.failures += 1
        site.given_up = site.failures >= self._max_failures or not is_passing(answer)
        rest = min(FIRST_REST * 2 ** (site.failures - 1), LONGEST_REST)
        site.robots.expires_at = min(site.robots.expires_at, now + rest)
