"""The command ``lab``: what JupyterLab is started with.

path   what is opened: a notebook, or a folder that holds some; JupyterLab shows that folder and no other
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

__all__ = ["lab_arguments"]

FIRST = "00_start_here.ipynb"
HIDDEN = ["__pycache__", "*.pyc", "*~", "exercises"]  # beside the chapters: the exercises hold the solutions


def lab_arguments(path: str | None, chapters: Path, *, browser: bool, port: int | None) -> list[str]:
    """Return JupyterLab's arguments; the first chapter is opened where ``path`` is None.

    ValueError for a path that is not there.
    """
    opened = chapters / FIRST if path is None else Path(path).resolve()
    if not opened.exists():
        raise ValueError(f"{path}: no such notebook or folder")
    # -y: Ctrl-C needs no second answer; --allow-root: in a container there is often no other user
    arguments = [str(opened), "--ServerApp.ip=127.0.0.1", "-y", "--allow-root"]
    if chapters.resolve() in (opened, opened.resolve().parent) and opened.name != "exercises":
        arguments += [f"--ContentsManager.hide_globs={glob}" for glob in HIDDEN]
    if not browser:  # the address that is printed opens the notebook, and no lines of log hide it
        at = "/lab" if opened.is_dir() else f"/lab/tree/{quote(opened.name)}"
        arguments += ["--no-browser", f"--LabApp.default_url={at}", "--ServerApp.log_level=WARN"]
    return arguments if port is None else [*arguments, f"--ServerApp.port={port}"]
