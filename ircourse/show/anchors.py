"""Explorers of anchor text (section 21.1): an attack by links, and three ways to rank a query's results.

Pages are those of Saltmere, the index and the scores those of `ircourse.links`. In the attack strangers link
to the front page of the ferry company in words of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from ircourse.graphs import as_graph
from ircourse.links import AnchorHit, AnchorIndex, Snippet, directed_popularity, search_with_links
from ircourse.show.controls import Choice, Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.graph_svg import legend
from ircourse.show.lists_svg import grid
from ircourse.show.style import INK, MUTED, look
from ircourse.show.svg import (
    Drawing,
    Markup,
    below,
    beside,
    box,
    caption,
    element,
    joined,
    label,
    plural,
    shorten,
)
from ircourse.show.webs import short
from ircourse.types import Hit, Link, Page
from ircourse.web import tiny_web

FERRIES = "http://ferries.saltmere.example/"
SAID = "Read the truth about the evil empire and buy cheap pills"
ANCHOR = "evil empire"
MOST_ATTACKERS, MOST_WORDS, SHOWN, AROUND = 60, 10, 5, 4
ROW, COLUMN, GUTTER = 30.0, 208.0, 46.0

__all__ = ["attackers", "name_of", "rank_three_ways", "watch_attack"]


def name_of(url: str) -> str:
    """Return a short name for a page of Saltmere.

    >>> name_of("http://ferries.saltmere.example/winter.html"), name_of("http://spam7.example/")
    ('ferries/winter', 'spam7/')
    """
    return short(url).replace(".saltmere.example", "").replace(".example", "").replace(".html", "")


def attackers(n: int) -> list[Page]:
    """Return ``n`` pages on hosts of their own that all link to the ferry company in the same words."""
    return [Page(f"http://spam{i}.example/", SAID, "", [Link(FERRIES, ANCHOR)]) for i in range(1, n + 1)]


@cache
def _town() -> dict[str, Page]:
    return dict(tiny_web())


@lru_cache(maxsize=16)
def _index(n: int, window: int, same_host: bool) -> AnchorIndex:
    return AnchorIndex([*_town().values(), *attackers(n)], window=window, same_host=same_host)


class Attack(NamedTuple):
    """A query's results before and after, by text and by anchors; the words around links to the company."""

    query: str
    n: int
    rankings: Mapping[str, list[AnchorHit]]
    around: list[tuple[Snippet, int]]

    def place(self, name: str) -> int:
        """Return the place of the ferry company in a ranking, 0 where it is not found."""
        return next((i for i, hit in enumerate(self.rankings[name], 1) if hit.url == FERRIES), 0)


def _shown(title: str, hits: Sequence[AnchorHit]) -> Drawing:
    """Return the first results as a column of boxes."""
    width = 236.0
    parts: list[Markup] = []
    for i, hit in enumerate(hits[:SHOWN]):
        kind = "target" if hit.url == FERRIES else "spam" if hit.url.startswith("http://spam") else "plain"
        seems = look(kind)
        frame = seems.frame()
        parts.append(box(1, i * ROW + 1, width - 2, ROW - 4, rx=4, stroke_width=seems.width, **frame))
        parts.append(label(seems.mark, 8, i * ROW + 19, bold=True, fill=seems.stroke))
        parts.append(label(shorten(name_of(hit.url), width - 70), 24, i * ROW + 19))
        parts.append(label(f"{hit.score:.1f}", width - 8, i * ROW + 19, anchor="end"))
    if not hits:
        parts.append(label("nothing found", 8, 19, fill=MUTED, font_style="italic"))
    elif len(hits) > SHOWN:
        parts.append(label(f"and {len(hits) - SHOWN} more", 24, SHOWN * ROW + 15, fill=MUTED))
    return below(caption(title, width), Drawing(width, SHOWN * ROW + 20, joined(parts)), gap=6)


def watch_attack(query: str = ANCHOR) -> Explorer:
    """Return the results of a query on Saltmere's site before and after an attack on the ferry company."""

    def state(query: str, n: int, window: int, same_host: bool) -> Attack:
        index = _index(n, window, same_host)
        everything = len(index)
        rankings = {
            "Without the attack": _index(0, window, same_host).search(query, everything),
            "With it, by page text": index.search(query, everything, anchors=0),
            "With it, text and anchors": index.search(query, everything),
        }
        found = index.snippets(FERRIES, everything, AROUND)
        said = Counter((s.before, s.anchor, s.after) for s in found)
        return Attack(query, n, rankings, [(Snippet("", *words), k) for words, k in said.most_common(4)])

    def draw(attack: Attack) -> Drawing:
        columns = beside(*(_shown(title, hits) for title, hits in attack.rankings.items()), gap=14)
        rows = [[k, s.before, s.anchor, s.after] for s, k in attack.around]
        words = grid(["links", "words before", "the link", "words after"], rows, widest=230)
        said = below(caption("In what words others link to the ferry company", 560), words, gap=6)
        return below(columns, legend(["target", "spam", "plain"]), said, gap=14)

    def describe(attack: Attack) -> str:
        ends = (attack.place(name) for name in ("Without the attack", "With it, text and anchors"))
        places = [f"in place {place}" if place else "not found" for place in ends]
        most = max((k for _, k in attack.around), default=0)
        return (
            f"{plural(attack.n, 'page')} attack. For \u201c{attack.query}\u201d the ferry company is "
            f"{places[0]} without the attack and {places[1]} with it. Links to it in the very "
            f"same words: {most} at most."
        )

    def table(attack: Attack) -> list[Row]:
        lists = [[name_of(hit.url) for hit in hits[:SHOWN]] for hits in attack.rankings.values()]
        rows = [[i + 1, *(hits[i] if i < len(hits) else "" for hits in lists)] for i in range(SHOWN)]
        said = [[f"in the words of {k}", s.before, s.anchor, s.after] for s, k in attack.around]
        return [["place", *attack.rankings], *rows, *said]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="An attack by anchor text",
        controls={
            "query": Text("Query", query, examples=["pills", "ferry", "cheap fares"]),
            "n": Number("Attacking pages", 0, MOST_ATTACKERS, 30),
            "window": Number("Words around a link that count", 0, MOST_WORDS, 0),
            "same_host": Choice("Links within a host", [("count", True), ("left out", False)]),
        },
        notice="Ask for pills: from which window on is the ferry company found? The words around the links, "
        "below the results, give the attackers away. For ferry the attack changes little: it lacks the word, "
        "and scores rise somewhat since more pages lack it.",
    )


