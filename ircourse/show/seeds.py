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
from ircourse.show.spiders import Shown, looks_of, picture_of, record, told
from ircourse.show.svg import Drawing, below, beside, clip, plural, shorten
from ircourse.show.webs import is_url, links_of, seeds_in, short

WIDTH = 430

__all__ = ["count_in_links", "cover_with_seeds"]


class Reach(NamedTuple):
    """Mean share of pages reached after 1, 2, … seeds, with each way to choose them; and what would do."""

    shares: dict[str, list[float]]
    pages: int
    sources: int


def compare_seeds(
    links: Mapping[str, Sequence[str]], sources: int, seeds: int, draws: int, first: int
) -> Reach:
    """Return the mean shares of ``links`` that so many diverse and so many random seeds reach."""
    urls, look_up = list(links), look_up_in(links)
    shares = {}
    for name, choose in (("diverse seeds", diverse_seeds), ("random seeds", random_seeds)):
        runs = [coverage(look_up, choose(urls, seeds, first * 1000 + draw)) for draw in range(draws)]
        shares[name] = (np.mean(runs, axis=0) / len(urls)).tolist()
    return Reach(shares, len(urls), sources)


def shares_drawn(state: Reach) -> Drawing:
    """Return a curve for each way to choose seeds."""
    lines = {name: [(0.0, 0.0), *enumerate(line, 1)] for name, line in state.shares.items()}
    return curves(lines, "number of seeds", "share of pages reached (mean of the draws)", y_range=(0, 1))


def shares_told(state: Reach) -> str:
    """Return in words where the curves end."""
    ends = [f"{name} reach {line[-1]:.0%}" for name, line in state.shares.items()]
    n = len(next(iter(state.shares.values())))
    return (
        f"With {plural(n, 'seed')} on {state.pages} pages, {' and '.join(ends)}. "
        f"One seed in each of the {state.sources} source components would reach everything."
    )


def shares_listed(state: Reach) -> list[Row]:
    """Return the curves as a table."""
    columns = list(state.shares.values())
    rows = [[i, *(f"{share:.3f}" for share in row)] for i, row in enumerate(zip(*columns, strict=True), 1)]
    return [["seeds", *state.shares], *rows]


def cover_with_seeds(web: Mapping[str, Any] | None = None) -> Explorer:
    """Return sliders: the share of ``web`` (default: 71 pages on 12 hosts) reached from so many seeds."""
    links = links_of(hosts_and_pages() if web is None else web)
    if bad := [url for url in links if not is_url(url)]:
        raise ValueError(
            f"{clip(repr(bad[0]), 60)} is no URL: seeds are spread over hosts, so give each page one"
        )
    sources = len(source_components(links))
    most = min(len(links), 30)
    return Sliders(
        lambda **chosen: compare_seeds(links, sources, **chosen),
        shares_drawn,
        shares_told,
        shares_listed,
        title="Coverage and seeds",
        controls={
            "seeds": Number("Seeds", 1, most, min(24, most)),
            "draws": Number("Draws averaged", 1, 40, 20),
            "first": Number("Set of draws", 0, 9, 0),
        },
        notice="Diverse seeds take each host once before any twice. The lines part when the large hosts are "
        "found and only small ones are left.",
    )


def counts_drawn(shown: Shown) -> Drawing:
    """Return the web, and a bar for the COUNT of each of its first 25 pages that were met."""
    _, picture, turn = shown
    looks = looks_of(turn)
    graph = below(
        picture.draw(looks, rest="unseen"), legend(["fetching", "waiting", "stored", "dead", "unseen"], WIDTH)
    )
    urls = [url for url in picture.nodes if url in turn.counts][:25] or [turn.url]
    names, values = [shorten(short(url), 120) for url in urls], [turn.counts.get(url, 0) for url in urls]
    seems = [looks.get(url, "plain") for url in urls]
    return beside(graph, bars(names, values, "COUNT (in-links)", looks=seems, limit=4))


def counts_listed(shown: Shown) -> list[Row]:
    """Return the COUNTs as a table, the largest first."""
    order = {url: i for i, url in enumerate(shown.picture.nodes)}
    counts = sorted(shown.turn.counts.items(), key=lambda pair: (-pair[1], order[pair[0]]))
    return [["URL", "COUNT"], *([short(url), count] for url, count in counts)]


def count_in_links(web: Mapping[Any, Any] | None = None, seeds: Sequence[Any] | None = None) -> Explorer:
    """Return a player: SPIDER4 and <URL, COUNT> on ``web``, at most 60 pages, from ``seeds`` or its first."""
    links = links_of(HARBOUR if web is None else web)
    starts = list(links)[:1] if seeds is None else seeds_in(seeds)
    picture = picture_of(links, starts, WIDTH)

    def counting(look_up: Any, roots: Any, watch: Any) -> Any:
        return spider4_counting(look_up, roots, watch=watch)

    return Player(
        lambda: [Shown("SPIDER4", picture, turn) for turn in record(counting, links, starts)],
        counts_drawn,
        told,
        counts_listed,
        title="In-links counted while crawling",
        notice="A page's COUNT grows when a page that links to it is stored, before and after its own visit.",
        start=4,
    )
