"""The student version: no solution in it, one's own numbers, and exactly the graded cells fail."""

import csv
import io
import re

import nbformat
import pytest

from ircourse.commands.release import release
from ircourse.exercises import Variant, variant
from ircourse.notebooks import execute, read_notebook
from tests.exercises.handed_in import SOURCES

MARKED = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)\s*### END \1", re.DOTALL)
SECRET = "a secret of the tests"


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A release with numbers of one's own, and one with the book's."""
    folder = tmp_path_factory.mktemp("release")
    (folder / "secret").write_text(SECRET)
    (folder / "class.csv").write_text("name,id\nAnna,s1\nBo,s2\n", encoding="utf-8")
    log = io.StringIO()
    roster, secret = str(folder / "class.csv"), str(folder / "secret")
    assert release(str(folder / "class"), roster=roster, secret=secret, log=log) == 0, log.getvalue()
    assert release(str(folder / "book"), log=log) == 0, log.getvalue()
    assert "[2/2]" in log.getvalue()
    return folder


def texts(notebook):
    return "\n".join(cell.source for cell in notebook.cells)


@pytest.mark.parametrize("place", ["book", "class/s1", "class/s2"])
@pytest.mark.parametrize("name", SOURCES)
def test_no_line_of_a_solution_and_no_hidden_test_is_released(out, place, name):
    path = out / place / f"{name}.ipynb"
    released, stored = read_notebook(path), path.read_text(encoding="utf-8")
    hidden = [found[1] for cell in SOURCES[name].cells for found in MARKED.findall(cell.source)]
    hidden += [
        c.source for c in SOURCES[name].cells if c.cell_type == "markdown" and c.metadata.nbgrader.solution
    ]
    lines = {line.strip() for text in hidden for line in text.splitlines() if len(line.strip()) > 3}
    kept = {line.strip() for text in SOURCES[name].cells for line in MARKED.sub("", text.source).splitlines()}
    assert len(lines) > 4
    assert not [line for line in lines - kept if line in texts(released)]
    assert "BEGIN" not in stored and "Model answer" not in stored
    assert not any(cell.get("outputs") for cell in released.cells)
    nbformat.validate(released)


@pytest.mark.parametrize("student", ["s1", "s2"])
def test_a_student_s_numbers_and_no_others_are_in_every_cell(out, student):
    for name, exercise in zip(SOURCES, ("19.7", "19.8", "19.9", "19.10"), strict=True):
        text = texts(read_notebook(out / "class" / student / f"{name}.ipynb"))
        own = variant(exercise, student, SECRET)
        calls = set(re.findall(r"Variant\(\"19.*", text))
        assert calls == {repr(own)} and own.statement in text
        assert isinstance(own, Variant)


@pytest.mark.notebook
@pytest.mark.parametrize("name", SOURCES)
def test_on_the_release_exactly_the_graded_cells_fail(out, name, kernel, tmp_path):
    notebook = read_notebook(out / "class" / "s1" / f"{name}.ipynb")
    for cell in notebook.cells:
        cell.metadata["tags"] = ["raises-exception"]
    execute(notebook, tmp_path, kernel)
    failed = [
        any(output.output_type == "error" for output in cell.get("outputs", [])) for cell in notebook.cells
    ]
    graded = [cell.cell_type == "code" and cell.metadata.nbgrader.grade for cell in notebook.cells]
    assert failed == graded and any(graded)


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "names no student"),
        ("id\n", "names no student"),
        ("s1\ns1\n", "comes twice"),
        ("s1\nS1\n", "comes twice"),
        ("../s1\n", "is no id"),
        ("id,name\n,Anna\n", "line 2"),
        (".hidden\n", "is no id"),
    ],
)
def test_a_roster_that_cannot_be_used_is_told(tmp_path, text, words):
    (tmp_path / "class.csv").write_text(text, encoding="utf-8")
    log = io.StringIO()
    roster, secret = str(tmp_path / "class.csv"), str(tmp_path / "secret")
    assert release(str(tmp_path / "out"), roster=roster, secret=secret, log=log) == 1
    assert words in log.getvalue() and not (tmp_path / "out").exists() and not (tmp_path / "secret").exists()


def test_a_roster_needs_a_secret_of_some_length(tmp_path):
    with (tmp_path / "class.csv").open("w", newline="") as file:
        csv.writer(file).writerow(["s1"])
    (tmp_path / "short").write_text("abc")
    for secret, words in ((None, "needs --secret"), (str(tmp_path / "short"), "16 at least")):
        log = io.StringIO()
        assert release(str(tmp_path / "out"), roster=str(tmp_path / "class.csv"), secret=secret, log=log) == 1
        assert words in log.getvalue()


def test_what_is_there_is_not_written_over(out):
    log = io.StringIO()
    assert release(str(out / "book"), log=log) == 1
    assert "is there already" in log.getvalue()
