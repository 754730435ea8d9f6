"""The lock of a table's folder, which one process at a time holds.

The system lets it go when its holder ends, however that ends: a file that only says who holds the folder
would block it for ever after a kill.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

__all__ = ["LOCK", "locked"]

LOCK = "lock.sqlite"


def locked(folder: Path) -> sqlite3.Connection:
    """Return the lock of a folder, made where there is none; closing it lets it go.

    Raises ValueError where it is held, by another process or by this one, or cannot be taken.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file: a table needs a folder")
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / LOCK).is_symlink():
        raise ValueError(f"{folder / LOCK} is a link: remove it")
    try:
        lock = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            lock.execute("PRAGMA journal_mode = MEMORY")  # nothing is ever written: no second file
            lock.execute("BEGIN EXCLUSIVE")
        except BaseException:
            lock.close()
            raise
    except sqlite3.Error as error:
        raise ValueError(
            f"{folder} cannot be opened ({error}): close the table where it is open, "
            "or make the folder writable"
        ) from error
    return lock
