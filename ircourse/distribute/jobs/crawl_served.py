"""Where workers find the hosts of a web that is served on loopback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ircourse.types import FetchError

if TYPE_CHECKING:
    from ircourse.web.server import WebServer

__all__ = ["served_at"]


def served_at(server: WebServer) -> Callable[[str, int], tuple[str, int]]:
    """Return what `WebServer.resolve` says as a function that can be sent to other processes of the machine.

    >>> from ircourse.web import Web, serve
    >>> with serve(Web.from_pages({"http://harbour.example/": []})) as server:
    ...     served_at(server)("harbour.example", 80) == server.address
    True
    """
    return partial(_where, frozenset(server.web.hosts), server.address)


def _where(hosts: frozenset[str], address: tuple[str, int], host: str, port: int) -> tuple[str, int]:
    if (host if port == 80 else f"{host}:{port}") not in hosts:
        raise FetchError(host, "dns")
    return address
