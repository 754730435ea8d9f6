"""The explorer of SimHash (section 19.6): two texts, word by word.

V_i  sum over the words so far of +1 where bit i of their hash is 1, −1 where it is 0
Bit i of the SimHash is 1 where V_i > 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ircourse.dedup import bit_sums, hamming, simhash_of
from ircourse.show.controls import Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.min_hash import TEXTS, short_text
from ircourse.show.player import Player
from ircourse.show.style import INK, MUTED, PAPER, RULE, VERMILION, look
from ircourse.show.svg import Drawing, below, caption, element, joined, label, plural, shorten
from ircourse.text import term_hash, tokenize

CELL, SIDE, HALF = 10.0, 124.0, 26.0
WIDTH = SIDE + 64 * CELL

__all__ = ["watch_simhash"]


class Adding(NamedTuple):
    """Two texts of which the first ``taken`` words are added: for A and for B the words, and V."""

    words: tuple[list[str], list[str]]
    sums: tuple[list[float], list[float]]
    hashes: tuple[int, int]
    taken: int

    @property
    def differ(self) -> list[bool]:
        """Which bits of the two SimHashes differ, the lowest first."""
        return [bool((self.hashes[0] ^ self.hashes[1]) >> bit & 1) for bit in range(64)]

    def added(self, side: int) -> str | None:
        """Return the word that this step adds, or None."""
        return self.words[side][self.taken - 1] if 0 < self.taken <= len(self.words[side]) else None


def adding(text_a: str, text_b: str) -> list[Adding]:
    """Return the steps in which both texts grow by a word, from none to all.

    >>> steps = adding("a rose is a rose", "a rose is a tulip")
    >>> len(steps), hamming(*steps[4].hashes), hamming(*steps[5].hashes)
    (6, 0, 6)
    """
    words = tokenize(text_a), tokenize(text_b)
    ids = [[term_hash(word) for word in side] for side in words]
    made = []
    for taken in range(max(map(len, words)) + 1):
        sums = [bit_sums(side[:taken]).tolist() for side in ids]
        hashes = [simhash_of(side[:taken]) for side in ids]
        made.append(Adding(words, (sums[0], sums[1]), (hashes[0], hashes[1]), taken))
    return made


def _path(boxes: Iterable[tuple[int, float, float]]) -> str:
    """Return boxes (bit, top, height) as one path: a fraction of the size of as many elements."""
    return " ".join(f"M{SIDE + bit * CELL:g} {y:.1f}h8.5v{high:.1f}h-8.5z" for bit, y, high in boxes)


def _cells(name: str, bits: int | None, kind: str) -> Drawing:
    """Return 64 cells, the lowest bit first, dark where it is 1; without bits an empty row."""
    parts = [label(shorten(name, SIDE - 10), 0, 14, fill=INK if bits is not None else MUTED)]
    stroke = look(kind).stroke
    for value, fill in ((0, PAPER), (1, stroke)) if bits is not None else ():
        cells = _path((bit, 1, 16) for bit in range(64) if (bits or 0) >> bit & 1 == value)
        parts.append(element("path", d=cells, fill=fill, stroke=stroke))
    return Drawing(WIDTH, 19, joined(parts))


def _bars(sums: list[float], most: float, kind: str) -> Drawing:
    """Return the sums as bars, up where above 0, down where below."""
    highs = [HALF * value / most for value in sums]
    bars = _path((bit, HALF + 1 - max(high, 0), abs(high)) for bit, high in enumerate(highs))
    parts = [
        label(f"sums V, to ±{most:.0f}", 0, HALF + 5),
        element("path", d=bars, fill=look(kind).fill, stroke=look(kind).stroke),
        element("line", x1=SIDE, y1=HALF + 1, x2=WIDTH, y2=HALF + 1, stroke=INK),
    ]
    return Drawing(WIDTH, 2 * HALF + 4, joined(parts))


def _differences(state: Adding) -> Drawing:
    """Return a cross at each bit in which the SimHashes differ; it stands between their rows."""
    xs = [SIDE + bit * CELL + 0.5 for bit, differs in enumerate(state.differ) if differs]
    crosses = " ".join(f"M{x:.1f} 5l7 10m0 -10l-7 10" for x in xs)
    parts = [
        label(f"{hamming(*state.hashes)} differ", 0, 15, bold=True),
        element("line", x1=SIDE, y1=10.0, x2=WIDTH, y2=10.0, stroke=RULE, stroke_dasharray="3 7"),
        element("path", d=crosses, stroke=VERMILION, stroke_width=2.5, fill="none"),
    ]
    return Drawing(WIDTH, 20, joined(parts))


def _draw_adding(state: Adding) -> Drawing:
    most = max([1.0, *map(abs, state.sums[0] + state.sums[1])])
    rows = []
    for side, kind in enumerate("ab"):
        word = state.added(side)
        hashed = _cells(f"+ {word}" if word else "no word", term_hash(word) if word else None, kind)
        signs = _cells("1 where V > 0", state.hashes[side], kind)
        n = min(state.taken, len(state.words[side]))
        title = caption(f"Document {'AB'[side]}: {n} of {plural(len(state.words[side]), 'word')}", 500)
        rows.append([title, hashed, _bars(state.sums[side], most, kind), signs])
    return below(*rows[0], _differences(state), rows[1][3], rows[1][2], rows[1][1], rows[1][0], gap=5)


def _told_of_words(state: Adding) -> str:
    if state.taken == 0:
        return "No word is added yet: all sums are 0, and so are all bits."
    adds = [
        f"{'AB'[side]} adds “{shorten(word, 200)}”"
        for side in (0, 1)
        if (word := state.added(side)) is not None
    ]
    whole = state.taken == max(map(len, state.words))
    flat = sum(v == 0 for side in state.sums for v in side)
    ties = f" {plural(flat, 'sum')} of 128 {'is' if flat == 1 else 'are'} 0, and there the bit is 0."
    return (
        f"{' and '.join(adds)}. {'All words are in: the' if whole else 'The'} SimHashes differ in "
        f"{hamming(*state.hashes)} of 64 bits.{ties if flat else ''}"
    )


def _table_of_words(state: Adding) -> list[Row]:
    rows: list[Row] = [["bits", "V of A", "V of B", "SimHash of A", "SimHash of B", "differ"]]
    for start in range(0, 64, 8):
        byte = range(start, start + 8)
        sums = [" ".join(f"{side[bit]:.0f}" for bit in byte) for side in state.sums]
        hashes = [" ".join(str(h >> bit & 1) for bit in byte) for h in state.hashes]
        rows.append([f"{start} to {start + 7}", *sums, *hashes, sum(state.differ[start : start + 8])])
    return rows


def watch_simhash(text_a: str = TEXTS[0], text_b: str = TEXTS[1]) -> Explorer:
    """Return a player: the SimHashes of two texts, word by word."""
    return Player(
        adding,
        _draw_adding,
        _told_of_words,
        _table_of_words,
        title="SimHash, word by word",
        controls={
            "text_a": Text("Document A", text_a, short_text, examples=["rose", "東京 東京 2"]),
            "text_b": Text("Document B", text_b, short_text, examples=[text_a]),
        },
        notice="A dark cell of a word pushes its sum up by 1, a pale one down. A word that differs turns "
        "over those bits alone whose sums are near 0. Bit 0 stands at the left.",
        start=8,
    )
