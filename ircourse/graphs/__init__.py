"""Graphs: how they are held, searched, taken apart (book, sections 19.2 and 20.4; slides, graph theory)."""

from ircourse.graphs.bow_tie import BowTie, bow_tie, bow_tie_parts
from ircourse.graphs.citations import bibliographic_coupling, co_citation
from ircourse.graphs.components import kosaraju, source_components, strong_components, weak_components
from ircourse.graphs.connectivity import ConnectivityServer, adjacency_bytes
from ircourse.graphs.convert import GraphLike, as_graph
from ircourse.graphs.core import Graph, Label, UnknownNode
from ircourse.graphs.degrees import (
    PowerLaw,
    continuous_exponent,
    degree_counts,
    draw_power_law,
    goodness_of_fit,
    power_law_exponent,
    share_at_least,
)
from ircourse.graphs.front_coding import front_code
from ircourse.graphs.gap_coding import decode_row, encode_row, explain_row, reference_lengths, zeta
from ircourse.graphs.generators import copying_graph, erdos_renyi, host_graph
from ircourse.graphs.reading import read_edges
from ircourse.graphs.traverse import breadth_first, depth_first, spanning_forest, spanning_tree

__all__ = [
    "BowTie",
    "ConnectivityServer",
    "Graph",
    "GraphLike",
    "Label",
    "PowerLaw",
    "UnknownNode",
    "adjacency_bytes",
    "as_graph",
    "bibliographic_coupling",
    "bow_tie",
    "bow_tie_parts",
    "breadth_first",
    "co_citation",
    "continuous_exponent",
    "copying_graph",
    "decode_row",
    "degree_counts",
    "depth_first",
    "draw_power_law",
    "encode_row",
    "erdos_renyi",
    "explain_row",
    "front_code",
    "goodness_of_fit",
    "host_graph",
    "kosaraju",
    "power_law_exponent",
    "read_edges",
    "reference_lengths",
    "share_at_least",
    "source_components",
    "spanning_forest",
    "spanning_tree",
    "strong_components",
    "weak_components",
    "zeta",
]
