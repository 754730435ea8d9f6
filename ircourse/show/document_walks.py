"""The explorer of the document random walk (section 19.5): a walk on a graph of which nobody has a picture.

The steps are ``document_walk_steps``'. Only the answer to the walker's query is drawn: more of the graph
nobody sees.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import NamedTuple

from ircourse.indexsize import DocumentStep, SearchEngine, document_walk_steps, word_pairs
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.lists_svg import grid
from ircourse.show.player import Player
from ircourse.show.rank_picture import RankPicture
from ircourse.show.svg import Drawing, beside, plural

PAGES = {
    "news": "crab market fair ferry islands tide boat mayor",
    "menu": "crab market soup bread inn",
    "stall": "crab market fair",
    "inn": "inn bread soup fair",
    "ferry": "ferry islands boat",
    "times": "ferry islands tide moon",
    "tides": "tide moon boat",
    "choir": "choir church",
}
MOMENTS = (*range(1, 31), 50, 100, 200, 500, 1_000)

__all__ = ["PAGES", "Walked", "walk_documents"]


class Walked(NamedTuple):
    """A walk, of which the first n steps were made."""

    steps: list[DocumentStep]
    n: int
    target: dict[str, float]

    @property
    def step(self) -> DocumentStep:
        """The last of the steps made."""
        return self.steps[self.n - 1]

    def shares(self) -> dict[str, float]:
        """Return the share of the steps that began at each page."""
        count = Counter(step.page for step in self.steps[: self.n])
        return {name: count[number] / self.n for number, name in enumerate(PAGES)}


def walk_documents() -> Explorer:
    """Return a player: the document walk on eight pages, plain or by Metropolis–Hastings."""
    engine, names = SearchEngine(PAGES.values()), list(PAGES)
    pairs = [word_pairs(engine, number) for number in range(len(names))]

    def states(uniform: bool, seed: int) -> list[Walked]:
        walk = document_walk_steps(engine, seed, start=1, uniform=uniform)
        steps = list(islice(walk, MOMENTS[-1]))
        reached = {step.page for step in steps}
        weight = [(1.0 if uniform else C) * (i in reached) for i, C in enumerate(pairs)]
        target = {name: w / sum(weight) for name, w in zip(names, weight, strict=True)}
        return [Walked(steps, n, target) for n in MOMENTS]

    def draw(walked: Walked) -> Drawing:
        step, shares = walked.step, walked.shares()
        here, to = names[step.page], names[step.to]
        seen = {name: [names[i] for i in step.answer] if name == here else [] for name in names}
        looks = {names[i]: "waiting" for i in step.answer} | {here: "fetching"}
        last = (here, to) if to in seen[here] else None
        graph = RankPicture(seen).draw(shares, looks=looks, rings=walked.target, strong=last)
        rows = [
            [name, f"{C:g}", f"{shares[name]:.3f}", f"{walked.target[name]:.3f}"]
            for name, C in zip(names, pairs, strict=True)
        ]
        marks = {(step.page, 0): "fetching"}
        return beside(graph, grid(["page", "C", "share", "long run"], rows, looks=marks))

    def describe(walked: Walked) -> str:
        step = walked.step
        here, proposed = names[step.page], names[step.proposed]
        answer = ", ".join(names[i] for i in step.answer)
        end = f"drawn: {proposed}"
        if step.to != step.proposed:
            end += f", not accepted (the chance was {pairs[step.page]:g}/{pairs[step.proposed]:g})"
        return (
            f"After {plural(walked.n, 'step')}. At {here}, words “{step.pair[0]}” and “{step.pair[1]}”: "
            f"{plural(len(step.answer), 'page')} answer: {answer}; {end}."
        )

    def table(walked: Walked) -> list[Row]:
        shares = walked.shares()
        rows = [
            [name, words, f"{C:g}", f"{shares[name]:.4f}", f"{walked.target[name]:.4f}"]
            for (name, words), C in zip(PAGES.items(), pairs, strict=True)
        ]
        return [["page", "words", "word pairs C", "share of steps", "in the long run"], *rows]

    return Player(
        states,
        draw,
        describe,
        table,
        title="A walk over documents by queries",
        notice="Discs are shares of the steps so far, rings what they tend to. The arrows are one answer of "
        "the engine, all that the walker sees of the graph. Which page is large in the plain walk, and why? "
        "Which is never met in either?",
        controls={
            "uniform": Choice("Walk", [("plain", False), ("Metropolis–Hastings", True)], False),
            "seed": Number("Another walk", 0, 9, 2),
        },
        start=9,
    )
