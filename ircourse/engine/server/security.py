"""Who may ask, and what the answers forbid.

A page that a browser has open may send requests to this machine. What it gets is unreadable to it, unless its
own name is made to lead here (DNS rebinding): then the Host header holds that name, and is refused.
"""

from __future__ import annotations

import re
import socket
from ipaddress import ip_address

__all__ = ["HEADERS", "LIMITS", "HostRule", "is_loopback"]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}

# What tornado allows a client: a header that can hold a query of 10^5 characters, so that the answer says
# that it is too long; no body; and seconds to send a header in, and to say nothing.
LIMITS = {"max_header_size": 2**21, "max_body_size": 1, "idle_connection_timeout": 20, "body_timeout": 5}

_HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?", re.ASCII)


class HostRule:
    """Which Host headers are answered.

    host  what the server listens on. Always answered: localhost, loopback addresses, and ``host`` itself; on
          an open server, any address in digits, which no name was made to lead here, and the machine's name

    >>> rule = HostRule("127.0.0.1")
    >>> rule.allows("localhost:8000"), rule.allows("[::1]:8000"), rule.allows("evil.example:8000")
    (True, True, False)
    """

    def __init__(self, host: str) -> None:
        self._open = not is_loopback(host)
        self._names = {"localhost", host.lower()} | ({socket.gethostname().lower()} if self._open else set())

    def allows(self, header: str) -> bool:
        """Whether a request with this Host header is answered."""
        found = _HOST.fullmatch(header)
        if not found:
            return False
        name = found[1].strip("[]").lower().removesuffix(".")
        try:
            return ip_address(name).is_loopback or self._open or name in self._names
        except ValueError:
            return name in self._names


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens on a host.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
