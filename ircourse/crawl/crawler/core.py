"""The core of the crawler: events in, actions out, and no thread, socket or clock (book, section 20.2.1).

event, action  see `events`; `Core.handle` takes one event and yields what is to be done
errand   a URL that the frontier has handed out, and what is asked for on its behalf: `Errand`
out      the errands under way, by the URL that was asked for
lost     errands whose host is being looked up, by host; found: those whose host has been, meanwhile

The cycle of a URL (Figure 20.1): the frontier hands it out; its host is looked up; its site's robots.txt is
asked for where it is not at hand or has expired; it is fetched; the page is read; its links, filtered and
new, go to the frontier. The next URL is handed out before the page is read: the network does not wait for the
parser. After a robots.txt the gap is kept as after any fetch.

The same events at the same times give the same actions, so a crawl can be replayed from its log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from math import inf
from typing import TypeAlias

from ircourse.crawl.crawler.asking import Asking, Errand
from ircourse.crawl.crawler.events import Action, Event, Failed, Fetch, Fetched, Resolved, Wait
from ircourse.crawl.crawler.harvest import Harvest
from ircourse.crawl.crawler.names import Closed, Names
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.crawl.frontier.frontier import Empty, Outcome
from ircourse.crawl.frontier.items import Wait as Pause
from ircourse.crawl.frontier.items import host_of
from ircourse.types import FetchError, Response

__all__ = ["Core", "Gap"]

Answer: TypeAlias = Response | FetchError
Gap: TypeAlias = Callable[[tuple[str, ...] | None, float], float]
MAX_LOOK_UPS = 2  # of a host about which no name server answers; that there is none is believed


class Core:
    """A crawler without hands; see the module.

    names        None: the fetcher finds hosts by itself
    connections  requests at once, at most
    gap          a function from the addresses of a host and the seconds of a fetch to the least gap after it,
                 beside what the frontier keeps
    hurry        whether Crawl-delay is left unheeded at addresses that are not public
    epoch        seconds since 1970 when the clock shows 0, for dates in Retry-After

    No request begins at the time ``end`` or later. `finished` holds when the crawl is over or told to stop.
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
        self.connections, self.gap, self.end = connections, gap, inf
        self.asking = Asking(harvest.robots, harvest.frontier, harvest.agent, hurry)
        self._shared = self.asking.shared
        harvest.epoch = epoch
        self.stopping = False
        self.out: dict[str, Errand] = {}
        self._lost: dict[str, Errand] = {}
        self._found: deque[Errand] = deque()
        self._tries: dict[str, int] = {}
        self._now, self._pause, self._empty, self._reading = 0.0, inf, False, 0

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do, or nothing more is wanted."""
        over = self._empty and self.harvest.pause == inf
        return not self.out and (self.stopping or over or self.harvest.full or self._now >= self.end)

    def handle(self, event: Event, now: float) -> Iterator[Action]:
        """Take in an event that came at the time ``now``; yield what to do, to be done as it is yielded."""
        self._now = self.harvest.now = now
        for url in self.asking.due(now):
            self._queue(url)
        self.harvest.call_due()
        yield from self.harvest.catch_up()
        if isinstance(event, Fetched | Failed):
            yield from self._answered(event)
        if self.names:
            if isinstance(event, Resolved):
                self.names.came(*event, now=now)
            yield from self.names.look_ups(now)  # which gives up those that took too long
            for host in [host for host in self._lost if self.names.ask(host, now) is not None]:
                self._found.append(self._lost.pop(host))
        yield from self._fill()
        if self.names:
            yield from self.names.look_ups(now)
        self.statistics.waiting = len(self.frontier) + len(self.asking)
        self.statistics.under_way = len(self.out)
        if not self.finished:
            pauses = self._pause, self.asking.pause(now), self.names.pause(now) if self.names else inf
            left = self.end - now if now < self.end else inf
            yield Wait(max(0.0, min(*pauses, self.harvest.pause, left)))

    def abandon(self) -> None:
        """Let go what is under way, to be asked for again."""
        for errand in self.out.values():
            self._done(errand, Outcome(None), again=True)
        self.out.clear()

    def _fill(self) -> Iterator[Action]:
        """Hand out URLs while connections are free and pages wanted."""
        self._pause, self._empty = inf, False
        while not self.stopping and self._now < self.end and len(self.out) < self.connections:
            if self._found:
                yield from self._go(self._found.popleft())
                continue
            if self.harvest.is_enough(self._reading + self.frontier.in_flight):
                return
            taken = self.frontier.take(self._now)
            if isinstance(taken, Empty | Pause):
                self._empty = isinstance(taken, Empty) and not self._reading and not self.asking
                self._pause = taken.seconds if isinstance(taken, Pause) else inf
                return
            if taken.url not in self._shared and self.harvest.put_aside(taken.url):
                self.frontier.done(taken.url, None, self._now)
            else:
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
        elif robots and self.robots.site(url).rests:
            self._put_aside(url)
        elif robots:
            self.frontier.done(url, Outcome(None), self._now)
            closed = ("failed", "no robots.txt came") if self.robots.site(url).given_up else ("robots", "")
            yield from self._fail(url, *closed)
        else:
            yield from self._ask_for_robots(errand)

    def _ask_for_robots(self, errand: Errand) -> Iterator[Action]:
        """Ask for robots.txt; where a redirect has led to another host, let that one's turn come."""
        site = self.robots.site(errand.url)
        if host_of(site.asked) == errand.host:
            yield self._request(site.asked, errand._replace(site=site))
            return
        self.asking.share(site)
        self._put_aside(errand.url)

    def _put_aside(self, url: str) -> None:
        self.frontier.done(url, self.asking.unasked, self._now)
        self.asking.put_aside(url, self._now)

    def _request(self, url: str, errand: Errand) -> Fetch:
        self.out[url] = errand
        self.harvest.note_rest(errand.host)
        robots = errand.site is not None or url in self._shared
        return Fetch(url, errand.addresses, robots, () if robots else self.harvest.conditions(url))

    def _done(self, errand: Errand, outcome: Outcome, again: bool = False) -> None:
        self.frontier.done(errand.url, outcome, self._now, again=again)
        self.harvest.note_rest(errand.host)

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
            answer, why = FetchError(event.url, event.kind), ": ".join(filter(None, event[1:]))
        if errand.site or errand.url in self._shared:
            self.harvest.step(event.url, "robots.txt", why)
            yield from self._robots_came(errand, answer)
        else:
            yield from self._page_came(errand, answer, why)

    def _robots_came(self, errand: Errand, answer: Answer) -> Iterator[Action]:
        """Take in a robots.txt, for a URL of the same host, which is the next one, or for other hosts."""
        outcome, site = self._outcome(errand, answer), errand.site
        sites = [site] if site else self._shared.pop(errand.url)
        self.asking.come(sites, answer, self._now, errand.addresses, outcome.retry_after)
        self._done(errand, outcome, bool(site and not site.failures))
        if site and site.given_up:
            yield from self._fail(errand.url, "failed", "no robots.txt came")
        elif site and site.failures:
            self.asking.put_aside(errand.url, self._now)

    def _page_came(self, errand: Errand, answer: Answer, why: str) -> Iterator[Action]:
        """Let the host rest, try again what may pass, read the rest while the next requests are under way."""
        url, tries = errand.url, self._tries.pop(errand.url, 0) + 1
        rest = self.retries.wait(tries, answer, self.harvest.time)
        self._done(errand, self._outcome(errand, answer, rest or 0.0))
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
        self._queue(url)
        self.harvest.step(url, "again", f"{why}; in {rest:.0f} s")

    def _queue(self, url: str) -> None:
        if url in self._shared or url in self.harvest.held:  # others wait for it
            self.frontier.add(url, inf)
        else:
            self.harvest.queue(url)

    def _fail(self, url: str, what: str, why: str, kind: str = "") -> Iterator[Action]:
        """Give up a URL, whatever it was asked for."""
        if url in self._shared:
            self.asking.come(self._shared.pop(url), FetchError(url, kind), self._now)
        elif url in self.harvest.held:  # so nothing is known of apologies
            yield from self.harvest.learn(url, Response(404))
        else:
            self.harvest.give_up(url, what, why)

    def _outcome(self, errand: Errand, answer: Answer, rest: float = 0.0) -> Outcome:
        """Return how a fetch went, with the rest that the host is to have after it."""
        seconds = self._now - errand.start if isinstance(answer, FetchError) else answer.seconds
        gap = self.gap(errand.addresses, seconds) if self.gap else 0.0
        asked = self.retries.rest(answer, self.harvest.time)
        return Outcome(getattr(answer, "status", None), seconds, max(rest, gap, asked))
