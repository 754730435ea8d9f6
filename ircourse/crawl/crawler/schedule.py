"""Which pages are to be visited again, and when, in the same SQLite file as the pages themselves.

revisits  a row a page that was kept once: when it is due (``at``, seconds since 1970; none while it waits in
          the frontier, and when it is dead), and what is known of its last answer: the validators ``etag``
          and ``modified`` (RFC 9110), digests of its bytes and of its content, its size; how often in a row
          no page came (``misses``), and whether it was given up for dead
visits    when each page was looked at, and whether it had changed: the last `KEPT` of each
shelf     URLs that wait until more pages are wanted

All of it is on disk, found by index: a million pages take no memory. A page is taken out of the schedule and
put among the URLs that wait in one transaction, so a kill loses no visit and makes none twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from sqlite3 import Connection
from typing import NamedTuple

from ircourse.crawl.crawler.revisit import Visit
from ircourse.crawl.store.schema import check_schema

__all__ = ["Known", "Schedule", "stand_down"]

KEPT = 50  # visits of a page
BATCH = 1000  # pages that come due in a turn, so that requests and commits begin
TABLES = """
    CREATE TABLE IF NOT EXISTS revisits (
        id INTEGER PRIMARY KEY, url TEXT UNIQUE, clicks INTEGER, at REAL, misses INTEGER DEFAULT 0,
        dead INTEGER DEFAULT 0, etag TEXT DEFAULT '', modified TEXT DEFAULT '', size INTEGER DEFAULT 0,
        digest BLOB DEFAULT x'', content BLOB DEFAULT x'');
    CREATE INDEX IF NOT EXISTS revisits_by_time ON revisits (at);
    CREATE TABLE IF NOT EXISTS visits (id INTEGER PRIMARY KEY, page INTEGER, time REAL, changed INTEGER);
    CREATE INDEX IF NOT EXISTS visits_by_page ON visits (page, id);
    CREATE TABLE IF NOT EXISTS shelf (id INTEGER PRIMARY KEY, url TEXT UNIQUE, clicks INTEGER);
"""


def stand_down(connection: Connection) -> None:
    """Let a crawl without revisits go on: pages to be visited again stay due, and the shelf waits."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'revisits'").fetchone():
        return
    check_schema(connection, TABLES)
    for statement in (
        "UPDATE revisits SET at = 0 WHERE url IN (SELECT url FROM waiting)",
        "DELETE FROM waiting WHERE url IN (SELECT url FROM revisits)",
        "DELETE FROM held WHERE url IN (SELECT url FROM revisits)",
        "INSERT OR IGNORE INTO waiting (url, clicks) SELECT url, clicks FROM shelf ORDER BY id",
        "DELETE FROM shelf",
    ):
        connection.execute(statement)


class Known(NamedTuple):
    """What is known of the last answer of a page; see the module."""

    clicks: int
    misses: int = 0
    dead: int = 0
    etag: str = ""
    modified: str = ""
    size: int = 0
    digest: bytes = b""
    content: bytes = b""


