"""Bottom-k sketches: one permutation, the k smallest values (slides, duplication).

The sketch of A holds the k smallest of π(A). The k smallest of two sketches together are the k smallest of
π(A ∪ B): a sample of the union, drawn without putting back. The share of it that is in both sketches
estimates J without bias, with a variance of J (1 − J) / k · (u − k) / (u − 1) for u = |A ∪ B|, a little below
that of k permutations. The share of equal values, |sk(A) ∩ sk(B)| / k, is biased: it counts values that are
small in each set and not in the union (claim C35).

Differs from the slides: k is fixed; a fixed share of each set would give large pages large sketches.
Source: Broder (1997); Cohen and Kaplan (2007).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup.minhash import MinHasher

__all__ = ["bottom_k", "bottom_k_similarity"]

Ids: TypeAlias = NDArray[np.uint64]


def bottom_k(ids: Collection[int] | Ids, k: int, seed: int = 0) -> Ids:
    """Return the k smallest values that ``MinHasher``'s first permutation makes of the ids.

    Sorted, uint64; all of them where there are fewer. The least is the first place of ``MinHasher``'s
    sketch. Raises ValueError if k is below 1.

    >>> len(bottom_k(range(100), 8)), len(bottom_k({1, 2}, 8))
    (8, 2)
    """
    if k < 1:
        raise ValueError(f"k is {k}: give a number of values of at least 1")
    return np.unique(MinHasher(1, seed).permuted(ids))[:k]


def bottom_k_similarity(a: Ids, b: Ids, k: int) -> float:
    """Return the estimate of J from two bottom-k sketches: the share of the k least of both that are in both.

    Exact where the union has at most k values; 1 for two empty sketches.

    >>> bottom_k_similarity(bottom_k(range(60), 90), bottom_k(range(30, 90), 90), 90)  # J is 30/90
    0.3333333333333333
    """
    if k < 1:
        raise ValueError(f"k is {k}: give a number of values of at least 1")
    least = np.union1d(a, b)[:k]
    if not len(least):
        return 1.0
    return int(np.count_nonzero(np.isin(least, a) & np.isin(least, b))) / len(least)
