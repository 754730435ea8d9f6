"""The explorer of banding (section 19.6): the S-curve, and what bands find of pairs of known similarity.

t, h  bands and rows of a band
s     similarity of two documents; 1 − (1 − s^h)^t is the chance that some band finds them
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup import MinHasher, band_chance, pairs_by_bands
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.svg import Drawing, plural

PLACES, UNION, EACH = 200, 120, 40
SHARED = range(6, UNION + 1, 6)  # of 120 shingles: similarities 0.05, 0.10, … 1

__all__ = ["s_curve"]


class Banding(NamedTuple):
    """t bands of h rows: of the 40 pairs at each similarity, how many they found."""

    bands: int
    rows: int
    asked: int
    found: dict[float, int]

    @property
    def steep(self) -> float:
        """Where one band is expected to agree; the chance is then about 63%."""
        return float((1 / self.bands) ** (1 / self.rows))


def pairs_of_sets(hasher: MinHasher) -> NDArray[np.uint64]:
    """Return the sketches of 40 pairs of sets at each similarity, a pair's two after each other."""
    sketches, start = [], 0
    for shared in SHARED:
        for _ in range(EACH):
            ids = np.arange(start, start + UNION, dtype=np.uint64)  # hashed first, so as good as random ones
            alone = (UNION - shared) // 2
            sketches += [hasher.sketch(ids[: shared + alone]), hasher.sketch(ids[alone:])]
            start += UNION
    return np.array(sketches)


def s_curve() -> Explorer:
    """Return sliders: the chance that t bands of h rows find a pair, and what they find of 800 pairs."""
    sketches = pairs_of_sets(MinHasher(PLACES))

    def banded(bands: int, rows: int) -> Banding:
        used = min(bands, PLACES // rows)
        first = pairs_by_bands(sketches, used, rows).i  # the sets of different pairs have nothing in common
        hits = np.bincount(first // (2 * EACH), minlength=len(SHARED)).tolist()
        found = {shared / UNION: n for shared, n in zip(SHARED, hits, strict=True)}
        return Banding(used, rows, bands, found)

    def draw(state: Banding) -> Drawing:
        every = np.linspace(0, 1, 101)
        chance = band_chance(every, state.bands, state.rows)
        lines = {
            "chance": list(zip(every.tolist(), chance.tolist(), strict=True)),
            "found": [(s, n / EACH) for s, n in state.found.items()],
            f"{state.steep:.2f}": [(state.steep, 0.0), (state.steep, 1.0)],
        }
        says = "share found: by the formula (solid), of 40 pairs (dashed); upright at (1/t)^(1/h)"
        return curves(lines, "similarity s of a pair", says, y_range=(0, 1), width=660, height=330)

    return Sliders(
        banded,
        draw,
        _told_of_bands,
        _table_of_bands,
        title="The S-curve of bands",
        controls={"bands": Number("Bands t", 1, PLACES, 40), "rows": Number("Rows in a band h", 1, 25, 5)},
        notice="More rows move the curve to the right, more bands to the left; only both together make it "
        "steep. What lies under it left of your threshold is compared in vain, what lies over it right of "
        "the threshold is missed.",
    )


def _told_of_bands(state: Banding) -> str:
    below_, above = (sum(n for s, n in state.found.items() if (s >= 0.8) == over) for over in (False, True))
    few = (
        f" {PLACES} values make no more bands of {state.rows}: {state.bands} of {state.asked} are used."
        if state.bands < state.asked
        else ""
    )
    over = EACH * sum(s >= 0.8 for s in state.found)
    find = "finds" if state.bands == 1 else "find"
    of = EACH * len(SHARED) - over
    at = f" The chance passes about 63% at (1/t)^(1/h) = {state.steep:.2f}." if state.bands > 2 else ""
    return (
        f"{plural(state.bands, 'band')} of {plural(state.rows, 'row')} {find} {above} of {over} pairs of "
        f"similarity 0.8 or more, and {below_} of {of} below 0.8.{at}{few}"
    )


def _table_of_bands(state: Banding) -> list[Row]:
    chances = band_chance(list(state.found), state.bands, state.rows).tolist()
    rows = [
        [f"{s:.2f}", f"{chance:.4f}", f"{n / EACH:.3f}", n]
        for (s, n), chance in zip(state.found.items(), chances, strict=True)
    ]
    return [["similarity", "chance", "share found", f"found of {EACH}"], *rows]
