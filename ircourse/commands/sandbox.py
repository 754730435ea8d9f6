"""Where a submission's code runs: a kernel in bubblewrap, without network and files, or one that is trusted.

Only the kernel is inside. nbgrader, the gradebook and the hidden tests are outside, and speak to it through
sockets in one folder; the kernel sees the system's programs, this Python, the package, and the submission.

runtime   folder of the kernel's sockets and connection file; a path short enough for a socket's name

What is enforced where:
- by bubblewrap: no network, no files but these, no process of the machine in sight, no variable of the
  instructor's, 64 MiB each to write in /tmp and /dev/shm, all else read-only but ``runtime``; when it ends,
  everything in it ends
- by the kernel's own limits (`limits`): memory of each process, size of a file, number of threads; where
  root grades, in place of the last a control group (`control_group`)
- from outside (`watch`): memory, processes and files of all that it starts, and what is in ``runtime``
- by the grader (`autograder`, `bounded_kernel`): time of a cell and of a notebook, output
- by the command (`grade_worker`): time of the grader itself, which is ended and replaced
Differs from nbgrader, which runs kernels as the instructor, next to the other submissions.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from ircourse.commands.control_group import entering, make_group

__all__ = ["Limits", "inside", "not_enforced", "refusal", "write_kernel"]

PACKAGE = Path(__file__).resolve().parents[1]
_LIMITS = Path(__file__).with_name("limits.py")
_SCRATCH = 64 * 2**20  # bytes that a submission may write


class Limits(NamedTuple):
    """What a submission may use: seconds a cell and a notebook, MiB of memory."""

    cell: int = 10
    notebook: int = 60
    memory: int = 1024


def inside(submission: Path, runtime: Path) -> list[str]:
    """Return the beginning of a command line that runs the rest in bubblewrap."""
    # env -i, not --clearenv: that leaves bubblewrap's own variables to be read in /proc/1/environ
    command = ["/usr/bin/env", "-i", shutil.which("bwrap") or "bwrap", "--unshare-all"]
    command += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for path in (
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/lib32",
        "/etc/ld.so.cache",
        "/etc/alternatives",
    ):
        command += ["--ro-bind-try", path, path]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for path in ("/tmp", "/dev/shm"):  # --size: since bubblewrap 0.5
        command += ["--size", str(_SCRATCH), "--tmpfs", path]
    for path in dict.fromkeys((sys.base_prefix, sys.prefix)):
        command += ["--ro-bind", path, path]
    command += ["--ro-bind", str(PACKAGE), "/course/ircourse", "--ro-bind", str(submission), "/submission"]
    command += ["--bind", str(runtime), str(runtime), "--chdir", "/submission"]
    # / and /dev are memory of no bounded size; in /proc root could set what the machine does
    for path in ("/proc", "/dev", "/"):
        command += ["--remount-ro", path]
    for name, value in _variables("/course", "/tmp").items():
        command += ["--setenv", name, value]
    return command


def _variables(course: str, home: str) -> dict[str, str]:
    """Return the variables that a kernel needs."""
    return {
        "HOME": home,
        "IPYTHONDIR": f"{home}/ipython",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "agg",
        "OPENBLAS_NUM_THREADS": "1",  # a thread takes memory, and graders run side by side
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), "/usr/bin", "/bin"]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": course,
        "PYTHONWARNINGS": "ignore",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def _limited(limits: Limits, sandboxed: bool) -> list[str]:
    """Return the beginning of a command line that runs the rest within limits."""
    processes = 256 if sandboxed else 0  # outside, the user's own processes would count
    return [sys.executable, "-I", str(_here(sandboxed)), str(limits.memory), str(processes)]


def _here(sandboxed: bool) -> Path:
    """Return where ``limits.py`` is to be found."""
    return Path("/course/ircourse/commands/limits.py") if sandboxed else _LIMITS


def write_kernel(folder: Path, submission: Path, runtime: Path, limits: Limits, trusted: bool) -> None:
    """Write the kernel "python3" below ``folder``, for Jupyter's search path."""
    own = folder / "kernels" / "python3"
    own.mkdir(parents=True)
    around = [] if trusted else [*entering(make_group(os.getpid())), *inside(submission, runtime)]
    command = [*around, *_limited(limits, not trusted)]
    command += [sys.executable, "-m", "ircourse.commands.bounded_kernel", "-f", "{connection_file}"]
    command += ["--IPKernelApp.log_level=ERROR", "--HistoryManager.enabled=False"]
    spec = {
        "argv": command,
        "display_name": "Python 3",
        "language": "python",
        "interrupt_mode": "message",  # a signal would end bubblewrap, not the loop within
        "env": _variables(str(PACKAGE.parent), str(submission)) if trusted else {},
    }
    (own / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")


def refusal(folder: Path) -> str | None:
    """Return why bubblewrap cannot be used here, None where it can; ``folder`` is an empty one."""
    if shutil.which("bwrap") is None:
        return "bubblewrap (bwrap) is not installed"
    command = [*inside(folder, folder), *_limited(Limits(), True), sys.executable, "-c", "import ipykernel"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "bubblewrap did not start within a minute"
    said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return f"bubblewrap does not work here ({said})" if done.returncode else None


def not_enforced() -> str:
    """Return what does not hold for submissions that run without bubblewrap."""
    return (
        "submissions run as you do: they can read and write your files, reach the network, and leave "
        "processes behind. None of this is prevented. Limits of time, memory and output hold for code that "
        "does not set out to evade them."
    )
