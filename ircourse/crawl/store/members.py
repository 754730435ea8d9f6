"""A gzip file, member by member, or a plain one: bytes with the place where each begins.

place  (offset of the member in the file, unpacked bytes of the member before it); (offset, 0) in a plain file

`gzip.GzipFile` runs members together and does not say where they begin, and without that no page can be read
without all before it.

Source: RFC 1952.
"""

from __future__ import annotations

import zlib
from typing import BinaryIO

__all__ = ["GZIP", "Members"]

GZIP = b"\x1f\x8b"
_CHUNK = 2**16


class Members:
    """Reads a file from its beginning or a place in it, unpacking where it is gzip.

    start  where the member that is being read begins; in a plain file, where reading began

    Raises EOFError where a member is cut short and zlib.error where it is damaged.

    >>> import gzip, io
    >>> members = Members(io.BytesIO(gzip.compress(b"one") + gzip.compress(b"two")))
    >>> members.read(3), members.tell(), members.read(1), members.tell()
    (b'one', (23, 0), b't', (23, 1))
    """

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        self._packed = file.read(2) == GZIP
        self._file = file
        self._begin(0)

    def _begin(self, start: int) -> None:
        """Read from a byte of the file on, where a member begins."""
        self.start = self._file.seek(start)
        self._unpacker = zlib.decompressobj(31) if self._packed else None
        self._fed = False  # whether the unpacker holds bytes
        self._raw = b""  # read from the file and not yet unpacked
        self._ready, self._at = b"", 0  # unpacked, and how much of that has been read
        self._before = 0  # bytes of the member before those ready

    def go_to(self, place: tuple[int, int]) -> None:
        """Read from a place on; what is ahead in the member that is being read costs what lies between."""
        if not (self._packed and place[0] == self.start and 0 < self._before + self._at <= place[1]):
            self._begin(place[0])
        while (left := place[1] - self._before - self._at) > 0 and self.read(min(left, _CHUNK)):
            pass
        if left > 0:
            raise EOFError("the file ends before the place")

    def tell(self) -> tuple[int, int]:
        """Return the place of the next byte."""
        while self._at == len(self._ready) and self._fill():
            pass
        if self._unpacker is None:
            return self.start + self._before + self._at, 0
        return self.start, self._before + self._at

    def read(self, size: int) -> bytes:
        """Return the next ``size`` bytes; fewer at the end of the file alone."""
        parts = []
        while size > 0:
            part = self._ready[self._at : self._at + size]
            parts.append(part)
            self._at += len(part)
            size -= len(part)
            if size and not self._fill():
                break
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def readline(self, limit: int) -> bytes:
        """Return the bytes to the next newline, with it; ``limit`` at most."""
        line = b""
        while True:
            end = self._ready.find(b"\n", self._at, self._at + limit - len(line)) + 1
            line += self.read(end - self._at if end else min(limit - len(line), len(self._ready) - self._at))
            if end or len(line) >= limit or not self._fill():
                return line

    def _fill(self) -> bool:
        """Make bytes ready, once those ready are read, and return whether the file goes on."""
        self._before += len(self._ready)
        self._ready, self._at = b"", 0
        if self._unpacker is None:
            self._ready = self._file.read(_CHUNK)
            return bool(self._ready)
        if self._unpacker.eof:
            self._raw = self._unpacker.unused_data
            self._unpacker, self._fed = zlib.decompressobj(31), False
            self.start, self._before = self._file.tell() - len(self._raw), 0
        if not self._raw:
            self._raw = self._file.read(_CHUNK)
        if not (self._raw or self._fed):
            return False
        self._ready = self._unpacker.decompress(self._raw, _CHUNK)
        if not (self._raw or self._ready or self._unpacker.eof):
            raise EOFError("the file ends within a member")
        self._raw, self._fed = self._unpacker.unconsumed_tail, True
        return True
