"""Spelling against a plain distance, and the rules of what is nearest."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.engine.spelling import Spelling

words = st.text(st.sampled_from("abcdé"), min_size=1, max_size=7)


def distance(a, b):
    """Restricted Damerau distance, as the definition has it."""
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            ways = [table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a[i - 1] != b[j - 1])]
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                ways.append(table[i - 2, j - 2] + 1)
            table[i, j] = min(ways)
    return table[len(a), len(b)]


@given(st.dictionaries(words, st.integers(1, 9), max_size=25), words)
@settings(max_examples=150, deadline=None)
def test_the_nearest_is_that_of_all_distances(frequencies, word):
    limit = 1 if len(word) < 5 else 2
    near = [(distance(word, w), -n, w) for w, n in frequencies.items() if distance(word, w) <= limit]
    assert Spelling(frequencies).nearest(word) == (min(near)[2] if near else None)


def test_each_kind_of_slip_is_mended():
    spelling = Spelling({"harbour": 3, "quay": 2, "ferry": 5})
    for slip in ("habrour", "harbor", "harbouur", "harbeur", "hrabuor"):
        assert spelling.nearest(slip) == "harbour"
    assert spelling.nearest("quya") == "quay" and spelling.nearest("kway") is None


def test_words_that_cannot_be_mended():
    assert Spelling({}).nearest("word") is None
    assert Spelling({"x" * 50: 1, "": 1}).nearest("x" * 40) is None
    assert Spelling({"word": 1}).nearest("x" * 100_000) is None
    assert Spelling({"word": 1}).nearest("") is None
