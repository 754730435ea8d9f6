"""Candidate pairs: sorting, super-shingles, bands."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.dedup import (
    Pair,
    Pairs,
    band_chance,
    bands_for,
    buckets,
    counts_by_sorting,
    pairs_by_bands,
    pairs_by_sorting,
    pairs_by_super_shingles,
)
from ircourse.dedup.buckets import agreements

PLACES = 6
ROW = st.lists(st.integers(0, 3), min_size=PLACES, max_size=PLACES)
TABLES = st.lists(ROW, max_size=9).map(lambda rows: np.array(rows, np.uint64).reshape(-1, PLACES))


def brute(sketches, meet):
    """Every pair that meets, with its share of equal places."""
    return [
        (i, j, float(np.mean(sketches[i] == sketches[j])))
        for i, j in combinations(range(len(sketches)), 2)
        if meet(sketches[i], sketches[j])
    ]


def windows(row, width):
    row = sorted(row.tolist())
    return {tuple(row[i : i + width]) for i in range(len(row) - width + 1)}


@given(sketches=TABLES)
def test_sorting_finds_all_pairs_with_a_common_value(sketches):
    want = brute(sketches, lambda a, b: (a == b).any())
    assert list(pairs_by_sorting(sketches)) == want
    counts = counts_by_sorting(sketches)
    assert [(i, j, n / PLACES) for (i, j), n in sorted(counts.items())] == want


@given(sketches=TABLES, shape=st.sampled_from([(1, 6), (2, 3), (3, 2), (2, 2), (6, 1)]))
def test_bands_find_what_agrees_in_a_band(sketches, shape):
    bands, rows = shape

    def meet(a, b):
        return any((a == b)[i * rows : (i + 1) * rows].all() for i in range(bands))

    assert list(pairs_by_bands(sketches, bands, rows)) == brute(sketches, meet)


@given(sketches=TABLES, width=st.integers(1, PLACES))
def test_super_shingles_find_what_shares_one(sketches, width):
    want = brute(sketches, lambda a, b: windows(a, width) & windows(b, width))
    assert list(pairs_by_super_shingles(sketches, width)) == want


@given(sketches=TABLES, at_least=st.floats(0, 1))
def test_at_least_leaves_out_the_rest(sketches, at_least):
    pairs = [p for p in pairs_by_sorting(sketches) if p.estimate >= at_least]
    assert list(pairs_by_sorting(sketches, at_least=at_least)) == pairs


def test_160_of_200_reach_four_fifths():
    sketches = np.zeros((2, 200), np.uint64)
    sketches[1, :40] = 1
    assert list(pairs_by_sorting(sketches, at_least=0.8)) == [(0, 1, 0.8)]
    sketches[1, 40] = 1
    assert not pairs_by_sorting(sketches, at_least=0.8)


@given(sketches=TABLES, cap=st.integers(2, 4))
def test_capped_buckets_join_what_a_full_comparison_with_the_representative_joins(sketches, cap):
    capped = pairs_by_sorting(sketches, at_least=0.5, cap=cap)
    full = set(pairs_by_sorting(sketches, at_least=0.5))
    assert set(capped) <= full
    assert list(capped) == sorted(capped)
    sizes = [np.bincount(column.astype(int)).max() for column in sketches.T] if len(sketches) else [0]
    assert bool(capped.capped) == (max(sizes) > cap)
    if not capped.capped:
        assert set(capped) == full


def test_a_capped_bucket_is_told_and_compared_with_its_representative():
    sketches = np.full((50, 4), 7, np.uint64)
    found = pairs_by_bands(sketches, 2, 2, cap=10)
    assert found.capped == ((0, 50),)
    assert list(found) == [(0, j, 1.0) for j in range(1, 50)]
    sketches[0, :2] = 9  # now the first band's representative is 1
    found = pairs_by_bands(sketches, 2, 2, cap=10)
    assert found.capped == ((0, 50), (1, 49))
    assert len(found) == 49 + 48


def test_many_near_copies_do_not_go_quadratic():
    rng = np.random.default_rng(1)
    sketches = np.tile(rng.integers(0, 2**62, 20, dtype=np.uint64), (3000, 1))
    sketches[np.arange(3000), rng.integers(0, 20, 3000)] = rng.integers(0, 40, 3000).astype(np.uint64)
    found = pairs_by_bands(sketches, 5, 4, at_least=0.8, cap=100)
    assert found.capped
    assert len(found) < 10 * 3000


def test_pairs_come_in_several_rooms(monkeypatch):
    sketches = np.random.default_rng(2).integers(0, 3, (60, 5)).astype(np.uint64)
    want = list(pairs_by_sorting(sketches))
    monkeypatch.setattr(buckets, "_ROOM", 7)
    assert list(pairs_by_sorting(sketches)) == want


def test_the_compiled_loops_equal_the_plain_ones(monkeypatch):
    sketches = np.random.default_rng(3).integers(0, 2, (12, 4)).astype(np.uint64)
    want = (
        [list(pairs_by_bands(sketches, 2, 2, cap=c)) for c in (2, 50)],
        list(pairs_by_super_shingles(sketches, 3)),
    )
    for name in ("_link", "_meet", "_agree", "_key"):
        monkeypatch.setattr(buckets, name, getattr(buckets, name).plain)
    plain = (
        [list(pairs_by_bands(sketches, 2, 2, cap=c)) for c in (2, 50)],
        list(pairs_by_super_shingles(sketches, 3)),
    )
    assert plain == want


@pytest.mark.parametrize("rows", [0, 1])
def test_few_sketches_have_no_pairs(rows):
    sketches = np.ones((rows, 4), np.uint64)
    for pairs in (
        pairs_by_sorting(sketches),
        pairs_by_bands(sketches, 2, 2),
        pairs_by_super_shingles(sketches, 2),
    ):
        assert len(pairs) == 0
        assert pairs == []


def test_empty_documents_are_in_no_pair():
    sketches = np.full((4, 3), 2**64 - 1, np.uint64)
    sketches[:2] = 5
    assert list(pairs_by_sorting(sketches)) == [(0, 1, 1.0)]
    assert counts_by_sorting(sketches) == {(0, 1): 3}
    assert list(pairs_by_super_shingles(sketches, 2)) == [(0, 1, 1.0)]


def test_pairs_are_a_sequence():
    pairs = pairs_by_sorting(np.array([[1, 2], [1, 3], [1, 2]], np.uint64))
    assert pairs[0] == Pair(0, 1, 0.5) == (0, 1, 0.5)
    assert pairs[-1] == (1, 2, 0.5)
    assert pairs[1:] == [(0, 2, 1.0), (1, 2, 0.5)]
    assert pairs == list(pairs)
    assert pairs != [(0, 1, 0.5)]
    assert pairs != 3
    assert repr(pairs) == "<3 pairs: (0, 1, 0.5), (0, 2, 1), (1, 2, 0.5)>"
    assert repr(Pairs(np.arange(6), np.arange(6), np.ones(6))).endswith("(4, 4, 1), …>")
    with pytest.raises(IndexError):
        pairs[3]


def test_agreements_count_equal_places():
    sketches = np.random.default_rng(4).integers(0, 4, (30, 7)).astype(np.uint64)
    i, j = np.triu_indices(30, 1)
    assert agreements(sketches, i, j).tolist() == (sketches[i] == sketches[j]).sum(axis=1).tolist()


def test_the_s_curve():
    s = [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1]
    want = [0, 0.00638058, 0.04749426, 0.18604955, 0.47005072, 0.80190245, 0.97478054, 0.99964394, 1]
    assert band_chance(s, 20, 5) == pytest.approx(want, abs=1e-8)
    assert float(band_chance(0.8, 13, 60)) == pytest.approx(1.9922258845964445e-05)
    assert float(band_chance(0.01, 128, 1)) == pytest.approx(0.7237483323007914)


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.5, 0.8, 0.9, 0.99, 1.0])
@pytest.mark.parametrize("permutations", [1, 16, 100, 200])
def test_bands_are_the_widest_that_serve(threshold, permutations):
    bands, rows = bands_for(threshold, permutations)
    assert bands * rows <= permutations
    if rows > 1:
        assert band_chance(threshold, bands, rows) >= 0.99
    if rows < permutations:
        assert band_chance(threshold, permutations // (rows + 1), rows + 1) < 0.99


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: pairs_by_bands(s, 3, 2), "3 bands of 2 rows"),
        (lambda s: pairs_by_bands(s, 0, 2), "0 bands of 2 rows"),
        (lambda s: pairs_by_super_shingles(s, 5), "width is 5"),
        (lambda s: pairs_by_super_shingles(s, 0), "width is 0"),
        (lambda s: pairs_by_sorting(s, at_least=1.5), "at_least is 1.5"),
        (lambda s: pairs_by_sorting(s, cap=1), "cap is 1"),
        (lambda s: pairs_by_sorting(s.astype(float)), "sketches are float64"),
        (lambda s: pairs_by_sorting(s[0]), "give uint64"),
        (lambda s: counts_by_sorting(s[:, :0]), "give uint64"),
    ],
)
def test_bad_arguments_are_named(call, said):
    with pytest.raises(ValueError, match=said):
        call(np.ones((2, 4), np.uint64))
