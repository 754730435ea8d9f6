"""The files of grading: what a class has handed in, which is a stranger's, and the table of its points."""

from __future__ import annotations

import csv
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from ircourse.commands.exercise_notebooks import MOST_BYTES

__all__ = [
    "Handed",
    "Result",
    "handed_in",
    "kept_aside",
    "loose_notebooks",
    "not_handed_in",
    "notes_of",
    "students_below",
    "ungraded",
    "write_grades",
]

Result = dict[str, Any]  # points, by_hand, notes
MOST_ENTRIES, MOST_LEVELS = 20_000, 8  # looked at in a student's folder
MOST_RENAMED = 20  # notebooks under other names
NOTHING = "not handed in"
_RELEASED = re.compile(r"ex_\d+_\d+")  # a notebook's name, also of one that does not count
_FORMULA = re.compile(r"(^|[;,\t])(\s*)(?=[=+\-@＝＋－＠])")  # also where a spreadsheet parts a line at ;


def ungraded(note: str) -> Result:
    """Return the result of a notebook that could not be graded; ``note`` says why."""
    return {"points": 0.0, "by_hand": 0.0, "notes": [note]}


def not_handed_in(names: Sequence[str]) -> dict[str, Result]:
    """Return the results of a student who has handed in nothing."""
    return {name: ungraded(NOTHING) for name in names}


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


def loose_notebooks(folder: Path) -> list[str]:
    """Return the names of notebooks beside the students' folders, which belong to nobody."""
    return sorted(path.name for path in folder.glob("*.ipynb") if path.name[0] not in "._")


class Handed(NamedTuple):
    """What of a student's folder is graded: copies by notebook, results of others, notes on copies."""

    files: dict[str, Path]
    results: dict[str, Result]
    notes: dict[str, str]


def handed_in(
    student: Path,
    names: Sequence[str],
    submission: Path,
    named: Callable[[list[Path]], list[str]] | None = None,
) -> Handed:
    """Copy a student's notebooks to ``submission``.

    named  gives the names that files had when they were released, "" where they had none: for those whose
           names are others now
    """
    submission.mkdir()
    handed = Handed({}, {}, {})
    found: dict[str, Path] = {}
    others: list[Path] = []
    for path in _below(student):
        if path.suffix == ".ipynb":
            found.setdefault(path.stem, path)
            hidden = any(part[0] in "._" for part in path.relative_to(student).parts)
            others += [] if hidden or _RELEASED.fullmatch(path.stem) else [path]
    missing = [name for name in names if name not in found]
    strange = ""
    if named and missing and others:
        aside = submission.with_name(f"{submission.name}-aside")
        renamed, strange = _renamed(others[:MOST_RENAMED], aside, named)
        for name in set(missing) & set(renamed):
            found[name] = renamed[name][-1]
            several = f", the last of {len(renamed[name])} by name" if len(renamed[name]) > 1 else ""
            handed.notes[name] = f"taken from {found[name].name!r}{several}"
    for name in names:
        try:
            if name not in found:
                raise ValueError(
                    f"{NOTHING}; {strange!r} is no notebook of the course's" if strange else NOTHING
                )
            (submission / f"{name}.ipynb").write_bytes(_read(found[name]))
        except (OSError, ValueError) as error:
            note = error.strerror or "cannot be read" if isinstance(error, OSError) else str(error)
            handed.results[name] = ungraded(note)
        else:
            handed.files[name] = submission / f"{name}.ipynb"
    return handed


def _renamed(
    files: Sequence[Path], aside: Path, named: Callable[[list[Path]], list[str]]
) -> tuple[dict[str, list[Path]], str]:
    """Return the files of each notebook, and the name of a file that is of none, or ""."""
    aside.mkdir()
    copies: dict[Path, Path] = {}
    for number, path in enumerate(sorted(files, key=lambda path: (len(path.name), path.name))):
        try:
            (aside / f"{number}.ipynb").write_bytes(_read(path))
        except (OSError, ValueError):
            continue
        copies[aside / f"{number}.ipynb"] = path
    renamed: dict[str, list[Path]] = {}
    for path, name in zip(copies.values(), named(list(copies)), strict=True):
        renamed.setdefault(name, []).append(path)
    return renamed, renamed[""][0].name if "" in renamed else ""


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


def kept_aside(out: Path) -> Path | None:
    """Give a table that is there already a name of its own, ``grades.csv~`` say, and return it."""
    if not out.exists():
        return None
    names = (out.with_name(f"{out.name}~{number or ''}") for number in count())
    kept = next(path for path in names if not path.exists())
    return out.replace(kept)


def write_grades(
    out: Path,
    most: Mapping[str, float],
    results: Mapping[str, Mapping[str, Result]],
    about: Mapping[str, Sequence[str]],
) -> None:
    """Write the table: a line a student with the points of each notebook, the total, and notes.

    most   the points that each notebook can bring, told in its column's head
    about  notes on students
    """
    with out.open("w", encoding="utf-8-sig", newline="") as file:  # the mark makes spreadsheets read UTF-8
        writer = csv.writer(file)
        heads = [f"{name} ({points:g})" for name, points in [*most.items(), ("total", sum(most.values()))]]
        writer.writerow(["student", *heads, "by hand", "notes"])
        for student, graded in results.items():
            points = [graded[name]["points"] for name in most]
            by_hand = sum(graded[name]["by_hand"] for name in most)
            notes = "; ".join([*about.get(student, ()), *notes_of(graded)])
            row = [cell(student), *(f"{x:g}" for x in (*points, sum(points), by_hand)), cell(notes)]
            writer.writerow(row)


def notes_of(graded: Mapping[str, Result]) -> list[str]:
    """Return a student's notes, each with the notebook's name; one where nothing was handed in."""
    if all(result["notes"] == [NOTHING] for result in graded.values()):
        return ["nothing handed in"]
    return [f"{name}: {note}" for name, result in graded.items() for note in result["notes"]]


def cell(text: str) -> str:
    """Return a stranger's text as a cell that no spreadsheet computes and no terminal obeys.

    >>> cell("=1+1"), cell("a;@b"), cell("s-17")
    ("'=1+1", "a;'@b", 's-17')
    """
    return _FORMULA.sub(r"\1\2'", "".join(c if c.isprintable() else " " for c in text))
