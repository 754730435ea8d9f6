"""A connectivity server's file: what it holds, a checksum behind it, nothing else.

The file: the mark; seven whole numbers, n, m, the two k, and the bytes of the URLs, of the rows out and of
those in; then the arrays in the order of ``Parts``; then SHA-256 of all before. Numbers are int64, the lowest
byte first, on every machine.

The checksum tells what was cut off or altered by chance. It cannot tell who wrote a file: one made to deceive
answers wrongly, but does no harm, since no start lies outside the arrays, and the loops that read keep to
them.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.front_coding import BLOCK
from ircourse.graphs.row_bits import MOST_K, ROWS_A_START

__all__ = ["Parts", "Rows", "Strings", "read_parts", "write_parts"]

MARK = b"ircourse connectivity server 1\r\n"  # \r\n shows where a transfer changed the ends of lines
HEADER = struct.Struct("<7q")
DIGEST = 32


class Strings(NamedTuple):
    """Front-coded strings; see ``front_coding``."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]

    @property
    def n_bytes(self) -> int:
        """Bytes that both arrays take."""
        return self.data.nbytes + self.starts.nbytes


class Rows(NamedTuple):
    """Rows in bits; see ``row_bits``."""

    k: int
    bits: NDArray[np.uint8]
    starts: NDArray[np.int64]

    @property
    def n_bytes(self) -> int:
        """Bytes that both arrays take."""
        return self.bits.nbytes + self.starts.nbytes


class Parts(NamedTuple):
    """What a server holds: numbers of pages and links, URLs, links out and links in."""

    n: int
    m: int
    urls: Strings
    out: Rows
    in_: Rows


def write_parts(path: str | os.PathLike[str], parts: Parts) -> None:
    """Write the parts to a file beside ``path``, then move that there."""
    n, m, urls, out, in_ = parts
    header = HEADER.pack(n, m, out.k, in_.k, len(urls.data), len(out.bits), len(in_.bits))
    arrays: tuple[NDArray[Any], ...] = (urls.data, urls.starts, out.bits, out.starts, in_.bits, in_.starts)
    path = Path(path)
    beside = path.parent / f"{path.name}.{secrets.token_hex(8)}.part"  # no other file's name
    digest = hashlib.sha256()
    try:
        with beside.open("xb") as stream:
            for part in (MARK, header, *map(_little, arrays)):
                digest.update(part)
                stream.write(part)
            stream.write(digest.digest())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def read_parts(path: str | os.PathLike[str]) -> Parts:
    """Return the parts from a file; ValueError where it is none, was cut off or altered."""
    data = Path(path).read_bytes()
    if data[: len(MARK)] != MARK:
        raise ValueError(f"{path} is no connectivity server's file: give one that save() wrote")
    body = memoryview(data)[:-DIGEST]
    at = len(MARK) + HEADER.size
    if len(body) < at or hashlib.sha256(body).digest() != data[-DIGEST:]:
        raise ValueError(f"{path} was cut off or altered: its checksum is another; save the server anew")
    n, m, k_out, k_in, *bytes_of = HEADER.unpack_from(data, len(MARK))
    heads, starts = -(-n // BLOCK), -(-n // ROWS_A_START)
    sizes = [bytes_of[0], 8 * heads, bytes_of[1], 8 * starts, bytes_of[2], 8 * starts]
    wrong = min(n, m, *sizes) < 0 or at + sum(sizes) != len(body)
    if wrong or not (1 <= k_out <= MOST_K and 1 <= k_in <= MOST_K):
        raise ValueError(f"{path} contradicts itself: it was not written by save()")
    pieces = []
    for size in sizes:
        pieces.append(np.frombuffer(body[at : at + size], np.uint8))
        at += size
    url_data, url_starts, out, out_starts, in_, in_starts = pieces
    urls = Strings(url_data, _native(url_starts))
    rows = Rows(k_out, out, _native(out_starts)), Rows(k_in, in_, _native(in_starts))
    ends = [(urls.starts, len(url_data)), *((each.starts, 8 * len(each.bits)) for each in rows)]
    if any(len(starts) and (starts.min() < 0 or starts.max() > end) for starts, end in ends):
        raise ValueError(f"{path} contradicts itself: it was not written by save()")
    return Parts(n, m, urls, *rows)


def _little(array: NDArray[Any]) -> bytes:
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def _native(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    return np.frombuffer(data.tobytes(), "<i8").astype(np.int64)
