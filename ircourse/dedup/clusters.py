"""Near-duplicate clusters: the whole pipeline (book, section 19.6).

1. Exact copies: all but the first of those with one 128-bit fingerprint leave the stage.
2. A sketch of each other text (``minhash.py``).
3. Candidate pairs (``pairs.py``), and of them those whose estimate reaches the threshold: 160 of 200 places
   at 0.8. With ``verify`` the exact J of their shingles decides, and pairs a little below are looked at too.
4. Clusters: union–find over the pairs and the copies.

Texts come from any iterable and are let go: beside the sketches, 8 bytes a place, a text costs about 0.8 kB
at the default threshold, and its pairs 24 bytes each. At n texts the chance that any two different ones have
the same 128-bit fingerprint is below n² / 2^129.

Differs from the book: no text, or text without terms, is like another one only if it is its exact copy.
Source: Broder, Glassman, Manasse and Zweig (1997).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup.minhash import MinHasher
from ircourse.dedup.pairs import Capped, Pairs, bands_for, pairs_by_bands
from ircourse.dedup.shingles import Ids, Strip, jaccard, shingle_ids
from ircourse.dedup.union import roots_of

__all__ = ["Duplicates", "batches", "clusters_of", "near_duplicates"]

Sketches: TypeAlias = NDArray[np.uint64]
_BATCH = 1 << 23  # characters of text that are held at once


class Find(Protocol):
    """What finds candidate pairs among sketches: ``partial(pairs_by_super_shingles, width=3)``, say."""

    def __call__(self, sketches: Sketches, *, at_least: float) -> Pairs:
        """Return pairs with estimates of at least ``at_least``."""


@dataclass(frozen=True)
class Duplicates:
    """What ``near_duplicates`` found; texts are numbered from 0 as they came.

    clusters  sets of two or more texts, copies included, in rising order
    copies    for each exact copy the first text like it
    pairs     (i, j, estimate) of texts that are no copies and reach the threshold; a sequence
    capped    (representative, size) of buckets too large to compare all with all
    """

    clusters: tuple[tuple[int, ...], ...]
    copies: dict[int, int]
    pairs: Pairs
    capped: tuple[Capped, ...]


def near_duplicates(
    texts: Iterable[str],
    *,
    threshold: float = 0.8,
    k: int = 4,
    permutations: int = 200,
    seed: int = 0,
    verify: bool = False,
    characters: bool = False,
    strip: Strip = (),
    find: Find | None = None,
) -> Duplicates:
    """Return the clusters of texts that are near: J of their k-shingles reaches the threshold.

    verify      decide by the exact J and give it as the estimate; ``texts`` must be a sequence
    characters  shingle by characters; ``strip`` takes away tags or integers first: see ``shingles``
    find        another way to candidates; by default bands that miss 1% of the pairs at the threshold

    Near-linear in the number of texts. Raises TypeError that names the first text that is not a ``str``,
    ValueError for a threshold not above 0 and at most 1.

    >>> page = "the ferry leaves the old harbour at nine every morning except on sundays in winter"
    >>> found = near_duplicates([page, "", page, page + " and at noon", "no ferry"], threshold=0.6)
    >>> found.clusters, found.copies, found.pairs
    (((0, 2, 3),), {2: 0}, <1 pairs: (0, 3, 0.84)>)
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is {threshold}: give a number above 0 and at most 1")
    if isinstance(texts, str):
        raise TypeError(f"texts are several, not one str: write [{texts!r:.60}]")
    if verify and not isinstance(texts, Sequence):
        raise TypeError("verify reads texts again: give a sequence of them, or verify=False")
    strip = tuple(strip)
    hasher = MinHasher(permutations, seed)
    sketch_into = partial(hasher.sketch_into, k=k, characters=characters, strip=strip)
    sketched = _sketched(texts, sketch_into, permutations)
    if find is None:
        bands, rows = bands_for(threshold, permutations)
        find = partial(pairs_by_bands, bands=bands, rows=rows)
    slack = 4 * math.sqrt(threshold * (1 - threshold) / permutations) if verify else 0.0
    pairs = _numbered(find(sketched.rows, at_least=max(0.0, threshold - slack)), sketched.firsts)
    if verify and isinstance(texts, Sequence):
        ids = partial(shingle_ids, k=k, characters=characters, strip=strip)
        pairs = _verified(pairs, texts, ids, threshold)
    n = len(sketched.firsts) + len(sketched.copies)
    return Duplicates(clusters_of(n, sketched.copies, pairs), sketched.copies, pairs, pairs.capped)


