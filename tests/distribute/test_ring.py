"""The ring beside a brute-force one, its properties, and what it refuses."""

import os
import subprocess
import sys
from bisect import bisect_left
from math import ceil, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.distribute import ConsistentHashRing, ring
from ircourse.distribute.hashing import key_id, key_ids, stream
from ircourse.text import term_hash

KEYS = [f"site{i}.example" for i in range(2000)]
NAMES = st.one_of(st.text(max_size=6), st.integers(-5, 50))
NODES = st.lists(NAMES, min_size=1, max_size=12, unique=True)
few = settings(max_examples=60, deadline=None)


def brute_force(points, key):
    """The node of the least ID that is at least the key's, around the circle."""
    item = key_id(key)
    return min((((point - item) % 2**64, i), node) for i, (point, node) in enumerate(points))[1]


@few
@given(NODES, st.integers(1, 8), st.lists(st.text(max_size=12), max_size=20), st.integers(0, 5))
def test_an_item_goes_to_the_first_node_around_the_circle(nodes, replicas, keys, seed):
    made = ConsistentHashRing(nodes, replicas, seed=seed)
    assert made.points == tuple(sorted(made.points, key=lambda point: point[0]))
    expected = [brute_force(made.points, key) for key in keys]
    assert [made.node_for(key) for key in keys] == expected
    assert made.nodes_for(keys) == expected
    assert [made.nodes[number] for number in made.numbers_for(keys)] == expected


def test_an_item_at_a_point_is_that_points_and_beyond_the_last_point_comes_the_first(monkeypatch):
    places = {"early": [100], "late": [key_id("x")]}
    monkeypatch.setattr(ring, "points_of", lambda node, n, seed: np.array(places[node], np.uint64))
    made = ConsistentHashRing(["early", "late"])
    assert made.node_for("x") == "late"
    beyond = next(key for key in KEYS if key_id(key) > key_id("x"))
    assert made.node_for(beyond) == "early" and made.nodes_for([beyond, "x"]) == ["early", "late"]


@few
@given(NODES, NAMES, st.integers(1, 8))
def test_only_the_items_of_a_node_move_when_it_joins_or_leaves(nodes, node, replicas):
    if node in nodes:
        nodes.remove(node)
    if not nodes:
        return
    made = ConsistentHashRing(nodes, replicas)
    before = made.nodes_for(KEYS[:300])
    made.add(node)
    after = made.nodes_for(KEYS[:300])
    assert all(new in (old, node) for old, new in zip(before, after, strict=True))
    heirs = [made.preference(key, 2)[1] for key in KEYS[:300]]
    assert all(old == heir for old, new, heir in zip(before, after, heirs, strict=True) if new == node)
    made.remove(node)
    assert made.nodes_for(KEYS[:300]) == before


@few
@given(NODES, st.randoms(use_true_random=False), st.integers(1, 4), st.integers(1, 63))
def test_who_joined_first_does_not_matter_even_where_points_collide(nodes, random, replicas, shift):
    shuffled = list(nodes)
    random.shuffle(shuffled)
    with pytest.MonkeyPatch.context() as patch:
        crowded = ring.points_of
        patch.setattr(ring, "points_of", lambda *args: crowded(*args) >> np.uint64(shift) << np.uint64(shift))
        one = ConsistentHashRing(nodes, replicas)
        other = ConsistentHashRing(shuffled[:1], replicas)
        for node in shuffled[1:]:
            other.add(node)
        assert one.points == other.points and one.nodes == other.nodes
        before = one.nodes_for(KEYS[:100])
        assert before == other.nodes_for(KEYS[:100])
        assert sum(one.shares.values()) == pytest.approx(1)
        if len(one) > 1:  # monotone all the same
            one.remove(gone := shuffled[0])
            after = one.nodes_for(KEYS[:100])
            assert all(old in (new, gone) for old, new in zip(before, after, strict=True))


def test_the_preference_list_has_the_first_different_nodes_around_the_circle():
    made = ConsistentHashRing(range(7), replicas=3)
    ids = [point for point, _ in made.points]
    for key in KEYS[:200]:
        start = bisect_left(ids, key_id(key))
        around = [node for _, node in made.points[start:] + made.points[:start]]
        assert made.preference(key, 7) == tuple(dict.fromkeys(around))
        assert made.preference(key, 1) == (made.node_for(key),)
    for n in (0, 8, True, 1.0):
        with pytest.raises(ValueError, match="from 1 to 7"):
            made.preference("x", n)


@pytest.mark.parametrize(("nodes", "replicas"), [(1, 1), (2, 1), (3, 2), (7, 2), (8, 3), (100, 5), (148, 5)])
def test_replicas_are_the_natural_logarithm_of_the_nodes_at_first_rounded_up(nodes, replicas):
    made = ConsistentHashRing(range(nodes))
    assert made.replicas == replicas == max(1, ceil(log(nodes)))
    made.add("one more")
    assert made.replicas == replicas and len(made.points) == (nodes + 1) * replicas


def test_shares_are_what_items_get_and_weights_are_heeded():
    made = ConsistentHashRing(["small", "large"], replicas=2000, weights={"large": 3})
    assert made.shares["large"] == pytest.approx(0.75, abs=0.03)
    keys = np.arange(100_000, dtype=np.uint64)
    counted = np.bincount(made.numbers_for(keys)) / len(keys)
    assert counted == pytest.approx([made.shares[node] for node in made.nodes], abs=0.006)
    made.add("tiny", weight=1e-9)
    assert sum(node == "tiny" for _, node in made.points) == 1
    assert ConsistentHashRing(["alone"]).shares == {"alone": 1.0}


