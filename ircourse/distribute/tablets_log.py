"""Records with checksums, and the commit log that is made of them.

record  length of the payload, its CRC-32, CRC-32 of these two (uint32 each, big-endian), then the payload
seal    an empty record, written when all before it is on the disk: what it follows was acknowledged

A kill or a power cut leaves the last records cut off, or zeros, or what the disk held before, in their place.
No seal follows them, since nobody was told that they were written: the log ends before them. Where a seal
does follow what does not fit its checksum, that is damage to what was acknowledged, and refused.

Source: Chang et al. (2006), "Bigtable", section 5.3; Gray and Reuter (1993), chapter 9.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from struct import Struct
from zlib import crc32

__all__ = ["MAX_RECORD", "CommitLog", "Damaged", "framed", "read_all", "read_one", "sync_folder"]

MAX_RECORD = 1 << 26  # bytes

_HEAD = Struct(">III")
_SUMMED = Struct(">II")
_SEAL = _SUMMED.pack(0, 0) + crc32(bytes(_SUMMED.size)).to_bytes(4, "big")  # framed(b""); in no JSON


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
    """Return the payloads of the whole records, and where the last one ends; seals are left out.

    The first record that is not whole is the end. Raises Damaged where a seal comes after it.

    >>> whole = framed(b"a rose")
    >>> read_all(whole + framed(b"is a rose")[:-1], Path("log"))
    ([b'a rose'], 18)
    """
    payloads: list[bytes] = []
    at = 0
    while True:
        try:
            payload, after = read_one(data, at, path)
        except Damaged:
            if data.find(_SEAL, at) >= 0:
                raise
            return payloads, at
        if payload is None:
            return payloads, at
        at = after
        if payload:
            payloads.append(payload)


class CommitLog:
    """A file to which records are appended, and which is read when a server's memory is lost.

    durable  whether ``sync`` asks the system to bring what was written to the disk itself
    new      whether there is none yet; Damaged is raised where that is not so, and it is missing
    size     bytes of whole records and seals
    """

    def __init__(self, path: Path, durable: bool, new: bool = False) -> None:
        self.path, self._durable = path, durable
        if not new and not path.is_file():
            raise Damaged(path, 0, "the file is missing")
        self._stream = open(path, "a+b", buffering=0)  # noqa: SIM115 (closed by close)
        if new and durable:
            sync_folder(path.parent)
        self.size = self._stream.seek(0, os.SEEK_END)
        self._sealed = False  # whether all that was written is acknowledged

    def append(self, payload: bytes) -> None:
        """Write a record, or, where that fails, nothing."""
        self._write(framed(payload))
        self._sealed = False

    def sync(self) -> None:
        """Return when all that was written is on the disk; then it is sealed."""
        if self._durable:
            os.fsync(self._stream.fileno())
        if self.size and not self._sealed:
            with suppress(OSError):  # a full disk: what the seal would tell of is on the disk all the same
                self._write(_SEAL)
                self._sealed = True

    def read(self) -> list[bytes]:
        """Return all payloads, and seal them: they are shown. What is cut off is removed. Raises Damaged."""
        self._stream.seek(0)
        data = self._stream.read()
        payloads, self.size = read_all(data, self.path)
        self._stream.truncate(self.size)
        self._sealed = data[: self.size].endswith(_SEAL)
        if not self._sealed:
            self.sync()
        return payloads

    def clear(self) -> None:
        """Remove all records."""
        self._stream.truncate(0)
        self.size = 0
        self.sync()

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[self._stream.write(left) :]
        except BaseException:
            self._stream.truncate(self.size)
            raise
        self.size += len(data)

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
