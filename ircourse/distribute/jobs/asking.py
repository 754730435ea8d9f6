"""Calls to a scheduler that end in bounded time, whether it works, hangs or is gone.

Dask bounds few of its calls: with a scheduler that is stopped, or a port that takes connections and says
nothing, they wait without end. Here a call runs in a thread of its own; while it lasts the scheduler is
asked again and again whether it is there. A thread whose call never ends is left behind, and ends with the
process.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import Future, wait
from inspect import signature
from threading import Thread
from typing import Any, TypeVar

__all__ = ["Silent", "answered", "bounded", "is_refused", "watched", "workers_of"]

T = TypeVar("T")
LOOK = 1.0  # seconds of a call between two looks at whether scheduler or workers are there
SILENCE = 20.0  # seconds without an answer to that; a busy scheduler may take some
KNOCK = 2.0  # seconds for its port to take a connection


class Silent(Exception):
    """No answer came in time."""


def bounded(call: Callable[[], T], seconds: float) -> T:
    """Return ``call()``. Raises what it raises, and Silent where it takes longer."""
    return _taken(_begun(call), seconds)


def answered(client: Any, call: Callable[[], T]) -> T:
    """Return ``call()``, which asks the client's scheduler for something, however long that takes.

    Raises what it raises, and Silent where the scheduler meanwhile does not say that it is there.
    """
    return watched(call, lambda: workers_of(client))


def watched(call: Callable[[], T], look: Callable[[], object]) -> T:
    """Return ``call()``; meanwhile ``look`` is called every LOOK seconds, and gives up by raising."""
    result = _begun(call)
    while not wait([result], LOOK).done:
        look()
    return result.result()


def workers_of(client: Any) -> dict[str, Any]:
    """Return what the scheduler knows of its workers, by their addresses. Raises Silent without an answer."""
    ask = client.scheduler_info
    every = {"n_workers": -1} if "n_workers" in signature(ask).parameters else {}
    workers: dict[str, Any] = bounded(lambda: ask(**every), SILENCE)["workers"]
    return workers


def is_refused(address: str) -> bool:
    """Return whether nobody listens at an address, tcp://… or tls://…; of others that is not known."""
    scheme, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    if scheme not in ("tcp", "tls"):
        return False
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK).close()
    except (OSError, ValueError):
        return True
    return False


def _begun(call: Callable[[], T]) -> Future[T]:
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(call())
        except BaseException as error:
            result.set_exception(error)

    Thread(target=run, name="ircourse-ask", daemon=True).start()
    return result


def _taken(result: Future[T], seconds: float) -> T:
    try:
        return result.result(seconds)
    except TimeoutError:
        if result.done():  # the call itself raised it, or came to its end just now
            return result.result()
        raise Silent(f"no answer within {seconds:g} s") from None
