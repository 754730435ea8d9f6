"""Explorer of the capstone's engine (chapter A2): a query, weights, and why each result stands there."""

from __future__ import annotations

from ircourse.engine import COMPONENTS, Engine, Results, Weights
from ircourse.engine.query import checked_query
from ircourse.show.controls import Number, Text
from ircourse.show.engine_bars import NAMES, result_rows, results
from ircourse.show.engine_town import DEFAULT, short, town_engine
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.svg import Drawing, below, caption, clip, plural

SHOWN = 5
QUERIES = (
    "yacht ferry",
    "what is on at the cinema",
    "cinema",
    "is she sailing today",
    "vessel",
    "lihgthouse",
)

__all__ = ["search_engine"]


def search_engine(engine: Engine | None = None, query: str = QUERIES[0]) -> Explorer:
    """Return an engine to search, Saltmere's by default, with a weight to set for each component."""
    engine = town_engine() if engine is None else engine
    ready = {text: text for text in QUERIES} if engine is town_engine() else {}

    def state(query: str, **weights: float) -> Results | str:
        if not sum(weights.values()) > 0:
            return "All weights are 0: nothing is left to rank by."
        return engine.search(query, SHOWN, 0, Weights(**weights))

    def draw(found: Results | str) -> Drawing:
        if isinstance(found, str) or not found.hits:
            return caption(_said(found), 640)
        return below(caption(f"The first {len(found.hits)} of {found.total:,}", 640), results(found.hits))

    def describe(found: Results | str) -> str:
        if isinstance(found, str) or not found.hits:
            return _said(found)
        best = found.hits[0]
        most = max(COMPONENTS, key=lambda name: (round(best.parts[name], 12), -COMPONENTS.index(name)))
        said = f"{plural(found.total, 'result')}. First: {short(best.url)}, most of it by {NAMES[most]}."
        return f"{said} {_unknown(found)}".strip()

    def table(found: Results | str) -> list[Row]:
        return [*result_rows(() if isinstance(found, str) else found.hits)]

    weights = {name: Number(NAMES[name], 0, 1, value, 0.05) for name, value in vars(DEFAULT).items()}
    return Sliders(
        state,
        draw,
        describe,
        table,
        title="The engine, and why",
        controls={"query": Text("Query", query, _parsed, ready=ready), **weights},
        notice="A bar is a score and its parts are what each component adds. Set one weight to 0: which "
        "results fall, and is that a loss? Which query needs the anchors, which one LSI?",
    )


def _parsed(query: str) -> str:
    checked_query(query)
    return query


def _unknown(found: Results) -> str:
    if not found.unknown:
        return ""
    mended = f" Did you mean: {clip(found.suggestion, 80)}?" if found.suggestion else ""
    return f"No page has: {clip(', '.join(found.unknown), 80)}.{mended}"


def _said(found: Results | str) -> str:
    if isinstance(found, str):
        return found
    if found.weights.shares()["pagerank"] == 1:
        return "No results: PageRank alone makes none, since it knows nothing of the query."
    return f"No results. {_unknown(found)}".strip()
