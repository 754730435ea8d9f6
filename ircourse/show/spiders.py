"""The explorer of spiders (section 20.1): SPIDER1 to SPIDER4 at work, turn by turn.

What is watched are the spiders of `ircourse.crawl` themselves: each hands out its turns through ``watch``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ircourse.crawl.lookup import look_up_in
from ircourse.crawl.spiders import spider1, spider2, spider3, spider4
from ircourse.crawl.watching import Held
from ircourse.show.controls import Choice
from ircourse.show.explorer import Explorer, Row
from ircourse.show.graph_svg import GraphPicture, legend
from ircourse.show.lists_svg import set_of, stack
from ircourse.show.player import Player
from ircourse.show.samples import WEBS
from ircourse.show.svg import Drawing, below, beside, plural
from ircourse.show.webs import links_of, seeds_in, seeds_of, short

MOST_TURNS = 60
GRAPH_WIDTH = 430
SPIDERS: dict[str, Callable[..., Any]] = {
    "SPIDER1": lambda look_up, seeds, watch: spider1(look_up, seeds[0], watch=watch),
    "SPIDER2": lambda look_up, seeds, watch: spider2(look_up, seeds[0], watch=watch),
    "SPIDER3": lambda look_up, seeds, watch: spider3(look_up, seeds[0], watch=watch),
    "SPIDER4": lambda look_up, seeds, watch: spider4(look_up, seeds, watch=watch),
}

__all__ = ["Turn", "picture_of", "record", "watch_spiders"]


class Turn(NamedTuple):
    """What a spider held after a turn of its outer While; event "start" before all, ``cut`` at the 60th."""

    event: str
    url: Any
    stack: tuple[Any, ...]
    visited: tuple[Any, ...]
    collection: tuple[Any, ...]
    counts: dict[Any, int]
    cut: bool = False


class Enough(Exception):
    """A spider has been watched for as many turns as are shown."""


class Shown(NamedTuple):
    """A turn together with the picture of its web and the name of its spider."""

    spider: str
    picture: GraphPicture
    turn: Turn


def picture_of(web: Mapping[Any, Any], roots: Sequence[Any], width: float) -> GraphPicture:
    """Return the picture of a web, dead links included."""
    links = links_of(web)
    pairs = [(url, link) for url, out in links.items() for link in out]
    names = {url: short(url) for url in [*links, *roots, *(link for _, link in pairs)]}
    return GraphPicture([*links, *roots], pairs, roots, names=names, width=width)


def record(spider: Callable[..., Any], web: Mapping[Any, Any], seeds: Sequence[Any]) -> list[Turn]:
    """Return the turns of a spider, at most 60, copied as it hands them out.

    >>> [(turn.event, turn.url) for turn in record(SPIDERS["SPIDER2"], {"A": ["B"], "B": ["A"]}, ["A"])]
    [('start', 'A'), ('stored', 'A'), ('stored', 'B'), ('empty', None)]
    """
    turns = [Turn("start", seeds[0], (seeds[0],), (), (), {})]
    stored: list[Any] = []
    taken: dict[Any, bool] = {}

    def watch(event: str, url: Any, page: Any, held: Held) -> None:
        if len(turns) > MOST_TURNS:
            raise Enough
        if event == "stored":
            stored.append(url)
        if url is not None:
            taken[url] = True
        kept = tuple(url for url in taken if url in held.visited)  # a set has no order to show
        turns.append(Turn(event, url, tuple(held.stack), kept, tuple(stored), dict(held.counts)))

    try:
        for _ in spider(look_up_in(web), seeds, watch):
            pass
    except Enough:
        turns[-1] = turns[-1]._replace(cut=True)
    return turns


def told(shown: Shown) -> str:
    """Return what happens in a turn, in words."""
    name, turn, url = shown.spider, shown.turn, short(shown.turn.url)
    times = turn.collection.count(turn.url)
    again = f" for the {_ordinal(times)} time" if times > 1 else ""
    waiting = f"{plural(len(turn.stack), 'URL')} on the stack."
    if turn.cut:
        did = {"stored": f"{url} is stored{again}.", "dead": f"{url} is a dead link."}.get(turn.event, "")
        return f"{did} {MOST_TURNS} turns and {name} {_unfinished(name)} We stop watching here.".lstrip()
    match turn.event:
        case "start":
            return f"{name} starts: {url} is on the stack, nothing is stored."
        case "dead":
            return f"{url} is a dead link: the look-up gives no page, nothing is stored. {waiting}"
        case "empty":
            return (
                "The stack is empty: every URL left on it was seen before. As printed, the inner Do … Until "
                f"would now pop from an empty stack: an error. Ours {_after_empty(name)}"
            )
    over = "" if turn.stack else " The stack is empty, the crawl from here is over."
    return f"{url} is popped, looked up and stored{again}; its links are pushed. {waiting}{over}"


def _unfinished(name: str) -> str:
    if name == "SPIDER1":
        return "has not come to an end: it never will where a cycle of links can be reached."
    return "has not come to an end: there are URLs that it has not taken yet."


def _after_empty(name: str) -> str:
    return "goes on with its next seed, if there is one." if name == "SPIDER4" else "ends the crawl."


def _ordinal(n: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{n}{'th' if 10 <= n % 100 <= 20 else ends.get(n % 10, 'th')}"


def looks_of(turn: Turn) -> dict[Any, str]:
    """Return the look of each page in a turn; those without one were not seen yet."""
    looks = dict.fromkeys(turn.stack, "waiting") | dict.fromkeys(turn.visited, "dead")
    looks |= dict.fromkeys(turn.collection, "stored")
    if turn.url is not None and turn.event != "start":
        looks[turn.url] = "dead" if turn.event == "dead" else "fetching"
    return looks


def numbered(collection: Iterable[Any]) -> list[str]:
    """Return the stored pages in order, numbered."""
    return [f"{i} {short(url)}" for i, url in enumerate(collection, 1)]


def draw(shown: Shown) -> Drawing:
    """Return the web and the spider's lists after a turn."""
    spider, picture, turn = shown
    graph = picture.draw(looks_of(turn), rest="unseen")
    left = below(graph, legend(["fetching", "waiting", "stored", "dead", "unseen"], GRAPH_WIDTH))
    waiting = stack("STACK", [short(url) for url in turn.stack], width=150, most=11)
    has_visited = spider in ("SPIDER3", "SPIDER4")
    visited = [set_of("VISITED", [short(u) for u in turn.visited], width=190)] if has_visited else []
    stored = set_of("COLLECTION", numbered(turn.collection), width=190, height=150 if visited else 300)
    return beside(left, waiting, below(*visited, stored))


