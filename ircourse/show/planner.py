"""Explorers of the planner: what a crawl of so many pages takes, and what breaks first as it grows.

load   what a part takes, in machines or lines: 1 is all of one machine's memory, disk or time
limit  of one machine, one line, or one polite connection; it breaks where a plan needs more
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10

from ircourse.distribute.planner import SIZES, Constants, Plan, Size, plan, sizes
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.player import Player
from ircourse.show.style import BLUE, INK, MUTED, RULE, VERMILION
from ircourse.show.svg import (
    Drawing,
    Markup,
    below,
    box,
    element,
    joined,
    label,
    plural,
    superscript,
    text_width,
)

SIDE, COLUMN, ROW = 142.0, 130.0, 27.0
LEAST, MOST = -3.0, 5.0  # powers of ten of the loads that a bar can show
KINDS = ("memory", "disk", "time", "line")
PREFIXES = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))

__all__ = ["plan_a_crawl", "rounded", "shown_pages", "what_breaks"]


def rounded(value: float) -> str:
    """Return a number with two significant digits, as a reader wants it.

    >>> rounded(0.01234), rounded(413.4), rounded(41_336_000)
    ('0.012', '410', '41,000,000')
    """
    if value <= 0:
        return "0"
    value = float(f"{value:.1e}")
    return f"{value:,.{max(0, 1 - floor(log10(value)))}f}"


def sized(value: float, unit: str) -> str:
    """Return an amount with its unit, such as 20 GB.

    >>> sized(20e9, "B"), sized(44.7e6, "bit/s")
    ('20 GB', '45 Mbit/s')
    """
    for size, prefix in PREFIXES:
        if value >= 0.9995 * size:
            return f"{rounded(value / size)} {prefix}{unit}"
    return f"{rounded(value)} {unit}"


def shown_pages(pages: float) -> str:
    """Return a number of pages as a power of ten.

    >>> shown_pages(1e9), shown_pages(3.16e9)
    ('10⁹', '3.2·10⁹')
    """
    times, power = f"{pages:.1e}".split("e+")
    return ("" if times == "1.0" else f"{times}\u00b7") + "10" + superscript(int(power))


def _planned(power: float, weeks: int, seen: str, memory: int) -> Plan:
    constants = replace(Constants(), memory_bytes=memory * 1e9)
    return plan(10**power, weeks, constants, bloom=seen == "bloom")


def _bar(load: float, x: float, bold: bool) -> Markup:
    """Return a bar on a scale of powers of ten, with a load's value; nothing for no load."""
    if load <= 0:
        return joined(())
    wide = COLUMN - 60
    long = wide * (min(max(log10(load), LEAST), MOST) - LEAST) / (MOST - LEAST)
    fill, edge = ("#fbdcc8", VERMILION) if load > 1 else ("#cce3f0", BLUE)
    said = rounded(load) if load >= 0.001 else "<0.001"
    said = said if load < 99_500 else f"{load / 1e6:.1f} M"
    long = max(round(long), 1)
    shape = box(x, 4, long, ROW - 9, fill=fill, stroke=edge)
    behind = box(x + long + 2, 3, round(text_width(said)) + 2, ROW - 7, stroke="none")
    return joined([behind, shape, label(said, x + long + 4, 19, bold=bold or load > 1)])


def _line(name: str, loads: dict[str, float], bold: bool = False) -> Drawing:
    one = round((COLUMN - 60) * -LEAST / (MOST - LEAST))
    parts = [label(name, 0, 19, bold=bold)]
    for i, kind in enumerate(KINDS):
        x = SIDE + i * COLUMN
        parts.append(element("line", x1=x + one, y1=0.0, x2=x + one, y2=ROW, stroke=RULE, stroke_width=2))
        parts.append(_bar(loads[kind], x, bold))
    return Drawing(SIDE + len(KINDS) * COLUMN, ROW, joined(parts))


def _draw_plan(now: Plan) -> Drawing:
    heads = ("machines' memory", "machines' disk", "machines' time", "T3 lines")
    head = [label(text, SIDE + i * COLUMN, 13, fill=MUTED, font_size=13) for i, text in enumerate(heads)]
    used = [part for part in now.parts if part.used]
    totals = {kind: sum(now.load(part)[kind] for part in used) for kind in KINDS}
    rows = [_line(part.name, now.load(part)) for part in used]
    foot = "A scale of powers of ten. The grey line stands at 1: all of one machine, or of one T3 line."
    return below(
        Drawing(SIDE + len(KINDS) * COLUMN, 18, joined(head)),
        *rows,
        _line("together", totals, bold=True),
        Drawing(600, 20, label(foot, 0, 14, fill=MUTED)),
        gap=2,
    )


def _tell_plan(now: Plan) -> str:
    asks = max(now.machines_for, key=lambda kind: now.machines_for[kind])
    return (
        f"{shown_pages(now.pages)} pages every {plural(int(now.weeks), 'week')}: "
        f"{rounded(now.pages_per_second)} pages a second, {sized(now.bits, 'bit/s')}, "
        f"{plural(now.lines, 'T3 line')}. {plural(now.machines, 'machine')}; most are asked for by {asks}."
    )


