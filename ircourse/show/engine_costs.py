"""What the parts of an engine cost (chapter A2): time to build, bytes on disk, time of a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

from ircourse.engine import Engine
from ircourse.engine.query import checked_query
from ircourse.engine.scores import field_components, pagerank_component

FIELDS = ("text", "title", "anchors")
STAGES = {
    "pages": "pages",
    "duplicates": "duplicates",
    "links": "pagerank",
    "pagerank": "pagerank",
    "meaning": "lsi",
    "spelling": "spelling",
}
FILES = {
    "sketches": "duplicates",
    "digests": "duplicates",
    "stands": "duplicates",
    "graph": "pagerank",
    "pagerank": "pagerank",
    "concept": "lsi",
    "word": "spelling",
    "words": "spelling",
} | {field: field for field in FIELDS}
REPEATS = 3

__all__ = ["Cost", "costs"]


class Cost(NamedTuple):
    """Milliseconds of a build, kB on disk, and milliseconds of a query; 0 for what takes no part in it."""

    build: float
    size: float
    query: float


def costs(pages: Iterable[Any], questions: Sequence[str]) -> dict[str, Cost]:
    """Return what each part of the engine of ``pages`` costs, the parts by name; times are the best of three.

    duplicates  the sketches and their comparison
    pagerank    with the graph of links
    pages       reading them and their noise; addresses, titles and texts; in a query, ranking and snippets
    """
    pages = list(pages)
    builds = [_build(pages) for _ in range(REPEATS)]
    engine = Engine.build(pages)
    sizes, queries = _sizes(engine), _queries(engine, questions)
    names = ("duplicates", *FIELDS, "pagerank", "lsi", "spelling", "pages")
    return {
        name: Cost(min(build[name] for build in builds), sizes[name], queries.get(name, 0.0))
        for name in names
    }


def _build(pages: Sequence[Any]) -> dict[str, float]:
    """Return milliseconds by part."""
    marks = [("", perf_counter())]

    def mark(stage: str, done: int, total: int) -> None:
        marks.append((FIELDS[done - 1] if stage == "index" else STAGES[stage], perf_counter()))

    Engine.build(pages, progress=mark)
    taken: defaultdict[str, float] = defaultdict(float)
    for (_, earlier), (part, now) in pairwise(marks):
        taken[part] += (now - earlier) * 1000
    return taken


def _sizes(engine: Engine) -> dict[str, float]:
    """Return kB by part; what is of no other part is of the pages."""
    sizes: defaultdict[str, float] = defaultdict(float)
    with TemporaryDirectory() as folder:
        engine.save(Path(folder, "saved"))
        for path in Path(folder, "saved").iterdir():
            first = path.name.partition("-")[0].partition("_")[0]
            sizes[FILES.get(first, "pages")] += path.stat().st_size / 1000
    return sizes


def _queries(engine: Engine, questions: Sequence[str]) -> dict[str, float]:
    """Return milliseconds by part, on the average of the questions."""
    inside, n = engine.retrieval, len(engine.collection.kept)
    units = {question: checked_query(question) for question in questions}

    def of_field(name: str) -> Callable[[str], object]:
        return lambda question: field_components({name: inside.fields[name]}, units[question], n)

    ways: dict[str, Callable[[str], object]] = {name: of_field(name) for name in FIELDS}
    ways["pagerank"] = lambda question: pagerank_component(inside.pagerank)
    ways["lsi"] = lambda question: inside.meaning.cosines(question)
    taken = {name: _mean(way, questions) for name, way in ways.items()}

    def shown(question: str) -> float:
        engine.candidates(question)  # remembered, so that the search itself is ranking and snippets
        start = perf_counter()
        engine.search(question)
        return perf_counter() - start

    taken["pages"] = min(sum(map(shown, questions)) for _ in range(REPEATS))
    taken["pages"] *= 1000 / len(questions)
    return taken


def _mean(way: Callable[[str], object], questions: Sequence[str]) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = perf_counter()
        for question in questions:
            way(question)
        best = min(best, perf_counter() - start)
    return best * 1000 / len(questions)
