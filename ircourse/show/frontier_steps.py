"""The steps of a frontier (section 20.2.3): what `watch_frontier` shows.

What is watched is a `Frontier` between the threads of a trial and their questions: each of its answers is a
step, kept with a copy of its queues.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf
from typing import NamedTuple

from ircourse.crawl.frontier.frontier import Empty, Fetch, Frontier, Wait
from ircourse.crawl.frontier.items import Timed
from ircourse.crawl.frontier.visits import visits
from ircourse.show.svg import clip, plural

LEVELS, DEPTH, MOST = 3, 3, 40
TOWN = """harbour/ferries 1
harbour/tides 1
harbour/map 2
harbour/boats 2
harbour/weather 3
museum/hall 1 2
museum/whales 2 2
museum/prices 3 2
library/catalogue 2
library/hours 2
library/rules 3
news/today 1
news/letters 3
inn/rooms 2
inn/menu 3"""

__all__ = ["DEPTH", "LEVELS", "TOWN", "Moment", "Wanted", "moments", "parse_urls"]


class Wanted(NamedTuple):
    """A line of the student's: its front queue, from 0, and how many seconds its fetch takes."""

    level: int
    seconds: float


class Moment(NamedTuple):
    """The frontier after one of its answers: its queues, by names without scheme, and what happened.

    due     when the selector turns to each front queue, the smallest number first
    chosen  the front queues, from 0, that it has turned to in this step
    heap    (t_e, number) of the back queues that wait for their time
    out     the URLs being fetched, with the time at which they come
    """

    now: float
    says: str
    front: tuple[tuple[str, ...], ...]
    back: tuple[tuple[str | None, tuple[str, ...]], ...]
    heap: tuple[tuple[float, int], ...]
    out: dict[str, float]
    fetched: tuple[str, ...]
    due: tuple[float, ...]
    chosen: frozenset[int] = frozenset()


def parse_urls(text: str) -> dict[str, Wanted]:
    """Return what the lines ask for; ValueError for one that cannot be read.

    >>> parse_urls("harbour/ferries 1\\nmuseum/hall 2 3")["http://museum/hall"]
    Wanted(level=1, seconds=3.0)
    """
    found: dict[str, Wanted] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, *rest = line.split()
        wrong = (
            f"{clip(line, 60)!r}: write host/page, a front queue from 1 to {LEVELS}, and seconds if not 1."
        )
        if len(rest) not in (1, 2) or rest[0] not in ("1", "2", "3") or not name.partition("/")[0].isalnum():
            raise ValueError(wrong)
        if not all(part.isascii() and part.isdigit() and 0 < int(part[:3]) <= 60 for part in rest):
            raise ValueError(wrong)
        host, _, page = name.partition("/")
        found[f"http://{host}/{page}"] = Wanted(int(rest[0]) - 1, float(rest[-1]) if len(rest) == 2 else 1.0)
    if not found or len(found) > MOST:
        raise ValueError(f"{plural(len(found), 'URL')}: write 1 to {MOST}, one on a line.")
    return found


def brief(url: str) -> str:
    """Return a URL without its scheme."""
    return url.removeprefix("http://")


