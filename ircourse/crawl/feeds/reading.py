"""Bytes that claim to be a sitemap or a feed, made fit for a parser: unpacked, within limits, mended.

A file is packed when it begins as gzip does (1f 8b), whatever its name or its headers say. One layer is
unpacked, never more: 10 kB packed twice can hold gigabytes.

mended   what XML calls an error and everybody writes all the same: ``&`` alone, ``&nbsp;``, control
         characters, words before the first element

What stands before the first element goes with it, so that no entity is ever declared: neither one that grows
a thousandfold (the "billion laughs") nor one that reads a file of the machine.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Iterator

__all__ = ["Unpacked", "mend"]

GZIP = b"\x1f\x8b"
PIECE = 2**12  # packed bytes at a time: as many are lost before damage
CHUNK = 2**22  # unpacked bytes at a time: old versions of expat read a long token again at each
MAX_REFERENCES = 1_000_000  # that are mended, half a second
MAX_MEMBERS = 1000  # gzip files one behind the other

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
_REFERENCE = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?:(amp|lt|gt|quot|apos)|([A-Za-z][A-Za-z0-9]{1,31})|(#[0-9]{1,7})"
    r"|(#[xX][0-9A-Fa-f]{1,6}));|&",
    re.S,
)


class Unpacked:
    """The pieces of a body, unpacked, at most ``limit`` bytes of them; ``problem`` says what is amiss, or "".

    >>> import gzip
    >>> pieces = Unpacked(gzip.compress(b"seals" * 1000)[:-9], limit=100)
    >>> len(b"".join(pieces)), pieces.problem
    (100, 'longer than 100 bytes')
    """

    def __init__(self, body: bytes, limit: int) -> None:
        self.body = body
        self.limit = limit
        self.problem = ""

    def __iter__(self) -> Iterator[bytes]:
        left = self.limit
        for piece in self._pieces():
            if len(piece) > left:
                self.problem = f"longer than {self.limit:,} bytes"
                yield piece[:left]
                return
            left -= len(piece)
            yield piece

    def _pieces(self) -> Iterator[bytes]:
        """Yield the pieces without regard to their number."""
        if self.body[:2] != GZIP:
            yield from (self.body[at : at + CHUNK] for at in range(0, len(self.body), CHUNK))
            return
        gathered = bytearray()
        try:
            for piece in self._inflated():
                gathered += piece
                if len(gathered) >= CHUNK:
                    yield bytes(gathered)
                    gathered.clear()
        except zlib.error as error:
            self.problem = f"damaged gzip: {error}"
        if gathered:
            yield bytes(gathered)

    def _inflated(self) -> Iterator[bytes]:
        """Yield the pieces of a packed body: of its first gzip file and of those behind it."""
        inflater, members = zlib.decompressobj(wbits=31), 1
        for at in range(0, len(self.body), PIECE):
            data = self.body[at : at + PIECE]
            while data:
                if inflater.eof:
                    if data[:1] != GZIP[:1] or members == MAX_MEMBERS:
                        return  # padding
                    inflater, members = zlib.decompressobj(wbits=31), members + 1
                if piece := inflater.decompress(data, CHUNK):
                    yield piece
                data = inflater.unconsumed_tail or inflater.unused_data
        if not inflater.eof:
            self.problem = "gzip ends early"


def mend(text: str, root: str) -> str:
    """Return ``text`` from its first element on, without the errors that can be told for sure.

    root  a pattern of the first element's name; where there is none the whole text is mended

    Behind 10^6 references it is cut.

    >>> mend('<?xml version="1.0"?><loc>/?a=1&b=2&amp;c=&eacute;</loc>', "loc")
    '<loc>/?a=1&amp;b=2&amp;c=é</loc>'
    """
    first = re.search(rf"<(?:[\w.-]{{1,40}}:)?(?:{root})(?=[\s/>])", text, re.I)
    text = text[first.start() :] if first else text
    if text.count("&") > MAX_REFERENCES:
        text = "&".join(text.split("&", MAX_REFERENCES)[:MAX_REFERENCES])
    return _REFERENCE.sub(_mended, _in_xml(text))


def _in_xml(text: str) -> str:
    """Return ``text`` without the characters that XML has no room for."""
    plain = text.encode("utf-8", "replace").translate(None, _CONTROLS).decode()
    return plain.replace("\ufffe", "").replace("\uffff", "")


def _mended(reference: re.Match[str]) -> str:
    """Return a reference, or a stretch of CDATA, as XML has it."""
    whole, (known, name, decimal, hexadecimal) = reference[0], reference.groups()
    if known or whole[0] == "<":
        return whole
    if name:
        meant = html.unescape(whole)
        return "&amp;" + whole[1:] if meant == whole or "&" in meant or "<" in meant else meant
    if decimal or hexadecimal:
        number = int(decimal[1:]) if decimal else int(hexadecimal[2:], 16)
        return whole if number < 0x110000 and _in_xml(chr(number)) == chr(number) else ""
    return "&amp;"
