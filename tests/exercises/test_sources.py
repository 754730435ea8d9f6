"""The instructor's notebooks: nbgrader's format, outputs that nbval can compare, points as announced."""

import re

import nbformat
import pytest

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
