"""The Pythons of this machine that the course can run under. Standard library alone.

OLDEST, NEWEST  the first and the last version supported, as (major, minor)
PLACES          where installers put a Python that PATH does not name, of every system

Like bootstrap.py this file must run under Python 3.6.
"""

import glob
import os
import subprocess
from collections.abc import Iterator, Sequence

OLDEST, NEWEST = (3, 11), (3, 14)
SUPPORTED = "{}.{} to {}.{}".format(*OLDEST, *NEWEST)
PLACES = (  # a place that is not there matches nothing
    "/opt/homebrew/bin/python3.MINOR",
    "/Library/Frameworks/Python.framework/Versions/3.MINOR/bin/python3.MINOR",
    "${PYENV_ROOT}/versions/3.MINOR.*/bin/python",
    "~/.pyenv/versions/3.MINOR.*/bin/python",
    "~/.local/share/uv/python/cpython-3.MINOR.*/bin/python3.MINOR",
    "${LOCALAPPDATA}/Programs/Python/Python3MINOR/python.exe",
    "${ProgramFiles}/Python3MINOR/python.exe",
    "~/.pyenv/pyenv-win/versions/3.MINOR.*/python.exe",
    "${APPDATA}/uv/python/cpython-3.MINOR.*/python.exe",
)


def supported(version: "Sequence[int]") -> bool:
    """Return whether the course runs under this version of Python.

    >>> supported((3, 12, 1)), supported((3, 9)), supported((3, 15))
    (True, False, False)
    """
    return OLDEST <= (version[0], version[1]) <= NEWEST


def version_of(command: "list[str]", module: str = "sys") -> "tuple[int, int] | None":
    """Return (major, minor) of the Python that ``command`` starts, or None; it must have ``module``."""
    ask = f"import sys, {module}; print(sys.version_info[0], sys.version_info[1])"
    null = subprocess.DEVNULL
    try:
        answer = subprocess.check_output([*command, "-c", ask], stdin=null, stderr=null, timeout=30)
        major, minor = answer.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def candidates() -> "Iterator[list[str]]":
    """Yield commands that may start a supported Python, newest first."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        yield from ([f"python3.{minor}"], ["py", f"-3.{minor}"])
        for place in PLACES:
            pattern = os.path.expanduser(os.path.expandvars(place.replace("MINOR", str(minor))))
            yield from ([path] for path in sorted(glob.glob(pattern)))
    yield from (["python3"], ["python"])


def find_python() -> "list[str] | None":
    """Return a command that starts a supported Python on this machine, or None."""
    for command in candidates():
        version = version_of(command)
        if version and supported(version):
            return command
    return None
