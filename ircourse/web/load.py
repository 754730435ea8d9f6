"""A web from a folder: a manifest, ``manifest.json``, and files under ``pages/`` that are sent as they are.

The manifest is ``{"about": …, "start": URL, "resources": [entry, …]}``. An entry has a "url", canonical, and
what that answers with:

file      a path under pages/              location  the target of a redirect (status 301 if none is given)
status    default 200                      headers   a mapping; content-type by the file's ending if not given
delay     seconds until the answer         fail      "reset", "timeout", "dns", or "busy": 503, try later
versions  [{"day": 0, "file": …, "last-modified": …, "etag": …}, …]: what it answers from that day on
pattern   true: {n} in the URL stands for any number, and {{n}}, {{n+1}}, {{n-1}}, {{n*2}} in the answer for
          numbers made of it: a calendar without end
soft_404  a file that unknown URLs of this host answer, with status 200
note      for readers

All files are read at once, each one once, so damage shows at loading. The folder is not trusted: nothing
outside it is read, no more than 16 MB of a file, 128 MB of all of them and 8 MB of manifest, and what goes
into a header has one line of ASCII.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ircourse.crawl.urls import canonical_url
from ircourse.shipped import shipped
from ircourse.web.core import Web, host_of
from ircourse.web.shelf import Shelf, shelve

__all__ = ["load_web", "tiny_web"]

LARGEST = 16_000_000  # bytes of one file
MOST = 128_000_000  # bytes of all files together
MANIFEST = 8_000_000  # bytes of the manifest
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # the name of a header: RFC 9110, section 5.6.2
FRAMING = {"connection", "content-length", "transfer-encoding"}  # how long an answer is, the server says
KEYS = {
    "url",
    "file",
    "status",
    "headers",
    "location",
    "delay",
    "fail",
    "versions",
    "pattern",
    "soft_404",
    "note",
}
VERSION_KEYS = {"day", "file", "last-modified", "etag"}
HEADERS = "a mapping from name to value, both on one line, in ASCII, without " + ", ".join(sorted(FRAMING))
FAILURES = ("reset", "timeout", "dns", "busy")


def load_web(folder: str | os.PathLike[str]) -> Web:
    """Return the web whose manifest stands in ``folder``.

    Raises ValueError for a damaged manifest, with the entry and what to do about it, and for a file outside
    the folder; FileNotFoundError where there is no manifest.
    """
    manifest = Path(folder) / "manifest.json"
    shelf, files = Shelf(), _Files(manifest.parent)
    for number, entry in enumerate(_entries(manifest)):
        try:
            _check(entry)
            shelve(shelf, entry, files.read)
        except (ValueError, OSError) as error:
            url = entry.get("url") if isinstance(entry, dict) else entry
            raise ValueError(f"{manifest}, resource {number} ({url!r:.200}): {error!s:.800}") from None
    return Web(shelf.pages, shelf, hosts=shelf.hosts)


def tiny_web() -> Web:
    """Return the small hand-made web that comes with the course: a harbour town and its neighbours.

    >>> "http://www.saltmere.example/" in tiny_web()
    True
    """
    with shipped("tiny_web") as folder:
        return load_web(folder.resolve())


def _entries(manifest: Path) -> list[Any]:
    if not manifest.is_file():
        raise FileNotFoundError(f"no {manifest}: give a folder that holds a manifest.json")
    if manifest.stat().st_size > MANIFEST:
        raise ValueError(f"{manifest} has more than {MANIFEST:,} bytes: make several webs of it")
    try:
        content = json.loads(manifest.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{manifest} is not JSON in UTF-8: {error}") from None
    entries = content.get("resources") if isinstance(content, dict) else None
    if not isinstance(entries, list):
        raise ValueError(f'{manifest} lists no resources: give it the form {{"resources": [entry, …]}}')
    return entries


def _check(entry: Any) -> None:
    """Raise ValueError for an entry that is not as the module's header says."""
    if not isinstance(entry, dict):
        raise ValueError("an entry is a mapping with a url")
    _check_keys(entry, KEYS)
    for key in ("url", "file", "soft_404"):
        _check_kind(entry, key, str)
    _check_kind(entry, "location", str, "a str on one line, in ASCII", _is_header)
    _check_kind(entry, "versions", list, "a list of at least one version", bool)
    _check_kind(entry, "pattern", bool, "true or false")
    _check_kind(entry, "status", int, "a status from 200 to 599", lambda status: 200 <= status <= 599)
    _check_kind(entry, "delay", (int, float), "seconds of at least 0", lambda delay: 0 <= delay < 1e6)
    _check_kind(entry, "fail", str, f"one of {', '.join(FAILURES)}", lambda kind: kind in FAILURES)
    _check_kind(entry, "headers", dict, HEADERS, _are_headers)
    url, pattern = entry.get("url", ""), entry.get("pattern", False)
    plain = url.replace("{n}", "1") if pattern else url
    if not host_of(url) or canonical_url(plain) != plain:
        raise ValueError(f"write the url in its canonical form, {canonical_url(plain)!r:.200}")
    if pattern and url.count("{n}") != 1:
        raise ValueError('the url of a pattern has one "{n}"')
    for version in entry.get("versions", ()):
        _check_version(version)


