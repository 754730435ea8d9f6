"""Pages from what lies on the disk: a page store, a WARC file, a folder of HTML and text, one such file.

Of a store or WARC file the newest answer of each page counts, if it is 200 and the page has not gone; pages
whose author says noindex are left out, and the links of those that say nofollow. Files have ``file:``
addresses, and a relative link among them leads to the file it names, of a folder to its ``index.html``.

The text of a page is all of it: what a site repeats is found beside its other pages (`noise`). `main_text`,
which sees one page, was weighed: on Python's own documentation it left over a dozen of 883 pages nothing but
the version of Python, which made copies of them, and 40 questions found their pages less well, at a mean
reciprocal rank of 0.76 in place of 0.81.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import DatabaseError
from urllib.parse import quote, unquote, urlsplit

from ircourse.crawl.pages.charset import decode_text
from ircourse.crawl.pages.html import parse_html
from ircourse.crawl.store.store import PageStore
from ircourse.engine.disk import (
    MAX_FILE,
    Report,
    answers_of,
    check_whole,
    files_below,
    is_binary,
    is_html,
    is_warc,
)
from ircourse.engine.pages import SourcePage
from ircourse.types import Link

__all__ = ["pages_from", "pages_of_store"]

_HERE = "http://localhost"  # stands for the folder while links are read
_TEXT = (".txt", ".text", ".md", ".rst")


def pages_from(source: str | os.PathLike[str], report: Report | None = None) -> Iterator[SourcePage]:
    """Yield the pages of a page store, a WARC file, a folder of files or a single file.

    report  called with path and reason for what cannot be read and is left out

    A folder is read with all below, in the order of names, hidden files and links that lead out of it aside;
    stores and WARC files within it too. Raises FileNotFoundError where there is no such path.
    """
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r}")
    root = path if path.is_dir() else path.parent
    for file in files_below(path, report or _silent):
        try:
            if path.is_dir() and not file.resolve().is_relative_to(path.resolve()):
                raise ValueError("a link that leads out of the folder")
            if file.is_dir() or is_warc(file.name):
                yield from _stored(file)
            else:
                yield from _read(file, root)
        except (OSError, ValueError, DatabaseError) as error:
            if report:
                report(str(file), getattr(error, "strerror", None) or str(error))


def pages_of_store(store: PageStore) -> Iterator[SourcePage]:
    """Yield the pages of an open store."""
    for url, answer in answers_of(store):
        kind, tag = answer.headers.get("content-type"), answer.headers.get("x-robots-tag")
        page = parse_html(answer.body, url, kind, robots_tag=tag)
        if page.index and (page.text or page.title):
            date = answer.date if answer.date.timestamp() else None  # 0 where a WARC file does not tell
            yield SourcePage(url, page.text, page.title, page.links if page.follow else (), date)


def _stored(path: Path) -> Iterator[SourcePage]:
    with PageStore(path) as store:
        yield from pages_of_store(store)
        check_whole(store)


def _read(file: Path, root: Path) -> Iterator[SourcePage]:
    """Yield the page of a file of HTML or text; nothing for files of other kinds."""
    if not file.is_file():
        raise ValueError("no such file" if not file.exists() else "not a regular file")
    if file.stat().st_size > MAX_FILE:
        raise ValueError(f"over {MAX_FILE // 2**20} MiB")
    with file.open("rb") as stream:
        start = stream.read(4096)
        marked_up = is_html(file.name, start)
        if not marked_up and (not file.name.lower().endswith(_TEXT) or is_binary(start)):
            return
        body = start + stream.read()
    date = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    url = file.resolve().as_uri()
    if not marked_up:
        text = decode_text(body, "text/plain")[0]
        yield SourcePage(url, text, file.stem, (), date)
        return
    place = f"{_HERE}/{quote(file.relative_to(root).as_posix())}"
    page = parse_html(body, place, "text/html")
    if page.index:
        links = [_to_file(link, root) for link in page.links if page.follow]
        yield SourcePage(url, page.text, page.title or file.stem, links, date)


def _to_file(link: Link, root: Path) -> Link:
    """Return a link within the folder as one to the file; others as they are."""
    if not link.startswith(f"{_HERE}/"):
        return link
    target = root.resolve() / unquote(urlsplit(link).path).lstrip("/")
    if link.endswith("/"):
        target /= "index.html"
    return Link(target.as_uri(), link.anchor, link.nofollow)


def _silent(path: str, why: str) -> None:
    """Report nothing."""
