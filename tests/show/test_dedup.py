"""The explorers of near-duplicates: what is watched is what the package computes; hostile and odd texts."""

import math
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.dedup import MinHasher, hamming, jaccard, shingle_ids, shingles, simhash, similarity
from ircourse.show import bands, dedup, min_hash, orders
from ircourse.show.controls import HOSTILE
from ircourse.show.simhash import adding
from ircourse.show.svg import ATTRIBUTES, TAGS

TEXT = st.lists(st.sampled_from(["rose", "a", "is", "tulip", "東京", "<b>"]), max_size=9).map(" ".join)
COLUMN = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=n, max_size=n)
)


class Safe(HTMLParser):
    """Fails on any tag or attribute that pictures do not need."""

    def handle_starttag(self, tag, attrs):
        assert tag in {t.lower() for t in TAGS}, tag
        known = {a.lower() for a in ATTRIBUTES}
        assert all(name in known or name.startswith("aria-") for name, _ in attrs), attrs


@settings(max_examples=15, deadline=None)
@given(TEXT, TEXT, st.integers(1, 3))
def test_the_sketching_that_is_watched_is_the_one_that_is_computed(a, b, k):
    steps = min_hash.sketching(a, b, k)
    ids = [shingle_ids(text, k) for text in (a, b)]
    hasher = MinHasher(200)
    sketches = [hasher.sketch(side) for side in ids]
    assert len(steps) == 203
    assert [step.shown for step in steps[:5]] == [1, 2, 3, 4, 4]
    assert steps[-1].agreed[-1] == round(200 * similarity(*sketches))
    assert steps[-1].exact == jaccard(*ids)
    assert set(steps[0].names.values()) == {" ".join(s) for s in shingles(a, k) | shingles(b, k)}
    for i, step in enumerate(steps[3:]):
        least = [stages[3].minimum for stages in step.stages]
        assert least == [int(s[i]) if len(side) else None for s, side in zip(sketches, ids, strict=True)]
        before = step.agreed[-2] if i else 0
        assert step.agreed[-1] - before == (least[0] == least[1])


def test_only_shared_shingles_look_shared():
    step = min_hash.sketching("a rose is a rose", "a rose is a tulip", 2)[3]
    seen = {name: step.looks[h] for h, name in step.names.items()}
    assert seen == {"a rose": "shared", "is a": "shared", "rose is": "shared", "a tulip": "b"}
    assert set(step.looks.values()) == {"shared", "b"}


def test_texts_without_shingles_have_no_minimum_and_are_alike():
    steps = min_hash.sketching("", "...", 2)
    assert steps[-1].exact == 1 and steps[-1].agreed[-1] == 200
    explorer = dedup.watch_min_hash("", "")
    assert "no shingle" in str(explorer.picture()) and "minimum of A" in str(explorer.static())


def test_long_texts_are_told():
    assert min_hash.short_text("rose " * 40)
    with pytest.raises(ValueError, match="41 words are too many"):
        min_hash.short_text("rose " * 41)
    explorer = dedup.watch_simhash()
    before = explorer._view.value
    explorer.controls["text_b"].widget.value = "rose " * 41
    assert "41 words" in explorer._says.value and explorer._view.value == before


@settings(max_examples=60)
@given(COLUMN)
def test_over_all_orders_the_share_that_agrees_is_the_jaccard_coefficient(rows):
    text = "\n".join(" ".join(str(row[side]) for row in rows) for side in (0, 1))
    if not any(map(any, rows)):
        with pytest.raises(ValueError, match="Both columns are empty"):
            orders.parse_columns(text)
        return
    assert orders.parse_columns(text) == tuple(rows)
    trace = orders._states(tuple(rows))
    assert len(trace) == len({state.order for state in trace}) == math.factorial(len(rows))
    a, b = ({i for i, row in enumerate(rows) if row[side]} for side in (0, 1))
    assert trace[-1].agreed[-1] == len(trace) * len(a & b) // len(a | b)
    for state in trace:
        before = state.agreed[state.number - 2] if state.number > 1 else 0
        assert state.shared == (state.agreed[state.number - 1] > before)


