"""What the tests of the exercises share: the kernel that checks chapters, and an empty gradebook."""

import shutil

import pytest

from ircourse.commands.grade_worker import Worker
from ircourse.notebooks.kernel import kernel_folder


@pytest.fixture(scope="session")
def kernel():
    """The folder with that kernel."""
    with kernel_folder() as folder:
        yield folder


@pytest.fixture(scope="session", autouse=True)
def _one_gradebook(tmp_path_factory):
    """Make the empty gradebook once and copy it after: nbgrader takes seconds for it."""
    made, prepare = tmp_path_factory.mktemp("gradebook") / "empty.db", Worker.prepare

    def copied(worker, gradebook):
        if not made.exists():
            prepare(worker, str(made))
        shutil.copy(made, gradebook)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "prepare", copied)
        yield
