"""Grading: right, wrong, damaged and hostile submissions, in bubblewrap where there is one."""

import json
import subprocess
import sys

import pytest

from ircourse.commands import sandbox
from ircourse.commands.exercise_notebooks import grade_id, mended, read_submission
from ircourse.commands.sandbox import Limits
from tests.exercises.handed_in import POINTS, SOURCES, WRITTEN, WRONG, hand_in, run, solved

SECRET = "a secret of the tests"
pytestmark = pytest.mark.notebook


def points(row, names=POINTS):
    return {name: float(row[name]) for name in names}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class: all solved, each planted wrong version, a damaged one, and nothing done."""
    folder = tmp_path_factory.mktemp("class") / "submissions"
    (folder.parent / "secret").write_text(SECRET)
    hand_in(folder, "solved", **{name: solved(name, "solved", SECRET) for name in SOURCES})
    for number, (name, answers, _) in enumerate(WRONG.values()):
        hand_in(folder, f"wrong{number}", **{name: solved(name, f"wrong{number}", SECRET, **answers)})
    neighbour = solved("ex_19_07", "solved", SECRET)
    damaged = solved("ex_19_07", "damaged", SECRET)
    damaged.cells = [c for c in damaged.cells if not (grade_id(c) or "").endswith("-test")]
    forged = solved(
        "ex_19_08",
        "damaged",
        SECRET,
        answer="def without_duplicate():\n    return 0",
        answer_test="print('all is well')",
        setup="from fractions import Fraction\nshare_a = 1",
    )
    hand_in(folder, "damaged", ex_19_07=damaged, ex_19_08=forged, ex_19_09="{", ex_19_10="[1]")
    hand_in(folder, "neighbour", ex_19_07=neighbour)
    (folder / "=1+1").mkdir()
    rows, log = run(folder, secret=str(folder.parent / "secret"), limits=Limits())
    return rows, log, folder.parent / "out" / "grades_feedback"


def test_the_solved_version_gets_full_points_and_written_answers_wait(graded):
    row = graded[0]["solved"]
    assert points(row) == POINTS and float(row["total"]) == sum(POINTS.values())
    assert float(row["by hand"]) == sum(WRITTEN.values()) and row["notes"] == ""


@pytest.mark.parametrize("number, case", list(enumerate(WRONG)))
def test_each_planted_wrong_version_gets_the_points_it_should(graded, number, case):
    name, _, left = WRONG[case]
    assert float(graded[0][f"wrong{number}"][name]) == left


def test_deleted_tests_come_back_and_forged_ones_do_not_count(graded):
    row = graded[0]["damaged"]
    assert (
        float(row["ex_19_07"]) == POINTS["ex_19_07"]
        and "cells missing and put back: answer-test, " in row["notes"]
    )
    assert float(row["ex_19_08"]) == POINTS["ex_19_08"] - 3
    assert float(row["ex_19_09"]) == float(row["ex_19_10"]) == 0
    assert row["notes"].count("not a notebook") == 2


def test_a_neighbour_s_notebook_is_graded_by_one_s_own_numbers(graded):
    notes = graded[0]["neighbour"]["notes"]
    assert "ex_19_07: numbers of another student: solved" in notes and "put back" not in notes


def test_no_cell_of_the_table_is_a_formula(graded):
    assert graded[0]["'=1+1"]["notes"] == "nothing handed in"


def test_each_student_gets_a_feedback_page_a_notebook_that_loads_nothing(graded):
    _, log, feedback = graded
    assert sorted(path.name for path in (feedback / "damaged").iterdir()) == [f"{n}.html" for n in SOURCES]
    page = (feedback / "wrong0" / "ex_19_07.html").read_text(encoding="utf-8")
    assert "upside down" in page and "Content-Security-Policy" in page
    late = (feedback / "wrong1" / "ex_19_07.html").read_text(encoding="utf-8")
    assert "spread too much or too little" in late  # the message of a hidden test, without its source
    assert not [text for text in (page, late) if "HIDDEN TESTS" in text or "np.std" in text]
    assert "not a notebook" in (feedback / "damaged" / "ex_19_09.html").read_text(encoding="utf-8")
    assert f"[{len(graded[0])}/{len(graded[0])}]" in log


def test_bubblewrap_that_does_not_work_is_no_bubblewrap(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: name)
    monkeypatch.setattr(
        sandbox, "inside", lambda *_: [sys.executable, "-c", "raise SystemExit('no user namespaces')"]
    )
    assert "no user namespaces" in sandbox.refusal(tmp_path)


@pytest.mark.parametrize("spoil, words", [("none", "no folder"), ("empty", "holds no folders")])
def test_a_folder_without_submissions_is_told(tmp_path, spoil, words):
    if spoil == "empty":
        (tmp_path / "submissions").mkdir()
    assert words in run(tmp_path / "submissions", code=1)[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        '{"nbformat": 3, "cells": []}',
        '{"nbformat": 4, "cells": 1}',
        "[" * 10**5,
        "\0\xff",
    ],
)
def test_what_is_no_notebook_is_told(tmp_path, text):
    path = tmp_path / "a.ipynb"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match="not a notebook"):
        read_submission(path)


def test_cells_of_any_shape_are_mended_to_the_released_notebook(tmp_path):
    released = solved("ex_19_07")
    odd = [
        None,
        3,
        {"cell_type": "code"},
        {"cell_type": "x", "source": ""},
        {"cell_type": "code", "source": [1]},
    ]
    odd += [{"cell_type": "raw", "source": "\ud800", "metadata": {"nbgrader": {"grade_id": ["answer"]}}}]
    odd += [
        {
            "cell_type": "markdown",
            "source": "x",
            "metadata": {"nbgrader": {"grade_id": "answer-test", "grade": 7}},
        }
    ]
    odd += [{"cell_type": "code", "source": "y = 1", "metadata": {"nbgrader": {"grade_id": "answer"}}}] * 2
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": odd}), encoding="utf-8")
    notebook, notes = mended(read_submission(tmp_path / "a.ipynb"), released)
    given = {grade_id(cell): cell for cell in notebook.cells if grade_id(cell)}
    assert set(given) == {grade_id(cell) for cell in released.cells}
    assert given["answer-test"].cell_type == "code" and given["answer-test"].metadata.nbgrader.points == 2
    assert given["answer"].source == "y = 1"
    assert [note for note in notes if "estimate" in note]
    order = [
        grade_id(cell) for cell in notebook.cells if grade_id(cell) in ("setup", "estimate", "estimate-test")
    ]
    assert order == ["setup", "estimate", "estimate-test"]


def test_the_command_line_reaches_both_commands():
    command = [sys.executable, "-m", "ircourse"]
    for name in ("release", "grade"):
        done = subprocess.run([*command, name, "--help"], capture_output=True, text=True, timeout=60)
        options = ["--secret", "--roster", "--only", *(["--by-hand"] if name == "grade" else [])]
        assert done.returncode == 0 and not [option for option in options if option not in done.stdout]
