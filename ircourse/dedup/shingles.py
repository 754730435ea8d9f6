"""Shingles: a document as the set of its runs of k terms (book, section 19.6).

Two documents are nearly the same if their sets of shingles are: their likeness is the Jaccard coefficient
J(A, B) = |A ∩ B| / |A ∪ B|. A shingle's id is a 64-bit hash of its k terms, rolled along the text as Karp and
Rabin do it (``rolling.py``), with the terms' own hashes as the digits.

h        hashes of a text's terms, uint64 (terms,)
id       finish(h_0 B^(k−1) + h_1 B^(k−2) + … + h_(k−1)) mod 2^64, B odd, finish: splitmix64's
strip    functions from text to text, applied in their order before the text is cut into terms

A text of fewer than k terms is one shingle, an empty text has none, and J(∅, ∅) is 1. Different shingles
share an id with chance 2^−64; J of ids is J of shingles but for that.
Source: Broder, Glassman, Manasse and Zweig (1997).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel
from ircourse.text import MIX_1, MIX_2, term_hash, term_hashes, tokenize

__all__ = [
    "common_lines",
    "jaccard",
    "shingle_id",
    "shingle_ids",
    "shingles",
    "without_integers",
    "without_lines",
    "without_tags",
]

Ids: TypeAlias = NDArray[np.uint64]
Longs: TypeAlias = NDArray[np.int64]
Strip: TypeAlias = Iterable[Callable[[str], str]]

BASE = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, odd
ONE, BASE_, MIX_1_, MIX_2_ = np.uint64(1), np.uint64(BASE), np.uint64(MIX_1), np.uint64(MIX_2)
S27, S30, S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|</?[A-Za-z!?][^<>]*>", re.DOTALL)
_INTEGER = re.compile(r"(?<!\w)\d+(?!\w)")


def shingles(text: str, k: int = 4, *, characters: bool = False, strip: Strip = ()) -> set[tuple[str, ...]]:
    """Return the k-shingles of ``text``: the set of all runs of k terms that follow each other.

    characters  a term is a character, for scripts without spaces; else a word
    strip       say ``(without_tags, without_integers)``

    Raises TypeError if the text is no ``str``, ValueError if k is below 1.

    >>> sorted(" ".join(s) for s in shingles("a rose is a rose is a rose"))
    ['a rose is a', 'is a rose is', 'rose is a rose']
    >>> shingles("a rose"), shingles("")
    ({('a', 'rose')}, set())
    """
    _checked_k(k)
    terms = tokenize(_stripped(text, tuple(strip)), characters)
    if not terms:
        return set()
    return {tuple(terms[i : i + k]) for i in range(max(1, len(terms) - k + 1))}


def shingle_id(shingle: Sequence[str]) -> int:
    """Return the 64-bit id of one shingle, by the formula above.

    >>> shingle_id(("a", "rose", "is", "a")) in shingle_ids("a rose is a rose").tolist()
    True
    """
    h = 0
    for term in shingle:
        h = (h * BASE + term_hash(term)) % 2**64
    h = (h ^ h >> 30) * MIX_1 % 2**64
    h = (h ^ h >> 27) * MIX_2 % 2**64
    return h ^ h >> 31


def shingle_ids(text: str, k: int = 4, *, characters: bool = False, strip: Strip = ()) -> Ids:
    """Return the ids of the k-shingles of ``text``, sorted, each once, uint64; arguments as of ``shingles``.

    O(n log n) for n bytes; no Python object a term.

    >>> len(shingle_ids("a rose is a rose is a rose")), len(shingle_ids(""))
    (3, 0)
    """
    return np.unique(windows_of([text], k, characters=characters, strip=strip)[0])


def windows_of(
    texts: Sequence[str], k: int, *, characters: bool = False, strip: Strip = ()
) -> tuple[Ids, Longs]:
    """Return the ids of all shingles of all texts as they stand, with repeats, and where each text's begin.

    ``ids[offsets[i]:offsets[i + 1]]`` are those of text i; uint64, and int64 (texts + 1,).
    """
    _checked_k(k)
    strip = tuple(strip)
    hashes, starts = term_hashes([_stripped(t, strip) for t in texts] if strip else texts, characters)
    terms = np.diff(starts)
    offsets = np.zeros_like(starts)
    np.cumsum(np.where(terms == 0, 0, np.maximum(terms - k + 1, 1)), out=offsets[1:])
    ids = np.empty(offsets[-1], np.uint64)
    _roll(hashes, starts, offsets, k, ids)
    return ids, offsets


def jaccard(a: Collection[Any], b: Collection[Any]) -> float:
    """Return J(A, B) = |A ∩ B| / |A ∪ B| of two sets, from 0 to 1; 1 if both are empty.

    ``a`` and ``b`` are sets of anything hashable, or arrays of ids, in which repeats count once.

    >>> jaccard({1, 2, 3, 4}, {2, 3, 5})
    0.4
    >>> jaccard(shingle_ids("a rose is a rose"), shingle_ids("a rose is a rose is a rose"))
    0.6666666666666666
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        a, b = np.unique(a), np.unique(b)
        both = len(np.intersect1d(a, b, assume_unique=True))
    else:
        a, b = set(a), set(b)
        both = len(a & b)
    either = len(a) + len(b) - both
    return both / either if either else 1.0


