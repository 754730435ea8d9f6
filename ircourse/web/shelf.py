"""What the URLs of a web in a folder answer, by day: fixed pages, patterns without end, soft 404s."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from ircourse.web.core import Resource, host_of

__all__ = ["Shelf", "shelve"]

KINDS = {
    "html": "text/html; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "ics": "text/calendar; charset=utf-8",
    "xml": "application/xml",
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "json": "application/json",
    "gz": "application/gzip",
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "svg": "image/svg+xml",
}
NUMBER = r"(0|[1-9][0-9]{0,17})"  # endless enough, and no longer than a URL may be
TOKEN = re.compile(r"\{\{n(?:([+*-])([0-9]{1,9}))?\}\}")
STEPS: dict[str, Callable[[int, int], int]] = {
    "+": lambda n, k: n + k,
    "-": lambda n, k: n - k,
    "*": lambda n, k: n * k,
}
Read = Callable[[str], bytes]


class Shelf:
    """A function from URL and day to `Resource`, filled entry by entry with `shelve`.

    pages  the URLs that answer with HTML on day 0, patterns left out
    hosts  those whose names resolve
    """

    def __init__(self) -> None:
        self.pages: dict[str, None] = {}
        self.hosts: set[str] = set()
        self._fixed: dict[str, list[tuple[int, Resource]]] = {}
        self._patterns: list[tuple[re.Pattern[str], Resource]] = []
        self._soft: dict[str, Resource] = {}

    def __call__(self, url: str, day: int) -> Resource | None:
        """Return what ``url`` answers on ``day``, None for a page that does not exist."""
        if versions := self._fixed.get(url):
            at = bisect_right(versions, day, key=lambda version: version[0])
            return versions[at - 1][1] if at else None
        for pattern, resource in self._patterns:
            if found := pattern.fullmatch(url):
                return _filled_in(resource, url, int(found[1]))
        soft = self._soft.get(host_of(url))
        return soft and replace(soft, url=url)

    def put(self, url: str, versions: list[tuple[int, Resource]]) -> None:
        """Put a page on the shelf; ValueError where one stands."""
        if url in self._fixed:
            raise ValueError("this url stands in an earlier resource: drop one of the two")
        self._fixed[url] = sorted(versions, key=lambda version: version[0])
        if any(resource.fail != "dns" for _, resource in versions):
            self.hosts.add(host_of(url))
        first = self(url, 0)
        if first and first.status == 200 and not first.fail and "html" in first.headers["content-type"]:
            self.pages[url] = None

    def put_pattern(self, url: str, resource: Resource) -> None:
        """Put a page on the shelf for every number in place of ``{n}``."""
        before, after = url.split("{n}")
        self._patterns.append((re.compile(re.escape(before) + NUMBER + re.escape(after)), resource))
        self.hosts.add(host_of(url))

    def put_soft(self, host: str, resource: Resource) -> None:
        """Let every other URL of ``host`` answer this."""
        self._soft[host] = resource


def shelve(shelf: Shelf, entry: Mapping[str, Any], read: Read) -> None:
    """Put one checked entry of a manifest on the shelf; ``read`` gives the bytes of a file."""
    url = entry["url"]
    if entry.get("pattern"):
        shelf.put_pattern(url, _resource(entry, read))
    elif "versions" in entry:
        shelf.put(url, [(v["day"], _version(entry, v, read)) for v in entry["versions"]])
    else:
        shelf.put(url, [(0, _resource(entry, read))])
    if name := entry.get("soft_404"):
        shelf.put_soft(host_of(url), Resource(url, read(name), headers={"content-type": _kind(name)}))


def _version(entry: Mapping[str, Any], version: Mapping[str, Any], read: Read) -> Resource:
    validators = {key: version[key] for key in ("last-modified", "etag") if key in version}
    headers = {**entry.get("headers", {}), **validators}
    return _resource({**entry, "file": version["file"], "headers": headers}, read)


def _resource(entry: Mapping[str, Any], read: Read) -> Resource:
    """Return what an entry answers."""
    name, location, fail = entry.get("file"), entry.get("location"), entry.get("fail")
    status = 503 if fail == "busy" else entry.get("status", 200 if location is None else 301)
    headers = {key.lower(): value for key, value in entry.get("headers", {}).items()}
    if fail == "busy":
        headers.setdefault("retry-after", "120")
        fail = None
    if location is not None:
        headers["location"] = location
    if name is not None:
        body = read(name)
    elif status == 200 and fail is None:
        raise ValueError("status 200 without a file: give the file, a location or another status")
    else:
        body = b"" if location is not None or status in (204, 304) else _phrase(status)
    headers.setdefault("content-type", _kind(name or ".txt"))
    return Resource(entry["url"], body, status, headers, float(entry.get("delay", 0.0)), fail)


def _phrase(status: int) -> bytes:
    """Return the status in words: the body of an answer that has none of its own."""
    try:
        return f"{HTTPStatus(status).phrase.lower()}\n".encode()
    except ValueError:
        return b""


def _kind(name: str) -> str:
    return KINDS.get(name.rpartition(".")[2].lower(), "application/octet-stream")


def _filled_in(resource: Resource, url: str, n: int) -> Resource:
    """Return the page of a pattern for one number."""

    def number(token: re.Match[str]) -> str:
        sign, step = token.groups()
        return str(STEPS[sign](n, int(step)) if sign else n)

    # Latin-1 maps every byte to one character and back, so other encodings and files survive.
    body = TOKEN.sub(number, resource.body.decode("latin-1")).encode("latin-1")
    headers = {name: TOKEN.sub(number, value) for name, value in resource.headers.items()}
    return replace(resource, url=url, body=body, headers=headers)
