"""Reading a page store: the newest answer of a URL, or all of them (notes, storing pages).

entry   where an answer stands, see `index`
origin  the entry whose body an answer repeats: bodies that have not changed are kept once

A page is read with one seek, or two where its body was kept before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from typing import BinaryIO, NamedTuple

from ircourse.crawl.store.files import Archive
from ircourse.crawl.store.index import Entry, Index
from ircourse.crawl.store.members import Members
from ircourse.crawl.store.warc import WarcRecord, http_answer, record_at
from ircourse.crawl.store.warc_writing import UNCHANGED, original_headers
from ircourse.types import Response

__all__ = ["Capture", "StoredPages", "StoredResponse", "date_of"]

MAX_OPEN = 8  # files kept open for reading
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Capture(NamedTuple):
    """An answer in short: when, its status, the digest of its body, and how it is kept.

    kind  "response", "same body" (as before, by its digest), "not modified" (as before, by the server's
          word), or "resource" and "conversion" for documents alone
    """

    date: datetime
    status: int
    digest: str
    kind: str


@dataclass(frozen=True, slots=True)
class StoredResponse(Response):
    """A response with its URL and the date on which it was fetched."""

    url: str = ""
    date: datetime = EPOCH


class StoredPages(Mapping[str, StoredResponse]):
    """What a `PageStore` tells of its pages."""

    _index: Index
    _archive: Archive
    _closing: ExitStack

    def __init__(self) -> None:
        self._readers: dict[tuple[int, bool], tuple[BinaryIO, Members]] = {}

    def __getitem__(self, url: str) -> StoredResponse:
        """Return the newest answer of ``url``. Raises KeyError where there is none."""
        entry = self._index.newest(url)
        if entry is None:
            if url in self:
                raise ValueError(f"the index is damaged, it has no answer of {url!r:.80}: remove it")
            raise KeyError(url)
        return self._stored(url, entry)

    def get(  # type: ignore[override]
        self, url: str, default: StoredResponse | None = None, *, at: datetime | float | None = None
    ) -> StoredResponse | None:
        """Return the newest answer of ``url`` that is no error; where all are errors the newest one.

        at  no answer later than this, a date or seconds since 1970
        """
        latest = at.timestamp() if isinstance(at, datetime) else inf if at is None else at
        answers = (self._stored(url, e) for e in self._index.history(url)[::-1] if e.date <= latest)
        newest = next(answers, default)
        if newest is None or newest.status < 400:
            return newest
        return next((answer for answer in answers if answer.status < 400), newest)

    def captures(self, url: str) -> Iterator[Capture]:
        """Yield all answers of ``url`` in short, in the order of storing."""
        for entry in self._index.history(url):
            record = self._record(entry)
            kind = record.kind
            if kind == "revisit":
                kind = "not modified" if record.fields.get("warc-profile") == UNCHANGED else "same body"
            yield Capture(date_of(entry), self._response(entry, record).status, entry.digest, kind)

    def gone(self, url: str) -> datetime | None:
        """Return since when a page is gone; None for one that is not, or has come back since."""
        since = self._index.gone(url)
        return None if since is None else datetime.fromtimestamp(since, UTC)

    def history(self, url: str) -> list[StoredResponse]:
        """Return all answers of ``url``, in the order of storing; none for a URL that is not there."""
        return [self._stored(url, entry) for entry in self._index.history(url)]

    def __iter__(self) -> Iterator[str]:
        return self._index.urls()

    def __len__(self) -> int:
        return self._index.count()

    def __contains__(self, url: object) -> bool:
        return isinstance(url, str) and self._index.holds(url)

    def _stored(self, url: str, entry: Entry) -> StoredResponse:
        answer = self._answer(entry)
        origin = self._index.entry(entry.source) if entry.source else None
        if origin:
            kept = self._answer(origin, again=True)
            answer = kept if answer.status == 304 else replace(answer, body=kept.body)
        headers = original_headers(answer.headers)
        return StoredResponse(answer.status, headers, answer.body, url=url, date=date_of(entry))

    def _answer(self, entry: Entry, again: bool = False) -> Response:
        """Return the answer that stands at a place."""
        return self._response(entry, self._record(entry, again))

    def _record(self, entry: Entry, again: bool = False) -> WarcRecord:
        """Return the record at a place. Raises ValueError where the file does not hold it any more."""
        found = record_at(self._reader(entry.file, again), entry.place)
        if found is None:
            raise self._missing(entry)
        return found

    def _response(self, entry: Entry, found: WarcRecord) -> Response:
        if found.kind in ("resource", "conversion"):
            return Response(200, {"content-type": found.fields.get("content-type", "")}, found.block)
        answer = http_answer(found.block)
        if answer is None:
            raise self._missing(entry)
        return answer

    def _missing(self, entry: Entry) -> ValueError:
        return ValueError(f"{self._archive.name(entry.file)} holds no answer at byte {entry.place[0]}")

    def _reader(self, file: int, again: bool) -> Members:
        """Return a file open for reading, of which few are kept.

        again  for bodies that are repeated, so that these do not take the others back in their file
        """
        reader = self._readers.pop((file, again), None)
        if reader is None:
            stream = self._archive.open(file)
            self._closing.callback(stream.close)
            reader = stream, Members(stream)
        self._readers[file, again] = reader
        if len(self._readers) > MAX_OPEN:
            self._readers.pop(next(iter(self._readers)))[0].close()  # the one unused for longest
        return reader[1]


def date_of(entry: Entry) -> datetime:
    """Return when an answer was fetched."""
    return datetime.fromtimestamp(entry.date, UTC)
