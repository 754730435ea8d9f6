"""The command ``release``: the exercises as students get them, without solutions and hidden tests."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from ircourse.commands.exercise_notebooks import SOURCES, personal, read_sources
from ircourse.commands.output import write_line
from ircourse.commands.rosters import make_secret, read_roster, read_secret
from ircourse.commands.source_numbers import book_numbers, variant_of
from ircourse.notebooks import save_notebook

__all__ = ["release"]


def release(
    out: str,
    *,
    roster: str | None = None,
    secret: str | None = None,
    only: str | None = None,
    sources: Path = SOURCES,
    log: TextIO | None = None,
) -> int:
    """Write the student version of the exercises below the folder ``out``; return the exit code, 0 or 1.

    roster  a CSV file with the students' ids; each gets a folder with numbers of their own. None: one set
            with the book's numbers, in ``out`` itself
    secret  a file that variants are drawn from, made where there is none; a roster needs one
    only    the exercises that are wanted, "19.7,19.8" say; None: all
    A line for each student, and for what went wrong, goes to ``log``, standard error unless given.
    """
    log = log or sys.stderr
    try:
        if roster is not None and secret is None:
            raise ValueError(
                "a roster needs --secret FILE, from which numbers are drawn: `grade` reads it, too"
            )
        students = [] if roster is None else read_roster(Path(roster))
        notebooks = read_sources(sources, only)
        for name, source in notebooks.items():
            if not book_numbers(variant_of(source, name)) and students:
                write_line(log, f"{name}: its own numbers are not used, each student's are drawn")
        _make_room(Path(out), students, notebooks)
        salt = _secret(Path(secret), log) if secret is not None else ""
        for count, (folder, own) in enumerate(_versions(students, salt, notebooks), 1):
            _write(Path(out) / folder, own)
            made = f"{len(own)} notebook{'s' * (len(own) > 1)}"
            write_line(log, f"[{count}/{len(students) or 1}] {Path(out) / folder}: {made}")
    except OSError as error:
        place = f"{error.filename}: {error.strerror}" if error.filename else error
        write_line(log, f"ircourse: {place}")
        return 1
    except ValueError as error:
        write_line(log, f"ircourse: {error}")
        return 1
    return 0


def _make_room(out: Path, students: list[str], notebooks: dict[str, Any]) -> None:
    """Make the folder; ValueError where a notebook is in it already: a student's work is not to be lost."""
    for folder in students or [""]:
        for name in notebooks:
            path = out / folder / f"{name}.ipynb"
            if path.exists():
                raise ValueError(f"{path} is there already: remove it or choose another --out")
    out.mkdir(parents=True, exist_ok=True)


def _secret(path: Path, log: TextIO) -> str:
    """Return the secret of a file, made where there is none."""
    if path.exists():
        return read_secret(path)
    secret = make_secret(path)
    write_line(log, f"{path}: a new secret. Keep it: `grade --secret` needs it, and no student may see it")
    return secret


def _versions(
    students: list[str], salt: str, sources: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield for each student the folder's name and the notebooks; without students the book's numbers."""
    from ircourse.commands.nbgrader_course import empty_gradebook, released

    with tempfile.TemporaryDirectory(prefix="ircourse-", ignore_cleanup_errors=True) as folder:
        gradebook = Path(folder) / "empty.db"
        empty_gradebook(gradebook)
        for place, student in enumerate(students or [""]):
            own = {name: personal(nb, name, student, salt) if student else nb for name, nb in sources.items()}
            root = Path(folder) / str(place)
            root.mkdir()
            yield student, released(root, own, gradebook)


def _write(folder: Path, notebooks: dict[str, Any]) -> None:
    """Write notebooks to a folder, made where there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, notebook in notebooks.items():
        save_notebook(notebook, folder / f"{name}.ipynb")
