"""The explorer of SimHash (section 19.6): two texts, word by word.

V_i  sum over the words so far of +1 where bit i of their hash is 1, −1 where it is 0
Bit i of the SimHash is 1 where V_i > 0.
"""

from __future__ import annotations

from typing import NamedTuple

from ircourse.dedup import bit_sums, hamming, simhash_of
from ircourse.show.controls import Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.min_hash import TEXTS, short_text
from ircourse.show.player import Player
from ircourse.show.style import INK, MUTED, PAPER, RULE, VERMILION, look
from ircourse.show.svg import Drawing, Markup, below, box, caption, element, joined, label, plural, shorten
from ircourse.text import term_hash, tokenize

CELL, SIDE, HALF = 10.0, 124.0, 26.0

__all__ = ["watch_simhash"]


class Adding(NamedTuple):
    """Two texts of which the first ``count`` words are added: for A and for B the words, and V."""

    words: tuple[list[str], list[str]]
    sums: tuple[list[float], list[float]]
    hashes: tuple[int, int]
    count: int

    @property
    def differ(self) -> list[bool]:
        """Which bits of the two SimHashes differ, the lowest first."""
        return [bool((self.hashes[0] ^ self.hashes[1]) >> bit & 1) for bit in range(64)]

    def added(self, side: int) -> str | None:
        """Return the word that this step adds, or None."""
        return self.words[side][self.count - 1] if 0 < self.count <= len(self.words[side]) else None


def adding(text_a: str, text_b: str) -> list[Adding]:
    """Return the steps in which both texts grow by a word, from none to all.

    >>> steps = adding("a rose is a rose", "a rose is a tulip")
    >>> len(steps), hamming(*steps[4].hashes), hamming(*steps[5].hashes)
    (6, 0, 6)
    """
    words = tokenize(text_a), tokenize(text_b)
    ids = [[term_hash(word) for word in side] for side in words]
    made = []
    for count in range(max(map(len, words)) + 1):
        sums = [bit_sums(side[:count]).tolist() for side in ids]
        hashes = [simhash_of(side[:count]) for side in ids]
        made.append(Adding(words, (sums[0], sums[1]), (hashes[0], hashes[1]), count))
    return made


def _cells(name: str, bits: int | None, kind: str) -> Drawing:
    """Return 64 cells, the lowest bit first, dark where it is 1; without bits an empty row."""
    parts = [label(shorten(name, SIDE - 10), 0, 14, fill=INK if bits is not None else MUTED)]
    seems = look(kind)
    for bit in range(64) if bits is not None else ():
        fill = seems.stroke if bits >> bit & 1 else PAPER
        parts.append(box(SIDE + bit * CELL, 1, CELL - 1.5, 16, fill=fill, stroke=seems.stroke))
    return Drawing(SIDE + 64 * CELL, 19, joined(parts))


def _bars(sums: list[float], most: float, kind: str) -> Drawing:
    """Return the sums as bars, up where above 0, down where below."""
    parts = [label(f"sums V, to ±{most:.0f}", 0, HALF + 5)]
    for bit, value in enumerate(sums):
        high = HALF * abs(value) / most
        y = HALF - high if value > 0 else HALF
        parts.append(
            box(SIDE + bit * CELL, y + 1, CELL - 1.5, high, fill=look(kind).fill, stroke=look(kind).stroke)
        )
    parts.append(element("line", x1=SIDE, y1=HALF + 1, x2=SIDE + 64 * CELL, y2=HALF + 1, stroke=INK))
    return Drawing(SIDE + 64 * CELL, 2 * HALF + 4, joined(parts))


def _differences(state: Adding) -> Drawing:
    """Return a mark at each bit in which the SimHashes differ; it stands between their rows."""
    parts: list[Markup] = [label(f"{hamming(*state.hashes)} differ", 0, 15, bold=True)]
    for bit, differs in enumerate(state.differ):
        x = SIDE + bit * CELL + CELL / 2 - 1
        shape = f"M{x - 3.5:.1f} 5 L{x + 3.5:.1f} 15 M{x + 3.5:.1f} 5 L{x - 3.5:.1f} 15"
        if differs:
            parts.append(element("path", d=shape, stroke=VERMILION, stroke_width=2.5, fill="none"))
        else:
            parts.append(element("line", x1=x - 2, y1=10.0, x2=x + 2, y2=10.0, stroke=RULE))
    return Drawing(SIDE + 64 * CELL, 20, joined(parts))


def _draw_adding(state: Adding) -> Drawing:
    most = max([1.0, *map(abs, state.sums[0] + state.sums[1])])
    rows = []
    for side, kind in enumerate("ab"):
        word = state.added(side)
        hashed = _cells(f"+ {word}" if word else "no word", term_hash(word) if word else None, kind)
        signs = _cells("1 where V > 0", state.hashes[side], kind)
        n = min(state.count, len(state.words[side]))
        title = caption(f"Document {'AB'[side]}: {n} of {plural(len(state.words[side]), 'word')}", 500)
        rows.append([title, hashed, _bars(state.sums[side], most, kind), signs])
    return below(*rows[0], _differences(state), rows[1][3], rows[1][2], rows[1][1], rows[1][0], gap=5)


def _told_of_words(state: Adding) -> str:
    if state.count == 0:
        return "No word is added yet: all sums are 0, and so are all bits."
    adds = [
        f"{'AB'[side]} adds “{shorten(word, 200)}”"
        for side in (0, 1)
        if (word := state.added(side)) is not None
    ]
    whole = state.count == max(map(len, state.words))
    flat = sum(v == 0 for side in state.sums for v in side)
    ties = f" {plural(flat, 'sum')} of 128 {'is' if flat == 1 else 'are'} 0, and there the bit is 0."
    return (
        f"{' and '.join(adds)}. {'All words are in: the' if whole else 'The'} SimHashes differ in "
        f"{hamming(*state.hashes)} of 64 bits.{ties if flat else ''}"
    )


def _table_of_words(state: Adding) -> list[Row]:
    rows: list[Row] = [["bit", "V of A", "V of B", "SimHash of A", "SimHash of B", "differs"]]
    for bit, differs in enumerate(state.differ):
        sums = [round(side[bit]) for side in state.sums]
        rows.append([bit, *sums, *(h >> bit & 1 for h in state.hashes), "yes" if differs else ""])
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
        start=7,
    )
