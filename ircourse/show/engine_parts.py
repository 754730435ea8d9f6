"""Explorer of what each part of the engine adds (chapter A2): a page's place as components are switched."""

from __future__ import annotations

from typing import NamedTuple

from ircourse.engine import COMPONENTS, Engine, EngineHit, Weights
from ircourse.show.controls import Choice
from ircourse.show.engine_bars import NAMES, one_result, results
from ircourse.show.engine_town import (
    DEFAULT,
    QUESTIONS,
    address,
    quality,
    short,
    town_engine,
    without,
)
from ircourse.show.explorer import Explorer, Row
from ircourse.show.player import Player
from ircourse.show.svg import Drawing, below, caption

SHOWN = 4
ASKED = (
    "what is on at the cinema",
    "is she sailing today",
    "when is the library open",
    "mooring fees for a yacht",
    "how to cook crab",
    "used cars for sale",
)

__all__ = ["mixes", "switch_parts"]


class Ranked(NamedTuple):
    """The results of a question by some components: which, the first results, and the page that is meant."""

    question: str
    mix: str
    hits: tuple[EngineHit, ...]
    wanted: EngineHit
    rank: int
    quality: float


def mixes(how: str) -> dict[str, Weights]:
    """Return weights by name: components switched on one after the other, each alone, or each left out.

    >>> list(mixes("each left out"))
    ['all', 'without text', 'without title', 'without anchors', 'without PageRank', 'without LSI']
    """
    if how == "each left out":
        return {"all": DEFAULT} | {f"without {NAMES[c]}": without(c) for c in COMPONENTS}
    if how == "each alone":
        alone = {f"{NAMES[c]} alone": without(*(o for o in COMPONENTS if o != c)) for c in COMPONENTS}
        return {name: weights for name, weights in alone.items() if name != "PageRank alone"}
    steps = range(1, len(COMPONENTS))
    first = {" + ".join(NAMES[c] for c in COMPONENTS[:i]): without(*COMPONENTS[i:]) for i in steps}
    return first | {"all": DEFAULT}


def switch_parts() -> Explorer:
    """Return a player: the results of a question while the engine's components are switched on and off."""

    def states(question: str, how: str) -> list[Ranked]:
        engine = town_engine()
        return [_ranked(engine, question, mix, weights) for mix, weights in mixes(how).items()]

    def draw(state: Ranked) -> Drawing:
        shown = list(state.hits)
        above = below(
            caption(f"{state.mix}: “{state.question}”", 640),
            results(shown, marked=state.wanted.url, snippets=False),
        )
        if state.rank <= len(shown) or not state.rank:
            return above
        place = f"The page that is meant, in place {state.rank}"
        one = one_result(state.rank, state.wanted, True, False)
        return below(above, caption(place, 640), one)

    def describe(state: Ranked) -> str:
        place = f"in place {state.rank}" if state.rank else "no result"
        mix = state.mix if state.mix.startswith("without") else f"with {state.mix}"
        return (
            f"{mix[0].upper()}{mix[1:]}: {short(state.wanted.url)} is {place}. "
            f"Mean reciprocal rank of all {len(QUESTIONS)} questions: {state.quality:.2f}."
        )

    def table(state: Ranked) -> list[Row]:
        rows = [[place, short(hit.url), f"{hit.score:.3f}"] for place, hit in enumerate(state.hits, 1)]
        return [["place", "page", "score"], *rows, [state.rank or "–", short(state.wanted.url), "(meant)"]]

    ways = ["one after the other", "each left out", "each alone"]
    return Player(
        states,
        draw,
        describe,
        table,
        title="What each part adds",
        controls={"question": Choice("Question", ASKED), "how": Choice("Switch components on", ways)},
        notice="The framed page is the one that is meant. Follow it while components come in. Is there a "
        "component that helps every question?",
    )


def _ranked(engine: Engine, question: str, mix: str, weights: Weights) -> Ranked:
    found = engine.search(question, len(engine), 0, weights).hits
    url = engine.collection.stands_for[address(QUESTIONS[question])]
    place = next((i for i, hit in enumerate(found, 1) if hit.url == url), 0)
    wanted = found[place - 1] if place else _missing(engine, url)
    return Ranked(question, mix, found[:SHOWN], wanted, place, quality(weights))


def _missing(engine: Engine, url: str) -> EngineHit:
    parts = dict.fromkeys(COMPONENTS, 0.0)
    return EngineHit(url, engine.page(url).title, (), (), None, 0.0, parts, ())
