"""The time that a kernel had: a crowded machine is to cost nobody points.

Differs from a clock: what a process waits for a processor does not count, where the system tells it (Linux).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import psutil  # type: ignore[import-untyped]

__all__ = ["own_time"]


def own_time(pid: int) -> Callable[[], float]:
    """Return a clock of the seconds that a kernel runs or sleeps; ``pid`` is its own or bubblewrap's.

    It goes no slower than a quarter of the time, so that nothing lasts for ever.
    """
    process: Any = psutil.Process(pid)
    with contextlib.suppress(psutil.Error):
        while below := process.children():  # bubblewrap, bubblewrap in the sandbox, the kernel
            process = below[0]
    begun = monotonic()
    waited_before = _waited(process.pid)

    def seconds() -> float:
        passed = monotonic() - begun
        return max(passed - (_waited(process.pid) - waited_before), passed / 4)

    return seconds


def _waited(pid: int) -> float:
    """Return how many seconds a process has waited for a processor, 0 where nothing tells."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
