"""Graphs: how they are held, searched, taken apart (book, sections 19.2 and 20.4; slides, graph theory)."""

from ircourse.graphs.components import kosaraju, source_components, strong_components, weak_components
from ircourse.graphs.convert import GraphLike, as_graph
from ircourse.graphs.core import Graph, Label, UnknownNode
from ircourse.graphs.generators import copying_graph, erdos_renyi, host_graph
from ircourse.graphs.reading import read_edges
from ircourse.graphs.traverse import breadth_first, depth_first, spanning_forest, spanning_tree

__all__ = [
    "Graph",
    "GraphLike",
    "Label",
    "UnknownNode",
    "as_graph",
    "breadth_first",
    "copying_graph",
    "depth_first",
    "erdos_renyi",
    "host_graph",
    "kosaraju",
    "read_edges",
    "source_components",
    "spanning_forest",
    "spanning_tree",
    "strong_components",
    "weak_components",
]
