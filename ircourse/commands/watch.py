"""A watch over a kernel from outside: what it and the processes below it hold together has bounds.

Limits of the kernel are set a process (`limits`); a submission can start many. Four times a second the
watch sums up what they hold, and ends them all at once where it is too much. It is a process of its own,
``python watch.py PID BYTES RUNTIME``, since the grader may be busy with what the kernel sends.

memory   resident pages, those of files left out, and files without a name (deleted, or a memfd); what
         several processes share counts for each
runtime  the folder of the kernel's sockets, the one place of the disk where a sandboxed kernel can write
Not seen: what code holds for less than a quarter of a second, and System V shared memory.
"""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

__all__ = ["MOST_ON_DISK", "MOST_PROCESSES", "Watch", "overdone"]

MOST_PROCESSES = 64
MOST_FILES = 20_000  # in the sandbox's temporary folders: each takes kernel memory that no limit bounds
MOST_ENTRIES, MOST_ON_DISK = 40, 8 << 20  # in the runtime folder: a kernel makes six, of no size
EVERY = 0.25  # seconds


class Watch:
    """A watch over the process ``pid``, which may hold ``memory`` bytes with all that it starts."""

    def __init__(self, pid: int, memory: int, runtime: Path) -> None:
        command = [sys.executable, "-I", __file__, str(pid), str(memory), str(runtime)]
        self._child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._reason: str | None = None

    def close(self) -> str:
        """End the watch, not what it watches; return why it ended that, "" where it did not."""
        if self._reason is None:
            self._child.kill()
            self._reason = self._child.communicate()[0].strip()
        return self._reason


def main(pid: str, memory: str, runtime: str) -> None:
    """Watch a process while it and the one that asked for this are there; print why it was ended."""
    top, parent = psutil.Process(int(pid)), os.getppid()
    if sys.platform.startswith("linux"):  # where root grades no limit of processes binds: be ahead of them
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    while os.getppid() == parent and top.is_running():
        with contextlib.suppress(psutil.Error, OSError):
            processes = [top, *top.children(recursive=True)]
            if reason := overdone(processes, int(memory), Path(runtime)):
                print(reason, flush=True)
                for process in processes:  # the first is bubblewrap, with which all within it end
                    with contextlib.suppress(psutil.Error):
                        process.kill()
                return
        time.sleep(EVERY)


def overdone(processes: list[Any], memory: int, runtime: Path) -> str:
    """Return what processes hold too much of, "" where nothing; ``memory`` in bytes."""
    if len(processes) > MOST_PROCESSES:
        return f"more than {MOST_PROCESSES} processes"
    if sum(map(_held, processes)) + _nameless(processes) > memory:
        return f"more than {memory >> 20} MiB of memory in all"
    if _crowded(runtime):
        return "too much on disk"
    if sys.platform.startswith("linux") and any(_files(processes[-1].pid, at) for at in ("tmp", "dev/shm")):
        return f"more than {MOST_FILES} files"
    return ""


def _held(process: Any) -> int:
    """Return the bytes of memory that a process holds, those of programs and libraries left out."""
    with contextlib.suppress(psutil.Error, OSError):
        if not sys.platform.startswith("linux"):
            return int(process.memory_info().rss)
        # Not smaps, which counts shared pages once: to read it may wait for a process that gets no turn.
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("RssAnon", "RssShmem")))
    return 0


def _nameless(processes: list[Any]) -> int:
    """Return the bytes of open files that no folder names."""
    if not sys.platform.startswith("linux"):
        return 0
    sizes = {}
    for process in processes:
        with contextlib.suppress(OSError), os.scandir(f"/proc/{process.pid}/fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    status = entry.stat()
                    if stat.S_ISREG(status.st_mode) and not status.st_nlink:
                        sizes[status.st_dev, status.st_ino] = 512 * status.st_blocks
    return sum(sizes.values())


def _crowded(runtime: Path) -> bool:
    """Return whether a folder holds more than a kernel's sockets."""
    size = 0
    with os.scandir(runtime) as entries:
        for count, entry in enumerate(entries):
            size += entry.stat(follow_symlinks=False).st_size
            if count >= MOST_ENTRIES or entry.is_dir(follow_symlinks=False) or size > MOST_ON_DISK:
                return True
    return False


def _files(pid: int, folder: str) -> bool:
    """Return whether a process's temporary folder, where it is one of its own, holds too many files."""
    with contextlib.suppress(OSError):
        seen = Path("/proc", str(pid), "root")  # the process's own "/"
        own = os.statvfs(seen / folder)
        if (seen / ".").stat().st_dev != os.stat("/").st_dev:
            return own.f_files - own.f_ffree > MOST_FILES
    return False


if __name__ == "__main__":
    main(*sys.argv[1:])
