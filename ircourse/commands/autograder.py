"""nbgrader's autograder with bounds: whatever a notebook does, the cells before it keep their points.

A cell that runs too long is interrupted and fails. Once a notebook has used up its time, printed too much or
ended its kernel, the cells that follow fail unrun. What a test prints to standard error costs nobody points.
"""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic
from typing import Any

import nbformat
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbformat.v4 import new_output
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    Execute,
    GetGrades,
    LimitOutput,
    SaveAutoGrades,
)
from traitlets import Integer

from ircourse.commands.nbgrader_course import STUDENT, converted, course_config
from ircourse.commands.sandbox import Limits
from ircourse.notebooks.client import BoundedClient, join_streams
from ircourse.notebooks.page import MOVING_TAG, POLICY

__all__ = ["autograde"]

MOST_CHARACTERS = 20_000  # of a stream, an error or a picture in the feedback
MOST_ON_DISK = 64 << 20  # bytes beside the kernel's sockets
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_OWN_FRAME = re.compile(
    r"\s*(Cell |File .*ipykernel)[^\n]*\n.*(HIDDEN|assert|Variant)", re.DOTALL
)  # a test's source


class BoundedExecute(Execute, BoundedClient):  # type: ignore[misc]
    """nbgrader's Execute, which goes on where a kernel has ended, and tells why in ``notes``."""

    seconds = Integer(60, help="for the whole notebook").tag(config=True)
    notes: list[str] = []  # noqa: RUF012  of the one notebook that a process executes at a time

    def preprocess(self, nb: Any, resources: Any = None, km: Any = None) -> Any:
        """Execute the notebook within its bounds."""
        self.received, self.ended, self.begun = 0, "", monotonic()
        self.notes.clear()
        return super().preprocess(nb, resources, km)

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> Any:
        """Execute a cell, or fail it unrun where the notebook has come to its end."""
        if cell.cell_type != "code":
            return cell, resources
        if not self.ended and monotonic() - self.begun > self.seconds:
            self._end(f"the notebook took more than {self.seconds} s", index)
        if not self.ended:
            try:
                super().preprocess_cell(cell, resources, index)
            except (DeadKernelError, CellControlSignal, RuntimeError) as error:
                reason = "too much output" if self.too_much else "the kernel ended"
                known = isinstance(error, DeadKernelError)
                self._end(reason if known else str(error).partition("\n")[0][:200], index)
        if self.ended:
            unrun = {"ename": "NotRun", "evalue": self.ended, "traceback": [self.ended]}
            cell.outputs.append(new_output("error", **unrun))  # type: ignore[no-untyped-call]
        _tidy(cell)
        return cell, resources

    def _end(self, reason: str, index: int) -> None:
        self.ended = f"{reason} (cell {index + 1}); what follows was not run"
        self.notes.append(self.ended)

    async def _async_handle_timeout(self, timeout: int, cell: Any = None) -> Any:
        name = (cell or {}).get("metadata", {}).get("nbgrader", {}).get("grade_id", "of the student's own")
        self.notes.append(f"cell {name} ran for more than {timeout} s")
        return await super()._async_handle_timeout(timeout, cell)

    async def _async_check_alive(self) -> None:
        runtime = Path(self.km.connection_file).parent  # type: ignore[union-attr]
        if sum(path.lstat().st_size for path in list(runtime.iterdir())[:1000]) > MOST_ON_DISK:
            self.shutdown_kernel = "immediate"
            raise DeadKernelError("too much on disk")
        await super()._async_check_alive()


def _tidy(cell: Any) -> None:
    """Cut a cell's outputs to size; a test's leave only what tells whether it failed."""
    test = cell.metadata.get("nbgrader", {}).get("grade")
    outputs = join_streams(cell.outputs)
    for output in outputs:
        if output.output_type == "stream":
            output.text = _cut(output.text)
            output.name = "stdout" if test else output.name  # nbgrader takes standard error for a failure
        elif output.output_type == "error":
            output.ename, output.evalue = _cut(output.ename), _cut(output.evalue)
            frames = [line for line in output.traceback[:60] if not (test and _OWN_FRAME.match(_plain(line)))]
            output.traceback = [_cut(line) for line in frames]
        else:
            output.data = {
                kind: data for kind, data in output.data.items() if len(str(data)) <= 10 * MOST_CHARACTERS
            }
    # nbgrader reads a test's result as points, and a student's code can show one.
    cell.outputs = [o for o in outputs if not test or o.output_type in ("stream", "error")]


def _plain(text: str) -> str:
    """Return a text without its colours."""
    return _COLOURS.sub("", text)


def _cut(text: str) -> str:
    """Return a text's beginning."""
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "\n… cut here"


def autograde(
    root: Path, name: str, notebook: Any, runtime: Path, trusted: bool, limits: Limits
) -> tuple[float, float, list[str], str]:
    """Return a notebook's points, the points to be given by hand, notes, and the feedback page.

    root     a course that `nbgrader_course.released` made, with the assignment ``name``
    runtime  the folder of the kernel's sockets
    """
    place = root / "submitted" / STUDENT / name / f"{name}.ipynb"
    place.parent.mkdir(parents=True)
    nbformat.write(notebook, place)  # type: ignore[no-untyped-call]
    config = course_config(root)
    config.BoundedExecute.shutdown_kernel = "immediate"  # nothing in it is worth waiting for
    config.BoundedExecute.timeout, config.BoundedExecute.seconds = limits.cell, limits.notebook
    config.ConnectionFileMixin.connection_file = str(runtime / f"{name}.json")
    if not trusted:
        config.ConnectionFileMixin.transport = "ipc"  # the kernel has no network
    steps = [BoundedExecute, ClearMetadataPreprocessor, LimitOutput, SaveAutoGrades, CheckCellMetadata]
    config.Autograde.autograde_preprocessors = steps
    converted(Autograde, name, config)
    config.GenerateFeedback.preprocessors = [GetGrades, ClearHiddenTests, CSSHTMLHeaderPreprocessor]
    converted(GenerateFeedback, name, config)
    page = (root / "feedback" / STUDENT / name / f"{name}.html").read_text(encoding="utf-8")
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        grades = gradebook.find_submission_notebook(name, name, STUDENT).grades
        points = sum(grade.auto_score or 0.0 for grade in grades)
        by_hand = sum(grade.max_score for grade in grades if grade.auto_score is None)
    return points, by_hand, list(dict.fromkeys(BoundedExecute.notes)), _harmless(page)


def _harmless(page: str) -> str:
    """Return a feedback page in which nothing that a student's code showed can load or run."""
    head, end, body = page.partition("</head>")
    own = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    return re.sub(r"<head>", f"<head>{own}", head, count=1) + end + MOVING_TAG.sub("&lt;", body)
