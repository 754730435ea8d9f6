"""Near copies as still pictures (section 19.6): two texts word against word, clusters with their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from ircourse.dedup import Duplicates
from ircourse.show.explorer import CELL, remark, show
from ircourse.show.lists_svg import CELL as LINE
from ircourse.show.still import Still
from ircourse.show.style import INK, MUTED, look
from ircourse.show.svg import Drawing, Markup, below, box, caption, element, joined, label, plural, shorten

AROUND, MOST_PLACES, MOST_WORDS, MOST_SHOWN, LONGEST = 8, 40, 20_000, 120, 300
MOST_BOXES, MOST_OF_ONE, NAME = 60, 15, 330.0
COPY = 2.0  # in place of a similarity
WIDE = f"{CELL}; vertical-align: top; overflow-wrap: anywhere; white-space: normal"

__all__ = ["Differences", "show_clusters", "show_differences"]


class Place(NamedTuple):
    """One place where two texts differ, or words that they share beside one (``same``)."""

    same: bool
    a: list[str]
    b: list[str]


class Differences:
    """Two texts side by side, white space aside: what only one of them has is marked.

    rows     places in order, in groups with the words around them; an int is so many words left out
    places   at how many places they differ; the first 40 are shown
    """

    def __init__(self, text_a: str, text_b: str, names: tuple[str, str], notice: str) -> None:
        self.names, self.notice = names, notice
        a, b = _words(text_a), _words(text_b)
        match = SequenceMatcher(None, a, b)  # starts at rare words alone, or a page of one word takes minutes
        self.places = sum(code[0] != "equal" for code in match.get_opcodes())
        self.rows: list[list[Place] | int] = []
        self.shown: list[Place] = []
        end = 0
        for group in match.get_grouped_opcodes(AROUND):
            if len(self.shown) == MOST_PLACES:
                return
            if group[0][1] > end:
                self.rows.append(group[0][1] - end)
            row = [Place(tag == "equal", a[i:j], b[k:m]) for tag, i, j, k, m in group]
            room = MOST_PLACES - len(self.shown)
            row = row[: 2 * room + 1]  # every second place is the same in both
            self.rows.append(row)
            self.shown += [place for place in row if not place.same][:room]
            end = group[-1][2]
        if len(a) > end:
            self.rows.append(len(a) - end)

    @property
    def alt(self) -> str:
        """In words, what the picture shows."""
        name_a, name_b = (shorten(name, 300) for name in self.names)
        if not self.places:
            return f"{name_a} and {name_b} have the same words in the same order."
        told = [f"{_quoted(place.a)} against {_quoted(place.b)}" for place in self.shown[:5]]
        more = f"; and {self.places - 5:,} more" if self.places > 5 else ""
        return f"{name_a} and {name_b} differ at {plural(self.places, 'place')}: {'; '.join(told)}{more}."

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        names = [shorten(name, 400) for name in self.names]
        heads = element("tr", *(element("th", name, scope="col", style=WIDE) for name in names))
        body = [self._row(row) for row in self.rows]
        if self.places > len(self.shown):
            body.append(_note(f"and {self.places - len(self.shown):,} more places where they differ"))
        style = "border-collapse: collapse; margin: 4px; table-layout: fixed; width: 100%"
        table = element("table", element("thead", heads), element("tbody", *body), style=style)
        parts = [element("p", self.alt), table if self.places else Markup(), remark(self.notice)]
        return {"text/plain": self.alt, "text/html": str(show(joined(parts)))}

    def _row(self, row: list[Place] | int) -> Markup:
        if isinstance(row, int):
            return _note(f"… {plural(row, 'word')} the same …")
        sides = [joined(_side(place, side) for place in row) for side in (0, 1)]
        return element("tr", *(element("td", side, style=WIDE) for side in sides))

    def __repr__(self) -> str:
        return f"<Differences: {self.alt}>"


def _words(text: str) -> list[str]:
    words = text.split()
    if len(words) > MOST_WORDS:
        raise ValueError(f"{len(words):,} words are too many to compare here: give at most {MOST_WORDS:,}")
    return words


def _cut(words: list[str], most: int) -> str:
    """Return the words as a text, long ones shortened, and how many there was no room for."""
    text = " ".join(shorten(word, LONGEST) for word in words[:most])
    return text + (f" … and {plural(len(words) - most, 'more word')}" if len(words) > most else "")


def _quoted(words: list[str]) -> str:
    return f"“{_cut(words, 8)}”" if words else "nothing"


def _side(place: Place, side: int) -> Markup:
    """Return one side's words at a place; in bold and coloured, struck out in A and underlined in B."""
    words = _cut((place.a, place.b)[side], MOST_SHOWN)
    if place.same or not words:
        return Markup(f"{words} " if words else "")
    seems, line = look("ab"[side]), ("line-through", "underline")[side]
    style = f"background-color: {seems.fill}; color: {INK}; text-decoration: {line}"
    return joined([element("strong", words, style=style), " "])


