"""A saved engine of the small town, and a copy of it to spoil."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from small import save_small


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    return save_small(tmp_path_factory.mktemp("engine") / "saved")


@pytest.fixture
def copied(saved, tmp_path):
    return Path(shutil.copytree(saved, tmp_path / "copy"))
