"""The explorer of loads on the ring (section 20.3): how even they are with so many points a server."""

from __future__ import annotations

from dataclasses import dataclass

from ircourse.distribute import ConsistentHashRing, imbalance
from ircourse.show.charts_svg import written
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import BLUE, MUTED, RULE, VERMILION
from ircourse.show.svg import Drawing, box, element, joined, label, plural

__all__ = ["compare_loads"]


@dataclass(frozen=True)
class Loads:
    """Each server's load as a multiple of the average, the largest first."""

    loads: list[float]
    replicas: int
    items: int


def loads(servers: int, replicas: int, items: int, ring: int) -> Loads:
    """Return the loads on one ring: arcs, or how many of ``items`` items fall on each server."""
    made = ConsistentHashRing(range(servers), replicas, seed=ring)
    found = list(made.shares.values())
    if items:
        at = made.nodes_for(range(items))
        counts = dict.fromkeys(range(servers), 0)
        for node in at:
            counts[int(node)] += 1
        found = [count / items for count in counts.values()]
    return Loads(sorted((share * servers for share in found), reverse=True), replicas, items)


def draw_loads(now: Loads) -> Drawing:
    """Return a column a server on a scale that stays, with a line at the average."""
    width, high, left, most = 600.0, 260.0, 40.0, 7.0
    each = (width - left) / len(now.loads)
    parts = [label("load, as a multiple of the average", 0, 12)]
    for tick in range(int(most) + 1):
        y = 30 + high - high * tick / most
        parts.append(element("line", x1=left, y1=y, x2=width, y2=y, stroke=RULE))
        parts.append(label(str(tick), left - 10, y + 5, anchor="end"))
    for i, load in enumerate(now.loads):
        tall = round(high * min(load, most) / most, 1)
        parts.append(box(left + i * each, 30 + high - tall, each, tall, fill="#cce3f0", stroke=BLUE))
    y = 30 + high - high / most
    parts.append(
        element(
            "line", x1=left, y1=y, x2=width, y2=y, stroke=VERMILION, stroke_width=2, stroke_dasharray="8 4"
        )
    )
    top = 30 + high - high * min(now.loads[0], most) / most
    parts.append(label(f"{now.loads[0]:.2f}", left + 2, round(top) - 6, bold=True))
    parts.append(label("the average", width, y - 6, anchor="end", fill=MUTED))
    foot = f"{len(now.loads)} servers, the most loaded on the left"
    parts.append(label(foot, (left + width) / 2, 30 + high + 22, anchor="middle"))
    return Drawing(width, high + 60, joined(parts))


def describe_loads(now: Loads) -> str:
    """Return the largest and the smallest load."""
    what = f"{now.items:,} items" if now.items else "the circle"
    points = plural(now.replicas, "point")
    return (
        f"{len(now.loads)} servers with {points} each share {what}: the largest load is "
        f"{imbalance(now.loads):.2f} times the average, the smallest {now.loads[-1]:.2f} times."
    )


def table_loads(now: Loads) -> list[Row]:
    """Return loads at some ranks."""
    n = len(now.loads)
    ranks = sorted({0, n // 4, n // 2, 3 * n // 4, n - 1})
    return [
        ["server, by its load", "times the average"],
        *([f"{r + 1} of {n}", written(round(now.loads[r], 3))] for r in ranks),
    ]


def compare_loads() -> Explorer:
    """Return sliders: how even the loads of the servers are with so many points each."""
    return Sliders(
        loads,
        draw_loads,
        describe_loads,
        table_loads,
        title="Load and points",
        controls={
            "replicas": Choice("Points of a server", [1, 5, 20, 100, 500], 1),
            "servers": Choice("Servers", [10, 100], 100),
            "items": Choice("Load", [("share of the circle", 0), ("10,000 items", 10_000)]),
            "ring": Number("Ring", 1, 20, 1),
        },
        notice="With one point the first column is far above the line, and many servers have next to "
        "nothing. Go to 5 points, about the logarithm of 100 servers, then to 100 and 500. Then choose "
        "10,000 items: which unevenness stays, however many points there are?",
    )