def test_a_copy_changes_alone():
    made = ConsistentHashRing([1, 2], replicas=4, weights={2: 2}, seed=3)
    twin = made.copy()
    assert twin.points == made.points
    twin.add(3)
    assert 3 not in made and len(made) == 2 and len(twin) == 3
    assert made.joined_by(3).points == twin.points and made.joined_by(3).without(3).points == made.points
    made.add(3)
    assert twin.points == made.points


def test_another_seed_is_another_circle_and_a_number_is_not_its_digits():
    rings = [ConsistentHashRing(range(9), 5, seed=seed) for seed in range(-1, 3)]
    assert len({made.points for made in rings}) == 4
    assert len(dict(ConsistentHashRing([1, "1"], 50).points)) == 100


def test_any_process_agrees():
    code = (
        "from ircourse.distribute import ConsistentHashRing as R;"
        "print(R(['a', 'b', 3], 5).nodes_for([f'site{i}.example' for i in range(50)]))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in "01"
    }
    assert told == {str(ConsistentHashRing(["a", "b", 3], 5).nodes_for(KEYS[:50]))}


@few
@given(st.lists(st.text(max_size=8)), st.lists(st.integers(0, 2**64 - 1)))
def test_many_keys_have_the_ids_of_single_ones(texts, numbers):
    assert key_ids(texts).tolist() == list(map(key_id, texts)) == list(map(term_hash, texts))
    assert key_ids(numbers).tolist() == list(map(key_id, numbers))
    assert key_ids(np.array(numbers, np.uint64)).tolist() == list(map(key_id, numbers))
    assert stream(0, 3).tolist() == [key_id(0), 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_more_strings_than_a_piece_lone_surrogates_too(monkeypatch):
    monkeypatch.setattr("ircourse.distribute.hashing.PIECE", 3)
    keys = ["a", "ü", "\ud800", "", "東京", "b", "c"]
    assert key_ids(iter(keys)).tolist() == list(map(key_id, keys))


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ([[]], ValueError, "name at least one"),
        (["abc"], TypeError, "not as 'abc': write a list"),
        ([3], TypeError, "not as 3: write a list"),
        ([["a", "a"]], ValueError, "'a' is in the ring already"),
        ([[1.5]], TypeError, "not 1.5"),
        ([[True]], TypeError, "not True"),
        ([["a"], 0], ValueError, "replicas is 0"),
        ([["a"], 2.5], ValueError, "replicas is 2.5"),
        ([["a"], True], ValueError, "replicas is True"),
        ([["a"], 10**13], ValueError, "replicas is 10000000000000: .* at most 10,000,000"),
        ([["a"], 10**6, {"a": 100}], ValueError, "'a' would have 100,000,000 points"),
        ([["a", "b"], 1, [1, 2]], TypeError, r"weights are \[1, 2\]: give a mapping"),
        ([["a"], 1, {"a": 10**400}], ValueError, "the weight of 'a' is 1000"),
        ([["a"], 1, {"a": True}], ValueError, "the weight of 'a' is True"),
        ([["a"], 1, {"b": 1}], ValueError, "weights name 'b'"),
        ([["a"], 1, {"a": 0}], ValueError, "the weight of 'a' is 0"),
        ([["a"], 1, {"a": float("nan")}], ValueError, "the weight of 'a' is nan"),
        ([["a"], 1, {"a": "2"}], ValueError, "the weight of 'a' is '2'"),
        ([["a"], 1, None, 0.5], TypeError, "the seed is 0.5"),
    ],
)
def test_what_is_no_ring_is_refused(arguments, error, told):
    with pytest.raises(error, match=told):
        ConsistentHashRing(*arguments)


def test_numbers_of_numpy_are_numbers():
    right = ConsistentHashRing(["a", "b"], 4, {"a": 2, "b": 1.5}).points
    for two, some in ((np.int64(2), np.float32(1.5)), (np.uint8(2), np.float64(1.5))):
        assert ConsistentHashRing(["a", "b"], np.int64(4), {"a": two, "b": some}).points == right


def test_errors_leave_the_ring_as_it_was():
    made = ConsistentHashRing(["a", "b"], 3)
    before = made.points
    for call, told in [
        (lambda: made.add("a"), "already"),
        (lambda: made.add("c", -1), "the weight of 'c' is -1"),
        (lambda: made.remove("c"), "'c' is no node of the ring: its nodes are 'a', 'b'"),
    ]:
        with pytest.raises(ValueError, match=told):
            call()
    assert made.points == before
    made.remove("a")
    with pytest.raises(ValueError, match="'b' is the last node"):
        made.remove("b")
    assert made.nodes_for(KEYS[:3]) == ["b"] * 3 and made.nodes_for([]) == []


@pytest.mark.parametrize(
    ("key", "error"),
    [(None, TypeError), (1.0, TypeError), (True, TypeError), (-1, ValueError), (2**64, ValueError)],
)
def test_what_is_no_key_is_refused(key, error):
    made = ConsistentHashRing(["a"])
    for call in (made.node_for, lambda key: made.nodes_for([key])):
        with pytest.raises(error, match="key"):
            call(key)


def test_keys_of_two_kinds_or_one_str_are_refused():
    made = ConsistentHashRing(["a"])
    for keys in (["x", 1], [1, "x"], "abc"):
        with pytest.raises(TypeError, match=r"int|str"):
            made.nodes_for(keys)
