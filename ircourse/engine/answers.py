"""What an engine says of pages beside results: related ones, hubs and authorities, one page in full."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ircourse.engine.results import EnginePage, HubsAndAuthorities, ScoredPage
from ircourse.engine.retrieval import Retrieval
from ircourse.links import base_set, hits

__all__ = ["hubs_of", "page_in_full", "related_to"]

CAP = 50  # of the pages that link to each page of the root set


def related_to(retrieval: Retrieval, url: str, n: int) -> list[ScoredPage]:
    """Return the ``n`` pages of highest cosine above 0 with a page, or with the one that stands for it."""
    pages = retrieval.collection
    pages.page(url)
    row = retrieval.row(pages.stands_for[url])
    cosines = np.round(retrieval.meaning.like(row), 12)
    first = np.argsort(-cosines, kind="stable")[: n + 1].tolist()
    best = [other for other in first if other != row and cosines[other] > 0][:n]
    return [_scored(retrieval, pages.kept[other], float(cosines[other])) for other in best]


def hubs_of(retrieval: Retrieval, query: str, root: Sequence[str], n: int) -> HubsAndAuthorities:
    """Return the ``n`` best hubs and authorities of the base set of ``root``."""
    graph = retrieval.linked.graph
    base = base_set(graph, root, cap=CAP)
    within = base.n_edges == 0
    if within:
        base = base_set(graph, root, cap=CAP, host=None)
    if base.n_edges == 0:
        return HubsAndAuthorities(query, (), (), base.n_nodes, 0, False)
    found = hits(base)
    hubs, authorities = (
        tuple(_scored(retrieval, url, score) for url, score in side[:n] if score > 0)
        for side in (found.hub_ranking(), found.authority_ranking())
    )
    return HubsAndAuthorities(query, hubs, authorities, base.n_nodes, base.n_edges, within)


def page_in_full(retrieval: Retrieval, url: str) -> EnginePage:
    """Return what is known of a page."""
    pages, graph = retrieval.collection, retrieval.linked.graph
    page, kept = pages.page(url), pages.stands_for[url]
    links: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    score = 0.0
    if kept == url:
        row = retrieval.row(url)
        links = tuple(graph.neighbours(url))
        ends = np.searchsorted(graph.indptr, np.flatnonzero(graph.indices == row), side="right") - 1
        sources = tuple(pages.kept[source] for source in ends.tolist())
        score = float(retrieval.pagerank[row]) * len(pages.kept)
    text, mirrors = pages.text(url), pages.mirrors.get(url, ())
    return EnginePage(url, page.title, text, page.date, kept, mirrors, links, sources, score)


def _scored(retrieval: Retrieval, url: str, score: float) -> ScoredPage:
    return ScoredPage(url, retrieval.collection.titles[url], score)
