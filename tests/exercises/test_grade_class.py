"""Grading a class: its roster, points given by hand, renamed files, the secret that it was released with."""

import io
import shutil

import pytest

from ircourse.commands.exercise_notebooks import begun, grade_id, mended, read_origin, read_sources
from ircourse.commands.grade import grade
from ircourse.commands.grade_by_hand import most_points, read_by_hand, written_points
from ircourse.commands.grade_files import handed_in, kept_aside
from ircourse.commands.grade_origins import OTHER, Origin, other_secret, owner, tags, with_owner
from ircourse.exercises import variant
from tests.exercises.handed_in import POINTS, SOURCES, WRITTEN, hand_in, run, solved

SECRET = "a secret of the tests"
BOOK = {"ex_19_07": {'Variant("19.7", (30, 50))'}}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Two of a roster of four, one of them with points by hand, and one who is not on it."""
    root = tmp_path_factory.mktemp("class")
    folder = root / "submissions"
    (root / "secret").write_text(SECRET)
    (root / "class.csv").write_text("s3\ns1\ns2\ns4\n")
    (root / "hand.csv").write_text(
        "student,exercise,points,comment\ns1,19.9,4.5,why **0/0**?\ns4,ex_19_09,3,on paper\ns3,19.9,,\n"
    )
    hand_in(folder, "s1", ex_19_09=solved("ex_19_09", "s1", SECRET))
    waits = solved("ex_19_09", "s2", SECRET)
    hand_in(folder, "s2", **{"ex_19_09 (1)": "{}", "ex_19_09 (2)": waits})
    hand_in(folder, "zz", ex_19_09="")
    (folder / "ex_19_08.ipynb").write_text("{}")
    (root / "out" / "grades_feedback" / "zz").mkdir(parents=True)
    (root / "out" / "grades_feedback" / "zz" / "ex_19_09.html").write_text("of a grading before")
    (root / "out" / "grades.csv").write_text("points that were typed in")
    files = {name: str(root / file) for name, file in (("roster", "class.csv"), ("by_hand", "hand.csv"))}
    rows, log = run(folder, secret=str(root / "secret"), only="19.9", **files)
    return rows, log, root / "out"


@pytest.mark.notebook
def test_the_table_has_the_roster_s_order_with_who_handed_in_nothing_and_who_is_not_on_it(graded):
    rows, log, _ = graded
    assert list(rows) == ["s3", "s1", "s2", "s4", "zz"]
    assert rows["s4"]["notes"] == "nothing handed in" and rows["zz"]["notes"].startswith(
        "not on the roster; "
    )
    assert "2 of 5 have handed in nothing: s3, s4" in log and "1 of 5 not on the roster: zz" in log
    assert "ex_19_08.ipynb is in no student's folder" in log


@pytest.mark.notebook
def test_points_given_by_hand_are_in_the_totals_and_on_the_pages(graded):
    rows, _, out = graded
    own, waits, absent = (rows[student] for student in ("s1", "s2", "s4"))
    assert (own["ex_19_09"], own["total"], own["by hand"]) == ("11.5", "11.5", "0")
    assert (waits["ex_19_09"], waits["by hand"]) == ("7", "5")
    assert (absent["ex_19_09"], absent["total"]) == ("3", "3")
    page, waiting, small, late = (
        (out / "grades_feedback" / student / "ex_19_09.html").read_text(encoding="utf-8")
        for student in ("s1", "s2", "s4", "zz")
    )
    assert "why <strong>0/0</strong>?" in page and "4.5 / 5.0" in page and "graded by hand" not in page
    assert waiting.count("5 points, to be graded by hand") == 2 and "/ 5.0" not in waiting
    assert "7.0 / 12.0; 5 to be graded by hand)" in waiting
    assert "3 points by hand. on paper" in small and "the file is empty" in late


@pytest.mark.notebook
def test_a_table_that_is_there_is_kept_and_the_new_one_tells_the_most_points(graded):
    _, log, out = graded
    assert (out / "grades.csv~").read_text() == "points that were typed in" and "grades.csv~ now" in log
    assert "student,ex_19_09 (12),total (12),by hand,notes" in (out / "grades.csv").read_text(
        encoding="utf-8"
    )
    assert kept_aside(out / "grades.csv").name == "grades.csv~1" and kept_aside(out / "none.csv") is None


@pytest.mark.notebook
def test_a_notebook_under_another_name_is_taken(graded):
    assert graded[0]["s2"]["notes"] == "ex_19_09: taken from 'ex_19_09 (2).ipynb'"


@pytest.mark.notebook
def test_a_class_released_with_another_secret_is_not_graded(tmp_path):
    (tmp_path / "secret").write_text("the secret of another year")
    hand_in(tmp_path / "submissions", "s1", ex_19_07=solved("ex_19_07", "s1", SECRET))
    for secret, words in (
        (tmp_path / "secret", "made with another secret than"),
        (None, "drawn from a secret"),
    ):
        _, log = run(tmp_path / "submissions", code=1, secret=secret and str(secret))
        assert "1 of 1 notebooks" in log and words in log
    assert not (tmp_path / "out" / "grades.csv").exists()


def test_most_notebooks_tell_whether_the_secret_is_the_one_that_was_released_with():
    def made(secret="", numbers=""):
        return ("ex_19_07", Origin([], [numbers] if numbers else [], secret, ""))

    book, other = *BOOK["ex_19_07"], 'Variant("19.7", (40, 60))'
    own = tags("s1", SECRET)["secret"]
    assert other_secret([made(own), made("another"), made()], BOOK, SECRET, "f") is None
    assert "another secret" in other_secret([made(own), made("another"), made("third")], BOOK, SECRET, "f")
    assert "leave out --secret" in other_secret([made(numbers=book)], BOOK, SECRET, "f")
    assert other_secret([made(numbers=other)], BOOK, SECRET, "f") is None
    assert "--secret" in other_secret([made(own), made(numbers=other), made()], BOOK, None, None)
    assert other_secret([made(numbers=book), made(own), made()], BOOK, None, None) is None
    assert other_secret([], BOOK, None, None) is other_secret([], BOOK, SECRET, "f") is None


def test_a_notebook_tells_whose_it_is_by_its_tag_or_its_numbers_and_nothing_else(tmp_path):
    hand_in(tmp_path, "s1", ex_19_07=solved("ex_19_07", "s1", SECRET))
    text = (tmp_path / "s1" / "ex_19_07.ipynb").read_text(encoding="utf-8")
    origin = read_origin(tmp_path / "s1" / "ex_19_07.ipynb")
    assert SECRET not in text and tags("s1", SECRET) == {"secret": origin.secret, "student": origin.student}
    known = {tags(student, SECRET)["student"]: student for student in ("s1", "s2")}
    assert owner("19.7", origin, known, SECRET) == "s1"
    assert owner("19.7", origin._replace(student=""), known, SECRET) == "s1"
    assert owner("19.7", Origin([], [], "", "no tag"), known, SECRET) is None
    twins = {
        str(n): f"s{n}"
        for n in range(400)
        if variant("19.7", f"s{n}", SECRET) == variant("19.7", "s1", SECRET)
    }
    if len(twins) > 1:
        assert owner("19.7", origin._replace(student=""), twins, SECRET) is None
    assert with_owner(["x", OTHER], "s2", None) == ["x", OTHER] and with_owner([], "s1", "s1") == []


def test_a_notebook_is_begun_when_a_cell_that_is_to_be_written_is_and_a_changed_test_is_told():
    released, notebook = solved("ex_19_07", "s2", SECRET, answer="..."), solved("ex_19_07", "s1", SECRET)
    cells = [dict(cell) for cell in notebook.cells]
    made, notes = mended(cells, released)
    assert begun(made, released) and notes == [OTHER]  # the tests differ by their numbers alone
    next(cell for cell in cells if grade_id(cell) == "answer")["source"] = " ...\n"
    next(cell for cell in cells if grade_id(cell) == "chance-test")["source"] = "pass"
    made, notes = mended(cells, released)
    assert not begun(made, released) and notes == ["tests changed and put back: chance-test", OTHER]


@pytest.mark.parametrize(
    "line, words",
    [
        ("s1,19.9,6,", "line 2: 6 points for 19.9: by hand it has from 0 to 5"),
        ("s1,19.9,-1,", "from 0 to 5"),
        ("s1,19.9,nan,", "from 0 to 5"),
        ("s1,19.9,much,", "no number of points"),
        ("s1,19.7,1,", "no written answer"),
        ("s1,19.11,1,", "no exercise '19.11'; choose from 19.7, 19.8, 19.9, 19.10"),
        ("s9,19.9,1,", "'s9' has handed in nothing"),
        ("s1,19.9,1,\ns1,ex_19_09,2,", "line 3: s1 has points for ex_19_09 in a line before"),
    ],
)
def test_a_line_by_hand_that_cannot_be_meant_is_told(tmp_path, line, words):
    path = tmp_path / "hand.csv"
    path.write_text(f"student,exercise,points,comment\n{line}\n")
    most = {name: written_points(notebook) for name, notebook in SOURCES.items()}
    with pytest.raises(ValueError) as caught:
        read_by_hand(path, ["s1"], most)
    assert words in str(caught.value)


def test_a_file_by_hand_needs_its_heads(tmp_path):
    (tmp_path / "hand.csv").write_text("s1,19.9,5\n")
    with pytest.raises(ValueError, match="no column 'student'"):
        read_by_hand(tmp_path / "hand.csv", ["s1"], {})


def test_the_points_of_a_notebook_are_those_of_tests_and_written_answers():
    for name, notebook in SOURCES.items():
        assert written_points(notebook) == WRITTEN.get(name, 0)
        assert most_points(notebook) == POINTS[name] + WRITTEN.get(name, 0)
    assert list(read_sources(only="19.10, 19.7")) == ["ex_19_07", "ex_19_10"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"out": "nix/g.csv"}, "nix is no folder"),
        ({"out": "."}, "is a folder"),
        ({"secret": "nix.txt"}, "nix.txt: no such file"),
        ({"roster": "nix.csv"}, "nix.csv: no such file"),
        ({"by_hand": "nix.csv"}, "nix.csv: no such file"),
        ({"only": "19.7,18.1"}, "no exercise '18.1'"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_graded(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub" / "s1").mkdir(parents=True)
    log = io.StringIO()
    assert grade("sub", log=log, **options) == 1
    assert words in log.getvalue() and sorted(path.name for path in tmp_path.iterdir()) == ["sub"]


def test_of_several_renamed_notebooks_the_last_by_name_is_taken(tmp_path):
    hand_in(tmp_path, "s1", **{f"ex_19_07 ({n})": str(n) for n in (2, 10, 1)}, plan="?", ex_19_09="?")
    (tmp_path / "s1" / ".ipynb_checkpoints").mkdir()
    shutil.copy(
        tmp_path / "s1" / "plan.ipynb", tmp_path / "s1" / ".ipynb_checkpoints" / "ex_19_07-checkpoint.ipynb"
    )

    def named(files):
        return ["" if file.read_text() == "?" else "ex_19_07" for file in files]

    files, results, notes = handed_in(tmp_path / "s1", ["ex_19_07", "ex_19_08"], tmp_path / "copy", named)
    assert files["ex_19_07"].read_text() == "10"
    assert notes == {"ex_19_07": "taken from 'ex_19_07 (10).ipynb', the last of 3 by name"}
    assert results["ex_19_08"]["notes"] == ["not handed in; 'plan.ipynb' is no notebook of the course's"]
