"""What becomes of the pages that came: stored, followed, tried again, given up (book, section 20.2.1).

held    pages that may be apologies, until it is known what their host answers for a URL that cannot exist
ripe    pages that came and are to be read as soon as pages are wanted
chains  the redirects that led to a URL that waits
step    a line of the log: `Step`

The ledger has the pages that are held or ripe, so that an end of the crawl takes none of them.

A URL leaves the ledger's waiting ones when its page is read, in the same turn in which the page is stored and
its links are added: one commit keeps all of that or nothing.

Here each page is fetched once; `Continuous` visits pages again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import TypeAlias

from ircourse.crawl.crawler.events import Action, Step, Store
from ircourse.crawl.crawler.ledger import Ledger
from ircourse.crawl.crawler.reading import Reader, Reading
from ircourse.crawl.crawler.robots_files import RobotsFiles
from ircourse.crawl.crawler.statistics import Statistics
from ircourse.crawl.frontier.frontier import Frontier
from ircourse.crawl.urls import canonical_url
from ircourse.types import Response

__all__ = ["Harvest", "Priority", "Watch"]

Watch: TypeAlias = Callable[[Step, Statistics], object] | None
Priority: TypeAlias = Callable[[str, int], float] | None


class Harvest:
    """Pages and links of a crawl, and its log; see the module.

    agent      the token by which robots.txt knows the crawler
    priority   of a URL, by its clicks from a seed; None: the same for all
    max_pages  pages to store; what comes after is left waiting
    now, epoch  the time of the clock, and seconds since 1970 when it shows 0
    """

    def __init__(
        self,
        frontier: Frontier,
        ledger: Ledger,
        reader: Reader,
        robots: RobotsFiles,
        *,
        agent: str = "ircourse",
        priority: Priority = None,
        watch: Watch = None,
    ) -> None:
        self.frontier, self.ledger, self.reader, self.robots = frontier, ledger, reader, robots
        self.agent, self.watch, self._priority = agent, watch, priority
        self.max_pages = inf
        self.statistics = Statistics(refused=reader.refused)
        self.now, self.epoch = 0.0, 0.0
        self.held: dict[str, list[str]] = {}
        self._ripe: deque[str] = deque()
        self._chains: dict[str, tuple[str, ...]] = {}

    @property
    def wanted(self) -> float:
        """How many more pages are to be stored."""
        return self.max_pages - self.statistics.stored

    @property
    def full(self) -> bool:
        """Whether nothing more is to be fetched."""
        return self.wanted <= 0

    def is_enough(self, under_way: int) -> bool:
        """Whether nothing more is to be fetched but what is under way."""
        return self.wanted <= under_way

    def put_aside(self, url: str) -> bool:
        """Whether a URL of the frontier is not to be asked for now, and waits elsewhere."""
        return False

    def add(self, urls: Sequence[str], clicks: int = 0) -> None:
        """Put URLs that no filter has refused into the frontier, if they are new."""
        wanted = [url for url in self.ledger.new(urls) if self._is_wanted(url)]
        self.ledger.wait(wanted, clicks)
        for url in wanted:
            self.queue(url, clicks)

    def queue(self, url: str, clicks: int | None = None) -> None:
        """Put a URL into the frontier, with the priority that it has for the crawl."""
        if self._priority is None:
            self.frontier.add(url)
        else:
            self.frontier.add(url, self._priority(url, self.ledger.clicks(url) if clicks is None else clicks))

    def note_rest(self, host: str) -> None:
        """Write down how long a host is to be left alone that is asked, or was just now."""
        if seconds := self.frontier.rest(host, self.now):
            self.ledger.rest(host, self.time, seconds)

    def read(self, url: str, response: Response) -> Iterator[Action]:
        """Take in the answer for ``url``; yield its storing."""
        chain = (*self._chains.pop(url, ()), url)
        known = self.is_known(url)
        if self.wanted <= 0 and not known:
            self.ledger.hold(chain, response)
            self._ripe.append(url)
            return
        clicks = self.ledger.clicks(url)
        found = self.reader.read(chain, response, clicks)
        if found.ask:
            self.ledger.hold(chain, response, found.ask)
            self._hold(url, found.ask)
            return
        if found.target == url:  # once, or it is called a loop
            self.queue(url, clicks)
            self._chains[url] = chain
        else:
            self.ledger.done(url)
        if found.target and found.target not in self.ledger:
            self._chains[found.target] = chain
            self.add([found.target], clicks)
        if found.keep:
            self.statistics.stored += not known
            yield Store(url, response)
        self.add(found.links, clicks + 1)
        self.step(url, self.settle(url, response, found, clicks), found.why)

    def learn(self, made_up: str, response: Response) -> Iterator[Action]:
        """Take in what a host answers for a URL that cannot exist, and read the pages held for it."""
        self.reader.learn(made_up, response)
        self._ripe += self.held.pop(made_up)
        yield from self.catch_up()

    def catch_up(self) -> Iterator[Action]:
        """Read the pages that came before they could be read."""
        for _ in range(len(self._ripe)):
            url = self._ripe.popleft()
            if self.wanted > 0 or self.is_known(url):
                self._chains[url], page = self.ledger.answer(url)
                yield from self.read(url, page)
            else:
                self._ripe.append(url)

    @property
    def time(self) -> float:
        """Seconds since 1970."""
        return self.epoch + self.now

    @property
    def pause(self) -> float:
        """The seconds until a page is to be visited again, infinite where none is."""
        return inf

    def call_due(self) -> None:
        """Put the pages that are to be visited again by now into the frontier."""

    def call_in(self) -> None:
        """Put the URLs into the frontier that wait elsewhere, if more pages are wanted."""

    def is_known(self, url: str) -> bool:
        """Whether a page was kept before, so that this visit is one more."""
        return False

    def conditions(self, url: str) -> tuple[tuple[str, str], ...]:
        """Return the further headers with which to ask for a URL."""
        return ()

    def settle(self, url: str, response: Response, found: Reading, clicks: int) -> str:
        """Settle what follows from a page that was read, and return what it is."""
        return found.what

    def go_on(self) -> None:
        """Take up what the ledger knows of an earlier run."""
        for host, seconds in self.ledger.rests(self.time):
            self.frontier.let_rest(host, self.now + seconds)
        held = self.ledger.held()
        for url, clicks in list(self.ledger.waiting()):
            if rule := self.rule(url, clicks):
                held.pop(url, None)
                self.give_up(url, "refused", f"by the rule {rule}")
            elif url not in held:
                self.queue(url, clicks)
        for url, made_up in held.items():
            if made_up and self.reader.is_unsure(url):
                self._hold(url, made_up)
            else:
                self._ripe.append(url)

    def give_up(self, url: str, what: str, why: str) -> None:
        """Let a URL go."""
        self.ledger.done(url)
        self._chains.pop(url, None)
        self.step(url, what, why)

    def step(self, url: str, what: str, why: str = "") -> None:
        """Write a line of the log."""
        self.statistics.steps[what] += 1
        if self.watch:
            self.watch(Step(self.now, url, what, why), self.statistics)

    def rule(self, url: str, clicks: int) -> str:
        """Return why a URL of an earlier run is not asked for now: its scope may have been another."""
        return self.reader.urls.refuse(url, clicks) if canonical_url(url) == url else "canonical URLs"

    def _hold(self, url: str, made_up: str) -> None:
        if made_up not in self.held:
            self.held[made_up] = []
            self.frontier.add(made_up, inf)
        self.held[made_up].append(url)

    def _is_wanted(self, url: str) -> bool:
        """Whether robots.txt, as far as it is at hand, and the budgets of the filter let a new URL in."""
        robots = self.robots.current(url, self.now)
        if robots and not robots.allows(url, self.agent):
            self.step(url, "robots")
            return False
        return self.reader.spend(url)
