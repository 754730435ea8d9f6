"""The exercises' notebooks: the instructor's source, a student's numbers in it, a submission made sound.

source    a notebook of ``chapters/exercises`` in nbgrader's format, with solutions and hidden tests
numbers   lines ``variant = Variant(…)`` of its code, and its cell "statement"
grade_id  nbgrader's name of a cell, unique in a notebook
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ircourse.commands.grade_origins import OTHER, Origin, tags
from ircourse.exercises import variant
from ircourse.notebooks import read_notebook

__all__ = [
    "SOURCES",
    "begun",
    "exercise_of",
    "grade_id",
    "mended",
    "numbers",
    "personal",
    "read_origin",
    "read_sources",
    "read_stored",
    "read_submission",
    "sound_cells",
]

SOURCES = Path(__file__).resolve().parents[2] / "chapters" / "exercises"
MOST_BYTES, MOST_CELLS, MOST_SOURCE = 20_000_000, 2000, 2_000_000
_VARIANT = re.compile(r"^variant = (Variant\(.*\))$", re.MULTILINE)


def read_sources(folder: Path = SOURCES, only: str | None = None) -> dict[str, Any]:
    """Return the instructor's notebooks by name, ``ex_19_07`` first; ValueError where there are none.

    only  the exercises that are wanted, "19.7,19.8" say; None: all. ValueError for one that there is not
    """
    paths = {exercise_of(path.stem): path for path in sorted(folder.glob("ex_*.ipynb"))}
    if not paths:
        raise ValueError(f"no exercises in {folder}: run this from a clone of the course's repository")
    wanted = list(paths) if only is None else [name.strip() for name in only.split(",")]
    for name in wanted:
        if name not in paths:
            raise ValueError(f"--only {only}: no exercise {name!r}; choose from {', '.join(paths)}")
    return {path.stem: read_notebook(path) for name, path in paths.items() if name in wanted}


def exercise_of(name: str) -> str:
    """Return the exercise of a notebook.

    >>> exercise_of("ex_19_07"), exercise_of("ex_19_10")
    ('19.7', '19.10')
    """
    _, chapter, number = name.split("_")
    return f"{int(chapter)}.{int(number)}"


def grade_id(cell: Any) -> str | None:
    """Return nbgrader's name of a cell, None for a cell without one."""
    own = cell.get("metadata", {}).get("nbgrader")
    name = own.get("grade_id") if isinstance(own, dict) else None
    return name if isinstance(name, str) else None


def personal(source: Any, name: str, student: str, secret: str) -> Any:
    """Put a student's numbers, and tags of whose they are, into a copy of a source notebook and return it."""
    from copy import deepcopy

    own, notebook = variant(exercise_of(name), student, secret), deepcopy(source)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = _VARIANT.sub(lambda _: f"variant = {own!r}", cell.source)
            cell.outputs, cell.execution_count = [], None
        elif grade_id(cell) == "statement":
            cell.source = f"## The exercise\n\n{own.statement}"
    notebook.metadata["ircourse"] = tags(student, secret)
    return notebook


def numbers(cells: Sequence[Any]) -> set[str]:
    """Return the variants that cells name."""
    return {found for cell in cells for found in _VARIANT.findall(cell["source"])}


