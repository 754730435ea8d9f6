"""Where the nodes of a small graph stand and how its arrows run: computed once a graph, the same everywhere.

node    a box as wide as its label, so that labels cannot overlap
layer   nodes at the same distance from the roots, link direction respected; what no root reaches starts anew
row     one or several layers, or a part of a wide one: what stands at one height

Plain arithmetic without a random start: the same graph gives the same picture on every machine, so that a
static picture in a notebook does not change from run to run.
Source: the layers and their ordering by mean neighbour are Sugiyama, Tagawa and Toda's (1981).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Node: TypeAlias = Hashable
Edge: TypeAlias = tuple[Node, Node]
Point: TypeAlias = tuple[float, float]

BOX_HEIGHT, GAP, DEEPEST = 28.0, 26.0, 7
BENDS = (0.0, 26.0, -26.0, 52.0, -52.0, 90.0, -90.0, 130.0, -130.0)
COARSE, FINE = np.linspace(0.0, 1.0, 33), np.linspace(0.0, 1.0, 257)

__all__ = ["BOX_HEIGHT", "layers", "place", "route", "rows"]


def layers(nodes: Sequence[Node], edges: Sequence[Edge], roots: Sequence[Node] = ()) -> list[list[Node]]:
    """Return the nodes by their distance from the roots; each further component starts at its first source.

    >>> layers("abcd", [("a", "b"), ("a", "c"), ("d", "c")])
    [['a', 'd'], ['b', 'c']]
    """
    out: dict[Node, list[Node]] = {node: [] for node in nodes}
    linked = set()
    for u, v in edges:
        out[u].append(v)
        if u != v:
            linked.add(v)
    starts = [*roots, *(n for n in nodes if n not in linked), *nodes]
    depth: dict[Node, int] = {}
    wave: Sequence[Node] = list(roots) or starts[:1]
    while len(depth) < len(nodes):
        queue = deque(dict.fromkeys(n for n in wave if n not in depth))
        depth.update((n, 0) for n in queue)
        while queue:
            node = queue.popleft()
            for other in out[node]:
                if other not in depth:
                    depth[other] = depth[node] + 1
                    queue.append(other)
        wave = [n for n in starts if n not in depth][:1]
    found: list[list[Node]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in depth:
        found[depth[node]].append(node)
    return ordered(found, edges)


def ordered(found: list[list[Node]], edges: Sequence[Edge]) -> list[list[Node]]:
    """Order each layer by the mean place of its neighbours, down, up and down; ties keep their order."""
    near: dict[Node, list[Node]] = {node: [] for layer in found for node in layer}
    for u, v in edges:
        near[u].append(v)
        near[v].append(u)
    for sweep in (found, found[::-1], found):
        spot = {node: (i + 0.5) / len(layer) for layer in found for i, node in enumerate(layer)}
        for layer in sweep:
            here = set(layer)
            means = {}
            for node in layer:
                places = [spot[other] for other in near[node] if other not in here]
                means[node] = sum(places) / len(places) if places else spot[node]
            layer.sort(key=means.__getitem__)
            spot.update((node, (i + 0.5) / len(layer)) for i, node in enumerate(layer))
    return found


def rows(found: list[list[Node]], widths: dict[Node, float], width: float) -> list[list[Node]]:
    """Return the layers as rows no wider than ``width``; a deep graph runs to and fro."""
    group = -(-len(found) // DEEPEST) if len(found) > DEEPEST else 1
    made: list[list[Node]] = []
    for start in range(0, len(found), group):
        row: list[Node] = []
        rest = [node for layer in found[start : start + group] for node in layer]
        for node in rest:
            if row and sum(widths[n] + GAP for n in [*row, node]) - GAP > width:
                made.append(row)
                row = []
            row.append(node)
        made.append(row)
    return [row[::-1] if group > 1 and i % 2 else row for i, row in enumerate(made)]


def place(
    lines: list[list[Node]], widths: dict[Node, float], width: float
) -> tuple[dict[Node, Point], float]:
    """Return the centre of each node's box and the height of the whole, in pixels."""
    step = 78.0 if len(lines) <= 5 else 66.0
    centres: dict[Node, Point] = {}
    for number, row in enumerate(lines):
        free = width - sum(widths[node] for node in row)
        space = min(free / (len(row) + 1), 110.0)
        x = (width - sum(widths[node] for node in row) - space * (len(row) - 1)) / 2
        # Rows of the same width stand a little aside, so that straight arrows do not run behind boxes.
        x += (-1) ** number * min(space, 24.0) / 3 if len(lines) > 2 else 0.0
        for node in row:
            centres[node] = (round(x + widths[node] / 2, 1), round(number * step + BOX_HEIGHT / 2 + 12, 1))
            x += widths[node] + space
    return centres, (len(lines) - 1) * step + BOX_HEIGHT + 24 if lines else 0.0


