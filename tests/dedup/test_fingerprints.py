"""Fingerprints, exact copies, and the approaches beside them."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.dedup import (
    accidental_pairs,
    checksum,
    edit_distance,
    exact_copies,
    fingerprint,
    fingerprints,
    sampled_shingles,
    shingles,
)

TEXT = st.text(st.characters(), max_size=12)


@given(a=TEXT, b=TEXT)
def test_equal_fingerprints_mean_equal_texts(a, b):
    assert (fingerprint(a) == fingerprint(b)) == (a == b)
    assert 0 <= fingerprint(a) < 2**64
    assert fingerprint(a) == fingerprint(a.encode())


def test_a_lone_surrogate_has_a_fingerprint():
    assert fingerprint("\ud800") != fingerprint("\ud801")


def test_known_values():
    assert fingerprint("") == int(hashlib.blake2b(b"", digest_size=8).hexdigest(), 16)
    assert checksum("") == 0
    assert checksum(b"\xff" * 3) == 765
    assert accidental_pairs(2**32) == pytest.approx(0.5, rel=1e-9)


@given(texts=st.lists(st.sampled_from(["", "a", "b", "A", "\0"]), max_size=9))
def test_copies_map_to_the_first(texts):
    assert exact_copies(texts) == {i: texts.index(t) for i, t in enumerate(texts) if texts.index(t) < i}


def test_equal_fingerprints_are_verified_on_the_text(monkeypatch):
    monkeypatch.setattr(fingerprints, "fingerprint", len)
    assert exact_copies(["ab", "cd", "cd", "ab", "ef"]) == {2: 1, 3: 0}


def test_what_is_no_text_is_named():
    with pytest.raises(TypeError, match="text 1 is to be a str, not NoneType"):
        exact_copies(["a", None])
    for function in (fingerprint, checksum):
        with pytest.raises(TypeError, match="a text is a str or bytes, not int"):
            function(3)


def test_samples_are_part_of_the_text():
    text = "a rose is a rose and a daisy is a daisy"
    assert sampled_shingles(text, 3, 0) < shingles(text)
    assert len(sampled_shingles(text, 3, 0)) == 3
    assert sampled_shingles(text, 99, 0) == shingles(text)
    assert sampled_shingles("", 3, 0) == set()
    with pytest.raises(ValueError, match="size is -1"):
        sampled_shingles(text, -1, 0)


def slow_distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(
        slow_distance(a[1:], b) + 1,
        slow_distance(a, b[1:]) + 1,
        slow_distance(a[1:], b[1:]) + (a[0] != b[0]),
    )


@given(a=st.text("ab", max_size=5), b=st.text("ab", max_size=5))
def test_edit_distance_is_the_least_number_of_edits(a, b):
    assert edit_distance(a, b) == edit_distance(b, a) == slow_distance(a, b)
