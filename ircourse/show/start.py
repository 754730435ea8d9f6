"""The explorer of the first chapter: it shows how to use the others."""

from __future__ import annotations

from typing import NamedTuple

from ircourse.graphs import breadth_first
from ircourse.show.controls import Choice
from ircourse.show.explorer import Explorer, Row
from ircourse.show.graph_svg import GraphPicture, legend
from ircourse.show.player import Player
from ircourse.show.svg import Drawing, below

PAGES = {
    "home": ["ferries", "library"],
    "ferries": ["timetable"],
    "library": ["catalogue", "home"],
    "timetable": ["home"],
    "catalogue": [],
}
HINTS = (
    "Nothing is fetched yet. Press “Step ▶” to go on.",
    "“◀ Back” undoes a step; “Start” and “To the end” leap.",
    "The slider moves through the steps: drag it, or press Tab until it is framed and use the arrow keys.",
    "“▶ Play” walks on by itself. “Speed” changes how fast.",
    "“The same as a table”, below the picture, opens by click or by Tab and Enter, and stays open.",
    "The row of samples under the graph names each look. A look has one meaning in the whole course.",
    "This is the last step. Choose another page under “Start at” and see what changes.",
)

__all__ = ["try_an_explorer"]


class Walk(NamedTuple):
    """The pages fetched so far, in order, whether that is all, and what to try next."""

    fetched: list[str]
    done: bool
    hint: str


def try_an_explorer() -> Explorer:
    """Return a player on a web of five pages, which explains its own controls step by step."""
    pairs = [(page, link) for page, links in PAGES.items() for link in links]
    picture = GraphPicture(PAGES, pairs, ["home"], width=520)

    def states(start: str) -> list[Walk]:
        order = list(breadth_first(PAGES, start))
        walks = [Walk(order[:i], False, HINTS[i]) for i in range(len(order) + 1)]
        return [*walks, Walk(order, True, HINTS[-1])]

    def draw(walk: Walk) -> Drawing:
        waiting = {link for page in walk.fetched for link in PAGES[page]}
        looks = dict.fromkeys(waiting, "waiting") | dict.fromkeys(walk.fetched, "stored")
        looks |= {} if walk.done else dict.fromkeys(walk.fetched[-1:], "fetching")
        return below(
            picture.draw(looks, rest="unseen"), legend(["fetching", "stored", "waiting", "unseen"], 520)
        )

    def describe(walk: Walk) -> str:
        now = f"{walk.fetched[-1]} is being fetched. " if walk.fetched and not walk.done else ""
        return f"{now}{walk.hint}"

    def table(walk: Walk) -> list[Row]:
        return [["step", "page fetched"], *([i, page] for i, page in enumerate(walk.fetched, 1))]

    return Player(
        states,
        draw,
        describe,
        table,
        title="How to use an explorer",
        controls={"start": Choice("Start at", list(PAGES))},
        notice="A page that waits is known by a link and not yet fetched. The oldest is fetched next.",
    )
