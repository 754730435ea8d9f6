"""Surveys with known biases, alone and together: what the explorer of biases shows (section 19.5).

way      how pages are drawn; several that are ticked share the draws
trouble  what is wrong when A's pages are looked for in B; those that are ticked come together

Samples are drawn and looked for by ``checked_sample``, from the two engines of ``surveyed_web``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircourse.indexsize import (
    Checked,
    RelativeSize,
    Searchable,
    SearchEngine,
    checked_sample,
    has_by_phrase,
    has_by_terms,
    importance_weights,
    page_chances,
    query_bias,
    random_ips,
    random_queries,
    random_searches,
    random_walk,
    sample_dictionary,
    size_ratio,
)
from ircourse.indexsize.samplers import Pages
from ircourse.show.surveyed_web import (
    ADDRESSES,
    GENERAL,
    LOG,
    WORDS,
    engine,
    hosts,
    links,
    members,
    pages,
    servers,
)

DRAWS, SEED = 400, 7  # draws whose error by chance is small, so that the biases show
TRUTH = len(members("A")) / len(members("B"))
FAIR = "uniform"

__all__ = ["DRAWS", "FAIR", "TROUBLES", "TRUTH", "WAYS", "mends", "survey"]


class Way(NamedTuple):
    """A way to draw pages of an engine, and its correction, if there is one.

    sampler  without the engine, n and rng; ``limits`` are of the engine that it asks
    mended   a sampler without the bias; words: the dictionary whose ``query_bias`` weighs the draws;
    instead  another way, mended
    """

    sampler: Callable[..., Pages]
    limits: Mapping[str, object] = {}
    mended: Callable[..., Pages] | None = None
    words: Collection[str] = ()
    instead: str = ""


class Trouble(NamedTuple):
    """Limits of B, and the arguments of a check that minds them: how it asks, and what no answer means."""

    limits: Mapping[str, object]
    mended: Mapping[str, bool]


def _held(asked: SearchEngine, page: int) -> bool:
    return page in asked.members


_ADDRESSES = partial(random_ips, servers=servers(), addresses=ADDRESSES, has=_held)
_WALK = partial(random_walk, graph=links(), start=0, has=_held)
_QUERIES = partial(random_queries, dictionary=WORDS, top=None)
WAYS = {
    "query log": Way(partial(random_searches, log=LOG, top=10)),
    "IP addresses": Way(_ADDRESSES),
    "link walk": Way(_WALK, mended=partial(_WALK, uniform=True, burn_in=200, between=20)),
    "random queries": Way(_QUERIES, words=WORDS),
    "first 5 results": Way(partial(random_queries, dictionary=WORDS, top=5)),
    "1 result a host": Way(_QUERIES, {"hosts": hosts(), "per_host": 1}),
    "30 results overflow": Way(_QUERIES, {"top": 30}, words=WORDS),
    "general words": Way(partial(random_queries, dictionary=GENERAL, top=None), instead="random queries"),
}
TROUBLES = {
    "B takes 5 words": Trouble({"max_terms": 5}, {"phrase": True}),
    "a third times out": Trouble({"timeouts": 1 / 3}, {"careless": False}),
    "B refuses": Trouble({"per_minute": 30, "seconds": 0.5}, {"careless": False}),
}


def mends(name: str) -> bool:
    """Return whether there is a correction for a bias, whole or in part."""
    if name in TROUBLES:
        return True
    way = WAYS[name]
    return name == "IP addresses" or bool(way.words or way.mended or way.instead)


def survey(on: Collection[str], mend: bool = False) -> RelativeSize:
    """Return |A| / |B| as found with the biases that are on, in 400 draws of each engine.

    mend  correct what has a correction
    """
    return _survey(frozenset(on), mend)


@cache
def _survey(on: frozenset[str], mend: bool) -> RelativeSize:
    ways = [name for name in WAYS if name in on] or [FAIR]
    troubles = [TROUBLES[name] for name in TROUBLES if name in on]
    limits = {name: limit for trouble in troubles for name, limit in trouble.limits.items()}
    in_b = _sample("A", engine("B", **limits), ways, _check(troubles, mend), mend)
    in_a = _sample("B", engine("A"), ways, _check(troubles, mend), mend)
    return RelativeSize(*size_ratio(in_b, in_a), in_b, in_a)


class _Check(NamedTuple):
    """How a page is looked for, and whether no answer counts as "not there"."""

    has: Callable[[Searchable, int], bool | None]
    careless: bool


def _check(troubles: Collection[Trouble], mend: bool) -> _Check:
    mended = {name: on for trouble in troubles for name, on in trouble.mended.items()} if mend else {}
    by = has_by_phrase if mended.get("phrase") else has_by_terms
    return _Check(partial(by, frequencies=_frequencies(), tries=1), mended.get("careless", True))


def _sample(name: str, asked: SearchEngine, ways: list[str], check: _Check, mend: bool) -> Checked:
    """Return the pages of A or B that the ways draw between them, looked for in the other engine."""
    parts = []
    for i, way in enumerate(ways):
        n = DRAWS // len(ways) + (i < DRAWS % len(ways))
        docs, weights = _drawn(way, name, mend)
        known = dict(zip(docs.tolist(), (1 / weights).tolist(), strict=True))
        parts.append(
            checked_sample(
                engine(name),
                asked,
                lambda _, n, __, docs=docs: docs[:n],
                n,
                has=check.has,
                chance=lambda _, page, known=known: known[page],
                careless=check.careless,
            )
        )
    docs, weights, found = (
        np.concatenate([getattr(part, field) for part in parts]) for field in ("docs", "weights", "found")
    )
    return Checked(docs, weights, found, sum(part.unanswered for part in parts))


@cache
def _drawn(way: str, name: str, mend: bool) -> tuple[Pages, NDArray[np.float64]]:
    """Return 400 pages of A or B, and their weights: 1 each where nothing is mended."""
    rng = np.random.default_rng([SEED, ord(name)])
    if way == FAIR:
        return rng.choice(engine(name).members, DRAWS), np.ones(DRAWS)
    drawing = WAYS[way]
    if mend and drawing.instead:
        return _drawn(drawing.instead, name, mend)
    asked = engine(name, **drawing.limits)
    sampler = drawing.mended if mend and drawing.mended else drawing.sampler
    docs = sampler(asked, DRAWS, rng)
    if not mend or not (drawing.words or way == "IP addresses"):
        return docs, np.ones(DRAWS)
    if drawing.words:
        chances = [_chance(way, name, page) for page in docs.tolist()]
    else:
        chances = [page_chances(servers())[page] for page in docs.tolist()]
    return docs, importance_weights(chances)


@cache
def _chance(way: str, name: str, page: int) -> float:
    """Return a page's bias by the answers of the engine that was asked."""
    drawing = WAYS[way]
    return query_bias(engine(name, **drawing.limits), page, drawing.words).chance


@cache
def _frequencies() -> dict[str, int]:
    return sample_dictionary(pages()[::3])
