"""The pipeline to clusters of near-duplicates."""

import sys
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.dedup import (
    clusters,
    jaccard,
    near_duplicates,
    pairs_by_sorting,
    pairs_by_super_shingles,
    shingle_ids,
    without_integers,
    without_tags,
)


def vocabulary(rng, n=3000):
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    return ["".join(rng.choice(letters, rng.integers(3, 9))) + str(i) for i in range(n)]


def changed(words, share, rng, vocabulary):
    """The words with some replaced, one after another."""
    words = list(words)
    places = rng.choice(len(words), max(1, round(share * len(words))), replace=False)
    for place in places.tolist():
        words[place] = vocabulary[rng.integers(len(vocabulary))]
    return words


def corpus(rng, originals=60, length=150):
    """Texts with copies of which 0.5, 1, 2, 5 and 20% of the words are changed."""
    words = vocabulary(rng)
    texts = []
    for _ in range(originals):
        base = [words[i] for i in rng.integers(0, len(words), length)]
        texts.append(" ".join(base))
        texts += [" ".join(changed(base, share, rng, words)) for share in (0.005, 0.01, 0.02, 0.05, 0.2)]
    return texts


def exact_pairs(texts, **options):
    """Jaccard of all pairs that share a shingle, by brute force."""
    sets = [set(shingle_ids(t, **options).tolist()) for t in texts]
    return {(i, j): jaccard(a, b) for (i, a), (j, b) in combinations(enumerate(sets), 2) if a & b}


def test_copies_near_copies_and_others():
    page = "the ferry leaves the old harbour at nine every morning except on sundays in winter when it rests"
    texts = [page, "a rose is a rose is a rose", page, "", page[::-1], "", page + " again"]
    found = near_duplicates(texts, threshold=0.7)
    assert found.copies == {2: 0, 5: 3}
    assert found.clusters == ((0, 2, 6), (3, 5))
    assert [(i, j) for i, j, _ in found.pairs] == [(0, 6)]
    assert found.capped == ()


def test_precision_and_recall_against_brute_force():
    texts = corpus(np.random.default_rng(5))
    exact = exact_pairs(texts)
    margin = {pair for pair, j in exact.items() if abs(j - 0.8) <= 0.08}
    true = {pair for pair, j in exact.items() if j >= 0.8}
    copies = near_duplicates(texts).copies
    true = {(i, j) for i, j in true if i not in copies and j not in copies}
    found = {(i, j) for i, j, _ in near_duplicates(texts).pairs}
    assert len(true - margin) > 100
    assert len(true & found - margin) >= 0.97 * len(true - margin)
    assert len(found & true - margin) >= 0.97 * len(found - margin)
    verified = near_duplicates(texts, verify=True)
    assert all(e == exact[i, j] >= 0.8 for i, j, e in verified.pairs)
    assert {(i, j) for i, j, _ in verified.pairs} - margin == true - margin


@pytest.mark.parametrize("find", [pairs_by_sorting, partial(pairs_by_super_shingles, width=2)])
def test_other_ways_to_candidates_find_the_same(find):
    texts = corpus(np.random.default_rng(6), originals=12)
    assert near_duplicates(texts, find=find, threshold=0.85) == near_duplicates(texts, threshold=0.85)


TEXTS = st.lists(
    st.one_of(st.text(max_size=8), st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join)), max_size=8
)


@settings(max_examples=60)
@given(texts=TEXTS, threshold=st.sampled_from([0.3, 0.8, 1.0]), verify=st.booleans())
def test_what_holds_of_every_result(texts, threshold, verify):
    found = near_duplicates(texts, threshold=threshold, verify=verify, permutations=60)
    assert found.copies == {i: texts.index(t) for i, t in enumerate(texts) if texts.index(t) < i}
    joined = {frozenset((i, j)) for i, j, _ in found.pairs} | {frozenset(p) for p in found.copies.items()}
    inside = {frozenset(p) for c in found.clusters for p in combinations(c, 2)}
    assert joined <= inside
    assert len(set().union(*found.clusters, ())) == sum(map(len, found.clusters))
    assert all(len(c) > 1 and list(c) == sorted(c) for c in found.clusters)
    for i, j, estimate in found.pairs:
        assert i < j
        assert threshold <= estimate <= 1
        assert not {i, j} & set(found.copies)
        assert len(shingle_ids(texts[i]))
        if verify:
            assert estimate == jaccard(shingle_ids(texts[i]), shingle_ids(texts[j]))


def test_an_iterator_gives_what_a_list_gives():
    texts = corpus(np.random.default_rng(7), originals=10) * 2
    found = near_duplicates(texts)
    assert near_duplicates(iter(texts)) == found
    assert len(found.copies) >= len(texts) // 2


def test_batches_do_not_change_the_result(monkeypatch):
    texts = corpus(np.random.default_rng(8), originals=10)
    found = near_duplicates(texts)
    monkeypatch.setattr(clusters, "_BATCH", 3000)
    assert near_duplicates(texts) == found
    assert near_duplicates(iter(texts)) == found


