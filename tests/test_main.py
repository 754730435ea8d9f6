"""The command line: what each command starts, and one sentence where it cannot."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ircourse import __main__ as main_module
from ircourse import bootstrap, pythons
from ircourse.__main__ import main

ROOT = bootstrap.ROOT
AT_ONCE = main_module.AT_ONCE
FILE = Path(main_module.__file__)
OLD_PYTHONS = [
    path
    for minor in range(6, 11)
    for path in (
        shutil.which(f"python3.{minor}"),
        *map(str, sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"))),
    )
    if path and pythons.version_of([path])
]


@pytest.fixture
def calls(monkeypatch):
    """The commands started, in order; ``calls.codes`` maps a word of a command to the exit code it gives."""

    class Calls(list):
        def __init__(self):
            self.codes = {}

        def __call__(self, command, cwd=None, **extra):
            self.append(command)
            return next((code for word, code in self.codes.items() if word in command), 0)

    calls = Calls()
    monkeypatch.setattr(main_module, "call", calls)
    monkeypatch.setattr(main_module, "environment", lambda *files: "PYTHON")
    monkeypatch.setattr(main_module, "need_course", lambda what: None)
    return calls


def steps(calls):
    return [command[2] for command in calls]


# ---- reading the command line


def test_an_unknown_command_is_one_sentence_and_code_2(capsys):
    assert main(["teach"]) == 2
    said = capsys.readouterr()
    commands = ", ".join(main_module.COMMANDS)
    assert said.err == f"ircourse: no command 'teach'; choose from {commands}.\n" and not said.out
    assert commands.startswith("lab, test, setup, run, crawl, dedup")


def test_no_command_shows_the_help(capsys):
    assert main([]) == 2
    assert "JupyterLab" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["setup", "--deep"], ["lab", "--port", "eight"], ["lab", "--port", "65536"]]
)
def test_an_option_that_is_not_there_is_code_2(arguments, calls):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2 and not calls


def test_a_set_up_that_fails_is_one_sentence_and_code_1(monkeypatch, capsys):
    def fail(*files):
        raise bootstrap.SetupError("no disk left. Free some.")

    monkeypatch.setattr(main_module, "environment", fail)
    assert main(["setup"]) == 1
    assert capsys.readouterr().err == "ircourse: no disk left. Free some.\n"


def test_ctrl_c_during_the_set_up_is_code_130(monkeypatch, capsys):
    def stop(*files):
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module, "environment", stop)
    assert main(["lab"]) == 130
    assert capsys.readouterr().err == "ircourse: stopped.\n"


# ---- the commands


def test_lab_opens_the_first_chapter_on_loopback_and_leaves_the_token_on(calls):
    assert main(["lab", "--no-browser", "--port", "9999"]) == 0
    (command,) = calls
    assert command[:4] == ["PYTHON", "-m", "jupyterlab", str(ROOT / "chapters" / "00_start_here.ipynb")]
    assert {"--ServerApp.ip=127.0.0.1", "--no-browser", "--ServerApp.port=9999"} <= set(command)
    assert "--LabApp.default_url=/lab/tree/00_start_here.ipynb" in command  # the address that is printed
    assert "token" not in " ".join(command)
    calls.clear()
    assert main(["lab"]) == 0
    assert not {"--no-browser", "--ServerApp.port"} & set(calls[0])


def test_lab_opens_a_notebook_or_a_folder_by_its_path_from_here(calls, monkeypatch, tmp_path, capsys):
    (tmp_path / "class" / "s1").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "class")
    assert main(["lab", "s1"]) == 0
    assert calls[0][3] == str((tmp_path / "class" / "s1").resolve())
    assert "--LabApp.default_url" not in " ".join(calls[0])
    assert main(["lab", "s2"]) == 1 and len(calls) == 1
    (tmp_path / "class" / "a 1.ipynb").touch()
    for path, at in (("a 1.ipynb", "/lab/tree/a%201.ipynb"), ("s1", "/lab")):
        assert main(["lab", "--no-browser", path]) == 0
        assert f"--LabApp.default_url={at}" in calls[-1]
    assert capsys.readouterr().err == "ircourse: s2: no such notebook or folder\n"


@pytest.mark.parametrize(
    ("path", "hides"),
    [
        ([], True),
        (["chapters"], True),
        (["chapters/20_1_spiders.ipynb"], True),
        (["chapters/exercises"], False),
        (["chapters/exercises/ex_19_07.ipynb"], False),
        (["docs"], False),
    ],
)
def test_lab_hides_the_exercises_with_their_solutions_beside_the_chapters_alone(
    calls, monkeypatch, path, hides
):
    monkeypatch.chdir(ROOT)
    assert main(["lab", *path]) == 0
    assert ("--ContentsManager.hide_globs=exercises" in calls[0]) == hides


def test_lab_ends_well_with_ctrl_c(calls, monkeypatch):
    def interrupted(command, cwd=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module, "call", interrupted)
    assert main(["lab"]) == 0


def test_an_installed_package_says_where_the_chapters_are(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(main_module, "ROOT", tmp_path)
    for command in ("lab", "run", "test"):
        assert main([command]) == 1
        assert "download the course's repository" in capsys.readouterr().err


def test_an_installed_package_opens_a_folder_of_one_s_own(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(main_module, "ROOT", tmp_path / "site-packages")
    monkeypatch.setattr(main_module, "environment", lambda *files: "PYTHON")
    monkeypatch.setattr(main_module, "call", lambda command, cwd: seen.append(command) or 0)
    assert main(["lab", str(tmp_path)]) == 0 and seen[0][3] == str(tmp_path.resolve())


def test_test_runs_every_check_in_order(calls, capsys):
    notebooks = ["pytest"] if any(ROOT.glob("chapters/**/*.ipynb")) else []
    assert main(["test"]) == 0
    assert steps(calls) == ["ruff", "ruff", "mypy", "pytest", *notebooks]
    assert capsys.readouterr().out.splitlines()[-1] == f"checks: {len(calls)} passed, 0 failed"


def test_test_goes_on_after_a_failure_and_tells(calls, capsys):
    calls.codes = {"mypy": 1}
    assert main(["test", "--fast"]) == 1
    assert steps(calls) == ["ruff", "ruff", "mypy", "pytest"]
    assert calls[-1][3:] == [*AT_ONCE, "--dist=worksteal", "-m", "not notebook and not browser"]
    assert capsys.readouterr().out.splitlines()[-2:] == ["failed: mypy", "checks: 3 passed, 1 failed"]


def test_chapters_are_checked_by_a_run_of_nbval(calls, monkeypatch, tmp_path):
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "one.ipynb").touch()
    monkeypatch.setattr(main_module, "ROOT", tmp_path)
    main(["test", "-x"])
    assert calls[-2] == ["PYTHON", "-m", "pytest", *AT_ONCE, "--dist=worksteal", "-x"]
    assert calls[-1] == ["PYTHON", "-m", *main_module.NBVAL, *AT_ONCE, "--dist=loadfile", "-x"]


def test_arguments_that_choose_tests_run_pytest_alone_and_give_its_code(calls, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_it.py").touch()
    calls.codes = {"pytest": 5}
    assert main(["test", "test_it.py::test_a[x/y]", "--maxfail", "2"]) == 5
    assert main(["test", "-k", "spider", "--fast"]) == 5
    assert [command[2:] for command in calls] == [
        ["pytest", f"{tmp_path / 'test_it.py'}::test_a[x/y]", "--maxfail", "2"],
        ["pytest", "-m", "not notebook and not browser", "-k", "spider"],
    ]


@pytest.mark.parametrize(
    ("arguments", "marks"),
    [
        (["-m", "browser"], "(browser)"),
        (["-mbrowser or notebook", "--fast"], "not notebook and not browser and (browser or notebook)"),
        (["--fast", "-m", "slow", "-m", "quick"], "not notebook and not browser and (quick)"),
        (["-m", "", "--fast"], "not notebook and not browser"),
    ],
)
def test_marks_choose_tests_among_the_fast_ones(calls, arguments, marks):
    assert main(["test", *arguments, "-x"]) == 0
    assert calls == [["PYTHON", "-m", "pytest", "-m", marks, "-x"]]


def test_run_goes_to_the_environment_and_there_to_the_notebooks(calls, monkeypatch):
    from ircourse import notebooks

    arguments = ["run", "20_1", "--save", "--out", "pages"]
    assert main(arguments) == 0
    assert calls == [["PYTHON", str(FILE), *arguments]]
    seen = []
    monkeypatch.setattr(notebooks, "run", lambda names, save, output: seen.append((names, save, output)) or 3)
    monkeypatch.setattr(main_module, "environment", lambda *files: sys.executable)
    assert main(arguments) == 3 and seen == [(["20_1"], True, "pages")]


def test_setup_says_where_the_environment_is(calls, capsys):
    assert main(["setup"]) == 0
    assert capsys.readouterr().out == "Ready: PYTHON\nNext: python3 -m ircourse lab\n"


# ---- starting it


@pytest.mark.parametrize("version", [(3, 9, 6, "final", 0), (3, 15, 0, "alpha", 1)])
def test_an_unsupported_python_goes_on_with_another_or_says_what_to_install(
    calls, monkeypatch, capsys, version
):
    monkeypatch.setattr(main_module.sys, "version_info", version)
    monkeypatch.setattr(pythons, "find_python", lambda: ["/opt/py", "-3.13"])
    assert main(["setup"]) == 0
    assert calls == [["/opt/py", "-3.13", str(FILE), "setup"]]
    assert f"this is Python 3.{version[1]}" in capsys.readouterr().out
    monkeypatch.setattr(pythons, "find_python", lambda: None)
    assert main(["setup"]) == 1
    assert "Install Python 3.13" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["module", "path"])
def test_it_starts_from_another_folder(how, tmp_path):
    command = {"module": ["-m", "ircourse"], "path": [str(FILE)]}[how]
    environ = {**os.environ, "PYTHONPATH": str(ROOT) if how == "module" else ""}
    where = FILE.parent if how == "path" else tmp_path  # beside types.py, which is not the standard library's
    done = subprocess.run(
        [sys.executable, *command, "teach"], cwd=where, env=environ, capture_output=True, text=True
    )
    assert done.returncode == 2 and done.stderr.startswith("ircourse: no command 'teach'")


@pytest.mark.parametrize("python", OLD_PYTHONS)
def test_a_real_old_python_gives_no_traceback(python, tmp_path):
    done = subprocess.run([python, str(FILE), "teach"], cwd=tmp_path, capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert "the course needs 3.11 to 3.14" in said and "Traceback" not in said
    assert done.returncode == (2 if "Going on with" in said else 1)
