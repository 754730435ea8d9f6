"""The kernel that checks a chapter: this interpreter, a warning is an error, no other machine, nothing of the
user's set-up.

Jupyter looks a notebook's kernel up by its name, "python3", and a kernel of that name which the user once
installed would be taken. A folder at the head of the search path, which holds our own "python3", decides it
for nbclient and for nbval alike. It is written to a temporary place and serves one run.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ircourse.bootstrap import ROOT
from ircourse.notebooks.loopback import keep_to_loopback

__all__ = ["keep_rules", "kernel_folder", "make_warnings_errors", "write_kernel"]

# Run as a cell before the first; `__import__` leaves no name behind in the notebook.
FIRST_LINE = "__import__('ircourse.notebooks.kernel', fromlist=['*']).keep_rules()"
HIDDEN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


def write_kernel(folder: Path) -> None:
    """Write the kernel "python3" below ``folder``, for Jupyter's search path (``JUPYTER_PATH``).

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_kernel(Path(folder))
    ...     [path.name for path in Path(folder, "kernels", "python3").iterdir()]
    ['kernel.json']
    """
    own = folder / "kernels" / "python3"
    own.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    quiet = "--IPKernelApp.log_level=ERROR"  # newer kernels print a notice on their transport when they start
    spec = {
        "argv": [*command, quiet, f"--IPKernelApp.exec_lines={FIRST_LINE}"],
        "display_name": "Python 3",
        "language": "python",
        "env": {name: value.replace("$", "$$") for name, value in environment(folder).items()},
    }
    (own / "kernel.json").write_text(json.dumps(spec, indent=1), encoding="utf-8")


def environment(folder: Path) -> dict[str, str]:
    """Return the variables that the kernel gets beside those of this process."""
    path = os.environ.get("PYTHONPATH")
    return {
        "IRCOURSE_STRICT": "1",
        "IPYTHONDIR": str(folder / "ipython"),  # no profile of the user's, no history
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # tests set another one
        "PYTHONHASHSEED": "random",  # the order of a set must not stay hidden
        "PYTHONPATH": os.pathsep.join([str(ROOT), *([path] if path else [])]),
        "PYTHONSTARTUP": "",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # no notice on frozen modules
    }


def keep_rules() -> None:
    """Make warnings errors in this process and let it reach no other machine."""
    make_warnings_errors()
    keep_to_loopback()


def make_warnings_errors() -> None:
    """Make an error, in this process, of what Python would print as a warning.

    Python hides four categories unless the user's own code is to blame: deprecations, pending ones, imports,
    resources. They stay hidden, since libraries deprecate what their own parts still use; a deprecation that
    a cell or this package causes is an error.
    """
    warnings.simplefilter("error")
    for category in HIDDEN:
        warnings.simplefilter("ignore", category)
    for category in HIDDEN[:2]:
        warnings.filterwarnings("error", category=category, module=r"(__main__|ircourse)\b")


@contextmanager
def kernel_folder() -> Iterator[Path]:
    """Give a temporary folder with the kernel in it, removed at the end."""
    # A kernel that is still ending may hold a file open; Windows would refuse to remove it.
    with tempfile.TemporaryDirectory(prefix="ircourse-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        write_kernel(folder)
        yield folder
