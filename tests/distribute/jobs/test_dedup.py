"""Near-duplicates on a cluster: equal to the local function, whatever the parts."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.dedup import MinHasher, without_integers
from ircourse.dedup import near_duplicates as local
from ircourse.distribute import line_parts, near_duplicates, sketch_texts, text_names, warc_parts
from ircourse.distribute.jobs import dedup as module

WORDS = [f"{a}{b}" for a in ("ro", "da", "qua", "fer", "tid") for b in ("se", "sy", "ry", "y", "al", "on")]


def corpus(n, rng, length=14):
    """Texts of which a third are copies of earlier ones with 0 to 2 words changed; some are empty."""
    texts = [""]
    while len(texts) < n:
        words = rng.choice(texts).split() if rng.random() < 0.35 else rng.choices(WORDS, k=length)
        for _ in range(rng.choice([0, 0, 1, 2]) if words else 0):
            words[rng.randrange(len(words))] = rng.choice(WORDS)
        texts.append(" ".join(words))
    return texts


@pytest.mark.parametrize("parts", [None, 1, 3])
def test_equal_to_the_local_function(client, parts):
    texts = corpus(80, random.Random(parts or 0))
    found = near_duplicates(client, texts, threshold=0.5, k=2, permutations=40, parts=parts)
    expected = local(texts, threshold=0.5, k=2, permutations=40)
    assert found == expected
    assert len(found.pairs) > 5
    assert len(found.copies) > 5


def test_more_parts_than_texts(client):
    texts = corpus(9, random.Random(6))
    found = near_duplicates(client, texts, threshold=0.5, k=2, parts=500)
    assert found == local(texts, threshold=0.5, k=2)


@settings(max_examples=6)
@given(
    st.lists(st.sampled_from(["", "a", "a rose", "a rose is a rose", "a rose is a daisy"]), max_size=9),
    st.data(),
)
def test_any_texts_in_any_parts(client, texts, data):
    parts = data.draw(st.integers(1, 4))
    found = near_duplicates(client, texts, threshold=0.3, k=1, permutations=8, seed=3, parts=parts)
    assert found == local(texts, threshold=0.3, k=1, permutations=8, seed=3)


@pytest.mark.parametrize("cap", [2, 5])
def test_large_groups_are_capped_the_same(client, monkeypatch, cap):
    from ircourse.dedup import pairs

    rng = random.Random(1)
    page = rng.choices(WORDS, k=30)
    texts = []
    for _ in range(40):
        words = list(page)
        for _ in range(rng.randrange(4)):
            words[rng.randrange(30)] = rng.choice(WORDS)
        texts.append(" ".join(words))
    texts += corpus(30, rng)
    monkeypatch.setattr(module, "CAP", cap)
    monkeypatch.setitem(pairs.pairs_by_bands.__kwdefaults__, "cap", cap)
    for threshold in (0.4, 0.8):
        found = near_duplicates(client, texts, threshold=threshold, permutations=40, parts=5)
        assert found == local(texts, threshold=threshold, permutations=40)
        assert found.capped


def test_options_reach_the_workers(client):
    texts = ["page 1 of roses", "page 2 of roses", "Page 3 of daisies"]
    options = {"k": 3, "strip": (without_integers,), "characters": True, "seed": 9}
    found = near_duplicates(client, texts, **options)
    assert found == local(texts, **options)
    assert found.clusters == ((0, 1),)
    sketches = sketch_texts(client, texts, permutations=5, **options)
    expected = MinHasher(5, 9).sketch_texts(texts, 3, strip=(without_integers,), characters=True)
    assert np.array_equal(sketches, expected)


def test_sketches_in_the_order_of_the_texts(client):
    texts = corpus(50, random.Random(4))
    for parts in (1, 7, 50):
        assert np.array_equal(sketch_texts(client, texts, parts=parts), MinHasher().sketch_texts(texts))


def test_texts_of_files_with_their_names(client, tmp_path):
    texts = corpus(60, random.Random(5))
    (tmp_path / "a.txt").write_text("\n".join(texts[:40]) + "\n")
    (tmp_path / "b.txt").write_text("\n".join(texts[40:]) + "\n")
    parts = line_parts(tmp_path, 1500)
    assert len(parts) == 3
    assert near_duplicates(client, parts, threshold=0.5, k=2) == local(texts, threshold=0.5, k=2)
    names = text_names(client, parts)
    assert len(names) == 60
    assert names[40] == f"{tmp_path / 'b.txt'}@0"
    head = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://quay.example/{}\r\n"
    record = head + "Content-Length: 6\r\n\r\n"
    path = tmp_path / "c.warc"
    path.write_text("".join(record.format(i) + "a rose\r\n\r\n" for i in range(3)), newline="")
    assert near_duplicates(client, warc_parts(path, 1)).copies == {1: 0, 2: 0}
    assert text_names(client, warc_parts(path, 1))[2] == "http://quay.example/2"


def test_nothing_at_all(client, tmp_path):
    assert near_duplicates(client, []) == local([])
    assert sketch_texts(client, [], permutations=7).shape == (0, 7)
    (tmp_path / "empty.txt").write_text("")
    assert near_duplicates(client, line_parts(tmp_path)) == local([])
    assert text_names(client, []) == []


def test_wrong_arguments_are_told_as_locally(client):
    for threshold in (0, 1.1, float("nan")):
        with pytest.raises(ValueError, match="threshold is"):
            near_duplicates(client, ["a"], threshold=threshold)
    for job in (near_duplicates, sketch_texts):
        with pytest.raises(TypeError, match="texts are several"):
            job(client, "a rose")
        with pytest.raises(TypeError, match="text 1 is to be a str, not int: 3"):
            job(client, ["a", 3])
        with pytest.raises(ValueError, match="k is 0"):
            job(client, ["a"], k=0)
        with pytest.raises(ValueError, match="permutations is 0"):
            job(client, ["a"], permutations=0)
    with pytest.raises(TypeError, match="are no parts of texts"):
        text_names(client, ["a"])
