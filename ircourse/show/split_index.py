"""The explorer of an index over several nodes (section 20.3): a query, message by message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ircourse.distribute import (
    ConsistentHashRing,
    DocumentPartitioned,
    Partitioned,
    QueryCost,
    QueryStep,
    TermPartitioned,
)
from ircourse.distribute.splitter import host_key
from ircourse.show.controls import Choice, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Comparison
from ircourse.show.saltmere import texts
from ircourse.show.style import INK, MUTED, RULE, look
from ircourse.show.svg import Drawing, Markup, below, box, clip, element, joined, label, plural, shorten
from ircourse.text import tokenize

NODES = ("ada", "bob", "cleo", "dan")
WIDE, EACH, DEEP = 380.0, 95.0, 150.0
BEST = 3

__all__ = ["watch_query"]


@dataclass(frozen=True)
class Asked:
    """A query as far as it has come: the steps so far, and who is down."""

    query: str
    steps: tuple[QueryStep, ...]
    down: tuple[str, ...]

    @property
    def cost(self) -> QueryCost:
        """What it has cost."""
        return self.steps[-1].cost if self.steps else QueryCost()


@cache
def pieces() -> tuple[DocumentPartitioned, TermPartitioned]:
    """Return Saltmere's pages over four nodes: a host's pages together, and each term's list on its node."""
    ring = ConsistentHashRing(NODES, 100)
    docs = [f"{title} {text}" for _, title, text in texts()]
    keys = [host_key(url) for url, _, _ in texts()]
    by_document = DocumentPartitioned(docs, NODES, keys=keys, place=ring.node_for)
    return by_document, TermPartitioned(docs, NODES, place=ring.node_for)


def parse_query(text: str) -> str:
    """Return a query of one to four words; ValueError otherwise."""
    words = list(dict.fromkeys(tokenize(text)))
    if not 1 <= len(words) <= 4 or max(map(len, words)) > 20:
        raise ValueError("Write one to four different words of at most 20 letters, such as harbour ferry")
    return " ".join(words)


def traces(text: str, mode: str, down: str) -> tuple[list[Asked], list[Asked]]:
    """Return the query's way through both indexes."""
    found = []
    for index in pieces():
        steps = tuple(_steps(index, text, mode, down))
        lost = (down,) if down else ()
        found.append([Asked(text, steps[:n], lost) for n in range(len(steps) + 1)])
    return found[0], found[1]


def _steps(index: Partitioned, text: str, mode: str, down: str) -> list[QueryStep]:
    if down:
        index.lose(down)
    try:
        return list(index.query_steps(text, BEST, "or" if mode == "or" else "and"))
    finally:
        if down:
            index.bring_back(down)


def _node(i: int, node: str, now: Asked) -> Markup:
    """Return a node, the line to the broker, and what it was asked and read."""
    mine = [step for step in now.steps if step.node == node]
    last = mine[-1].action if mine else ""
    names = {"ask": "waiting", "read": "fetching", "answer": "stored", "count": "waiting"}
    name = "dead" if node in now.down else names.get(last, "unseen")
    seems, x = look(name), EACH * i
    active = bool(now.steps) and now.steps[-1].node == node and last in ("ask", "answer", "count")
    middle = x + EACH / 2
    ink, heavy = (INK, 3.2) if active else (RULE, 1.3)
    ends = {"x1": WIDE / 2, "y1": 40.0, "x2": middle, "y2": DEEP - 4}
    parts = [element("line", **ends, stroke=ink, stroke_width=heavy)]
    frame = {"fill": seems.fill, "stroke": seems.stroke, "stroke_dasharray": seems.dash, "rx": 6}
    parts.append(box(x + 4, DEEP, EACH - 8, 30, stroke_width=seems.width, **frame))
    parts.append(label(f"{seems.mark} {node}".strip(), middle, DEEP + 20, anchor="middle"))
    read = sum(step.size for step in mine if step.action == "read")
    if any(step.action == "read" for step in mine):
        parts.append(label(f"read {read}", middle, DEEP + 48, anchor="middle"))
    if active:
        toward = "\u2193" if last == "ask" else "\u2191"
        at = 0.62
        px, py = WIDE / 2 + (middle - WIDE / 2) * at, 40 + (DEEP - 44) * at
        says = f"{toward} {mine[-1].size} bytes"
        parts.append(box(round(px) - 48, round(py) - 13, 96, 20, stroke="none"))
        parts.append(label(says, round(px), round(py) + 2, anchor="middle", bold=True))
    return joined(parts)