class Ranked(NamedTuple):
    """A query's results in three orders, each the addresses, best first."""

    query: str
    orders: Mapping[str, list[str]]


class _TextAlone:
    """The text part of `AnchorIndex` on Saltmere's pages, in the form that `search_with_links` asks for."""

    def __len__(self) -> int:
        return len(_town())

    def search(self, query: str, n: int = 10, mode: str = "or") -> list[Hit]:
        """Return the pages by number that hold any of the query's terms, the highest score first."""
        numbers = {url: i for i, url in enumerate(_town())}
        return [Hit(numbers[hit.url], hit.score) for hit in _index(0, 0, True).search(query, n, anchors=0)]


@cache
def _in_links() -> list[int]:
    """Return how many of Saltmere's pages link to each."""
    pages = _town()
    links = {url: [str(link) for link in page.links if str(link) in pages] for url, page in pages.items()}
    scores = directed_popularity(as_graph(links)).as_dict()
    return [scores[url] for url in pages]


def _lines(orders: Sequence[Sequence[str]]) -> Markup:
    """Return a line from each result to the same one in the next order."""
    parts = []
    for column, (left, right) in enumerate(pairwise(orders)):
        x = (column + 1) * COLUMN + column * GUTTER
        for i, url in enumerate(left):
            if url in right:
                ends = {"y1": 26 + i * ROW + 14, "y2": 26 + right.index(url) * ROW + 14}
                colour = {"stroke": INK, "stroke_width": 1.5}
                parts.append(element("line", x1=x + 2, x2=x + GUTTER - 2, **ends, **colour))
    return joined(parts)


def rank_three_ways(query: str = "ferry timetable") -> Explorer:
    """Return a query's results on Saltmere by words, and by these with anchor text or with popularity."""
    most = 8

    def state(query: str, weight: float) -> Ranked:
        urls, n = list(_town()), most
        by_links = search_with_links(_TextAlone(), _in_links(), query, weight=weight, n=n, mode="or")
        orders = {
            "Text and anchors": [hit.url for hit in _index(0, 0, True).search(query, n)],
            "Text alone": [hit.url for hit in _index(0, 0, True).search(query, n, anchors=0)],
            f"Text and in-links, w = {weight:g}": [urls[hit.doc] for hit in by_links],
        }
        return Ranked(query, orders)

    def draw(ranked: Ranked) -> Drawing:
        parts = [_lines(list(ranked.orders.values()))]
        for column, (title, urls) in enumerate(ranked.orders.items()):
            x = column * (COLUMN + GUTTER)
            parts.append(label(title, x, 15, bold=True))
            for i, url in enumerate(urls):
                parts.append(box(x + 0.5, 26 + i * ROW, COLUMN - 1, ROW - 4, rx=4, stroke=INK))
                parts.append(label(f"{i + 1}  {shorten(name_of(url), COLUMN - 44)}", x + 8, 44 + i * ROW))
            if not urls:
                parts.append(label("nothing found", x + 8, 44, fill=MUTED, font_style="italic"))
        return Drawing(3 * COLUMN + 2 * GUTTER, 30 + most * ROW, joined(parts))

    def describe(ranked: Ranked) -> str:
        firsts = [f"{title}: {name_of(urls[0])}" for title, urls in ranked.orders.items() if urls]
        return f"\u201c{ranked.query}\u201d. First by each order: {'; '.join(firsts) or 'nothing found'}."

    def table(ranked: Ranked) -> list[Row]:
        lists = list(ranked.orders.values())
        rows = [
            [i + 1, *(name_of(urls[i]) if i < len(urls) else "" for urls in lists)]
            for i in range(max(map(len, lists)))
        ]
        return [["place", *ranked.orders], *rows]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="One query, three orders",
        controls={
            "query": Text("Query", query, examples=["crab", "tide", "library hours"]),
            "weight": Number("Weight w of in-links", 0.0, 1.0, 0.5, 0.05),
        },
        notice="A line joins the same page in two orders; a page without one is not among the first eight "
        "there. Which pages do the in-links bring up that have little to do with the query? At w = 1 the "
        "query decides only who takes part.",
    )
