"""A process that grades one submission after another, seen from outside: ended and replaced where it hangs.

It reads a job a line and answers a line. What a submission breaks is the process; another one grades it then,
up to the cell that the first did not outlast, so that the cells before it keep their points.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import Any

from ircourse.commands.control_group import remove_group
from ircourse.commands.grade_files import Result, ungraded
from ircourse.commands.grade_origins import Origin

__all__ = ["Worker"]

PACKAGE = Path(__file__).resolve().parents[1]


class Worker:
    """A grading process, started when the first job comes."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None

    def prepare(self, gradebook: str) -> None:
        """Write an empty gradebook; ValueError where nbgrader does not work."""
        if not self._asked({"empty": gradebook}, 300):
            raise ValueError("nbgrader could not make a gradebook: is requirements-instructor.txt installed?")

    def look(self, files: list[Path], result: Path) -> list[Origin | None]:
        """Return where each of some notebooks comes from, None for one of which that cannot be read."""
        question = {"look": [str(file) for file in files], "result": str(result)}
        if not files or not self._asked(question, 60) or not result.exists():
            return [None] * len(files)
        told = json.loads(result.read_text(encoding="utf-8"))
        return [None if fields is None else Origin(*fields) for fields in told]

    def grade(self, job: dict[str, Any], seconds: float) -> Result:
        """Return the result of a job; one that the process does not outlast has no points and a note."""
        result, progress = Path(job["result"]), Path(job["progress"])
        until = -1
        while True:
            progress.write_text("")
            if self._asked(job | {"until": until}, seconds) and result.exists():
                graded: Result = json.loads(result.read_text(encoding="utf-8"))
                return graded
            reached = progress.read_text()
            if not reached or 0 <= until <= int(reached):
                note = "not graded: the grader was ended by it, or did not come to an end"
                return ungraded(note)
            until = int(reached)

    def close(self) -> None:
        """End the process, and what it started."""
        child, self._child = self._child, None
        if child is None:
            return
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL) if sys.platform != "win32" else child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        remove_group(child.pid)

    def _asked(self, question: dict[str, Any], seconds: float) -> bool:
        """Return whether a question was answered in time; end the process where not."""
        child = self._child = self._child or _started()
        assert child.stdin and child.stdout
        timer = Timer(seconds, self.close)
        timer.start()
        try:
            child.stdin.write(json.dumps(question) + "\n")
            child.stdin.flush()
            answered = child.stdout.readline() == "done\n"
        except (OSError, ValueError):
            answered = False
        finally:
            timer.cancel()
            timer.join()
        if not answered:
            self.close()
        return answered


def _started() -> subprocess.Popen[str]:
    """Start a process in a session of its own, so that Ctrl-C reaches the grader first."""
    path = os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "ircourse.commands.grade_one"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": path},
        start_new_session=True,
    )
