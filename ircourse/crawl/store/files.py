"""The WARC files that a page store writes: one writer, who cuts off what no commit covers.

A file is "own" where the store writes it; only own files are ever cut.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from ircourse import __version__
from ircourse.crawl.store.index import File, Index
from ircourse.crawl.store.warc_writing import packed, record

__all__ = ["SOFTWARE", "Archive"]

LOCK = "lock.sqlite"
SOFTWARE = "ircourse"


class Archive:
    """Appends records to the last own file of a folder. See `PageStore` for the parameters."""

    def __init__(self, path: Path, index: Index, about: Mapping[str, str], level: int, max_file: int) -> None:
        self._path, self._index, self._about = path, index, about
        self._level, self._max_file = level, max_file
        self._lock: sqlite3.Connection | None = None
        self._file: File | None = None  # the one written, whose size is that of the last commit
        self._stream: BinaryIO | None = None
        self._at = 0  # where the next record goes
        self._undo = 0  # where the last ones appended begin

    def begin(self) -> None:
        """Become the one writer. Raises ValueError where there is another, or nothing to be written to."""
        if self._lock is not None:
            return
        self._lock = _locked(self._path)
        own = [file for file in self._index.files() if file.own]
        for file in own:
            if os.path.lexists(path := self._path / file.name):
                with _appending(path) as stream:
                    if stream.seek(0, os.SEEK_END) > file.size:
                        stream.truncate(file.size)
        if own and own[-1].size < self._max_file:
            self._open(own[-1])
        else:
            self._new_file()

    def name(self, file: int) -> str:
        """Return the name of a file."""
        for each in self._index.files():
            if each.id == file:
                return each.name
        raise ValueError(f"the index is damaged, there is no file {file}: remove it")

    def open(self, file: int) -> BinaryIO:
        """Return a file open for reading."""
        folder = self._path.parent if self._path.is_file() else self._path
        return open(folder / self.name(file), "rb", buffering=0)

    def append(self, records: list[bytes], date: str) -> tuple[int, int]:
        """Write records and return the file's number and where the last one begins."""
        self.begin()
        assert self._stream and self._file
        members = [packed(data, self._level) for data in records]
        start = self._at
        if not start:
            members.insert(0, packed(self._opening(date), self._level))
        data = memoryview(b"".join(members))
        try:
            while data:
                data = data[self._stream.write(data) :]
        except BaseException:
            self._stream.truncate(start)
            raise
        self._undo, self._at = start, start + sum(map(len, members))
        return self._file.id, self._at - len(members[-1])

    def undo(self) -> None:
        """Take back what was appended last."""
        self._cut(self._undo)

    def commit(self, durable: bool) -> None:
        """Make all rows count, and with them the bytes that they stand for."""
        if self._stream and self._file:
            if durable:
                os.fsync(self._stream.fileno())
            if self._at != self._file.size:
                self._file = self._file._replace(size=self._at)
                self._index.set_file(self._file)
        self._index.connection.commit()
        if durable:
            self._index.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if self._stream and self._at >= self._max_file:
            self._new_file()

    def rollback(self) -> None:
        """Take back what came after the last commit."""
        self._index.connection.rollback()
        self._cut(self._file.size if self._file else 0)

    def close(self) -> None:
        """Let others write."""
        if self._stream and self._file:
            self._stream.close()
            if not self._at:
                (self._path / self._file.name).unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.close()
        self._stream = self._file = self._lock = None

    def _cut(self, size: int) -> None:
        if self._stream:
            self._stream.truncate(size)
            self._at = self._undo = size

    def _new_file(self) -> None:
        """Begin a file: its row is kept before its first byte is written."""
        number = len(self._index.files())
        while os.path.lexists(self._path / (name := f"pages-{number:05d}.warc.gz")):
            number += 1
        file = self._index.add_file(name, own=True)
        self._index.connection.commit()
        self._open(file)

    def _open(self, file: File) -> None:
        if self._stream:
            self._stream.close()
        self._stream = _appending(self._path / file.name)
        self._file, self._at = file, file.size

    def _opening(self, date: str) -> bytes:
        """Return the record that opens a file and says who wrote it."""
        said = {"software": f"{SOFTWARE}/{__version__}", "format": "WARC File Format 1.1", **self._about}
        block = "".join(f"{name}: {value}\r\n" for name, value in said.items()).encode()
        fields = {"Date": date, "Filename": self._file.name if self._file else ""}
        return record("warcinfo", fields | {"Content-Type": "application/warc-fields"}, block)


def _appending(path: Path) -> BinaryIO:
    """Return a file open for appending, made where there is none. Raises ValueError at a link."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)

    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError(f"{path} is a link or no file, and is not written to: remove it")
    return open(path, "ab", buffering=0, opener=opener)


def _locked(path: Path) -> sqlite3.Connection:
    """Return a lock that the system lets go when the process ends, however it ends."""
    if path.is_file():
        raise ValueError(f"{path} is one WARC file, which is only read: give a folder to write to")
    if (path / LOCK).is_symlink():
        raise ValueError(f"{path / LOCK} is a link: remove it")
    try:
        lock = sqlite3.connect(path / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except BaseException:
            lock.close()
            raise
    except sqlite3.OperationalError as error:
        raise ValueError(
            f"{path} cannot be written to: another crawl writes, or the folder is read-only ({error})"
        ) from error
    return lock
