"""Input in parts that workers read themselves, so that no process holds all of it.

part   says where some of the input stands: a file and the range of bytes, or the files; a few hundred bytes
Lines  of a text file, a text each          Warc  the pages of a WARC file
Files  whole, a text each                   Held  texts that the client has in memory
Edges  links, a line each of two numbers    (the last is for texts that fit there)

A line or record belongs to the part in which it begins, so the parts of a file hold each once. Files packed
by gzip are cut, too: see ``packed``. Each worker must see the files under the same paths. Parts in the order
of their files number the texts from 0. ``cutting`` makes them.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from ircourse.distribute.jobs.packed import Keeps, is_packed
from ircourse.distribute.jobs.ranges import Range
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
]

MAX_LINE = 2**26


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
class Lines(Keeps):
    """The lines that begin at bytes ``start`` … ``stop`` − 1 of a file in UTF-8; stop None: to its end.

    name  what the file is called where ``path`` is a temporary one
    keep  that temporary file

    A byte that is no UTF-8 becomes U+FFFD. Raises ValueError for a line of over 64 MiB.
    """

    path: str
    start: int = 0
    stop: int | None = None
    name: str = ""
    keep: object = field(default=None, compare=False, repr=False)

    @property
    def file(self) -> str:
        """The file that the user gave."""
        return self.name or self.path

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines, without their ends, and where each begins."""
        with _opened(self.path, self.stop is None) as stream:
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
        return (f"{self.file}@{at}" for at, _ in self.lines())

    def _line(self, stream: BinaryIO, at: int) -> bytes:
        line = stream.readline(MAX_LINE)
        if len(line) == MAX_LINE:
            raise ValueError(f"{self.file} has a line of over {MAX_LINE:,} bytes at byte {at}: it is no text")
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
class Warc(Keeps):
    """The pages of a WARC file whose records begin at bytes ``start`` … ``stop`` − 1; None: to its end.

    Pages are the answers with status 200, and bare documents. Raises ValueError at damage.
    """

    path: str
    start: int = 0
    stop: int | None = None
    keep: object = field(default=None, compare=False, repr=False)

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


def _opened(path: str, whole: bool) -> BinaryIO:
    """Return a file open for reading; what is cut in parts is not packed."""
    return cast(BinaryIO, gzip.open(path)) if whole and is_packed(path) else open(path, "rb")


def _text(body: bytes, url: str, content_type: str) -> str:
    """Return the text of a body; empty for types that hold none."""
    from ircourse.crawl.pages.charset import decode_text
    from ircourse.crawl.pages.html import parse_html

    if content_type.partition(";")[0].strip().lower() == "text/plain":
        return decode_text(body, content_type)[0]
    page = parse_html(body, url, content_type or None)
    return f"{page.title}\n{page.text}".strip()
