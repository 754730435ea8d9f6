"""Explorers of seeds (section 20.1): coverage against their number and diversity; in-links counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ircourse.crawl.lookup import look_up_in
from ircourse.crawl.seeds import coverage, diverse_seeds, random_seeds
from ircourse.crawl.spiders import spider4_counting
from ircourse.graphs import source_components
from ircourse.show.charts_svg import bars, curves
from ircourse.show.controls import Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.graph_svg import legend
from ircourse.show.player import Player
from ircourse.show.samples import HARBOUR, hosts_and_pages
from ircourse.show.spiders import Shown, links_of, looks_of, picture_of, record, short, told
from ircourse.show.svg import Drawing, below, beside, plural, shorten

__all__ = ["count_in_links", "cover_with_seeds"]


class Reach(NamedTuple):
    """Mean share of pages reached after 1, 2, … seeds, with each way to choose them; and what would do."""

    shares: dict[str, list[float]]
    pages: int
    sources: int


def cover_with_seeds(web: Mapping[str, Any] | None = None) -> Explorer:
    """Return sliders: the share of ``web`` (default: 71 pages on 12 hosts) reached from so many seeds."""
    pages = hosts_and_pages() if web is None else web
    urls, look_up = list(pages), look_up_in(pages)
    sources = len(source_components(links_of(pages)))

    def reach(seeds: int, draws: int, first: int) -> Reach:
        shares = {}
        for name, choose in (("diverse seeds", diverse_seeds), ("random seeds", random_seeds)):
            runs = [coverage(look_up, choose(urls, seeds, first * 1000 + draw)) for draw in range(draws)]
            shares[name] = (np.mean(runs, axis=0) / len(urls)).tolist()
        return Reach(shares, len(urls), sources)

    def draw(state: Reach) -> Drawing:
        lines = {name: [(0.0, 0.0), *enumerate(line, 1)] for name, line in state.shares.items()}
        return curves(lines, "number of seeds", "share of pages reached (mean of the draws)", y_range=(0, 1))

    def describe(state: Reach) -> str:
        ends = [f"{name} reach {line[-1]:.0%}" for name, line in state.shares.items()]
        n = len(next(iter(state.shares.values())))
        return (
            f"With {plural(n, 'seed')} on {state.pages} pages, {' and '.join(ends)}. "
            f"One seed in each of the {state.sources} source components would reach everything."
        )

    def table(state: Reach) -> list[Row]:
        columns = list(state.shares.values())
        rows = [
            [i, *(f"{share:.3f}" for share in row)] for i, row in enumerate(zip(*columns, strict=True), 1)
        ]
        return [["seeds", *state.shares], *rows]

    most = min(len(urls), 30)
    return Sliders(
        reach,
        draw,
        describe,
        table,
        title="Coverage and seeds",
        controls={
            "seeds": Number("Seeds", 1, most, min(24, most)),
            "draws": Number("Draws averaged", 1, 40, 20),
            "first": Number("Set of draws", 0, 9, 0),
        },
        notice="Diverse seeds take each host once before any twice. The lines part when the large hosts are "
        "found and only small ones are left.",
    )


def count_in_links(web: Mapping[Any, Any] | None = None, seeds: Sequence[Any] | None = None) -> Explorer:
    """Return a player: SPIDER4 and <URL, COUNT> on ``web``, at most 60 pages, from ``seeds`` or its first."""
    pages: Mapping[Any, Any] = HARBOUR if web is None else web
    starts = list(seeds) if seeds is not None else [next(iter(pages))]
    picture = picture_of(pages, starts, 430)

    def counting(look_up: Any, roots: Any, watch: Any) -> Any:
        return spider4_counting(look_up, roots, watch=watch)

    def states() -> list[Shown]:
        turns = record(counting, pages, starts)
        return [Shown("SPIDER4", picture, turn) for turn in turns]

    def draw(shown: Shown) -> Drawing:
        counts, looks = shown.turn.counts, looks_of(shown.turn)
        graph = picture.draw(looks, rest="unseen")
        names = [url for url in picture.nodes if url in counts][:25] or starts[:1]
        values = [counts.get(url, 0) for url in names]
        labels = [shorten(short(url), 120) for url in names]
        columns = bars(
            labels, values, "COUNT (in-links)", looks=[looks.get(u, "plain") for u in names], limit=4
        )
        key = legend(["fetching", "waiting", "stored", "dead", "unseen"], 430)
        return beside(below(graph, key), columns)

    def table(shown: Shown) -> list[Row]:
        order = picture.nodes.index
        counts = sorted(shown.turn.counts.items(), key=lambda pair: (-pair[1], order(pair[0])))
        return [["URL", "COUNT"], *([short(url), count] for url, count in counts)]

    return Player(
        states,
        draw,
        told,
        table,
        title="In-links counted while crawling",
        notice="A page's COUNT grows when a page that links to it is stored, before and after its own visit.",
        start=4,
    )
