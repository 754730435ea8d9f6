"""Run a command within limits: ``python limits.py MEBIBYTES PROCESSES COMMAND…``; 0 sets no limit.

Memory is that of each process by itself, its whole address space. Files grow to 64 MiB at most.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main(memory: str, processes: str, *command: str) -> None:
    """Set the limits for this process and become the command."""
    if sys.platform == "win32":
        import subprocess

        sys.exit(subprocess.call(command))
    else:
        import resource

        if int(memory):
            resource.setrlimit(resource.RLIMIT_AS, (int(memory) << 20, int(memory) << 20))
        if int(processes):
            resource.setrlimit(resource.RLIMIT_NPROC, (int(processes), int(processes)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
