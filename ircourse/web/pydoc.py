"""A real web site that is on every machine: the documentation server of Python itself (``python -m pydoc``).

Nobody here wrote it. It has an index of modules, a page for each module of the standard library, topics and
keywords; it answers 200 with an error page where it has nothing (a soft 404), links to ``file:`` addresses,
and serves one request at a time. A page about a module imports that module, on the server.

Isolated (``-I -S``), it lists the standard library alone, not what else is installed. With Python 3.11 it has
about 880 pages of 29 million bytes, and takes 25 seconds to make them all.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from urllib.parse import urlsplit

from ircourse.types import FetchError

__all__ = ["PydocServer", "serve_pydoc"]

HOST = "pydoc.example"
START = f"http://{HOST}/"

# Importing these opens a browser or a window, prints, runs tests, starts a compiler or makes folders.
SIDE_EFFECTS = {"antigravity", "this", "idlelib", "turtledemo", "test", "tests", "idle_test", "__main__"}
SIDE_EFFECTS |= {"_pyrepl", "_ios_support"}
# pydoc imports afresh at each request, and a second import system has no way of importing anything.
IMPORT_SYSTEM = {"importlib._bootstrap", "importlib._bootstrap_external"}

SILENCE = 2.0  # seconds after which a silent client is dropped

# The server's process. It ends when its standard input does, which the system closes should we be gone. It
# leaves without good-bye, since an imported module may hold it up, and tells its port before it goes silent.
# Since it serves one client at a time, one that falls silent must not hold up the others for long.
CHILD = """
import http.server, os, sys, threading, pydoc
def leave_with_parent(read=os.read, leave=os._exit):
    while read(0, 1024):
        pass
    leave(0)
threading.Thread(target=leave_with_parent, daemon=True).start()
http.server.BaseHTTPRequestHandler.timeout = float(sys.argv[1])
server = pydoc._start_server(pydoc._url_handler, "127.0.0.1", 0)
print(server.error or server.docserver.server_port, flush=True)
silence = os.open(os.devnull, os.O_WRONLY)
os.dup2(silence, 1)
os.dup2(silence, 2)
server.join()
"""


@dataclass(frozen=True, slots=True)
class PydocServer:
    """A running documentation server: its ``address`` (IP address, port), its process, its ``start`` page."""

    address: tuple[str, int]
    pid: int
    start: str = START

    def resolve(self, host: str, port: int = 80) -> tuple[str, int]:
        """Return the address and port to connect to for ``host``; FetchError "dns" for any other host."""
        if host != HOST or port != 80:
            raise FetchError(f"{host}:{port}", "dns")
        return self.address

    @staticmethod
    def in_scope(url: str) -> bool:
        """Whether a crawl may request ``url``: on this site, no search, no module that acts when imported.

        >>> PydocServer.in_scope("http://pydoc.example/json.html")
        True
        >>> PydocServer.in_scope("http://pydoc.example/antigravity.html")
        False
        """
        parts = urlsplit(url)
        if parts.scheme != "http" or parts.netloc != HOST:
            return False
        if parts.query:
            key = parts.query.removeprefix("key=")
            return parts.path == "/topic" and key != parts.query and _harmless(key)
        return _harmless(parts.path.removeprefix("/").removesuffix(".html"))


@contextmanager
def serve_pydoc(*, timeout: float = 60.0) -> Iterator[PydocServer]:
    """Run the documentation server of this Python in a process of its own, on a free port of loopback.

    timeout  seconds within which it must have started

    A client that says nothing for 2 seconds is dropped. The process ends with the block, and with this
    process, however that ends. Several may run at once. Raises RuntimeError, with what the process said,
    where it does not start.

    >>> with serve_pydoc() as server:
    ...     server.start
    'http://pydoc.example/'
    """
    command = [sys.executable, "-I", "-S", "-c", CHILD, str(SILENCE)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT) as process:
        try:
            yield PydocServer(("127.0.0.1", _port(process, timeout)), process.pid)
        finally:
            process.kill()  # with the block over nobody waits for a page, and it has nothing to save


def _port(process: subprocess.Popen[bytes], timeout: float) -> int:
    """Return the port that the process announces as its first line."""
    assert process.stdout is not None
    watchdog = Timer(timeout, process.kill)
    watchdog.start()
    try:
        line = process.stdout.readline()
        if line.strip().isdigit():
            return int(line)
        process.kill()
        said = (line + process.stdout.read()).decode(errors="replace").strip()
    finally:
        watchdog.cancel()
    what = f"it said: {said}" if said else f"it said nothing within {timeout:g} s"
    raise RuntimeError(f"{sys.executable} -m pydoc did not start; {what}")


def _harmless(name: str) -> bool:
    """Whether showing the page of a module, or of a class or function in one, has no side effect."""
    parts = name.split(".")
    return "/" not in name and not SIDE_EFFECTS & set(parts) and ".".join(parts[:2]) not in IMPORT_SYSTEM