def control(a: Point, b: Point, bend: float) -> Point:
    """Return the control point of the quadratic curve from a to b that swings ``bend`` pixels to its left."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = max(math.sqrt(dx * dx + dy * dy), 1.0)
    return (a[0] + b[0]) / 2 + 2 * bend * dy / length, (a[1] + b[1]) / 2 - 2 * bend * dx / length


def curve(a: Point, c: Point, b: Point, t: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the points, (len(t), 2), of the quadratic curve from a to b with the control point c."""
    t = t[:, None]
    return np.asarray((1 - t) ** 2 * np.array(a) + 2 * t * (1 - t) * np.array(c) + t**2 * np.array(b))


def cut(a: Point, c: Point, b: Point, t0: float, t1: float) -> tuple[Point, Point, Point]:
    """Return the part of a quadratic curve between t0 and t1 as a start, a control point and an end."""

    def blossom(s: float, t: float, i: int) -> float:
        return (1 - s) * ((1 - t) * a[i] + t * c[i]) + s * ((1 - t) * c[i] + t * b[i])

    start, middle, end = ((blossom(s, t, 0), blossom(s, t, 1)) for s, t in ((t0, t0), (t0, t1), (t1, t1)))
    return start, middle, end


def inside(points: npt.NDArray[np.float64], boxes: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which of n points lie in which of m boxes (rows of left, top, right, bottom), (n, m)."""
    x, y = points[:, :1], points[:, 1:]
    return (x > boxes[:, 0]) & (x < boxes[:, 2]) & (y > boxes[:, 1]) & (y < boxes[:, 3])


def route(
    a: int, b: int, centres: Sequence[Point], boxes: npt.NDArray[np.float64], both_ways: bool
) -> tuple[Point, Point, Point]:
    """Return the arrow from box a to box b, bent so far that it runs behind as few boxes as can be.

    boxes      (m, 4) left, top, right, bottom, a margin included
    both_ways  there is an arrow back: the two bend to their own left and so stay apart

    The result is a quadratic curve: start, control point, end.
    """
    others = np.delete(boxes, [a, b], axis=0)
    start, end, edge = centres[a], centres[b], float(boxes[:, 2].max())
    costs = {}
    for bend in BENDS:
        if both_ways and bend <= 0:
            continue
        points = curve(start, control(start, end, bend), end, COARSE)
        outside = (points[:, 0] < 0) | (points[:, 0] > edge) | (points[:, 1] < 0)
        hits = int(inside(points, others).sum()) + int(outside.sum())
        costs[bend] = 4.0 * hits + abs(bend) / 100
        if not hits:
            break
    middle = control(start, end, min(costs, key=costs.__getitem__))
    free = FINE[~inside(curve(start, middle, end, FINE), boxes[[a, b]]).any(axis=1)]
    return cut(start, middle, end, float(free[0]), float(free[-1])) if len(free) else (start, middle, end)
