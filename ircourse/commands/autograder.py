"""nbgrader's autograder with bounds: whatever a notebook does, the cells before it keep their points.

A cell that runs too long is interrupted and fails; one that shows too much fails, too. Once a notebook has
used up its time, held too much or ended its kernel, the cells that follow fail unrun. What a test prints to
standard error costs nobody points.
"""

from __future__ import annotations

import re
from asyncio import sleep
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import DeadKernelError
from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor, Preprocessor
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
from traitlets import Integer, Unicode

from ircourse.commands.bounded_kernel import TooMuchOutput
from ircourse.commands.grade_written import awaiting, give, is_written
from ircourse.commands.nbgrader_course import STUDENT, converted, course_config
from ircourse.commands.own_time import own_time
from ircourse.commands.sandbox import Limits
from ircourse.commands.watch import Watch
from ircourse.notebooks.client import BoundedClient, join_streams
from ircourse.notebooks.page import MOVING_TAG, POLICY

__all__ = ["autograde"]

MOST_CHARACTERS = 20_000  # of a stream, an error or a picture in the feedback
SHOWN = ("text/plain", "image/png", "image/jpeg")  # no HTML: it could paint over the points
STARTUP = 120  # seconds for a kernel to answer first, beside others that take all they can
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")  # before anything but these, a space of no width, say, < is text
_OWN_FRAME = re.compile(
    r"\s*(Cell |File .*ipykernel)[^\n]*\n.*(HIDDEN|assert|Variant)", re.DOTALL
)  # a test's source


class BoundedExecute(Execute, BoundedClient):  # type: ignore[misc]
    """nbgrader's Execute, which goes on where a kernel has ended, and tells why in ``notes``."""

    seconds = Integer(60, help="for the whole notebook").tag(config=True)
    memory = Integer(1024, help="MiB, for the kernel and what it starts").tag(config=True)
    until = Integer(-1, help="the first cell that is not run, -1: all are").tag(config=True)
    progress = Unicode("", help="the file that tells which cell runs").tag(config=True)
    notes: list[str] = []  # noqa: RUF012  of the one notebook that a process executes at a time
    watch: Watch | None = None
    clock: Callable[[], float] | None = None
    begun = 0.0  # of the cell, by the clock

    def preprocess(self, nb: Any, resources: Any = None, km: Any = None) -> Any:
        """Execute the notebook within its bounds."""
        self.received, self.ended = 0, ""
        self.notes.clear()
        try:
            return super().preprocess(nb, resources, km)
        finally:
            if self.watch is not None:
                self.watch.close()

    def start_new_kernel(self, **options: Any) -> None:
        """Start the kernel, and a watch over it."""
        super().start_new_kernel(**options)
        runtime = Path(self.km.connection_file).parent  # type: ignore[union-attr]
        self.watch, self.clock = Watch(self._pid, self.memory << 20, runtime), None

    @property
    def _pid(self) -> int:
        return int(self.km.provisioner.pid)  # type: ignore[union-attr]

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> Any:
        """Execute a cell, or fail it unrun where the notebook has come to its end."""
        if cell.cell_type != "code":
            return cell, resources
        if not self.ended and 0 <= self.until <= index:
            self._end("the grader was ended by it", index)
        self.clock = self.clock or own_time(self._pid)
        if not self.ended and self.clock() > self.seconds:
            self._end(f"the notebook took more than {self.seconds} s", index)
        if not self.ended:
            Path(self.progress).write_text(str(index))
            self.begun = self.clock()
            try:
                super().preprocess_cell(cell, resources, index)
            except Exception as error:  # whatever a kernel answers, what came before stands
                self._end(self._reason(error), index)
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if any(error.ename == TooMuchOutput.__name__ for error in errors):
            self.notes.append(f"cell {_name(cell)} failed by too much output")
        if any("[Errno 28]" in error.evalue for error in errors):
            self.notes.append(f"cell {_name(cell)} had no space left to write files")
        if self.ended:
            unrun = {"ename": "NotRun", "evalue": self.ended, "traceback": [self.ended]}
            cell.outputs.append(new_output("error", **unrun))  # type: ignore[no-untyped-call]
        _tidy(cell)
        return cell, resources

    def _reason(self, error: Exception) -> str:
        if self.watch is not None and (reason := self.watch.close()):
            return reason
        if isinstance(error, DeadKernelError):
            return "too much output" if self.too_much else "the kernel ended"
        return str(error).partition("\n")[0][:200] or type(error).__name__

    def _end(self, reason: str, index: int) -> None:
        self.ended = f"{reason} (cell {index + 1}); what follows was not run"
        self.notes.append(self.ended)

    async def _async_handle_timeout(self, timeout: int, cell: Any = None) -> Any:
        if self.clock and self.clock() - self.begun < timeout:
            await sleep(0.1)
            return None  # it has not had its time: nbclient goes on to wait
        said = f"ran for more than {timeout} s"
        self.notes.append(f"cell {_name(cell or {})} {said}")
        self.error_on_timeout = {"ename": "TooSlow", "evalue": said, "traceback": [f"TooSlow: it {said}"]}
        return await super()._async_handle_timeout(timeout, cell)


