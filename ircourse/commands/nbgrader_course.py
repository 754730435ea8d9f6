"""nbgrader's converters on a course in a temporary folder: an assignment for each notebook, one student.

A notebook is an assignment of its own, so that one which cannot be graded leaves the others their points.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

__all__ = ["STUDENT", "NotGraded", "converted", "course_config", "empty_gradebook", "released"]

STUDENT = "student"  # within the temporary course, whose paths must not depend on a stranger's folder names


class NotGraded(Exception):
    """nbgrader could not convert a notebook; the message is the last line of what it said."""


def course_config(root: Path) -> Config:
    """Return the configuration of a course whose files and gradebook are below ``root``."""
    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.db_url = f"sqlite:///{root / 'gradebook.db'}"
    return config


def converted(converter: Any, name: str, config: Config) -> None:
    """Run one of nbgrader's converters on an assignment; NotGraded, with what it logged, where it fails."""
    directory = CourseDirectory(config=config)
    directory.assignment_id = name
    with _logged() as errors:
        try:
            converter(coursedir=directory, config=config).start()
        except NbGraderException as error:
            lines = [line for text in errors for line in text.strip().splitlines()[-1:]]
            raise NotGraded("; ".join(lines[:2]) or str(error)) from error


def empty_gradebook(path: Path) -> None:
    """Write a gradebook without entries; copied to a course it saves the second that a new one takes."""
    before = os.environ.get("PATH", "")
    # nbgrader starts alembic by its name; it is beside this Python, be the environment active or not
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), before])
    try:
        Gradebook(f"sqlite:///{path}").close()
    finally:
        os.environ["PATH"] = before


def released(root: Path, sources: Mapping[str, Any], gradebook: Path) -> dict[str, Any]:
    """Return the student versions of source notebooks; the gradebook below ``root`` knows them afterwards."""
    students = {}
    shutil.copy(gradebook, root / "gradebook.db")
    for name, notebook in sources.items():
        place = root / "source" / name / f"{name}.ipynb"
        place.parent.mkdir(parents=True)
        nbformat.write(notebook, place)  # type: ignore[no-untyped-call]
        converted(GenerateAssignment, name, course_config(root))
        path = root / "release" / name / f"{name}.ipynb"
        students[name] = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return students


@contextmanager
def _logged() -> Iterator[list[str]]:
    """Keep what nbgrader logs from the terminal and give the tracebacks among it: it raises without them."""
    logger, kept = logging.getLogger("traitlets"), logging.Handler()
    errors: list[str] = []

    def keep(record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR and "Traceback" in record.getMessage():
            errors.append(record.getMessage())

    kept.emit = keep  # type: ignore[method-assign]
    before = logger.handlers, logger.propagate, logger.level
    logger.handlers, logger.propagate = [kept], False
    logger.setLevel(logging.ERROR)
    try:
        yield errors
    finally:
        logger.handlers, logger.propagate = before[:2]
        logger.setLevel(before[2])
