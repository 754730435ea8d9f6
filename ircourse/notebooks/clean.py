"""A notebook as it is committed: executed, with nothing in it that differs from machine to machine.

Kept: cells with their ids, outputs, tags. Removed: the live view of widgets (their static picture stays),
widget state, times of execution, the interpreter's version. The same execution gives the same bytes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any

__all__ = ["clean", "problems"]

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "pygments_lexer": "ipython3",
}
CELL_NOISE = ("ExecuteTime", "collapsed", "execution", "scrolled", "trusted")
ADDRESS = re.compile(r"\bat 0x[0-9A-Fa-f]{4,}")
HOMES = re.compile(
    r"(?<!\w)/(?:home|Users)/[\w.-]+/|(?<![A-Za-z])[A-Z]:/|(?<!\w)/tmp/(?:tmp|ipykernel_|pytest-)|/site-packages/"
)
DATA_URL = re.compile(r"data:[\w/+.;=-]+,[^\"'\s>]*")


def clean(notebook: Any) -> Any:
    """Return a copy of an executed notebook in the form to commit.

    Execution counts run from 1 in the order of the cells that were executed. A cell without an id, or with
    one that an earlier cell has, gets ``cell-N`` by its place, or the next number that is free.

    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> cell = new_code_cell("1", id="one", execution_count=7, metadata={"execution": {"started": "today"}})
    >>> cell = clean(new_notebook(cells=[cell])).cells[0]
    >>> cell.execution_count, dict(cell.metadata), cell.id
    (1, {}, 'one')
    """
    tidy = deepcopy(notebook)
    tidy.nbformat, tidy.nbformat_minor = 4, 5
    tidy.metadata.pop("widgets", None)
    tidy.metadata.update(kernelspec=dict(KERNEL), language_info=dict(LANGUAGE))
    give_ids(tidy.cells)
    executed = 0
    for cell in tidy.cells:
        for name in CELL_NOISE:
            cell.metadata.pop(name, None)
        if cell.cell_type == "code":
            executed += cell.execution_count is not None
            clean_code_cell(cell, executed)
    return tidy


def give_ids(cells: list[Any]) -> None:
    """Give an id to each cell that has none, or that of an earlier cell."""
    there = {cell.get("id") for cell in cells}
    seen: set[str] = set()
    for place, cell in enumerate(cells, 1):
        if not cell.get("id") or cell.id in seen:
            cell.id = next(name for n in count(place) if (name := f"cell-{n}") not in there)
            there.add(cell.id)
        seen.add(cell.id)


def clean_code_cell(cell: Any, number: int) -> None:
    """Number a code cell ``number`` if it was executed, and leave of each widget its static forms."""
    if cell.execution_count is not None:
        cell.execution_count = number
    for output in cell.outputs:
        output.get("data", {}).pop(WIDGET_VIEW, None)
        output.get("metadata", {}).pop(WIDGET_VIEW, None)
        if output.output_type == "execute_result":
            output.execution_count = cell.execution_count


def problems(notebook: Any) -> list[str]:
    """Return a sentence for each thing in the notebook that would differ elsewhere or should not be there.

    That is: an error, text on standard error (warnings among it), a memory address, a path of this machine or
    of somebody's home, a trailing semicolon. nbval compares the text of all these, and executes without a
    history, where the semicolon hides nothing.

    >>> from nbformat.v4 import new_code_cell, new_notebook, new_output
    >>> shown = new_output("execute_result", {"text/plain": "<Spider object at 0x7f3a5c10>"})
    >>> problems(new_notebook(cells=[new_code_cell("spider", execution_count=1, outputs=[shown])]))
    ['In [1]: memory address (at 0x7f3a5c10): show something else, or give the class a __repr__']
    """
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            name = f"In [{cell.execution_count or ' '}]"
            found += [f"{name}: {problem}" for problem in cell_problems(cell)]
    return found


def cell_problems(cell: Any) -> Iterator[str]:
    """Give the problems of one code cell."""
    if cell.source.rstrip().endswith(";"):
        yield "trailing semicolon: nbval shows the value nevertheless; assign it to _"
    for output in cell.outputs:
        if output.output_type == "error":
            yield f"{output.ename}: {output.evalue[:200]}"
        if output.get("name") == "stderr":
            yield f"text on standard error: {output.text.strip()[:200]}"
        for text in texts(output):
            if match := ADDRESS.search(text):
                yield f"memory address ({match[0]}): show something else, or give the class a __repr__"
            if path := machine_path(text):
                yield f"path of a machine ({path}): show the file's name only"


def texts(output: Any) -> Iterator[str]:
    """Give the texts of an output, pictures left out."""
    yield output.get("text", "")
    for kind, data in output.get("data", {}).items():
        if isinstance(data, str) and (kind.startswith("text/") or kind == "image/svg+xml"):
            yield DATA_URL.sub("", data)


def machine_path(text: str) -> str | None:
    """Return the first absolute path in ``text`` that belongs to this machine or to a home, or None."""
    slashed = text.replace("\\\\", "/").replace("\\", "/")
    here = {
        str(path.as_posix()) for path in (Path.home(), Path.cwd(), Path(sys.prefix), Path(sys.base_prefix))
    }
    # "/" and "/usr" are common to all machines. The path of a URL follows its host, a file's no letter.
    own = [re.escape(path.rstrip("/")) for path in sorted(here) if path not in ("/", "/usr", "/usr/local")]
    pattern = rf"(?<!\w)(?:{'|'.join(own)})(?=/)|{HOMES.pattern}" if own else HOMES.pattern
    match = re.search(pattern, slashed)
    return match[0] if match else None
