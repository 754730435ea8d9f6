"""Whether this machine has what the chapters need, and how to mend what is missing."""

from __future__ import annotations

import importlib
import socket
import sys
from collections.abc import Callable, Mapping

from ircourse.pythons import SUPPORTED, supported

__all__ = ["CHECKS", "check_environment"]

SETUP = "run `python3 -m ircourse setup` in the course's folder and open it with `python3 -m ircourse lab`"
SLOWER = "the course works without it, more slowly; to have it, " + SETUP


def _imports(*names: str) -> Callable[[], None]:
    def check() -> None:
        for name in names:
            importlib.import_module(name)

    return check


def _supported_python() -> None:
    if not supported(sys.version_info):
        raise RuntimeError(f"this is Python {sys.version_info[0]}.{sys.version_info[1]}")


def _server_on_loopback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()[:2], timeout=5).close()


# What is checked: a function that raises where something is wrong, and how to mend it.
CHECKS: Mapping[str, tuple[Callable[[], None], str]] = {
    f"Python {SUPPORTED}": (_supported_python, "install one of these, then " + SETUP),
    "numbers and graphs": (_imports("numpy", "scipy", "networkx"), SETUP),
    "figures and explorers": (_imports("matplotlib", "ipywidgets"), SETUP),
    "pages and their addresses": (_imports("requests", "selectolax", "ada_url"), SETUP),
    "fast loops": (_imports("numba"), SLOWER),
    "a server on this machine": (
        _server_on_loopback,
        "a firewall forbids connections from this machine to itself (127.0.0.1); allow them for Python",
    ),
}


class Report(str):
    """Text that shows itself as it is, without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def check_environment(checks: Mapping[str, tuple[Callable[[], None], str]] = CHECKS) -> Report:
    """Return a line for each check: that it holds, or what is wrong and how to mend it.

    >>> def fails():
    ...     raise ModuleNotFoundError("No module named 'numba'")
    >>> check_environment({"fast loops": (fails, "install numba")})
    missing  fast loops (No module named 'numba'): install numba
    """
    lines = []
    for name, (check, remedy) in checks.items():
        try:
            check()
        except Exception as error:
            lines.append(f"missing  {name} ({error}): {remedy}")
        else:
            lines.append(f"ok       {name}")
    return Report("\n".join(lines))
