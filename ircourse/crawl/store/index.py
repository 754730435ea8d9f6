"""The index of a page store: which page stands where, in SQLite.

files  WARC files: how many bytes of it count; own is 1 where this store writes it; what is wrong with it
urls   in the order in which they were first stored
pages  one row an answer, in the order of storing; source is the row whose body an answer repeats
state  named bytes that a crawl keeps beside its pages
dead   pages that are gone, and since when, as far as a crawl has found; a further answer takes the mark away

The index can be made again from the WARC files; only ``state`` and ``dead`` cannot.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import NamedTuple, NoReturn

from ircourse.crawl.store.schema import check_schema
from ircourse.crawl.store.warc import Place

__all__ = ["OWN_NAME", "Entry", "File", "Index", "State"]

OWN_NAME = re.compile(r"pages-[0-9]{5,}\.warc\.gz")

PATIENCE = 5.0  # seconds to wait for another process's commit
_BATCH = 1000  # URLs fetched at once
_DATES = (-62_135_596_800, 253_402_300_799)  # the years 1 to 9999, in seconds since 1970
_TABLES = """
    CREATE TABLE IF NOT EXISTS files (
        id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER, own INTEGER, damage TEXT DEFAULT '');
    CREATE TABLE IF NOT EXISTS urls (id INTEGER PRIMARY KEY, url TEXT UNIQUE);
    CREATE TABLE IF NOT EXISTS pages (
        id INTEGER PRIMARY KEY, url INTEGER, date REAL, digest TEXT,
        file INTEGER, member INTEGER, skip INTEGER, source INTEGER);
    CREATE INDEX IF NOT EXISTS pages_by_url ON pages (url);
    CREATE INDEX IF NOT EXISTS pages_by_digest ON pages (url, digest);
    CREATE INDEX IF NOT EXISTS pages_by_place ON pages (file, member);
    CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value BLOB);
    CREATE TABLE IF NOT EXISTS dead (url INTEGER PRIMARY KEY, date REAL);
