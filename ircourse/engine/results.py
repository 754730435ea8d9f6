"""What the engine answers with: plain data that a page, a notebook or JSON can show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ircourse.engine.scores import Weights
from ircourse.engine.snippets import Pieces

__all__ = ["EngineHit", "EnginePage", "HubsAndAuthorities", "Results", "ScoredPage"]


@dataclass(frozen=True)
class EngineHit:
    """One result.

    title    its first 500 characters
    snippet  pieces of text, each with whether it is a word of the query; so is ``title_pieces``
    date     when the page was fetched, None where nobody knows
    parts    by component its share in the score; they sum to ``score``, from 0 to 1
    mirrors  addresses of the near-duplicates that this page stands for
    """

    url: str
    title: str
    title_pieces: Pieces
    snippet: Pieces
    date: datetime | None
    score: float
    parts: Mapping[str, float]
    mirrors: tuple[str, ...]


@dataclass(frozen=True)
class Results:
    """The answer to a query.

    total       how many results there are
    hits        those asked for: from ``offset`` on
    suggestion  the query with words that no page holds replaced by near ones; None where there is nothing
    unknown     the words of the query that no page holds
    """

    query: str
    total: int
    offset: int
    hits: tuple[EngineHit, ...]
    suggestion: str | None
    unknown: tuple[str, ...]
    weights: Weights


@dataclass(frozen=True)
class ScoredPage:
    """A page and its score: a cosine for related pages, a share of 1 for hubs and authorities."""

    url: str
    title: str
    score: float


@dataclass(frozen=True)
class HubsAndAuthorities:
    """HITS on the base set of a query, the best first.

    pages         in the base set
    links         among them
    within_hosts  whether links within hosts count, as they do where the base set has no others
    """

    query: str
    hubs: tuple[ScoredPage, ...]
    authorities: tuple[ScoredPage, ...]
    pages: int
    links: int
    within_hosts: bool


@dataclass(frozen=True)
class EnginePage:
    """What the engine knows of a page.

    text        without noise
    stands_for  the address of the page that stands for this one: its own, or of the page it is a mirror of
    mirrors     addresses that this page stands for
    links       pages of the collection that it links to; ``linked_from``  that link to it
    pagerank    over the mean of all pages: 1 for an average page; 0 for a mirror
    """

    url: str
    title: str
    text: str
    date: datetime | None
    stands_for: str
    mirrors: tuple[str, ...]
    links: tuple[str, ...]
    linked_from: tuple[str, ...]
    pagerank: float
