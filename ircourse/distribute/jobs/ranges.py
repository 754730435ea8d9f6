"""Ranges of bytes of a file: where WARC records begin, and one range read as if it were a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["MAX_LINE", "Range", "block_length", "record_starts"]

MAX_LINE = 2**16
MAX_FIELDS = 1000


class Range:
    """Bytes ``start`` … ``stop`` − 1 of a file open for reading, as a file that begins at 0.

    >>> import io
    >>> part = Range(io.BytesIO(b"a rose is"), 2, 6)
    >>> part.read(2), part.read(9), part.seek(1), part.read(1)
    (b'ro', b'se', 1, b'o')
    """

    def __init__(self, stream: BinaryIO, start: int, stop: int) -> None:
        self._stream, self._start, self._size = stream, start, stop - start
        self.seek(0)

    def seek(self, at: int) -> int:
        """Go to a byte of the range."""
        self._at = at
        self._stream.seek(self._start + at)
        return at

    def tell(self) -> int:
        """Return which byte of the range comes next."""
        return self._at

    def read(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer at the end."""
        data = self._stream.read(max(0, min(size, self._size - self._at)))
        self._at += len(data)
        return data


def record_starts(path: str) -> Iterator[int]:
    """Yield where the records of a WARC file that is not packed begin, up to what is no record.

    Only their heads are read. A record is found by the length that the one before it gives, never by
    searching: a page may hold what looks like the beginning of a record.
    """
    with open(path, "rb") as stream:
        while True:
            start, line = stream.tell(), stream.readline(MAX_LINE)
            while line in (b"\r\n", b"\n"):
                start, line = stream.tell(), stream.readline(MAX_LINE)
            length = block_length(stream) if line.startswith(b"WARC/") else None
            if length is None:
                return
            yield start
            stream.seek(length, 1)


def block_length(stream: BinaryIO) -> int | None:
    """Read the fields of a record; return the length of its block, None where they do not tell."""
    length = None
    for _ in range(MAX_FIELDS):
        line = stream.readline(MAX_LINE)
        if not line.strip():
            return length
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value) if value.strip().isdigit() and len(value) < 20 else None
    return None