class Schedule:
    """The tables, on somebody's SQLite connection, whose commit they join. Times are seconds since 1970.

    >>> import sqlite3
    >>> db = sqlite3.connect(":memory:")
    >>> schedule = Schedule(db)
    >>> schedule.note("http://a.example/", Known(clicks=2))
    >>> schedule.put("http://a.example/", at=15.0)
    >>> list(schedule.due(14.0)), schedule.next, list(schedule.due(15.0)), schedule.next
    ([], 15.0, [('http://a.example/', 2)], inf)
    >>> db.close()
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        check_schema(connection, TABLES)
        for statement in TABLES.split(";"):  # executescript would commit
            connection.execute(statement)
        self.next = self._least()

    def __len__(self) -> int:
        """How many pages were kept once."""
        return int(self._db.execute("SELECT count(*) FROM revisits").fetchone()[0])

    def known(self, url: str) -> Known | None:
        """Return what is known of a page; None for one that was never kept."""
        row = self._db.execute(
            "SELECT clicks, misses, dead, etag, modified, size, digest, content FROM revisits WHERE url = ?",
            (url,),
        ).fetchone()
        if row is None:
            return None
        kinds = (int, int, int, str, str, int, bytes, bytes)
        if not all(type(value) is kind for value, kind in zip(row, kinds, strict=True)):
            raise ValueError(f"the index is damaged, of {url!r:.80} it knows {row!r:.200}: remove it")
        return Known(*row)

    def note(self, url: str, known: Known) -> None:
        """Replace what is known of a page; when it is due stays."""
        self._db.execute("INSERT OR IGNORE INTO revisits (url) VALUES (?)", (url,))
        self._db.execute(
            "UPDATE revisits SET clicks = ?, misses = ?, dead = ?, etag = ?, modified = ?, size = ?, "
            "digest = ?, content = ? WHERE url = ?",
            (*known, url),
        )

    def visit(self, url: str, visit: Visit) -> None:
        """Put a visit on record."""
        page = self._db.execute("SELECT id FROM revisits WHERE url = ?", (url,)).fetchone()[0]
        self._db.execute("INSERT INTO visits (page, time, changed) VALUES (?, ?, ?)", (page, *visit))
        self._db.execute(
            "DELETE FROM visits WHERE page = ? AND id <= "
            "(SELECT id FROM visits WHERE page = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (page, page, KEPT),
        )

    def put(self, url: str, at: float | None) -> None:
        """Let a page be due at ``at``, infinite for never; None: it waits, or is dead."""
        self._db.execute("UPDATE revisits SET at = ? WHERE url = ?", (at, url))
        if at is not None:
            self.next = min(self.next, at)

    def visits(self, url: str) -> list[Visit]:
        """Return the visits of a page on record, the oldest first."""
        rows = self._db.execute(
            "SELECT time, changed FROM visits JOIN revisits ON page = revisits.id WHERE url = ? "
            "ORDER BY visits.id",
            (url,),
        )
        return [Visit(float(time), bool(changed)) for time, changed in rows]

    def living(self) -> Iterator[str]:
        """Yield the pages that were kept once and are not dead, in the order in which they came."""
        for (url,) in self._db.execute("SELECT url FROM revisits WHERE NOT dead ORDER BY id"):
            yield url

    def due(self, now: float) -> Iterator[tuple[str, int]]:
        """Take out the pages that are due, `BATCH` at most, and yield them with their clicks, in order."""
        if self.next <= now:
            rows = self._db.execute(
                "SELECT url, clicks FROM revisits WHERE at <= ? ORDER BY at, id LIMIT ?", (now, BATCH)
            ).fetchall()
            self._db.executemany("UPDATE revisits SET at = NULL WHERE url = ?", [(url,) for url, _ in rows])
            self.next = self._least()
            yield from rows

    def go_back(self, now: float) -> None:
        """If the clock went back behind the last visit, let all times go back with it.

        The clock was wrong, then or now; either way no page waits longer than its policy said.
        """
        last = self._db.execute("SELECT time FROM visits ORDER BY id DESC LIMIT 1").fetchone()
        if last is None or last[0] <= now:
            return
        for column in ("revisits SET at = at", "visits SET time = time"):
            self._db.execute(f"UPDATE {column} - ?", (last[0] - now,))
        self.next = self._least()

    def adopt(self, urls: Iterable[str], now: float) -> None:
        """Let pages be due of which nothing is known."""
        rows = ((url, now) for url in urls)
        self._db.executemany("INSERT OR IGNORE INTO revisits (url, clicks, at) VALUES (?, 0, ?)", rows)
        self.next = self._least()

    def revive(self, urls: Sequence[str], now: float, misses: int) -> None:
        """Let the dead ones of some pages be due, with so many misses on their account."""
        statement = "UPDATE revisits SET dead = 0, at = ?, misses = ? WHERE url = ? AND dead"
        if self._db.executemany(statement, [(now, misses, url) for url in urls]).rowcount > 0:
            self.next = min(self.next, now)

    def shelve(self, url: str, clicks: int) -> None:
        """Put a URL on the shelf."""
        self._db.execute("INSERT OR IGNORE INTO shelf (url, clicks) VALUES (?, ?)", (url, clicks))

    def unshelve(self) -> list[tuple[str, int]]:
        """Return the URLs on the shelf and their clicks, in the order in which they came, and clear it."""
        rows = self._db.execute("SELECT url, clicks FROM shelf ORDER BY id").fetchall()
        self._db.execute("DELETE FROM shelf")
        return rows

    def _least(self) -> float:
        at = self._db.execute("SELECT min(at) FROM revisits").fetchone()[0]
        return inf if at is None else float(at)
