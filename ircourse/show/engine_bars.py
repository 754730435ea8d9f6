"""Results as the capstone shows them: title, address, snippet, and a bar that says why they stand there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from ircourse.engine import COMPONENTS, EngineHit
from ircourse.show.engine_town import short
from ircourse.show.style import INK, MUTED, RULE, look
from ircourse.show.svg import Drawing, Markup, below, box, element, joined, label, shorten, text_width

Pieces: TypeAlias = Sequence[tuple[str, bool]]

NAMES = {"text": "text", "title": "title", "anchors": "anchors", "pagerank": "PageRank", "lsi": "LSI"}
MARKS = {"text": "tx", "title": "ti", "anchors": "an", "pagerank": "PR", "lsi": "LSI"}
FILLS = {"text": "#cce3f0", "title": "#fdecc2", "anchors": "#c5eadd", "pagerank": "#f3dde9", "lsi": "#dddddd"}
WIDTH = 640.0
LINE, BAR = 19.0, 18.0

__all__ = ["NAMES", "bar_legend", "one_result", "result_rows", "results"]


def bar_legend() -> Drawing:
    """Return what the parts of a bar stand for, in their order from left to right."""
    parts: list[Markup] = []
    x = 0.0
    for name in COMPONENTS:
        parts.append(box(x + 0.5, 0.5, 34, BAR, fill=FILLS[name], stroke=MUTED))
        parts.append(label(MARKS[name], x + 17.5, 14.5, anchor="middle"))
        parts.append(label(NAMES[name], x + 42, 14.5))
        x += 42 + text_width(NAMES[name]) + 16
    return Drawing(WIDTH, BAR + 2, joined(parts))


def results(hits: Sequence[EngineHit], first: int = 1, *, marked: str = "", snippets: bool = True) -> Drawing:
    """Return results one below the other, numbered from ``first``; the page ``marked`` is framed."""
    rows = (one_result(place, hit, hit.url == marked, snippets) for place, hit in enumerate(hits, first))
    return below(bar_legend(), *rows, gap=10)


def result_rows(hits: Sequence[EngineHit], first: int = 1) -> list[list[object]]:
    """Return the same as rows of a table."""
    heads: list[object] = ["rank", "page", "score", *NAMES.values(), "folded under it"]
    rows: list[list[object]] = [
        [place, short(hit.url), *(f"{x:.3f}" for x in (hit.score, *hit.parts.values())), len(hit.mirrors)]
        for place, hit in enumerate(hits, first)
    ]
    return [heads, *rows]


def one_result(place: int, hit: EngineHit, is_marked: bool, snippets: bool) -> Drawing:
    """Return one result: its title, its snippet where snippets are wanted, its bar; framed where marked."""
    lines = [_title(place, hit)]
    if snippets:
        lines += [_text(line, 24.0) for line in wrapped(hit.snippet, WIDTH - 24)][:3]
    lines.append(_bar(hit.parts, hit.score))
    drawn = below(*lines, gap=0)
    if not is_marked:
        return drawn
    style = look("target")
    frame = box(-7, -2, WIDTH + 14, drawn.height + 5, fill=style.fill, stroke=style.stroke, stroke_width=2)
    return Drawing(WIDTH, drawn.height, joined([frame, drawn.body]))


def _title(place: int, hit: EngineHit) -> Drawing:
    folded = f"  (+ {len(hit.mirrors)} folded)" if hit.mirrors else ""
    url = shorten(short(hit.url), 250) + folded
    start = max(24.0, text_width(f"{place}.") + 10)
    room = WIDTH - start - 12 - text_width(url)
    parts = [
        label(f"{place}.", 0, 15, bold=True),
        label(shorten(hit.title.partition(" | ")[0] or "(no title)", room), start, 15, bold=True),
        label(url, WIDTH, 15, anchor="end", fill=MUTED),
    ]
    return Drawing(WIDTH, LINE, joined(parts))


def _text(pieces: Pieces, x: float) -> Drawing:
    spans = (element("tspan", text, font_weight="bold" if mark else None) for text, mark in pieces)
    line = element("text", *spans, x=x, y=14.0, fill=INK, font_size=14)
    return Drawing(WIDTH, LINE, line)


def _bar(parts: Mapping[str, float], score: float) -> Drawing:
    """Return the shares one after the other; a score of 1 is as long as the line."""
    drawn = []
    x, whole = 24.0, WIDTH - 24 - 60
    for name in COMPONENTS:
        wide = round(whole * parts[name], 1)
        if wide > 0:
            drawn.append(box(x, 1.5, wide, BAR - 3, fill=FILLS[name], stroke=MUTED))
        if wide > text_width(MARKS[name]) + 3:
            drawn.append(label(MARKS[name], x + wide / 2, 13.5, anchor="middle"))
        x += wide
    rule = element("line", x1=24.0, y1=BAR, x2=24.0 + whole, y2=BAR, stroke=RULE)
    return Drawing(WIDTH, BAR + 2, joined([rule, *drawn, label(f"{score:.3f}", x + 8, 14)]))


def wrapped(pieces: Pieces, width: float) -> Iterator[list[tuple[str, bool]]]:
    """Yield lines no wider than ``width``, broken between words.

    >>> [line for line in wrapped([("the old ", False), ("ferry", True)], 70)]
    [[('the ', False), ('old ', False)], [('ferry', True)]]
    """
    line: list[tuple[str, bool]] = []
    used = 0.0
    for text, mark in pieces:
        for word in text.replace(" ", " \n").split("\n"):
            wide = text_width(word) * (1.06 if mark else 1.0)
            if line and used + wide > width:
                yield line
                line, used = [], 0.0
            if word:
                line.append((shorten(word, width), mark))
                used += wide
    if line:
        yield line
