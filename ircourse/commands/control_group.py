"""A control group for a grader's kernels, where the account may make one: how many processes they start.

Root may, whom RLIMIT_NPROC does not bind; for others that limit does (`limits`).
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from time import sleep

__all__ = ["entering", "make_group", "remove_group"]

MOST_TASKS = 256  # processes and threads
PLACES = (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup"))  # of version 1, of version 2


def make_group(pid: int) -> Path | None:
    """Return the control group of a grader, made where there is none; None without the right."""
    for place in PLACES:
        group = place / f"ircourse-{pid}"
        with contextlib.suppress(OSError):
            group.mkdir(exist_ok=True)
            if _bounded(group):
                return group
            group.rmdir()
    return None


def _bounded(group: Path) -> bool:
    """Return whether a group's size could be bounded."""
    try:
        (group / "pids.max").write_text(str(MOST_TASKS))
    except OSError:
        return False
    return True


def remove_group(pid: int) -> None:
    """Remove the control group of a grader that has ended, once what is in it has ended, too."""
    for group in [place / f"ircourse-{pid}" for place in PLACES]:
        for _ in range(100):
            if not group.is_dir():
                break
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            sleep(0.02)


def entering(group: Path | None) -> list[str]:
    """Return the beginning of a command line that runs the rest in a group, if there is one."""
    if group is None:
        return []
    return ["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', str(group)]
