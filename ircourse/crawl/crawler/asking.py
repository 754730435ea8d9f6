"""What a crawler asks for robots.txt: on whose behalf, and which URLs wait for it meanwhile.

shared  robots.txt elsewhere, where a redirect has led → the sites it is for
aside   URLs whose site did not answer, until it is asked again: meanwhile their host's other ports have turns
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

from ircourse.crawl.crawler.names import is_public
from ircourse.crawl.crawler.robots_files import RobotsFiles, Site
from ircourse.crawl.frontier.frontier import Frontier
from ircourse.crawl.frontier.items import Outcome, host_of
from ircourse.types import FetchError, Response

__all__ = ["Asking", "Errand"]

POLL = 1.0  # seconds between two looks whether another host has sent a robots.txt
MAX_DELAY = 600.0  # seconds; a longer crawl-delay is cut to this
MANY = 1000  # URLs aside, from which on each costs its host the gap, so that they stay few


class Errand(NamedTuple):
    """A URL that the frontier has handed out; ``site`` is set where the site's robots.txt is asked for."""

    url: str
    host: str
    start: float
    addresses: tuple[str, ...] | None = None
    site: Site | None = None


class Asking:
    """The business of a core with robots.txt.

    agent  the token by which robots.txt knows the crawler
    hurry  whether Crawl-delay is left unheeded at addresses that are not public
    """

    def __init__(self, files: RobotsFiles, frontier: Frontier, agent: str, hurry: bool = False) -> None:
        self.files, self.frontier, self.agent, self.hurry = files, frontier, agent, hurry
        self.shared: dict[str, list[Site]] = {}
        self._aside: list[tuple[float, int, str]] = []
        self._turn = 0

    def __len__(self) -> int:
        """How many URLs are put aside."""
        return len(self._aside)

    def share(self, site: Site) -> None:
        """Let the turn come of a host to which a redirect of a site's robots.txt has led."""
        if site.asked not in self.shared:
            self.shared[site.asked] = []
            self.frontier.add(site.asked, inf)
        if site not in self.shared[site.asked]:
            self.shared[site.asked].append(site)

    def come(
        self,
        sites: Iterable[Site],
        answer: Response | FetchError,
        now: float,
        addresses: tuple[str, ...] | None = None,
        rest: float = 0.0,
    ) -> None:
        """Take in an answer about the robots.txt of some sites, which are to be left alone for ``rest``."""
        for site in sites:
            self._take_in(site, answer, now, addresses)
            if site.failures and site.robots:
                site.robots.expires_at = max(site.robots.expires_at, now + rest + POLL)

    def _take_in(
        self, site: Site, answer: Response | FetchError, now: float, addresses: tuple[str, ...] | None
    ) -> None:
        self.files.answered(site, answer, now)
        robots = self.files.current(f"{site.origin}/", now)
        if robots is None:  # a redirect
            return
        delay = robots.crawl_delay(self.agent)
        heeded = not (self.hurry and addresses and not is_public(addresses))
        if delay is not None and heeded:
            self.frontier.set_delay(host_of(f"{site.origin}/"), min(delay, MAX_DELAY))

    def put_aside(self, url: str, now: float) -> None:
        """Let a URL wait that is not in the frontier, until its site may be asked again."""
        site = self.files.site(url)
        until = site.robots.expires_at if site.robots and site.rests else now + POLL
        self._turn += 1
        heappush(self._aside, (max(until, now), self._turn, url))

    def due(self, now: float) -> Iterator[str]:
        """Yield the URLs that have waited until ``now``."""
        while self._aside and self._aside[0][0] <= now:
            yield heappop(self._aside)[2]

    def pause(self, now: float) -> float:
        """Return the seconds until a URL is due, infinite where none waits."""
        return self._aside[0][0] - now if self._aside else inf

    @property
    def unasked(self) -> Outcome | None:
        """How it went with a URL that is put aside before anything was asked of its host."""
        return None if len(self._aside) < MANY else Outcome(None)
