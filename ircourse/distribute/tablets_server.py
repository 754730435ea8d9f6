"""A tablet server: a log on disk, recent changes in memory, older ones in sorted runs.

memory   of a tablet: what its runs do not have yet, by family, row and column; None is a deletion
flush    writing the memory of a tablet to a new run. With ``MOST_RUNS`` runs or more, all of them become one
         with it, in which nothing that was deleted is left

A change goes to the log first, then to memory. When the server dies its memory is lost and its log is not.
Families are stored apart: reading one opens no file of another.

Source: Chang et al. (2006), "Bigtable", sections 5.3 and 5.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from ircourse.distribute.tablets_catalogue import Catalogue, RunSizes, Tablet
from ircourse.distribute.tablets_cells import FAMILIES, Cell, Change, packed, read_change
from ircourse.distribute.tablets_log import CommitLog
from ircourse.distribute.tablets_runs import Run, newest, write_run

__all__ = ["TabletEvent", "TabletServer", "Watch"]

MOST_RUNS = 4

Memory: TypeAlias = dict[str, dict[str, dict[str, str | None]]]


class TabletEvent(NamedTuple):
    """Something that happened: what, on which server, at which row (or the first one of which tablet)."""

    kind: str
    server: str
    row: str = ""


Watch: TypeAlias = Callable[[TabletEvent], object]


class TabletServer:
    """One server.

    read   to which the bytes that are read from run files are added, by family
    watch  is called after each step
    """

    def __init__(
        self, name: str, catalogue: Catalogue, durable: bool, read: Counter[str], watch: Watch
    ) -> None:
        self.name, self._catalogue, self._durable, self._watch = name, catalogue, durable, watch
        self.up = True
        self.log = CommitLog(catalogue.log(name), durable)
        self._read = read
        self._memory: dict[str, Memory] = {}  # by the tablet's first row
        self._waiting: Counter[str] = Counter()  # bytes in it, about
        self._runs: dict[tuple[int, str], Run] = {}

    @property
    def waiting(self) -> int:
        """Bytes in memory, about."""
        return self._waiting.total()

    def restart(self) -> int:
        """Read the log into memory, and return the last sequence number in it."""
        changes = [read_change(payload, self.log.path) for payload in self.log.read()]
        for tablet in self.tablets():
            self.take(tablet, changes)
        return max((change.sequence for change in changes), default=0)

    def die(self) -> None:
        """Lose what is in memory."""
        self.up = False
        self.log.close()
        self._memory, self._waiting = {}, Counter()

    def tablets(self) -> list[Tablet]:
        """Return the tablets that it holds."""
        return [tablet for tablet in self._catalogue.tablets if tablet.server == self.name]

    def write(self, tablet: Tablet, change: Change) -> None:
        """Write a change to the log, then to memory."""
        self.log.append(packed(list(change)))
        self._watch(TabletEvent("logged", self.name, change.row))
        self.take(tablet, [change])
        self._watch(TabletEvent("in memory", self.name, change.row))

    def take(self, tablet: Tablet, changes: list[Change]) -> None:
        """Put into memory those changes that are the tablet's and not in its runs."""
        memory = self._memory.setdefault(tablet.start, {})
        for change in changes:
            if change.row in tablet and change.sequence > tablet.flushed:
                for column, value in change.cells.items():
                    family = memory.setdefault(column.partition(":")[0], {})
                    family.setdefault(change.row, {})[column] = value
                    self._waiting[tablet.start] += len(change.row) + len(column) + len(value or "")

    def cells(self, tablet: Tablet, family: str, start: str = "", end: str | None = None) -> Iterator[Cell]:
        """Yield a tablet's cells of a family in a range of rows, without deleted ones."""
        sources = [
            self._run(run.number, family).cells(start, end) for run in tablet.runs if family in run.sizes
        ]
        return (
            cell
            for cell in newest([*sources, self._recent(tablet, family, start, end)])
            if cell[2] is not None
        )

    def flushed(self, tablet: Tablet, sequence: int) -> Tablet:
        """Write a tablet's memory to the disk, and return the tablet as it is to be listed."""
        runs = list(tablet.runs)
        if any(self._memory.get(tablet.start, {}).values()):
            number = self._catalogue.new_run()
            if len(runs) < MOST_RUNS:
                sizes = {f: self._write(number, f, self._recent(tablet, f)) for f in FAMILIES}
            else:
                sizes = {f: self._write(number, f, self.cells(tablet, f)) for f in FAMILIES}
                runs = []
            if any(sizes.values()):
                runs.append(RunSizes(number, {family: size for family, size in sizes.items() if size}))
            self._watch(TabletEvent("run written", self.name, tablet.start))
        return Tablet(tablet.start, tablet.end, self.name, sequence, tuple(runs))

    def rewritten(self, cells: dict[str, list[Cell]]) -> tuple[RunSizes, ...]:
        """Write cells, by family, to one run, and return it for the list of a tablet."""
        number = self._catalogue.new_run()
        sizes = {family: self._write(number, family, iter(those)) for family, those in cells.items()}
        sizes = {family: size for family, size in sizes.items() if size}
        return (RunSizes(number, sizes),) if sizes else ()

    def drop(self, tablet: Tablet) -> None:
        """Drop a tablet's memory."""
        self._memory.pop(tablet.start, None)
        del self._waiting[tablet.start]

    def forget(self) -> None:
        """Drop all memory and the log, now that the runs have it."""
        self._memory, self._waiting = {}, Counter()
        self._runs = {key: run for key, run in self._runs.items() if self._catalogue.path(*key).exists()}
        self.log.clear()
        self._watch(TabletEvent("log cleared", self.name))

    def _write(self, number: int, family: str, cells: Iterator[Cell]) -> int:
        return write_run(self._catalogue.path(number, family), cells, self._durable)

    def _run(self, number: int, family: str) -> Run:
        if (number, family) not in self._runs:
            path = self._catalogue.path(number, family)
            self._runs[number, family] = Run(path, lambda n: self._read.update({family: n}))
        return self._runs[number, family]

    def _recent(self, tablet: Tablet, family: str, start: str = "", end: str | None = None) -> Iterator[Cell]:
        """Yield a tablet's cells in memory."""
        rows = self._memory.get(tablet.start, {}).get(family, {})
        for row in sorted(row for row in rows if start <= row and (end is None or row < end)):
            for column in sorted(rows[row]):
                yield row, column, rows[row][column]
