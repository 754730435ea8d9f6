"""Set-up: a supported Python, an environment that has what is asked for, mended where it is broken."""

import ast
import os
import signal
import subprocess
import sys
import threading
from importlib import metadata
from pathlib import Path

import pytest

from ircourse import bootstrap, pythons

PACKAGE = Path(bootstrap.__file__).parent


@pytest.fixture
def root(tmp_path):
    """A repository's root whose path has a space and letters outside ASCII, asking for one package."""
    root = tmp_path / "cours d'été"
    root.mkdir()
    (root / "base.txt").write_text("# nothing\nno-such-package-of-ours>=1,<2\n", encoding="utf-8")
    (root / "more.txt").write_text("pytest>=8,<99  # and a comment\n", encoding="utf-8")
    return root


@pytest.fixture
def calls(monkeypatch):
    """Commands that would have been run; ``calls.code`` is what they return, ``calls.does`` what they do."""

    class Calls(list):
        code = 0
        does = staticmethod(lambda command: None)

        def __call__(self, command, cwd=None, **extra):
            self.append(command)
            self.extra = extra
            self.does(command)
            return self.code

    calls = Calls()
    monkeypatch.setattr(bootstrap, "call", calls)
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None)
    monkeypatch.setattr(bootstrap, "version_of", lambda command, module="sys": (3, 12))
    return calls


def stamp_of(root):
    return (root / ".venv" / bootstrap.STAMP).read_text(encoding="utf-8").splitlines()


# ---- old and other Pythons


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py", "bootstrap.py", "pythons.py"])
def test_an_old_python_can_read_the_entry_files(name):
    ast.parse((PACKAGE / name).read_text(encoding="utf-8"), feature_version=(3, 6))


def test_the_supported_versions_are_those_of_the_package():
    text = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    low, high = pythons.OLDEST, pythons.NEWEST
    assert f'requires-python = ">={low[0]}.{low[1]},<{high[0]}.{high[1] + 1}"' in text
    *others, last = (f"3.{minor}" for minor in range(low[1], high[1] + 1))
    readme = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    assert f"You need Python {', '.join(others)} or {last}." in readme
    assert f"{others[0]} to {last}" == pythons.SUPPORTED


@pytest.mark.parametrize(
    ("version", "fits"), [((3, 10), False), ((3, 11), True), ((3, 14), True), ((3, 15), False)]
)
def test_a_version_is_supported_or_not(version, fits):
    assert pythons.supported(version) is fits


def test_a_command_that_is_no_python_has_no_version(tmp_path):
    assert pythons.version_of([str(tmp_path / "nothing")]) is None
    assert pythons.version_of([sys.executable]) == sys.version_info[:2]
    assert pythons.version_of([sys.executable], module="no_such_module_of_ours") is None


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("LOCALAPPDATA", "Programs/Python/Python312/python.exe"),
        ("ProgramFiles", "Python312/python.exe"),
        ("APPDATA", "uv/python/cpython-3.12.4-windows-x86_64-none/python.exe"),
        ("PYENV_ROOT", "versions/3.12.1/bin/python"),
        ("HOME", ".pyenv/versions/3.12.1/bin/python"),
        ("HOME", ".pyenv/pyenv-win/versions/3.12.1/python.exe"),
        ("HOME", ".local/share/uv/python/cpython-3.12.1-macos-aarch64-none/bin/python3.12"),
    ],
)
def test_pythons_beside_path_are_found(monkeypatch, tmp_path, variable, place):
    home = "USERPROFILE" if os.name == "nt" and variable == "HOME" else variable
    monkeypatch.setenv(home, str(tmp_path))
    python = tmp_path / place
    python.parent.mkdir(parents=True)
    python.touch()
    found = [Path(command[0]) for command in pythons.candidates()]
    assert python in found


def test_candidates_run_from_the_newest_and_name_the_windows_launcher():
    commands = list(pythons.candidates())
    assert commands.index(["python3.14"]) < commands.index(["py", "-3.13"]) < commands.index(["python3.11"])
    assert commands[-2:] == [["python3"], ["python"]]
    assert all("Framework" not in c[0] or os.path.exists(c[0]) for c in commands)
    assert any("Python.framework" in place for place in pythons.PLACES)


def test_the_first_supported_candidate_is_taken(monkeypatch):
    versions = {"python3.13": None, "python3.12": (3, 9), "python3.11": (3, 11)}
    monkeypatch.setattr(pythons, "version_of", lambda command: versions.get(command[0]))
    assert pythons.find_python() == ["python3.11"]
    versions["python3.11"] = None
    assert pythons.find_python() is None


@pytest.mark.parametrize(("windows", "place"), [(True, "Scripts/python.exe"), (False, "bin/python")])
def test_an_environment_keeps_its_python_where_the_system_does(windows, place):
    assert bootstrap.venv_python(Path("venv"), windows) == Path("venv", place)


# ---- the running Python


