"""Which URLs were seen, exactly and on disk (book, section 20.2: duplicate URL elimination).

batch    URLs not yet written, a set in memory; written sorted, as many at once as make a transaction worth it
cache    the URLs met last and known to be seen: most links lead to a few pages, again and again
filter   a Bloom filter of all that is seen (optional): where it says no, the disk is not asked

A URL is looked for in that order, and in the table on disk last. Only the table decides that a URL was seen;
the filter decides that it was not, in which it never errs.

`commit` makes all that was added last, whatever happens to the process afterwards; what was added later is
forgotten if it is killed, so a crawler commits together with the pages that the URLs came from. For that the
table can stand in a database of somebody else's.

Differs from the book: no fingerprints in place of URLs, so no page is lost to two URLs of one fingerprint.
Source: Heydon and Najork (1999) on the URL-seen test; SQLite's documentation.
"""

from __future__ import annotations

import os
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from types import TracebackType

from ircourse.crawl.bloom import BloomFilter
from ircourse.crawl.store.schema import check_schema

__all__ = ["SeenUrls"]

BATCH = 20_000  # URLs in memory before they are written
CACHE = 100_000  # URLs remembered as seen: about 15 MB
TABLE = "CREATE TABLE IF NOT EXISTS seen (url BLOB PRIMARY KEY) WITHOUT ROWID"
ASKED = 500  # URLs that one question to the database has; the least limit of SQLite's builds is 999


class SeenUrls:
    """A set of URLs on disk, of any size, exact.

    path      a file, made where there is none; or an open `sqlite3.Connection`, to whose database the table
              ``seen`` is added, and which is then neither committed on leaving nor closed
    expected  about how many URLs there will be, for a Bloom filter at 1% before the disk: 1.2 bytes each.
              More than that make it slower, not wrong. None: no filter. It is filled anew on opening.

    Raises ValueError for a file that is no such database, TypeError for a URL that is no str. One thread at a
    time, one process at a time.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, SeenUrls(f"{folder}/seen.db") as seen:
    ...     print(seen.add("http://a.example/"), seen.add("http://a.example/"), "http://b.example/" in seen)
    True False False
    """

    def __init__(
        self, path: str | os.PathLike[str] | sqlite3.Connection, *, expected: int | None = None
    ) -> None:
        self._filter = None if expected is None else BloomFilter(expected)
        self._own = not isinstance(path, sqlite3.Connection)
        self._db = path if isinstance(path, sqlite3.Connection) else _opened(path)
        if not self._own:
            check_schema(self._db, TABLE)
        self._db.execute(TABLE)
        self._count = int(self._db.execute("SELECT count(url) FROM seen").fetchone()[0])
        if self._filter is not None:
            self._filter.add_many(self._stored())
        self._batch: set[str] = set()
        self._cache: OrderedDict[str, None] = OrderedDict()  # a dict is slow to give up its first entries

    def add(self, url: str) -> bool:
        """Add ``url`` and return whether it is new."""
        return self.add_many([url])[0]

    def add_many(self, urls: Iterable[str]) -> list[bool]:
        """Add URLs, one after the other, and return of each whether it was new; a page's links at once.

        >>> with SeenUrls(":memory:") as seen:
        ...     seen.add_many(["http://a.example/", "b", "http://a.example/"])
        [True, True, False]
        """
        urls = list(_checked(urls))
        new = set(urls) - self._found(urls, adding=True)
        answers = []
        for url in urls:
            answers.append(url in new)
            if url in new:
                new.remove(url)  # it is seen now
                self._batch.add(url)
            else:
                self._remember(url)
        self._count += sum(answers)
        if len(self._batch) >= BATCH:
            self._write()
        return answers

    def __contains__(self, url: str) -> bool:
        return bool(self._found(list(_checked([url])), adding=False))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        """Yield the URLs, in the order of their bytes."""
        self._write()
        return self._stored()

    def commit(self) -> None:
        """Make what was added so far survive the process.

        On somebody else's connection, write it there: the owner's commit then does it.
        """
        self._write()
        if self._own:
            self._db.commit()

    def close(self) -> None:
        """Commit and close; on somebody else's connection, write what is left."""
        self.commit()
        if self._own:
            self._db.close()

    def __enter__(self) -> SeenUrls:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _found(self, urls: list[str], adding: bool) -> set[str]:
        """Return which of ``urls`` are seen; where all are being added, put them into the filter."""
        found = {url for url in urls if url in self._batch or url in self._cache}
        left = [url for url in dict.fromkeys(urls) if url not in found]
        if self._filter is not None and left:
            maybe = ~self._filter.add_many(left) if adding else self._filter.contains_many(left)
            left = [left[i] for i in maybe.nonzero()[0].tolist()]
        for start in range(0, len(left), ASKED):
            asked = [_bytes(url) for url in left[start : start + ASKED]]
            marks = ",".join("?" * len(asked))
            rows = self._db.execute(f"SELECT url FROM seen WHERE url IN ({marks})", asked)
            found.update(_str(row[0]) for row in rows)
        return found

    def _remember(self, url: str) -> None:
        """Put a seen URL at the end of the cache; the one at its start, unmet for longest, makes room."""
        self._cache[url] = None
        self._cache.move_to_end(url)
        if len(self._cache) > CACHE:
            self._cache.popitem(last=False)

    def _write(self) -> None:
        """Write the batch, in the order of the table: its pages are then met once each."""
        if self._batch:
            rows = sorted(map(_bytes, self._batch))
            self._db.executemany("INSERT OR IGNORE INTO seen VALUES (?)", ((row,) for row in rows))
            self._batch.clear()

    def _stored(self) -> Iterator[str]:
        return (_str(row[0]) for row in self._db.execute("SELECT url FROM seen ORDER BY url"))


def _opened(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Return a connection to the file at ``path``, once that has proved to be a database for it."""
    db = None
    try:
        db = sqlite3.connect(path)
        check_schema(db, TABLE)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(TABLE)
        db.execute("SELECT url FROM seen LIMIT 1")
    except (sqlite3.DatabaseError, ValueError) as error:
        if db is not None:
            db.close()
        raise ValueError(f"{path} does not open as a set of seen URLs: {error}; give another file") from error
    return db


def _checked(urls: Iterable[str]) -> Iterator[str]:
    if isinstance(urls, str):
        raise TypeError(f"URLs are several, not one str: write [{urls!r:.60}]")
    for url in urls:
        if not isinstance(url, str):
            raise TypeError(f"a URL is a str, not {type(url).__name__}: {url!r:.60}")
        yield url


def _bytes(url: str) -> bytes:
    return url.encode("utf-8", "surrogatepass")


def _str(stored: bytes) -> str:
    if not isinstance(stored, bytes):
        raise ValueError(f"the index is damaged: {stored!r:.80} stands for a URL")
    return stored.decode("utf-8", "surrogatepass")