"""
_COLUMNS = "pages.id, date, digest, file, member, skip, source"


class File(NamedTuple):
    """A WARC file: see the module."""

    id: int
    name: str
    size: int
    own: bool
    damage: str = ""


class Entry(NamedTuple):
    """Where an answer stands: its row, its date in seconds since 1970, digest of its body, place."""

    id: int
    date: float
    digest: str
    file: int
    place: Place
    source: int | None


class Index:
    """Tables in an SQLite file, or in memory for ``":memory:"``.

    Statements join one transaction, which `connection.commit()` ends. The file may come from anybody: raises
    ValueError at rows and tables that no index has, and sqlite3.Error.
    """

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
        try:
            check_schema(self.connection, _TABLES)
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = NORMAL")
            self.connection.executescript(_TABLES)
        except BaseException:
            self.connection.close()
            raise

    def files(self) -> list[File]:
        """Return the WARC files in the order in which they came."""
        rows = self.connection.execute("SELECT id, name, size, own, damage FROM files ORDER BY id")
        return [_file(*row) for row in rows]

    def add_file(self, name: str, own: bool) -> File:
        """Make a file known, of which nothing counts so far."""
        row = self.connection.execute("INSERT INTO files (name, size, own) VALUES (?, 0, ?)", (name, own))
        return File(row.lastrowid or 0, name, 0, own)

    def set_file(self, file: File) -> None:
        """Replace what is known of a file."""
        self.connection.execute(
            "UPDATE files SET size = ?, own = ?, damage = ? WHERE id = ?",
            (file.size, file.own, file.damage, file.id),
        )

    def add(
        self, url: str, date: float, digest: str, file: int, place: Place, source: int | None = None
    ) -> int:
        """Put an answer in and return its row."""
        self.connection.execute("INSERT OR IGNORE INTO urls (url) VALUES (?)", (url,))
        row = self.connection.execute(
            "INSERT INTO pages (url, date, digest, file, member, skip, source)"
            " SELECT id, ?, ?, ?, ?, ?, ? FROM urls WHERE url = ?",
            (date, digest, file, *place, source, url),
        )
        number = row.lastrowid or 0
        self.connection.execute("DELETE FROM dead WHERE url = (SELECT id FROM urls WHERE url = ?)", (url,))
        return number

    def bury(self, url: str, date: float) -> None:
        """Mark a URL as gone since ``date``."""
        self.connection.execute(
            "INSERT OR REPLACE INTO dead SELECT id, ? FROM urls WHERE url = ?", (date, url)
        )

    def gone(self, url: str) -> float | None:
        """Return since when a URL is gone, None for one that is not."""
        row = self.connection.execute(
            "SELECT date FROM dead JOIN urls ON dead.url = urls.id WHERE urls.url = ?", (url,)
        ).fetchone()
        if row and not (isinstance(row[0], int | float) and _DATES[0] <= row[0] <= _DATES[1]):
            _damaged("date", row[0])
        return float(row[0]) if row else None

    def newest(self, url: str) -> Entry | None:
        """Return where the last answer of a URL stands."""
        return next(self._entries(f"{_OF_URL} ORDER BY pages.id DESC LIMIT 1", url), None)

    def history(self, url: str) -> list[Entry]:
        """Return where all answers of a URL stand, in the order of storing."""
        return list(self._entries(f"{_OF_URL} ORDER BY pages.id", url))

    def alike(self, url: str, digest: str) -> Entry | None:
        """Return where the last answer of a URL with this digest stands; with any, where it is empty."""
        if not digest:
            return self.newest(url)
        statement = f"{_OF_URL} AND digest = ? ORDER BY pages.id DESC LIMIT 1"
        return next(self._entries(statement, url, digest), None)

    def entry(self, number: int) -> Entry | None:
        """Return the entry of a row."""
        return next(self._entries(f"SELECT {_COLUMNS} FROM pages WHERE id = ?", number), None)

    def urls(self) -> Iterator[str]:
        """Yield the URLs in the order in which they were first stored; more may come meanwhile."""
        last, statement = 0, "SELECT id, url FROM urls WHERE id > ? ORDER BY id LIMIT ?"
        while rows := self.connection.execute(statement, (last, _BATCH)).fetchall():
            for _, url in rows:
                yield url if isinstance(url, str) else _damaged("URL", url)
            last = rows[-1][0]

    def count(self) -> int:
        """Return how many URLs there are."""
        return int(self.connection.execute("SELECT count(*) FROM urls").fetchone()[0])

    def holds(self, url: str) -> bool:
        """Whether an answer of a URL is there."""
        return self.connection.execute("SELECT 1 FROM urls WHERE url = ?", (url,)).fetchone() is not None

    def forget(self, file: int, start: int) -> list[str]:
        """Take out the answers that stand in a file at ``start`` or after, and return their URLs."""
        which = "file = ? AND member >= ?"
        rows = self.connection.execute(
            f"SELECT DISTINCT urls.url FROM pages JOIN urls ON pages.url = urls.id WHERE {which}",
            (file, start),
        ).fetchall()
        self.connection.execute(f"DELETE FROM pages WHERE {which}", (file, start))
        self.connection.execute("DELETE FROM urls WHERE id NOT IN (SELECT url FROM pages)")
        self.connection.execute("DELETE FROM dead WHERE url NOT IN (SELECT id FROM urls)")
        return [url for (url,) in rows]

    def _entries(self, statement: str, *values: str | int) -> Iterator[Entry]:
        for row in self.connection.execute(statement, values):
            number, date, digest, file, member, skip, source = row
            whole = all(type(each) is int and each >= 0 for each in (file, member, skip))
            dated = isinstance(date, int | float) and _DATES[0] <= date <= _DATES[1]
            if not (whole and dated and isinstance(digest, str) and type(source) in (int, type(None))):
                _damaged("answer", row)
            yield Entry(number, date, digest, file, (member, skip), source)


def _file(number: int, name: object, size: object, own: object, damage: object) -> File:
    """Return what a row says of a file. One that stands elsewhere than in the folder is never touched."""
    if not (isinstance(name, str) and Path(name).name == name != ".." and "\0" not in name):
        _damaged("file", name)
    if not (type(size) is int and size >= 0 and own in (0, 1) and isinstance(damage, str)):
        _damaged("size of a file", size)
    if own and not OWN_NAME.fullmatch(name):
        _damaged("file written by the store", name)
    return File(number, name, size, bool(own), damage)


def _damaged(what: str, value: object) -> NoReturn:
    raise ValueError(
        f"the index is damaged, it names the {what} {value!r:.80}: remove it, and it is made again from the "
        "WARC files"
    )


_OF_URL = f"SELECT {_COLUMNS} FROM pages JOIN urls ON pages.url = urls.id WHERE urls.url = ?"


class State(MutableMapping[str, bytes]):
    """Named bytes in the index."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __getitem__(self, name: str) -> bytes:
        row = self._connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise KeyError(name)
        return row[0] if isinstance(row[0], bytes) else _damaged("state", row[0])

    def __setitem__(self, name: str, value: bytes) -> None:
        self._connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))

    def __delitem__(self, name: str) -> None:
        if not self._connection.execute("DELETE FROM state WHERE name = ?", (name,)).rowcount:
            raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from (name for (name,) in self._connection.execute("SELECT name FROM state ORDER BY name"))

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM state").fetchone()[0])
