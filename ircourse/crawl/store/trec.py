"""Collections in TREC's two formats: all documents in one file, one after another (notes, storing pages).

trectext  <DOC> <DOCNO>1</DOCNO> <TEXT>the words</TEXT> </DOC>
trecweb   <DOC> <DOCNO>1</DOCNO> <DOCHDR>address, then headers, a line each</DOCHDR> the page </DOC>
record    what stands between <DOC> and </DOC>; a file may hold both kinds, told by what comes first after the
          number, DOCHDR or TEXT

Neither is XML: nothing is escaped, "&" and "<" stand as they are, and tags are in capitals. So a record ends
at the first </DOC>, wherever it stands, and a <DOC> at the beginning of a line says that the one before was
never closed.

Differs from the notes: they show trectext under the name TREC Web.
Sources: the Lemur toolkit's guide to its data formats; TREC's collections WT10g and GOV2.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

from ircourse.crawl.store.members import GZIP
from ircourse.crawl.store.trec_record import ENDS, TrecDocument, document_of, record_of

__all__ = ["TrecDocument", "TrecProblem", "is_trec", "read_trec", "write_trec"]

MAX_RECORD = 64 * 2**20  # bytes
MAX_BYTES = 2**34  # of a file, unpacked
_CHUNK = 2**20
_RAW = 2**12
_SHOWN = 40  # bytes of what is no record
_BOM = b"\xef\xbb\xbf"
_CUT = rb"(?<!<D)(?<!<DO)(?<!<DOC)"  # not within a <DOC> that the data end in
_FIRST = re.compile(rb"<DOC>|[^\s<]" + _CUT + rb"|<(?!DOC>|D?O?C?\Z)")  # of what is no white space
_OPENS = re.compile(rb"<DOC>")
_OVERLAP = 32  # bytes, more than any mark has


class TrecProblem(NamedTuple):
    """A record left out: the line and the byte, unpacked, at which it begins, lines from 1, and why."""

    line: int
    offset: int
    reason: str


Report = Callable[[TrecProblem], None]


def read_trec(
    path: str | os.PathLike[str],
    report: Report | None = None,
    *,
    max_record: int = MAX_RECORD,
    max_bytes: int = MAX_BYTES,
) -> Iterator[TrecDocument]:
    """Yield the documents of a file in trectext or trecweb, packed with gzip or not, as they are read.

    report  called with each `TrecProblem`, for example ``problems.append``: broken records are left out and
            reading goes on. Without it the first one raises ValueError, as in the other readers
    max_record, max_bytes  the most that a record and the whole file may hold, unpacked

    Several TEXT parts are joined by newlines, a number's white space is collapsed, names of headers are in
    lower case; other fields are passed over. One newline after <TEXT> or </DOCHDR> and one before the end
    belong to the format. Memory holds one record. Raises OSError where the file cannot be opened.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.trec")
    ...     _ = path.write_text("<DOC><DOCNO> 1 </DOCNO><TEXT>Index this.</TEXT></DOC>\\n<DOC>\\n</DOC>")
    ...     problems = []
    ...     [document.text for document in read_trec(path, problems.append)], problems
    (['Index this.'], [TrecProblem(line=2, offset=54, reason='no DOCNO')])
    """

    def tell(problem: TrecProblem) -> None:
        if report is None:
            raise ValueError(f"{os.fspath(path)}, line {problem.line}: {problem.reason}")
        report(problem)

    with open(path, "rb") as stream:
        scanner = _Scanner(stream, max_bytes)
        try:
            for line, offset, record in scanner.records(max_record, tell):
                try:
                    document = document_of(record)
                except ValueError as error:
                    tell(TrecProblem(line, offset, str(error)))
                else:
                    yield document
        except (EOFError, OverflowError, zlib.error) as error:
            tell(TrecProblem(scanner.line, scanner.offset, f"the rest cannot be read: {error}"))


def write_trec(
    path: str | os.PathLike[str], documents: Iterable[TrecDocument], report: Report | None = None
) -> int:
    """Write documents to a file, those with a URL in trecweb, others in trectext; return how many.

    report  called for each document that the format cannot hold, with the line and the byte where it would
            have been; it is left out. Without it the first one raises ValueError, and nothing is written

    A name in ``.gz`` packs the file. `read_trec` gives the same documents back, byte for byte; those that
    it could not are not written: a body with </DOC>, with <DOC> at the beginning of a line, or in trectext
    with </TEXT>, an empty number or one with "<" or spaces that collapse, a header of several lines.
    """
    path = Path(path)
    part = path.with_name(path.name + ".part")
    line, offset, written = 1, 0, 0
    try:
        with _writing(part, path.name.endswith(".gz")) as stream:
            for document in documents:
                try:
                    record = record_of(document)
                except ValueError as error:
                    if report is None:
                        raise
                    report(TrecProblem(line, offset, str(error)))
                    continue
                stream.write(record)
                line, offset, written = line + record.count(b"\n"), offset + len(record), written + 1
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return written


def is_trec(path: str | os.PathLike[str]) -> bool:
    """Return whether a file, packed or not, begins with a record."""
    with open(path, "rb") as stream:
        try:
            first = next(filter(None, _pieces(stream)), b"")
        except (EOFError, zlib.error):
            return False
    return first[:_CHUNK].removeprefix(_BOM).lstrip().startswith(b"<DOC>")


class _Scanner:
    """Takes a file apart at its marks; ``line`` and ``offset`` are those of the next byte."""

    def __init__(self, stream: BinaryIO, max_bytes: int) -> None:
        self._pieces = _pieces(stream)
        self._data, self._at = b"", 0
        self._left = self._limit = max_bytes
        self.line, self.offset = 1, 0

    def records(self, most: int, tell: Report) -> Iterator[tuple[int, int, bytes]]:
        """Yield line, offset and inside of each record that is closed."""
        mark = b""
        while True:
            if not mark.endswith(b"<DOC>"):
                mark = self._next_record(tell)
            if not mark:
                return
            line, offset = self.line, self.offset - len(b"<DOC>")
            record, mark = self._take(ENDS, most)
            if mark != b"</DOC>":
                following = "the next <DOC>" if mark else "the end"
                tell(TrecProblem(line, offset, f"no </DOC> before {following}"))
            elif len(record) > most:
                tell(TrecProblem(line, offset, f"over {most:,} bytes: raise max_record to read it"))
            else:
                yield line, offset, record

    def _next_record(self, tell: Report) -> bytes:
        """Go past the next <DOC> and return it; b"" where there is none."""
        blank, mark = self._take(_FIRST, _SHOWN)
        if mark == b"<DOC>" or not blank.strip() + mark:
            return mark
        found = blank.strip() + mark
        line, offset = self.line, self.offset - len(found)
        between, mark = self._take(_OPENS, _SHOWN)
        found += between
        if offset or found.strip() != _BOM:
            tell(TrecProblem(line, offset, f"no <DOC> begins with {found.strip()[:_SHOWN]!r}"))
        return mark

    def _take(self, marks: re.Pattern[bytes], most: int) -> tuple[bytes, bytes]:
        """Return the bytes before the next mark, cut after ``most`` + 1, and the mark, b"" at the end."""
        held = bytearray()
        while True:
            mark = marks.search(self._data, self._at)
            read = b"" if mark else next(filter(None, self._pieces), b"")
            self._left -= len(read)
            if self._left < 0:
                raise OverflowError(f"over {self._limit:,} bytes: raise max_bytes to read them")
            end = mark.start() if mark else len(self._data) - (_OVERLAP if read else 0)
            held += self._pass(max(end, self._at))[: most + 1 - len(held)]
            if mark:
                return bytes(held), self._pass(mark.end())
            if not read:
                return bytes(held), b""
            self._data, self._at = self._data[self._at :] + read, 0

    def _pass(self, end: int) -> bytes:
        """Go on to a byte of the data and return what lies before it."""
        passed = self._data[self._at : end]
        self._at, self.offset, self.line = end, self.offset + len(passed), self.line + passed.count(b"\n")
        return passed


@contextmanager
def _writing(path: Path, packed: bool) -> Iterator[IO[bytes]]:
    """Open a file for writing; a packed one holds no date, so that equal documents give equal files."""
    with open(path, "wb") as file:
        if packed:
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as stream:
                yield cast(IO[bytes], stream)
        else:
            yield file


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked where it is gzip; little is lost before what is damaged."""
    packed = stream.read(len(GZIP)) == GZIP
    stream.seek(0)
    unpacker = zlib.decompressobj(31)
    while raw := stream.read(_RAW if packed else _CHUNK):
        if not packed:
            yield raw
            continue
        full = False
        while raw or (full and not unpacker.eof):
            if unpacker.eof:
                unpacker = zlib.decompressobj(31)
            piece = unpacker.decompress(raw, _CHUNK)
            yield piece
            raw, full = unpacker.unconsumed_tail or unpacker.unused_data, len(piece) == _CHUNK
    if packed and not unpacker.eof:
        raise EOFError("the file ends within a gzip member")
