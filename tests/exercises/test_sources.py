"""The instructor's notebooks: nbgrader's format, outputs that nbval can compare, points as announced."""

import ast
import inspect
import re

import nbformat
import pytest

import ircourse.exercises
from ircourse.commands.sandbox import Limits
from ircourse.exercises import EXERCISES, Variant
from ircourse.notebooks import clean, problems
from tests.exercises.handed_in import POINTS, SOURCES, WRITTEN

KEYS = {"grade", "grade_id", "locked", "schema_version", "solution", "task"}


def own(cell):
    return cell.metadata.nbgrader


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_executed_and_clean(name):
    notebook = SOURCES[name]
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert any(cell.outputs for cell in code) and not list(problems(notebook))
    assert clean(notebook) == notebook


@pytest.mark.parametrize("name", SOURCES)
def test_every_cell_has_nbgrader_s_metadata_of_version_3(name):
    cells = SOURCES[name].cells
    names = [own(cell).grade_id for cell in cells]
    assert len(set(names)) == len(names)
    for cell in cells:
        assert KEYS <= set(own(cell)) <= KEYS | {"points"} and own(cell).schema_version == 3
        assert ("points" in own(cell)) == own(cell).grade
        assert own(cell).locked != own(cell).solution
        if cell.cell_type == "code" and own(cell).solution:
            assert "### BEGIN SOLUTION" in cell.source and "### END SOLUTION" in cell.source
        if own(cell).grade:  # by tests, or by hand: then it is the student's to write
            assert own(cell).solution == (cell.cell_type == "markdown")
            assert cell.cell_type == "markdown" or "### BEGIN HIDDEN TESTS" in cell.source


@pytest.mark.parametrize("name", SOURCES)
def test_points_are_as_announced(name):
    graded = [cell for cell in SOURCES[name].cells if own(cell).grade]
    by_hand = sum(own(cell).points for cell in graded if own(cell).solution)
    total = sum(own(cell).points for cell in graded)
    assert by_hand == WRITTEN.get(name, 0) and total - by_hand == POINTS[name]
    assert re.search(rf"\b{total} points, about \d+ minutes", SOURCES[name].cells[0].source)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_written_answer_has_a_model_and_a_rubric_that_adds_up(name):
    (cell,) = [cell for cell in SOURCES[name].cells if own(cell).grade and own(cell).solution]
    assert cell.source.startswith("**Model answer.**")
    assert sum(map(int, re.findall(r"^\| (\d+) \|", cell.source, re.MULTILINE))) == own(cell).points


@pytest.mark.parametrize("name, exercise", list(zip(SOURCES, EXERCISES, strict=True)))
def test_a_source_has_the_book_s_numbers(name, exercise):
    numbers, _ = EXERCISES[exercise].BOOK
    text = "\n".join(cell.source for cell in SOURCES[name].cells if cell.cell_type == "code")
    named = [eval(call) for call in re.findall(r"^variant = (Variant\(.*\))$", text, re.MULTILINE)]
    assert named and {one.numbers for one in named} == {numbers}
    (statement,) = [cell.source for cell in SOURCES[name].cells if own(cell).grade_id == "statement"]
    assert statement == f"## The exercise\n\n{named[0].statement}"
    assert isinstance(named[0], Variant)


def code(name, **instead):
    """The cells of a source by name, with the instructor's solutions but for ``instead``."""
    return {own(c).grade_id: c.source for c in SOURCES[name].cells if c.cell_type == "code"} | instead


def run_through(cells, *, until):
    """Run cells in their order to the one named, as a notebook from the top does."""
    names = {}
    for name, source in cells.items():
        exec(source, names)
        if name == until:
            return names
    raise AssertionError(f"no cell {until}")


