"""The explorer of hearing of changes (notes, feeds and sitemaps; claim C55): requests, useful and wasted.

look    one visit to where changes can be told from; by revisiting, to every page
useful  a request for a page that had changed since it was fetched last
wasted  a request for a page that had not; missed: a state of a page that nothing told of

All requests are those that `by_revisiting`, `by_sitemap`, `by_feed` and `by_push` make, watched one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from ircourse.crawl.feeds.finding import (
    DAY,
    ChangingSite,
    Found,
    by_feed,
    by_push,
    by_revisiting,
    by_sitemap,
)
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import look
from ircourse.show.svg import Drawing, Markup, below, beside, caption, element, joined, label

PAGES, DAYS = 12, 14
SIDE, ROW, WIDTH = 52, 13, 330
WAYS = ("revisiting", "sitemap", "feed", "push")

__all__ = ["Heard", "hear_of_changes", "heard"]


class Heard(NamedTuple):
    """Two weeks of a site of twelve pages, and the four ways of hearing of its changes.

    changes   (day, page) of each
    requests  (day, page, useful) of each request for a page, by way
    lists     days on which the list was asked for, by way
    costs     of each way
    """

    hours: int
    length: int
    changes: tuple[tuple[float, int], ...]
    requests: dict[str, tuple[tuple[float, int, bool], ...]]
    lists: dict[str, tuple[float, ...]]
    costs: dict[str, Found]


@lru_cache(maxsize=64)
def heard(rate: float, hours: int, length: int, seed: int) -> Heard:
    """Return what each way asks for when looks are ``hours`` apart and the feed has ``length`` entries.

    >>> state = heard(1 / 30, 24, 5, 1)
    >>> len(state.requests["revisiting"]), len(state.lists["sitemap"])
    (168, 14)
    """
    site = ChangingSite([rate] * PAGES, DAYS, seed)
    number = {url: page for page, url in enumerate(site.pages)}
    requests: dict[str, tuple[tuple[float, int, bool], ...]] = {}
    lists: dict[str, tuple[float, ...]] = {}
    costs: dict[str, Found] = {}
    ways: dict[str, Callable[..., Found]] = {
        "revisiting": lambda watch: by_revisiting(site, hours * 3600, watch=watch),
        "sitemap": lambda watch: by_sitemap(site, hours * 3600, watch=watch),
        "feed": lambda watch: by_feed(site, hours * 3600, length, watch=watch),
    }
    for name, way in ways.items():
        looks: list[tuple[float, list[int]]] = []
        costs[name] = way(lambda now, urls, looks=looks: looks.append((now, [number[u] for u in urls])))
        requests[name] = tuple(_judged(site, looks))
        lists[name] = () if name == "revisiting" else tuple(now / DAY for now, _ in looks)
    costs["push"] = by_push(site)
    changes = tuple((when / DAY, page) for when, page in site.changes)
    requests["push"] = tuple((day, page, True) for day, page in changes)
    lists["push"] = tuple(float(day) for day in range(0, DAYS, 10))  # the subscription is renewed
    return Heard(hours, length, changes, requests, lists, costs)


def _judged(
    site: ChangingSite, looks: Iterable[tuple[float, list[int]]]
) -> Iterable[tuple[float, int, bool]]:
    """Yield each request with whether its page had changed since it was fetched last."""
    fetched = [0.0] * len(site.pages)
    for now, pages in looks:
        last = site.last_changes(now)
        for page in pages:
            yield now / DAY, page, last.get(page, 0.0) > fetched[page]
            fetched[page] = now


def _square(day: float, y: float, size: int) -> str:
    x = round(SIDE + (WIDTH - SIDE - 8) * day / DAYS) - size // 2
    return f"M{x} {y - size / 2:g} h{size} v{size} h-{size} Z"


def _panel(state: Heard, way: str) -> Drawing:
    """Return a page a row, time to the right: its changes, and the requests of one way."""
    parts: list[Markup] = [label({"revisiting": "", "push": "hub"}.get(way, "list"), 0, 16)]
    base = 26 + PAGES * ROW
    for day in range(0, DAYS + 1, 7):
        x = round(SIDE + (WIDTH - SIDE - 8) * day / DAYS)
        parts.append(element("line", x1=x, y1=4, x2=x, y2=base, stroke="#dddddd"))
        parts.append(label(f"day {day}", x, base + 16, anchor="middle"))
    parts.append(label("pages", 0, 26 + PAGES * ROW / 2))
    useful, wasted = look("stored"), look("refused")
    kinds = ((True, useful.fill, useful.stroke, 8), (False, "none", wasted.stroke, 5))
    for kind, fill, stroke, size in kinds:
        d = " ".join(_square(t, 28 + p * ROW, size) for t, p, good in state.requests[way] if good is kind)
        if d:
            parts.append(element("path", d=d, fill=fill, stroke=stroke, stroke_width=1))
    if state.lists[way]:
        asked = " ".join(_square(day, 12, 6) for day in state.lists[way])
        parts.append(element("path", d=asked, fill="#cfe9fa", stroke=look("fetching").stroke))
    crosses = " ".join(_cross(day, 28 + page * ROW) for day, page in state.changes)
    if crosses:
        parts.append(element("path", d=crosses, fill="none", stroke="#1b1b1b", stroke_width=1.5))
    cost = state.costs[way]
    head = f"{way}: {cost.requests} requests, {cost.states - cost.found} missed"
    return below(caption(head, WIDTH), Drawing(WIDTH, base + 20, joined(parts)), gap=2)


def _cross(day: float, y: float) -> str:
    x = round(SIDE + (WIDTH - SIDE - 8) * day / DAYS)
    return f"M{x - 3} {y - 3:g} l6 6 M{x + 3} {y - 3:g} l-6 6"


def _draw(state: Heard) -> Drawing:
    says = "\u2715 a change; request: large green useful, small red wasted, blue for the list or to the hub"
    rows = [beside(*(_panel(state, way) for way in pair), gap=16) for pair in (WAYS[:2], WAYS[2:])]
    return below(Drawing(2 * WIDTH, 18, label(says, 0, 13)), *rows)


def _told(state: Heard) -> str:
    told = [
        f"{way} {cost.requests} requests, {cost.found} of {cost.states} found, "
        f"{cost.delay / 3600:.1f} hours late"
        for way, cost in state.costs.items()
    ]
    return f"Twelve pages changed {len(state.changes)} times in two weeks. {'; '.join(told).capitalize()}."


def _table(state: Heard) -> list[Row]:
    rows = []
    for way, cost in state.costs.items():
        useful = sum(good for _, _, good in state.requests[way])
        wasted, late = cost.requests - useful - len(state.lists[way]), f"{cost.delay / 3600:.1f}"
        rows.append([way, cost.requests, wasted, cost.states, cost.found, late])
    return [["way", "requests", "wasted", "states to find", "found", "mean delay, hours"], *rows]


def hear_of_changes() -> Explorer:
    """Return sliders: one site, its changes, and the requests of four ways of hearing of them."""
    return Sliders(
        heard,
        _draw,
        _told,
        _table,
        title="Hearing of changes",
        controls={
            "rate": Choice(
                "A page changes",
                [("monthly", 1 / 30), ("weekly", 1 / 7), ("daily", 1.0), ("3 times a day", 3.0)],
                1 / 30,
            ),
            "hours": Choice("Hours between looks", [("12", 12), ("24", 24), ("48", 48), ("168", 168)], 24),
            "length": Number("Entries of the feed", 1, 12, 5),
            "seed": Number("Other weeks", 0, 9, 0),
        },
        notice="Where pages seldom change, nearly all that revisiting asks for is wasted. Let them change "
        "daily: which way loses its advantage, which one begins to miss changes, and which one asks most?",
    )