def draw(now: Asked) -> Drawing:
    """Return the broker, the nodes, the bill so far, and at the end the results."""
    nodes = sorted(
        range(len(NODES)), key=lambda i: bool(now.steps) and now.steps[-1].node == NODES[i]
    )  # the active one on top
    parts = [_node(i, NODES[i], now) for i in nodes]
    seems = look("target" if now.steps and now.steps[-1].action == "merge" else "plain")
    parts.append(box(WIDE / 2 - 50, 8, 100, 32, rx=6, fill=seems.fill, stroke=seems.stroke))
    parts.append(label("broker", WIDE / 2, 29, anchor="middle", bold=True))
    picture = Drawing(WIDE, DEEP + 56, joined(parts))
    cost = now.cost
    bill = [
        f"{plural(cost.messages, 'message')}, {cost.bytes:,} bytes",
        f"{plural(cost.read, 'posting')} read, {cost.moved:,} of them sent",
        f"{plural(cost.comparisons, 'comparison')} by the broker",
    ]
    lines = [label(text, 0, 16 + 20 * i) for i, text in enumerate(bill)]
    lines += [label(text, 0, 84 + 20 * i, fill=MUTED) for i, text in enumerate(_results(now))]
    return below(picture, Drawing(WIDE, 150, joined(lines)), gap=6)


def _results(now: Asked) -> list[str]:
    """Return the results, when they are there, and what is missing."""
    if not now.steps or now.steps[-1].action != "merge":
        return []
    hits = now.steps[-1].hits
    lost = [what for step in now.steps if step.action == "missing" for what in step.what]
    said = [shorten(f"{hit.score:.2f}  {texts()[hit.doc][1]}", WIDE) for hit in hits] or ["nothing found"]
    return [*said, *([f"out of reach: {', '.join(lost)}"] if lost else [])]


def describe(now: Asked) -> str:
    """Return what the last step was."""
    if not now.steps:
        return f"The query \u201c{now.query}\u201d is at the broker."
    step, cost = now.steps[-1], now.cost
    words = ", ".join(step.what)
    match step.action:
        case "ask":
            return f"{step.node} is asked for {words}, in {step.size} bytes."
        case "read":
            return f"{step.node} reads {plural(step.size, 'posting')}."
        case "answer" if step.hits:
            return f"{step.node} answers with its {plural(len(step.hits), 'best page')}, {step.size} bytes."
        case "answer":
            return f"{step.node} answers in {step.size} bytes."
        case "missing":
            return f"Out of reach: {words}."
    best = "; ".join(clip(line, 80) for line in _results(now))
    bill = f"{cost.messages} messages, {cost.bytes:,} bytes, {plural(cost.comparisons, 'comparison')}"
    return f"The broker merges: {bill}. {best}."


def table(now: Asked) -> Sequence[Row]:
    """Return the steps so far."""
    rows: list[Row] = [["step", "node", "what", "size", "messages", "bytes"]]
    for step in now.steps:
        what = ", ".join(step.what)
        rows.append([step.action, step.node, what, step.size, step.cost.messages, step.cost.bytes])
    return rows


def watch_query() -> Explorer:
    """Return an editor and comparison: a query through an index split by documents and one by terms."""
    return Comparison(
        ("By documents", "By terms"),
        lambda text, mode, down: traces(text, mode, down),
        draw,
        describe,
        table,
        title="A query in two indexes",
        controls={
            "text": Text("Query", "the harbour ferry", parse_query, examples=["tide", "rope <b>"]),
            "mode": Choice("Pages with", [("any word", "or"), ("all words", "and")]),
            "down": Choice("Down", [("nobody", ""), *((node, node) for node in NODES)]),
        },
        notice="Left, every node is asked and sends its three best pages. Right, only the nodes of the words "
        "are asked, and they send whole lists: compare the bytes, the comparisons and the "
        "three results at the end. Then try one rare word, and then a node that is down.",
        start=2,
    )
