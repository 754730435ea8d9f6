"""Documents from files: plain text, HTML, WARC and TREC, page stores, and folders of them.

name  of a document: its path as given, the address of a page in a WARC or TREC file or a store, or the number
      of a text in a TREC file
A store gives the newest version of each page that is not gone. A file is told by its first bytes and its
name. What cannot be read is reported and left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from sqlite3 import DatabaseError
from typing import NamedTuple, TextIO

from ircourse.commands.output import write_line
from ircourse.crawl.pages.charset import decode_text
from ircourse.crawl.pages.html import parse_html
from ircourse.crawl.store.store import PageStore
from ircourse.crawl.store.trec import TrecProblem, is_trec, read_trec
from ircourse.crawl.store.warc import warc_pages
from ircourse.engine.disk import MAX_FILE, answers_of, check_whole, files_below, is_binary, is_html, is_warc

__all__ = ["Document", "Unread", "read_documents"]

NO_TEXT = "not a text"


class Document(NamedTuple):
    """A document's name and its text, without markup; a page's title is the first line."""

    name: str
    text: str


class Unread(dict[str, str]):
    """The files that could not be read, each with the reason; a ``report`` for `read_documents`.

    Each is told on ``log`` at once, but for those that are no texts: `tell_rest` tells of them in one line.
    """

    def __init__(self, log: TextIO) -> None:
        super().__init__()
        self._log = log

    def __call__(self, path: str, reason: str) -> None:
        """Take in a file and why it could not be read."""
        self[path] = reason
        if reason != NO_TEXT:
            write_line(self._log, f"ircourse: could not read {path}: {reason}")

    def tell_rest(self) -> None:
        """Tell how many files were no texts; of one its name."""
        others = [path for path, reason in self.items() if reason == NO_TEXT]
        if len(others) == 1:
            write_line(self._log, f"ircourse: could not read {others[0]}: {NO_TEXT}")
        elif others:
            packed = "; unpack those in .gz first" if any(path.endswith(".gz") for path in others) else ""
            line = f"{len(others):,} files are no texts and were left out, such as {others[0]}{packed}"
            write_line(self._log, f"ircourse: {line}")


def read_documents(
    paths: Iterable[str | os.PathLike[str]], report: Callable[[str, str], None]
) -> Iterator[Document]:
    """Yield the documents of files and folders, folders in the order of their names, each file once.

    report  called with path and reason for each file that cannot be read
    """
    seen: set[Path] = set()
    for path in (file for given in paths for file in files_below(Path(given), report)):
        real = path.resolve()
        if real in seen:
            continue
        seen.add(real)
        try:
            yield from _pages(path, report) if path.is_dir() else _documents(path, report)
        except DatabaseError as error:
            report(str(path), f"the index is damaged ({error}): remove it, and it is made again")
        except OSError as error:
            report(str(path), error.strerror or str(error))
        except ValueError as error:
            report(str(path), str(error))


def _pages(path: Path, report: Callable[[str, str], None]) -> Iterator[Document]:
    """Yield the newest version of each page of a store that was answered with 200 and is not gone."""
    empty = 0
    with PageStore(path) as store:
        for url, answer in answers_of(store):
            text = _text(answer.body, url, answer.headers.get("content-type", ""))
            if text:
                yield Document(url, text)
            else:
                empty += 1
        if empty:
            report(f"{empty} of {len(store)} pages of {path}", "no text in them")
        check_whole(store)


def _documents(path: Path, report: Callable[[str, str], None]) -> Iterator[Document]:
    """Yield the documents of one file. Raises ValueError where it holds none that can be read."""
    if not path.is_file():
        raise ValueError("no such file" if not path.exists() else "not a regular file")
    if is_warc(path.name):
        with path.open("rb") as stream:
            for page in warc_pages(stream):
                text = _text(page.body, page.url, page.content_type)
                if text:
                    yield Document(page.url, text)
        return
    if is_trec(path):
        yield from _trec_documents(path, report)
        return
    if path.stat().st_size > MAX_FILE:
        raise ValueError(f"over {MAX_FILE // 2**20} MiB")
    body = path.read_bytes()
    if is_binary(body[:8192]):
        raise ValueError(NO_TEXT)
    kind = "text/html" if is_html(path.name, body[:4096]) else "text/plain"
    yield Document(str(path), _text(body, "http://localhost/", kind))


def _trec_documents(path: Path, report: Callable[[str, str], None]) -> Iterator[Document]:
    """Yield the documents of a TREC file; broken ones are reported with their lines."""

    def tell(problem: TrecProblem) -> None:
        report(str(path), f"line {problem.line}: {problem.reason}")

    for docno, body, url, headers in read_trec(path, tell):
        text = _text(body, url, headers.get("content-type", "") if url else "text/plain")
        if text:
            yield Document(url or docno, text)


def _text(body: bytes, url: str, content_type: str) -> str:
    """Return the text of a body; empty for types that hold none."""
    if content_type.partition(";")[0].strip().lower() == "text/plain":
        return decode_text(body, content_type)[0]
    page = parse_html(body, url, content_type or None)
    return f"{page.title}\n{page.text}".strip()