@pytest.mark.parametrize(
    ("a", "b", "near"),
    [
        ("cat", "dog", False),
        ("", "this page has some real words in it", False),
        ("", "…", False),
        ("!", "…", False),
        ("test " * 10, "test " * 7, True),
        ("café au lait et croissant", "cafe\u0301 au lait et croissant", True),
        ("alpha beta gamma delta epsilon", "epsilon delta gamma beta alpha", False),
        ("1 2 3 4 5", "1 2 3 4 5 ", True),
        ("a\0b c d e", "a b c\0d\0e", True),
        ("\ud800 lone surrogate in it", "\ud800 lone surrogate, in it", True),
    ],
)
def test_pairs_of_texts(a, b, near):
    found = near_duplicates([a, b], threshold=0.5)
    assert bool(found.clusters) == bool(len(found.pairs)) == near


def test_no_texts():
    found = near_duplicates([])
    assert (found.clusters, found.copies, list(found.pairs)) == ((), {}, [])


def test_japanese_by_characters():
    a = "東京は今日も雨が降っているので、傘を持って出かけましょう。電車も遅れています"
    b = a.replace("今日", "明日")
    assert not near_duplicates([a, b]).clusters
    assert near_duplicates([a, b], characters=True, threshold=0.6).clusters == ((0, 1),)


def test_stripping_finds_the_copy_with_another_date():
    page = "<p>Tide at 07:15 on 3 May {}</p> <i>high water</i> at the old quay {} today"
    a, b = page.format(2023, 12), page.format(2024, 47)
    assert not near_duplicates([a, b]).clusters
    assert near_duplicates([a, b], strip=(without_tags, without_integers)).clusters == ((0, 1),)
    digits = ["1 2 3", "4 5 6", "1 2 3"]
    assert near_duplicates(digits, strip=(without_integers,)).clusters == ((0, 2),)


def test_threshold_one_finds_equal_shingle_sets():
    texts = ["a b c d e f", "A b c d e f!", "a b c d e g"]
    assert near_duplicates(texts, threshold=1.0).clusters == ((0, 1),)


def test_a_hundred_thousand_identical_texts():
    found = near_duplicates("the same old page" for _ in range(100_000))
    assert found.clusters == (tuple(range(100_000)),)
    assert len(found.pairs) == 0
    assert len(found.copies) == 99_999


def test_near_copies_of_one_page_stay_linear():
    rng = np.random.default_rng(9)
    words = vocabulary(rng)
    base = [words[i] for i in rng.integers(0, len(words), 200)]
    texts = [" ".join(changed(base, 0.005, rng, words)) + f" {i}" for i in range(4000)]
    found = near_duplicates(texts)
    assert found.clusters == (tuple(range(4000)),)
    assert found.capped
    assert len(found.pairs) < 30 * 4000
    assert near_duplicates(texts, permutations=40).clusters == found.clusters


def test_the_numbers_of_capped_buckets_are_of_texts():
    page = " ".join(f"word{n}" for n in range(90))
    found = near_duplicates(["dull", "dull", *(f"{page} {i}" for i in range(1200))])
    assert min(representative for representative, _ in found.capped) == 2
    assert 1000 < max(size for _, size in found.capped) <= 1200
    assert found.clusters == ((0, 1), tuple(range(2, 1202)))


def test_a_huge_text_beside_small_ones():
    words = vocabulary(np.random.default_rng(10))
    huge = " ".join(words[i] for i in np.random.default_rng(11).integers(0, 3000, 200_000).tolist())
    found = near_duplicates([huge, "small", huge + " end"], verify=True)
    assert found.clusters == ((0, 2),)


@pytest.mark.parametrize("threshold", [0, -1, 1.01, float("nan")])
def test_the_threshold_is_checked(threshold):
    with pytest.raises(ValueError, match="threshold is"):
        near_duplicates(["a"], threshold=threshold)


def test_what_is_no_text_is_named():
    for bad in (None, b"bytes", 3):
        with pytest.raises(TypeError, match=f"text 1 is to be a str, not {type(bad).__name__}"):
            near_duplicates(["a", bad])
    with pytest.raises(TypeError, match="write \\['a rose'\\]"):
        near_duplicates("a rose")
    with pytest.raises(TypeError, match="verify reads texts again"):
        near_duplicates(iter(["a"]), verify=True)
    with pytest.raises(ValueError, match="k is 0"):
        near_duplicates(["a"], k=0)
    with pytest.raises(ValueError, match="permutations is 0"):
        near_duplicates(["a"], permutations=0)


def test_equal_results_are_equal():
    texts = corpus(np.random.default_rng(12), originals=4)
    assert near_duplicates(texts) == near_duplicates(texts)
    assert near_duplicates(texts) != near_duplicates(texts[:-6])
    assert sys.getsizeof(near_duplicates(texts).pairs) < 200
