"""Two texts word against word, and pictures of clusters."""

import base64
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.dedup import Duplicates, Pairs, near_duplicates
from ircourse.show import near_copies
from ircourse.show.controls import HOSTILE
from ircourse.show.dedup import show_clusters, show_differences

WORDS = st.lists(st.sampled_from("abcd"), max_size=40)


def html(still):
    return still._repr_mimebundle_()["text/html"]


def svg(still):
    return base64.b64decode(re.search(r"base64,([^\"]+)", html(still))[1]).decode()


def made(clusters, pairs=(), copies=None):
    i, j, estimate = (np.array(column) for column in zip(*pairs, strict=True)) if pairs else ([], [], [])
    found = Pairs(np.array(i, np.int64), np.array(j, np.int64), np.array(estimate, float))
    return Duplicates(tuple(map(tuple, clusters)), copies or {}, found, ())


@settings(max_examples=60)
@given(WORDS, WORDS)
def test_all_words_are_shown_or_counted(a, b):
    found = show_differences(" ".join(a), "\n".join(b))
    assert (found.places == 0) == (a == b)
    at = [0, 0]
    for row in found.rows:
        if isinstance(row, int):
            assert a[at[0] : at[0] + row] == b[at[1] : at[1] + row]
            at = [x + row for x in at]
            continue
        for place in row:
            assert (place.a, place.b) == (a[at[0] : at[0] + len(place.a)], b[at[1] : at[1] + len(place.b)])
            assert place.same == (place.a == place.b)
            at = [at[0] + len(place.a), at[1] + len(place.b)]
    assert at == [len(a), len(b)]


def test_differences_are_marked_by_more_than_colour():
    found = show_differences("at nine every day", "at ten every day and night", ("old", "new"), notice="See.")
    text = html(found)
    assert re.search(r"<strong [^>]*line-through[^>]*>nine</strong>", text)
    assert re.search(r"<strong [^>]*underline[^>]*>and night</strong>", text)
    assert "See." in text and ">old</th>" in text
    says = "old and new differ at 2 places: “nine” against “ten”; nothing against “and night”."
    assert found._repr_mimebundle_()["text/plain"] == says and says in text
    assert html(found) == html(
        show_differences("at nine every day", "at ten every day and night", ("old", "new"), notice="See.")
    )


def test_texts_with_the_same_words_have_no_table():
    found = show_differences("a  rose\n", "a rose")
    assert found.alt == "A and B have the same words in the same order."
    assert "<table" not in html(found) and "<table" not in html(show_differences("", ""))


def test_many_and_long_differences_are_counted():
    a = " ".join(f"same{i} odd{i}" for i in range(60))
    found = show_differences(a, a.replace("odd", "even"))
    assert found.places == 60 and len(found.shown) == 40
    assert "and 20 more places where they differ" in html(found) and "; and 55 more." in found.alt
    far = " ".join(f"same{i}" if i % 30 else f"odd{i}" for i in range(1800))
    assert "and 20 more places" in html(show_differences(far, far.replace("odd", "even")))
    long = show_differences("x" * 10**6, "y " * 500)
    assert len(html(long)) < 6000 and "and 380 more words" in html(long)
    with pytest.raises(ValueError, match="20,001 words are too many"):
        show_differences("", "rose " * 20_001)


def test_hostile_words_and_names_are_escaped():
    found = show_differences(HOSTILE, "rose", (HOSTILE, "<b>"), notice=HOSTILE)
    still = show_clusters(made([(0, 1)], [(0, 1, 0.9)]), [HOSTILE, "</svg><script>"], notice=HOSTILE)
    for text in (html(found), html(still), svg(still)):
        assert "<img src=x" not in text and "<script" not in text and "<b>" not in text


def test_clusters_show_pairs_and_copies():
    page = "the ferry leaves the old harbour at nine every morning except on sundays in winter"
    texts = [page, "no ferry", page, f"{page} and at noon"]
    still = show_clusters(near_duplicates(texts, threshold=0.6), list("ABCD"))
    assert still.alt == "1 cluster of 3 texts, 1 of them exact copies of another. The largest holds 3 texts."
    assert still.rows[1:] == [[1, "A", "C", "exact copy"], [1, "A", "D", "0.840"]]
    assert svg(still).count("<path") == 2 and svg(still).count('stroke-dasharray="2 3"') == 2


def test_a_pair_tells_its_similarity():
    assert "0.90" in svg(show_clusters(made([(0, 2)], [(0, 2, 0.9)]), "ABC"))
    assert "exact copy" in svg(show_clusters(made([(0, 2)], copies={2: 0}), "ABC"))


def test_the_largest_clusters_are_drawn_and_the_rest_counted():
    sizes = [2] * 30 + [50, 3]
    starts = [sum(sizes[:n]) for n in range(len(sizes))]
    clusters = [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]
    pairs = [(c[0], other, 0.9) for c in clusters for other in c[1:]]
    names = [f"text {i}" for i in range(sum(sizes))]
    still = show_clusters(made(clusters, pairs), names)
    picture = svg(still)
    assert picture.count(">text ") == 15 + 3 + 2 * 21 <= near_copies.MOST_BOXES
    assert "and 35 more texts" in picture and "Cluster 1: 50 texts" in picture
    assert still.alt.endswith("The largest holds 50 texts. 23 are drawn.")
    assert len(still.rows) == 1 + 14 + 2 + 21


def test_no_clusters_and_too_few_names():
    still = show_clusters(made([]), [])
    assert still.alt == "No text is like another: there are no clusters." and "<svg" in svg(still)
    with pytest.raises(ValueError, match="2 names for texts 0 to 2 and more"):
        show_clusters(made([(0, 2)]), "AB")
