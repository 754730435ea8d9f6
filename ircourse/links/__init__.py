"""Link analysis: what the links of a web say about its pages (book, chapter 21)."""

from ircourse.links.anchors import AnchorHit, AnchorIndex, AnchorTerm, Snippet
from ircourse.links.anchors_near import anchor_places, around
from ircourse.links.farm import FarmEffect, farm_effect, link_farm
from ircourse.links.hits import Hits, HitsStep, hits, hits_steps
from ircourse.links.hits_base import (
    BasePages,
    anchor_texts,
    base_pages,
    base_set,
    host_of,
    root_set,
    weigh_by_query,
)
from ircourse.links.in_search import ScoredHit, search_with_links
from ircourse.links.pagerank import (
    PageRank,
    PageRankStep,
    pagerank,
    pagerank_linear,
    pagerank_steps,
    partial_pagerank,
)
from ircourse.links.pagerank_chain import Teleport, transition_matrix
from ircourse.links.popularity import Popularity, directed_popularity, undirected_popularity
from ircourse.links.surfer import Walk, random_surfer

__all__ = [
    "AnchorHit",
    "AnchorIndex",
    "AnchorTerm",
    "BasePages",
    "FarmEffect",
    "Hits",
    "HitsStep",
    "PageRank",
    "PageRankStep",
    "Popularity",
    "ScoredHit",
    "Snippet",
    "Teleport",
    "Walk",
    "anchor_places",
    "anchor_texts",
    "around",
    "base_pages",
    "base_set",
    "directed_popularity",
    "farm_effect",
    "hits",
    "hits_steps",
    "host_of",
    "link_farm",
    "pagerank",
    "pagerank_linear",
    "pagerank_steps",
    "partial_pagerank",
    "random_surfer",
    "root_set",
    "search_with_links",
    "transition_matrix",
    "undirected_popularity",
    "weigh_by_query",
]
