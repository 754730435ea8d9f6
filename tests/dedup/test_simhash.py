"""SimHash."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.dedup import SimHashIndex, bit_sums, hamming, hyperplane_bits, simhash, simhash_of
from ircourse.dedup.simhash import _add
from ircourse.text import term_hash, tokenize

HASH = st.integers(0, 2**64 - 1)


def slow_sums(features, bits):
    sums = [0.0] * bits
    for h, w in features:
        for i in range(bits):
            sums[i] += w if h >> i & 1 else -w
    return sums


@given(features=st.lists(st.tuples(HASH, st.integers(-5, 5)), max_size=8))
def test_sums_by_the_definition(features):
    hashes, weights = [h for h, _ in features], [w for _, w in features]
    want = slow_sums(features, 64)
    assert bit_sums(hashes, weights).tolist() == want
    assert simhash_of(hashes, weights) == sum(1 << i for i, v in enumerate(want) if v > 0)
    plain = np.zeros(64)
    _add.plain(np.array(hashes, np.uint64), np.array(weights, float), plain)
    assert plain.tolist() == want


def test_worked_examples():
    assert bit_sums([178, 150, 240], bits=8).tolist() == [-3, 1, -1, -3, 3, 1, -1, 3]
    assert simhash_of([178, 150, 240], bits=8) == 178
    assert simhash_of([8, 7], [5, 1], bits=4) == 8
    assert simhash_of([12, 10], bits=4) == 8  # sums of 0 give bits 0
    assert simhash_of([], bits=8) == simhash("") == simhash("…") == 0


def test_a_text_weighs_each_term_by_its_occurrences():
    text = "a rose is a rose is a rose"
    features = [(term_hash(t), 1) for t in tokenize(text)]
    assert simhash(text) == simhash_of([h for h, _ in features])
    words = text.split()
    random.Random(0).shuffle(words)
    assert simhash(" ".join(words)) == simhash(text)
    assert simhash(text, weights={"rose": 10, "unheard": 3}) == term_hash("rose")
    assert simhash("東京に", characters=True) == simhash_of([term_hash(c) for c in "東京に"])


def test_bad_arguments_are_named():
    for call, said in (
        (lambda: simhash_of([1], bits=0), "bits is 0"),
        (lambda: simhash_of([1], bits=65), "bits is 65"),
        (lambda: simhash_of([16], bits=4), "hash 16 does not fit 4 bits"),
        (lambda: simhash_of([2**64]), "does not fit 64 bits"),
        (lambda: simhash_of([-1]), "does not fit 64 bits"),
        (lambda: simhash_of([1], [float("nan")]), "one finite number each"),
        (lambda: simhash_of([1], [1, 2]), "for 1 hashes"),
        (lambda: hamming(-1, 2), "-1 is below 0"),
        (lambda: SimHashIndex([1], distance=64), "distance is 64"),
        (lambda: SimHashIndex([-1]), "does not fit 64 bits"),
    ):
        with pytest.raises(ValueError, match=said):
            call()
    with pytest.raises(TypeError):
        simhash(None)


def test_hamming():
    assert hamming(0, 2**64 - 1) == 64
    assert hamming(11, 6) == 3
    assert hamming(5, 5) == 0


@given(
    near=st.lists(st.tuples(HASH, st.sets(st.integers(0, 63), max_size=6)), max_size=6),
    distance=st.sampled_from([0, 1, 2, 3, 5, 9, 63]),
)
def test_search_finds_all_within_the_distance(near, distance):
    hashes = [h for h, _ in near] + [h ^ sum(1 << i for i in flips) for h, flips in near]
    index = SimHashIndex(hashes, distance)
    for query in [*hashes, 0]:
        assert index.search(query) == [i for i, h in enumerate(hashes) if hamming(h, query) <= distance]
    every = range(len(hashes))
    assert index.pairs() == [
        (i, j) for i in every for j in every if i < j and hamming(hashes[i], hashes[j]) <= distance
    ]


def test_planes_tell_opposite_vectors_apart():
    bits = hyperplane_bits([[1.0, 2.0], [-1.0, -2.0]], 50, 0)
    assert bits.shape == (2, 50)
    assert (bits[0] != bits[1]).all()
