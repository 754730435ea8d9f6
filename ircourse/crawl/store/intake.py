"""Bringing the index of a page store in line with the WARC files that lie there.

Where the index is lost, files whose first record names this software become the store's own again; those of
anyone else are read as they are, up to where they are damaged. A link is read and never written to: what it
leads to belongs to somebody else.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ircourse.crawl.store.files import SOFTWARE
from ircourse.crawl.store.index import OWN_NAME, File, Index
from ircourse.crawl.store.warc import WarcError, WarcRecord, http_answer, read_records
from ircourse.crawl.store.warc_writing import parse_moment, payload_digest

__all__ = ["open_index", "take_in"]

INDEX = "index.sqlite"
_NAMES = (".warc", ".warc.gz")


@contextmanager
def open_index(path: Path) -> Iterator[Index]:
    """Open the index of a folder, in memory for a single file and where none can be written."""
    if not path.is_file():
        path.mkdir(parents=True, exist_ok=True)
    place = ":memory:" if path.is_file() else str(path / INDEX)
    if Path(place).is_symlink():
        raise ValueError(f"{place} is a link: remove it, and the index is made again from the WARC files")
    try:
        index = Index(place)
    except sqlite3.OperationalError:
        index = Index(":memory:")
    except sqlite3.DatabaseError as error:
        raise ValueError(
            f"{place} is no index ({error}): remove it, and it is made again from the WARC files"
        ) from error
    try:
        yield index
    finally:
        index.connection.close()


def take_in(path: Path, index: Index) -> list[str]:
    """Bring the index in line with the files, and return URLs of which answers are lost.

    Where a crawl keeps the index busy, it is left as it is: files that came meanwhile wait for the next time.
    """
    try:
        return _take_in(path, index)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        index.connection.rollback()
        return []


def _take_in(path: Path, index: Index) -> list[str]:
    folder = path.parent if path.is_file() else path
    paths = [path] if path.is_file() else sorted(p for p in path.iterdir() if p.name.endswith(_NAMES))
    sizes = {p.name: p.stat().st_size for p in paths if p.is_file()}
    lost: list[str] = []
    known = {file.name: file for file in index.files()}
    for file in known.values():
        if file.own and (folder / file.name).is_symlink():
            known[file.name] = file = file._replace(own=False, size=-1)
        if file.own and sizes.get(file.name, 0) < file.size:
            lost += _shrink(folder, index, file)
        elif not file.own and sizes.get(file.name) != file.size:
            index.forget(file.id, 0)
    for name, size in sizes.items():
        file = known.get(name) or index.add_file(name, own=False)
        if not file.own and file.size != size:
            _read_in(folder, index, file._replace(size=size))
    index.connection.commit()
    return lost


def _shrink(folder: Path, index: Index, file: File) -> list[str]:
    """Let an own file end with its last whole record, and return the URLs of which answers are lost."""
    end = 0
    if (folder / file.name).exists():
        with open(folder / file.name, "rb") as stream:
            end = stream.seek(0, os.SEEK_END)
            try:
                for _ in read_records(stream):
                    pass
            except WarcError as error:
                end = error.start
    index.set_file(file._replace(size=end))
    return index.forget(file.id, end)


def _read_in(folder: Path, index: Index, file: File) -> None:
    """Put the pages of a file into the index, up to where it is damaged."""
    own, damage, link = False, "", (folder / file.name).is_symlink()
    with open(folder / file.name, "rb") as stream:
        try:
            for number, each in enumerate(read_records(stream)):
                if number == 0 and each.kind == "warcinfo" and OWN_NAME.fullmatch(file.name) and not link:
                    own = each.block.startswith(f"software: {SOFTWARE}/".encode())
                _put_in(index, file, each)
        except WarcError as error:
            damage = str(error)
            if own:
                index.forget(file.id, error.start)
                file, damage = file._replace(size=error.start), ""
    index.set_file(file._replace(own=own, damage=damage))


def _put_in(index: Index, file: File, each: WarcRecord) -> None:
    """Put a record into the index if it holds a page."""
    url, digest, source = each.url, each.fields.get("warc-payload-digest", ""), None
    if not url or each.kind not in ("response", "revisit", "resource", "conversion"):
        return
    if each.kind in ("response", "revisit"):
        answer = http_answer(each.block)
        if each.kind == "response":
            if answer is None:
                return
            digest = digest or payload_digest(answer.body)
        else:
            first = each.fields.get("warc-refers-to-target-uri", url)
            alike = index.alike(first, digest)
            if alike is None:
                return
            source = alike.source or alike.id
    index.add(url, parse_moment(each.fields.get("warc-date", "")), digest, file.id, each.place, source)
