"""What a table holds: rows, columns and values, and how they are written.

row     any text of up to 16 KiB in UTF-8. For a page: its URL with the host reversed (`row_key`), so that a
        domain's pages are neighbours
column  "text", "title", or "anchor:HOST": the anchor text of the links from HOST
family  the part before the colon; each is stored by itself
value   any text of up to 8 MiB; None stands for one that was deleted
change  [sequence number, row, {column: value or None}], in the log as JSON

Source: Chang et al. (2006), "Bigtable", section 2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ircourse.crawl import canonical_url
from ircourse.distribute.tablets_log import Damaged

__all__ = [
    "FAMILIES",
    "Cell",
    "Change",
    "check_cells",
    "check_row",
    "family_of",
    "matches",
    "row_key",
    "url_of",
]

FAMILIES = ("anchor", "text", "title")
MAX_ROW, MAX_COLUMN, MAX_VALUE = 1 << 14, 1 << 10, 1 << 23  # bytes

Cell: TypeAlias = tuple[str, str, str | None]  # row, column, value


class Change(NamedTuple):
    """A change of one row, which is made as a whole or not at all."""

    sequence: int
    row: str
    cells: Mapping[str, str | None]


def row_key(url: str) -> str:
    """Return the row of a page: its URL with the host reversed and without "http://".

    Raises ValueError for a URL that is not canonical. Different URLs have different rows.

    >>> row_key("http://www.harbour.example/ferries"), row_key("https://harbour.example:8443/")
    ('example.harbour.www/ferries', 'example.harbour:https:8443/')
    """
    if canonical_url(url) != url:
        raise ValueError(f"{url!r:.60} is not a canonical URL: give canonical_url(url)")
    scheme, _, rest = url.partition("://")
    host, port, path = _parts(rest)
    return _turned(host) + (":https" if scheme == "https" else "") + port + path


def url_of(row: str) -> str:
    """Return the URL of a page's row.

    >>> url_of("example.harbour:https:8443/")
    'https://harbour.example:8443/'
    """
    host, port, path = _parts(row)
    secure = port == ":https" or port.startswith(":https:")
    return f"http{'s' * secure}://{_turned(host)}{port.removeprefix(':https') if secure else port}{path}"


def _parts(rest: str) -> tuple[str, str, str]:
    """Return the host, the port with its colon, and what follows."""
    authority, slash, path = rest.partition("/")
    at = authority.find("]") + 1  # the colons of an IPv6 address are in brackets
    host, colon, port = authority[at:].partition(":")
    return authority[:at] + host, colon + port, slash + path


def _turned(host: str) -> str:
    """Return a host reversed; an address is none, and stays."""
    labels = host.split(".")
    is_address = "[" in host or (len(labels) == 4 and all(label.isdecimal() for label in labels))
    return host if is_address else ".".join(reversed(labels))


def family_of(column: str) -> str:
    """Return the family of a column. Raises ValueError for what is none."""
    if not isinstance(column, str):
        raise TypeError(f"a column is a str, not {column!r:.60}")
    family, colon, host = column.partition(":")
    if family not in FAMILIES or (bool(colon and host) != (family == "anchor")) or (colon and not host):
        raise ValueError(f'column {column!r:.60}: give "text", "title" or "anchor:HOST"')
    _check_size("a column", column, MAX_COLUMN)
    return family


def matches(column: str, wanted: str | None) -> bool:
    """Return whether a column is the one wanted, or of the family wanted; None wants all."""
    return wanted is None or column == wanted or column.partition(":")[0] == wanted


def check_row(row: str) -> None:
    """Raise TypeError or ValueError for what is no row."""
    if not isinstance(row, str):
        raise TypeError(f"a row is a str, not {row!r:.60}")
    _check_size("a row", row, MAX_ROW)


def check_cells(cells: Mapping[str, str]) -> None:
    """Raise TypeError or ValueError for what are no columns with values."""
    if not isinstance(cells, Mapping):
        raise TypeError(f"cells are a mapping from column to value, not {cells!r:.60}")
    for column, value in cells.items():
        family_of(column)
        if not isinstance(value, str):
            raise TypeError(f"the value of {column!r:.60} is to be a str, not {value!r:.60}")
        _check_size(f"the value of {column!r:.60}", value, MAX_VALUE)


def packed(value: Any) -> bytes:
    """Return JSON in UTF-8. Any ``str`` comes back as it was, half a surrogate pair too."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpacked(payload: bytes, path: Path) -> Any:
    """Return what ``packed`` was given. Raises Damaged."""
    try:
        return json.loads(payload.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise Damaged(path, 0, "a record is no JSON") from None


def read_change(payload: bytes, path: Path) -> Change:
    """Return the change in a record of the log. Raises Damaged."""
    match unpacked(payload, path):
        case [int(sequence), str(row), dict(cells)] if all(
            isinstance(value, str | None) and column.partition(":")[0] in FAMILIES
            for column, value in cells.items()
        ):
            return Change(sequence, row, cells)
    raise Damaged(path, 0, "a record is no change of a row")


def _check_size(name: str, value: str, most: int) -> None:
    size = len(value.encode("utf-8", "surrogatepass"))
    if size > most:
        raise ValueError(f"{name} takes {size:,} bytes, begins {value[:40]!r}: give at most {most:,}")