@pytest.mark.parametrize(
    ("line", "fits"),
    [
        ("thing>=2,<3", True),
        ("thing>=2.10,<3", True),
        ("thing>=2.11,<3", False),
        ("thing>=1,<2.10", False),
        ("thing[extra]>=2  # why", True),
        ('thing>=9; python_version < "3"', True),
        ("other>=1", False),
        ("\n# only a comment\n", True),
        ("-r other.txt", False),
        ("===", False),
        ("git+https://harbour.example/thing", False),
        ("\udcff\udcfe", False),
    ],
)
def test_the_running_python_has_what_is_asked_for_or_not(monkeypatch, tmp_path, line, fits):
    def version(name):
        if name != "thing":
            raise metadata.PackageNotFoundError(name)
        return "2.10.0"

    monkeypatch.setattr(metadata, "version", version)
    (tmp_path / "wanted.txt").write_bytes(line.encode("utf-8", "surrogateescape"))
    assert bootstrap.satisfied([tmp_path / "wanted.txt"]) is fits


def test_without_packaging_nothing_is_there(monkeypatch, tmp_path):
    (tmp_path / "wanted.txt").write_text("", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    assert not bootstrap.satisfied([tmp_path / "wanted.txt"])


def test_the_running_python_serves_where_it_has_everything(root, calls):
    assert bootstrap.environment("more.txt", root=root) == sys.executable
    assert not calls and not (root / ".venv").exists()


def test_an_installed_package_needs_no_set_up(tmp_path, calls):
    assert bootstrap.environment("base.txt", root=tmp_path) == sys.executable
    assert not calls


# ---- the environment


def test_the_first_run_makes_and_fills_an_environment_and_the_second_does_nothing(root, calls):
    python = bootstrap.environment("base.txt", root=root)
    assert python == str(bootstrap.venv_python(root / ".venv"))
    install = calls[-1]
    assert install[:4] == [python, "-I", "-m", "pip"] and install[-1] == str(root / "base.txt")
    assert "python 3.12" in stamp_of(root)
    calls.clear()
    assert bootstrap.environment("base.txt", root=root) == python
    assert not calls


def test_uv_makes_and_fills_the_environment_where_it_is_installed(root, calls, monkeypatch):
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: "/tools/uv" if name == "uv" else None)
    (root / ".venv").mkdir()
    (root / ".venv" / bootstrap.STAMP).write_text(bootstrap.UNFINISHED, encoding="utf-8")
    bootstrap.environment("base.txt", root=root)
    assert [command[:3] for command in calls] == [
        ["/tools/uv", "venv", "--quiet"],
        ["/tools/uv", "pip", "install"],
    ]
    assert calls.extra["UV_SYSTEM_CERTS"] == calls.extra["UV_NATIVE_TLS"] == "1"


def test_a_larger_set_covers_a_smaller_one_and_a_changed_file_is_installed_again(root, calls):
    bootstrap.environment("base.txt", "more.txt", root=root)
    calls.clear()
    bootstrap.environment("base.txt", root=root)
    assert not calls
    (root / "base.txt").write_text("no-such-package-of-ours>=1.5,<2\n", encoding="utf-8")
    bootstrap.environment("base.txt", root=root)
    assert len(calls) == 1 and calls[0][-1].endswith("base.txt")


def test_an_environment_whose_python_is_gone_or_old_is_made_anew(root, calls, monkeypatch):
    bootstrap.environment("base.txt", root=root)
    (root / ".venv" / "rubble").mkdir()
    for broken in (None, (3, 9)):
        calls.clear()
        answers = iter([broken, broken, broken, (3, 13)])
        monkeypatch.setattr(
            bootstrap, "version_of", lambda command, module="sys", answers=answers: next(answers)
        )
        bootstrap.environment("base.txt", root=root)
        assert [command[-2] for command in calls] == ["venv", "--requirement"]
        assert "python 3.13" in stamp_of(root)
        assert sorted(path.name for path in (root / ".venv").iterdir()) == [bootstrap.LOCK, bootstrap.STAMP]


def test_an_environment_without_a_stamp_is_kept_and_filled(root, calls):
    (root / ".venv").mkdir()
    (root / ".venv" / "pyvenv.cfg").touch()
    (root / ".venv" / "mine").touch()
    bootstrap.environment("base.txt", root=root)
    assert [command[-2] for command in calls] == ["--requirement"]
    assert (root / ".venv" / "mine").exists()


def test_a_folder_that_is_no_environment_is_left_as_it_is(root, calls, monkeypatch):
    (root / ".venv").mkdir()
    (root / ".venv" / "thesis.tex").touch()
    monkeypatch.setattr(bootstrap, "version_of", lambda command, module="sys": None)
    with pytest.raises(bootstrap.SetupError, match="is no Python environment"):
        bootstrap.environment("base.txt", root=root)
    assert [path.name for path in (root / ".venv").iterdir()] == ["thesis.tex"] and not calls