def _table_plan(now: Plan) -> Sequence[Row]:
    rows: list[Row] = [["part", "handles", "memory", "disk", "line", "machine time"]]
    for part in now.parts:
        if part.used:
            days = f"{rounded(part.seconds / 86_400)} days" if part.seconds else "0"
            amount = f"{shown_pages(max(part.amount, 1))} {part.unit}"
            sizes_ = sized(part.memory, "B"), sized(part.disk, "B"), sized(part.bits, "bit/s")
            rows.append([part.name, amount, *sizes_, days])
    return rows


def plan_a_crawl() -> Explorer:
    """Return sliders: what each part of a crawl and its index takes."""
    return Sliders(
        _planned,
        _draw_plan,
        _tell_plan,
        _table_plan,
        title="Plan a crawl",
        controls={
            "power": Number("Pages: 10 to the", 6, 11, 9, 0.5),
            "weeks": Choice("Every", [("week", 1), ("2 weeks", 2), ("4 weeks", 4)], 4),
            "seen": Choice("URLs seen", [("Bloom filter", "bloom"), ("their text", "exact")]),
            "memory": Choice("Memory of a machine", [("16 GB", 16), ("256 GB", 256)]),
        },
        notice="Orange bars need more than one machine or line. From one power of ten to the next all bars "
        "grow by the same length. Then keep the text of URLs seen, and look at the memory.",
    )


@dataclass(frozen=True)
class Step:
    """The size at which a limit breaks, and what was done about it."""

    size: Size
    done: str


def _steps(weeks: int) -> list[Step]:
    first = sizes(SIZES[:1], weeks)[0]
    breaks = sizes((limit.breaks_at * 1.001 for limit in first.limits), weeks)
    return [Step(size, size.broken[-1].done if size.broken else "") for size in (first, *breaks)]


def _draw_limits(now: Step) -> Drawing:
    wide, left = 460.0, 150.0

    def x(pages: float) -> float:
        return left + wide * min(max(log10(pages) - 5.5, 0), 6) / 6

    parts: list[Markup] = []
    for i, limit in enumerate(now.size.limits):
        y = 8 + i * 30
        broken = limit.load > 1
        fill, edge = ("#fbdcc8", VERMILION) if broken else ("#f4f4f4", MUTED)
        start = x(limit.breaks_at)
        dash = None if broken else "4 3"
        parts.append(label(limit.name, 0, y + 15, bold=broken))
        if start < left + wide:
            width = round(left + wide - start)
            parts.append(box(round(start), y, width, 20, fill=fill, stroke=edge, stroke_dasharray=dash))
    high = 8 + len(now.size.limits) * 30
    for power in range(6, 12):
        at = round(x(10**power))
        parts.append(element("line", x1=at, y1=high, x2=at, y2=high + 6, stroke=INK))
        parts.append(label("10" + superscript(power), at, high + 22, anchor="middle"))
    at = round(x(now.size.plan.pages))
    parts.append(element("line", x1=at, y1=0, x2=at, y2=high, stroke=INK, stroke_width=2))
    parts.append(label("pages; a bar begins where the limit breaks", left, high + 42))
    chart = Drawing(left + wide + 14, high + 50, joined(parts))
    said = textwrap.wrap(f"{now.size.broken[-1].name}: {now.done}" if now.done else "Nothing breaks.", 84)
    said += [""] * (4 - len(said))
    lines = [Drawing(620, 19, label(text, 0, 14)) for text in said]
    return below(chart, Drawing(620, 19, label("What was done about it", 0, 14, bold=True)), *lines, gap=0)


def _tell_limits(now: Step) -> str:
    broken, after = now.size.broken, now.size.next
    what = ", ".join(limit.name for limit in broken)
    said = f"{len(broken)} of {len(now.size.limits)} limits broken: {what}." if broken else "No limit broken."
    more = f" Next: {after.name}, at {shown_pages(after.breaks_at)} pages." if after else ""
    return f"{shown_pages(now.size.plan.pages)} pages. {said}{more}"


def _table_limits(now: Step) -> Sequence[Row]:
    heads = ["limit", "needed / available", "breaks at pages", "larger ones help", "what was done"]
    return [
        heads,
        *(
            [
                each.name,
                rounded(each.load),
                shown_pages(each.breaks_at),
                "yes" if each.machines else "no",
                each.done,
            ]
            for each in now.size.limits
        ),
    ]


def what_breaks() -> Explorer:
    """Return a player: the limits in the order in which they break, and what was done about each."""
    return Player(
        _steps,
        _draw_limits,
        _tell_limits,
        _table_limits,
        title="What breaks first",
        controls={"weeks": Choice("Every", [("week", 1), ("2 weeks", 2), ("4 weeks", 4)], 4)},
        notice="A step takes the crawl to the size at which the next limit of one machine, one line or one "
        "polite connection breaks. Then crawl every week: which bars move, and which do not?",
        start=1,
    )
