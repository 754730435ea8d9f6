"""The explorer of consistent hashing (section 20.3): nodes that join and leave, beside hash mod D."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ircourse.distribute import ConsistentHashRing, mod_node, moves
from ircourse.distribute.hashing import key_id
from ircourse.show.controls import Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.saltmere import hosts, short_host
from ircourse.show.style import INK, look
from ircourse.show.svg import Drawing, Markup, below, beside, box, caption, element, joined, label, plural

FIRST = ("ada", "bob", "cleo")
FILLS = ("#cce3f0", "#fbdcc8", "#c5eadd", "#f3dde9", "#fdecc2", "#e6e0f0", "#e4e4e4", "#cfe9fa")
SIZE, MIDDLE, RADIUS = 320.0, 160.0, 100.0
MOST = 6  # nodes: more letters would lie on each other
EVENT = re.compile(r"([+-])([a-z]{1,8})")

__all__ = ["watch_ring"]


@dataclass(frozen=True)
class Circle:
    """The nodes after an event, and where each host is: on the ring, and by hash mod D."""

    event: str
    nodes: tuple[str, ...]  # in the order in which they joined
    ring: ConsistentHashRing
    on_ring: list[Any]
    by_mod: list[str]
    ring_before: list[Any]
    mod_before: list[str]

    def moved(self) -> tuple[set[int], set[int]]:
        """Return the numbers of the hosts that moved, on the ring and by hash mod D."""
        pairs = (self.ring_before, self.on_ring), (self.mod_before, self.by_mod)
        ring, mod = ({i for i, (a, b) in enumerate(zip(*p, strict=True), 1) if a != b} for p in pairs)
        return ring, mod


def parse_events(text: str) -> tuple[tuple[str, str], ...]:
    """Return (sign, node) of each event; ValueError where one cannot be read or cannot happen."""
    events, there = [], list(FIRST)
    for word in text.split():
        if not (found := EVENT.fullmatch(word)):
            raise ValueError(f"{word[:20]!r}: write + or - and a name of up to 8 letters, such as +dan")
        sign, node = found.groups()
        if sign == "+" and node[0] in [name[0] for name in there]:
            raise ValueError(f"+{node}: write a name with a first letter that no node has")
        if sign == "-" and (node not in there or len(there) == 1):
            raise ValueError(f"-{node}: write one of {', '.join(there)}, and leave at least one")
        if sign == "+":
            there.append(node)
        else:
            there.remove(node)
        if len(there) > MOST or len(events) == 12:
            raise ValueError(f"write at most 12 events, with at most {MOST} nodes at a time")
        events.append((sign, node))
    return tuple(events)


def circles(events: Sequence[tuple[str, str]], replicas: int) -> list[Circle]:
    """Return the ring and the assignment by hash mod D at the start and after each event."""
    nodes, ring = list(FIRST), ConsistentHashRing(FIRST, replicas)
    at = ring.nodes_for(hosts())
    mod = [nodes[mod_node(host, len(nodes))] for host in hosts()]
    found = [Circle("", tuple(nodes), ring, at, mod, at, mod)]
    for sign, node in events:
        ring = ring.joined_by(node) if sign == "+" else ring.without(node)
        nodes = [*nodes, node] if sign == "+" else [name for name in nodes if name != node]
        before = found[-1]
        at = ring.nodes_for(hosts())
        mod = [nodes[mod_node(host, len(nodes))] for host in hosts()]
        event = f"{node} {'joins' if sign == '+' else 'leaves'}"
        found.append(Circle(event, tuple(nodes), ring, at, mod, before.on_ring, before.by_mod))
    return found


def _spot(share: float, radius: float) -> tuple[float, float]:
    """Return a place on a circle, clockwise from the top."""
    angle = 2 * math.pi * share
    return round(MIDDLE + radius * math.sin(angle), 1), round(MIDDLE - radius * math.cos(angle), 1)


def _fill(node: str) -> str:
    """Return a node's colour, which it keeps: that of its first letter."""
    return FILLS[(ord(node[0]) - ord("a")) % len(FILLS)]


def _around(places: list[tuple[float, str]], radius: float, step: float) -> list[tuple[float, float, str]]:
    """Return where to write names around the circle: neighbours that would touch in lines of their own."""
    found, last = [], [-1.0] * 4
    for share, name in sorted(places):
        free = (i for i in range(4) if (share - last[i]) * (radius + step * i) > 3.4)
        line = next(free, last.index(min(last)))
        last[line] = share
        found.append((*_spot(share, radius + step * line), name))
    return found


def ring_picture(now: Circle) -> Drawing:
    """Return the circle: arcs in the colour of their node, its letter at their ends, hosts outside."""
    points = [(place / 2**64, str(node)) for place, node in now.ring.points]
    moved, parts = now.moved()[0], []
    for i, (end, node) in enumerate(points):
        start = points[i - 1][0] - (i == 0)
        (x0, y0), (x1, y1) = _spot(start, RADIUS), _spot(end, RADIUS)
        path = f"M{x0} {y0} A{RADIUS:g} {RADIUS:g} 0 {int(end - start > 0.5)} 1 {x1} {y1}"
        parts.append(element("path", d=path, fill="none", stroke=_fill(node), stroke_width=16))
    for end, _ in points:
        (x0, y0), (x1, y1) = _spot(end, RADIUS - 8), _spot(end, RADIUS + 8)
        parts.append(element("line", x1=x0, y1=y0, x2=x1, y2=y1, stroke=INK, stroke_width=2))
    parts += _letters(points)
    ids = [(_share(host), str(i)) for i, host in enumerate(hosts(), 1)]
    parts += [
        element("circle", cx=x, cy=y, r=3, fill=INK) for x, y in (_spot(share, RADIUS) for share, _ in ids)
    ]
    for x, y, name in _around(ids, RADIUS + 22, 20):
        if int(name) in moved:
            parts.append(_ringed(x, y))
        parts.append(label(name, x, y + 5, anchor="middle", bold=int(name) in moved))
    return Drawing(SIZE, SIZE, joined(parts))


