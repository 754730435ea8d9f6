"""Set-up: make ``.venv``, install what the course needs, start commands there. Standard library alone.

ROOT    folder that holds the package: the repository's root, or site-packages
venv    the environment beside the README, made where the running Python lacks a package
stamp   a file in venv, a line for its Python and for each requirement file installed, with the file's SHA-256
lock    a file in venv that one set-up at a time holds; the system frees it when its holder ends

The rule: use the running Python where it has everything, else venv where its stamp holds, else mend venv.

This file, pythons.py, __main__.py and __init__.py must run under Python 3.6 too, so that an old Python names
a newer one instead of showing a syntax error. Hence annotations in quotes, no ``:=``, no ``match``.
"""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ircourse.pythons import supported, version_of

ROOT = Path(__file__).resolve().parent.parent
STAMP, LOCK, UNFINISHED = "ircourse.stamp", "ircourse.lock", "unfinished"


class SetupError(Exception):
    """A sentence for the user: what failed, and how to mend it."""


def satisfied(files: "list[Path]") -> bool:
    """Return whether the running Python has every package that the requirement files name."""
    try:
        from importlib import metadata

        from packaging.requirements import Requirement  # JupyterLab needs it: without it, no JupyterLab
    except ImportError:
        return False
    try:
        lines = [
            line.split("#")[0].strip() for path in files for line in path.read_text("utf-8").splitlines()
        ]
        requirements = list(map(Requirement, filter(None, lines)))
    except ValueError:  # an option such as -r, or no requirement at all: pip takes it or says what is wrong
        return False
    for wanted in requirements:
        if wanted.marker and not wanted.marker.evaluate():
            continue
        try:
            version = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            return False
        if not wanted.specifier.contains(version, prereleases=True):
            return False
    return True


def venv_python(venv: Path, windows: bool = os.name == "nt") -> Path:
    """Return where an environment keeps its Python."""
    return venv / "Scripts" / "python.exe" if windows else venv / "bin" / "python"


def stamp_lines(version: "tuple[int, int]", files: "list[Path]") -> "set[str]":
    """Return what the stamp says once ``files`` are installed for that Python."""
    lines = {f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files}
    return lines | {f"python {version[0]}.{version[1]}"}


def up_to_date(venv: Path, files: "list[Path]") -> bool:
    """Return whether the stamp covers ``files`` and the environment's Python still starts."""
    try:
        stamp = (venv / STAMP).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):  # none there, or not text
        return False
    version = version_of([str(venv_python(venv))])
    return version is not None and supported(version) and stamp_lines(version, files) <= set(stamp)


def check_own(venv: Path) -> None:
    """Raise SetupError where ``venv`` may hold what no set-up put there: a set-up may empty it."""
    try:
        target = os.readlink(str(venv))  # of a Windows junction too
    except OSError:
        pass
    else:
        raise SetupError(
            f"{venv} is a link to {target}, and a set-up may empty it. Remove the link, "
            "not what it leads to, and run the same command again."
        )
    marks = ("pyvenv.cfg", STAMP, LOCK)
    if venv.is_dir() and any(venv.iterdir()) and not any((venv / name).exists() for name in marks):
        raise SetupError(
            f"{venv} is no Python environment, and a set-up may empty it. Move what is in it elsewhere "
            "and run the same command again."
        )


@contextlib.contextmanager
def locked(path: Path) -> "Iterator[None]":
    """Hold the lock for the time of a ``with``; where another process holds it, say so and wait."""
    with open(str(path), "ab") as file:
        if not take_lock(file.fileno(), wait=False):
            print("Another set-up is at work here. Waiting for its end; Ctrl-C stops this one.", flush=True)
            take_lock(file.fileno(), wait=True)
        yield  # closing the file frees the lock


