"""What becomes of the pages that came: stored, followed, tried again, given up (book, section 20.2.1).

held    pages that may be apologies, until it is known what their host answers for a URL that cannot exist
chains  the redirects that led to a URL that waits
step    a line of the log: `Step`

A URL leaves the ledger's waiting ones when its page is read, in the same turn in which the page is stored and
its links are added: one commit keeps all of that or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import TypeAlias

from ircourse.crawl.events import Action, Step, Store
from ircourse.crawl.frontier import Frontier
from ircourse.crawl.ledger import Ledger
from ircourse.crawl.reading import Reader
from ircourse.crawl.robots_files import RobotsFiles
from ircourse.crawl.statistics import Statistics
from ircourse.types import Response

__all__ = ["Harvest", "Watch"]

Watch: TypeAlias = Callable[[Step, Statistics], object] | None


class Harvest:
    """Pages and links of a crawl, and its log; see the module.

    agent      the token by which robots.txt knows the crawler
    max_pages  pages to store; what comes after is left waiting
    """

    def __init__(
        self,
        frontier: Frontier,
        ledger: Ledger,
        reader: Reader,
        robots: RobotsFiles,
        *,
        agent: str = "ircourse",
        watch: Watch = None,
    ) -> None:
        self.frontier, self.ledger, self.reader, self.robots = frontier, ledger, reader, robots
        self.agent, self.watch = agent, watch
        self.max_pages = inf
        self.statistics = Statistics(refused=reader.refused)
        self.now = 0.0
        self.held: dict[str, list[tuple[str, Response]]] = {}
        self._chains: dict[str, tuple[str, ...]] = {}

    def add(self, urls: Sequence[str], clicks: int = 0) -> None:
        """Put URLs that no filter has refused into the frontier, if they are new."""
        wanted = [url for url in self.ledger.new(urls) if self._is_wanted(url)]
        self.ledger.wait(wanted, clicks)
        for url in wanted:
            self.frontier.add(url)

    def read(self, url: str, response: Response) -> Iterator[Action]:
        """Take in the answer for ``url``; yield its storing."""
        if self.statistics.stored >= self.max_pages:  # one that was held
            self.frontier.add(url)
            return
        chain = (*self._chains.pop(url, ()), url)
        clicks = self.ledger.clicks(url)
        found = self.reader.read(chain, response, clicks)
        if found.ask:
            self._chains[url] = chain[:-1]
            self._hold(url, response, found.ask)
            return
        if found.target == url:  # once, or it is called a loop
            self.frontier.add(url)
            self._chains[url] = chain
        else:
            self.ledger.done(url)
        if found.target and found.target not in self.ledger:
            self._chains[found.target] = chain
            self.add([found.target], clicks)
        if found.keep:
            self.statistics.stored += 1
            yield Store(url, response)
        self.add(found.links, clicks + 1)
        self.step(url, found.what, found.why)

    def learn(self, made_up: str, response: Response) -> Iterator[Action]:
        """Take in what a host answers for a URL that cannot exist, and read the pages held for it."""
        self.reader.learn(made_up, response)
        for url, page in self.held.pop(made_up):
            yield from self.read(url, page)

    def give_up(self, url: str, what: str, why: str) -> None:
        """Let a URL go."""
        self.ledger.done(url)
        self._chains.pop(url, None)
        self.step(url, what, why)

    def step(self, url: str, what: str, why: str = "") -> None:
        """Write a line of the log."""
        self.statistics.steps[what] += 1
        self.statistics.waiting = len(self.frontier)
        if self.watch:
            self.watch(Step(self.now, url, what, why), self.statistics)

    def _hold(self, url: str, response: Response, made_up: str) -> None:
        if made_up not in self.held:
            self.held[made_up] = []
            self.frontier.add(made_up, inf)
        self.held[made_up].append((url, response))

    def _is_wanted(self, url: str) -> bool:
        """Whether robots.txt, as far as it is at hand, and the budgets of the filter let a new URL in."""
        robots = self.robots.current(url, self.now)
        if robots and not robots.allows(url, self.agent):
            self.step(url, "robots")
            return False
        return self.reader.spend(url)
