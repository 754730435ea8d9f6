"""What the project declares, and what its wheel and source archive hold."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import ircourse

ROOT = Path(__file__).parent.parent
FILES = sorted(ROOT.glob("requirements*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKED = ["pyproject.toml", "setup.py", "README.md", "LICENSE", *[path.name for path in FILES]]


def requirements(path: Path) -> list[Requirement]:
    lines = [line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [Requirement(line) for line in lines if line]


def tracked(folder: str) -> set[str]:
    """The files below a folder of the repository, as they are named in an archive."""
    paths = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in paths if path.suffix != ".pyc"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_requirement_is_a_range_with_an_upper_end(path):
    for wanted in requirements(path):
        assert sorted(part.operator for part in wanted.specifier) == ["<", ">="], str(wanted)


def test_the_chapters_requirements_name_what_was_agreed():
    names = {wanted.name for wanted in requirements(ROOT / "requirements.txt")}
    assert names >= {"jupyterlab", "networkx", "numpy", "scipy", "matplotlib", "ipywidgets"}
    assert names >= {"requests", "pytest", "nbval"}


def test_each_requirement_file_is_read_by_the_project():
    extras = {
        name.split(".")[1]: entry["file"]
        for name, entry in flatten(PROJECT["tool"]["setuptools"]["dynamic"]).items()
        if name.startswith("optional-dependencies.")
    }
    assert extras == {
        path.stem.removeprefix("requirements-"): [path.name] for path in FILES if "-" in path.stem
    }
    assert PROJECT["tool"]["setuptools"]["dynamic"]["dependencies"] == {"file": ["requirements.txt"]}


def flatten(table: dict) -> dict:
    """A table's entries with those of ``optional-dependencies`` named by their path."""
    extras = {
        f"optional-dependencies.{name}": entry for name, entry in table["optional-dependencies"].items()
    }
    return {**table, **extras}


def test_the_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^version: {re.escape(ircourse.__version__)}$", citation, re.MULTILINE)
    assert f"## {ircourse.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_workflow_runs_the_one_command_on_each_supported_python():
    workflow = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    assert "python -m ircourse test\n" in workflow
    assert '["3.11", "3.12", "3.13", "3.14"]' in workflow
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").endswith("\npython3 -m ircourse test\n")


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A wheel and a source archive, built without a network from a copy of the files that they need."""
    pytest.importorskip("setuptools", minversion="77")
    root = tmp_path_factory.mktemp("copy")
    for name in PACKED:
        shutil.copy(ROOT / name, root)
    for name in ("ircourse", "data"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    script = "from setuptools import build_meta as b; b.build_wheel('dist'); b.build_sdist('dist')"
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,), (source,) = (root / "dist").glob("*.whl"), (root / "dist").glob("*.tar.gz")
    return wheel, source


def test_the_wheel_holds_the_package_with_the_data_and_no_exercise_sources(archives):
    names = set(zipfile.ZipFile(archives[0]).namelist())
    assert {name for name in tracked("ircourse") if name.endswith(".py")} <= names
    assert {f"ircourse/{name}" for name in tracked("data")} <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"ircourse"}
    assert not [name for name in names if "exercises/" in name and name.endswith(".ipynb")]


def test_the_wheel_declares_command_extras_and_pythons(archives):
    wheel = zipfile.ZipFile(archives[0])
    info = f"ircourse-{ircourse.__version__}.dist-info"
    assert "ircourse = ircourse.__main__:main" in wheel.read(f"{info}/entry_points.txt").decode()
    metadata = wheel.read(f"{info}/METADATA").decode()
    assert "Requires-Python: <3.15,>=3.11" in metadata
    assert set(re.findall(r"^Provides-Extra: (\w+)", metadata, re.MULTILINE)) == {
        "bench",
        "instructor",
        "test",
    }
    assert "Requires-Dist: jupyterlab<5,>=4.2" in metadata


def test_the_source_archive_holds_what_a_build_needs(archives):
    with tarfile.open(archives[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert set(PACKED) | tracked("data") <= names


@pytest.mark.parametrize("name", ["README.md", "docs/instructors.md"])
def test_the_links_of_a_text_lead_somewhere(name):
    path = ROOT / name
    links = [
        link for link in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8")) if "://" not in link
    ]
    assert links and all((path.parent / link.partition("#")[0]).exists() for link in links)
