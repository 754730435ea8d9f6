"""Explorers of random projection (chapter 18): distances kept within a band, and two maps of the same points.

The points are the pages of Saltmere as `latent_search.saltmere` has them, without those equal to another one
in every term that is kept: 0 has no stretch.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ircourse.latent import Stretch, miss_probability, random_projection, stretch
from ircourse.latent.arrays import Floats
from ircourse.show.charts_svg import histogram
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.latent_search import saltmere
from ircourse.show.style import BLUE, INK, VERMILION
from ircourse.show.svg import Drawing, below, beside, caption, element, joined, label

KINDS = ("sign", "sparse", "gaussian")
EDGES = [i / 20 for i in range(51)]  # of the histogram, 0 to 2.5
SIDE, EVERY = 300, 61  # of a map in pixels; every 61st pair is drawn

__all__ = ["distances_kept", "points", "two_maps"]


@cache
def points() -> tuple[list[int], sparse.csc_array]:
    """Return the numbers of Saltmere's distinct pages, and their columns.

    >>> points()[1].shape[0]
    1475
    """
    A = saltmere().terms.matrix
    first: dict[bytes, int] = {}
    for page, column in enumerate(A.toarray().T.round(9)):
        first.setdefault(column.tobytes(), page)
    pages = sorted(first.values())
    return pages, A[:, pages]


class Kept(NamedTuple):
    """How squared distances were stretched by one projection to k dimensions, and the band 1 ± ε."""

    k: int
    epsilon: float
    ratios: Floats

    @property
    def outside(self) -> float:
        """The share of the pairs outside the band."""
        return float((abs(self.ratios - 1) > self.epsilon).mean())


def distances_kept() -> Explorer:
    """Return the histogram of the stretch of all pairs of pages, k, ε and the kind of entries to choose."""
    A = points()[1]

    def state(k: int, epsilon: float, kind: str) -> Kept:
        return Kept(k, epsilon, stretch(A, random_projection(A.shape[0], k, kind) @ A).distances)

    def columns(kept: Kept) -> list[int]:
        return [int(count) for count in np.histogram(kept.ratios.clip(0, 2.499), EDGES)[0]]

    def draw(kept: Kept) -> Drawing:
        picture = histogram(
            EDGES, columns(kept), "squared distance after / before; last column: all above", "pairs"
        )
        parts = [picture.body]
        for side, edge in (("end", 1 - kept.epsilon), ("start", 1 + kept.epsilon)):
            x = round(64 + edge / 2.5 * (620 - 64 - 16))
            dashes = {"stroke": VERMILION, "stroke_width": 2.5, "stroke_dasharray": "8 4"}
            parts.append(element("line", x1=x, y1=24, x2=x, y2=248, **dashes))
            inside = side if x > 110 else "start"  # the axis is on the left
            parts.append(
                label(f"{edge:.2f}", x + (6 if inside == "start" else -6), 38, anchor=inside, bold=True)
            )
        return Drawing(picture.width, picture.height, joined(parts))

    def describe(kept: Kept) -> str:
        bound = miss_probability(kept.k, kept.epsilon)
        return (
            f"To k = {kept.k}: {kept.outside:.1%} of {len(kept.ratios):,} pairs leave 1 ± {kept.epsilon:g}. "
            f"The theorem allows {bound:.1%}. Standard deviation {kept.ratios.std():.3f}."
        )

    def table(kept: Kept) -> list[Row]:
        pairs = zip(EDGES, columns(kept), strict=False)
        return [["from", "pairs"], *([f"{edge:.2f}", count] for edge, count in pairs)]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Squared distances before and after a random projection",
        controls={
            "k": Number("Dimensions k", 2, 400, 50),
            "epsilon": Number("ε", 0.05, 0.95, 0.5, 0.05),
            "kind": Choice("Entries", KINDS),
        },
        notice="Multiply k by four: how much narrower is the heap? Does the kind of entries matter?",
    )


class Maps(NamedTuple):
    """Squared distances of some pairs of pages: before, by LSI and by random projection."""

    k: int
    before: Floats
    images: tuple[Floats, Floats]

    def middle(self, side: int) -> float:
        """Return the median of the ratios."""
        return float(np.median(self.images[side] / self.before))


def _map(name: str, before: Floats, after: Floats) -> Drawing:
    """Return one map: a dot a pair, the diagonal where nothing changes."""

    def at(value: float) -> int:
        return round(min(value, 3.0) / 3 * SIDE)

    parts = [
        element("line", x1=40, y1=SIDE, x2=40 + SIDE, y2=SIDE, stroke=INK),
        element("line", x1=40, y1=0, x2=40, y2=SIDE, stroke=INK),
        element("line", x1=40, y1=SIDE, x2=40 + SIDE, y2=0, stroke=VERMILION, stroke_dasharray="8 4"),
        label("unchanged", 40 + at(2.25), SIDE - at(1.95), fill=INK),
        label("squared distance before; upwards: after", 40, SIDE + 40),
    ]
    for tick in range(4):
        parts.append(label(str(tick), 40 + at(tick), SIDE + 20, anchor="middle"))
        parts.append(label(str(tick), 32, max(SIDE - at(tick) + 5, 12), anchor="end"))
    for x, y in zip(before.tolist(), after.tolist(), strict=True):
        look = {"fill": "#cce3f0" if y <= 3 else INK, "stroke": BLUE if y <= 3 else INK}
        parts.append(element("circle", cx=40 + at(x), cy=SIDE - at(y), r=3, **look))
    return below(caption(name, SIDE), Drawing(SIDE + 50, SIDE + 46, joined(parts)))


def two_maps() -> Explorer:
    """Return the same pairs of pages under LSI and under random projection, k to choose."""
    pages, A = points()
    model = saltmere().model

    def both(k: int) -> tuple[Stretch, Stretch]:
        R = random_projection(A.shape[0], k, "sign")
        return stretch(A, model.truncate(k).documents[:, pages]), stretch(A, R @ A)

    columns = A.toarray()
    one, two = (pair[::EVERY] for pair in np.triu_indices(A.shape[1], 1))
    before = ((columns[:, one] - columns[:, two]) ** 2).sum(axis=0)

    def state(k: int) -> Maps:
        left, right = (before * side.distances[::EVERY] for side in both(k))
        return Maps(k, before, (left, right))

    def draw(maps: Maps) -> Drawing:
        names = ("LSI", "random projection")
        return beside(*(_map(n, maps.before, image) for n, image in zip(names, maps.images, strict=True)))

    def describe(maps: Maps) -> str:
        return (
            f"To k = {maps.k} dimensions, squared distances become {maps.middle(0):.2f} times under LSI "
            f"and {maps.middle(1):.2f} times under random projection (median of {len(maps.before)} pairs, "
            f"every {EVERY}st of all). Black dots on the upper edge lie above 3."
        )

    def table(maps: Maps) -> list[Row]:
        rows: list[Row] = [["pair", "before", "LSI", "random projection"]]
        values = zip(one.tolist(), two.tolist(), maps.before, *maps.images, strict=True)
        return rows + [[f"{i}, {j}", *(f"{v:.2f}" for v in row)] for i, j, *row in list(values)[::20]]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="The same pairs of pages under two maps",
        controls={"k": Number("Dimensions k", 2, 100, 50)},
        notice="Most pairs share little and start near 2. What becomes of the few pairs left of the heap?",
    )
