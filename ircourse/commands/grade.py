"""The command ``grade``: a class's submissions, graded side by side, to a CSV file and feedback pages."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TextIO

from ircourse.commands.exercise_notebooks import SOURCES, read_sources
from ircourse.commands.grade_by_hand import most_points, read_by_hand, written_points
from ircourse.commands.grade_desk import Course, Desk, Table, feedback_folder
from ircourse.commands.grade_files import (
    kept_aside,
    loose_notebooks,
    students_below,
    write_grades,
)
from ircourse.commands.output import write_line
from ircourse.commands.rosters import read_roster, read_secret
from ircourse.commands.sandbox import Limits, not_enforced, refusal

__all__ = ["grade"]


def grade(
    folder: str,
    *,
    out: str = "grades.csv",
    secret: str | None = None,
    roster: str | None = None,
    by_hand: str | None = None,
    only: str | None = None,
    trusted: bool = False,
    limits: Limits | None = None,
    workers: int | None = None,
    sources: Path = SOURCES,
    log: TextIO | None = None,
) -> int:
    """Grade the submissions below ``folder``, one folder a student; return the exit code, 0 or 1.

    out      the CSV file; feedback goes to a folder of the same name beside it, ``grades_feedback/s017``
    secret   the file that `release` drew the numbers from; None: the book's numbers hold
    roster   a CSV file with the students' ids: their order in the table, with who handed in nothing
    by_hand  a CSV file with points for written answers, put into the totals and the pages
    only     the exercises that count, "19.7,19.8" say; None: all
    trusted  run submissions without bubblewrap
    workers  submissions at a time, twice the processors unless given: a kernel's start is mostly waiting
    A line for each submission goes to ``log``, standard error unless given. A submission that cannot be
    graded gets a line in the CSV file with the reason.
    """
    log = log or sys.stderr
    try:
        course = Course(read_sources(sources, only), sources, _secret(secret), secret)
        students = students_below(Path(folder))
        enrolled = [] if roster is None else read_roster(Path(roster))
        handed = [path.name for path in students]
        known = list(dict.fromkeys([*enrolled, *handed]))
        written = {name: written_points(notebook) for name, notebook in course.notebooks.items()}
        given = {} if by_hand is None else read_by_hand(Path(by_hand), known, written)
        _writable(Path(out))
        for name in loose_notebooks(Path(folder)):
            write_line(log, f"ircourse: {name} is in no student's folder, and not graded")
        with tempfile.TemporaryDirectory(prefix="ircourse-", ignore_cleanup_errors=True) as scratch:
            _allow(trusted, Path(scratch), log)
            desk = Desk(course, known, given, Path(out), Path(scratch), trusted, limits or Limits())
            table = desk.graded(students, workers or 2 * (os.cpu_count() or 1), log)
            table |= {student: desk.absent(student) for student in known if student not in table}
        _tell(log, known, "have handed in nothing", [s for s in enrolled if s not in handed])
        _write(Path(out), course, {student: table[student] for student in known}, enrolled, log)
    except (ValueError, OSError) as error:
        write_line(log, f"ircourse: {_said(error)}")
        return 1
    write_line(log, f"{len(students)} submissions: {out}, feedback in {feedback_folder(Path(out))}")
    return 0


def _said(error: Exception) -> str:
    """Return an error's message; of the system's the file and what is wrong with it."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}"
    return str(error)


def _secret(path: str | None) -> str | None:
    """Return the secret in a file; ValueError where there is none."""
    if path is not None and not Path(path).exists():
        raise ValueError(f"{path}: no such file; give the one that `release` drew the numbers from")
    return None if path is None else read_secret(Path(path))


def _writable(out: Path) -> None:
    """Raise ValueError where no table can be written, before the time is spent."""
    if not out.parent.is_dir():
        raise ValueError(f"--out {out}: {out.parent} is no folder; make it first")
    if out.is_dir():
        raise ValueError(f"--out {out} is a folder: name a file in it, {out / 'grades.csv'} say")


def _write(out: Path, course: Course, table: Table, enrolled: Sequence[str], log: TextIO) -> None:
    """Write the table of points, one that is there kept; tell who is not on the roster."""
    strangers = [student for student in table if enrolled and student not in enrolled]
    _tell(log, table, "not on the roster", strangers)
    if (kept := kept_aside(out)) is not None:
        write_line(log, f"ircourse: {out} was there already: it is {kept} now")
    most = {name: most_points(notebook) for name, notebook in course.notebooks.items()}
    write_grades(out, most, table, {student: ["not on the roster"] for student in strangers})


def _tell(log: TextIO, known: Collection[str], what: str, students: Sequence[str]) -> None:
    """Write a line on some of the known students, where there are any."""
    if students:
        write_line(log, f"ircourse: {len(students)} of {len(known)} {what}: {', '.join(students)}")


def _allow(trusted: bool, scratch: Path, log: TextIO) -> None:
    """Raise ValueError where submissions can neither be shut in nor are trusted; say what that means."""
    if trusted:
        write_line(log, f"ircourse: --trust-submissions: {not_enforced()}")
        return
    empty = scratch / "empty"
    empty.mkdir()
    reason = refusal(empty)
    if reason is not None:
        raise ValueError(
            f"{reason}, so submissions cannot be kept from your files and the network. Install it "
            "(Debian, Ubuntu: sudo apt install bubblewrap), or pass --trust-submissions to run them "
            "as yourself."
        )
