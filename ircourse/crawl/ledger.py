"""What a crawl knows of URLs, in the same SQLite file as its pages, so that both are committed together.

seen     every URL that was ever accepted (`SeenUrls`)
waiting  those of them that are not done yet, in the order of their finding, with the clicks from a seed

A URL that is being fetched still waits. So after a kill `waiting` is what the frontier held and what was in
flight, and nothing else (claim C48).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from sqlite3 import Connection

from ircourse.crawl.seen import SeenUrls

__all__ = ["Ledger"]


class Ledger:
    """The URLs of a crawl, on somebody's SQLite connection, whose commit it joins.

    >>> import sqlite3
    >>> ledger = Ledger(sqlite3.connect(":memory:"))
    >>> new = ledger.new(["http://a.example/", "http://a.example/x", "http://a.example/"])
    >>> ledger.wait(new, clicks=1)
    >>> ledger.done("http://a.example/")
    >>> ledger.new(["http://a.example/"]), list(ledger.waiting())
    ([], [('http://a.example/x', 1)])
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS waiting (id INTEGER PRIMARY KEY, url TEXT UNIQUE, clicks INTEGER)"
        )
        self._seen = SeenUrls(connection)

    def new(self, urls: Sequence[str]) -> list[str]:
        """Note URLs as seen, and return those that were not before, in order, each once."""
        return [url for url, is_new in zip(urls, self._seen.add_many(urls), strict=True) if is_new]

    def wait(self, urls: Sequence[str], clicks: int) -> None:
        """Let URLs wait."""
        self._db.executemany(
            "INSERT OR IGNORE INTO waiting (url, clicks) VALUES (?, ?)", [(url, clicks) for url in urls]
        )

    def __contains__(self, url: str) -> bool:
        return url in self._seen

    def __len__(self) -> int:
        return len(self._seen)

    def clicks(self, url: str) -> int:
        """Return the clicks from a seed to a waiting URL."""
        row = self._db.execute("SELECT clicks FROM waiting WHERE url = ?", (url,)).fetchone()
        return int(row[0]) if row else 0

    def done(self, url: str) -> None:
        """Let a URL wait no longer."""
        self._db.execute("DELETE FROM waiting WHERE url = ?", (url,))

    def waiting(self) -> Iterator[tuple[str, int]]:
        """Yield the waiting URLs and their clicks, the oldest first."""
        yield from self._db.execute("SELECT url, clicks FROM waiting ORDER BY id")

    def known(self) -> Iterator[str]:
        """Yield every URL that was ever added."""
        yield from self._seen

    def clear(self) -> None:
        """Forget everything."""
        self._db.execute("DELETE FROM waiting")
        self._db.execute("DELETE FROM seen")
        self._seen = SeenUrls(self._db)

    def flush(self) -> None:
        """Write what is still in memory; the owner's commit then keeps it."""
        self._seen.commit()
