"""A class's submissions, graded side by side: what is collected, who grades it, what becomes of the pages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from html import escape
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TextIO

from ircourse.commands.exercise_notebooks import exercise_of, grade_id, numbers
from ircourse.commands.grade_by_hand import Given, merged
from ircourse.commands.grade_files import Handed, Result, handed_in, not_handed_in, notes_of, ungraded
from ircourse.commands.grade_origins import OTHER, Origin, other_secret, owner, tags, with_owner
from ircourse.commands.grade_worker import Worker
from ircourse.commands.output import write_line
from ircourse.commands.sandbox import Limits

__all__ = ["Course", "Desk", "Table", "feedback_folder"]

Table = dict[str, dict[str, Result]]  # by student and notebook


class Course(NamedTuple):
    """What is graded against: the instructor's notebooks, the folder they are in, the secret and its file."""

    notebooks: dict[str, Any]
    sources: Path
    secret: str | None
    secret_file: str | None


def feedback_folder(out: Path) -> Path:
    """Return the folder of the pages that belong to a table."""
    return out.with_name(f"{out.stem}_feedback")


class _Collected(NamedTuple):
    """What a student has handed in, and where each of the notebooks comes from."""

    student: str
    folder: Path  # the copies
    handed: Handed
    origins: dict[str, Origin]


