"""Driving a crawler on a virtual clock: a month of crawling in a second.

heap  what will happen: (time, turn, event); turn makes equal times come out as they went in

Requests take the time that their responses say they took, and all of them run at once, as on so many
connections; nothing is concurrent but on the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from itertools import count
from math import inf, nextafter

from ircourse.crawl.crawler.core import Core
from ircourse.crawl.crawler.events import (
    Event,
    Failed,
    Fetch,
    Fetched,
    Resolve,
    Resolved,
    Store,
    Tick,
    Wait,
)
from ircourse.crawl.net.fetch import Fetch as Fetcher
from ircourse.types import FetchError, Response, VirtualClock

__all__ = ["drive_virtually"]

FAILING = {"timeout": 10.0}  # seconds that a failure takes, by its kind


def drive_virtually(
    core: Core,
    clock: VirtualClock,
    fetch: Fetcher,
    *,
    headers: Mapping[str, str],
    store: Callable[[str, Response], object],
    commit: Callable[[], object],
    look_up: Callable[[str], tuple[float, tuple[str, ...]]] | None = None,
) -> None:
    """Run ``core`` until it is finished.

    fetch    ``fetch(url, headers)`` returns a `Response` at once, its ``seconds`` are how long it takes here
    commit   called before each request, and when everything that follows from an event is done
    look_up  how many seconds a look-up takes, and the addresses; needed where the core looks names up
    """
    heap: list[tuple[float, int, Event]] = [(clock.now(), 0, Tick())]
    turns, tick = count(1), inf
    while heap or tick < inf:
        now = min(tick, heap[0][0] if heap else inf)
        event = heappop(heap)[2] if heap and heap[0][0] <= tick else Tick()
        clock.wait(max(0.0, now - clock.now()))
        now, tick = clock.now(), inf
        for action in core.handle(event, now):
            if isinstance(action, Fetch):
                commit()
                seconds, coming = _asked(fetch, action.url, {**headers, **dict(action.conditions)})
                heappush(heap, (now + seconds, next(turns), coming))
            elif isinstance(action, Store):
                store(action.url, action.response)
            elif isinstance(action, Resolve) and look_up:
                seconds, addresses = look_up(action.host)
                heappush(heap, (now + seconds, next(turns), Resolved(action.host, addresses)))
            elif isinstance(action, Wait):
                tick = max(now + action.seconds, nextafter(now, inf))  # rounding must not stop the clock
        commit()
        if core.finished:
            return
    raise RuntimeError("the crawl waits for something that nobody will send: a look-up, or a fetch")


def _asked(fetch: Fetcher, url: str, headers: Mapping[str, str]) -> tuple[float, Fetched | Failed]:
    """Return what comes for a request, and after how many seconds."""
    try:
        response = fetch(url, headers)
    except FetchError as error:
        return FAILING.get(error.kind, 0.0), Failed(url, error.kind)
    return max(0.0, response.seconds), Fetched(url, response)