def listed(shown: Shown) -> list[Row]:
    """Return the spider's lists after a turn, as a table."""
    turn = shown.turn
    rows = [
        ["STACK, next first", turn.stack[::-1]],
        ["VISITED", turn.visited],
        ["COLLECTION", turn.collection],
    ]
    return [
        ["list", "length", "URLs"],
        *([name, len(urls), ", ".join(map(short, urls)) or "empty"] for name, urls in rows),
    ]


def watch_spiders(web: Mapping[Any, Any] | None = None, seeds: Sequence[Any] | None = None) -> Explorer:
    """Return a player: a spider, turn by turn, on one of four small webs or on ``web`` (at most 60 pages).

    SPIDER1 to 3 start at the first of ``seeds``; without seeds that is the first page, and SPIDER4 has one
    page of each source component besides.
    """
    webs = dict(WEBS) if web is None else {"your web": links_of(web), **WEBS}
    roots = None if seeds is None else seeds_in(seeds)

    def states(spider: str, name: str) -> list[Shown]:
        chosen = webs[name]
        starts = roots if roots and name == "your web" else seeds_of(chosen)
        picture = picture_of(chosen, starts, GRAPH_WIDTH)
        return [Shown(spider, picture, turn) for turn in record(SPIDERS[spider], chosen, starts)]

    return Player(
        states,
        draw,
        told,
        listed,
        title="A spider at work",
        controls={"spider": Choice("Spider", list(SPIDERS)), "name": Choice("Web", list(webs))},
        notice="Step until SPIDER1 stores a page twice; then see what keeps SPIDER2 and SPIDER3 from it.",
        start=1,
    )
