"""Stacks, queues, sets and tables, as they stand beside a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ircourse.show.style import MUTED, PAPER, RULE, look
from ircourse.show.svg import Drawing, Markup, below, box, caption, joined, label, shorten, text_width

CELL = 26.0

__all__ = ["grid", "queue", "set_of", "stack"]


def _cells(items: Sequence[str], width: float, most: int, note: str, title: str) -> Drawing:
    """Return a column of boxes, the first on top, and a line for what there is no room for."""
    style = look("waiting")
    shown = list(items) if len(items) <= most else list(items[: most - 1])
    parts: list[Markup] = []
    for i, item in enumerate(shown):
        y = i * CELL
        frame = style.frame()
        parts.append(box(0.5, y + 0.5, width - 1, CELL - 3, rx=min(style.corner, 4), **frame))
        parts.append(label(shorten(item, width - 16), 8, y + 17.5))
    if not items:
        parts.append(label("empty", 8, 17.5, fill=MUTED, font_style="italic"))
    elif len(items) > len(shown):
        parts.append(label(f"and {len(items) - len(shown):,} more", 8, len(shown) * CELL + 17.5, fill=MUTED))
    head = [caption(f"{title} ({len(items):,})", width)]
    head += [Drawing(width, 16, label(note, 0, 11, fill=MUTED))] if note else []
    return below(*head, Drawing(width, most * CELL, joined(parts)), gap=4)


def stack(title: str, items: Sequence[str], *, width: float = 170, most: int = 9) -> Drawing:
    """Return a stack, the item popped next on top; ``items`` holds it last, as a list used as a stack.

    The drawing is as high as ``most`` items, whatever it holds, so that nothing jumps from step to step.
    """
    return _cells(list(items)[::-1], width, most, "popped next \u2193", title)


def queue(title: str, items: Sequence[str], *, width: float = 170, most: int = 9) -> Drawing:
    """Return a queue, the item that leaves next on top; ``items`` holds it first."""
    return _cells(list(items), width, most, "leaves next \u2193", title)


def set_of(title: str, items: Sequence[str], *, width: float = 170, height: float = 120) -> Drawing:
    """Return a set, its members in the order given, broken into lines; what does not fit is counted."""
    style = look("stored")
    parts: list[Markup] = []
    x = y = 0.0
    for number, item in enumerate(items):
        name = shorten(item, width - 18)
        wide = min(text_width(name) + 16, width)
        if x and x + wide > width:
            x, y = 0.0, y + CELL
        if y + 2 * CELL > height and number < len(items) - 1 and x + 2 * wide + 4 > width:
            parts.append(label(f"and {len(items) - number:,} more", x + 4, y + 17.5, fill=MUTED))
            break
        frame = style.frame()
        parts.append(box(x + 0.5, y + 0.5, wide - 1, CELL - 3, rx=4, **frame))
        parts.append(label(name, x + 8, y + 17.5))
        x += wide + 4
    if not items:
        parts.append(label("empty", 8, 17.5, fill=MUTED, font_style="italic"))
    return below(caption(f"{title} ({len(items):,})", width), Drawing(width, height, joined(parts)), gap=4)


def grid(
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    looks: Mapping[tuple[int, int], str] | None = None,
    widest: float = 220,
) -> Drawing:
    """Return a table; ``looks`` names a look for some cells, by row and column. Numbers stand right."""
    texts = [[shorten(str(cell), widest) for cell in row] for row in [heads, *rows]]
    widths = [max(text_width(line[c]) for line in texts) + 18 for c in range(len(heads))]
    xs = [sum(widths[:c]) for c in range(len(heads) + 1)]
    parts: list[Markup] = []
    for r, line in enumerate(texts):
        for c, text in enumerate(line):
            name = (looks or {}).get((r - 1, c))
            fill = look(name).fill if name else ("#eeeeee" if r == 0 else PAPER)
            parts.append(box(xs[c] + 0.5, r * CELL + 0.5, widths[c], CELL, fill=fill, stroke=RULE))
            right = r > 0 and isinstance(rows[r - 1][c], int | float)
            x = xs[c] + widths[c] - 9 if right else xs[c] + 9
            bold = r == 0 or bool(name)
            parts.append(label(text, x, r * CELL + 18, anchor="end" if right else "start", bold=bold))
    return Drawing(xs[-1] + 1, len(texts) * CELL + 1, joined(parts))
