"""The explorer of a survey's biases (section 19.5): each way to draw and to check pages, and what it does.

The surveys are ``estimate_relative_size``'s, of the two engines of ``surveyed_web``.
"""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import numpy as np

from ircourse.indexsize import (
    Estimate,
    RelativeSize,
    Searchable,
    SearchEngine,
    estimate_relative_size,
    has_by_phrase,
    has_by_terms,
    query_bias,
    random_queries,
    sample_dictionary,
)
from ircourse.indexsize.samplers import Pages
from ircourse.indexsize.survey import Sampler
from ircourse.show.charts_svg import bars
from ircourse.show.controls import Choice
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.intervals_svg import covers, intervals
from ircourse.show.surveyed_web import COMMON, GENERAL, WORDS, engine, members, pages
from ircourse.show.svg import Drawing, below, beside

DRAWS, SEED = 400, 7  # draws whose error by chance is small, so that the biases show
FAIR = "uniform (no outsider can)"
WELL = "B answers all"
WEIGHTED = "queries, weighted"
SAMPLERS = {
    FAIR: lambda engine, n, rng: rng.choice(engine.members, n),
    "random queries": partial(random_queries, dictionary=WORDS, top=None),
    "queries, first 5 results": partial(random_queries, dictionary=WORDS, top=5),
    "queries, general words": partial(random_queries, dictionary=GENERAL, top=None),
    WEIGHTED: partial(random_queries, dictionary=WORDS, top=None),
}
CHECKS = {  # limits of B, and how its pages are asked for
    WELL: ({}, {}),
    "B takes 5 words": ({"max_terms": 5}, {}),
    "B takes 5 words, asked by phrase": ({"max_terms": 5}, {"phrase": True}),
    "a third times out": ({"timeouts": 1 / 3}, {}),
    "B refuses": ({"per_minute": 30, "seconds": 0.5}, {}),
    "B refuses, told apart": ({"per_minute": 30, "seconds": 0.5}, {"careless": False}),
}
TRUTH = len(members("A")) / len(members("B"))

__all__ = ["Biased", "switch_biases"]


class Biased(NamedTuple):
    """A survey by one way to draw and one to check, and the one that has no bias."""

    sampler: str
    check: str
    found: RelativeSize
    fair: RelativeSize


@cache
def chances() -> dict[str, dict[int, float]]:
    """Return the bias of random queries for each page of A and of B, from their answers."""
    return {
        name: {page: query_bias(engine(name), page, WORDS).chance for page in members(name)} for name in "AB"
    }


@cache
def survey(sampler: str, check: str) -> RelativeSize:
    """Return |A| / |B| as the survey of this kind finds it."""
    limits, way = CHECKS[check]
    frequencies = sample_dictionary(pages()[::3])
    has_at = partial(has_by_phrase if way.get("phrase") else has_by_terms, frequencies=frequencies, tries=1)
    a, b, limited = engine("A"), engine("B"), engine("B", **limits)
    known = {id(a): chances()["A"], id(b): chances()["B"]} if sampler == WEIGHTED else {}

    def has(asked: Searchable, page: int) -> bool | None:
        return has_at(limited if asked is b else asked, page)

    def chance(drawn_from: SearchEngine, page: int) -> float:
        return known[id(drawn_from)][page]

    return estimate_relative_size(
        a,
        b,
        drawn(sampler),
        DRAWS,
        19,
        has=has,
        chance=chance if known else None,
        careless=way.get("careless", True),
    )


def drawn(sampler: str) -> Sampler:
    """Return a sampler that draws but once from engines of the same pages."""

    def draws(asked: SearchEngine, n: int, rng: np.random.Generator) -> Pages:
        return _draws(sampler, "A" if len(asked.members) == len(members("A")) else "B", n)

    return draws


@cache
def _draws(sampler: str, name: str, n: int) -> Pages:
    return SAMPLERS[sampler](engine(name), n, np.random.default_rng([SEED, ord(name)]))


def switch_biases() -> Explorer:
    """Return sliders: how pages are drawn and how they are looked for; the estimate beside the true value."""
    for sampler in SAMPLERS:  # drawing takes longest: it is done once
        survey(sampler, WELL)

    def state(sampler: str, check: str) -> Biased:
        return Biased(sampler, check, survey(sampler, check), survey(FAIR, WELL))

    def draw(biased: Biased) -> Drawing:
        estimates = [_interval(biased.fair), _interval(biased.found)]
        says = f"|A| / |B| from {DRAWS} pages of each"
        chart = intervals(estimates, TRUTH, says, names=["no bias", "this survey"], step=30, factor=5)
        return below(chart, beside(*(_shares(biased, side) for side in "ab"), gap=24), gap=14)

    def table(biased: Biased) -> list[Row]:
        rows = [["survey", "|A| / |B|", "from", "to", "of A's in B", "of B's in A", "no answer"]]
        for name, one in (("no bias", biased.fair), ("this survey", biased.found)):
            numbers = [f"{value:.2f}" for value in (one.size, one.low, one.high, one.a.share, one.b.share)]
            rows.append([name, *numbers, one.a.unanswered])
        return rows

    return Sliders(
        state,
        draw,
        _told,
        table,
        title="Biases of a survey, one by one",
        controls={
            "sampler": Choice("Pages drawn", list(SAMPLERS)),
            "check": Choice("Pages looked for", list(CHECKS)),
        },
        notice="One bias at a time: which of the two shares moves, and which way does the estimate go? "
        "The interval never grows to cover a bias. A holds 80 pages, B 50, the longer ones; 40 are in both.",
    )


def _interval(found: RelativeSize) -> Estimate:
    return Estimate(found.size, found.low, found.high)


def _told(biased: Biased) -> str:
    one = biased.found
    if one.size == float("inf"):
        return "Nothing of A's sample is found in B: A seems to be without end. The truth is 1.60."
    holds = "holds" if covers(_interval(one), TRUTH) else "misses"
    way = "near the truth" if covers(_interval(one), TRUTH) else "too low" if one.size < TRUTH else "too high"
    left = f" {one.a.unanswered} checks without an answer are left out." if one.a.unanswered else ""
    return (
        f"Drawn: {biased.sampler}; looked for: {biased.check}. "
        f"|A| / |B| = {one.b.share:.2f} / {one.a.share:.2f} = {one.size:.2f}, {way}. "
        f"The interval {one.low:.2f} to {one.high:.2f} {holds} the true "
        f"{TRUTH:.2f}.{left}"
    )


def _shares(biased: Biased, side: str) -> Drawing:
    here, there = ("A", "B") if side == "a" else ("B", "A")
    checked = biased.found.a if side == "a" else biased.found.b
    values = [COMMON / len(members(here)), round(checked.share, 2)]
    says = f"share of {here}'s pages in {there}"
    return bars(["true", "found"], values, says, looks=["plain", side], limit=1, width=290)
