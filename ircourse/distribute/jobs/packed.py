"""Files packed by gzip, which can be read from their beginning alone, made ready to be read in parts.

member  a stretch of a packed file that was packed by itself; reading can begin at each. A WARC file has one
        for each record, most other files one for all

Where members are no help the client unpacks a file, piece by piece and so in little memory, to a temporary
file. That is there as long as any part of it is in the client, and is removed with the last.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO, cast

from ircourse.distribute.jobs.ranges import MAX_LINE, block_length

__all__ = ["Keeps", "Unpacked", "is_packed", "record_places", "unpacked"]

PIECE = 2**20  # bytes that are unpacked at once


class Keeps:
    """A part with a field ``keep``, which stays in the client: what workers get is without it."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "keep": None}


class Unpacked:
    """A temporary file, removed with this object."""

    def __init__(self, path: str) -> None:
        self.path = path
        weakref.finalize(self, _remove, path)


def is_packed(path: str) -> bool:
    """Return whether a file begins as one packed by gzip."""
    with open(path, "rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def unpacked(path: str, folder: str | os.PathLike[str] | None) -> Unpacked:
    """Return a packed file, unpacked to ``folder``; None: the system's for temporary files.

    Raises ValueError where it is damaged, OSError where the folder has no room.
    """
    with tempfile.NamedTemporaryFile("wb", prefix="ircourse-", dir=folder, delete=False) as target:
        found = Unpacked(os.path.abspath(target.name))
        try:
            with gzip.open(path) as stream:
                shutil.copyfileobj(stream, target, PIECE)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{path} is damaged: {error}") from None
    return found


def record_places(path: str) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield for each record of a packed WARC file its place, and the bytes of the blocks before it.

    place  (where its member begins, unpacked bytes of the member before the record)

    Ends at damage, and at what is no record.
    """
    from ircourse.crawl.store.members import Members  # here: a worker that reads lines needs no crawler

    with open(path, "rb") as file, suppress(EOFError, zlib.error):
        members, before = Members(file), 0
        while True:
            place, line = members.tell(), members.readline(MAX_LINE)
            while line in (b"\r\n", b"\n"):
                place, line = members.tell(), members.readline(MAX_LINE)
            left = block_length(cast(BinaryIO, members)) if line.startswith(b"WARC/") else None
            if left is None:
                return
            yield place, before
            before += left
            while left and (piece := members.read(min(left, PIECE))):
                left -= len(piece)


def _remove(path: str) -> None:
    with suppress(OSError):  # on Windows a worker may have it open
        os.unlink(path)
