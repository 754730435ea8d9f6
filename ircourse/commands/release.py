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
from ircourse.notebooks import save_notebook

__all__ = ["release"]


def release(
    out: str,
    *,
    roster: str | None = None,
    secret: str | None = None,
    sources: Path = SOURCES,
    log: TextIO | None = None,
) -> int:
    """Write the student version of the exercises below the folder ``out``; return the exit code, 0 or 1.

    roster  a CSV file with the students' ids; each gets a folder with numbers of their own. None: one set
            with the book's numbers, in ``out`` itself
    secret  a file that variants are drawn from, made where there is none; a roster needs one
    A line for each student, and for what went wrong, goes to ``log``, standard error unless given.
    """
    log = log or sys.stderr
    try:
        if roster is not None and secret is None:
            raise ValueError(
                "a roster needs --secret FILE, from which numbers are drawn: `grade` reads it, too"
            )
        students = [] if roster is None else read_roster(Path(roster))
        salt = _secret(Path(secret), log) if secret is not None else ""
        versions = _versions(students, salt, read_sources(sources))
        for count, (folder, notebooks) in enumerate(versions, 1):
            _write(Path(out) / folder, notebooks)
            write_line(
                log, f"[{count}/{len(students) or 1}] {Path(out) / folder}: {len(notebooks)} notebooks"
            )
    except (ValueError, OSError) as error:
        write_line(log, f"ircourse: {error}")
        return 1
    return 0


def _secret(path: Path, log: TextIO) -> str:
    """Return the secret of a file, made where there is none."""
    if path.exists():
        return read_secret(path)
    write_line(log, f"{path}: a new secret. Keep it: `grade --secret` needs it, and no student may see it")
    return make_secret(path)


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
    """Write notebooks to a folder that has none of these names: a student's work is not to be lost."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, notebook in notebooks.items():
        path = folder / f"{name}.ipynb"
        if path.exists():
            raise ValueError(f"{path} is there already: remove it or choose another --out")
        save_notebook(notebook, path)
