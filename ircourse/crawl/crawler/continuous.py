"""A crawl without end: pages that were kept are visited again (book, section 20.2; slides on freshness).

due    of a page: the time from which it is to be visited again. The schedule is on disk; a page that is due
       joins the URLs that wait, and the frontier hands it out like any other, politely
shelf  where new URLs wait, once as many pages are stored as are wanted: visits of known pages go on

Differs from the book: Figure 20.1 leads a fetched URL straight back to the frontier. Here it goes back when
it is due, so that the frontier holds what may be fetched now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ircourse.crawl.crawler.events import Action, Store
from ircourse.crawl.crawler.harvest import Harvest
from ircourse.crawl.crawler.reading import Reading
from ircourse.crawl.crawler.returns import Conditions, Returns
from ircourse.types import Response

__all__ = ["Continuous"]


class Continuous(Harvest):
    """A harvest whose pages are visited again, as ``returns`` says; see `Harvest` for the rest.

    max_pages  pages to store; of what comes after only they are visited, again and again
    """

    def __init__(self, returns: Returns, *parts: Any, **options: Any) -> None:
        super().__init__(*parts, **options)
        self.returns = returns

    @property
    def full(self) -> bool:
        """Whether nothing more is to be fetched: never, see `put_aside`."""
        return False

    def is_enough(self, under_way: int) -> bool:
        """Whether nothing more is to be fetched but what is under way: never."""
        return False

    @property
    def pause(self) -> float:
        """The seconds until a page is to be visited again, infinite where none is."""
        return self.returns.schedule.next - self.time

    def is_known(self, url: str) -> bool:
        """Whether a page was kept before, so that this visit is one more."""
        return url in self.returns

    def conditions(self, url: str) -> Conditions:
        """Return the further headers with which to ask for a URL."""
        return self.returns.conditions(url)

    def call_due(self) -> None:
        """Put the pages that are to be visited again by now into the frontier."""
        for url, clicks in self.returns.schedule.due(self.time):
            if self.rule(url, clicks):  # the scope was another when it was found
                self.returns.put_off(url, self.time)
            else:
                self._wait(url, clicks)

    def put_aside(self, url: str) -> bool:
        """Whether a new URL is not to be asked for since no more are wanted; it is put on the shelf."""
        if self.wanted > 0 or url in self.held or self.is_known(url):
            return False
        self.returns.schedule.shelve(url, self.ledger.clicks(url))
        self.ledger.done(url)
        return True

    def call_in(self) -> None:
        """Put the URLs on the shelf into the frontier, if more pages are wanted."""
        for url, clicks in self.returns.schedule.unshelve() if self.wanted > 0 else ():
            self._wait(url, clicks)

    def add(self, urls: Sequence[str], clicks: int = 0) -> None:
        """Put URLs that no filter has refused into the frontier, if they are new, or dead so far."""
        self.returns.linked(urls, self.time)
        super().add(urls, clicks)

    def read(self, url: str, response: Response) -> Iterator[Action]:
        """Take in the answer for ``url``; yield its storing."""
        what, saved = self.returns.same(url, response, self.time)
        self.statistics.saved += saved
        if not what:
            yield from super().read(url, response)
            return
        self._chains.pop(url, None)
        if what == "again":
            self.queue(url)
        else:
            self.ledger.done(url)
            yield Store(url, response)
        self.step(url, what, f"status {response.status}")

    def settle(self, url: str, response: Response, found: Reading, clicks: int) -> str:
        """Settle when a page that was read is visited again, and return what it is."""
        if found.target == url:
            return found.what
        what = self.returns.came(url, response, found, clicks, self.reader.seen, self.time)
        if what == "gone":
            self.reader.forget(url)
        return what or found.what

    def give_up(self, url: str, what: str, why: str) -> None:
        """Let a URL go; a page that was kept is tried again when it is due, some times."""
        missed = self.returns.missed(url, self.time)
        if missed == "gone":
            self.reader.forget(url)
        super().give_up(url, missed or what, (why or what) if missed else why)

    def go_on(self) -> None:
        """Take up what is known of an earlier run, and let pages be due that it did not visit again."""
        self.returns.schedule.go_back(self.time)
        for url, clicks in list(self.ledger.waiting()):
            if self.is_known(url) and self.rule(url, clicks):
                self.ledger.done(url)
                self.returns.put_off(url, self.time)
        super().go_on()

    def _wait(self, url: str, clicks: int) -> None:
        self.ledger.wait([url], clicks)
        self.queue(url, clicks)