def _note(text: str) -> Markup:
    style = f"{CELL}; font-style: italic; text-align: center"
    return element("tr", element("td", text, colspan=2, style=style))


def show_differences(
    text_a: str, text_b: str, names: tuple[str, str] = ("A", "B"), *, notice: str = ""
) -> Differences:
    """Return two texts of at most 20,000 words side by side, the words that only one of them has marked.

    Raises ValueError for longer ones.

    >>> show_differences("the ferry leaves at nine", "the ferry leaves at ten")
    <Differences: A and B differ at 1 place: “nine” against “ten”.>
    """
    return Differences(text_a, text_b, names, notice)


class _Block(NamedTuple):
    """A cluster as it is drawn: at most 15 of its texts, how many more it has, the pairs of those drawn."""

    members: Sequence[int]
    hidden: int
    arcs: list[tuple[int, int, float]]


def _blocks(duplicates: Duplicates) -> list[_Block]:
    """Return the clusters, the largest first, as long as there is room for 60 texts."""
    arcs = [*duplicates.pairs, *((first, copy, COPY) for copy, first in duplicates.copies.items())]
    made, room = [], MOST_BOXES
    for cluster in sorted(duplicates.clusters, key=lambda cluster: (-len(cluster), cluster)):
        members = cluster[:MOST_OF_ONE]
        room -= len(members)
        if room < 0:
            break
        here = set(members)
        made.append(_Block(members, len(cluster) - len(members), [a for a in arcs if {*a[:2]} <= here]))
    return made


def _drawn(block: _Block, names: Sequence[str]) -> Drawing:
    """Return a cluster: its texts one below the other, an arc at the right for each pair."""
    parts: list[Markup] = []
    at = {member: i * LINE for i, member in enumerate(block.members)}
    copies = {j for _, j, estimate in block.arcs if estimate == COPY}
    widest = 0.0
    for i, j, estimate in block.arcs:
        y, z = at[i] + LINE / 2, at[j] + LINE / 2
        out = 14 + 0.36 * (z - y)
        widest = max(widest, out)
        far = NAME + out * 4 / 3
        path = f"M{NAME} {y:.1f} C{far:.1f} {y:.1f} {far:.1f} {z:.1f} {NAME} {z:.1f}"
        seen = {"stroke": look("shared").stroke, "stroke_width": 1.8, "fill": "none"}
        parts.append(element("path", d=path, stroke_dasharray="2 3" if estimate == COPY else None, **seen))
    for member, y in at.items():
        seems = look("unseen" if member in copies else "plain")
        frame = seems.frame()
        parts.append(box(0.5, y + 2, NAME, LINE - 4, rx=4, **frame))
        parts.append(label(shorten(names[member], NAME - 16), 8, y + 18))
    if len(block.members) == 2 and block.arcs:
        estimate = block.arcs[0][2]
        says = "exact copy" if estimate == COPY else f"{estimate:.2f}"
        parts.append(label(says, NAME + widest + 10, LINE + 5))
    height = len(block.members) * LINE
    if block.hidden:
        parts.append(label(f"and {block.hidden:,} more texts", 8, height + 18, fill=MUTED))
        height += LINE
    return Drawing(NAME + 260, height, joined(parts))


def show_clusters(duplicates: Duplicates, names: Sequence[str], *, notice: str = "") -> Still:
    """Return the picture of clusters, the largest first: at most 60 texts, 15 of each; an arc for each pair.

    names   of the texts, in the order in which ``near_duplicates`` had them; ValueError for too few
    """
    last = max(map(max, duplicates.clusters), default=-1)
    if len(names) <= last:
        raise ValueError(
            f"{len(names)} names for texts 0 to {last} and more: give one for each text compared"
        )
    blocks = _blocks(duplicates)
    parts: list[Drawing] = []
    rows: list[Sequence[object]] = [["cluster", "text", "like", "similarity"]]
    for number, block in enumerate(blocks, 1):
        size = len(block.members) + block.hidden
        parts.append(below(caption(f"Cluster {number}: {size:,} texts", NAME), _drawn(block, names), gap=2))
        for i, j, estimate in sorted(block.arcs):
            told = "exact copy" if estimate == COPY else f"{estimate:.3f}"
            rows.append([number, shorten(names[i], 400), shorten(names[j], 400), told])
    drawing = below(*parts) if parts else Drawing(NAME, 22, label("no text is like another", 0, 15))
    return Still(drawing, _told_of_clusters(duplicates, len(blocks)), rows, notice)


def _told_of_clusters(duplicates: Duplicates, drawn: int) -> str:
    sizes = [len(cluster) for cluster in duplicates.clusters]
    if not sizes:
        return "No text is like another: there are no clusters."
    rest = f" {drawn} are drawn." if drawn < len(sizes) else ""
    return (
        f"{plural(len(sizes), 'cluster')} of {sum(sizes):,} texts, {len(duplicates.copies):,} of them exact "
        f"copies of another. The largest holds {max(sizes):,} texts.{rest}"
    )
