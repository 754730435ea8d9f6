"""Sorted runs: files of cells that are written once and never changed.

run    a file with the cells of one family of one tablet, by row and then column
block  a record (``tablets_log``) of cells, about 4 KiB; a row is found by reading one or two of them
index  the last record: the first row of each block, and where the block begins
tail   where the index begins (uint64, big-endian), then ``MAGIC``

Source: Chang et al. (2006), "Bigtable", sections 4 and 5.3 (SSTables).
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from pathlib import Path
from struct import Struct
from typing import Any, BinaryIO

from ircourse.distribute.tablets_cells import Cell, packed, unpacked
from ircourse.distribute.tablets_log import Damaged, framed, read_one

__all__ = ["Run", "newest", "write_run"]

BLOCK = 1 << 12  # bytes

MAGIC = b"ircrun01"
_TAIL = Struct(f">Q{len(MAGIC)}s")


def write_run(path: Path, cells: Iterable[Cell], durable: bool) -> int:
    """Write cells, which come in order, and return the size of the file; 0: there were none, and no file."""
    blocks: list[tuple[str, int]] = []
    block: list[Cell] = []
    waiting = 0
    with open(path, "wb") as stream:
        for cell in cells:
            block.append(cell)
            waiting += sum(len(part or "") for part in cell)
            if waiting >= BLOCK:
                _write_block(stream, block, blocks)
                block, waiting = [], 0
        if block:
            _write_block(stream, block, blocks)
        at = stream.tell()
        stream.write(framed(packed(blocks)) + _TAIL.pack(at, MAGIC))
        stream.flush()
        if durable:
            os.fsync(stream.fileno())
        size = stream.tell()
    if not blocks:
        path.unlink()
    return size if blocks else 0


def _write_block(stream: BinaryIO, block: list[Cell], blocks: list[tuple[str, int]]) -> None:
    blocks.append((block[0][0], stream.tell()))
    stream.write(framed(packed(block)))


class Run:
    """A run to read from; ``counted`` is told how many bytes are read."""

    def __init__(self, path: Path, counted: Callable[[int], object]) -> None:
        self._path, self._counted = path, counted
        with self._open() as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _TAIL.size))
            tail = stream.read()
            at, magic = _TAIL.unpack(tail) if len(tail) == _TAIL.size else (0, b"")
            if magic != MAGIC or at > size:
                raise Damaged(path, max(0, size - _TAIL.size), "it does not end as a run does")
            index = self._record(stream, at, size - _TAIL.size)
        if not all(isinstance(b, list) and [type(part) for part in b] == [str, int] for b in index):
            raise Damaged(path, at, "its index is none")
        self._rows: list[str] = [row for row, _ in index]
        self._starts: list[int] = [start for _, start in index] + [at]

    def cells(self, start: str, end: str | None) -> Iterator[Cell]:
        """Yield the cells of the rows from ``start`` to before ``end``; None: to the last."""
        first = max(0, bisect_left(self._rows, start) - 1)  # a row may begin in the block before its own
        with self._open() as stream:
            for i in range(first, len(self._rows)):
                if end is not None and self._rows[i] >= end:
                    return
                for cell in self._record(stream, self._starts[i], self._starts[i + 1]):
                    if not isinstance(cell, list) or len(cell) != 3:
                        raise Damaged(self._path, self._starts[i], "a cell is none")
                    row, column, value = cell
                    if row >= start and (end is None or row < end):
                        yield row, column, value

    def _open(self) -> BinaryIO:
        try:
            return open(self._path, "rb")
        except FileNotFoundError:
            raise Damaged(self._path, 0, "the file is missing") from None

    def _record(self, stream: BinaryIO, at: int, end: int) -> list[Any]:
        stream.seek(at)
        data = stream.read(max(0, end - at))
        self._counted(len(data))
        payload, after = read_one(data, 0, self._path)
        values = None if payload is None else unpacked(payload, self._path)
        if not isinstance(values, list) or after != len(data):
            raise Damaged(self._path, at, "a block is cut off")
        return values


def newest(sources: list[Iterator[Cell]]) -> Iterator[Cell]:
    """Yield each cell once, as the last source that has it does; deleted ones too.

    >>> old, new = [("a", "text", "1"), ("b", "text", "2")], [("a", "text", None)]
    >>> list(newest([iter(old), iter(new)]))
    [('a', 'text', None), ('b', 'text', '2')]
    """
    before = None
    aged = [_aged(source, age) for age, source in enumerate(sources)]
    for row, column, _, value in merge(*aged, key=lambda cell: cell[:3]):
        if (row, column) != before:
            before = (row, column)
            yield row, column, value


def _aged(source: Iterator[Cell], age: int) -> Iterator[tuple[str, str, int, str | None]]:
    for row, column, value in source:
        yield row, column, -age, value
