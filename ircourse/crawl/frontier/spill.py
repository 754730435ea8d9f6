"""The part of a frontier that does not fit into memory: records in a temporary SQLite file.

Each waiting list has a key (host's number, level), and its records are numbered as they come. SQLite keeps
them sorted by key and number, so the head of one list is one short read.

The file is SQLite's own temporary one (in SQLITE_TMPDIR, TMPDIR or /var/tmp) and vanishes with the process:
what must outlive a crash is the checkpoint's business (`Frontier.state`).
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterator

__all__ = ["Spill"]


class Spill:
    """First-in, first-out lists of records on disk, one for each key.

    batch  records are written so many at a time

    >>> spill = Spill()
    >>> for record in (b"a", b"b", b"c"):
    ...     spill.append(1, 0, record)
    >>> spill.take(1, 0, 2), spill.take(1, 0, 2), len(spill)
    ([b'a', b'b'], [b'c'], 0)
    """

    def __init__(self, batch: int = 4096) -> None:
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._db.close)
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("PRAGMA cache_size = -8192")  # kilobytes
        self._db.execute(
            "CREATE TABLE waiting (host INTEGER, level INTEGER, number INTEGER, record BLOB,"
            " PRIMARY KEY (host, level, number)) WITHOUT ROWID"
        )
        self._new: list[tuple[int, int, int, bytes]] = []
        self._batch = batch
        self._number = 0
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, host: int, level: int, record: bytes) -> None:
        """Put ``record`` at the end of a list."""
        self._number += 1
        self._length += 1
        self._new.append((host, level, self._number, record))
        if len(self._new) >= self._batch:
            self._write()

    def take(self, host: int, level: int, n: int) -> list[bytes]:
        """Remove up to ``n`` records from the head of a list and return them."""
        self._write()
        rows = self._db.execute(
            "SELECT number, record FROM waiting WHERE host = ? AND level = ? ORDER BY number LIMIT ?",
            (host, level, n),
        ).fetchall()
        if rows:
            self._db.execute(
                "DELETE FROM waiting WHERE host = ? AND level = ? AND number <= ?", (host, level, rows[-1][0])
            )
        self._length -= len(rows)
        return [record for _, record in rows]

    def records(self, host: int, level: int) -> Iterator[bytes]:
        """Yield the records of a list in order, leaving them where they are."""
        self._write()
        found = self._db.execute(
            "SELECT record FROM waiting WHERE host = ? AND level = ? ORDER BY number", (host, level)
        )
        for (record,) in found:
            yield record

    def _write(self) -> None:
        if self._new:
            self._new.sort()  # neighbours in the file are written together
            self._db.execute("BEGIN")
            self._db.executemany("INSERT INTO waiting VALUES (?, ?, ?, ?)", self._new)
            self._db.execute("COMMIT")
            self._new.clear()
