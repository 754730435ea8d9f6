"""Explorer of the random surfer (section 21.2.1): visits counted, and the PageRank that they approach.

The walk is ``ircourse.links.random_surfer``'s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ircourse.links import Walk, pagerank, random_surfer
from ircourse.show.controls import Choice, Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.lists_svg import grid
from ircourse.show.pagerank import READY, SEVEN
from ircourse.show.rank_picture import RankPicture, parse_pages
from ircourse.show.svg import Drawing, beside, clip, plural

MOMENTS = (*range(1, 31), 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)

__all__ = ["watch_surfer"]


class Moment(NamedTuple):
    """The walk after ``steps`` visits."""

    links: dict[str, list[str]]
    walk: Walk
    scores: dict[str, float]
    steps: int

    def page(self, step: int) -> str:
        """Return where the surfer is at a step, from 1."""
        return str(self.walk.labels[self.walk.path[step - 1]])

    def shares(self) -> dict[str, float]:
        """Return the share of the visits at each page."""
        return dict(zip(self.links, self.walk.shares(self.steps).tolist(), strict=True))

    def off(self) -> float:
        """Return the L1 distance of the shares to PageRank."""
        return float(np.abs(self.walk.shares(self.steps) - list(self.scores.values())).sum())


def watch_surfer(edges: str = SEVEN) -> Explorer:
    """Return a player: a surfer on a small graph, the shares of visits as discs inside rings of PageRank."""

    def states(text: dict[str, list[str]], damping: float, seed: int) -> list[Moment]:
        walk = random_surfer(text, MOMENTS[-1], rng=seed, damping=damping)
        scores = pagerank(text, damping=damping).as_dict()
        return [Moment(text, walk, scores, steps) for steps in MOMENTS]

    def draw(moment: Moment) -> Drawing:
        here, shares = moment.page(moment.steps), moment.shares()
        followed = moment.steps > 1 and not moment.walk.teleported[moment.steps - 1]
        last = (moment.page(moment.steps - 1), here) if followed else None
        picture = RankPicture(moment.links)
        graph = picture.draw(shares, looks={here: "fetching"}, rings=moment.scores, strong=last)
        visits = moment.walk.visits(moment.steps).tolist()
        rows = [
            [clip(page, 12), count, f"{shares[page]:.3f}", f"{score:.3f}"]
            for (page, score), count in zip(moment.scores.items(), visits, strict=True)
        ]
        looks = {(list(moment.links).index(here), 0): "fetching"}
        return beside(graph, grid(["page", "visits", "share", "PageRank"], rows, looks=looks))

    def describe(moment: Moment) -> str:
        n, here = moment.steps, moment.page(moment.steps)
        way = "teleports to" if moment.walk.teleported[n - 1] else "follows a link to"
        came = f"The surfer {way if n > 1 else 'starts at'} {here}."
        far = f"After {plural(n, 'visit')} the shares are off by {moment.off():.3f}, all pages together."
        return f"{came} {far}"

    def table(moment: Moment) -> list[Row]:
        shares = moment.shares()
        rows = [[page, f"{shares[page]:.4f}", f"{score:.4f}"] for page, score in moment.scores.items()]
        return [["page", "share of visits", "PageRank"], *rows]

    return Editor(
        Text("A page, then those it links to", edges, parse_pages, lines=4, ready=READY),
        states,
        draw,
        describe,
        table,
        title="A random surfer",
        controls={
            "damping": Choice("Damping d", [0.5, 0.85, 0.86, 0.95], 0.86),
            "seed": Number("Another walk", 0, 9, 0),
        },
        notice="Discs are shares of visits so far, rings are PageRank. The heavy arrow is the link just "
        "followed; without one the surfer has teleported. From 30 visits on the steps jump, to 10,000 in the "
        "end. After how many visits do discs and rings agree?",
        start=11,
    )
