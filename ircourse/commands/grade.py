"""The command ``grade``: a class's submissions, graded side by side, to a CSV file and feedback pages."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from html import escape
from pathlib import Path
from threading import Lock
from typing import TextIO

from ircourse.commands.exercise_notebooks import SOURCES, read_sources
from ircourse.commands.grade_files import Result, handed_in, students_below, ungraded, write_grades
from ircourse.commands.grade_worker import Worker
from ircourse.commands.output import write_line
from ircourse.commands.rosters import read_secret
from ircourse.commands.sandbox import Limits, not_enforced, refusal

__all__ = ["grade"]


def grade(
    folder: str,
    *,
    out: str = "grades.csv",
    secret: str | None = None,
    trusted: bool = False,
    limits: Limits | None = None,
    workers: int | None = None,
    sources: Path = SOURCES,
    log: TextIO | None = None,
) -> int:
    """Grade the submissions below ``folder``, one folder a student; return the exit code, 0 or 1.

    out      the CSV file; feedback goes to a folder of the same name beside it, ``grades_feedback/s017``
    secret   the file that `release` drew the numbers from; None: the book's numbers hold
    trusted  run submissions without bubblewrap
    workers  submissions at a time, twice the processors unless given: a kernel's start is mostly waiting
    A line for each submission goes to ``log``, standard error unless given. A submission that cannot be
    graded gets a line in the CSV file with the reason.
    """
    log = log or sys.stderr
    try:
        names = list(read_sources(sources))
        salt = None if secret is None else read_secret(Path(secret))
        students = students_below(Path(folder))
        with tempfile.TemporaryDirectory(prefix="ircourse-", ignore_cleanup_errors=True) as scratch:
            _allow(trusted, Path(scratch), log)
            desk = _Desk(names, salt, sources, Path(out), Path(scratch), trusted, limits or Limits())
            results = desk.graded(students, workers or 2 * (os.cpu_count() or 1), log)
            write_grades(Path(out), names, results)
    except (ValueError, OSError) as error:
        write_line(log, f"ircourse: {error}")
        return 1
    write_line(log, f"{len(students)} submissions: {out}, feedback in {_feedback(Path(out))}")
    return 0


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


def _feedback(out: Path) -> Path:
    return out.with_name(f"{out.stem}_feedback")


class _Desk:
    """What the workers of one run share."""

    def __init__(
        self,
        names: Sequence[str],
        secret: str | None,
        sources: Path,
        out: Path,
        scratch: Path,
        trusted: bool,
        limits: Limits,
    ) -> None:
        self.names, self.scratch, self.feedback, self.limits = names, scratch, _feedback(out), limits
        self.job = {
            "secret": secret,
            "sources": str(sources.resolve()),
            "gradebook": str(scratch / "empty.db"),
            "trusted": trusted,
            "limits": list(limits),
        }
        self._idle: list[Worker] = []
        self._lock = Lock()

    def graded(self, students: Sequence[Path], workers: int, log: TextIO) -> dict[str, dict[str, Result]]:
        """Return for each student, by id, the result of each notebook."""
        first = Worker()
        self._idle.append(first)
        try:
            first.prepare(str(self.job["gradebook"]))
            results: dict[str, dict[str, Result]] = {}
            with ThreadPoolExecutor(workers) as pool:
                waiting = {pool.submit(self._outlasted, i, path): path for i, path in enumerate(students)}
                for count, future in enumerate(as_completed(waiting), 1):
                    student = waiting[future].name
                    results[student] = future.result()
                    write_line(log, f"[{count}/{len(students)}] {student}  {_summary(results[student])}")
                    log.flush()
        finally:
            for worker in self._idle:
                worker.close()
        return {path.name: results[path.name] for path in students}

    @contextlib.contextmanager
    def _worker(self) -> Iterator[Worker]:
        """Give an idle worker, or a new one."""
        with self._lock:
            worker = self._idle.pop() if self._idle else Worker()
        try:
            yield worker
        finally:
            with self._lock:
                self._idle.append(worker)

    def _outlasted(self, place: int, student: Path) -> dict[str, Result]:
        """Return the result of each notebook of a submission, whatever becomes of it."""
        try:
            return self._grade(place, student)
        except Exception as error:  # the class's points are not to hang on one submission
            note = f"not graded: {error or type(error).__name__}"
            return {name: ungraded(note) for name in self.names}

    def _grade(self, place: int, student: Path) -> dict[str, Result]:
        """Return the result of each notebook of a submission; write its feedback."""
        submission = self.scratch / f"submission-{place}"
        files, results = handed_in(student, self.names, submission)
        pages = self.feedback / student.name
        job = self.job | {
            "student": student.name,
            "submission": str(submission),
            "feedback": str(pages.resolve()),
            "progress": str(self.scratch / f"progress-{place}"),
        }
        seconds = self.limits.notebook + 3 * self.limits.cell + 180  # more than a notebook takes to its end
        for name, file in files.items():
            own = {"name": name, "file": str(file), "result": str(self.scratch / f"result-{place}-{name}")}
            with self._worker() as worker:
                results[name] = worker.grade(job | own, seconds)
        for name in self.names:
            if not (pages / f"{name}.html").exists():
                pages.mkdir(parents=True, exist_ok=True)
                text = escape("; ".join(results[name]["notes"]))
                page = f"<!DOCTYPE html><meta charset='utf-8'><title>{name}</title><p>{name}: {text}</p>"
                (pages / f"{name}.html").write_text(page, encoding="utf-8")
        return results


def _summary(results: dict[str, Result]) -> str:
    """Return a submission's points and notes in a line."""
    total, by_hand = (sum(result[key] for result in results.values()) for key in ("points", "by_hand"))
    notes = [f"{name}: {note}" for name, result in results.items() for note in result["notes"]]
    more = f", {by_hand:g} to be given by hand" if by_hand else ""
    return "; ".join([f"{total:g} points{more}", *notes])[:300]
