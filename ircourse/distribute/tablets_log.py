"""Records with checksums, and the commit log that is made of them.

record  length of the payload, its CRC-32, CRC-32 of these two (uint32 each, big-endian), then the payload

What a kill cuts off is the end of the last record; the log then ends with the record before, since nobody was
told that the last one was written. Zeros to the end are the same: some file systems leave them after a power
cut. Anything else that does not fit its checksum is damage, and refused: whole records may follow it.

Source: Chang et al. (2006), "Bigtable", section 5.3; Gray and Reuter (1993), chapter 9.
"""

from __future__ import annotations

import os
from pathlib import Path
from struct import Struct
from zlib import crc32

__all__ = ["MAX_RECORD", "CommitLog", "Damaged", "framed", "read_all", "read_one", "sync_folder"]

MAX_RECORD = 1 << 26  # bytes

_HEAD = Struct(">III")
_SUMMED = Struct(">II")


class Damaged(ValueError):
    """A file that does not hold what was written to it."""

    def __init__(self, path: Path, at: int, why: str) -> None:
        super().__init__(f"{path} is damaged at byte {at} ({why}): put back a copy of the folder")


def framed(payload: bytes) -> bytes:
    """Return a payload as a record.

    >>> len(framed(b"a rose"))
    18
    """
    if len(payload) > MAX_RECORD:
        raise ValueError(f"{len(payload):,} bytes at once: give at most {MAX_RECORD:,}")
    summed = _SUMMED.pack(len(payload), crc32(payload))
    return summed + crc32(summed).to_bytes(4, "big") + payload


def read_one(data: bytes, at: int, path: Path) -> tuple[bytes | None, int]:
    """Return the payload of the record at a place, and the place after it; None where it is cut off."""
    body = at + _HEAD.size
    if body > len(data) or not any(memoryview(data)[at:]):
        return None, at
    length, checksum, of_head = _HEAD.unpack_from(data, at)
    if crc32(memoryview(data)[at : at + _SUMMED.size]) != of_head or length > MAX_RECORD:
        raise Damaged(path, at, "the head of a record fails its checksum")
    if body + length > len(data):
        return None, at
    payload = data[body : body + length]
    if crc32(payload) != checksum:
        raise Damaged(path, at, "a record fails its checksum")
    return payload, body + length


def read_all(data: bytes, path: Path) -> tuple[list[bytes], int]:
    """Return the payloads of all whole records, and where the last one ends. Raises Damaged.

    >>> whole = framed(b"a rose")
    >>> read_all(whole + framed(b"is a rose")[:-1], Path("log"))
    ([b'a rose'], 18)
    """
    payloads: list[bytes] = []
    at = 0
    while True:
        payload, at = read_one(data, at, path)
        if payload is None:
            return payloads, at
        payloads.append(payload)


class CommitLog:
    """A file to which records are appended, and which is read when a server's memory is lost.

    durable  whether ``sync`` asks the system to bring what was written to the disk itself
    new      whether there is none yet; Damaged is raised where that is not so, and it is missing
    size     bytes of whole records
    """

    def __init__(self, path: Path, durable: bool, new: bool = False) -> None:
        self.path, self._durable = path, durable
        if not new and not path.is_file():
            raise Damaged(path, 0, "the file is missing")
        self._stream = open(path, "a+b", buffering=0)  # noqa: SIM115 (closed by close)
        if new and durable:
            sync_folder(path.parent)
        self.size = self._stream.seek(0, os.SEEK_END)

    def append(self, payload: bytes) -> None:
        """Write a record, or, where that fails, nothing."""
        data = memoryview(framed(payload))
        try:
            while data:
                data = data[self._stream.write(data) :]
        except BaseException:
            self._stream.truncate(self.size)
            raise
        self.size += _HEAD.size + len(payload)

    def sync(self) -> None:
        """Return when all that was written is on the disk."""
        if self._durable:
            os.fsync(self._stream.fileno())

    def read(self) -> list[bytes]:
        """Return all payloads; a record cut off at the end is removed. Raises Damaged."""
        self._stream.seek(0)
        payloads, self.size = read_all(self._stream.read(), self.path)
        self._stream.truncate(self.size)
        return payloads

    def clear(self) -> None:
        """Remove all records."""
        self._stream.truncate(0)
        self.size = 0
        self.sync()

    def close(self) -> None:
        """Close the file; what was written stays."""
        self._stream.close()


def sync_folder(path: Path) -> None:
    """Bring the names of files in a folder to the disk, where the system can (Windows cannot)."""
    if os.name == "posix":
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
