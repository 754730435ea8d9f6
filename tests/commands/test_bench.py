"""The command ``bench``: which scripts it runs, with what, and its exit code."""

import os

import pytest

from ircourse import __main__ as main_module
from ircourse.__main__ import main
from ircourse.commands.bench import bench, processor

SAYS = "import os, sys\nprint('{}', *sys.argv[1:], 'OPENBLAS_CORETYPE' in os.environ)\nsys.exit({})\n"


@pytest.fixture
def folder(tmp_path):
    for name, code in {"quick": 0, "slow": 0, "wrong": 3, "_helper": 9}.items():
        (tmp_path / f"{name}.py").write_text(SAYS.format(name, code))
    return tmp_path


def test_it_runs_every_script_and_tells_what_failed(folder, capfd):
    assert bench(folder, None) == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith(f"{processor()}, {os.cpu_count()} processors")
    assert [line for line in lines if "==" in line] == ["== quick ==", "== slow ==", "== wrong =="]
    assert lines[-1] == "failed: wrong"


def test_one_script_gets_its_input_and_the_processors_own_kernels(folder, capfd, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert bench(folder, "quick", ["100", "a folder"]) == 0
    assert capfd.readouterr().out.endswith("== quick ==\nquick 100 a folder False\n")


def test_a_name_that_is_none_is_one_sentence_and_code_2(folder, capfd):
    assert bench(folder, "../quick") == 2
    said = capfd.readouterr()
    assert said.err == "ircourse: no benchmark '../quick'; choose from quick, slow, wrong.\n" and not said.out


def test_the_command_brings_the_other_libraries(monkeypatch):
    asked, started = [], []
    monkeypatch.setattr(main_module, "environment", lambda *files: asked.append(files) or "PYTHON")
    monkeypatch.setattr(main_module, "call", lambda command, **_: started.append(command) or 0)
    assert main(["bench", "dedup", "1000", "cpu"]) == 0
    assert asked == [("requirements.txt", "requirements-bench.txt")]
    assert started[0][0] == "PYTHON" and started[0][2:] == ["bench", "dedup", "1000", "cpu"]


def test_the_projects_own_benchmarks_are_found():
    names = {path.stem for path in (main_module.ROOT / "tests" / "benchmarks").glob("[a-z]*.py")}
    assert {"dedup", "latent", "ground"} <= names
