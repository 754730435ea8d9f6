"""The process that grades submissions: what a hostile notebook breaks is this process, not the command.

On standard input a job a line, as JSON: one notebook. Its result goes to the job's ``result`` file, and
nbgrader's page to its ``feedback`` folder.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from ircourse.commands.exercise_notebooks import (
    begun,
    mended,
    personal,
    read_origin,
    read_sources,
    read_submission,
)
from ircourse.commands.grade_files import Result, ungraded
from ircourse.commands.grade_origins import Origin
from ircourse.commands.sandbox import Limits, write_kernel

__all__ = ["Job", "grade_submission"]

_CLIENT_MEMORY = 4 << 30  # bytes for reading notebooks and keeping outputs


class Job(NamedTuple):
    """What is graded, and how."""

    student: str  # whose numbers
    secret: str | None  # None: the book's numbers
    name: str  # of the notebook
    file: str  # handed in
    until: int  # the first cell not to be run, since the grader did not outlast it; -1: all are run
    submission: str  # the folder that the kernel sees
    sources: str
    gradebook: str  # an empty one
    feedback: str
    result: str  # the file that the result goes to
    progress: str  # the file that tells which cell runs
    trusted: bool
    limits: list[int]
    given: list[Any] | None = None  # by hand: points and a comment


def grade_submission(job: Job) -> None:
    """Grade a notebook, and write the result."""
    # The path is short, since it becomes a socket's name.
    with tempfile.TemporaryDirectory(prefix="ir-", ignore_cleanup_errors=True) as folder:
        root, runtime = Path(folder), Path(folder) / "r"
        runtime.mkdir()
        os.environ["JUPYTER_RUNTIME_DIR"], os.environ["JUPYTER_PATH"] = str(runtime), str(root / "jupyter")
        write_kernel(root / "jupyter", Path(job.submission), runtime, Limits(*job.limits), job.trusted)
        result = _graded(root / job.name, runtime, job)
        Path(job.result).write_text(json.dumps(result), encoding="utf-8")


def _graded(root: Path, runtime: Path, job: Job) -> Result:
    """Return points, points to be given by hand, and notes for a notebook; write its feedback."""
    from ircourse.commands.autograder import autograde
    from ircourse.commands.nbgrader_course import NotGraded, released

    name = job.name
    try:
        cells = read_submission(Path(job.file))
        source = read_sources(Path(job.sources))[name]
        if job.secret is not None:
            source = personal(source, name, job.student, job.secret)
        root.mkdir()
        given_out = released(root, {name: source}, Path(job.gradebook))[name]
        notebook, notes = mended(cells, given_out)
        notes += [] if begun(notebook, given_out) else ["not begun"]
        points, by_hand, more, page = autograde(
            root,
            name,
            notebook,
            runtime,
            job.trusted,
            Limits(*job.limits),
            progress=job.progress,
            until=job.until,
            given=job.given,
        )
    except (OSError, ValueError, RecursionError, MemoryError, NotGraded) as error:
        return ungraded(str(error) or type(error).__name__)
    Path(job.feedback).mkdir(parents=True, exist_ok=True)
    (Path(job.feedback) / f"{name}.html").write_text(page, encoding="utf-8")
    return {"points": points, "by_hand": by_hand, "notes": notes + more}


def _look(files: list[str], result: Path) -> None:
    """Write where each of some files comes from, None for what is no notebook."""
    origins: list[Origin | None] = []
    for file in files:
        try:
            origins.append(read_origin(Path(file)))
        except (OSError, ValueError, RecursionError, MemoryError):
            origins.append(None)
    result.write_text(json.dumps(origins), encoding="utf-8")


def main() -> None:
    """Do what each line of standard input asks for, and answer "done"."""
    if sys.platform.startswith("linux"):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_CLIENT_MEMORY, _CLIENT_MEMORY))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # kernels inherit it, and what they write is no answer
    for line in sys.stdin:
        asked = json.loads(line)
        if "empty" in asked:
            from ircourse.commands.nbgrader_course import empty_gradebook

            empty_gradebook(Path(asked["empty"]))
        elif "look" in asked:
            _look(asked["look"], Path(asked["result"]))
        else:
            grade_submission(Job(**asked))
        answers.write("done\n")
        answers.flush()


if __name__ == "__main__":
    main()