def without_tags(text: str) -> str:
    """Return ``text`` with a blank in place of each HTML tag and comment; not a parser, the text stays raw.

    >>> without_tags("<p class=x>A <b>rose</b> is, if 1 < 2, <!-- not -->a rose")
    ' A  rose  is, if 1 < 2,  a rose'
    """
    return _TAG.sub(" ", text)


def without_integers(text: str) -> str:
    """Return ``text`` without the words that are all digits: dates, hours, counters.

    >>> without_integers("Changed 2024-05-17, version v2 of 3")
    'Changed --, version v2 of '
    """
    return _INTEGER.sub("", text)


def common_lines(texts: Iterable[str], share: float = 0.5) -> frozenset[str]:
    """Return the lines, white space at their ends aside, that stand in more than ``share`` of the texts.

    Those are a site's boilerplate: menus, notices, footers. Give texts of one site, at least three.

    >>> sorted(common_lines(["Home | Map\\nFerries", "Home | Map\\nTides", "Home | Map\\nMarket"]))
    ['Home | Map']
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}: give a share of the texts from 0 to 1")
    n, counts = 0, Counter[str]()
    for text in texts:
        n += 1
        counts.update({line.strip() for line in text.splitlines()})
    return frozenset(line for line, count in counts.items() if line and count > share * n)


def without_lines(lines: Collection[str]) -> Callable[[str], str]:
    """Return a function that takes those lines out of a text, for ``strip=``; see ``common_lines``.

    >>> without_lines({"Home | Map"})("Home | Map\\nFerries")
    'Ferries'
    """
    lines = frozenset(lines)
    return lambda text: "\n".join(line for line in text.splitlines() if line.strip() not in lines)


def _stripped(text: str, strip: tuple[Callable[[str], str], ...]) -> str:
    if strip and not isinstance(text, str):
        raise TypeError(f"a text is a str, not {type(text).__name__}: {text!r:.60}")
    for function in strip:
        text = function(text)
    return text


def _checked_k(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k is {k!r}: give a number of terms of at least 1")


@kernel("void(const uint64[::1], const int64[::1], const int64[::1], int64, uint64[::1])")
def _roll(hashes: Ids, starts: Longs, offsets: Longs, k: int, ids: Ids) -> None:
    """Fill ``ids``: each text's windows, one hash in and one out at each step."""
    top = ONE
    for _ in range(k):
        top = top * BASE_
    for text in range(len(starts) - 1):
        start, end = starts[text], starts[text + 1]
        width = min(k, end - start)
        h = np.uint64(0)
        for i in range(start, start + width):
            h = h * BASE_ + hashes[i]
        for w in range(offsets[text], offsets[text + 1]):
            x = (h ^ h >> S30) * MIX_1_
            x = (x ^ x >> S27) * MIX_2_
            ids[w] = x ^ x >> S31
            i = start + w - offsets[text]
            if i + width < end:
                h = h * BASE_ + hashes[i + width] - top * hashes[i]
