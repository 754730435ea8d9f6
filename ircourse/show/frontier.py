"""The explorer of the URL frontier (section 20.2.3): Figure 20.3 step by step on a virtual clock."""

from __future__ import annotations

from ircourse.show.controls import Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.frontier_steps import DEPTH, TOWN, Moment, moments, parse_urls
from ircourse.show.lists_svg import queue, set_of
from ircourse.show.style import MUTED, look
from ircourse.show.svg import Drawing, Markup, below, beside, box, caption, joined, label, shorten

COLUMN, GAP, CELL = 156.0, 12.0, 26.0

__all__ = ["watch_frontier"]


def _cells(texts: list[str], seems: str, width: float) -> Drawing:
    """Return boxes in a row, as many as there is room for."""
    style, parts, wide = look(seems), list[Markup](), 104.0
    room = int((width + 4) // (wide + 4))
    for i, text in enumerate(texts[:room]):
        frame = style.frame()
        parts.append(box(i * (wide + 4) + 0.5, 0.5, wide, CELL - 3, rx=4, **frame))
        parts.append(label(shorten(text, wide - 12), i * (wide + 4) + 7, 17.5))
    if not texts:
        parts.append(label("empty", 0, 17.5, fill=MUTED, font_style="italic"))
    return Drawing(width, CELL, joined(parts))


def draw(moment: Moment) -> Drawing:
    """Return the frontier as in Figure 20.3, from the front queues down to the heap and the threads."""
    width = 4 * COLUMN + 3 * GAP
    front = []
    for level, (due, urls) in enumerate(zip(moment.due, moment.front, strict=True)):
        turned = "chosen, " if level in moment.chosen else ""
        front.append(queue(f"F{level + 1}: {turned}due {due:g}", urls, width=COLUMN, most=6))
    front.append(set_of("Fetched", moment.fetched[::-1], width=COLUMN, height=172))
    due = {number: at for at, number in moment.heap}
    back = []
    for number, (host, urls) in enumerate(moment.back):
        state = f"t = {due[number]:g} s" if number in due else ("being asked" if host else "no host in line")
        says = Drawing(COLUMN, 18, label(state, 0, 13, fill=MUTED))
        back.append(
            below(queue(f"B{number + 1} {host or 'idle'}", urls, width=COLUMN, most=DEPTH), says, gap=0)
        )
    heap = [f"{at:g} s: B{number + 1}" for at, number in moment.heap]
    threads = [f"{url} until {at:g} s" for url, at in moment.out.items()]
    bars = [
        below(
            caption("Heap: earliest time, first on the left", width), _cells(heap, "waiting", width), gap=4
        ),
        below(caption("Threads: being fetched", width), _wide(threads, width), gap=4),
    ]
    turns = "\u2193 selector: to the smallest due that has a free host; a turn adds 1 to F1, 2 to F2, 4 to F3"
    selector = label(turns, 0, 13, fill=MUTED)
    return below(
        beside(*front, gap=GAP),
        Drawing(width, 18, selector),
        beside(*back, gap=GAP),
        *bars,
        gap=10,
    )


def _wide(texts: list[str], width: float) -> Drawing:
    style, parts, each = look("fetching"), list[Markup](), 216.0
    for i, text in enumerate(texts):
        parts.append(
            box(i * (each + 4) + 1.5, 1.5, each - 2, CELL - 4, rx=4, fill=style.fill, stroke=style.stroke)
        )
        parts.append(label(shorten(text, each - 12), i * (each + 4) + 7, 18))
    if not texts:
        parts.append(label("none", 0, 17.5, fill=MUTED, font_style="italic"))
    return Drawing(width, CELL, joined(parts))


def describe(moment: Moment) -> str:
    """Return what happened, with the time."""
    return f"t = {moment.now:g} s. {moment.says}"


def table(moment: Moment) -> list[Row]:
    """Return queues, heap and threads as rows."""
    rows: list[Row] = [["part", "holds"]]
    for n, (due, urls) in enumerate(zip(moment.due, moment.front, strict=True), 1):
        rows.append([f"F{n}, due {due:g}", ", ".join(urls) or "empty"])
    for number, (host, urls) in enumerate(moment.back, 1):
        rows.append([f"B{number} of {host}" if host else f"B{number}, idle", ", ".join(urls) or "empty"])
    rows.append(["heap", ", ".join(f"B{number + 1} at {at:g} s" for at, number in moment.heap) or "empty"])
    rows.append(["being fetched", ", ".join(moment.out) or "none"])
    return [*rows, ["fetched, in order", ", ".join(moment.fetched) or "none"]]


def watch_frontier(urls: str = TOWN) -> Explorer:
    """Return an editor and player: URLs through a frontier of three front queues, answer by answer."""
    return Editor(
        Text(
            "URLs: host/page, front queue, seconds", urls, parse_urls, 6, examples=["a/1 1", "a/1 3 2\nb/1 1"]
        ),
        lambda text, back, threads, gap: moments(text, back, threads, gap),
        draw,
        describe,
        table,
        title="The URL frontier",
        controls={
            "back": Number("Back queues B", 1, 4, 3),
            "threads": Number("Threads T", 1, 3, 1),
            "gap": Number("Gap, in fetch times", 0, 20, 10),
        },
        notice="A host has one back queue at most, and its queue is not in the heap while it is being asked: "
        "so nobody is asked twice at once. Find the step at which the thread begins to wait. Why is "
        "harbour/weather fetched before harbour/boats?",
        start=3,
    )
