"""The explorer of a page store (notes, storing pages): records in a file, rows in an index, one seek.

record  of a WARC file, packed by itself, so that it can be read without those before it
row     of the index: a URL, a date, and where its record stands

What is shown is read back from a real `PageStore` in a folder that is removed at once. Sizes depend a little
on the machine's zlib.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ircourse.crawl import PageStore, Response
from ircourse.crawl.store.warc import WarcRecord, read_records
from ircourse.show.controls import Choice
from ircourse.show.explorer import Explorer, Row
from ircourse.show.player import Player
from ircourse.show.style import INK, MONO, MUTED, look
from ircourse.show.svg import Drawing, Markup, below, box, caption, joined, label, shorten
from ircourse.web import tiny_web

WIDTH, LINE = 680, 22
KINDS = {"response": "whole page", "same body": "same body", "not modified": "not modified"}

__all__ = ["Opened", "open_a_store", "opened"]


class Placed(NamedTuple):
    """A record in its file: where it begins, the bytes that it takes there, and unpacked."""

    start: int
    packed: int
    raw: int
    record: WarcRecord


class Indexed(NamedTuple):
    """A row of the index; ``source`` is the place of the record whose body it repeats."""

    url: str
    day: int
    kind: str
    start: int
    source: int | None


class Opened(NamedTuple):
    """The store after some answers: its file's records, its index's rows, what is read and what is said."""

    records: tuple[Placed, ...]
    rows: tuple[Indexed, ...]
    read: tuple[int, ...]
    row: int
    says: str


def _answers() -> list[tuple[str, int, Response, str]]:
    """Return what Saltmere's servers answer in March 2025: URL, day, answer, what is said of it."""
    web = tiny_web()
    paper, weather = (f"http://{host}.saltmere.example/" for host in ("gazette", "weather"))
    first = web.respond(paper)
    condition = {"If-Modified-Since": first.headers["last-modified"]}
    return [
        (paper, 3, first, "The Gazette's front page is stored whole."),
        (weather, 3, web.respond(weather), "The weather page is stored whole, after the record before."),
        (paper, 4, web.respond(paper, day=1), "The Gazette comes again, byte for byte the same: no body."),
        (paper, 5, web.respond(paper, condition, day=2), "Not modified, says the Gazette's server: no body."),
        (paper, 6, web.respond(paper, day=3), "The Gazette is new. The old record stays: it is the history."),
    ]


@lru_cache(maxsize=4)
def opened(level: int) -> tuple[Opened, ...]:
    """Return the states of a store that takes in five answers, and from which three pages are read.

    >>> [row.kind for row in opened(9)[-1].rows]
    ['whole page', 'whole page', 'same body', 'not modified', 'whole page']
    """
    states = []
    with TemporaryDirectory() as folder, PageStore(folder, level=level) as store:
        for url, day, response, says in _answers():
            store.add(url, response, date=datetime(2025, 3, day, tzinfo=UTC).timestamp())
            store.commit()
            records, rows = _records(Path(folder)), _rows(store)
            said = f"{day} March. {says}"
            states.append(Opened(records, rows, (len(records) - 1,), len(rows) - 1, said))
    last = states[-1]
    for row, what in (
        (4, "the Gazette, newest"),
        (2, "the Gazette as it was on 4 March"),
        (1, "the weather"),
    ):
        states.append(_reading(last, row, what))
    return tuple(states)


def _reading(state: Opened, row: int, what: str) -> Opened:
    found = state.rows[row]
    places = [place for place in (found.start, found.source) if place is not None]
    read = tuple(i for start in places for i, each in enumerate(state.records) if each.start == start)
    two = " Its body is that of an older record: one more seek." if found.source is not None else ""
    size = " and ".join(f"{state.records[i].packed:,} bytes" for i in read)
    says = f"Read {what}: row {row + 1} of the index gives the place; {size} are read and unpacked.{two}"
    return Opened(state.records, state.rows, read, row, says)


def _records(folder: Path) -> tuple[Placed, ...]:
    data = b"".join(path.read_bytes() for path in sorted(folder.glob("*.warc.gz")))
    records = list(read_records(io.BytesIO(data)))
    starts = [record.place[0] for record in records] + [len(data)]
    return tuple(
        Placed(start, end - start, _raw(record), record)
        for record, start, end in zip(records, starts, starts[1:], strict=False)
    )


def _raw(record: WarcRecord) -> int:
    return len(record.block) + sum(len(name) + len(value) + 4 for name, value in record.fields.items()) + 14


