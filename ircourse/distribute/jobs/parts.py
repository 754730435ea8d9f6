"""Input in parts that workers read themselves, so that no process holds all of it.

part   says where some of the input stands: a file and the range of bytes, or the files; a few hundred bytes
Lines  of a text file, a text each          Warc  the pages of a WARC file
Files  whole, a text each                   Held  texts that the client has in memory
Edges  links, a line each of two numbers    (the last is for texts that fit there)

A line or record belongs to the part in which it begins, so the parts of a file hold each once. A file that is
packed by gzip is one part, for it can be read from its beginning alone; it is unpacked as it is read. Each
worker must see the files under the same paths. Parts in the order of their files number the texts from 0.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias, cast

from ircourse.distribute.jobs.ranges import Range, record_starts
from ircourse.distribute.jobs.sizes import Sized

if TYPE_CHECKING:
    from ircourse.crawl.store.warc import WarcPage

__all__ = [
    "Edges",
    "Files",
    "Held",
    "Lines",
    "TextPart",
    "Warc",
    "edge_parts",
    "file_parts",
    "line_parts",
    "warc_parts",
]

SIZE = 2**23  # bytes of a part; a worker needs some thirty times that for sketches of short texts
MAX_LINE = 2**26
PathLike: TypeAlias = str | os.PathLike[str]


class TextPart(Protocol):
    """Some of the texts of a job."""

    def texts(self) -> Iterator[str]:
        """Yield the texts, one at a time."""

    def names(self) -> Iterator[str]:
        """Yield what each text is called: a path, a URL, a path with the byte where a line begins."""


@dataclass(frozen=True)
class Held(Sized):
    """Texts in memory; their names are empty."""

    held: tuple[str, ...]

    def texts(self) -> Iterator[str]:
        """Yield the texts."""
        return iter(self.held)

    def names(self) -> Iterator[str]:
        """Yield nothing but empty names."""
        return iter([""] * len(self.held))


@dataclass(frozen=True)
class Lines:
    """The lines that begin at bytes ``start`` … ``stop`` − 1 of a file in UTF-8; stop None: to its end.

    A byte that is no UTF-8 becomes U+FFFD. Raises ValueError for a line of over 64 MiB.
    """

    path: str
    start: int = 0
    stop: int | None = None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines, without their ends, and where each begins."""
        with _opened(self.path) as stream:
            at = stream.seek(max(0, self.start - 1))
            if self.start:
                at += len(self._line(stream, at))  # of the part before, or the end of its last line
            while (self.stop is None or at < self.stop) and (line := self._line(stream, at)):
                yield at, line.rstrip(b"\r\n")
                at += len(line)

    def texts(self) -> Iterator[str]:
        """Yield the lines as texts."""
        return (line.decode("utf-8", "replace") for _, line in self.lines())

    def names(self) -> Iterator[str]:
        """Yield the path and the byte where each line begins."""
        return (f"{self.path}@{at}" for at, _ in self.lines())

    def _line(self, stream: BinaryIO, at: int) -> bytes:
        line = stream.readline(MAX_LINE)
        if len(line) == MAX_LINE:
            raise ValueError(f"{self.path} has a line of over {MAX_LINE:,} bytes at byte {at}: it is no text")
        return line


@dataclass(frozen=True)
class Edges(Lines):
    """The links of an edge list: lines of two numbers, from and to; comments begin with # or %."""


@dataclass(frozen=True)
class Files:
    """Whole files, a text each: HTML by its name's ending, any other as plain text."""

    paths: tuple[str, ...]

    def texts(self) -> Iterator[str]:
        """Yield the text of each file, markup taken out."""
        for path in self.paths:
            html = path.lower().endswith((".html", ".htm", ".xhtml"))
            yield _text(Path(path).read_bytes(), "http://localhost/", "text/html" if html else "text/plain")

    def names(self) -> Iterator[str]:
        """Yield the paths."""
        return iter(self.paths)


