"""The explorer of graphs: write one, watch a search or the spanning forest grow (section 20.1)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from ircourse.graphs import breadth_first, depth_first, spanning_forest, weak_components
from ircourse.show.controls import Choice, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.graph_svg import GraphPicture, legend
from ircourse.show.samples import HARBOUR_LINES
from ircourse.show.svg import Drawing, below, plural

EXAMPLE = "A B C\nB D E\nC F\nF A G\nE B\nH I C\nJ K\nL"
READY = {
    "three pieces": EXAMPLE,
    "a harbour town": HARBOUR_LINES,
    "a tree": "A B C\nB D E\nC F G\nD H I",
    "a wheel": "hub A B C D E\nA B\nB C\nC D\nD E\nE A",
}
MOST_NODES = 40
GRAPH_WIDTH = 620

__all__ = ["parse_edges", "search_a_graph"]


class Visit(NamedTuple):
    """One state of a search."""

    picture: GraphPicture
    links: dict[str, list[str]]
    order: list[str]
    tree: list[tuple[str, str]]
    says: str


def parse_edges(text: str) -> dict[str, list[str]]:
    """Return the graph that a student wrote: a line holds a node and then the nodes that it links to.

    Commas and arrows may stand between the names. ValueError says what cannot be read.

    >>> parse_edges("A -> B, C\\nD")
    {'A': ['B', 'C'], 'B': [], 'C': [], 'D': []}
    """
    graph: dict[str, list[str]] = {}
    for line in text.splitlines():
        names = re.split(r"[\s,]+|->", line)
        names = [name for name in names if name]
        for name in names:
            graph.setdefault(name, [])
        if names:
            graph[names[0]] += names[1:]
    if not graph:
        raise ValueError("No graph yet. Write a node and the nodes it links to on each line, such as: A B C")
    if len(graph) > MOST_NODES:
        raise ValueError(f"{len(graph)} nodes are too many for one picture: write at most {MOST_NODES}.")
    return graph


def _search(visit: Callable[..., Any]) -> Callable[[GraphPicture, dict[str, list[str]]], list[Visit]]:
    def states(picture: GraphPicture, links: dict[str, list[str]]) -> list[Visit]:
        order = list(visit(links, next(iter(links))))
        made = [Visit(picture, links, [], [], f"The search is about to start at {order[0]}.")]
        for i, node in enumerate(order, 1):
            made.append(Visit(picture, links, order[:i], [], f"{node} is visited, as number {i}."))
        missed = [node for node in links if node not in set(order)]
        if missed:
            end = f"{made[-1].says} No path of links leads from {order[0]} to {', '.join(missed)}."
            made[-1] = made[-1]._replace(says=end)
        return made

    return states


def _forest(picture: GraphPicture, links: dict[str, list[str]]) -> list[Visit]:
    made = [Visit(picture, links, [], [], "No tree yet. Edges will be followed both ways.")]
    order: list[str] = []
    tree: list[tuple[str, str]] = []
    pieces = zip(weak_components(links), spanning_forest(links), strict=True)
    for number, (piece, edges) in enumerate(pieces, 1):
        order = [*order, piece[0]]
        made.append(Visit(picture, links, order, tree, f"Tree {number} starts at {piece[0]}."))
        for parent, child in edges:
            order, tree = [*order, child], [*tree, (parent, child)]
            said = (
                f"Tree {number} grows from {parent} to {child}: the forest has {plural(len(tree), 'edge')}."
            )
            made.append(Visit(picture, links, order, tree, said))
    count = len(links) - len(tree)
    sum_ = f"{plural(len(links), 'node')} less {plural(count, 'tree')} is {plural(len(tree), 'edge')}"
    end = f"{made[-1].says} {sum_}."
    return [*made[:-1], made[-1]._replace(says=end)]


WAYS = {
    "depth first": _search(depth_first),
    "breadth first": _search(breadth_first),
    "spanning forest": _forest,
}


def draw(state: Visit) -> Drawing:
    """Return the graph, its nodes numbered as they were visited."""
    waiting = {v for u in state.order for v in state.links[u]}
    looks = dict.fromkeys(waiting, "waiting") | dict.fromkeys(state.order, "stored")
    if state.order:
        looks[state.order[-1]] = "fetching"
    marks = {node: str(i) for i, node in enumerate(state.order, 1)}
    # A tree edge is followed either way; bold is the link that the graph has, once.
    strong = [(u, v) if v in state.links[u] else (v, u) for u, v in state.tree]
    graph = state.picture.draw(looks, strong=strong, marks=marks, rest="unseen")
    return below(graph, legend(["fetching", "stored", "waiting", "unseen"], GRAPH_WIDTH))


def table(state: Visit) -> list[Row]:
    """Return the nodes as they were visited, and in a forest the node that each was reached from."""
    parents = {child: parent for parent, child in state.tree}
    rows = [[i, node, parents.get(node, "")] for i, node in enumerate(state.order, 1)]
    return [["visited as", "node", "reached from (tree)"], *rows]


def search_a_graph(edges: str = EXAMPLE) -> Explorer:
    """Return an editor: the student writes or chooses a graph and watches it being searched."""
    weak_components(parse_edges(EXAMPLE))  # loads SciPy now, not at the first spanning forest

    def states(text: dict[str, list[str]], way: str) -> list[Visit]:
        pairs = [(u, v) for u, out in text.items() for v in out]
        return WAYS[way](GraphPicture(text, pairs, list(text)[:1], width=GRAPH_WIDTH), text)

    ready = READY if edges in READY.values() else {"your graph": edges, **READY}
    examples = ["A A", "A B\nB A", "A -> B, C\nD"]
    return Editor(
        Text("Graph", edges, parse_edges, lines=6, examples=examples, ready=ready),
        states,
        draw,
        lambda state: state.says,
        table,
        title="Searching a graph",
        controls={"way": Choice("Show", list(WAYS))},
        notice="Depth first goes on from the newest node, breadth first from the oldest. "
        "Bold arrows are the forest: which links are never bold?",
        start=3,
    )