def _rows(store: PageStore) -> tuple[Indexed, ...]:
    index = store._index
    entries = [
        (entry, url, capture.kind)
        for url in store
        for entry, capture in zip(index.history(url), store.captures(url), strict=True)
    ]
    starts = {entry.id: entry.place[0] for entry, _, _ in entries}
    return tuple(
        Indexed(
            url.removeprefix("http://"),
            datetime.fromtimestamp(entry.date, UTC).day,
            KINDS[kind],
            entry.place[0],
            starts.get(entry.source) if entry.source else None,
        )
        for entry, url, kind in sorted(entries, key=lambda each: each[0].id)
    )


def _file(state: Opened) -> Drawing:
    """Return the file from its first byte to its last, one box a record."""
    whole = sum(each.packed for each in state.records)
    scale, x, parts = (WIDTH - 2) / max(whole, 2800), 1.0, []
    for i, each in enumerate(state.records):
        style = look("fetching" if i in state.read else "stored" if i else "plain")
        wide = round(each.packed * scale)
        parts.append(box(x, 2, wide - 2, 34, fill=style.fill, stroke=style.stroke, stroke_width=style.width))
        parts.append(label(str(i), x + wide / 2 - 1, 24, anchor="middle", bold=i in state.read))
        parts.append(label(str(each.start), x, 52, fill=MUTED))
        x += wide
    return Drawing(WIDTH, 56, joined(parts))


def _index(state: Opened) -> Drawing:
    heads = ("row", "URL", "March", "what", "begins at byte", "body in record at")
    xs = (0, 40, 226, 286, 396, 524)
    parts = [label(head, x, 14, fill=MUTED) for head, x in zip(heads, xs, strict=True)]
    for i, row in enumerate(state.rows):
        y = 20 + i * LINE
        if i == state.row:
            style = look("fetching")
            parts.append(box(-4, y, WIDTH, LINE - 2, fill=style.fill, stroke="none"))
        source = "" if row.source is None else str(row.source)
        cells = (str(i + 1), row.url, str(row.day), row.kind, f"{row.start:,}", source)
        parts += [label(cell, x, y + 15) for cell, x in zip(cells, xs, strict=True)]
    return Drawing(WIDTH, 24 + len(state.rows) * LINE, joined(parts))


def _opened(each: Placed) -> Drawing:
    """Return the first lines of a record, unpacked."""
    wanted = ("warc-type", "warc-target-uri", "warc-date", "warc-refers-to-date", "content-length")
    lines = [f"{name}: {each.record.fields[name]}" for name in wanted if name in each.record.fields]
    head = each.record.block.decode("utf-8", "replace").splitlines()
    lines += ["", *head[:5], *(["\u2026"] if len(head) > 5 else [])]
    parts: list[Markup] = [box(0, 0, WIDTH - 60, 12 + 18 * len(lines))]
    for i, line in enumerate(lines):
        text = shorten(line, WIDTH - 120, 13)
        parts.append(label(text, 10, 20 + 18 * i, font_family=MONO, font_size=13, fill=INK))
    return Drawing(WIDTH, 14 + 18 * len(lines), joined(parts))


def _draw(state: Opened) -> Drawing:
    number = state.read[0]
    one = state.records[number]
    return below(
        caption("The file: one box a record, below it the byte at which it begins", WIDTH),
        _file(state),
        caption("The index", WIDTH),
        _index(state),
        caption(f"Record {number}, {one.packed:,} bytes in the file, {one.raw:,} unpacked", WIDTH),
        _opened(one),
        gap=8,
    )


def _table(state: Opened) -> list[Row]:
    rows = [
        [
            i,
            each.record.kind,
            each.record.url,
            each.start,
            each.packed,
            each.raw,
            "yes" if i in state.read else "",
        ]
        for i, each in enumerate(state.records)
    ]
    return [["record", "kind", "URL", "begins at", "bytes packed", "bytes unpacked", "read now"], *rows]


def open_a_store() -> Explorer:
    """Return a player: five answers go into a page store, and three are read."""
    return Player(
        opened,
        _draw,
        lambda state: state.says,
        _table,
        title="A page store, opened",
        controls={"level": Choice("Compression", [("fast", 1), ("strong", 9)], 1)},
        notice="Record 0 says who wrote the file. Compare records 1 and 3: what does a visit cost "
        "that finds nothing new? At the last steps, count the records that are read for one page.",
        start=2,
    )
