"""Points that the instructor gives by hand, for written answers: a CSV file, merged into what tests gave."""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ircourse.commands.exercise_notebooks import exercise_of
from ircourse.commands.grade_files import Result

__all__ = ["Given", "merged", "most_points", "read_by_hand", "written_points"]

HEADS = ("student", "exercise", "points")  # and "comment", which may be left out


class Given(NamedTuple):
    """What was given for the written answers of a notebook."""

    points: float
    comment: str


def most_points(notebook: Any) -> float:
    """Return the points that a source notebook can bring, tests and written answers together."""
    return float(sum(cell.metadata.nbgrader.get("points", 0) for cell in _graded(notebook)))


def written_points(notebook: Any) -> float:
    """Return the points for the written answers of a source notebook."""
    return float(sum(c.metadata.nbgrader.points for c in _graded(notebook) if c.metadata.nbgrader.solution))


def _graded(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]


def read_by_hand(
    path: Path, students: Collection[str], most: Mapping[str, float]
) -> dict[tuple[str, str], Given]:
    """Return what a file gives, by student and notebook; a line without points gives none yet.

    students  those who have handed in, or are on the roster
    most      the points for written answers of each notebook, ``ex_19_09`` say
    ValueError, with the line, for an unknown student or exercise, for points that are none or too many, and
    for what comes twice.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            heads = [head.strip().lower() for head in next(reader, [])]
            rows = [(reader.line_num, row) for row in reader if any(row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is no CSV file in UTF-8: {error}") from error
    if missing := [head for head in HEADS if head not in heads]:
        raise ValueError(
            f"{path}: no column {missing[0]!r}; its first line is student,exercise,points,comment"
        )
    given: dict[tuple[str, str], Given] = {}
    for number, row in rows:
        line = dict(zip(heads, [cell.strip() for cell in row], strict=False))
        try:
            key, own = _given(line, students, most)
            if own is not None and given.setdefault(key, own) is not own:
                raise ValueError(f"{line['student']} has points for {line['exercise']} in a line before")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    return given


def _given(
    line: Mapping[str, str], students: Collection[str], most: Mapping[str, float]
) -> tuple[tuple[str, str], Given | None]:
    """Return student and notebook of a line, and what it gives."""
    student, exercise, text = (line.get(head, "") for head in HEADS)
    if student not in students:
        raise ValueError(
            f"{student!r} has handed in nothing and is on no roster: give an id as in grades.csv"
        )
    names = {word: name for name in most for word in (name, exercise_of(name))}
    if exercise not in names:
        raise ValueError(f"no exercise {exercise!r}; choose from {', '.join(map(exercise_of, most))}")
    name = names[exercise]
    if not text:
        return (student, name), None
    try:
        points = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number of points: write 4 or 4.5") from None
    if not most[name]:
        raise ValueError(f"{exercise} has no written answer, its points come from tests: leave the line out")
    if not math.isfinite(points) or not 0 <= points <= most[name]:
        raise ValueError(f"{text} points for {exercise}: by hand it has from 0 to {most[name]:g}")
    return (student, name), Given(points, line.get("comment", ""))


def merged(result: Result, given: Given | None) -> Result:
    """Return a result with the points given by hand in its points, and none waiting.

    >>> merged({"points": 2.0, "by_hand": 5.0, "notes": []}, Given(4.5, "well put"))
    {'points': 6.5, 'by_hand': 0.0, 'notes': []}
    """
    if given is None:
        return result
    return result | {"points": result["points"] + given.points, "by_hand": 0.0}
