"""The ``bench`` command: the scripts of tests/benchmarks, each in a process of its own.

Each script runs ours and the other libraries on the same input in the same run and prints times and ratios.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["bench"]


def bench(folder: Path, name: str | None, arguments: Sequence[str] = ()) -> int:
    """Run the benchmark ``name`` of ``folder`` with ``arguments``, or all of them; return the exit code.

    0 where each ran to its end, 1 where one failed, 2 for a name that is none.
    """
    scripts = {path.stem: path for path in sorted(folder.glob("[a-z]*.py"))}
    if name is not None and name not in scripts:
        print(f"ircourse: no benchmark {name!r}; choose from {', '.join(scripts)}.", file=sys.stderr)
        return 2
    print(
        f"{processor()}, {os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}"
    )
    # OPENBLAS_CORETYPE, where it is set, keeps NumPy from using what the processor can do.
    environ = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    failed = []
    for stem in [name] if name else scripts:
        print(f"\n== {stem} ==", flush=True)
        if subprocess.run([sys.executable, str(scripts[stem]), *arguments], env=environ).returncode:
            failed.append(stem)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", flush=True)
    return 1 if failed else 0


def processor() -> str:
    """Return what the processor calls itself, as far as the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
