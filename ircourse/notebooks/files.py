"""Chapters as files: found by name, read if they are sound, written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["find_chapters", "make_folder", "read_notebook", "replace_file", "save_notebook"]

MOST_CHARACTERS = 300


def find_chapters(names: Sequence[str], folder: Path) -> list[Path]:
    """Return the chapters whose names begin with one of ``names``, in the course's order; all for no names.

    Raises ValueError, with the names there are, for a name that fits none.
    """
    chapters = sorted(folder.glob("*.ipynb"))
    if not chapters:
        raise ValueError(
            f"There are no chapters in {folder}: run this from a clone of the course's repository."
        )
    wanted = [Path(name).name.removesuffix(".ipynb") for name in names]
    for name in wanted:
        if not any(path.stem.startswith(name) for path in chapters):
            there = ", ".join(path.stem for path in chapters)
            raise ValueError(f"No chapter's name begins with {name!r}. The chapters: {there}.")
    return [path for path in chapters if not wanted or path.stem.startswith(tuple(wanted))]


def read_notebook(path: Path) -> Any:
    """Return the notebook stored at ``path``; ValueError, with its name, unless a sound one of version 4.

    Cells without an id are left so, where nbformat's own ``read`` gives random ids; ``clean`` gives them by
    place.
    """
    from nbformat.reader import reads

    try:
        text = path.read_text(encoding="utf-8")
        check_notebook(json.loads(text))
        return reads(text)  # type: ignore[no-untyped-call]
    except RecursionError as error:
        raise ValueError(f"{path.name} is not a notebook: nested too deeply") from error
    except ValueError as error:  # of bytes that are not UTF-8 and of text that is not JSON, too
        raise ValueError(f"{path.name} is not a notebook: {error}") from error


def check_notebook(stored: Any) -> None:
    """Raise ValueError unless what a file holds has the form of a notebook of version 4."""
    from nbformat.validator import iter_validate

    if not isinstance(stored, dict) or stored.get("nbformat") != 4:
        raise ValueError("it is not of format 4. Open it in JupyterLab and save it")
    checked = stored | {"nbformat_minor": 5}
    if isinstance(stored.get("cells"), list):
        checked["cells"] = [{"id": "none"} | c if isinstance(c, dict) else c for c in stored["cells"]]
    for error in iter_validate(checked, version=4, version_minor=5, relax_add_props=True):  # type: ignore[no-untyped-call]
        place = "".join(f"[{part!r}]" for part in error.relative_path)
        raise ValueError(f"{error.message[:MOST_CHARACTERS]} (in the notebook{place})")


def make_folder(folder: Path) -> None:
    """Make a folder where need be, and raise OSError unless files can be written there."""
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()


def save_notebook(notebook: Any, path: Path) -> None:
    """Write a notebook to ``path`` as nbformat does, with the same bytes on every system."""
    import nbformat

    text: str = nbformat.writes(notebook, version=4)  # type: ignore[no-untyped-call]
    replace_file(path, text.rstrip("\n") + "\n")


def replace_file(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
