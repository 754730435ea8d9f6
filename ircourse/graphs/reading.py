"""Graphs from files: edge lists as the SNAP collection has them, and numbered URLs with links.

edge list  a line for each link, the numbers of two nodes with blanks or a comma between them; the rest of a
           line from # or % on is a comment. Labels are the numbers
numbered   the form of the ``hollins.dat`` crawl: a line with the number of pages and of links (and a third
           number, which is ignored); for each page a line with its number and its URL; for each link a line
           with two numbers. Labels are the URLs

Either may be packed by gzip, which the first bytes tell, whatever the name. The file is read in pieces, each
parsed by one walk over its bytes that knows the line it is in: O(n + m).
Source: Leskovec and Krevl (2014) for SNAP.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.core import Graph
from ircourse.kernels import kernel

__all__ = ["read_edges"]

MAX_BYTES = 10**8  # unpacked: numbering takes 16 to 18 times that in memory, 34 for the shortest lines
PIECE = 2**23
_SMALL = 2**14  # below this the plain loop is done before numba is loaded
_NUMBERED = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})([ \t]+\d+)?[ \t]*\r?\n[ \t]*\d+[ \t]+[^\s\d#%,-]")
_WRONG = {
    1: "give the numbers of two nodes, from and to, and no weight",
    2: "the number of a node is at least 0",
    3: "the number of a node is at most 9223372036854775799",
}


def read_edges(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Graph:
    """Return the graph of a file, an edge list or numbered URLs; nodes in the order in which they appear.

    max_bytes  the most that the file may hold, unpacked; memory is needed for 140 to 250 bytes a link

    Parallel links become one, self-loops stay, a URL that has two numbers is one page. A file of comments
    alone is the empty graph. Raises OSError where the file cannot be read, and ValueError, with the number
    of the line, for what is in neither form, damaged, or too large.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.txt")
    ...     _ = path.write_text("# three links\\n4 7\\n7 4\\n4 4\\n", encoding="ascii")
    ...     list(read_edges(path).edges())
    [(4, 7), (4, 4), (7, 4)]
    """
    pieces = _pieces(path, max_bytes)
    first = next(pieces, b"").removeprefix(b"\xef\xbb\xbf")
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{path} is in UTF-16: save it as UTF-8")
    if header := _NUMBERED.match(first):
        return _numbered(path, first, pieces, int(header[1]), int(header[2]))
    return Graph.from_edges(_pairs(path, first, pieces, 1))


def _pieces(path: str | os.PathLike[str], max_bytes: int) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked, in pieces that end where a line does."""
    with open(path, "rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if packed else raw
        total, rest = 0, b""
        while piece := _read(path, stream):
            total += len(piece)
            if total > max_bytes:
                raise ValueError(f"{path} holds more than {max_bytes:,} bytes: raise max_bytes to read it")
            end = piece.rfind(b"\n") + 1
            if end:
                yield rest + piece[:end]
                rest = piece[end:]
            else:
                rest += piece
            if len(rest) > PIECE:
                raise ValueError(f"{path} has a line of more than {PIECE:,} bytes: it is no list of links")
        if rest:
            yield rest + b"\n"


def _read(path: str | os.PathLike[str], stream: IO[bytes]) -> bytes:
    try:
        return stream.read(PIECE)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is a damaged gzip file: {error}") from None


def _pairs(path: str | os.PathLike[str], first: bytes, more: Iterator[bytes], line: int) -> NDArray[np.int64]:
    """Return the links of an edge list whose first piece starts with the given line, int64 (m, 2)."""
    found = [np.empty((0, 2), np.int64)]
    piece: bytes | None = first
    while piece is not None:
        read = parse_pairs if len(piece) > _SMALL else parse_pairs.plain
        pairs, at = np.empty((piece.count(b"\n"), 2), np.int64), np.zeros(3, np.int64)
        if wrong := int(read(np.frombuffer(piece, np.uint8), pairs, at)):
            start = piece.rfind(b"\n", 0, int(at[2])) + 1
            text = _shown(piece[start : piece.find(b"\n", start)])
            raise ValueError(f"{path}, line {line + int(at[1])}: {text}; {_WRONG[wrong]}")
        found.append(pairs[: at[0]].copy())
        line += int(at[1])
        piece = next(more, None)
    return np.concatenate(found)


def _numbered(path: str | os.PathLike[str], piece: bytes, more: Iterator[bytes], n: int, m: int) -> Graph:
    """Return the graph of a file of numbered URLs."""
    urls: dict[int, str] = {}
    line, start = 1, piece.find(b"\n") + 1
    while len(urls) < n:
        if start == len(piece):
            piece, start = next(more, b""), 0
            if not piece:
                raise ValueError(f"{path} says that it has {n:,} pages, and ends after {len(urls):,}")
        end = piece.find(b"\n", start)
        line += 1
        number, url = _page(path, line, piece[start:end])
        if urls.setdefault(number, url) != url:
            raise ValueError(f"{path}, line {line}: page {number} is {urls[number]!r:.80} already")
        start = end + 1
    pairs = _pairs(path, piece[start:], more, line + 1)
    if len(pairs) != m:
        raise ValueError(f"{path} says that it has {m:,} links, and has {len(pairs):,}")
    return _with_urls(path, urls, pairs)


def _page(path: str | os.PathLike[str], line: int, text: bytes) -> tuple[int, str]:
    """Return the number and the URL of a page."""
    number, _, url = text.strip().replace(b"\t", b" ", 1).partition(b" ")
    try:
        if not number.isdigit() or len(number) > 18:
            raise ValueError(number)
        return int(number), url.strip().decode("utf-8")
    except ValueError:
        raise ValueError(
            f"{path}, line {line}: {_shown(text)}; give the number of a page and its URL, in UTF-8"
        ) from None


def _with_urls(path: str | os.PathLike[str], urls: dict[int, str], pairs: NDArray[np.int64]) -> Graph:
    """Return the graph of pairs of page numbers under the pages' URLs."""
    labels = tuple(dict.fromkeys(urls.values()))
    at = {url: i for i, url in enumerate(labels)}
    ids = np.array(sorted(urls), np.int64)
    place = np.array([at[urls[number]] for number in ids.tolist()], np.int64)
    known = np.isin(pairs, ids)
    if not known.all():
        i = int(np.flatnonzero(~known.all(axis=1))[0])
        raise ValueError(f"{path}: link {i + 1} is {pairs[i].tolist()}, and one of them has no URL")
    graph = Graph.from_edges(place[np.searchsorted(ids, pairs)] if len(pairs) else pairs, range(len(labels)))
    return Graph(graph.indptr, graph.indices, None, labels)


def _shown(text: bytes) -> str:
    return f"{text.decode('utf-8', 'replace').strip()!r:.80}"


@kernel("int64(const uint8[::1], int64[:, ::1], int64[::1])")
def parse_pairs(text, pairs, at):  # type: ignore[no-untyped-def]
    """Fill ``pairs`` from lines of two numbers; return 0, or what is wrong, a key of ``_WRONG``.

    at  pairs found, lines before the one that is wrong, place of the wrong byte
    """
    count, line, column, i = 0, 0, 0, 0
    while i < len(text):
        byte = text[i]
        wrong = 0
        if 48 <= byte <= 57:  # 0 … 9
            number = np.int64(0)
            while i < len(text) and 48 <= text[i] <= 57:
                if number > 922337203685477579:  # ten times as much is above 2**63 − 10
                    wrong = 3
                else:
                    number = 10 * number + np.int64(text[i] - 48)
                i += 1
            if column < 2:
                pairs[count, column] = number
            column += 1
            ends = i == len(text) or text[i] in (9, 10, 13, 32, 35, 37, 44)
            if wrong == 0 and (column > 2 or not ends):
                wrong = 1
        elif byte == 35 or byte == 37:  # a comment, from # or % on
            while i < len(text) and text[i] != 10:
                i += 1
        elif byte == 10:
            if column == 1:
                wrong = 1
            elif column == 2:
                count += 1
            if wrong == 0:
                line, column, i = line + 1, 0, i + 1
        elif byte == 32 or byte == 9 or byte == 13 or byte == 44:
            i += 1
        else:
            wrong = 2 if byte == 45 else 1  # a minus
        if wrong != 0:
            at[0], at[1], at[2] = count, line, i
            return wrong
    at[0], at[1] = count, line
    return 0
