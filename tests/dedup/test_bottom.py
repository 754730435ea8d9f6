"""Bottom-k sketches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.dedup import MinHasher, bottom_k, bottom_k_similarity, jaccard, splitmix64

SETS = st.sets(st.integers(0, 30))


@given(ids=SETS, k=st.integers(1, 12), seed=st.integers(0, 9))
def test_the_k_least_values_of_one_permutation(ids, k, seed):
    hasher = MinHasher(1, seed)
    a, b = int(hasher.a[0]), int(hasher.b[0])
    want = sorted((a * splitmix64(x) + b) % 2**64 for x in ids)[:k]
    assert bottom_k(ids, k, seed).tolist() == want


@given(a=SETS, b=SETS)
def test_exact_where_k_covers_the_union(a, b):
    assert bottom_k_similarity(bottom_k(a, 61), bottom_k(b, 61), 61) == jaccard(a, b)


def test_k_is_at_least_one():
    for call in (
        lambda: bottom_k([1], 0),
        lambda: bottom_k_similarity(bottom_k([1], 1), bottom_k([1], 1), 0),
    ):
        with pytest.raises(ValueError, match="k is 0"):
            call()
