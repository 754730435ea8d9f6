"""A table of pages over several servers, which loses nothing when one dies (notes-J, BigTable).

row     by its key, a page: ``row_key`` of its URL, host reversed
column  "text", "title", "anchor:HOST" (see ``tablets_cells``); any may be missing
tablet  a range of rows; each is held by one server, which the master names (``tablets_master``)

A column is scanned without a look at the others, and a domain without a look at other domains.

Differs from the paper: a cell has one version, columns are fixed, and a scan goes through the master. A table
is open in one process at a time, which holds a lock that goes when it ends (``tablets_lock``).

Amazon's Dynamo does without a master and without ranges: a key is on the first nodes after it on the ring of
consistent hashing (``ConsistentHashRing``), so that a node that joins takes keys from its neighbours alone;
what is near in the order of keys is then nowhere near in the store, and no range can be scanned. Its copies
are written by a quorum, and may differ until they are read.
Source: notes-J; Chang et al. (2006), "Bigtable"; DeCandia et al. (2007), "Dynamo".
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from pathlib import Path
from typing import NamedTuple

from ircourse.distribute.tablets_cells import FAMILIES, Change, check_cells, check_row, matches
from ircourse.distribute.tablets_master import Master
from ircourse.distribute.tablets_server import TabletEvent, TabletServer, Watch

__all__ = ["ServerView", "TabletView", "Tablets"]

Row = tuple[str, dict[str, str]]


class TabletView(NamedTuple):
    """A tablet: its first row, the row after its last (None: there is none), who holds it; bytes and runs."""

    start: str
    end: str | None
    server: str
    bytes: int
    runs: int


class ServerView(NamedTuple):
    """A server: whether it is up, bytes in its log and (about) in its memory, and its tablets' first rows."""

    name: str
    up: bool
    log: int
    memory: int
    tablets: tuple[str, ...]


class Tablets(Master):
    """A table in a folder.

    path          of the folder; the table that it holds is opened, and where there is none one is made
    servers       names of the servers of a new table
    tablet_bytes  over which a tablet is split
    memory_bytes  over which a server writes its memory to sorted runs
    durable       whether a change is on the disk itself when ``put`` returns; False is faster, and still
                  loses nothing when a server dies, or the process; when the machine does, changes may be
                  lost, or the folder refused as damaged
    watch         is called with each `TabletEvent` ("logged", "in memory", "run written", "listed", "log
                  cleared", "split", "joined tablets", "killed", "recovered", "left", "joined", "moved")

    ``read`` counts the bytes read from runs, by family. Raises ValueError for a damaged folder, and
    for one that is open already.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Tablets(folder, ["north", "south"]) as table:
    ...     table.put("example.harbour/", {"title": "Harbour", "anchor:inn.example": "the harbour"})
    ...     table.kill("north")
    ...     table.get("example.harbour/"), [view.server for view in table.tablets()]
    ({'anchor:inn.example': 'the harbour', 'title': 'Harbour'}, ['south'])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        servers: Iterable[str] | None = None,
        *,
        tablet_bytes: int = 1 << 20,
        memory_bytes: int = 1 << 18,
        durable: bool = True,
        watch: Watch | None = None,
    ) -> None:
        if isinstance(servers, str):
            raise TypeError(f"servers are several names, not one: write [{servers!r:.60}]")
        for name, size in (("tablet_bytes", tablet_bytes), ("memory_bytes", memory_bytes)):
            if index(size) < 1:
                raise ValueError(f"{name} is {size}: give a number of bytes of at least 1")
        super().__init__(Path(path), servers, tablet_bytes, memory_bytes, durable, watch or _nobody)

    def __enter__(self) -> Tablets:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def put(self, row: str, cells: Mapping[str, str]) -> None:
        """Set columns of a row, all of them or none; others stay.

        Where an OSError is raised, of a full disk, say, it may be either, as ``get`` tells; with any other
        error it is none. To put the same again does no harm.
        """
        self.put_all([(row, cells)])

    def put_all(self, rows: Iterable[tuple[str, Mapping[str, str]]]) -> None:
        """Set columns of several rows. Each row is set as a whole; all are safe when this returns."""
        touched: dict[str, TabletServer] = {}
        for row, cells in rows:
            check_row(row)
            check_cells(cells)
            server = self._write(row, cells)
            touched[server.name] = server
        for server in touched.values():
            self._settle(server)

    def delete(self, row: str, column: str | None = None) -> None:
        """Delete a column, or a family of columns, of a row; None: all. What is not there is deleted too."""
        if there := self.get(row, column):
            self._settle(self._write(row, dict.fromkeys(there)))

    def get(self, row: str, column: str | None = None) -> dict[str, str]:
        """Return the columns of a row with their values; of one column or family where it is named."""
        check_row(row)
        return dict(next((cells for _, cells in self._rows(row, row + "\0", column)), {}))

    def scan(self, start: str = "", end: str | None = None, column: str | None = None) -> Iterator[Row]:
        """Yield rows in order, each with its columns, from ``start`` to before ``end`` (None: the last).

        column  None: all; "text", "title" or "anchor": that family, and no file of another is read;
                "anchor:HOST": that column. Rows without it are left out

        Each tablet is seen as it is when the scan comes to it.
        """
        check_row(start)
        check_row(start if end is None else end)
        yield from self._rows(start, end, column)

    def tablets(self) -> tuple[TabletView, ...]:
        """Return the tablets in the order of their rows."""
        return tuple(
            TabletView(t.start, t.end, t.server, t.bytes, len(t.runs)) for t in self._catalogue.tablets
        )

    def servers(self) -> tuple[ServerView, ...]:
        """Return the servers by their names, dead ones until they are recovered from."""
        return tuple(
            ServerView(name, s.up, s.log.size, s.waiting, tuple(tablet.start for tablet in s.tablets()))
            for name, s in sorted(self._servers.items())
        )

    def _rows(self, start: str, end: str | None, column: str | None) -> Iterator[Row]:
        """Yield what ``scan`` does; ``end`` may be longer than a row."""
        if column is not None and column.partition(":")[0] not in FAMILIES:
            raise ValueError(f'column {column!r:.60}: give "text", "title", "anchor" or "anchor:HOST"')
        families = FAMILIES if column is None else (column.partition(":")[0],)
        at: str | None = start
        while at is not None and (end is None or at < end):
            tablet, server = self._at(at)
            rows: dict[str, dict[str, str]] = {}
            for family in families:
                for row, name, value in server.cells(tablet, family, at, end):
                    if value is not None and matches(name, column):
                        rows.setdefault(row, {})[name] = value
            yield from sorted(rows.items())
            at = tablet.end

    def _write(self, row: str, cells: Mapping[str, str | None]) -> TabletServer:
        tablet, server = self._at(row)
        self._sequence += 1
        server.write(tablet, Change(self._sequence, row, cells))
        if server.waiting > self._memory_bytes:
            self._flush(server)
        return server

    def _settle(self, server: TabletServer) -> None:
        """Return when what was written on a server is on the disk, wherever it is by now."""
        if server.up:
            server.log.sync()
        elif server.name in self._servers:
            self.recover(server.name)


def _nobody(event: TabletEvent) -> None:
    """Watch nothing."""