def read_submission(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a submitted notebook: type, source and metadata, whatever else they hold left out.

    ValueError says why a file is no notebook, in a few words.
    """
    return sound_cells(read_stored(path))


def read_origin(path: Path) -> Origin:
    """Return what a submitted notebook tells of where it comes from; ValueError where it is none."""
    stored = read_stored(path)
    cells, metadata = sound_cells(stored), stored.get("metadata")
    own = metadata.get("ircourse") if isinstance(metadata, dict) else None
    told = [str(own.get(key, ""))[:40] if isinstance(own, dict) else "" for key in ("secret", "student")]
    setup = numbers([cell for cell in cells if grade_id(cell) == "setup"])
    return Origin(sorted({name for cell in cells if (name := grade_id(cell))}), sorted(setup), *told)


def read_stored(path: Path) -> dict[str, Any]:
    """Return what a submitted file holds; ValueError where it is no notebook of format 4."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("not a notebook: no regular file")
    if status.st_size > MOST_BYTES:
        raise ValueError(f"not read: {status.st_size / 1e6:.0f} MB, more than {MOST_BYTES // 10**6} MB")
    text = path.read_bytes()
    if not text.strip():
        raise ValueError("not a notebook: the file is empty")
    try:
        stored = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError("not a notebook: damaged, or of another kind; save it again in Jupyter") from error
    if (
        not isinstance(stored, dict)
        or stored.get("nbformat") != 4
        or not isinstance(stored.get("cells"), list)
    ):
        raise ValueError("not a notebook of format 4: save it again in Jupyter")
    return stored


def sound_cells(stored: dict[str, Any]) -> list[dict[str, Any]]:
    """Return type, source and metadata of the cells of a notebook; ValueError where it is too large."""
    cells = stored["cells"]
    if len(cells) > MOST_CELLS:
        raise ValueError(f"not read: {len(cells)} cells, more than {MOST_CELLS}")
    sound = [whole for cell in cells if (whole := _sound(cell)) is not None]
    if (size := sum(len(cell["source"]) for cell in sound)) > MOST_SOURCE:
        raise ValueError(f"not read: {size:,} characters of code and text, more than {MOST_SOURCE:,}")
    return sound


def _sound(cell: Any) -> dict[str, Any] | None:
    """Return type, source and metadata of a stored cell, None where it is none."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in ("code", "markdown", "raw"):
        return None
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    metadata = cell.get("metadata")
    source = source.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair cannot be written
    return (
        {"cell_type": cell["cell_type"], "source": source, "metadata": metadata or {}}
        if (metadata is None or isinstance(metadata, dict))
        else None
    )


def mended(cells: Sequence[dict[str, Any]], released: Any) -> tuple[Any, list[str]]:
    """Return a notebook of submitted cells with every named cell of the released one in it, and notes.

    A named cell keeps its place and, where it is the student's to write, its source. One that is missing
    comes after the one that stands before it in the released notebook.
    """
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    make = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_markdown_cell}
    given = {grade_id(cell): cell for cell in released.cells}
    places: dict[str | None, int] = {}
    made: list[Any] = []
    changed: list[str] = []
    missing: list[str] = []
    for cell in cells:
        name = grade_id(cell)
        own = given.get(name) if name and name not in places else None
        kind, source = (own.cell_type if own else cell["cell_type"]), cell["source"]
        if own and not own.metadata.nbgrader.solution:
            if own.metadata.nbgrader.grade and _words(source) != _words(own.source):
                changed.append(str(name))
            source = own.source
        made.append(make[kind](source, metadata=dict(own.metadata) if own else {}))  # type: ignore[no-untyped-call]
        if own:
            places[name] = len(made) - 1
    for before, cell in zip([None, *released.cells], released.cells, strict=False):
        name, own = grade_id(cell), cell.metadata.get("nbgrader")
        if name is None or name in places:
            continue
        place = places.get(grade_id(before), -1) + 1 if before else 0
        back = make[cell.cell_type](cell.source, metadata=dict(cell.metadata))  # type: ignore[no-untyped-call]
        made.insert(place, back)
        places = {other: at + (at >= place) for other, at in places.items()} | {name: place}
        if own["grade"] or own["solution"]:
            missing.append(name)
    notes = [f"cells missing and put back: {', '.join(missing)}"] if missing else []
    notes += [f"tests changed and put back: {', '.join(changed)}"] if changed else []
    setup = [cell for cell in cells if grade_id(cell) == "setup"]
    notes += [OTHER] if numbers(setup) - numbers(released.cells) else []
    for number, cell in enumerate(made):
        cell["id"] = f"cell-{number}"
    return new_notebook(cells=made), notes  # type: ignore[no-untyped-call]


def _words(source: str) -> list[str]:
    """Return the words of a cell without its numbers, which a note of its own tells of."""
    return _VARIANT.sub("", source).split()


def begun(notebook: Any, released: Any) -> bool:
    """Return whether any cell that is the student's to write differs from the released one."""
    given = {grade_id(cell): cell.source.split() for cell in released.cells}
    return any(
        cell.source.split() != given[grade_id(cell)]
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    )
