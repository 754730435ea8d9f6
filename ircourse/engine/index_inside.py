"""The inside of an inverted index: as arrays, and back; lengths and frequencies without a call for each.

For the field ``text`` these are, the postings first:

text_terms                          the terms in the order in which they first came
text_pairs, text_pair_cuts          <text, count> of all terms end to end, int32 (p, 2), and where each term's
                                    begin, and the end, int64 (terms + 1,)
text_positions, text_position_cuts  the same of the positions, int64
text_sizes, text_starts             terms of each text, and its first position, int64
text_doc, text_weight               document and weight of each text
text_size, text_length, text_alive  terms and length of each document, and whether it is still there
text_numbers                        the next free position, most fields of a document, terms held, terms dead

The inside of `InvertedIndex` is read and set here and nowhere else.
"""

from __future__ import annotations

import gc
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ircourse.engine.files import Parts
from ircourse.index import InvertedIndex
from ircourse.postings import viewed

__all__ = ["frequencies_of", "index_from", "lengths_of", "parts_of_index", "still_there"]


def lengths_of(index: InvertedIndex, docs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the length of each of the documents, float64: `InvertedIndex.length`."""
    lengths: NDArray[np.float64] = viewed(index._length)[docs]
    return lengths


def frequencies_of(index: InvertedIndex) -> dict[str, int]:
    """Return how many documents hold each term, those removed not counted: `InvertedIndex.postings`.

    >>> index = InvertedIndex([{"title": "a rose", "text": "a rose"}, "rose", "tulip"])
    >>> index.remove(2)
    >>> frequencies_of(index)
    {'a': 1, 'rose': 2}
    """
    pairs, cuts = _joined(index._postings._pairs, np.int32)
    if not len(pairs):
        return {}
    docs = viewed(index._doc).astype(np.int32)[pairs[::2]]
    del pairs
    begins = cuts[:-1] // 2
    counts = viewed(index._alive)[docs].astype(np.bool_)
    new = np.append(
        True, docs[1:] != docs[:-1]
    )  # a document once, though several of its fields hold the term
    new[begins] = True
    df = np.add.reduceat(counts & new, begins, dtype=np.int64).tolist()
    return {term: n for term, n in zip(index._postings, df, strict=True) if n}


def still_there(index: InvertedIndex, docs: NDArray[np.int64]) -> bool:
    """Whether the index holds all of the documents."""
    return _within(docs, len(index._alive)) and bool(viewed(index._alive)[docs].all())


def parts_of_index(name: str, index: InvertedIndex) -> dict[str, Any]:
    """Return the parts of an index, named after its field."""
    postings = index._postings
    pairs, pair_cuts = _joined(postings._pairs, np.int32)
    positions, position_cuts = _joined(postings._positions, np.int64)
    numbers = [postings._free, index._most_fields, index._held, index._dead]
    parts = {
        "terms": list(postings),
        "pairs": pairs.reshape(-1, 2),
        "pair_cuts": pair_cuts // 2,
        "positions": positions,
        "position_cuts": position_cuts,
        "sizes": viewed(postings.sizes).copy(),
        "starts": viewed(postings._starts).copy(),
        "doc": viewed(index._doc).copy(),
        "weight": viewed(index._weight).copy(),
        "size": viewed(index._size).copy(),
        "length": viewed(index._length).copy(),
        "alive": viewed(index._alive).copy(),
        "numbers": np.array(numbers, np.int64),
    }
    return {f"{name}_{part}": value for part, value in parts.items()}


def index_from(parts: Parts, name: str, *, k1: float, b: float) -> InvertedIndex:
    """Return the index of these parts. Raises ValueError where they do not fit together."""
    index = InvertedIndex(k1=k1, b=b)
    postings = index._postings
    terms = parts.strings(f"{name}_terms")
    numbers = parts.array(f"{name}_numbers", np.int64, 4).tolist()
    postings._free, index._most_fields, index._held, index._dead = numbers
    doc = parts.array(f"{name}_doc", np.int64, None)
    alive = parts.array(f"{name}_alive", np.uint8, None)
    texts, docs = len(doc), len(alive)
    pairs = parts.array(f"{name}_pairs", np.int32, None, 2)
    positions = parts.array(f"{name}_positions", np.int64, None)
    bounded = ((doc, docs), (pairs[:, 0], texts), (positions, numbers[0]), (alive, 2))
    if not all(_within(values, end) for values, end in bounded):
        raise ValueError(f"the index of the field {name} holds numbers out of their range")
    if len(set(terms)) < len(terms) or not (pairs[:, 1] > 0).all():
        raise ValueError(f"the index of the field {name} holds a term twice, or one that is nowhere")
    cuts = _cuts(parts, f"{name}_pair_cuts", len(terms), len(pairs))
    if not (np.diff(cuts) > 0).all():
        raise ValueError(f"the index of the field {name} holds a term that no text has")
    postings._pairs = _parted(terms, pairs, "i", 2 * cuts)
    cuts = _cuts(parts, f"{name}_position_cuts", len(terms), len(positions))
    postings._positions = _parted(terms, positions, "q", cuts)
    postings.sizes = _array("q", parts.array(f"{name}_sizes", np.int64, texts))
    postings._starts = _array("q", parts.array(f"{name}_starts", np.int64, texts))
    index._doc = _array("q", doc)
    index._weight = _array("d", parts.array(f"{name}_weight", np.float64, texts))
    index._size = _array("q", parts.array(f"{name}_size", np.int64, docs))
    length = parts.array(f"{name}_length", np.float64, docs)
    if not (np.isfinite(length).all() and (length >= 0).all()):
        raise ValueError(f"the index of the field {name} holds a length that is none")
    index._length = _array("d", length)
    index._alive = bytearray(alive.tobytes())
    return index


def _joined(lists: dict[str, array[int]], dtype: type) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the values of all terms end to end, and where each term's begin, and the end."""
    cuts = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(values) for values in lists.values()], out=cuts[1:])
    return np.frombuffer(b"".join(lists.values()), dtype), cuts


def _parted(
    terms: list[str], values: NDArray[Any], code: str, cuts: NDArray[np.int64]
) -> dict[str, array[int]]:
    joined = _array(code, values)
    ends = cuts.tolist()
    collecting = gc.isenabled()
    gc.disable()  # 10^5 arrays are made, none of them garbage: looking for some takes longer than making them
    try:
        return {term: joined[i:j] for term, i, j in zip(terms, ends[:-1], ends[1:], strict=True)}
    finally:
        if collecting:
            gc.enable()


def _array(code: str, values: NDArray[Any]) -> array[Any]:
    made: array[Any] = array(code)
    made.frombytes(values.tobytes())
    return made


def _within(values: NDArray[Any], end: int) -> bool:
    return len(values) == 0 or (int(values.min()) >= 0 and int(values.max()) < end)


def _cuts(parts: Parts, name: str, terms: int, end: int) -> NDArray[np.int64]:
    cuts = parts.array(name, np.int64, terms + 1)
    if cuts[0] != 0 or cuts[-1] != end or not np.all(np.diff(cuts) >= 0):
        raise ValueError(f"{name} does not divide what it is to divide")
    return cuts