class Desk:
    """What the workers of one run share."""

    def __init__(
        self,
        course: Course,
        known: Sequence[str],
        given: Mapping[tuple[str, str], Given],
        out: Path,
        scratch: Path,
        trusted: bool,
        limits: Limits,
    ) -> None:
        self.course, self.known, self.given, self.scratch, self.limits = course, known, given, scratch, limits
        self.names, self.feedback = list(course.notebooks), feedback_folder(out)
        secret = course.secret
        self.tagged = {} if secret is None else {tags(s, secret)["student"]: s for s in known}
        self.job = {
            "secret": secret,
            "sources": str(course.sources.resolve()),
            "gradebook": str(scratch / "empty.db"),
            "trusted": trusted,
            "limits": list(limits),
        }
        self._idle: list[Worker] = []
        self._lock = Lock()

    def graded(self, students: Sequence[Path], workers: int, log: TextIO) -> Table:
        """Return the results by student; ValueError where most notebooks were made with another secret."""
        first = Worker()
        self._idle.append(first)
        try:
            first.prepare(str(self.job["gradebook"]))
            results: Table = {}
            with ThreadPoolExecutor(workers) as pool:
                collected = list(pool.map(self._collected, range(len(students)), students))
                self._compare_secrets(collected)
                waiting = {pool.submit(self._outlasted, i, each): each for i, each in enumerate(collected)}
                for count, future in enumerate(as_completed(waiting), 1):
                    student = waiting[future].student
                    results[student] = future.result()
                    write_line(log, f"[{count}/{len(students)}] {student}  {_summary(results[student])}")
                    log.flush()
        finally:
            for worker in self._idle:
                worker.close()
        return results

    def absent(self, student: str) -> dict[str, Result]:
        """Return the results of a student who has handed in nothing, with points given by hand."""
        for name in self.names:
            self._page(student, name).unlink(missing_ok=True)  # of a grading before
        return {
            name: self._finished(student, name, result) if (student, name) in self.given else result
            for name, result in not_handed_in(self.names).items()
        }

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

    def _page(self, student: str, name: str) -> Path:
        return self.feedback / student / f"{name}.html"

    def _collected(self, place: int, student: Path) -> _Collected:
        """Copy what a student has handed in, and see where it comes from."""
        folder = self.scratch / f"submission-{place}"

        def look(files: list[Path]) -> list[Origin | None]:
            with self._worker() as worker:
                return worker.look(files, self.scratch / f"origins-{place}")

        def names(files: list[Path]) -> list[str]:
            ids = {name: {grade_id(c) or "" for c in nb.cells} for name, nb in self.course.notebooks.items()}
            return [origin.notebook(ids) if origin else "" for origin in look(files)]

        try:
            handed = handed_in(student, self.names, folder, names)
            found = zip(handed.files, look(list(handed.files.values())), strict=True)
            origins = {name: origin for name, origin in found if origin is not None}
        except Exception as error:  # the class's points are not to hang on one submission
            note = f"not graded: {error or type(error).__name__}"
            handed, origins = Handed({}, {name: ungraded(note) for name in self.names}, {}), {}
        return _Collected(student.name, folder, handed, origins)

    def _compare_secrets(self, collected: Sequence[_Collected]) -> None:
        """Raise ValueError where most notebooks were made with another secret than the one given."""
        course = self.course
        found = [(name, origin) for each in collected for name, origin in each.origins.items()]
        book = {name: numbers(notebook.cells) for name, notebook in course.notebooks.items()}
        if said := other_secret(found, book, course.secret, course.secret_file):
            raise ValueError(said)

    def _outlasted(self, place: int, own: _Collected) -> dict[str, Result]:
        """Return the result of each notebook of a submission, whatever becomes of it."""
        try:
            return self._grade(place, own)
        except Exception as error:  # nor on its grading
            note = f"not graded: {error or type(error).__name__}"
            return {name: ungraded(note) for name in self.names}

    def _grade(self, place: int, own: _Collected) -> dict[str, Result]:
        """Return the result of each notebook of a submission; write its feedback."""
        pages, results = self.feedback / own.student, dict(own.handed.results)
        job = self.job | {
            "student": own.student,
            "submission": str(own.folder),
            "feedback": str(pages.resolve()),
            "progress": str(self.scratch / f"progress-{place}"),
        }
        seconds = self.limits.notebook + 3 * self.limits.cell + 180  # more than a notebook takes to its end
        for name in self.names:
            self._page(own.student, name).unlink(missing_ok=True)
        for name, file in own.handed.files.items():
            given = self.given.get((own.student, name))
            asked = {"name": name, "file": str(file), "result": str(self.scratch / f"result-{place}-{name}")}
            with self._worker() as worker:
                result = worker.grade(job | asked | {"given": given}, seconds)
            results[name] = result | {"notes": self._notes(own, name, result["notes"])}
        return {name: self._finished(own.student, name, results[name]) for name in self.names}

    def _notes(self, own: _Collected, name: str, notes: list[str]) -> list[str]:
        """Return the notes on a notebook, with its file's name and its owner's where these are others."""
        renamed = [own.handed.notes[name]] if name in own.handed.notes else []
        secret, origin = self.course.secret, own.origins.get(name)
        if secret is None or origin is None:
            return renamed + notes
        if OTHER not in notes and origin.student in ("", tags(own.student, secret)["student"]):
            return renamed + notes
        return renamed + with_owner(notes, own.student, owner(exercise_of(name), origin, self.tagged, secret))

    def _finished(self, student: str, name: str, result: Result) -> Result:
        """Return a result with what was given by hand; write a page where nbgrader made none."""
        given, page = self.given.get((student, name)), self._page(student, name)
        if not page.exists():
            page.parent.mkdir(parents=True, exist_ok=True)
            said = [
                *result["notes"],
                *([f"{given.points:g} points by hand. {given.comment}"] if given else []),
            ]
            text = escape("; ".join(said))
            html = f"<!DOCTYPE html><meta charset='utf-8'><title>{name}</title><p>{name}: {text}</p>"
            page.write_text(html, encoding="utf-8")
        return merged(result, given)


def _summary(results: dict[str, Result]) -> str:
    """Return a submission's points and the first of its notes in a line."""
    total, by_hand = (sum(result[key] for result in results.values()) for key in ("points", "by_hand"))
    more = f", {by_hand:g} to be given by hand" if by_hand else ""
    first, *others = notes_of(results) or [""]
    note = f"; {first[:200]}" if first else ""
    return f"{total:g} points{more}{note}" + (f"; and {len(others)} more" if others else "")
