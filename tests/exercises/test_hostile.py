"""Submissions that mean harm, or look like it: nobody else loses points, and a note has the reason."""

import csv
import os
import subprocess
import sys

import psutil
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from ircourse.commands import own_time, sandbox, watch
from ircourse.commands.exercise_notebooks import MOST_SOURCE, grade_id, read_submission
from ircourse.commands.exercise_notebooks import SOURCES as FOLDER
from ircourse.commands.grade_files import MOST_ENTRIES, handed_in, write_grades
from ircourse.commands.watch import Watch, overdone
from tests.exercises.handed_in import (
    HOSTILE,
    POINTS,
    SANDBOXED,
    SHUT_IN,
    SOURCES,
    hand_in,
    run,
    solved,
)


def with_hostile(name, code):
    """A solved notebook with code of the student's own before the survey."""
    notebook = solved(name)
    place = [grade_id(cell) for cell in notebook.cells].index("estimate-text")
    notebook.cells[place] = new_code_cell(code)
    return notebook


def test_in_a_class_of_30_hostile_code_costs_nobody_else_anything(tmp_path):
    folder = tmp_path / "submissions"
    cases = HOSTILE | (SHUT_IN if SANDBOXED else {})
    for number, (code, _, _) in enumerate(cases.values()):
        hand_in(folder, f"h{number}", ex_19_07=with_hostile("ex_19_07", code))
    for number in range(30 - len(cases)):
        name = list(SOURCES)[number % 4]
        hand_in(folder, f"s{number}", **{name: solved(name)})
    rows, _ = run(folder)
    assert len(rows) == 30
    for number in range(30 - len(cases)):
        name = list(SOURCES)[number % 4]
        assert float(rows[f"s{number}"][name]) == POINTS[name], rows[f"s{number}"]
    for number, (case, (_, least, words)) in enumerate(cases.items()):
        row = rows[f"h{number}"]
        assert float(row["ex_19_07"]) >= least, (case, row)  # what was right before stays right
        assert words in row["notes"], (case, row)


OUTSIDE = """
import os, socket
seen = [path for path in {paths!r} if os.path.exists(path)]
assert not seen, seen
assert sorted(os.listdir('.')) == ['ex_19_07.ipynb'], os.listdir('.')
for target in (("127.0.0.1", {port}), ("192.0.2.1", 80)):
    try:
        socket.create_connection(target, timeout=1)
    except OSError:
        continue
    raise AssertionError(target)
processes = [name for name in os.listdir('/proc') if name.isdigit()]
assert len(processes) <= 3, processes
for name in processes:
    assert b"for the instructor alone" not in open(f"/proc/{{name}}/environ", "rb").read()
for path in ("/proc/sys/kernel/core_pattern", "/proc/self/oom_score_adj", "/dev/x", "/x", "/tmp/x"):
    try:
        open(path, "r+" if "proc" in path else "w")
        assert path == "/tmp/x", path
    except OSError:
        continue
for name in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink(f"/proc/self/fd/{{name}}")
    except OSError:
        continue
    assert target.startswith(("socket:", "pipe:", "anon_inode:", "/dev/", "/proc/", "/memfd:")), target
def relative_size():
    return share_b / share_a
"""


@pytest.mark.skipif(not SANDBOXED, reason="bubblewrap is not installed")
def test_within_bubblewrap_there_is_only_this_submission_and_no_network(tmp_path, monkeypatch):
    import socket

    folder = tmp_path / "submissions"
    monkeypatch.setenv("IRCOURSE_TOKEN", "for the instructor alone")
    with socket.create_server(("127.0.0.1", 0)) as server:
        paths = [str(tmp_path), str(FOLDER), str(sandbox.PACKAGE.parent / "chapters")]
        code = OUTSIDE.format(paths=paths, port=server.getsockname()[1])
        hand_in(folder, "s1", ex_19_07=solved("ex_19_07", answer=code))
        hand_in(folder, "s2", ex_19_08=solved("ex_19_08"))
        rows, _ = run(folder, trusted=False)
    assert float(rows["s1"]["ex_19_07"]) == 6


