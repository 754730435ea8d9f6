"""A store of crawled pages: WARC files, and an index by URL beside them (notes, storing pages).

    with PageStore("harbour") as store:     # a folder, made where there is none
        store.add(url, response)            # date=, request= if wanted
        store.state["frontier"] = b"…"      # the crawl's own named bytes, and
        store.connection.execute("…")       # tables of its own in the same SQLite file
        store.commit()                      # all of that or nothing

    store[url].status, .headers, .body, .date   the newest answer; store.get(url, at=…) as it was then
    store.history(url), store.captures(url)     all answers, oldest first; the second without bodies
    store.bury(url), store.gone(url)            a page that a crawl found dead keeps its history
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
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from sqlite3 import Connection

from ircourse.crawl.store.files import Archive
from ircourse.crawl.store.index import Entry, State
from ircourse.crawl.store.intake import open_index, take_in
from ircourse.crawl.store.reading import Capture, StoredPages, StoredResponse, date_of
from ircourse.crawl.store.warc import MAX_BLOCK
from ircourse.crawl.store.warc_writing import (
    SAME_BODY,
    UNCHANGED,
    answer_block,
    moment,
    payload_digest,
    record,
    request_record,
)
from ircourse.types import Response

__all__ = ["Capture", "PageStore", "StoredResponse"]

MAX_FILE = 10**9  # bytes, after which a new file is begun
_ANSWER = "application/http; msgtype=response"


class PageStore(StoredPages):
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
        super().__init__()
        self.path = Path(path)
        self._closing = ExitStack()
        weakref.finalize(self, self._closing.close)
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
        records = (
            [answer] if request is None else [request_record(url, request, moment(when), answer), answer]
        )
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
        fields |= {"Refers-To-Target-URI": url, "Refers-To-Date": moment(date_of(origin))}
        return record("revisit", fields, block[: len(block) - len(response.body)]), origin

    def bury(self, url: str, date: float | None = None) -> None:
        """Mark a page as gone since ``date``, None for now; `commit` keeps that. Its answers stay."""
        self._archive.begin()
        self._index.bury(url, datetime.now(UTC).timestamp() if date is None else date)

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
