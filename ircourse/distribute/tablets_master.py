"""The master of a table: which server holds which tablet, and what happens when one dies or a tablet grows.

sequence  number of the last change; those of all servers are numbered together
recovery  each tablet of a dead server goes to the server with the fewest, which takes from the dead one's log
          the changes that the tablet's runs lack and writes them to a run at once: after that the log is not
          needed. A kill on the way leaves tablets that are moved and tablets that are not, and no other kind
split     a tablet over ``tablet_bytes`` is cut at the row in the middle of its bytes

Differs from the paper: its master and servers find each other by locks in Chubby and files are copied to
several machines by GFS; here all are objects in one process, and the folder stands for GFS.
Source: Chang et al. (2006), "Bigtable", section 5.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ircourse.distribute.tablets_catalogue import Catalogue, Tablet
from ircourse.distribute.tablets_cells import FAMILIES, Cell, read_change
from ircourse.distribute.tablets_log import CommitLog
from ircourse.distribute.tablets_server import TabletEvent, TabletServer, Watch

__all__ = ["Master"]

_NAME = re.compile(r"[a-z0-9-]{1,40}")


class Master:
    """Servers, and what they hold. For the parameters see `Tablets`."""

    def __init__(
        self,
        folder: Path,
        servers: Iterable[str] | None,
        tablet_bytes: int,
        memory_bytes: int,
        durable: bool,
        watch: Watch,
    ) -> None:
        names = None if servers is None else [_checked_name(name) for name in servers]
        self._tablet_bytes, self._memory_bytes = tablet_bytes, memory_bytes
        self._durable, self._watch = durable, watch
        self.read: Counter[str] = Counter()
        self._catalogue = Catalogue(folder, names, durable)
        self._sequence = max(tablet.flushed for tablet in self._catalogue.tablets)
        self._servers: dict[str, TabletServer] = {}
        try:
            for name in self._catalogue.servers:
                self._servers[name] = self._server(_checked_name(name))
                self._sequence = max(self._sequence, self._servers[name].restart())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files, and let another open the folder. Nothing needs to be written: the logs have it."""
        for server in self._servers.values():
            server.log.close()
        self._catalogue.close()

    def kill(self, name: str) -> None:
        """Let a server die: what it has in memory is lost."""
        self._find(name).die()
        self._watch(TabletEvent("killed", name))

    def recover(self, name: str) -> None:
        """Give the tablets of a dead server to others. Raises ValueError where it is up, or no other is."""
        dead = self._find(name)
        if dead.up:
            raise ValueError(f"server {name} is up: nothing is to be recovered")
        log = CommitLog(dead.log.path, self._durable)
        try:
            changes = [read_change(payload, log.path) for payload in log.read()]
        finally:
            log.close()
        for tablet in dead.tablets():
            server = self._idlest()
            server.take(tablet, changes)
            try:
                moved = server.flushed(tablet, self._sequence)
                self._catalogue.replace([tablet], [moved])
            finally:
                server.drop(tablet)
            self._watch(TabletEvent("recovered", server.name, tablet.start))
        self._catalogue.list_servers(other for other in self._catalogue.servers if other != name)
        del self._servers[name]
        self._watch(TabletEvent("left", name))
        log.path.unlink()

    def add_server(self, name: str) -> None:
        """Let a server join, without tablets; ``balance`` gives it some."""
        if _checked_name(name) in self._servers:
            raise ValueError(f"there is a server {name}: give the new one another name")
        self._catalogue.check_open()
        log = CommitLog(self._catalogue.log(name), self._durable, new=True)
        try:
            log.clear()  # it may be of one with this name whose end was cut short
        finally:
            log.close()
        self._catalogue.list_servers([*self._catalogue.servers, name])
        self._servers[name] = self._server(name)
        self._watch(TabletEvent("joined", name))

    def balance(self) -> None:
        """Move tablets until no server that is up has two more than another."""
        while True:
            up = sorted((s for s in self._servers.values() if s.up), key=lambda s: (len(s.tablets()), s.name))
            if not up or len(up[-1].tablets()) - len(up[0].tablets()) < 2:
                return
            self._flush(up[-1])
            tablet = up[-1].tablets()[-1]
            self._catalogue.replace([tablet], [replace(tablet, server=up[0].name)])
            self._watch(TabletEvent("moved", up[0].name, tablet.start))

    def flush(self) -> None:
        """Write all memory to runs."""
        for server in list(self._servers.values()):
            if server.up:
                self._flush(server)

    def join_small(self) -> None:
        """Clear away what was deleted; make one tablet of two that have under half of ``tablet_bytes``."""
        self.flush()
        for tablet in list(self._catalogue.tablets):
            server = self._servers[tablet.server]
            if server.up and len(tablet.runs) > 1:
                runs = server.rewritten({f: list(server.cells(tablet, f)) for f in FAMILIES})
                self._catalogue.replace([tablet], [replace(tablet, runs=runs)])
        i = 1
        while i < len(self._catalogue.tablets):
            left, right = self._catalogue.tablets[i - 1 : i + 1]
            servers = [self._servers[tablet.server] for tablet in (left, right)]
            if left.bytes + right.bytes >= self._tablet_bytes // 2 or not all(
                server.up for server in servers
            ):
                i += 1
                continue
            both = {f: [*servers[0].cells(left, f), *servers[1].cells(right, f)] for f in FAMILIES}
            runs = servers[0].rewritten(both)
            joined = Tablet(left.start, right.end, left.server, self._sequence, runs)
            self._catalogue.replace([left, right], [joined])
            self._watch(TabletEvent("joined tablets", left.server, left.start))

    def _at(self, row: str) -> tuple[Tablet, TabletServer]:
        """Return the tablet of a row and who holds it. A dead server is found out here."""
        self._catalogue.check_open()
        while True:
            tablets = self._catalogue.tablets
            tablet = tablets[bisect_right(tablets, row, key=lambda tablet: tablet.start) - 1]
            server = self._servers[tablet.server]
            if server.up:
                return tablet, server
            self.recover(server.name)

    def _flush(self, server: TabletServer) -> None:
        old = server.tablets()
        new = [server.flushed(tablet, self._sequence) for tablet in old]
        self._catalogue.replace(old, new)
        self._watch(TabletEvent("listed", server.name))
        server.forget()
        for tablet in new:
            if tablet.bytes > self._tablet_bytes:
                self._split(tablet, server)

    def _split(self, tablet: Tablet, server: TabletServer) -> None:
        """Cut a tablet, whose memory is empty, in two, or where it has one row, leave it."""
        cells = {family: list(server.cells(tablet, family)) for family in FAMILIES}
        middle = _middle(cells)
        if middle is None:
            return
        left = {f: [cell for cell in those if cell[0] < middle] for f, those in cells.items()}
        right = {f: [cell for cell in those if cell[0] >= middle] for f, those in cells.items()}
        other = self._idlest()
        halves = [
            Tablet(tablet.start, middle, server.name, self._sequence, server.rewritten(left)),
            Tablet(middle, tablet.end, other.name, self._sequence, server.rewritten(right)),
        ]
        self._catalogue.replace([tablet], halves)
        self._watch(TabletEvent("split", other.name, middle))

    def _idlest(self) -> TabletServer:
        up = [server for server in self._servers.values() if server.up]
        if not up:
            raise ValueError("no server is up: let one join with add_server, and nothing is lost")
        return min(up, key=lambda server: (len(server.tablets()), server.name))

    def _find(self, name: str) -> TabletServer:
        if name not in self._servers:
            raise ValueError(f"there is no server {name!r:.60}: they are {', '.join(self._servers)}"[:300])
        return self._servers[name]

    def _server(self, name: str) -> TabletServer:
        return TabletServer(name, self._catalogue, self._durable, self.read, self._watch)


def _middle(cells: dict[str, list[Cell]]) -> str | None:
    """Return the row in the middle of the bytes; None where there are not two rows."""
    sizes: Counter[str] = Counter()
    for those in cells.values():
        for row, column, value in those:
            sizes[row] += len(row) + len(column) + len(value or "")
    seen = 0
    for row in (rows := sorted(sizes))[1:]:
        seen += sizes[row]
        if seen >= sizes.total() // 2 or row == rows[-1]:
            return row
    return None


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"server {name!r:.60}: give a name of up to 40 letters a to z, digits and hyphens")
    return name
