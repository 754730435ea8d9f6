"""The kernel that checks chapters, for the tests of the exercises."""

import pytest

from ircourse.notebooks.kernel import kernel_folder


@pytest.fixture(scope="session")
def kernel():
    """The folder with that kernel."""
    with kernel_folder() as folder:
        yield folder
