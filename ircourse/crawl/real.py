"""Driving a crawler in real time: threads fetch, and everything else happens on the one that calls.

events  what came, from all threads, in one queue: the core sees one after the other
jobs    URLs to fetch, None to end a thread

Parsing is on the core's side: it holds Python's lock anyway, and a thread that only waits for servers costs
little. Ctrl-C stops in order: what is under way is waited for and kept; a second one stops at once.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from queue import Empty, SimpleQueue
from typing import Any

from ircourse.crawl.core import Core
from ircourse.crawl.events import Event, Failed, Fetch, Fetched, Resolve, Resolved, Store, Tick, Wait
from ircourse.crawl.lookups import BackEnd, Lookups, system_look_up
from ircourse.types import Clock, FetchError, Response

__all__ = ["drive"]

LONGEST = 0.5 if sys.platform == "win32" else inf  # seconds: Ctrl-C does not end a wait there


def drive(
    core: Core,
    clock: Clock,
    fetch: Callable[[Fetch], Response],
    *,
    store: Callable[[str, Response], object],
    commit: Callable[[], object],
    look_up: BackEnd = system_look_up,
) -> None:
    """Run ``core`` until it is finished, on ``core.connections`` threads that call ``fetch``.

    commit  called before each request, so that none is sent that a restart would not know of, and when
            everything that follows from an event is done
    """
    events: SimpleQueue[Event] = SimpleQueue()
    jobs: SimpleQueue[Fetch | None] = SimpleQueue()
    lookups = Lookups(look_up, lambda host, found: events.put(Resolved(host, found.addresses)))
    for _ in range(core.connections):
        threading.Thread(target=_work, args=(jobs, events, fetch), daemon=True).start()
    event: Event = Tick()
    try:
        with _orderly(core, events):
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
                if core.finished:
                    return
                event = _next(events, seconds)
    finally:
        lookups.close()
        for _ in range(core.connections):
            jobs.put(None)


def _next(events: SimpleQueue[Event], seconds: float) -> Event:
    try:
        return events.get(timeout=min(seconds, LONGEST) if min(seconds, LONGEST) < inf else None)
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


@contextmanager
def _orderly(core: Core, events: SimpleQueue[Event]) -> Iterator[None]:
    """Let the first Ctrl-C within the block stop the core in order."""

    def stop(number: int, frame: Any) -> None:
        core.stopping = True
        signal.signal(signal.SIGINT, before)
        events.put(Tick())

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