@dataclass(frozen=True)
class Warc:
    """The pages of a WARC file whose records begin at bytes ``start`` … ``stop`` − 1; None: to its end.

    Pages are the answers with status 200, and bare documents. Raises ValueError at damage.
    """

    path: str
    start: int = 0
    stop: int | None = None

    def texts(self) -> Iterator[str]:
        """Yield the title and the text of each page; an empty text for images and the like."""
        return (_text(page.body, page.url, page.content_type) for page in self.pages())

    def names(self) -> Iterator[str]:
        """Yield the URLs."""
        return (page.url for page in self.pages())

    def pages(self) -> Iterator[WarcPage]:
        """Yield the pages as they were sent."""
        from ircourse.crawl.store.warc import warc_pages  # here: a worker that reads lines needs no crawler

        with open(self.path, "rb") as file:
            stream = file if self.stop is None else cast(BinaryIO, Range(file, self.start, self.stop))
            yield from warc_pages(stream)


def line_parts(paths: PathLike | Iterable[PathLike], size: int = SIZE) -> list[Lines]:
    """Return parts of about ``size`` bytes of text files with a text a line, packed by gzip or not.

    paths  a file or several; a folder stands for the files in it by name, hidden ones aside

    Raises OSError for what cannot be read, ValueError for a size below 1; so do the others.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "two").write_text("a rose\\nis a rose\\n", encoding="ascii")
    ...     [list(part.texts()) for part in line_parts(folder, size=8)]
    [['a rose', 'is a rose'], [], []]
    """
    return [Lines(*cut) for cut in _ranges(paths, size)]


def edge_parts(paths: PathLike | Iterable[PathLike], size: int = SIZE) -> list[Edges]:
    """Return parts of edge lists, as ``line_parts`` does of texts."""
    return [Edges(*cut) for cut in _ranges(paths, size)]


def file_parts(paths: PathLike | Iterable[PathLike], size: int = SIZE) -> list[Files]:
    """Return parts of files that are a text each: as many a part as have ``size`` bytes together."""
    parts: list[list[str]] = []
    room = 0
    for path in _files(paths, size):
        bytes_ = os.path.getsize(path)
        if not parts or bytes_ > room:
            parts.append([])
            room = size
        parts[-1].append(path)
        room -= bytes_
    return [Files(tuple(part)) for part in parts]


def warc_parts(paths: PathLike | Iterable[PathLike], size: int = SIZE) -> list[Warc]:
    """Return parts of WARC files; of a folder, such as a page store, those named ``.warc`` or ``.warc.gz``.

    Where records begin is read off their heads; from a damaged one on the file is one part, whose reader
    tells of the damage.
    """
    parts: list[Warc] = []
    for path in _files(paths, size, (".warc", ".warc.gz")):
        cuts: list[int] = []
        for start in [] if _is_packed(path) else record_starts(path):
            if not cuts or start - cuts[-1] >= size:
                cuts.append(start)
        parts += [Warc(path, *cut) for cut in pairwise(cuts)]
        parts.append(Warc(path, cuts[-1], os.path.getsize(path)) if cuts else Warc(path))
    return parts


def _files(paths: PathLike | Iterable[PathLike], size: int, endings: tuple[str, ...] = ("",)) -> list[str]:
    """Return the files, as absolute paths: a worker may have another working folder."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"size is {size!r}: give a number of bytes of at least 1")
    found: list[Path] = []
    for path in map(Path, [paths] if isinstance(paths, str | os.PathLike) else paths):
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        found += [
            p for p in inside if p == path or (p.is_file() and p.name.endswith(endings) and p.name[0] != ".")
        ]
    return [str(path.absolute()) for path in found]


def _ranges(paths: PathLike | Iterable[PathLike], size: int) -> Iterator[tuple[str, int, int | None]]:
    for path in _files(paths, size):
        if _is_packed(path):
            yield path, 0, None
            continue
        whole = os.path.getsize(path)
        yield from ((path, start, min(start + size, whole)) for start in range(0, whole, size))


def _is_packed(path: str) -> bool:
    with open(path, "rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _opened(path: str) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if _is_packed(path) else open(path, "rb")


def _text(body: bytes, url: str, content_type: str) -> str:
    """Return the text of a body; empty for types that hold none."""
    from ircourse.crawl.pages.charset import decode_text
    from ircourse.crawl.pages.html import parse_html

    if content_type.partition(";")[0].strip().lower() == "text/plain":
        return decode_text(body, content_type)[0]
    page = parse_html(body, url, content_type or None)
    return f"{page.title}\n{page.text}".strip()