class Watched:
    """A frontier that keeps a `Moment` after each of its answers, with the methods that a trial needs."""

    def __init__(self, frontier: Frontier, wanted: Mapping[str, Wanted]) -> None:
        self.frontier, self.wanted = frontier, wanted
        self.out: dict[str, float] = {}
        self.fetched: list[str] = []
        self.moments: list[Moment] = []

    def add(self, url: str, priority: float = 0.5) -> None:
        """Add a URL; no step, since all of them are there before the first."""
        self.frontier.add(url, priority)

    def take(self, now: float) -> Fetch | Wait | Empty:
        """Return the frontier's answer."""
        before, heap = dict(self.frontier.view.table), {n: at for at, n in self.frontier.view.heap}
        got = self.frontier.take(now)
        opened = {h: n for h, n in self.frontier.view.table.items() if before.get(h) != n}
        heads = {host: self._head(number, got) for host, number in opened.items()}
        filled = "".join(
            f"The selector turns to F{level + 1}: its first URL whose host has no back queue is {head}, so "
            f"empty B{opened[host] + 1} goes to {host}. "
            for host, (head, level) in sorted(heads.items(), key=lambda item: opened[item[0]])
        )
        said = self._answer(got, now, heap)
        self.keep(now, f"A thread asks for a URL. {filled}{said}", {level for _, level in heads.values()})
        return got

    def done(self, url: str, outcome: Timed, now: float) -> None:
        """Tell the frontier that a fetch has ended."""
        del self.out[brief(url)]
        self.fetched.append(brief(url))
        host, before = brief(url).partition("/")[0], dict(self.frontier.view.table)
        self.frontier.done(url, outcome, now)
        due = {number: at for at, number in self.frontier.view.heap}
        number = before[host]
        left = f"B{number + 1} is empty and waits for a host." if number not in due else ""
        rest = f"The heap has B{number + 1} again at t = {due[number]:g} s." if number in due else left
        self.keep(now, f"{brief(url)} has come after {outcome.seconds:g} s. {rest}")

    def keep(self, now: float, says: str, chosen: Collection[int] = ()) -> None:
        """Remember the state."""
        view = self.frontier.view
        front = tuple(tuple(map(brief, urls)) for urls in view.front)
        back = tuple((host, tuple(map(brief, urls))) for host, urls in view.back)
        out, fetched = dict(self.out), tuple(self.fetched)
        self.moments.append(
            Moment(now, says, front, back, view.heap, out, fetched, view.due, frozenset(chosen))
        )

    def _head(self, number: int, got: Fetch | Wait | Empty) -> tuple[str, int]:
        """Return the URL that a back queue just opened got first, and the front queue that it came from."""
        host, urls = self.frontier.view.back[number]
        url = got.url if isinstance(got, Fetch) and got.host == host else urls[0]
        return brief(url), self.wanted[url].level

    def _answer(self, got: Fetch | Wait | Empty, now: float, heap: Mapping[int, float]) -> str:
        if isinstance(got, Fetch):
            self.out[brief(got.url)] = now + self.wanted[got.url].seconds
            number = self.frontier.view.table[got.host]
            at = heap.get(number, now)
            ties = [f"B{other + 1}" for due, other in self.frontier.view.heap if due == at]
            of = f"B{number + 1} has t_e = {at:g} s like {' and '.join(ties)}, and entered the heap first"
            why = of if ties else f"The first in the heap is B{number + 1} of {got.host}"
            return f"{why}: {brief(got.url)} is fetched."
        if isinstance(got, Empty):
            return "Nothing waits and nothing is being fetched: the crawl is over."
        if got.seconds == inf:
            return "Every back queue is busy or idle: only a fetch that ends can change that."
        return f"No host may be asked before t = {now + got.seconds:g} s: the thread waits."


def moments(wanted: Mapping[str, Wanted], back: int, threads: int, gap: float) -> list[Moment]:
    """Return the steps of a crawl of these URLs.

    >>> steps = moments(parse_urls("a/1 1\\na/2 1"), back=1, threads=1, gap=10)
    >>> [step.now for step in steps if "is fetched" in step.says]
    [0.0, 11.0]
    """
    frontier = Frontier(
        front_queues=LEVELS,
        back_queues=back,
        gap_factor=gap,
        min_gap=0.0,
        depth=DEPTH,
        prioritise=lambda item: wanted[item.url].level,
    )
    watched = Watched(frontier, wanted)
    for url in wanted:
        watched.add(url)
    hosts = len({brief(url).partition("/")[0] for url in wanted})
    watched.keep(0.0, f"{plural(len(wanted), 'URL')} of {plural(hosts, 'host')} wait in the front queues.")
    visits(watched, threads, lambda url: wanted[url].seconds)
    return watched.moments