def _letters(points: Sequence[tuple[float, str]]) -> list[Markup]:
    """Return the nodes' letters inside the circle, in their colours, with a line from each to its point."""
    at = _around([(end, node) for end, node in points], RADIUS - 20, -19)
    lines, letters = [], []
    for (end, node), (x, y, _) in zip(sorted(points), at, strict=True):
        x0, y0 = _spot(end, RADIUS - 8)
        lines.append(element("line", x1=x0, y1=y0, x2=x, y2=y, stroke=INK, stroke_width=1))
        letters.append(element("circle", cx=x, cy=y, r=8.5, fill=_fill(node), stroke=INK, stroke_width=0.8))
        letters.append(label(node[0].upper(), x, y + 5, anchor="middle", bold=True))
    return [*lines, *letters]


@cache
def _share(host: str) -> float:
    return key_id(host) / 2**64


def _ringed(x: float, y: float) -> Markup:
    seems = look("target")
    return element("circle", cx=x, cy=y, r=11, fill=seems.fill, stroke=seems.stroke, stroke_width=2)


def _lists(title: str, now: Circle, owners: Sequence[Any], moved: set[int]) -> Drawing:
    """Return each node's hosts by their numbers; those that moved are ringed."""
    parts = []
    for row, node in enumerate(now.nodes):
        y = 26.0 * row
        parts.append(box(0.5, y + 3, 20, 18, fill=_fill(node), rx=3))
        parts.append(label(node[0].upper(), 10, y + 17, anchor="middle", bold=True))
        parts.append(label(node, 27, y + 17))
        for at, i in enumerate(i for i, owner in enumerate(owners, 1) if owner == node):
            x = 106 + 25.0 * at
            parts += [_ringed(x, y + 12)] if i in moved else []
            parts.append(label(str(i), x, y + 17, anchor="middle", bold=i in moved))
    wide = 106 + 25.0 * max(11, *(list(owners).count(node) for node in now.nodes))
    return below(caption(title, wide), Drawing(wide, 26.0 * len(now.nodes), joined(parts)), gap=4)


def draw(now: Circle) -> Drawing:
    """Return the circle, and who has which host there and by hash mod D."""
    ring, mod = now.moved()
    d = len(now.nodes)
    lists = below(
        _lists(f"On the ring: {plural(len(ring), 'host')} moved", now, now.on_ring, ring),
        _lists(f"By hash mod {d}: {plural(len(mod), 'host')} moved", now, now.by_mod, mod),
        gap=18,
    )
    return beside(ring_picture(now), lists, gap=12)


def describe(now: Circle) -> str:
    """Return what happened and what moved."""
    if not now.event:
        names = ", ".join(now.nodes)
        return f"The {len(hosts())} hosts of Saltmere and its neighbours are divided among {names}."
    ring, mod = now.moved()
    flows = sorted(moves(now.ring_before, now.on_ring).flows.items())
    said = ", ".join(f"{n} from {old} to {new}" for (old, new), n in flows) or "none"
    share = f"{len(ring)} of {len(hosts())}"
    return f"{now.event}. On the ring {share} hosts move: {said}. By hash mod D {len(mod)} move."


def table(now: Circle) -> list[Row]:
    """Return the hosts with their nodes."""
    ring, mod = now.moved()
    rows: list[Row] = [["number", "host", "place on the circle", "on the ring", "by hash mod D"]]
    for i, host in enumerate(hosts(), 1):
        at, by = (f"{owner}{' (moved)' * (i in m)}" for owner, m in _owners(now, i, ring, mod))
        rows.append([i, short_host(host), f"{_share(host):.3f}", at, by])
    return rows


def _owners(now: Circle, i: int, ring: set[int], mod: set[int]) -> list[tuple[Any, set[int]]]:
    return [(now.on_ring[i - 1], ring), (now.by_mod[i - 1], mod)]


def watch_ring() -> Explorer:
    """Return an editor and player: nodes join and leave, and hosts move on the ring and by hash mod D."""
    return Editor(
        Text("Events", "+dan -bob +bob", parse_events, examples=["+emil", "-ada -bob", "bob", "+bert"]),
        lambda text, replicas: circles(text, replicas),
        draw,
        describe,
        table,
        title="Nodes join and leave",
        controls={"replicas": Number("Points of a node", 1, 5, 2)},
        notice="A number is a host, at its place on the circle; going clockwise, the first stroke is its "
        "node's, and a line leads from it to the node's letter. Ringed numbers have just moved. Compare from "
        "whom and to whom they move, on the ring and by hash mod D.",
    )
