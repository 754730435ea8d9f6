"""A process that reaches this machine alone: the kernel of a checked chapter, and the test suite.

The rule hangs on the interpreter's audit events, which every socket raises, whichever library opened it. It
cannot be taken back. Child processes do not inherit it. Names pass through getaddrinfo: a bare socket that is
told to connect to a name looks it up before its event, and is stopped only then.
"""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

__all__ = ["OutsideLoopback", "is_loopback", "keep_to_loopback"]

# From an event to the place of the address or the host among its arguments.
EVENTS = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
}


class OutsideLoopback(Exception):
    """A chapter or a test tried to reach another machine. No OSError, which means a dead link."""


def is_loopback(host: object) -> bool:
    """Return whether a host, by name or address, is this machine; an empty one and None are.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("127.evil.example")
    (True, True, False)
    """
    name = host.decode("latin-1") if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(str(name))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified  # 0.0.0.0, to which one connects on this machine


def keep_to_loopback() -> None:
    """Make each connection and look-up of this process that leaves the machine raise OutsideLoopback."""

    def hook(event: str, arguments: tuple[Any, ...], events: dict[str, int] = EVENTS) -> None:
        if event in events:
            check(event, arguments[events[event]])

    sys.addaudithook(hook)


def check(event: str, address: Any) -> None:
    """Raise OutsideLoopback unless the address of a socket event is this machine's."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        if not isinstance(address, tuple) or not isinstance(address[0], str):
            return  # a path (Unix socket), the kernel's own addresses, none (a socket that is connected)
        address = address[0]
    if not is_loopback(address):
        raise OutsideLoopback(
            f"{address!r} is another machine, and chapters and tests reach 127.0.0.1 only: "
            "serve what is needed with ircourse.web.serve"
        )
