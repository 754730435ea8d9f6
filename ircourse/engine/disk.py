"""What lies on a disk: files and page stores below a path; what a file holds, by its name and first bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ircourse.crawl.store.intake import INDEX
from ircourse.crawl.store.reading import StoredResponse
from ircourse.crawl.store.store import PageStore

__all__ = [
    "MAX_FILE",
    "Report",
    "answers_of",
    "check_whole",
    "files_below",
    "is_binary",
    "is_html",
    "is_warc",
]

Report = Callable[[str, str], None]  # path, reason

MAX_FILE = 2**28  # bytes, WARC aside
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # marks of UTF-16


def files_below(path: Path, report: Report) -> Iterator[Path]:
    """Yield files and page stores; of other folders all below in the order of names, hidden ones aside.

    report  called with path and reason for each folder that cannot be read
    """
    if not path.is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path, onerror=lambda e: report(str(e.filename), str(e.strerror))):
        if INDEX in files:
            folders.clear()
            yield Path(folder)
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(files) if not name.startswith("."))


def is_warc(name: str) -> bool:
    """Whether a file is a WARC file, by its name."""
    return name.lower().endswith((".warc", ".warc.gz"))


def is_html(name: str, start: bytes) -> bool:
    """Whether a file is HTML, by its name or first bytes.

    >>> is_html("a.HTM", b""), is_html("a", b"<!doctype html><p>"), is_html("a.txt", b"a < b")
    (True, True, False)
    """
    return name.lower().endswith((".html", ".htm", ".xhtml")) or bool(_HTML.match(start))


def is_binary(start: bytes) -> bool:
    r"""Whether a file holds no text, by its first bytes: a zero among them that is not of UTF-16.

    >>> is_binary(b"\x89PNG\0"), is_binary(b"\xff\xfea\0"), is_binary(b"rose")
    (True, False, False)
    """
    return b"\0" in start and not start.startswith(_WIDE)


def answers_of(store: PageStore) -> Iterator[tuple[str, StoredResponse]]:
    """Yield address and newest answer of each page of a store that was answered with 200 and is not gone."""
    for url in store:
        answer = store[url]
        if answer.status == 200 and store.gone(url) is None:
            yield url, answer


def check_whole(store: PageStore) -> None:
    """Raise ValueError for the first damaged file of a store, which was read up to the damage."""
    for name, reason in store.damaged.items():
        raise ValueError(f"{name} is damaged, and was read up to there: {reason}")
