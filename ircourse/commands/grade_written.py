"""Written answers in nbgrader's gradebook and on its pages: points given by hand, or still to be given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from ircourse.commands.nbgrader_course import STUDENT

__all__ = ["awaiting", "give", "is_written"]


def is_written(cell: Any) -> bool:
    """Return whether a cell's points are given by hand."""
    own = cell.metadata.get("nbgrader", {})
    return bool(own.get("grade") and own.get("solution"))


def give(root: Path, name: str, written: Sequence[str], points: float, comment: str) -> None:
    """Put points and a comment into a gradebook: to the first written answer as many as it can have."""
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        for number, cell in enumerate(written):
            grade = gradebook.find_grade(cell, name, name, STUDENT)
            grade.manual_score, grade.needs_manual_grade = min(points, grade.max_score), False
            points -= grade.manual_score
            if number == 0:
                gradebook.find_comment(cell, name, name, STUDENT).manual_comment = comment or None
        gradebook.db.commit()


def awaiting(page: str, waiting: Mapping[str, float]) -> str:
    """Return a feedback page that says of answers not graded yet how many points wait, in place of 0."""
    for cell, points in waiting.items():
        said, score = f"{points:g} points, to be graded by hand", r"Score: [\d.]+ / [\d.]+"
        place = rf'(<a href="#{re.escape(cell)}">[^<]*</a> \(){score}'
        page = re.sub(place, rf"\g<1>{said}", page, count=1)
        place = rf'(<a name="{re.escape(cell)}"></a>(?:(?!Score:).)*?){score}'
        page = re.sub(place, rf"\g<1>{said}", page, count=1, flags=re.DOTALL)
    if waiting:
        page = re.sub(
            r"(<h4>[^<]*)\)</h4>", rf"\1; {sum(waiting.values()):g} to be graded by hand)</h4>", page, count=1
        )
    return page
