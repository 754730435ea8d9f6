"""Running the chapters without a browser: execute, report, write pages, save.

nbval compares what a chapter prints with what is stored; this module makes what is stored. Both start the
same kernel (kernel.py), so that a chapter which was saved here passes there.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ircourse.notebooks.clean import clean, problems
from ircourse.notebooks.kernel import PACKAGE_FOLDER, kernel_folder

__all__ = [
    "CellFailed",
    "clean",
    "execute",
    "find_chapters",
    "problems",
    "read_notebook",
    "run",
    "save_notebook",
]

CHAPTERS = PACKAGE_FOLDER / "chapters"
CELL_SECONDS = 600
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class CellFailed(Exception):
    """A cell of a chapter raised: its number, the head of its source and the error are in the message."""


def run(
    names: Sequence[str], save: bool = False, output: str | Path | None = None, folder: Path | None = None
) -> int:
    """Execute chapters, write a page for each to ``output``, and return the exit code.

    names    names or beginnings of names, such as "20_1"; none: every chapter
    save     write the executed notebooks back, clean; one with problems is left as it was
    output   folder of the pages, made where needed; "_output" beside the chapters' folder unless given
    folder   the chapters' folder, where it is not the repository's

    Returns 0; 1 if a chapter failed or was not fit to save; 2 if a name fits no chapter. A line with the name
    and the seconds is printed for each chapter, the failing cell and its error on standard error.
    """
    folder = folder or CHAPTERS
    try:
        paths = find_chapters(names, folder)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    pages = Path(output) if output else folder.parent / "_output"
    width = max(len(path.stem) for path in paths)
    start = time.perf_counter()
    failed = 0
    with kernel_folder() as kernel:
        for path in paths:
            begun = time.perf_counter()
            faults = run_chapter(path, kernel, pages, save)
            failed += bool(faults)
            verdict = "  failed" if faults else ""
            print(f"{path.stem:{width}}  {time.perf_counter() - begun:6.1f} s{verdict}", flush=True)
            for fault in faults:
                print(f"  {fault}", file=sys.stderr, flush=True)
    print(f"{'total':{width}}  {time.perf_counter() - start:6.1f} s, pages in {pages}")
    return 1 if failed else 0


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


def run_chapter(path: Path, kernel: Path, pages: Path, save: bool) -> list[str]:
    """Execute one chapter, write its page, save it if wanted; return what went wrong, as sentences."""
    from ircourse.notebooks.page import html_page

    try:
        notebook = clean(execute(read_notebook(path), path.parent, kernel))
        page = html_page(notebook, path.parent, path.stem)
        pages.mkdir(parents=True, exist_ok=True)
        replace_file(pages / f"{path.stem}.html", page)
        found = problems(notebook) if save else []
        if save and not found:
            save_notebook(notebook, path)
    except (CellFailed, ValueError, OSError) as error:
        return [str(error)]
    return [*found, f"{path.name} was left as it was: mend these first"] if found else []


def read_notebook(path: Path) -> Any:
    """Return the notebook stored at ``path``; ValueError if there is none of version 4."""
    from nbformat.reader import NotJSONError, reads

    try:
        # Unlike nbformat.read this gives no random ids to cells without one; `clean` gives them by place.
        notebook = reads(path.read_text(encoding="utf-8"))  # type: ignore[no-untyped-call]
    except NotJSONError as error:
        raise ValueError(f"{path.name} is not a notebook: {error}") from error
    if notebook.get("nbformat") != 4:
        raise ValueError(f"{path.name} is not a notebook of format 4: open it in JupyterLab and save it")
    return notebook


def execute(notebook: Any, folder: Path, kernel: Path) -> Any:
    """Execute the notebook, in place, in ``folder`` by the kernel that stands in ``kernel``, and return it.

    Raises CellFailed where a cell raises, runs for more than ten minutes or kills the kernel.
    """
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellControlSignal

    forget(notebook)
    started: list[Any] = []
    specs = KernelSpecManager(kernel_dirs=[str(kernel / "kernels")])
    client = NotebookClient(
        notebook,
        km=AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs),
        timeout=CELL_SECONDS,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        on_cell_execute=lambda cell, cell_index: started.append(cell),
    )
    try:
        # Not client.execute(), whose own handler of Ctrl-C ends in a failed assertion.
        with client.setup_kernel(cleanup_kc=True):
            for place, cell in enumerate(notebook.cells):
                client.execute_cell(cell, place)
    except (CellControlSignal, RuntimeError) as error:  # a cell's error or time-out; a kernel that died
        raise CellFailed(describe(started, error)) from error
    return notebook


def forget(notebook: Any) -> None:
    """Remove what an earlier run left in the code cells."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def describe(started: Sequence[Any], error: Exception) -> str:
    """Return the number of the last cell that was started, the head of its source and the error."""
    name, text = getattr(error, "ename", type(error).__name__), getattr(error, "evalue", str(error))
    what = f"{name}: {COLOURS.sub('', text)}"
    if not started:
        return f"the kernel did not start: {what}"
    head = "\n".join(f"    {line}" for line in started[-1].source.strip().splitlines()[:3])
    return f"In [{len(started)}]:\n{head}\n  {what}"


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