class TagsAsText(Preprocessor):
    """Shows the tags in a student's text as text, and of a very long text the beginning."""

    enabled = True

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> Any:
        """Change the source of a Markdown cell that is not locked."""
        if cell.cell_type != "code" and not cell.metadata.get("nbgrader", {}).get("locked"):
            cell.source = _TAG.sub("<\u200b", _cut(cell.source))
        return cell, resources


def _name(cell: Any) -> str:
    """Return what a note calls a cell."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", "of the student's own"))


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
            kinds = [kind for kind in SHOWN if len(str(output.data.get(kind, ""))) <= 10 * MOST_CHARACTERS]
            output.data = {kind: output.data[kind] for kind in kinds if kind in output.data}
    # nbgrader reads a test's result as points, and a student's code can show one.
    cell.outputs = [o for o in outputs if not test or o.output_type in ("stream", "error")]


def _plain(text: str) -> str:
    """Return a text without its colours."""
    return _COLOURS.sub("", text)


def _cut(text: str) -> str:
    """Return a text's beginning."""
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "\n… cut here"


def autograde(
    root: Path,
    name: str,
    notebook: Any,
    runtime: Path,
    trusted: bool,
    limits: Limits,
    given: Sequence[Any] | None,
    **traits: Any,
) -> tuple[float, float, list[str], str]:
    """Return a notebook's points, the points to be given by hand, notes, and the feedback page.

    root     a course that `nbgrader_course.released` made, with the assignment ``name``
    runtime  the folder of the kernel's sockets
    given    by hand: points and a comment, which the page shows; they are none of the points returned
    traits   ``progress`` and ``until`` of `BoundedExecute`
    """
    place = root / "submitted" / STUDENT / name / f"{name}.ipynb"
    place.parent.mkdir(parents=True)
    nbformat.write(notebook, place)  # type: ignore[no-untyped-call]
    config = course_config(root)
    config.BoundedExecute.shutdown_kernel = "immediate"  # nothing in it is worth waiting for
    config.BoundedExecute.update(traits, memory=limits.memory, startup_timeout=STARTUP)
    config.BoundedExecute.timeout, config.BoundedExecute.seconds = limits.cell, limits.notebook
    config.ConnectionFileMixin.connection_file = str(runtime / f"{name}.json")
    if not trusted:
        config.ConnectionFileMixin.transport = "ipc"  # the kernel has no network
    steps = [BoundedExecute, ClearMetadataPreprocessor, LimitOutput, SaveAutoGrades, CheckCellMetadata]
    config.Autograde.autograde_preprocessors = steps
    converted(Autograde, name, config)
    written = [_name(cell) for cell in notebook.cells if is_written(cell)]
    if given is not None:
        give(root, name, written, *given)
    pages = [GetGrades, ClearHiddenTests, TagsAsText, CSSHTMLHeaderPreprocessor]
    config.GenerateFeedback.preprocessors = pages
    converted(GenerateFeedback, name, config)
    page = (root / "feedback" / STUDENT / name / f"{name}.html").read_text(encoding="utf-8")
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        grades = gradebook.find_submission_notebook(name, name, STUDENT).grades
        points = sum(grade.auto_score or 0.0 for grade in grades)
        waiting = {grade.name: grade.max_score for grade in grades if grade.auto_score is None}
    if given is None:
        page = awaiting(page, waiting)
    return points, sum(waiting.values()), list(dict.fromkeys(BoundedExecute.notes)), _harmless(page)


def _harmless(page: str) -> str:
    """Return a feedback page in which nothing that a student's code showed can load or run."""
    head, end, body = page.partition("</head>")
    own = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    return re.sub(r"<head>", f"<head>{own}", head, count=1) + end + MOVING_TAG.sub("&lt;", body)
