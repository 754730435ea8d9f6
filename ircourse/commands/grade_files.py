"""The files of grading: what a class has handed in, which is a stranger's, and the table of its points."""

from __future__ import annotations

import csv
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ircourse.commands.exercise_notebooks import MOST_BYTES

__all__ = ["Result", "handed_in", "students_below", "ungraded", "write_grades"]

Result = dict[str, Any]  # points, by_hand, notes
MOST_ENTRIES, MOST_LEVELS = 20_000, 8  # looked at in a student's folder
_FORMULA = re.compile(r"(^|[;,\t])(\s*)(?=[=+\-@＝＋－＠])")  # also where a spreadsheet parts a line at ;


def ungraded(note: str) -> Result:
    """Return the result of a notebook that could not be graded; ``note`` says why."""
    return {"points": 0.0, "by_hand": 0.0, "notes": [note]}


def students_below(folder: Path) -> list[Path]:
    """Return the students' folders; ValueError where there are none."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder: name the one that holds a folder for each student")
    students = sorted(
        path
        for path in folder.iterdir()
        if path.is_dir() and not path.is_symlink() and path.name[0] not in "._"
    )
    if not students:
        raise ValueError(
            f"{folder} holds no folders: it takes one for each student, named by the student's id"
        )
    return students


def handed_in(
    student: Path, names: Sequence[str], submission: Path
) -> tuple[dict[str, Path], dict[str, Result]]:
    """Copy a student's notebooks to ``submission``; return their paths there, and results for others."""
    submission.mkdir()
    files: dict[str, Path] = {}
    results: dict[str, Result] = {}
    found: dict[str, Path] = {}
    for path in _below(student):
        if path.suffix == ".ipynb":
            found.setdefault(path.stem, path)
    for name in names:
        try:
            if name not in found:
                raise ValueError("not handed in")
            (submission / f"{name}.ipynb").write_bytes(_read(found[name]))
        except (OSError, ValueError) as error:
            note = error.strerror or "cannot be read" if isinstance(error, OSError) else str(error)
            results[name] = ungraded(note)
        else:
            files[name] = submission / f"{name}.ipynb"
    return files, results


def _below(folder: Path) -> Iterator[Path]:
    """Yield what is in a folder and the folders in it, the nearest first; links are not followed."""
    level, left = [folder], MOST_ENTRIES
    for _ in range(MOST_LEVELS):
        entries: list[os.DirEntry[str]] = []
        for each in level:
            try:
                with os.scandir(each) as inside:
                    for entry, _ in zip(inside, range(left), strict=False):
                        entries.append(entry)
                        left -= 1
            except OSError:  # one that may not be read holds nothing to be graded
                continue
        entries.sort(key=lambda entry: entry.path)
        yield from (Path(entry.path) for entry in entries)
        level = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]


def _read(path: Path) -> bytes:
    """Return what is in a regular file; ValueError for a link, a pipe, a folder, and more than 20 MB."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if path.is_symlink():
        raise ValueError("not a notebook: no regular file but a link")
    with open(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not a notebook: no regular file")
        if status.st_size > MOST_BYTES:
            raise ValueError(f"not read: {status.st_size / 1e6:.0f} MB, more than {MOST_BYTES // 10**6} MB")
        return file.read(MOST_BYTES)


def write_grades(out: Path, names: Sequence[str], results: Mapping[str, Mapping[str, Result]]) -> None:
    """Write the table: a line a student with the points of each notebook, the total, and notes."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8-sig", newline="") as file:  # the mark makes spreadsheets read UTF-8
        writer = csv.writer(file)
        writer.writerow(["student", *names, "total", "by hand", "notes"])
        for student, graded in results.items():
            points = [graded[name]["points"] for name in names]
            by_hand = sum(graded[name]["by_hand"] for name in names)
            notes = "; ".join(f"{name}: {note}" for name in names for note in graded[name]["notes"])
            row = [cell(student), *(f"{x:g}" for x in (*points, sum(points), by_hand)), cell(notes)]
            writer.writerow(row)


def cell(text: str) -> str:
    """Return a stranger's text as a cell that no spreadsheet computes and no terminal obeys.

    >>> cell("=1+1"), cell("a;@b"), cell("s-17")
    ("'=1+1", "a;'@b", 's-17')
    """
    return _FORMULA.sub(r"\1\2'", "".join(c if c.isprintable() else " " for c in text))
