"""Duplicates: which page stands for each cluster of near-duplicates (book, section 19.6).

sketches  min-hash sketches of the pages' texts, a row a page, uint64 (n, 200)

Clusters are those of `near_duplicates`, from sketches that are kept, so that an update sketches new texts
only. Exact copies have equal sketches and need no stage of their own. Pages without words are no duplicates.
The page that stands for a cluster is the one of the shortest address, and of these the first by code points:
http://a.example/ before http://a.example/index.html. The others are its mirrors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup import MinHasher, bands_for, pairs_by_bands
from ircourse.dedup.union import roots_of

__all__ = ["PERMUTATIONS", "representatives", "sketches_of"]

Sketches: TypeAlias = NDArray[np.uint64]

PERMUTATIONS = 200


def sketches_of(texts: Sequence[str]) -> Sketches:
    """Return the sketches of texts, uint64 (texts, 200)."""
    return MinHasher(PERMUTATIONS).sketch_texts(texts)


def representatives(urls: Sequence[str], sketches: Sketches, threshold: float) -> list[str]:
    """Return for each page the address of the page that stands for it, its own where that is itself.

    threshold  what the estimate of J must reach, above 0 to 1; over 1 no pages are duplicates

    >>> page = "the ferry leaves the old harbour at nine every morning except on sundays in winter"
    >>> representatives(["http://b.example/", "http://a.example/x", "http://a.example/"],
    ...                 sketches_of([page, page, "roses"]), 0.9)
    ['http://b.example/', 'http://b.example/', 'http://a.example/']
    """
    if threshold > 1 or len(urls) < 2:
        return list(urls)
    bands, rows = bands_for(threshold, PERMUTATIONS)
    pairs = pairs_by_bands(sketches, bands, rows, at_least=threshold)
    roots = roots_of(len(urls), pairs.i, pairs.j).tolist()
    best: dict[int, str] = {}
    for root, url in zip(roots, urls, strict=True):
        best[root] = min(best.get(root, url), url, key=lambda address: (len(address), address))
    return [best[root] for root in roots]
