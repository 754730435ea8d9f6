"""The explorer of Bloom filters (section 20.2, slides on crawlers): bits, and the pages that they cost.

m, k  bits, and how many of them a URL sets
n     URLs added

A step meets one URL, and adds it unless it is taken for seen. What is watched is a `BloomFilter`: its
bits, its positions, its answers about URLs that were never added.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ircourse.crawl import BloomFilter
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Choice
from ircourse.show.explorer import Explorer, Row
from ircourse.show.player import Player
from ircourse.show.style import INK, MUTED, look
from ircourse.show.svg import Drawing, Markup, below, box, caption, joined, label, plural

STRANGERS, WIDTH, CELL = 1000, 660.0, 26.0
IN_ROW = 24

__all__ = ["Filled", "fill_a_filter", "filling"]


class Filled(NamedTuple):
    """A filter after n URLs.

    url       the one added last, and ``new`` whether the filter took it for new
    places    the numbers of its bits; ``before`` those that others had set
    measured  the share of 1,000 other URLs that the filter takes for seen, after 0, 1, … n
    expected  the same by the formula, for all that will be met; its n is ``added``, how many were new
    """

    url: str
    new: bool
    places: tuple[int, ...]
    before: frozenset[int]
    bits: tuple[bool, ...]
    hashes: int
    capacity: int
    measured: tuple[float, ...]
    expected: tuple[float, ...]
    added: int = 0


@lru_cache(maxsize=16)
def filling(capacity: int, error_rate: float) -> tuple[Filled, ...]:
    """Return the states of a filter that is filled to twice its capacity.

    >>> last = filling(10, 0.1)[-1]
    >>> len(last.bits), last.hashes, len(last.measured)
    (48, 3, 21)
    """
    seen = BloomFilter(capacity, error_rate)
    strangers = [f"http://elsewhere.example/{i}" for i in range(STRANGERS)]
    measured, expected = [0.0], [0.0]
    nothing = (False,) * seen.n_bits
    states = [Filled("", True, (), frozenset(), nothing, seen.n_hashes, capacity, (0.0,), ())]
    for n in range(2 * capacity):
        url = f"http://harbour.example/page{n + 1}"
        places = tuple(seen.positions(url))
        before = frozenset(place for place in places if states[-1].bits[place])
        new = seen.add(url)
        measured.append(float(np.mean(seen.contains_many(strangers))))
        expected.append(seen.expected_error)
        bits = tuple(seen.bits.tolist())
        added, shares = states[-1].added + new, tuple(measured)
        states.append(Filled(url, new, places, before, bits, seen.n_hashes, capacity, shares, (), added))
    return tuple([state._replace(expected=tuple(expected)) for state in states])


def _bits(state: Filled) -> Drawing:
    """Return the bits, the new URL's outlined."""
    parts: list[Markup] = []
    for i, bit in enumerate(state.bits):
        x, y = (i % IN_ROW) * CELL, (i // IN_ROW) * CELL
        here = i in state.places
        fill = look("waiting" if i in state.before else "stored").fill if here else "#d9d9d9" if bit else None
        frame = {"stroke": INK if here else "#b5b5b5", "stroke_width": 2.5 if here else 1}
        parts.append(box(x + 2, y + 2, CELL - 4, CELL - 4, **({"fill": fill} if fill else {}), **frame))
        parts.append(
            label("1" if bit else "0", x + CELL / 2, y + 18, anchor="middle", fill=INK if bit else MUTED)
        )
    rows = -(-len(state.bits) // IN_ROW)
    return Drawing(IN_ROW * CELL, rows * CELL, joined(parts))


def _draw(state: Filled) -> Drawing:
    n = len(state.measured) - 1
    lines = {
        "": list(enumerate(state.measured)),
        "formula": list(enumerate(state.expected)),
    }
    met = f"URLs met; the filter is made for {state.capacity}"
    share = "share of others taken for seen (solid: measured)"
    chart = curves(lines, met, share, y_range=(0, 0.8), width=WIDTH, height=230)
    set_ = sum(state.bits)
    head = caption(
        f"{len(state.bits)} bits, {set_} of them 1: {plural(n, 'URL')} met, {state.added} added", WIDTH
    )
    return below(head, _bits(state), chart)


def _told(state: Filled) -> str:
    n = len(state.measured) - 1
    if not n:
        return (
            f"An empty filter of {len(state.bits)} bits for {state.capacity} URLs; each sets {state.hashes}."
        )
    page = state.url.removeprefix("http://")
    bits = ", ".join(map(str, sorted(set(state.places))))
    had = f"{len(state.before)} of them set before"
    verdict = f"so {page} is new." if state.new else f"so {page} seems to be seen: a crawler would lose it."
    return (
        f"{page}: bits {bits}, {had}, {verdict} Of {STRANGERS:,} URLs never added "
        f"{state.measured[-1]:.1%} would be taken for seen; by the formula {state.expected[n]:.1%}."
    )


def _table(state: Filled) -> list[Row]:
    rows = [
        [n, f"{share:.3f}", f"{formula:.3f}"]
        for n, (share, formula) in enumerate(zip(state.measured, state.expected, strict=False))
    ]
    return [["URLs met", "share of others taken for seen", "formula"], *rows]


def fill_a_filter() -> Explorer:
    """Return a player: URLs added to a Bloom filter one after the other."""
    return Player(
        filling,
        _draw,
        _told,
        _table,
        title="A Bloom filter",
        controls={
            "capacity": Choice("Made for", [("10 URLs", 10), ("20 URLs", 20), ("30 URLs", 30)], 20),
            "error_rate": Choice("Share of errors then", [("30%", 0.3), ("10%", 0.1), ("1%", 0.01)], 0.1),
        },
        notice="No bit is ever cleared, so what was added is always found. A URL that finds all its bits set "
        "by others is taken for seen and not added; there the formula, which counts those added, is flat.",
        start=21,
    )