@pytest.mark.parametrize("content", ["thesis.tex", "pyvenv.cfg", bootstrap.STAMP, None])
def test_a_link_to_another_folder_is_not_followed(root, calls, monkeypatch, content):
    mine = root.parent / "mine"
    mine.mkdir()
    if content:
        (mine / content).write_text("", encoding="utf-8")
    try:
        (root / ".venv").symlink_to(mine, target_is_directory=True)
    except OSError:
        pytest.skip("Windows lets only some users make links")
    monkeypatch.setattr(bootstrap, "version_of", lambda command, module="sys": None)
    with pytest.raises(bootstrap.SetupError, match=r"is a link to .*mine.*Remove the link"):
        bootstrap.environment("base.txt", root=root)
    assert [path.name for path in mine.iterdir()] == ([content] if content else []) and not calls


def test_a_stamp_that_is_not_text_counts_as_none(root, calls):
    bootstrap.environment("base.txt", root=root)
    (root / ".venv" / bootstrap.STAMP).write_bytes(b"\xff\xfe")
    calls.clear()
    bootstrap.environment("base.txt", root=root)
    assert [command[-2] for command in calls] == ["--requirement"]
    assert "python 3.12" in stamp_of(root)


def test_an_interrupted_set_up_is_begun_again(root, calls):
    def interrupt(command):
        (root / ".venv" / "rubble").write_text("half a file", encoding="utf-8")
        raise KeyboardInterrupt

    calls.does = interrupt
    with pytest.raises(KeyboardInterrupt):
        bootstrap.environment("base.txt", root=root)
    assert stamp_of(root) == [bootstrap.UNFINISHED]
    calls.clear()
    calls.does = lambda command: None
    bootstrap.environment("base.txt", root=root)
    assert [command[-2] for command in calls] == ["venv", "--requirement"]
    assert not (root / ".venv" / "rubble").exists()


def test_a_failed_installation_says_what_to_do_and_keeps_the_environment(root, calls):
    calls.code = 1
    with pytest.raises(bootstrap.SetupError, match="no network"):
        bootstrap.environment("base.txt", root=root)
    assert not (root / ".venv" / bootstrap.STAMP).exists()


def test_a_python_without_ensurepip_names_the_package(root, calls, monkeypatch):
    monkeypatch.setattr(bootstrap, "version_of", lambda command, module="sys": None)
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    with pytest.raises(bootstrap.SetupError, match=f"apt install {package}"):
        bootstrap.environment("base.txt", root=root)


def test_a_place_that_cannot_be_written_is_named(root, calls):
    (root / ".venv").write_text("a file", encoding="utf-8")
    with pytest.raises(bootstrap.SetupError, match="could not be set up"):
        bootstrap.environment("base.txt", root=root)


def test_a_second_set_up_waits_for_the_first(root, capsys):
    (root / ".venv").mkdir()
    lock, order = root / ".venv" / bootstrap.LOCK, []

    def second():
        with bootstrap.locked(lock):
            order.append("second")

    thread = threading.Thread(target=second)
    with bootstrap.locked(lock):
        thread.start()
        thread.join(0.3)
        order.append("first")
    thread.join(30)
    assert order == ["first", "second"]
    assert "Another set-up is at work" in capsys.readouterr().out


def test_a_real_environment_is_made_of_a_broken_one_and_then_left_alone(root):
    (root / "base.txt").write_text("", encoding="utf-8")
    python = bootstrap.venv_python(root / ".venv")
    python.parent.mkdir(parents=True)
    python.write_text("half a file", encoding="utf-8")
    (root / ".venv" / bootstrap.STAMP).write_text("python 3.12", encoding="utf-8")
    script = """
import sys
from pathlib import Path
from ircourse import bootstrap, pythons
bootstrap.satisfied = lambda files: False
bootstrap.shutil.which = lambda name: None
print(bootstrap.environment("base.txt", root=Path(sys.argv[1])))
"""
    environ = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONIOENCODING": "utf-8"}

    def run():
        command = [sys.executable, "-c", script, str(root)]
        done = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", check=True)
        return done.stdout.splitlines()

    assert run()[-1] == str(python)
    assert pythons.version_of([str(python)], module="pip") == sys.version_info[:2]
    assert run() == [str(python)]


# ---- children


def test_a_child_gets_the_package_its_variables_and_gives_its_code():
    code = "import os, sys, ircourse; sys.exit(7 if os.environ['WORD'] == 'été' else 1)"
    assert bootstrap.call([sys.executable, "-c", code], cwd=Path.home(), WORD="été") == 7


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_child_ended_by_a_signal_gives_the_shell_s_code():
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert bootstrap.call([sys.executable, "-c", code]) == 128 + signal.SIGKILL


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_child_first(number, code, tmp_path):
    child = "import sys, threading; print('ready', flush=True); threading.Event().wait(60)"
    parent = "import sys; from ircourse.bootstrap import call; "
    parent += f"sys.exit(call([sys.executable, '-c', {child!r}]))"
    environ = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    process = subprocess.Popen(
        [sys.executable, "-c", parent], env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    with process:
        assert process.stdout.readline() == b"ready\n"
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        process.wait(60)
    assert process.returncode in (code, -number)