SHOWY = """
from IPython.display import display, HTML, Javascript, Markdown, SVG
bad = "<script>alert(1)</script><img src=x onerror=alert(2)><meta http-equiv=refresh content='0;url=//x'>"
display(HTML(bad), Javascript("alert(3)"), Markdown(bad), SVG(f"<svg>{bad}</svg>"))
print("\\x1b]0;title\\x07\\x1b[31m" + bad)
raise ValueError(bad)
"""


def test_without_bubblewrap_it_refuses_and_with_trust_the_grader_may_be_ended(tmp_path, monkeypatch):
    folder = tmp_path / "submissions"
    notebook = with_hostile("ex_19_07", SHOWY)
    notebook.cells.append(new_markdown_cell("<script>alert(4)</script> `a<b`\n\n<style>*{}</style>"))
    hand_in(folder, "shows", ex_19_07=notebook)
    killer = with_hostile("ex_19_07", "import os\nos.kill(os.getppid(), 9)\nwhile True:\n    pass")
    hand_in(folder, "kills", ex_19_07=killer, ex_19_10="no")
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    _, log = run(folder, code=1, trusted=False)
    assert "bwrap" in log and "--trust-submissions" in log
    rows, log = run(folder, trusted=True)
    assert "reach the network" in log and "Limits of time, memory and output hold" in log
    if sys.platform != "win32":
        assert float(rows["kills"]["ex_19_07"]) == 2  # what was right before stays right
        assert "the grader was ended by it" in rows["kills"]["notes"]
    assert "not a notebook" in rows["kills"]["notes"]
    assert float(rows["shows"]["ex_19_07"]) == 6
    page = (tmp_path / "out" / "grades_feedback" / "shows" / "ex_19_07.html").read_text(encoding="utf-8")
    body = page.partition("</head>")[2]
    assert not [tag for tag in ("<script>alert", "<img src=x", "<meta", "<svg", "<style>*") if tag in body]
    assert "&lt;script&gt;alert(1)" in body and "&lt;\u200bscript&gt;alert(4)" in body
    assert "default-src 'none'" in page


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's /proc")
def test_what_processes_hold_together_is_bounded(tmp_path):
    own = psutil.Process()
    assert overdone([own], 2**40, tmp_path) == ""
    assert "processes" in overdone([own] * 65, 2**40, tmp_path)
    held = watch._held(own)
    assert "memory in all" in overdone([own] * 3, held, tmp_path)
    with open(os.memfd_create("x"), "wb") as file:
        file.write(bytes(64 << 20))
        file.flush()
        assert "memory in all" in overdone([own], held + (16 << 20), tmp_path)
    (tmp_path / "kernel.json").touch()
    assert overdone([own], 2**40, tmp_path) == ""
    (tmp_path / "folder").mkdir()
    assert overdone([own], 2**40, tmp_path) == "too much on disk"


def test_a_watch_ends_a_process_with_all_that_it_started_and_says_why(tmp_path):
    code = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'input()']); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as child:
        watcher = Watch(child.pid, 1, tmp_path)
        assert child.wait(60) != 0
        assert "memory in all" in watcher.close() == watcher.close()


def test_time_waited_for_a_processor_is_no_time_of_one_s_own(monkeypatch):
    now, waited = iter([100.0, 104.0, 104.0]), iter([1.0, 3.0, 5.0])
    monkeypatch.setattr(own_time, "monotonic", lambda: next(now))
    monkeypatch.setattr(own_time, "_waited", lambda pid: next(waited))
    clock = own_time.own_time(os.getpid())
    assert clock() == 2.0  # four seconds, two of them waiting
    assert clock() == 1.0  # never less than a quarter


