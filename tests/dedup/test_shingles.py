"""Shingles and their ids."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.dedup import (
    common_lines,
    jaccard,
    shingle_id,
    shingle_ids,
    shingles,
    without_integers,
    without_lines,
    without_tags,
)
from ircourse.dedup.shingles import _roll, windows_of

WORDS = st.lists(st.sampled_from(["a", "rose", "is", "café", "東京", "हिन्दी"]), max_size=15).map(" ".join)


def joined(sets):
    return sorted("".join(s) for s in sets)


def test_the_book_s_example():
    assert sorted(shingles("a rose is a rose is a rose")) == [
        ("a", "rose", "is", "a"),
        ("is", "a", "rose", "is"),
        ("rose", "is", "a", "rose"),
    ]


def test_characters_are_code_points_not_bytes():
    assert joined(shingles("abcab", 3, characters=True)) == ["abc", "bca", "cab"]
    assert joined(shingles("ab\U0001f600cd", 2, characters=True)) == [
        "ab",
        "b\U0001f600",
        "cd",
        "\U0001f600c",
    ]
    assert len(shingles("مرحبا", 3, characters=True)) == 3
    assert len(shingles("東京に雨が降る", 4, characters=True)) == 4
    assert len(shingles("東京に雨が降る", 4)) == 1  # no spaces: one word


@pytest.mark.parametrize("text", ["", "   ", "…!?", "\0\0"])
def test_a_text_without_terms_has_no_shingles(text):
    assert shingles(text) == set()
    assert len(shingle_ids(text)) == 0


def test_a_text_shorter_than_k_is_one_shingle():
    assert shingles("Cat") == {("cat",)}
    assert shingle_ids("cat").tolist() == [shingle_id(("cat",))]
    assert shingle_ids("cat") != shingle_ids("dog")


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_k_is_at_least_one(k):
    for function in (shingles, shingle_ids):
        with pytest.raises(ValueError, match=r"k is .*: give a number of terms of at least 1"):
            function("a rose", k)


@pytest.mark.parametrize("strip", [(), (without_tags,)])
@pytest.mark.parametrize("function", [shingles, shingle_ids])
def test_only_text_is_cut(function, strip):
    with pytest.raises(TypeError, match=r"to be a str|is a str"):
        function(None, strip=strip)


@given(text=WORDS, k=st.integers(1, 6), characters=st.booleans())
def test_ids_are_the_ids_of_the_shingles(text, k, characters):
    want = sorted(shingle_id(s) for s in shingles(text, k, characters=characters))
    assert shingle_ids(text, k, characters=characters).tolist() == want


@given(texts=st.lists(WORDS, max_size=5), k=st.integers(1, 6))
def test_windows_of_several_texts_do_not_mix(texts, k):
    ids, offsets = windows_of(texts, k)
    parts = [np.unique(ids[a:b]).tolist() for a, b in pairwise(offsets)]
    assert parts == [shingle_ids(text, k).tolist() for text in texts]


def test_the_compiled_loop_equals_the_plain_one():
    hashes = np.arange(1, 12, dtype=np.uint64) * np.uint64(2**60 + 3)
    starts, offsets = np.array([0, 7, 7, 9, 11]), np.array([0, 5, 5, 6, 7])
    fast, plain = np.empty(7, np.uint64), np.empty(7, np.uint64)
    _roll(hashes, starts, offsets, 3, fast)
    _roll.plain(hashes, starts, offsets, 3, plain)
    assert fast.tolist() == plain.tolist()


def test_ids_are_the_same_everywhere():
    assert shingle_id(("a", "rose", "is", "a")) == 16756424786644920767
    assert shingle_ids("e\u0301t\u00e9") == shingle_ids("\u00e9te\u0301")


SETS = st.sets(st.integers(0, 20))


@given(a=SETS, b=SETS)
def test_jaccard_of_sets_and_of_arrays(a, b):
    want = len(a & b) / len(a | b) if a | b else 1.0
    assert jaccard(a, b) == jaccard(b, a) == want
    assert jaccard(np.array(sorted(a), int), np.array(sorted(b) * 2, int)) == want


def test_containment_is_not_resemblance():
    assert jaccard(range(104), range(20777)) == 104 / 20777


def test_numbers_are_not_their_words():
    assert jaccard({1, 2}, {"1", "2"}) == 0


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a</p>b", " a b"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<!-- a > b <i> -->c", " c"),
        ("a <!-- never closed", "a  "),
        ("<!DOCTYPE html>a<?php x ?>", " a "),
        ("a < b <c", "a < b <c"),
        ("<" * 10, "<" * 10),
    ],
)
def test_tags_go(html, text):
    assert without_tags(html) == text


def test_many_open_brackets_take_no_time():
    assert len(without_tags("<a" * 200_000)) == 400_000


@pytest.mark.parametrize(
    ("before", "after"),
    [("12 34", " "), ("a1 1a 1_0", "a1 1a 1_0"), ("3.5", "."), ("٣ days", " days"), ("", "")],
)
def test_integers_go(before, after):
    assert without_integers(before) == after


def test_a_text_of_integers_alone_is_empty_without_them():
    assert shingles("12 34 56 78 90", strip=(without_integers,)) == set()


def test_strip_applies_in_order():
    text = "<b>7</b> roses are red today"
    assert shingles(text, strip=(without_tags, without_integers)) == shingles("roses are red today")


def test_boilerplate_lines_go():
    pages = [f"Home | Map\n\nPage about {what}\n (c) the harbour" for what in ("tides", "ferries", "fish")]
    common = common_lines(pages)
    assert common == {"Home | Map", "(c) the harbour"}
    assert shingles(pages[0], strip=[without_lines(common)]) == {("page", "about", "tides")}
    assert common_lines([]) == frozenset()
    with pytest.raises(ValueError, match="share is 2"):
        common_lines(pages, 2)