def test_figure_19_9():
    explorer = dedup.agree_by_order()
    explorer.go(719)
    assert "288 of 720 agree, a share of 0.400; J is 2/5. These are all" in explorer.alt()
    assert orders.counts(orders.parse_columns(orders.FIGURE)) == {"C00": 1, "C01": 2, "C10": 1, "C11": 2}


def test_of_ten_rows_a_sample_of_orders_is_tried():
    drawn = orders.orders_of(10)
    assert all(sorted(order) == list(range(10)) for order in drawn)
    firsts = np.bincount([order[0] for order in drawn], minlength=10)
    assert len(drawn) == 720 and firsts.min() > 40 and firsts.max() < 110


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "0 lines: write two"),
        ("1 0", "1 line: write two"),
        ("1 0\n0 1\n1 1", "3 lines"),
        ("1 2\n0 1", "0 and 1, not '2'"),
        ("1 0 1\n0 1", "3 and 2 rows"),
        ("1" * 11 + "\n" + "1" * 11, "at most 10"),
        ("0 0\n0 0", "write at least one 1"),
    ],
)
def test_columns_that_cannot_be_read_are_told(text, says):
    with pytest.raises(ValueError, match=says):
        orders.parse_columns(text)


@pytest.mark.parametrize(("t", "h"), [(28, 7), (1, 25), (200, 1), (200, 3)])
def test_bands_find_what_the_sketches_say(t, h):
    explorer = dedup.s_curve()
    explorer.controls["bands"].widget.value = t
    explorer.controls["rows"].widget.value = h
    state = explorer.trace[0]
    assert state.bands == min(t, 200 // h)
    assert (f"{state.bands} of {t} are used" in explorer.alt()) == (state.bands < t)
    sketches = bands.pairs_of_sets(MinHasher(200))
    same = sketches[0::2] == sketches[1::2]
    hit = same[:, : state.bands * h].reshape(len(same), state.bands, h).all(axis=2).any(axis=1)
    assert list(state.found.values()) == hit.reshape(-1, 40).sum(axis=1).tolist()
    assert list(state.found) == pytest.approx([i / 20 for i in range(1, 21)])
    assert same.mean(axis=1).reshape(-1, 40).mean(axis=1) == pytest.approx(list(state.found), abs=0.02)


@settings(max_examples=30, deadline=None)
@given(TEXT, TEXT)
def test_word_by_word_ends_in_the_simhash(a, b):
    steps = adding(a, b)
    last = steps[-1]
    assert last.hashes == (simhash(a), simhash(b))
    assert sum(last.differ) == hamming(*last.hashes)
    assert steps[0].hashes == (0, 0) and len(steps) == 1 + max(map(len, last.words))


def test_a_shorter_text_waits():
    explorer = dedup.watch_simhash("a rose", "a rose is a rose")
    explorer.buttons["end"].click()
    assert "B adds “rose”" in explorer.alt() and "A adds" not in explorer.alt()
    assert "no word" in str(explorer.picture())


@pytest.mark.parametrize("make", [dedup.watch_min_hash, dedup.watch_simhash])
def test_hostile_texts_stay_text(make):
    explorer = make(HOSTILE, f"</svg><script>alert(1)</script> {HOSTILE}")
    explorer.fold.click()
    for step in range(min(len(explorer.trace), 8)):
        explorer.go(step)
        for html in (explorer._says.value, explorer._view.value, explorer._twin.value):
            Safe().feed(html)
    explorer.drive(4)


@pytest.mark.parametrize("make", [dedup.watch_min_hash, dedup.watch_simhash, dedup.agree_by_order])
def test_every_step_is_told_with_its_own_words(make):
    explorer = make()
    told = [explorer._describe(state) for state in explorer.trace]
    assert len(set(told)) == len(told)
    for state in (explorer.trace[0], explorer.trace[-1]):
        heads, *rows = explorer._table(state)
        assert rows and {len(row) for row in rows} == {len(heads)}