def test_a_plain_loop_over_draws_has_time_to_pass():
    """Work of a survey that makes a list of an index for each draw: elements, in the largest indexes."""
    cells, work = code("ex_19_07"), []
    largest = max((numbers for numbers, _ in EXERCISES["19.7"].choices()), key=sum)
    cells = {name: text.replace("(30, 50)", str(largest)) for name, text in cells.items()}
    cells["estimate"] += "\n\n\n_estimate = estimate\n\n\n" + (
        "def estimate(pages_a, pages_b, n, rng):\n"
        "    work.append(n * (len(pages_a) + len(pages_b)))\n"
        "    return _estimate(pages_a, pages_b, n, rng)\n"
    )
    cells["setup"] += "\nwork = []\n"
    names = run_through(cells, until="estimate-test")
    work.append(sum(names["work"]))
    names = run_through(cells, until="chance-test")
    work.append(sum(names["work"]) - work[0])
    # At 50 nanoseconds an element, slow for a copy, a third of the limit.
    assert max(work) * 50e-9 < Limits().cell / 3, work


@pytest.mark.parametrize("numbers", [numbers for numbers, _ in EXERCISES["19.7"].choices()[::97]], ids=str)
def test_the_survey_passes_with_any_numbers(numbers):
    cells = {name: text.replace("(30, 50)", str(numbers)) for name, text in code("ex_19_07").items()}
    run_through(cells, until="chance-test")
    turned = cells["estimate"].replace(
        "found_in_a / found_in_b if found_in_b", "found_in_b / found_in_a if found_in_a"
    )
    upside_down = cells | {"estimate": turned}
    with pytest.raises(AssertionError, match="to 1"):
        run_through(upside_down, until="estimate-test")


def test_the_time_limit_is_told():
    for source in SOURCES.values():
        said = source.cells[0].source
        assert f"A cell may then run for {Limits().cell} seconds" in said
        assert f"the notebook for {Limits().notebook}" in said


def test_the_number_of_19_9_may_be_computed_by_the_function_above_it():
    by_enumeration = "def mean_with_zero():\n    return exact_mean(n, S1, S2, rows, missing=0)\n"
    run_through(code("ex_19_09", answer=by_enumeration), until="answer-test")


@pytest.mark.parametrize("name", SOURCES)
def test_a_test_cell_says_that_it_is_one_and_every_check_has_a_message(name):
    for cell in SOURCES[name].cells:
        if cell.cell_type == "code" and own(cell).grade:
            first = cell.source.splitlines()[0]
            assert first == f"# Test, {own(cell).points} points: leave this cell as it is."
            told = [n for n in ast.walk(ast.parse(cell.source)) if isinstance(n, ast.Assert)]
            assert told and not [ast.unparse(check) for check in told if check.msg is None]


@pytest.mark.parametrize("reading", ["together", "independent"])
def test_the_simulation_of_19_8_gives_the_percentages(reading, capsys):
    cells = {
        name: text.replace(', "together")', f', "{reading}")') for name, text in code("ex_19_08").items()
    }
    run_through(cells, until="run-shown")
    simulated, statement = capsys.readouterr().out.splitlines()[-2:]
    numbers = [[float(x) for x in re.findall(r"\d\.\d+", line)] for line in (simulated, statement)]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.02) and numbers[1] == [0.45, 0.5]


def test_derivations_are_not_in_the_package():
    for module in (ircourse.exercises, *EXERCISES.values(), ircourse.exercises.known):
        tree = ast.parse(inspect.getsource(module))
        docs = [
            ast.get_docstring(n) or "" for n in ast.walk(tree) if isinstance(n, ast.Module | ast.FunctionDef)
        ]
        text = " ".join(docs)
        assert not [words for words in DERIVED if words in text], module.__name__
    sources = " ".join(cell.source for notebook in SOURCES.values() for cell in notebook.cells)
    assert "into union + 1 gaps" in sources and "d / 2 = 1 - r" in sources and "d c / 2 = 1 - r" in sources


DERIVED = ("2r", "(b − a)", "gaps that are alike", "(N + 1)", "falls short", "meets its twin", "b / a")
