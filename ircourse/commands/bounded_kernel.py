"""ipykernel with a bound on what a cell shows: one that prints for ever fails by it, and goes no further.

Without it the kernel's memory fills with what waits to be sent, long before the grader has counted it. A
cell that catches the error prints nothing more. Code that takes the bound away meets the grader's own count.
"""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import Any

__all__ = ["MOST_PRINTED", "MOST_SENT", "TooMuchOutput", "bound"]

MOST_PRINTED = 1_000_000  # characters that a cell may print
MOST_SENT = 8_000_000  # bytes that a cell may show: pictures, tables, what its other processes print
_FREE = (b"status", b"execute_input", b"error")  # how a cell went is told, whatever it has shown


class TooMuchOutput(Exception):
    """A cell has shown more than it may; the message says how much that is."""


def bound(printed: int = MOST_PRINTED, sent: int = MOST_SENT) -> None:
    """Bound what each cell shows, in this process and in those that it forks."""
    from ipykernel.iostream import IOPubThread, OutStream

    left = {"characters": printed, "bytes": sent}
    plain: Any = SimpleNamespace(
        write=OutStream.write, set_parent=OutStream.set_parent, send=IOPubThread.send_multipart
    )

    def write(self: Any, string: str) -> Any:
        left["characters"] -= len(string)
        if left["characters"] >= 0:
            return plain.write(self, string)
        if threading.current_thread() is getattr(self, "watch_fd_thread", None):
            return len(string)  # read from a pipe, whose writer would wait for ever otherwise
        raise TooMuchOutput(f"a cell may print {printed:,} characters")

    def send_multipart(self: Any, msg: Any, *rest: Any, **more: Any) -> None:
        free = bytes(msg[0]).endswith(_FREE)
        left["bytes"] -= 0 if free else sum(memoryview(part).nbytes for part in msg)
        if free or left["bytes"] >= 0:
            plain.send(self, msg, *rest, **more)
        elif threading.current_thread() is not self.thread:
            raise TooMuchOutput(f"a cell may show {sent:,} bytes")

    def set_parent(self: Any, parent: Any) -> None:
        left.update(characters=printed, bytes=sent)
        plain.set_parent(self, parent)

    replaced = ((OutStream, write), (OutStream, set_parent), (IOPubThread, send_multipart))
    for kind, function in replaced:
        setattr(kind, function.__name__, function)


def main() -> None:
    """Run a kernel, as ``python -m ipykernel_launcher`` does."""
    from ipykernel.kernelapp import launch_new_instance

    bound()
    launch_new_instance()


if __name__ == "__main__":
    del sys.path[0]  # the folder of the submission: no file in it is to stand before a library
    main()
