"""Link analysis: what the links of a web say about its pages (book, chapter 21)."""

from ircourse.links.anchors import AnchorHit, AnchorIndex, AnchorTerm, Snippet
from ircourse.links.anchors_near import anchor_places, around
from ircourse.links.farm import FarmEffect, farm_effect, link_farm
from ircourse.links.in_search import ScoredHit, search_with_links
from ircourse.links.popularity import Popularity, directed_popularity, undirected_popularity

__all__ = [
    "AnchorHit",
    "AnchorIndex",
    "AnchorTerm",
    "FarmEffect",
    "Popularity",
    "ScoredHit",
    "Snippet",
    "anchor_places",
    "around",
    "directed_popularity",
    "farm_effect",
    "link_farm",
    "search_with_links",
    "undirected_popularity",
]
