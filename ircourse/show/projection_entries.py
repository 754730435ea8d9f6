"""An explorer of which random entries keep lengths (chapter 18): five kinds, each tried on three vectors."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ircourse.latent import random_projection
from ircourse.latent.arrays import Floats
from ircourse.show.charts_svg import histogram
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.svg import Drawing

KINDS = ("gaussian", "sign", "sparse", "mean 1", "rare")
VECTORS = ("one term", "all terms", "sum 0")
TERMS, MATRICES, MOST = 60, 200, 100  # of a vector, of a kind, and dimensions at most
EDGES = [i / 10 for i in range(31)]  # of the histogram, 0 to 3

__all__ = ["entries", "lengths_kept"]


def entries(kind: str, rows: int, terms: int, rng: np.random.Generator | int = 0) -> Floats:
    """Return independent random entries of variance 1, not yet divided by √k, float64 (rows, terms).

    kind  one of the package's, or one of two that fail: "mean 1", normal numbers plus 1, and "rare", ±100
          with total probability 1/10,000 and else 0; the mean of all others is 0

    >>> sorted({float(entry) for entry in entries("sign", 1, 20).flat})
    [-1.0, 1.0]
    """
    rng = np.random.default_rng(rng)
    if kind == "mean 1":
        return rng.standard_normal((rows, terms)) + 1
    if kind == "rare":
        draw = rng.random((rows, terms))
        return 100 * ((draw < 5e-5).astype(float) - (draw > 1 - 5e-5))
    return random_projection(terms, rows, kind, rng).matrix * np.sqrt(rows)


@cache
def _squares(kind: str, vector: str) -> Floats:
    """Return the squared coordinates of a unit vector under each matrix of unscaled entries, (200, 100)."""
    one, every = np.eye(TERMS)[7], np.ones(TERMS)
    x = {"one term": one, "all terms": every, "sum 0": np.resize([1.0, -1.0], TERMS)}[vector]
    made = entries(kind, MATRICES * MOST, TERMS, rng=78) @ (x / np.linalg.norm(x))
    return made.reshape(MATRICES, MOST) ** 2


class Lengths(NamedTuple):
    """The squared length of a unit vector under each of 200 matrices to k dimensions."""

    kind: str
    vector: str
    k: int
    lengths: Floats


def lengths_kept() -> Explorer:
    """Return the histogram of squared lengths under 200 random matrices; entries, vector and k to choose."""

    def state(kind: str, vector: str, k: int) -> Lengths:
        return Lengths(kind, vector, k, _squares(kind, vector)[:, :k].mean(axis=1))

    def columns(now: Lengths) -> list[int]:
        return [int(count) for count in np.histogram(now.lengths.clip(0, 2.999), EDGES)[0]]

    def draw(now: Lengths) -> Drawing:
        return histogram(EDGES, columns(now), "squared length after / before; last: all above", "matrices")

    def describe(now: Lengths) -> str:
        outside = float((abs(now.lengths - 1) > 0.5).mean())
        return (
            f"Entries {now.kind}, vector {now.vector}, k = {now.k}: median {np.median(now.lengths):.2f}, "
            f"largest {now.lengths.max():.2f}; {outside:.0%} of {MATRICES} matrices leave 1 ± 0.5."
        )

    def table(now: Lengths) -> list[Row]:
        pairs = zip(EDGES, columns(now), strict=False)
        return [["from", "matrices"], *([f"{edge:.1f}", count] for edge, count in pairs)]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="One vector under 200 random matrices",
        controls={
            "kind": Choice("Entries", KINDS, "mean 1"),
            "vector": Choice("Vector", VECTORS),
            "k": Number("Dimensions k", 2, MOST, 50),
        },
        notice="Which vector does not notice that the mean is 1? Does a larger k help the entries rare?",
    )