@dataclass
class _Sketched:
    """Texts that have gone by: sketches of those that are no copies, which those are, and the copies."""

    rows: Sketches
    firsts: NDArray[np.int64]
    copies: dict[int, int] = field(default_factory=dict)


def _sketched(
    texts: Iterable[str], sketch_into: Callable[[Sketches, list[str]], None], permutations: int
) -> _Sketched:
    copies: dict[int, int] = {}
    firsts: list[int] = []
    rows = np.empty((len(texts) if isinstance(texts, Sized) else 0, permutations), np.uint64)
    n = 0
    for batch in batches(_originals(texts, firsts, copies), _BATCH):
        if n + len(batch) > len(rows):  # a quarter more at least, in place where the system can
            rows.resize((max(n + len(batch), n * 5 // 4), permutations), refcheck=False)
        sketch_into(rows[n : n + len(batch)], batch)
        n += len(batch)
    return _Sketched(rows[:n], np.array(firsts, np.int64), copies)


def _originals(texts: Iterable[str], firsts: list[int], copies: dict[int, int]) -> Iterator[str]:
    """Yield the texts that are no copies; list their numbers, and the copies with what they are copies of."""
    first_with: dict[bytes, int] = {}
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"text {number} is to be a str, not {type(text).__name__}: {text!r:.60}")
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        first = first_with.setdefault(digest, number)
        if first == number:
            firsts.append(number)
            yield text
        else:
            copies[number] = first


def batches(texts: Iterable[str], characters: int) -> Iterator[list[str]]:
    """Return the texts in lists of about so many characters, so that few are held at once."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text) + 64
        if size >= characters:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _numbered(pairs: Pairs, firsts: NDArray[np.int64]) -> Pairs:
    """Return pairs of rows as pairs of texts."""
    capped = tuple(Capped(int(firsts[row]), size) for row, size in pairs.capped)
    return Pairs(firsts[pairs.i], firsts[pairs.j], pairs.estimate, capped)


def _verified(pairs: Pairs, texts: Sequence[str], ids: Callable[[str], Ids], threshold: float) -> Pairs:
    """Return the pairs whose exact J reaches the threshold, with that J."""
    ids_of = lru_cache(maxsize=1024)(lambda number: ids(texts[number]))
    exact = np.array([jaccard(ids_of(i), ids_of(j)) for i, j, _ in pairs], np.float64)
    near = exact >= threshold
    return replace(pairs, i=pairs.i[near], j=pairs.j[near], estimate=exact[near])


def clusters_of(n: int, copies: Mapping[int, int], pairs: Pairs) -> tuple[tuple[int, ...], ...]:
    """Return the sets of two or more of n texts that pairs and copies join, in rising order."""
    i = np.concatenate([pairs.i, np.fromiter(copies.values(), np.int64, len(copies))])
    j = np.concatenate([pairs.j, np.fromiter(copies.keys(), np.int64, len(copies))])
    roots = roots_of(n, i, j)
    together = np.flatnonzero(np.bincount(roots, minlength=n)[roots] > 1)
    clusters: dict[int, list[int]] = {}
    for text, root in zip(together.tolist(), roots[together].tolist(), strict=True):
        clusters.setdefault(root, []).append(text)
    return tuple(tuple(cluster) for cluster in clusters.values())
