"""The core of the crawler: events in, actions out, and no thread, socket or clock (book, section 20.2.1).

event, action  see `events`; `Core.handle` takes one event and yields what is to be done
errand   a URL that the frontier has handed out, and what is asked for on its behalf: itself or a robots.txt
out      the errands under way, by the URL that was asked for
lost     errands whose host is being looked up, by host
found    those whose host has been looked up meanwhile

The cycle of a URL (Figure 20.1): the frontier hands it out; its host is looked up; its site's robots.txt is
asked for where it is not at hand or has expired; it is fetched; the page is read; its links, filtered and
new, go to the frontier. The next URL is handed out before the page is read, so that the network does not wait
for the parser. robots.txt is a fetch as any other: the gap to the next is kept after it, too.

The same events at the same times give the same actions, so a crawl can be replayed from its log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from math import inf
from typing import NamedTuple, TypeAlias

from ircourse.crawl.events import Action, Event, Failed, Fetch, Fetched, Resolved, Wait
from ircourse.crawl.frontier import Empty, Outcome
from ircourse.crawl.frontier_items import Wait as Pause
from ircourse.crawl.frontier_items import host_of
from ircourse.crawl.harvest import Harvest
from ircourse.crawl.names import Closed, Names, is_public
from ircourse.crawl.retry import RetryPolicy
from ircourse.crawl.robots_files import Site
from ircourse.types import FetchError, Response

__all__ = ["Core", "Gap"]

Answer: TypeAlias = Response | FetchError
Gap: TypeAlias = Callable[[tuple[str, ...] | None, float], float]
POLL = 1.0  # seconds between two looks whether another host has sent a robots.txt
MAX_LOOK_UPS = 2  # of a host about which no name server answers; that there is none is believed
MAX_DELAY = 600.0  # seconds; a longer crawl-delay is cut to this


class Errand(NamedTuple):
    """See the module; ``site`` is set where the site's robots.txt is asked for."""

    url: str
    host: str
    start: float
    addresses: tuple[str, ...] | None = None
    site: Site | None = None


