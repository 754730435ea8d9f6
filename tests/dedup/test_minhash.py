"""Min-hash sketches, plain and compiled."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.dedup import MinHasher, jaccard, shingle_ids, similarity, splitmix64, without_integers
from ircourse.dedup.minhash import _least

IDS = st.lists(st.integers(0, 2**64 - 1), max_size=20)


@settings(max_examples=30)
@given(ids=IDS, permutations=st.integers(1, 9), seed=st.integers(0, 2**64 - 1))
def test_the_compiled_sketch_equals_the_figure_s_four_stages(ids, permutations, seed):
    hasher = MinHasher(permutations, seed)
    assert hasher.sketch(ids).tolist() == hasher.plain_sketch(ids)


@given(ids=IDS)
def test_order_and_repeats_do_not_matter(ids):
    hasher = MinHasher(20)
    want = hasher.sketch(ids).tolist()
    assert hasher.sketch(ids[::-1] + ids).tolist() == want
    assert hasher.sketch(set(ids)).tolist() == want
    assert hasher.sketch(np.array(ids, np.uint64)).tolist() == want


def test_the_compiled_loop_equals_the_plain_one():
    hasher = MinHasher(5)
    ids, offsets = np.arange(13, dtype=np.uint64), np.array([0, 9, 9, 13])
    fast, plain = np.empty((3, 5), np.uint64), np.empty((3, 5), np.uint64)
    _least(0, 3, ids, offsets, hasher.a, hasher.b, fast)
    _least.plain(0, 3, ids, offsets, hasher.a, hasher.b, plain)
    assert (fast == plain).all()


def test_stages_show_what_the_figure_shows():
    hasher = MinHasher(3)
    h, both, permuted, least = hasher.stages({5, 6, 7}, 2)
    assert [s.name for s in (h, both, permuted, least)] == ["H", "H and Π", "Π", "minimum"]
    assert h.hashes == both.hashes == tuple(sorted(map(splitmix64, (5, 6, 7))))
    a, b = int(hasher.a[2]), int(hasher.b[2])
    assert both.permuted == permuted.permuted == tuple((a * x + b) % 2**64 for x in h.hashes)
    assert least.minimum == min(permuted.permuted) == hasher.sketch({5, 6, 7})[2]


def test_multipliers_are_odd_so_that_each_permutation_is_one():
    assert all(a % 2 for a in MinHasher().a.tolist())
    assert len(set(MinHasher().a.tolist())) == 200


def test_texts_sketch_as_their_ids_do():
    texts = ["a rose is a rose is a rose", "", "cat", "\0 7 8 9 \0 10", "x " * 300_000, "ünï " * 9]
    hasher = MinHasher(12)
    for options in ({}, {"k": 2}, {"characters": True}, {"strip": (without_integers,)}):
        rows = hasher.sketch_texts(texts, **options)
        assert rows.shape == (6, 12)
        for text, row in zip(texts, rows, strict=True):
            assert row.tolist() == hasher.sketch(shingle_ids(text, **options)).tolist()
    assert hasher.sketch_texts([]).shape == (0, 12)


def test_threads_do_not_change_the_sketches():
    texts = [f"page {i} of the harbour's book {i % 7}" for i in range(1500)]
    hasher = MinHasher(8)
    rows = hasher.sketch_texts(texts)
    assert (rows == np.stack([hasher.sketch(shingle_ids(t)) for t in texts])).all()


def test_the_empty_sketch_is_like_itself_alone():
    hasher = MinHasher()
    nothing, something = hasher.sketch([]), hasher.sketch([1])
    assert similarity(nothing, nothing) == jaccard((), ()) == 1
    assert similarity(nothing, something) == 0


def test_sketches_are_the_same_in_every_process():
    code = (
        "from ircourse.dedup import MinHasher, shingle_ids, simhash, fingerprint;"
        "t = 'a rose is a rose';"
        "print(MinHasher(3, 7).sketch(shingle_ids(t)).tolist(), simhash(t), fingerprint(t))"
    )
    said = set()
    for hash_seed in ("0", "1"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = [sys.executable, "-c", code]
        root = Path(__file__).parents[2]
        said.add(subprocess.run(run, env=env, cwd=root, capture_output=True, text=True, check=True).stdout)
    assert said == {
        "[15277443642103753442, 1416482020077603082, 6842792726827164754] "
        "6089338022854075384 5093601110975309943\n"
    }


@pytest.mark.parametrize("permutations", [0, -1, 2.0, True])
def test_permutations_are_checked(permutations):
    with pytest.raises(ValueError, match="permutations is"):
        MinHasher(permutations)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, None])
def test_seeds_are_checked(seed):
    with pytest.raises(ValueError, match="seed is"):
        MinHasher(seed=seed)


@pytest.mark.parametrize("ids", [[-1], [2**64], np.array([-3])])
def test_ids_fit_64_bits(ids):
    with pytest.raises(ValueError, match="does not fit 64 bits"):
        MinHasher(2).sketch(ids)


@pytest.mark.parametrize("ids", [["rose"], [1.5], [True], np.array([0.5])])
def test_ids_are_integers(ids):
    with pytest.raises(TypeError, match="an id is an integer"):
        MinHasher(2).sketch(ids)


def test_texts_are_texts():
    with pytest.raises(TypeError, match="text 1 is to be a str, not NoneType: None"):
        MinHasher(2).sketch_texts(["a", None])
    with pytest.raises(TypeError, match="write \\['a rose'\\]"):
        MinHasher(2).sketch_texts("a rose")


@pytest.mark.parametrize(("a", "b"), [([1], [1, 2]), ([], []), ([[1]], [[1]])])
def test_sketches_that_do_not_fit_are_refused(a, b):
    with pytest.raises(ValueError, match="of the same MinHasher"):
        similarity(np.array(a, np.uint64), np.array(b, np.uint64))


def test_large_sets_bring_no_bias():
    one, two = np.arange(50_000, dtype=np.uint64), np.arange(50_000, 100_000, dtype=np.uint64)
    half = np.arange(16_667, 66_667, dtype=np.uint64)  # J with one is about 1/2
    estimates = []
    for seed in range(8):
        hasher = MinHasher(256, seed)
        first = hasher.sketch(one)
        assert similarity(first, hasher.sketch(two)) <= 0.03
        estimates.append(similarity(first, hasher.sketch(half)))
    # Standard error of the mean of 8 times 256 places: √(0.25 / 2048) = 0.011
    assert abs(np.mean(estimates) - jaccard(one, half)) < 0.05


def test_estimates_stay_near_jaccard():
    a, b = np.arange(1000, dtype=np.uint64), np.arange(500, 1500, dtype=np.uint64)
    estimates = []
    for seed in range(50):
        hasher = MinHasher(128, seed)
        estimates.append(similarity(hasher.sketch(a), hasher.sketch(b)))
    error = np.sqrt(1 / 3 * 2 / 3 / 128)
    assert np.abs(np.array(estimates) - 1 / 3).max() <= 4.5 * error
    assert abs(np.mean(estimates) - 1 / 3) <= 4.5 * error / np.sqrt(50)
