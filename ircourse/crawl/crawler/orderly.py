"""Ctrl-C as a wish: the first one lets a crawl end in order, the second one is the system's own."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from ircourse.crawl.crawler.core import Core
from ircourse.crawl.crawler.events import Event, Tick

__all__ = ["orderly"]


@contextmanager
def orderly(core: Core, events: SimpleQueue[Event]) -> Iterator[None]:
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
