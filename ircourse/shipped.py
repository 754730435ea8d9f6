"""The data that comes with the course: a web, texts, recordings, all below ``data``."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["shipped"]


@contextmanager
def shipped(name: str) -> Iterator[Path]:
    """Give the path of a file or folder of ``data``, which is in the installed package or beside it.

    >>> with shipped("tiny_web") as folder:
    ...     (folder / "manifest.json").is_file()
    True
    """
    package = importlib.resources.files("ircourse")
    for place in (package / "data" / name, package / ".." / "data" / name):
        if place.is_dir() or place.is_file():
            with importlib.resources.as_file(place) as path:
                yield path
            return
    raise FileNotFoundError(f"no data/{name} in or beside {package}: install ircourse again")
