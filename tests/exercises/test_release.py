"""The student version: no solution in it, one's own numbers, and exactly the graded cells fail."""

import csv
import io
import re

import nbformat
import pytest

from ircourse.commands.exercise_notebooks import SOURCES as STORED
from ircourse.commands.grade_origins import tags
from ircourse.commands.release import release
from ircourse.commands.source_numbers import variant_of
from ircourse.exercises import Variant, variant
from ircourse.notebooks import execute, read_notebook, save_notebook
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
        assert read_notebook(out / "class" / student / f"{name}.ipynb").metadata.ircourse == tags(
            student, SECRET
        )
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
        ("s1\ns1\n", "line 2: 's1' comes twice\n"),
        ("s1\nS1\n", "'S1' comes twice: as 's1' before, and upper and lower case count as one"),
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


@pytest.mark.parametrize(
    "options, words",
    [
        ({"roster": "none.csv", "secret": "secret"}, "none.csv: no such file; --roster names a CSV file"),
        ({"only": "19.7,20.1"}, "--only 19.7,20.1: no exercise '20.1'; choose from 19.7, 19.8, 19.9, 19.10"),
        ({"only": ""}, "no exercise ''"),
        ({"secret": "none/secret"}, "none/secret: No such file or directory"),
    ],
    ids=str,
)
def test_what_is_not_there_is_told_by_its_name(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    log = io.StringIO()
    assert release("out", log=log, **options) == 1
    assert log.getvalue().startswith("ircourse: ") and words in log.getvalue()


def test_no_secret_is_made_where_nothing_can_be_released(out, tmp_path):
    secret = tmp_path / "new"
    assert release(str(out / "book"), secret=str(secret), log=io.StringIO()) == 1
    assert not secret.exists()


def test_some_exercises_alone(tmp_path):
    log = io.StringIO()
    assert release(str(tmp_path / "out"), only="19.10, 19.7", log=log) == 0, log.getvalue()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["ex_19_07.ipynb", "ex_19_10.ipynb"]


def source(*, code="(30, 50)", other=None, text="(30, 50)"):
    """The source of 19.7 with other numbers in its code, in the last of its cells, and in its text."""
    notebook = read_notebook(STORED / "ex_19_07.ipynb")
    cells = [cell for cell in notebook.cells if "variant = Variant(" in cell.source]
    for cell in cells:
        cell.source = cell.source.replace("(30, 50)", code)
    cells[-1].source = cells[-1].source.replace(code, other or code)
    a, b = re.findall(r"\d+", text)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = cell.source.replace("**30%**", f"**{a}%**").replace("**50%**", f"**{b}%**")
    return notebook


@pytest.mark.parametrize(
    "numbers, words",
    [
        ({"code": "(25, 60)"}, 'the code has Variant("19.7", (25, 60)), but the text says no **25%**'),
        ({"text": "(25, 60)"}, "the text says no **30%**"),
        ({"other": "(25, 60)"}, 'its cells name Variant("19.7", (25, 60)), Variant("19.7", (30, 50))'),
        ({"code": "(25)"}, 'Variant("19.7", (25)) is no variant: write it as Variant("19.7", (30, 50))'),
        ({"code": "(25, n)"}, "is no variant"),
        ({"code": "(25,"}, "is no variant"),
    ],
    ids=str,
)
def test_a_source_whose_cells_do_not_agree_is_refused(tmp_path, numbers, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        variant_of(source(**numbers), "ex_19_07")


def test_a_source_with_numbers_of_one_s_own_is_released_and_a_roster_says_that_it_draws_others(tmp_path):
    changed = source(code="(25, 60)", text="(25, 60)")
    assert variant_of(changed, "ex_19_07") == Variant("19.7", (25, 60))
    save_notebook(changed, tmp_path / "ex_19_07.ipynb")
    (tmp_path / "class.csv").write_text("s1\n", encoding="utf-8")
    for out, options in (("book", {}), ("class", {"roster": str(tmp_path / "class.csv")})):
        log = io.StringIO()
        options |= {"secret": str(tmp_path / "secret"), "sources": tmp_path, "log": log}
        assert release(str(tmp_path / out), **options) == 0, log.getvalue()
        assert log.getvalue().endswith(": 1 notebook\n")
        told = "ex_19_07: its own numbers are not used, each student's are drawn" in log.getvalue()
        assert told == (out == "class")
    assert "**25%**" in texts(read_notebook(tmp_path / "book" / "ex_19_07.ipynb"))
    assert "**25%**" not in texts(read_notebook(tmp_path / "class" / "s1" / "ex_19_07.ipynb"))
