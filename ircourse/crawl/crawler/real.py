"""Driving a crawler in real time: threads fetch, and everything else happens on the one that calls.

events  what came, from all threads, in one queue: the core sees one after the other
jobs    URLs to fetch, None to end a thread

Parsing is on the core's side: it holds Python's lock anyway, and a thread that only waits for servers costs
little. Ctrl-C stops in order: what is under way is waited for and kept, but no longer than a grace; what has
not come then is asked for again by whoever goes on. A second Ctrl-C stops at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import inf
from queue import Empty, SimpleQueue

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
from ircourse.crawl.crawler.orderly import orderly
from ircourse.crawl.net.lookups import BackEnd, Lookups, system_look_up
from ircourse.types import Clock, FetchError, Response

__all__ = ["drive"]

BEAT = 0.5  # seconds of one wait at most: on Windows Ctrl-C does not end it, and there is the ``beat``
GRACE = 5.0  # seconds after Ctrl-C for what is under way


def drive(
    core: Core,
    clock: Clock,
    fetch: Callable[[Fetch], Response],
    *,
    store: Callable[[str, Response], object],
    commit: Callable[[], object],
    look_up: BackEnd = system_look_up,
    beat: Callable[[], object] = lambda: None,
) -> None:
    """Run ``core`` until it is finished, on ``core.connections`` threads that call ``fetch``.

    commit  called before each request, so that none is sent that a restart would not know of, and when
            everything that follows from an event is done
    beat    called at least twice a second
    """
    events: SimpleQueue[Event] = SimpleQueue()
    jobs: SimpleQueue[Fetch | None] = SimpleQueue()
    lookups = Lookups(look_up, lambda host, found: events.put(Resolved(host, *found)))
    for _ in range(core.connections):
        threading.Thread(target=_work, args=(jobs, events, fetch), daemon=True).start()
    event: Event = Tick()
    end = inf
    try:
        with orderly(core, events):
            while True:
                seconds = inf
                for action in core.handle(event, clock.now()):
                    if isinstance(action, Fetch):
                        commit()
                        jobs.put(action)
                    elif isinstance(action, Store):
                        store(action.url, action.response)
                    elif isinstance(action, Resolve):
                        lookups.start(action.host)
                    elif isinstance(action, Wait):
                        seconds = action.seconds
                commit()
                beat()
                if core.finished:
                    return
                if core.stopping and (end := min(end, clock.now() + GRACE)) <= clock.now():
                    core.abandon()
                    commit()
                    return
                event = _next(events, seconds)
    finally:
        lookups.close()
        for _ in range(core.connections):
            jobs.put(None)


def _next(events: SimpleQueue[Event], seconds: float) -> Event:
    try:
        return events.get(timeout=min(seconds, BEAT))
    except Empty:
        return Tick()


def _work(
    jobs: SimpleQueue[Fetch | None], events: SimpleQueue[Event], fetch: Callable[[Fetch], Response]
) -> None:
    while (job := jobs.get()) is not None:
        try:
            events.put(Fetched(job.url, fetch(job)))
        except FetchError as error:
            events.put(Failed(job.url, error.kind, str(error.__cause__ or "")))
        except Exception as error:  # a fetcher's fault is one URL's, not the crawl's
            events.put(Failed(job.url, "error", f"{type(error).__name__}: {error}"))
