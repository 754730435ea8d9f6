"""Exact copies by fingerprint, and natural approaches beside it (book, section 19.6; slides, duplication).

A fingerprint is a short digest of all characters of a page: equal pages have equal ones, and at n pages
about n² / 2^65 pairs of different pages have equal 64-bit ones by accident, so equal fingerprints are
verified on the text. A copy with another date on it has another fingerprint. The approaches that seem
natural for such near copies do not serve: a checksum misses reorderings, random samples of one page differ
from each other, and the edit distance costs m n steps for one pair.

Source: Aumasson and others (2013) for BLAKE2; Wagner and Fischer (1974) for the edit distance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from ircourse.dedup.shingles import shingles

__all__ = ["accidental_pairs", "checksum", "edit_distance", "exact_copies", "fingerprint", "sampled_shingles"]


def fingerprint(text: str | bytes) -> int:
    """Return the 64-bit fingerprint of ``text``, of its UTF-8 bytes if a ``str``: the same everywhere.

    Every character counts, white space and case too. Raises TypeError for anything else.

    >>> hex(fingerprint("a rose is a rose"))
    '0x46b01b392f37e877'
    """
    return int.from_bytes(hashlib.blake2b(_bytes(text), digest_size=8).digest(), "big")


def checksum(text: str | bytes) -> int:
    """Return the sum of all bytes mod 2^32: fast, and blind to their order.

    >>> checksum("a rose") == checksum("so rea")
    True
    """
    return int(np.frombuffer(_bytes(text), np.uint8).sum(dtype=np.uint64)) % 2**32


def exact_copies(texts: Sequence[str]) -> dict[int, int]:
    """Return for each text that is equal to an earlier one the number of the first such.

    Texts with equal fingerprints are compared in full.

    >>> exact_copies(["rose", "a rose", "rose", "rose", ""])
    {2: 0, 3: 0}
    """
    copies: dict[int, int] = {}
    firsts: dict[int, list[int]] = {}  # by fingerprint; two or more where different texts share one
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"text {number} is to be a str, not {type(text).__name__}: {text!r:.60}")
        alike = firsts.setdefault(fingerprint(text), [])
        first = next((other for other in alike if texts[other] == text), None)
        if first is None:
            alike.append(number)
        else:
            copies[number] = first
    return copies


def accidental_pairs(n: float, bits: int = 64) -> float:
    """Return how many of the n (n − 1) / 2 pairs of different pages are to share a fingerprint by accident.

    >>> round(accidental_pairs(5e10))
    68
    """
    return n * (n - 1) / 2 / 2.0**bits


def sampled_shingles(
    text: str, size: int, rng: np.random.Generator | int, k: int = 4
) -> set[tuple[str, ...]]:
    """Return a random sample of ``size`` of the k-shingles of ``text``; all of them if there are no more.

    Two samples of one text differ: each has its own draw. A sketch samples both texts by the same rule.

    >>> text = "a rose is a rose and a daisy is a daisy"
    >>> len(shingles(text)), len(sampled_shingles(text, 3, 0) & sampled_shingles(text, 3, 1))
    (8, 0)
    """
    if size < 0:
        raise ValueError(f"size is {size}: give a number of shingles of at least 0")
    every = sorted(shingles(text, k))
    drawn = np.random.default_rng(rng).choice(len(every), min(size, len(every)), replace=False)
    return {every[i] for i in drawn.tolist()}


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many terms must be put in, taken out or replaced to make b of a; O(len(a) len(b)) steps.

    A ``str`` is a sequence of characters.

    >>> edit_distance("a rose is".split(), "the rose is red".split()), edit_distance("rose", "ores")
    (2, 3)
    """
    row = list(range(len(b) + 1))  # row[j]: from the part of a so far to the first j of b
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def _bytes(text: str | bytes) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes):
        return text
    raise TypeError(f"a text is a str or bytes, not {type(text).__name__}: {text!r:.60}")
