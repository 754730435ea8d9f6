"""What moves between two assignments, and how even loads are."""

import pytest

from ircourse.distribute import ConsistentHashRing, imbalance, moves, peak_load


def test_moves_are_counted_by_where_from_and_where_to():
    moved = moves(["a", "b", "a", "c"], ["a", "c", "b", "c"])
    assert (moved.moved, moved.items, moved.share) == (2, 4, 0.5)
    assert moved.flows == {("b", "c"): 1, ("a", "b"): 1}
    assert moves([], []).share == 0
    with pytest.raises(ValueError, match="1 items before and 2 after"):
        moves(["a"], ["a", "b"])


def test_imbalance_is_the_largest_over_the_average():
    assert imbalance([1, 2, 6]) == 2 and imbalance([0, 0]) == 1 == imbalance(iter([5]))
    with pytest.raises(ValueError, match="there is no load"):
        imbalance([])


def test_the_peak_is_that_of_rings_with_seeds_of_their_own():
    peak = peak_load(10, 3, rings=4, seed=7)
    each = [imbalance(ConsistentHashRing(range(10), 3, seed=s).shares.values()) for s in range(7, 11)]
    assert peak.rings == 4 and peak.mean == pytest.approx(sum(each) / 4)
    assert 0 < peak.error < 1
    with pytest.raises(ValueError, match="rings is 1"):
        peak_load(10, 3, rings=1)
