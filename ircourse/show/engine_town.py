"""Saltmere as the capstone searches it (chapter A2): its engine, what is asked, and who would mislead it.

QUESTIONS  what somebody would type, and the page that is meant; written from the pages, before any ranking
           of them was seen
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from ircourse.engine import COMPONENTS, Candidates, Engine, SourcePage, Weights
from ircourse.engine.scores import pagerank_component
from ircourse.types import Link
from ircourse.web import tiny_web

__all__ = [
    "DEFAULT",
    "NORTHPORT",
    "QUESTIONS",
    "address",
    "difference",
    "in_links",
    "mean_reciprocal",
    "only",
    "quality",
    "rank_of",
    "ranked",
    "ranks",
    "shops",
    "short",
    "spread",
    "town_engine",
    "with_scores",
    "without",
]

DEFAULT = Weights()
NORTHPORT = "http://www.northport.example/"
SAME_TEXT = (
    "Everything for the visitor: soap, postcards, umbrellas, a map of the piers, and a view of the sea "
    "from the window of the shop."
)
QUESTIONS = {
    "when does the boat leave in winter": "ferries/winter.html",
    "how much is a ticket": "ferries/fares.html",
    "may i take my bicycle across": "ferries/bicycles.html",
    "is she sailing today": "ferries/status.html",
    "what is there to see on orra": "ferries/orra.html",
    "left my umbrella on board": "ferries/lost.html",
    "opening hours of the museum": "museum/hours.html",
    "when is the library open": "library/hours.html",
    "where can i leave the car": "www/parking.html",
    "i need a doctor": "www/health.html",
    "fire brigade": "www/emergency.html",
    "when are the bins emptied": "www/bins.html",
    "mooring fees for a yacht": "www/charges.html",
    "the history of the town": "www/history.html",
    "how to cook crab": "market/recipes/crab.html",
    "rules for bidding at the auction": "market/rules.html",
    "who mends fishing nets": "market/nets.html",
    "how does an engine work": "garage/engine.html",
    "used cars for sale": "garage/second-hand.html",
    "what is on at the cinema": "cinema/",
    "local newspaper": "gazette/",
    "time of high water": "gazette/tides/10.html",
    "tell me about the lighthouse": "lighthouse/",
    "how to get to northport": "www.northport.example/travel.html",
}


@cache
def town_engine() -> Engine:
    """Return the engine of Saltmere's pages, which is not to be changed."""
    return Engine.build(tiny_web().values())


def short(url: str) -> str:
    """Return an address as a label.

    >>> short("http://ferries.saltmere.example/winter.html")
    'ferries/winter.html'
    """
    return url.removeprefix("http://").replace(".saltmere.example", "", 1)


def address(page: str) -> str:
    """Return the address of which `short` gives the label.

    >>> address("ferries/winter.html")
    'http://ferries.saltmere.example/winter.html'
    """
    host, _, path = page.partition("/")
    return f"http://{host}{'' if host.endswith('.example') else '.saltmere.example'}/{path}"


def without(*components: str) -> Weights:
    """Return the default weights with some components switched off.

    >>> without("anchors", "lsi").shares()["lsi"]
    0.0
    """
    return Weights(**{**vars(DEFAULT), **dict.fromkeys(components, 0)})


def only(*components: str) -> Weights:
    """Return the default weights with all other components switched off.

    >>> only("text", "lsi").shares()["title"]
    0.0
    """
    return without(*(name for name in COMPONENTS if name not in components))


def ranked(found: Candidates, weights: Weights = DEFAULT, engine: Engine | None = None) -> list[str]:
    """Return the addresses of all results, best first."""
    kept = (town_engine() if engine is None else engine).collection.kept
    rows, _ = found.ranked(weights)
    return [kept[row] for row in rows.tolist()]


def rank_of(page: str, found: Candidates, weights: Weights, engine: Engine) -> float:
    """Return the rank of a page, given by its label, from 1; infinity where it is no result.

    A page that is folded under another is found where that one is.
    """
    results, kept = ranked(found, weights, engine), engine.collection.stands_for[address(page)]
    return results.index(kept) + 1 if kept in results else math.inf


def ranks(
    weights: Weights = DEFAULT, engine: Engine | None = None, questions: Mapping[str, str] = QUESTIONS
) -> NDArray[np.float64]:
    """Return the rank of each question's page, as `rank_of` does; of Saltmere's engine by default."""
    engine = town_engine() if engine is None else engine
    items = questions.items()
    return np.array([rank_of(page, _candidates(engine, asked), weights, engine) for asked, page in items])


@lru_cache(maxsize=64)
def _town_candidates(question: str) -> Candidates:
    return town_engine().candidates(question)


def _candidates(engine: Engine, question: str) -> Candidates:
    return _town_candidates(question) if engine is town_engine() else engine.candidates(question)


def mean_reciprocal(found: NDArray[np.float64]) -> float:
    """Return the mean of 1 / rank.

    >>> mean_reciprocal(np.array([1, 2, math.inf]))
    0.5
    """
    return float(np.mean(1 / found))


@lru_cache(maxsize=512)
def quality(weights: Weights = DEFAULT) -> float:
    """Return the mean reciprocal rank of the questions with Saltmere's engine."""
    return mean_reciprocal(ranks(weights))


def spread(found: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float]:
    """Return how much larger the mean of 1 / rank is than another's, and the standard error of that.

    The differences are taken question by question.

    >>> [round(x, 3) for x in spread(np.array([1, 1, 2]), np.array([1, 2, 4]))]
    [0.25, 0.144]
    """
    differences = 1 / found - 1 / other
    return float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(len(differences)))


def difference(found: NDArray[np.float64], other: NDArray[np.float64]) -> str:
    """Return `spread` as text.

    >>> difference(np.array([1, 1, 2]), np.array([1, 2, 4]))
    '+0.250 ± 0.144'
    """
    mean, error = spread(found, other)
    return f"{mean:+.3f} ± {error:.3f}"


def with_scores(found: Candidates, scores: NDArray[np.float64]) -> Candidates:
    """Return candidates whose PageRank is replaced by other scores of all pages kept, such as in-links."""
    parts = found.parts.copy()
    share = np.asarray(scores, np.float64) / max(float(np.sum(scores)), 1e-300)
    parts[:, COMPONENTS.index("pagerank")] = pagerank_component(share)[found.rows]
    return Candidates(found.rows, parts, found.unknown)


def in_links(engine: Engine) -> NDArray[np.float64]:
    """Return the number of links to each page kept."""
    return engine.retrieval.linked.graph.in_degrees.astype(np.float64)


def shops(
    number: int, says: str, *, target: str = NORTHPORT, linked: int | None = None, same: bool = False
) -> list[SourcePage]:
    """Return pages on hosts of their own that are made to link to one page.

    says    the words of the links
    linked  so many of the pages have their link, the first ones; all by default
    same    all pages have one text; else each has its own

    >>> [page.text for page in shops(2, "fish market")]
    ['Shop 1', 'Shop 2']
    """
    links = [Link(target, says)]
    return [
        SourcePage(
            f"http://shop{i}.example/",
            SAME_TEXT if same else f"Shop {i}",
            links=links if linked is None or i <= linked else (),
        )
        for i in range(1, number + 1)
    ]