def take_lock(file: int, wait: bool) -> bool:
    """Return whether the open file could be locked for this process alone."""
    if sys.platform == "win32":
        import msvcrt

        while True:
            try:
                msvcrt.locking(file, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return True
            except OSError:  # LK_LOCK gives up after ten seconds
                if not wait:
                    return False
    else:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:  # a file system without locks: go on without one
            return not isinstance(error, BlockingIOError)


def make_venv(venv: Path, uv: "str | None") -> None:
    """Empty the folder but for stamp and lock, and make an environment in it."""
    for path in venv.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(str(path))
        elif path.name not in (STAMP, LOCK):
            path.unlink()
    base = getattr(sys, "_base_executable", sys.executable)  # not this very .venv's, which is now gone
    if uv:
        made = call([uv, "venv", "--quiet", "--allow-existing", "--python", base, str(venv)])
    elif importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        made = call([base, "-m", "venv", str(venv)])
    else:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        raise SetupError(
            f"this Python comes without venv and ensurepip. Debian and Ubuntu: sudo apt install {package}; "
            "elsewhere: install Python from python.org. Then run the same command again."
        )
    if made:
        raise SetupError(f"no environment could be made in {venv}; the lines above say why.")


def install(venv: Path, files: "list[Path]", uv: "str | None") -> None:
    """Install the requirement files into the environment with uv or, where there is none, pip."""
    python = str(venv_python(venv))
    if uv:  # pip as well, so that %pip works in a notebook
        command = [uv, "pip", "install", "--quiet", "--python", python, "pip"]
    else:
        command = [python, "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        command += [] if sys.stdout.isatty() else ["--quiet"]
    command += ["--only-binary", ":all:"]  # an older wheel before a newer source that needs a compiler
    for path in files:
        command += ["--requirement", str(path)]
    # uv trusts a list of its own, which lacks the certificate of a firm's or a school's proxy. Two names for
    # one wish: the second is what uv called it before 0.11.
    if call(command, PIP_USER="0", UV_SYSTEM_CERTS="1", UV_NATIVE_TLS="1"):
        (venv / STAMP).unlink()
        raise SetupError(
            "not all packages could be installed. If this machine has no network now, connect it once and "
            "run the same command again; otherwise the lines above say why."
        )


def set_up(venv: Path, files: "list[Path]") -> None:
    """Bring ``venv`` to where its stamp covers ``files``, from whatever state it is in."""
    print(f"Setting up {venv}. The first time takes a few minutes and 900 MB of disk.", flush=True)
    stamp, python, uv = venv / STAMP, str(venv_python(venv)), shutil.which("uv")
    interrupted = stamp.is_file() and stamp.read_bytes() == UNFINISHED.encode()
    stamp.write_text(UNFINISHED, encoding="utf-8")
    version = version_of([python], module="pip")
    if interrupted or version is None or not supported(version):
        make_venv(venv, uv)
        version = version_of([python]) or (0, 0)
    install(venv, files, uv)
    stamp.write_text("\n".join(sorted(stamp_lines(version, files))), encoding="utf-8")


def environment(*names: str, root: Path = ROOT) -> str:
    """Return the Python that has what the named requirement files ask for, set up where need be.

    ``sys.executable`` where it has everything, and for an installed package, whose installer saw to it.
    """
    files, venv = [root / name for name in names], root / ".venv"
    if not files[0].is_file() or satisfied(files):
        return sys.executable
    try:
        if not up_to_date(venv, files):
            check_own(venv)
            venv.mkdir(exist_ok=True)
            with locked(venv / LOCK):
                if not up_to_date(venv, files):  # another set-up may have done it meanwhile
                    set_up(venv, files)
    except OSError as error:
        raise SetupError(f"{venv} could not be set up: {error}") from error
    return str(venv_python(venv))


def call(command: "list[str]", cwd: "Path | None" = None, **extra: str) -> int:
    """Run a command with ``ircourse`` importable and ``extra`` variables; return its exit code.

    Ctrl-C reaches the child too, which ends in its own way; KeyboardInterrupt follows. SIGTERM is passed on.
    """
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environ = dict(os.environ, PYTHONPATH=os.pathsep.join(path), JUPYTER_PREFER_ENV_PATH="1", **extra)
    environ.pop("__PYVENV_LAUNCHER__", None)  # macOS: it would make another Python take this one's packages
    child = subprocess.Popen(command, cwd=cwd and str(cwd), env=environ)
    before = signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    try:
        code = child.wait()
    except KeyboardInterrupt:
        try:
            child.wait(timeout=30)
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            child.terminate()
            child.wait()
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
    return code if code >= 0 else 128 - code
