"""Running the chapters without a browser: execute, report, write pages, save.

nbval compares what a chapter prints with what is stored; this module makes what is stored. Both start the
same kernel (kernel.py), so that a chapter which was saved here passes there.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ircourse.bootstrap import ROOT
from ircourse.notebooks.clean import clean, problems
from ircourse.notebooks.files import find_chapters, make_folder, read_notebook, replace_file, save_notebook
from ircourse.notebooks.kernel import kernel_folder

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

CHAPTERS = ROOT / "chapters"
CELL_SECONDS = 600
MOST_CHARACTERS = 2000  # of an error's text
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

    Returns 0; 1 if a chapter failed or was not fit to save; 2 if a name fits no chapter or no page can be
    written to ``output``. A line with the name and the seconds is printed for each chapter, the failing cell
    and its error on standard error.
    """
    folder = folder or CHAPTERS
    pages = Path(output) if output else folder.parent / "_output"
    try:
        paths = find_chapters(names, folder)
        make_folder(pages)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"No page can be written to {pages} ({error}). Name a folder by --output.", file=sys.stderr)
        return 2
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


def run_chapter(path: Path, kernel: Path, pages: Path, save: bool) -> list[str]:
    """Execute one chapter, write its page, save it if wanted; return what went wrong, as sentences."""
    from ircourse.notebooks.page import html_page

    try:
        notebook = clean(execute(read_notebook(path), path.parent, kernel))
        page = html_page(notebook, path.parent, path.stem)
        replace_file(pages / f"{path.stem}.html", page)
        found = problems(notebook) if save else []
        if save and not found:
            save_notebook(notebook, path)
    except (CellFailed, ValueError, OSError) as error:
        return [str(error)]
    return [*found, f"{path.name} was left as it was: mend these first"] if found else []


def execute(notebook: Any, folder: Path, kernel: Path) -> Any:
    """Execute the notebook, in place, in ``folder`` by the kernel that stands in ``kernel``, and return it.

    Raises CellFailed where a cell raises, runs for more than ten minutes, kills the kernel or makes the
    output larger than 10 MB.
    """
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient.exceptions import CellControlSignal

    from ircourse.notebooks.client import MOST_BYTES, BoundedClient, join_streams

    forget(notebook)
    started: list[Any] = []
    specs = KernelSpecManager(kernel_dirs=[str(kernel / "kernels")])
    client = BoundedClient(
        notebook,
        km=AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs),
        timeout=CELL_SECONDS,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
        on_cell_execute=lambda cell, cell_index: started.append(cell),
    )
    try:
        # Not client.execute(), whose own handler of Ctrl-C ends in a failed assertion.
        with client.setup_kernel(cleanup_kc=True):
            for place, cell in enumerate(notebook.cells):
                client.execute_cell(cell, place)
                if cell.cell_type == "code":
                    cell.outputs = join_streams(cell.outputs)
    except (CellControlSignal, RuntimeError) as error:  # a cell's error or time-out; a kernel that died
        large = RuntimeError(f"the chapter's output came to more than {MOST_BYTES // 10**6} MB: show less")
        raise CellFailed(describe(started, large if client.too_much else error)) from error
    return notebook


def forget(notebook: Any) -> None:
    """Remove what an earlier run left in the code cells."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def describe(started: Sequence[Any], error: Exception) -> str:
    """Return the number of the last cell that was started, the head of its source and the error."""
    name, text = getattr(error, "ename", type(error).__name__), getattr(error, "evalue", str(error))
    text = COLOURS.sub("", text)
    what = f"{name}: {text[:MOST_CHARACTERS]}" + " …" * (len(text) > MOST_CHARACTERS)
    if not started:
        return f"the kernel did not start: {what}"
    head = "\n".join(f"    {line[:110]}" for line in started[-1].source.strip().splitlines()[:3])
    return f"In [{len(started)}]:\n{head}\n  {what}"