def _check_version(version: Any) -> None:
    if not isinstance(version, dict) or not {"day", "file"} <= set(version):
        raise ValueError(f"the version {version!r:.200} lacks a day or a file")
    _check_keys(version, VERSION_KEYS)
    _check_kind(version, "day", int, "a day of at least 0", lambda day: day >= 0)
    _check_kind(version, "file", str)
    for key in ("etag", "last-modified"):
        _check_kind(version, key, str, "a str on one line, in ASCII", _is_header)


def _check_keys(mapping: Mapping[str, Any], known: set[str]) -> None:
    if unknown := sorted(set(mapping) - known):
        raise ValueError(f"unknown {', '.join(unknown):.200}: the keys are {', '.join(sorted(known))}")


def _check_kind(mapping: Mapping[str, Any], key: str, kind: Any, what: str = "", holds: Any = None) -> None:
    value = mapping.get(key)
    if value is None and key not in mapping:
        return
    if (
        not isinstance(value, kind)
        or isinstance(value, bool) is not (kind is bool)
        or not (holds is None or holds(value))
    ):
        raise ValueError(f"{key} is {value!r:.200}: give {what or 'a ' + kind.__name__}")


def _are_headers(headers: Mapping[str, Any]) -> bool:
    return all(
        TOKEN.fullmatch(name) and name.lower() not in FRAMING and isinstance(value, str) and _is_header(value)
        for name, value in headers.items()
    )


def _is_header(value: str) -> bool:
    """Whether a str may be sent as the value of a header: one line, ASCII only."""
    return value.isascii() and value.isprintable()


class _Files:
    """The files under the ``pages/`` of a folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self._pages = folder.resolve() / "pages"  # which may itself be a link that leads out
        self._held: dict[Path, bytes] = {}
        self._size = 0  # of all that are held

    def read(self, name: str) -> bytes:
        """Return the bytes of a file of the web, never of one outside it."""
        path = (self._pages / name).resolve()
        if "\\" in name or ":" in name or not path.is_relative_to(self._pages):
            raise ValueError(f"the file {name!r:.200} is outside pages/: give a path below it, with /")
        if path not in self._held:
            if not path.is_file():
                raise ValueError(f"the file {name!r:.200} is not in pages/: put it there or drop the entry")
            size = path.stat().st_size
            if size > LARGEST:
                raise ValueError(f"the file {name!r:.200} has more than {LARGEST:,} bytes: shorten it")
            if self._size + size > MOST:
                raise ValueError(f"with the file {name!r:.200} there are more than {MOST:,} bytes: drop some")
            self._held[path] = path.read_bytes()
            self._size += size
        return self._held[path]
