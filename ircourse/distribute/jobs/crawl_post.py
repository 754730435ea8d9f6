"""What the nodes of a crawl have to tell each other, kept with their pages (book, section 20.2.1; claim C59).

abroad  links to other nodes' hosts, each once, with the clicks from a seed to the page that they lead to
told    pages that were read, each with the fingerprint of its text
texts   what a node has heard of the fingerprints that belong to it: who has that text
letters links and fingerprints on their way to a node

A link is written down in the transaction that keeps its page, so no kill takes the one without the other.
Letters may come twice, after a worker was lost; whoever gets them knows that it has them already.

A fingerprint goes to the node that its own value chooses on the same ring. Word of a copy on another node so
comes a round late: what is told are the groups of URLs with one text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from sqlite3 import Connection
from typing import Any, NamedTuple

from ircourse.crawl.crawler.content import ContentSeen, Copy
from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.store.schema import check_schema
from ircourse.dedup import fingerprint
from ircourse.distribute.ring import ConsistentHashRing
from ircourse.distribute.splitter import host_key

__all__ = ["Letters", "OwnUrls", "Owners", "Post", "ToldContents"]

REPLICAS = 100  # points of a node on the ring: shares of hosts within some 10% of each other
TABLES = """
    CREATE TABLE IF NOT EXISTS abroad (id INTEGER PRIMARY KEY, url TEXT UNIQUE, clicks INTEGER);
    CREATE TABLE IF NOT EXISTS told (id INTEGER PRIMARY KEY, url TEXT UNIQUE, print BLOB);
    CREATE TABLE IF NOT EXISTS texts (print BLOB, url TEXT, PRIMARY KEY (print, url)) WITHOUT ROWID
"""


class Letters(NamedTuple):
    """What is on its way to or from a node: ``(URL, clicks)`` and ``(URL, fingerprint)``."""

    links: list[tuple[str, int]]
    prints: list[tuple[str, int]]


class Owners:
    """Which of ``n`` nodes, 0 … n − 1, each host and each fingerprint belongs to.

    >>> owners = Owners(4)
    >>> owners.of_url("http://harbour.example:8080/ferries") == owners.of_url("http://harbour.example/")
    True
    """

    def __init__(self, n: int) -> None:
        self.ring = ConsistentHashRing(range(n), replicas=REPLICAS)
        self._known: dict[str, int] = {}

    def of_url(self, url: str) -> int:
        """Return the node of a canonical URL's host."""
        place = url.split("/", 3)[2]
        if place not in self._known:
            self._known[place] = int(self.ring.node_for(host_key(url)))
        return self._known[place]

    def of_print(self, print_: int) -> int:
        """Return the node of a fingerprint."""
        return int(self.ring.node_for(print_))


class Post:
    """A node's letters, on the connection of its page store, whose commit they join.

    >>> import sqlite3
    >>> db = sqlite3.connect(":memory:")
    >>> post = Post(db)
    >>> post.send("http://b.example/", 1); post.send("http://b.example/", 2)
    >>> post.tell("http://a.example/", 7)
    >>> post.sent((0, 0))
    (Letters(links=[('http://b.example/', 1)], prints=[('http://a.example/', 7)]), (1, 1))
    >>> post.hear([("http://c.example/", 9), ("http://a.example/", 9), ("http://a.example/", 7)])
    >>> list(post.copies())
    [('http://a.example/', 'http://c.example/')]
    >>> db.close()
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        check_schema(connection, TABLES)
        for statement in TABLES.split(";"):
            connection.execute(statement)

    def send(self, url: str, clicks: int) -> None:
        """Note a link to another node's host; one that was sent before is not sent again."""
        self._db.execute("INSERT OR IGNORE INTO abroad (url, clicks) VALUES (?, ?)", (url, clicks))

    def tell(self, url: str, print_: int) -> None:
        """Note the fingerprint of a page's text."""
        row = url, print_.to_bytes(8, "big")
        self._db.execute("INSERT OR IGNORE INTO told (url, print) VALUES (?, ?)", row)

    def hear(self, prints: Sequence[tuple[str, int]]) -> None:
        """Take in fingerprints that belong to this node."""
        rows = [(print_.to_bytes(8, "big"), url) for url, print_ in prints]
        self._db.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", rows)

    def sent(self, after: tuple[int, int]) -> tuple[Letters, tuple[int, int]]:
        """Return what came after those that were fetched last, and what to ask for next time."""
        links = self._rows("SELECT id, url, clicks FROM abroad WHERE id > ? ORDER BY id", after[0])
        prints = self._rows("SELECT id, url, print FROM told WHERE id > ? ORDER BY id", after[1])
        last = max([after[0], *(row[0] for row in links)]), max([after[1], *(row[0] for row in prints)])
        told = [(url, int.from_bytes(print_, "big")) for _, url, print_ in prints]
        return Letters([(url, clicks) for _, url, clicks in links], told), last

    def copies(self) -> Iterator[tuple[str, ...]]:
        """Yield the URLs of each text that more than one has, in order."""
        same = "SELECT print FROM texts GROUP BY print HAVING count(*) > 1"
        rows = self._db.execute(f"SELECT print, url FROM texts WHERE print IN ({same}) ORDER BY print, url")
        for _, group in groupby(rows, key=itemgetter(0)):
            yield tuple(url for _, url in group)

    def _rows(self, statement: str, after: int) -> list[Any]:
        return self._db.execute(statement, (after,)).fetchall()


class OwnUrls(UrlFilter):
    """The filter of one node: it refuses URLs of other nodes' hosts, by the rule "elsewhere", and posts them.

    urls  the filter of the whole crawl, of which this node spends the budgets of its own hosts

    Only links are posted. Where a site's robots.txt redirects to another node's host, that one file is asked
    for by the node that needs it.
    """

    def __init__(self, urls: UrlFilter, owners: Owners, node: int, post: Post) -> None:
        super().__init__(urls.hosts)
        self._urls, self._owners, self._node, self._post = urls, owners, node, post

    def clean(self, url: str) -> str:
        """Return the URL without session ids."""
        return self._urls.clean(url)

    def refuse(self, url: str, clicks: int | None = None) -> str:
        """Return the first rule that refuses the URL, "" for none.

        clicks  None: the URL is no link
        """
        rule = self._urls.refuse(url, clicks or 0)
        if rule or clicks is None or self._owners.of_url(url) == self._node:
            return rule
        self._post.send(url, clicks)
        return "elsewhere"

    def spend(self, url: str) -> str:
        """Return the budget that is used up for this URL; "" where none is, and then it has spent of each."""
        return self._urls.spend(url)


class ToldContents(ContentSeen):
    """Tells copies among a node's own pages, and posts the fingerprints of all."""

    def __init__(self, threshold: float | None, connection: Connection, post: Post) -> None:
        super().__init__(threshold, connection=connection)
        self._post = post

    def look(self, url: str, content: str | bytes) -> Copy | None:
        """Return which earlier content of this node this is a copy of."""
        if content.strip():
            self._post.tell(url, fingerprint(content))
        return super().look(url, content)
