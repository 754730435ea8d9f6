"""A store of crawled pages: WARC files, and an index by URL beside them (notes, storing pages).

    with PageStore("harbour") as store:     # a folder, made where there is none
        store.add(url, response)            # date=, request= if wanted
        store.state["frontier"] = b"…"      # the crawl's own named bytes, and
        store.connection.execute("…")       # tables of its own in the same SQLite file
        store.commit()                      # all of that or nothing

    store[url].status, .headers, .body, .date   the newest; store.history(url) all, oldest first
    url in store, len(store), for url in store  URLs in the order in which they were first stored

What a store must do (notes): scalability, random and streamed access, large updates, compression. Each
record is a gzip member of its own, so a page is read with one seek; an update is a further record, and a body
that has not changed is not written again.

What a kill leaves. A record is written to the system before its row is committed, so a committed row always
has its record. Bytes after the last commit belong to no row: the next writer cuts them off, torn record or
whole, since the crawl's own state does not know them either. `commit(durable=True)` also waits for the disk,
WARC first: what it returned from survives a loss of power. After a loss of power between two of those, rows
without a whole record are taken out, and `lost` names their URLs.

One process writes at a time, from the first `add`, `state` or `connection` on; others may read meanwhile.
Use a store from one thread at a time. Files of others in the folder are read, never changed.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from sqlite3 import Connection
from typing import BinaryIO
from urllib.parse import urlsplit, urlunsplit

from ircourse.crawl.store.files import Archive
from ircourse.crawl.store.index import Entry, State
from ircourse.crawl.store.intake import open_index, take_in
from ircourse.crawl.store.members import Members
from ircourse.crawl.store.warc import MAX_BLOCK, http_answer, record_at
from ircourse.crawl.store.warc_writing import (
    SAME_BODY,
    UNCHANGED,
    answer_block,
    moment,
    original_headers,
    payload_digest,
    record,
    record_id,
)
from ircourse.types import Response

__all__ = ["PageStore", "StoredResponse"]

MAX_FILE = 10**9  # bytes, after which a new file is begun
MAX_OPEN = 8  # files kept open for reading
_ANSWER = "application/http; msgtype=response"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredResponse(Response):
    """A response with its URL and the date on which it was fetched."""

    url: str = ""
    date: datetime = EPOCH


class PageStore(Mapping[str, StoredResponse]):
    """The pages in a folder of WARC files, or in one WARC file, which is then only read.

    about     fields of the record that opens each file written, beside software and format: "robots",
              "http-header-user-agent", "operator", …
    level     of compression, 1 (fast) to 9
    max_file  bytes after which the next commit begins a new file

    damaged   what could not be read, by the name of its file: reading ended there
    lost      URLs whose pages a loss of power took

    Raises ValueError where the path holds no store, and where another process writes to it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, PageStore(folder) as store:
    ...     store.add("http://harbour.example/", Response(200, {"content-type": "text/plain"}, b"ferries"))
    ...     store["http://harbour.example/"].body, len(store)
    (b'ferries', 1)
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        about: Mapping[str, str] | None = None,
        level: int = 1,
        max_file: int = MAX_FILE,
    ) -> None:
        self.path = Path(path)
        self._closing = ExitStack()
        weakref.finalize(self, self._closing.close)
        self._readers: dict[tuple[int, bool], tuple[BinaryIO, Members]] = {}
        self._index = self._closing.enter_context(open_index(self.path))
        self._archive = Archive(self.path, self._index, dict(about or {}), level, max_file)
        self._closing.callback(self._archive.close)
        self.lost = take_in(self.path, self._index)
        self.damaged = {file.name: file.damage for file in self._index.files() if file.damage}

    def add(
        self,
        url: str,
        response: Response,
        *,
        date: float | None = None,
        request: Mapping[str, str] | None = None,
    ) -> None:
        """Store the answer to ``url``; `commit` keeps it.

        date     seconds since 1970; None: now
        request  headers that were sent: kept in a record of their own

        A body equal to the last one of this URL is not written again. After 304 (not modified) the
        newest is what was stored last, with the new date.
        """
        if not re.fullmatch(r"[^\s\x00-\x1f<>]+", url):
            raise ValueError(f"{url!r} is no URL: characters other than white space expected")
        when = datetime.now(UTC) if date is None else datetime.fromtimestamp(date, UTC)
        digest = payload_digest(response.body)
        answer, origin = self._answer_record(url, response, when, digest)
        records = [answer] if request is None else [_request(url, request, moment(when), answer), answer]
        file, start = self._archive.append(records, moment(when))
        digest, source = (origin.digest, origin.id) if origin else (digest, None)
        try:
            self._index.add(url, when.timestamp(), digest, file, (start, 0), source)
        except BaseException:
            self._archive.undo()
            raise

    def _answer_record(
        self, url: str, response: Response, when: datetime, digest: str
    ) -> tuple[bytes, Entry | None]:
        """Return the record of an answer, and the entry of the body that it repeats."""
        block = answer_block(response)
        if len(block) > MAX_BLOCK:
            raise ValueError(f"{url}: {len(block)} bytes; {MAX_BLOCK} at most can be read again")
        last = self._index.newest(url)
        same = last is not None and response.body != b"" and last.digest == digest
        fields = {"Target-URI": url, "Date": moment(when), "Content-Type": _ANSWER}
        if last is None or not (same or response.status == 304):
            return record("response", fields | {"Payload-Digest": digest}, block), None
        origin = (self._index.entry(last.source) if last.source else None) or last
        fields |= {"Profile": SAME_BODY if same else UNCHANGED, "Payload-Digest": origin.digest}
        fields |= {"Refers-To-Target-URI": url, "Refers-To-Date": moment(_date(origin))}
        return record("revisit", fields, block[: len(block) - len(response.body)]), origin

    def __getitem__(self, url: str) -> StoredResponse:
        """Return the newest answer of ``url``. Raises KeyError where there is none."""
        entry = self._index.newest(url)
        if entry is None:
            if url in self:
                raise ValueError(f"the index is damaged, it has no answer of {url!r:.80}: remove it")
            raise KeyError(url)
        return self._stored(url, entry)

    def history(self, url: str) -> list[StoredResponse]:
        """Return all answers of ``url``, in the order of storing; none for a URL that is not there."""
        return [self._stored(url, entry) for entry in self._index.history(url)]

    def __iter__(self) -> Iterator[str]:
        return self._index.urls()

    def __len__(self) -> int:
        return self._index.count()

    def __contains__(self, url: object) -> bool:
        return isinstance(url, str) and self._index.holds(url)

    @property
    def connection(self) -> Connection:
        """Return the SQLite connection, for tables of the crawl's own; `commit` ends its transaction."""
        self._archive.begin()
        return self._index.connection

    @property
    def state(self) -> State:
        """Return named bytes that are kept with the pages, a mutable mapping."""
        return State(self.connection)

    def commit(self, durable: bool = False) -> None:
        """Keep what was added and set: all of it, or where the process is killed meanwhile nothing.

        durable  wait until the disk has it, so that a loss of power takes nothing
        """
        self._archive.commit(durable)

    def rollback(self) -> None:
        """Drop what was added and set since the last commit."""
        self._archive.rollback()

    def close(self) -> None:
        """Commit and let others write; a closed store is not to be used."""
        self.commit()
        self._closing.close()

    def __enter__(self) -> PageStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stored(self, url: str, entry: Entry) -> StoredResponse:
        answer = self._answer(entry)
        origin = self._index.entry(entry.source) if entry.source else None
        if origin:
            kept = self._answer(origin, again=True)
            answer = kept if answer.status == 304 else replace(answer, body=kept.body)
        headers = original_headers(answer.headers)
        return StoredResponse(answer.status, headers, answer.body, url=url, date=_date(entry))

    def _answer(self, entry: Entry, again: bool = False) -> Response:
        """Return what stands at a place. Raises ValueError where the file does not hold it any more."""
        found = record_at(self._reader(entry.file, again), entry.place)
        if found and found.kind in ("resource", "conversion"):
            return Response(200, {"content-type": found.fields.get("content-type", "")}, found.block)
        answer = http_answer(found.block) if found else None
        if answer is None:
            raise ValueError(f"{self._archive.name(entry.file)} holds no answer at byte {entry.place[0]}")
        return answer

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


def _request(url: str, headers: Mapping[str, str], date: str, answer: bytes) -> bytes:
    """Return the record of the request that the record ``answer`` answers."""
    parts = urlsplit(url)
    lines = [f"GET {urlunsplit(('', '', parts.path or '/', parts.query, ''))} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in {"Host": parts.netloc, **headers}.items()]
    block = "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")
    fields = {"Target-URI": url, "Date": date, "Concurrent-To": record_id(answer)}
    return record("request", fields | {"Content-Type": "application/http; msgtype=request"}, block)


def _date(entry: Entry) -> datetime:
    return datetime.fromtimestamp(entry.date, UTC)
