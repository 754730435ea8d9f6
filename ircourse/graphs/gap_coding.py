"""How a connectivity server writes one row: gaps, and reference to a row before (book, section 20.4).

u         the number of the page whose row it is; pages are numbered in the order of their URLs
links     the numbers of the pages that it links to, ascending, each once
previous  the rows u − 1, u − 2, … u − 7, nearest first; None for one that may not be referred to
γ, ζ_k    codes for whole numbers x ≥ 1: h zeros and a one, where 2^(hk) ≤ x < 2^((h+1)k); then x in (h+1)k
          bits, or one less for x − 2^(hk) if that is below 2^(hk). γ is ζ_1, shortest for tiny numbers; a
          larger k suits larger ones. k is chosen once for all rows

A row in bits: its own length by ζ_4, so that a reader can jump over it and knows where it ends; in three bits
which of the seven rows before it refers to, 0 for none; how many links of that row to drop and which, by the
gaps between their places, in γ; which links to add, by the gaps between their numbers, in ζ_k. Neighbours in
URL order have similar links, and links go to pages with similar URLs: little is dropped or added, and gaps
are small.

Differs from the book: a row may refer to one that itself refers to another, but only three times over, so
that an answer needs four rows at most; the book leaves the code for gaps open.
Source: Boldi and Vigna (2004; 2005 for ζ); Elias (1975) for γ; Bharat et al. (1998); Randall et al. (2002).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import length_hint
from typing import NamedTuple

__all__ = [
    "LENGTH_K",
    "MOST_REFERENCES",
    "WINDOW",
    "Field",
    "decode_row",
    "encode_row",
    "explain_row",
    "reference_lengths",
    "zeta",
    "zigzag",
]

LENGTH_K = 4
WINDOW = 7  # rows that three bits can name, beside "none"
MOST_REFERENCES = 3

Rows = Sequence[Sequence[int] | None]


class Field(NamedTuple):
    """Some bits of a row, as a string of 0 and 1, and what they say."""

    bits: str
    meaning: str


def zeta(x: int, k: int = 1) -> str:
    """Return the code ζ_k of x ≥ 1 as a string of 0 and 1; γ for k = 1.

    >>> [zeta(x) for x in (1, 2, 3, 4)], [zeta(x, 3) for x in (1, 2, 7, 8)]
    (['1', '010', '011', '00100'], ['100', '1010', '1111', '0100000'])
    """
    if x < 1 or k < 1:
        raise ValueError(f"x is {x} and k is {k}: give whole numbers of at least 1")
    h = (x.bit_length() - 1) // k
    low, width = 2 ** (h * k), (h + 1) * k
    tail = _binary(x - low, width - 1) if x < 2 * low else _binary(x, width)
    return "0" * h + "1" + tail


def zigzag(d: int) -> int:
    """Return a number of at least 0 for a whole number: 0, −1, 1, −2, 2 … become 0, 1, 2, 3, 4 …."""
    return 2 * d if d >= 0 else -2 * d - 1


def explain_row(u: int, links: Sequence[int], previous: Rows = (), k: int = 3) -> list[Field]:
    """Return the fields of a row: its bits in order, and what each group of them says.

    The row refers to that row before it which makes it shortest; none, or the nearest, where several do.

    >>> for bits, meaning in explain_row(12, [3, 11, 14, 15], [[3, 9, 11, 14]]):
    ...     print(f"{bits:>9} {meaning}")
        11110 the row takes 13 bits more
          001 as row 11, one before, but:
          010 1 link dropped
          010 at place 1: page 9
         1111 page 15 added: 3 after page 12
    """
    best = min(_texts(u, links, previous, k).values(), key=_length)  # the first of the shortest
    return [Field(zeta(_length(best) + 1, LENGTH_K), f"the row takes {_length(best)} bits more"), *best]


def encode_row(u: int, links: Sequence[int], previous: Rows = (), k: int = 3) -> str:
    """Return the bits of a row as a string of 0 and 1.

    >>> encode_row(12, [3, 11, 14, 15], [[3, 9, 11, 14]])
    '111100010100101111'
    """
    return "".join(field.bits for field in explain_row(u, links, previous, k))


def reference_lengths(u: int, links: Sequence[int], previous: Rows = (), k: int = 3) -> dict[int, int]:
    """Return the bits that the row takes by the row it refers to, 0 for none, 1 for that one before …

    The row's length itself, which comes first, is not counted.

    >>> reference_lengths(12, [3, 11, 14, 15], [[3, 9, 11, 14]])
    {0: 25, 1: 13}
    """
    return {r: _length(fields) for r, fields in _texts(u, links, previous, k).items()}


def decode_row(bits: str, u: int, previous: Rows = (), k: int = 3) -> list[int]:
    """Return the links of a row from its bits, which ``encode_row`` made of the same u, rows and k.

    >>> decode_row("111100010100101111", 12, [[3, 9, 11, 14]])
    [3, 11, 14, 15]
    """
    stream = iter(bits)
    end = _unzeta(stream, LENGTH_K) - 1
    stream = iter(list(stream)[:end])
    r = int("".join(next(stream) for _ in range(3)), 2)
    base = list(previous[r - 1] or ()) if r else []
    place = -1
    dropped = set()
    for _ in range(_unzeta(stream) - 1 if r else 0):
        place += _unzeta(stream)
        dropped.add(place)
    links = [v for i, v in enumerate(base) if i not in dropped]
    last = -1
    while length_hint(stream):
        x = _unzeta(stream, k)
        last = last + x if last >= 0 else u + (x - 1) // 2 if x % 2 else u - x // 2
        links.append(last)
    return sorted(links)


def _texts(u: int, links: Sequence[int], previous: Rows, k: int) -> dict[int, list[Field]]:
    """Return the fields of a row, without its length, for each row that it may refer to, and for none."""
    texts = {0: _fields(u, links, None, 0, k)}
    for r, row in enumerate(previous[:WINDOW], 1):
        if row is not None:
            texts[r] = _fields(u, links, row, r, k)
    return texts


def _fields(u: int, links: Sequence[int], base: Sequence[int] | None, r: int, k: int) -> list[Field]:
    """Return the fields of a row, without its length, that refers to the row ``base``, r before, or none."""
    if base is None:
        fields, added = [Field("000", "refers to no row")], list(links)
    else:
        kept, known = set(links), set(base)
        dropped = [i for i, v in enumerate(base) if v not in kept]
        before = "one" if r == 1 else str(r)
        fields = [
            Field(
                f"{r:03b}", f"as row {u - r}, {before} before{', but:' if list(links) != list(base) else ''}"
            ),
            Field(zeta(len(dropped) + 1), f"{_links(len(dropped))} dropped"),
        ]
        for last, place in zip([-1, *dropped], dropped, strict=False):
            fields.append(Field(zeta(place - last), f"at place {place}: page {base[place]}"))
        added = [v for v in links if v not in known]
    for i, (last, v) in enumerate(zip([u, *added], added, strict=False)):
        x = v - last if i else zigzag(v - u) + 1
        side = "after" if v >= last else "before"
        fields.append(Field(zeta(x, k), f"page {v} added: {abs(v - last)} {side} page {last}"))
    return fields


def _unzeta(stream: Iterator[str], k: int = 1) -> int:
    """Return the number whose code ζ_k comes next."""
    h = 0
    while next(stream) == "0":
        h += 1
    low, width = 2 ** (h * k), (h + 1) * k
    y = 0
    for _ in range(width - 1):
        y = 2 * y + int(next(stream))
    return int(y + low if y < low else 2 * y + int(next(stream)))


def _binary(y: int, width: int) -> str:
    return f"{y:0{width}b}" if width else ""


def _length(fields: list[Field]) -> int:
    return sum(len(field.bits) for field in fields)


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count} links"