class Core:
    """A crawler without hands; see the module.

    names        None: the fetcher finds hosts by itself
    connections  requests under way at once, at most
    gap          a function from the addresses of a host and the seconds of a fetch to the least gap after it,
                 beside what the frontier keeps
    hurry        whether Crawl-delay is left unheeded at addresses that are not public
    epoch        seconds since 1970 when the clock shows 0, for dates in Retry-After

    `finished` holds, after the last action of `handle`, when the crawl is over or has been told to stop.
    """

    def __init__(
        self,
        harvest: Harvest,
        *,
        retries: RetryPolicy,
        names: Names | None = None,
        connections: int = 4,
        gap: Gap | None = None,
        hurry: bool = False,
        epoch: float = 0.0,
    ) -> None:
        self.harvest, self.retries, self.names = harvest, retries, names
        self.frontier, self.robots, self.statistics = harvest.frontier, harvest.robots, harvest.statistics
        self.connections, self.gap, self.hurry, self.epoch = connections, gap, hurry, epoch
        self.stopping = False
        self.out: dict[str, Errand] = {}
        self._lost: dict[str, Errand] = {}
        self._found: deque[Errand] = deque()
        self._shared: dict[str, list[Site]] = {}  # robots.txt elsewhere → sites it is for
        self._tries: dict[str, int] = {}
        self._now = 0.0
        self._pause = inf
        self._empty = False
        self._reading = 0

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do, or nothing more is wanted."""
        return not self.out and (self.stopping or self._empty or self._wanted <= 0)

    @property
    def _wanted(self) -> float:
        return self.harvest.max_pages - self.statistics.stored

    def handle(self, event: Event, now: float) -> Iterator[Action]:
        """Take in an event that came at the time ``now``; yield what to do, to be done as it is yielded."""
        self._now = self.harvest.now = now
        if isinstance(event, Fetched | Failed):
            yield from self._answered(event)
        if self.names:
            if isinstance(event, Resolved):
                self.names.came(event.host, event.addresses, now)
            yield from self.names.look_ups(now)  # which gives up those that took too long
            for host in [host for host in self._lost if self.names.ask(host, now) is not None]:
                self._found.append(self._lost.pop(host))
        yield from self._fill()
        if self.names:
            yield from self.names.look_ups(now)
        self.statistics.waiting = len(self.frontier)
        if not self.finished:
            yield Wait(min(self._pause, self.names.pause(now) if self.names else inf))

    def _fill(self) -> Iterator[Action]:
        """Hand out URLs while connections are free and pages wanted."""
        self._pause, self._empty = inf, False
        while not self.stopping and len(self.out) < self.connections:
            if self._found:
                yield from self._go(self._found.popleft())
                continue
            if self._wanted <= self._reading + self.frontier.in_flight:
                return
            taken = self.frontier.take(self._now)
            if isinstance(taken, Empty | Pause):
                self._empty = isinstance(taken, Empty) and not self._reading
                self._pause = taken.seconds if isinstance(taken, Pause) else inf
                return
            yield from self._go(Errand(taken.url, taken.host, self._now))

    def _go(self, errand: Errand) -> Iterator[Action]:
        """Do the next thing for a URL that the frontier has handed out."""
        url = errand.url
        if self.names:
            addresses = self.names.ask(errand.host, self._now)
            if addresses is None:
                self._lost[errand.host] = errand
                return
            if isinstance(addresses, Closed):
                yield from self._no_way(errand, addresses)
                return
            errand = errand._replace(addresses=addresses, start=self._now)
        robots = self.robots.current(url, self._now)
        if url in self._shared or (robots and robots.allows(url, self.harvest.agent)):
            yield self._request(url, errand)
        elif robots:
            self.frontier.done(url, Outcome(None), self._now)
            given_up = self.robots.site(url).given_up
            yield from self._fail(url, *(("failed", "no robots.txt came") if given_up else ("robots", "")))
        else:
            yield from self._ask_for_robots(errand)

    def _ask_for_robots(self, errand: Errand) -> Iterator[Action]:
        """Ask for robots.txt; where a redirect has led to another host, let that one's turn come."""
        site = self.robots.site(errand.url)
        if host_of(site.asked) == errand.host:
            yield self._request(site.asked, errand._replace(site=site))
            return
        if site.asked not in self._shared:
            self._shared[site.asked] = []
            self.frontier.add(site.asked, inf)
        if site not in self._shared[site.asked]:
            self._shared[site.asked].append(site)
        self.frontier.done(errand.url, Outcome(None, 0.0, POLL), self._now, again=True)

    def _request(self, url: str, errand: Errand) -> Fetch:
        self.out[url] = errand
        return Fetch(url, errand.addresses)

    def _no_way(self, errand: Errand, closed: Closed) -> Iterator[Action]:
        """Let a URL wait whose host has no address that may be connected to, or give it up."""
        tries = self._tries.pop(errand.url, 0) + 1
        again = closed.passing and tries < min(MAX_LOOK_UPS, self.retries.max_tries)
        self.frontier.done(errand.url, Outcome(None, 0.0, closed.seconds if again else 0.0), self._now)
        if again:
            self._try_again(errand.url, tries, closed.why, closed.seconds)
        else:
            yield from self._fail(errand.url, "failed", closed.why, closed.kind)

    def _answered(self, event: Fetched | Failed) -> Iterator[Action]:
        errand = self.out.pop(event.url)
        self.statistics.fetched += 1
        self.statistics.hosts = len(self.robots)
        if isinstance(event, Fetched):
            answer: Answer = event.response
            why = f"status {event.response.status}"
            self.statistics.bytes += len(event.response.body)
        else:
            answer = FetchError(event.url, event.kind)
            why = f"{event.kind}: {event.why}" if event.why else event.kind
        if errand.site or errand.url in self._shared:
            self._robots_came(errand, answer)
            self.harvest.step(event.url, "robots.txt", why)
        else:
            yield from self._page_came(errand, answer, why)

    def _robots_came(self, errand: Errand, answer: Answer) -> None:
        """Take in a robots.txt, for a URL of the same host, which is the next one, or for other hosts."""
        sites = [errand.site] if errand.site else self._shared.pop(errand.url)
        rest = max([self._take_in(site, answer, errand.addresses) for site in sites])
        outcome = self._outcome(errand, answer, rest)
        self.frontier.done(errand.url, outcome, self._now, again=errand.site is not None)

    def _take_in(self, site: Site, answer: Answer, addresses: tuple[str, ...] | None = None) -> float:
        """Take in an answer about a site's robots.txt; return the rest until it is asked again."""
        self.robots.answered(site, answer, self._now)
        robots = self.robots.current(f"{site.origin}/", self._now)
        if robots is None:  # a redirect
            return 0.0
        delay = robots.crawl_delay(self.harvest.agent)
        heeded = not (self.hurry and addresses and not is_public(addresses))
        if delay is not None and heeded:
            self.frontier.set_delay(host_of(f"{site.origin}/"), min(delay, MAX_DELAY))
        return robots.expires_at - self._now if site.failures and not site.given_up else 0.0

    def _page_came(self, errand: Errand, answer: Answer, why: str) -> Iterator[Action]:
        """Let the host rest, try again what may pass, read the rest while the next requests are under way."""
        url, tries = errand.url, self._tries.pop(errand.url, 0) + 1
        rest = self.retries.wait(tries, answer, self.epoch + self._now)
        self.frontier.done(url, self._outcome(errand, answer, rest or 0.0), self._now)
        if rest is not None:
            self._try_again(url, tries, why, rest)
            return
        self._reading = 1
        yield from self._fill()
        self._reading = 0
        if isinstance(answer, FetchError):
            yield from self._fail(url, "failed", why, answer.kind)
        elif url in self.harvest.held:
            yield from self.harvest.learn(url, answer)
        else:
            yield from self.harvest.read(url, answer)

    def _try_again(self, url: str, tries: int, why: str, rest: float) -> None:
        self._tries[url] = tries
        self.frontier.add(url, inf if url in self._shared or url in self.harvest.held else 0.5)
        self.harvest.step(url, "again", f"{why}; in {rest:.0f} s")

    def _fail(self, url: str, what: str, why: str, kind: str = "") -> Iterator[Action]:
        """Give up a URL, whatever it was asked for."""
        if url in self._shared:
            for site in self._shared.pop(url):
                self._take_in(site, FetchError(url, kind))
        elif url in self.harvest.held:  # so nothing is known of apologies
            yield from self.harvest.learn(url, Response(404))
        else:
            self.harvest.give_up(url, what, why)

    def _outcome(self, errand: Errand, answer: Answer, rest: float) -> Outcome:
        """Return how a fetch went, with the rest that the host is to have after it."""
        if isinstance(answer, Response):
            status, seconds = answer.status, answer.seconds
        else:
            status, seconds = None, self._now - errand.start
        gap = self.gap(errand.addresses, seconds) if self.gap else 0.0
        return Outcome(status, seconds, max(rest, gap))
