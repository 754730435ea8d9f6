"""What a crawl knows of URLs, in the same SQLite file as its pages, so that both are committed together.

seen     every URL that was ever accepted (`SeenUrls`)
waiting  those of them that are not done yet, in the order of their finding, with the clicks from a seed
held     those of them whose page has come and cannot be judged yet, with the page
rests    hosts that were asked lately: when that was noted, and until when they are left alone

A URL that is being fetched still waits. So after a kill `waiting` is what the frontier held and what was in
flight or is held, and nothing else (claim C48). What is held need not be fetched again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from sqlite3 import Connection

from ircourse.crawl.seen import SeenUrls
from ircourse.crawl.store.schema import check_schema
from ircourse.types import Response

__all__ = ["Ledger"]

TABLES = """
    CREATE TABLE IF NOT EXISTS waiting (id INTEGER PRIMARY KEY, url TEXT UNIQUE, clicks INTEGER);
    CREATE TABLE IF NOT EXISTS held (id INTEGER PRIMARY KEY, url TEXT UNIQUE, made_up TEXT,
        chain TEXT, status INTEGER, headers TEXT, body BLOB);
    CREATE TABLE IF NOT EXISTS rests (host TEXT PRIMARY KEY, noted REAL, until REAL)
"""


class Ledger:
    """The URLs of a crawl, on somebody's SQLite connection, whose commit it joins.

    >>> import sqlite3
    >>> db = sqlite3.connect(":memory:")
    >>> ledger = Ledger(db)
    >>> new = ledger.new(["http://a.example/", "http://a.example/x", "http://a.example/"])
    >>> ledger.wait(new, clicks=1)
    >>> ledger.done("http://a.example/")
    >>> ledger.new(["http://a.example/"]), list(ledger.waiting())
    ([], [('http://a.example/x', 1)])
    >>> db.close()
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        check_schema(connection, TABLES)
        for statement in TABLES.split(";"):
            connection.execute(statement)
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
        self._db.execute("DELETE FROM held WHERE url = ?", (url,))

    def hold(self, chain: Sequence[str], response: Response, made_up: str = "") -> None:
        """Keep the answer to the last URL of a chain of redirects, until it is done.

        made_up  what its host is asked first
        """
        headers = json.dumps(dict(response.headers))
        row = chain[-1], made_up, json.dumps(chain[:-1]), response.status, headers, response.body
        self._db.execute(
            "INSERT OR REPLACE INTO held (url, made_up, chain, status, headers, body) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )

    def held(self) -> dict[str, str]:
        """Return the URLs whose answers are kept, the oldest first, and what their hosts are asked."""
        return dict(self._db.execute("SELECT url, made_up FROM held ORDER BY id"))

    def answer(self, url: str) -> tuple[tuple[str, ...], Response]:
        """Return the URLs that led to one whose answer is kept, and the answer."""
        question = "SELECT chain, status, headers, body FROM held WHERE url = ?"
        chain, status, headers, body = self._db.execute(question, (url,)).fetchone()
        return tuple(json.loads(chain)), Response(status, json.loads(headers), body)

    def waiting(self) -> Iterator[tuple[str, int]]:
        """Yield the waiting URLs and their clicks, the oldest first. Raises ValueError for what is none."""
        for url, clicks in self._db.execute("SELECT url, clicks FROM waiting ORDER BY id"):
            if not isinstance(url, str) or not isinstance(clicks, int):
                raise ValueError(f"the index is damaged: {url!r:.80} waits, with {clicks!r:.20} clicks")
            yield url, clicks

    def rest(self, host: str, noted: float, seconds: float) -> None:
        """Note at the time ``noted`` that a host is to be left alone for ``seconds``."""
        self._db.execute("INSERT OR REPLACE INTO rests VALUES (?, ?, ?)", (host, noted, noted + seconds))

    def rests(self, now: float) -> Iterator[tuple[str, float]]:
        """Yield the hosts to be left alone at ``now`` and for how many seconds; forget the others.

        A clock that went back since makes no rest longer.
        """
        self._db.execute("DELETE FROM rests WHERE until <= ?", (now,))
        for host, noted, until in self._db.execute("SELECT host, noted, until FROM rests ORDER BY host"):
            yield host, min(until - now, until - noted)

    def known(self) -> Iterator[str]:
        """Yield every URL that was ever added."""
        yield from self._seen

    def clear(self) -> None:
        """Forget everything."""
        self._db.execute("DELETE FROM waiting")
        self._db.execute("DELETE FROM held")
        self._db.execute("DELETE FROM seen")
        self._seen = SeenUrls(self._db)

    def flush(self) -> None:
        """Write what is still in memory; the owner's commit then keeps it."""
        self._seen.commit()
