"""Which server holds which rows, and in which files: what the master of a table knows, on disk.

tablet    the rows from ``start`` to before ``end`` (None: to the last); tablets follow each other and leave
          no row out
server    who holds it
flushed   changes up to this sequence number are in its runs; later ones in the log of its server
runs      the number of each run, the oldest first, with the size in bytes of its file for each family

The file is replaced as a whole, at one moment: a kill leaves the old one or the new one.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ircourse.distribute.tablets_cells import FAMILIES, packed, unpacked
from ircourse.distribute.tablets_lock import locked
from ircourse.distribute.tablets_log import CommitLog, Damaged, framed, read_all, sync_folder

__all__ = ["Catalogue", "Tablet"]

NAME = "catalogue"
FORMAT = 1
_LOG = re.compile("log-([a-z0-9-]{1,40})")
_RUN = re.compile(rf"run-(\d{{6,}})\.(?:{'|'.join(FAMILIES)})")


class RunSizes(NamedTuple):
    """A run's number, and the bytes of its file by family."""

    number: int
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class Tablet:
    """A range of rows; see the module."""

    start: str
    end: str | None
    server: str
    flushed: int = 0
    runs: tuple[RunSizes, ...] = ()

    @property
    def bytes(self) -> int:
        """Bytes of its runs."""
        return sum(size for run in self.runs for size in run.sizes.values())

    def __contains__(self, row: str) -> bool:
        return self.start <= row and (self.end is None or row < self.end)


class Catalogue:
    """The tablets by their rows, and the names of the servers, kept in a folder that it locks.

    servers  for a new table; None, or the same ones: for one that is there
    """

    def __init__(self, folder: Path, servers: Iterable[str] | None, durable: bool) -> None:
        self._folder, self._durable = folder, durable
        self.servers: list[str] = []
        self.tablets: list[Tablet] = []
        self._next = 1
        names = sorted(set(servers or ()))
        if not names and not (folder / NAME).exists():
            raise ValueError(f"{folder} has no table yet: give the names of its servers")
        self._lock: sqlite3.Connection | None = locked(folder)
        try:
            if (folder / NAME).exists():
                self._read()
                if servers is not None and names != self.servers:
                    raise ValueError(
                        f"{folder} has the servers {', '.join(self.servers)}: leave servers out"[:300]
                    )
            else:
                self._begin(names)
            self._tidy()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let another open the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def check_open(self) -> None:
        """Raise ValueError where the folder is not ours any more."""
        if self._lock is None:
            raise ValueError(f"the table in {self._folder} is closed: open it again")

    def new_run(self) -> int:
        """Return a number that no run has had."""
        self.check_open()
        self._next += 1
        return self._next - 1

    def path(self, run: int, family: str) -> Path:
        """Return where the file of a run and family is."""
        return self._folder / f"run-{run:06}.{family}"

    def log(self, server: str) -> Path:
        """Return where the log of a server is."""
        return self._folder / f"log-{server}"

    def replace(self, old: Iterable[Tablet], new: Iterable[Tablet]) -> None:
        """Put tablets in the place of others that have the same rows, and save; their old files go."""
        gone, tablets = set(map(id, old)), self.tablets
        kept = [tablet for tablet in tablets if id(tablet) not in gone]
        self.tablets = sorted([*kept, *new], key=lambda tablet: tablet.start)
        try:
            self.save()
        except BaseException:
            self.tablets = tablets
            raise
        used = {run.number for tablet in self.tablets for run in tablet.runs}
        for run in {run.number for tablet in tablets for run in tablet.runs} - used:
            for family in FAMILIES:
                self.path(run, family).unlink(missing_ok=True)

    def list_servers(self, servers: Iterable[str]) -> None:
        """Put other names in the place of those of the servers, and save; where that fails they stay."""
        before, self.servers = self.servers, sorted(servers)
        try:
            self.save()
        except BaseException:
            self.servers = before
            raise

    def save(self) -> None:
        """Write all to the disk."""
        self.check_open()
        rows = [[t.start, t.end, t.server, t.flushed, [[*run] for run in t.runs]] for t in self.tablets]
        data = framed(packed([FORMAT, self.servers, self._next, rows]))
        beside = self._folder / f"{NAME}.new"
        with open(beside, "wb") as stream:
            stream.write(data)
            stream.flush()
            if self._durable:
                os.fsync(stream.fileno())
        os.replace(beside, self._folder / NAME)
        if self._durable:
            sync_folder(self._folder)

    def _begin(self, servers: list[str]) -> None:
        """Make a table of one tablet; its logs first, so that one which is listed and missing is lost."""
        for path in sorted(self._folder.iterdir()):
            if _RUN.fullmatch(path.name) or (_LOG.fullmatch(path.name) and path.stat().st_size):
                raise Damaged(self._folder / NAME, 0, f"the file is missing, and {path.name} is there")
        for server in servers:
            CommitLog(self.log(server), self._durable, new=True).close()
        self.servers, self.tablets = servers, [Tablet("", None, servers[0])]
        self.save()

    def _read(self) -> None:
        path = self._folder / NAME
        if not path.is_file():
            raise Damaged(path, 0, "it is no file")
        data = path.read_bytes()
        payloads, end = read_all(data, path)
        if end != len(data):  # it is replaced as a whole: no kill leaves a part
            raise Damaged(path, end, "it does not end as a catalogue does")
        match [unpacked(payload, path) for payload in payloads]:
            case [[int(version), *_]] if version != FORMAT:
                raise ValueError(f"{path} has format {version}, not {FORMAT}: use the version that wrote it")
            case [[_, list(servers), int(following), list(rows)]]:
                self.servers, self._next = servers, following
                self.tablets = [_tablet(row, servers, path) for row in rows]
        starts, ends = [t.start for t in self.tablets], [t.end for t in self.tablets]
        if not starts or ["", *ends] != [*starts, None] or starts != sorted(set(starts)):
            raise Damaged(path, 0, "it lists no tablets that follow each other")

    def _tidy(self) -> None:
        """Remove what a kill left: runs that were never listed, logs of servers that are no more."""
        used = {run.number for tablet in self.tablets for run in tablet.runs}
        for path in sorted(self._folder.iterdir()):
            run, log = _RUN.fullmatch(path.name), _LOG.fullmatch(path.name)
            if (run and int(run[1]) not in used) or (log and log[1] not in self.servers):
                path.unlink()


def _tablet(row: Any, servers: list[Any], path: Path) -> Tablet:
    """Return a tablet as it was saved. Raises Damaged: what stands there becomes names of files."""
    match row:
        case [str(start), str() | None as end, str(server), int(flushed), list(runs)] if (
            server in servers and all(_is_run(run) for run in runs)
        ):
            return Tablet(start, end, server, flushed, tuple(RunSizes(*run) for run in runs))
    raise Damaged(path, 0, "a tablet is none")


def _is_run(run: Any) -> bool:
    match run:
        case [int(number), dict(sizes)]:
            whole = all(isinstance(size, int) and size > 0 for size in sizes.values())
            return number > 0 and sizes.keys() <= set(FAMILIES) and whole
    return False
