"""nbval gives the chapters the kernel that `python3 -m ircourse run` gives them: a warning is an error."""

import os

from ircourse.notebooks.kernel import kernel_folder


def pytest_configure(config):
    """Put that kernel at the head of Jupyter's search path while the tests run."""
    kernel = kernel_folder()
    before = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = os.pathsep.join([str(kernel.__enter__()), *([before] if before else [])])
    config.add_cleanup(lambda: kernel.__exit__(None, None, None))