@pytest.fixture
def handed(tmp_path):
    """A student's folder, and what is taken from it: notes by notebook, and the names of those to grade."""
    (tmp_path / "s1").mkdir()

    def taken():
        files, results, _ = handed_in(tmp_path / "s1", list(SOURCES), tmp_path / "copy")
        assert sorted(files) + sorted(results) == sorted(files) + sorted(set(SOURCES) - set(files))
        return {name: result["notes"][0] for name, result in results.items()}, files

    return tmp_path / "s1", taken


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes need rights there")
def test_links_pipes_and_folders_are_no_notebooks(handed):
    folder, taken = handed
    (folder.parent / "secret").write_text("a secret of the tests")
    (folder.parent / "s2").mkdir()
    (folder.parent / "s2" / "ex_19_08.ipynb").write_text("{}")
    (folder / "ex_19_07.ipynb").symlink_to(folder.parent / "secret")
    (folder / "there").symlink_to(folder.parent / "s2")
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "ex_19_09.ipynb")
    (folder / "ex_19_10.ipynb").mkdir()
    notes, files = taken()
    assert not files and "a link" in notes["ex_19_07"] and notes["ex_19_08"] == "not handed in"
    assert "no regular file" in notes["ex_19_09"] and notes["ex_19_10"]


def test_what_is_too_much_or_too_deep_is_not_looked_at(handed):
    folder, taken = handed
    with (folder / "ex_19_07.ipynb").open("wb") as file:
        file.truncate(500_000_000)
    for number in range(MOST_ENTRIES // 200):
        (folder / "many" / f"{number:03}").mkdir(parents=True)
    deep = folder / "many" / "/".join("d" * 20)
    deep.mkdir(parents=True)
    (folder / "ex_19_08" / ("n" * 200)).mkdir(parents=True)
    for place in (deep, folder / "ex_19_08" / ("n" * 200)):
        for name in ("ex_19_08", "ex_19_09"):
            (place / f"{name}.ipynb").write_text("{}", encoding="utf-8")
        (deep.parent / "ex_19_10.ipynb").write_text("{}", encoding="utf-8")
    notes, files = taken()
    assert "500 MB" in notes["ex_19_07"] and notes["ex_19_10"] == "not handed in"
    assert sorted(files) == ["ex_19_08", "ex_19_09"]


def test_folders_beyond_number_are_looked_at_in_part(handed, monkeypatch):
    folder, taken = handed
    monkeypatch.setattr("ircourse.commands.grade_files.MOST_ENTRIES", 20)
    for number in range(30):
        (folder / f"{number}.txt").touch()
    (folder / "below").mkdir()
    (folder / "below" / "ex_19_07.ipynb").write_text("{}")
    assert taken()[0]["ex_19_07"] == "not handed in"


def test_a_notebook_of_much_text_is_not_read(tmp_path):
    cell = {"cell_type": "markdown", "source": "[" * (MOST_SOURCE + 1)}
    hand_in(tmp_path, "s1", ex_19_07={"nbformat": 4, "cells": [cell]})
    with pytest.raises(ValueError, match="characters of code and text"):
        read_submission(tmp_path / "s1" / "ex_19_07.ipynb")


def test_no_cell_of_the_table_is_a_formula_wherever_a_spreadsheet_parts_it(tmp_path):
    result = {"points": 1.0, "by_hand": 0.0, "notes": ["=cmd|'/c x'!A1", "+1; =2,@3", "a\n=4\r\x1b[2J\ud800"]}
    ids = ["=1+1", "+1", "-1", "@a", " =1", "\t=1", "a;=1", "＝1", "a\n=2", "s-17", 'a",=3', "\ud800"]
    write_grades(tmp_path / "g.csv", {"ex": 6}, {student: {"ex": result} for student in ids}, {})
    text = (tmp_path / "g.csv").read_text(encoding="utf-8-sig")
    for delimiter in ",;\t":
        for row in csv.reader(text.splitlines(), delimiter=delimiter):
            assert not [cell for cell in row if cell.lstrip(" '\"")[:1] in set("=+-@＝") and "'" not in cell]
    assert "s-17" in text and "\x1b" not in text and len(text.splitlines()) == len(ids) + 1


def test_a_student_whose_folder_cannot_be_graded_costs_the_others_nothing(tmp_path, monkeypatch):
    folder = tmp_path / "submissions"
    for student in ("s1", "s2"):
        (folder / student).mkdir(parents=True)

    def broken(student, *rest):
        if student.name == "s1":
            raise PermissionError(13, "may not be read")
        return handed_in(student, *rest)

    monkeypatch.setattr("ircourse.commands.grade_desk.handed_in", broken)
    rows, _ = run(folder)
    assert "may not be read" in rows["s1"]["notes"] and rows["s2"]["notes"] == "nothing handed in"
