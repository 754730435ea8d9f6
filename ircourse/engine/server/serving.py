"""The server: sockets first, so that a port in use is told at once; then a loop in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from tornado.httpserver import HTTPServer

from ircourse.engine.engine import Engine
from ircourse.engine.server.handlers import Site, application
from ircourse.engine.server.security import LIMITS

__all__ = ["PortError", "Serving", "bound", "serving"]

LOOPBACK = "127.0.0.1"


class PortError(OSError):
    """A port cannot be had; the message says why."""


class Serving:
    """A running server: its ``address``; `stopped` waits."""

    def __init__(self, address: str, ended: Event) -> None:
        self.address = address
        self._ended = ended

    def stopped(self, seconds: float) -> bool:
        """Wait so long; return whether the server has ended meanwhile."""
        return self._ended.wait(seconds)


def bound(host: str = LOOPBACK, port: int = 0) -> socket.socket:
    """Return a socket that listens on a host; port 0 is one that is free. Raises PortError."""
    try:
        socket.getaddrinfo(host, port)  # since `create_server` makes another error of this one
        listening = socket.create_server((host, port), family=_family(host), backlog=128)
    except (socket.gaierror, UnicodeError):
        raise PortError(f"{host!r:.80} is no name or address of this machine: give another host") from None
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        hint = "give another with --port, or none for one that is free" if port else "give another host"
        where = f"{host} port {port}" if port else host
        raise PortError(f"cannot listen on {where} ({why}): {hint}") from None
    listening.setblocking(False)
    return listening


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


@contextmanager
def serving(
    engine: Engine, listening: socket.socket | None = None, host: str = LOOPBACK
) -> Iterator[Serving]:
    """Serve an engine's page while the block runs, after `Engine.finish`: no visitor waits for that.

    listening  from `bound`, closed afterwards; None: a free port of ``host``

    >>> with serving(Engine.build([])) as server:
    ...     server.address
    'http://127.0.0.1:...'
    """
    engine.finish()
    listening = listening or bound(host)
    site = Site(engine, host)
    loop, stop, ended = asyncio.new_event_loop(), asyncio.Event(), Event()

    async def serve() -> None:
        server = HTTPServer(application(site), **LIMITS)
        server.add_socket(listening)
        await stop.wait()
        server.stop()
        await server.close_all_connections()
        await asyncio.to_thread(site.close)

    def run() -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(serve())
        finally:
            ended.set()

    Thread(target=run, name="search page", daemon=True).start()
    try:
        yield Serving(_address(host, listening.getsockname()[1]), ended)
    finally:
        # Not `Thread.join`: where Ctrl-C interrupts one, Python 3.11 may take the thread for ended
        with suppress(RuntimeError):  # the loop has ended by itself
            loop.call_soon_threadsafe(stop.set)
        ended.wait(10)


def _address(host: str, port: int) -> str:
    name = {"0.0.0.0": LOOPBACK, "::": "[::1]", "": LOOPBACK}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"
