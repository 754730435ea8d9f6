"""Tokenising: the plain version against its definition, the fast one against the plain one."""

import subprocess
import sys
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ircourse import text as module
from ircourse.text import term_hash, term_hashes, term_ids, tokenize

EVERY_SCRIPT = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates too
FEW_LETTERS = st.text(
    st.sampled_from("aAσΣςİıIẞﬁ H\u0331\u0307\u0301e\u0345नम\u094dK.'_-2²½Ⅷ٣\u200d\u00ad\0\n東😀\ud800"),
    max_size=30,
)
TEXT = EVERY_SCRIPT | FEW_LETTERS


def normal(text):
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())


def in_a_term(character):
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def by_definition(text):
    terms, term = [], ""
    for c in [*normal(text), " "]:
        if in_a_term(c):
            term += c
        elif term:
            terms.append(term)
            term = ""
    return terms


def split(values, offsets):
    return [list(values[a:b]) for a, b in pairwise(offsets)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        (" \t.,;-", []),
        ("A rose is a ROSE", ["a", "rose", "is", "a", "rose"]),
        ("it's e-mail", ["it", "s", "e", "mail"]),
        ("snake_case __x", ["snake_case", "__x"]),
        ("CO₂ 19.6 Ⅷ ½ ٣٤", ["co₂", "19", "6", "ⅷ", "½", "٣٤"]),
        ("cafe\u0301 CAF\u00c9", ["café", "café"]),
        ("Å \u212b A\u030a", ["å", "å", "å"]),  # the Ångström sign is the letter
        ("H\u0331 \u1e96", ["\u1e96", "\u1e96"]),  # composes only once it is lower case
        ("İI", ["i\u0307i"]),
        ("straße STRASSE", ["straße", "strasse"]),
        ("ΣΟΦΟΣ ΣΑΣ.", ["σοφος", "σας"]),
        ("ΑΣ'Β", ["ασ", "β"]),  # Unicode's rule for the final sigma looks past an apostrophe
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("தமிழ் ภาษาไทย", ["தமிழ்", "ภาษาไทย"]),
        ("\u0301a a\u0301\u0327", ["\u0301a", "a\u0327\u0301"]),
        ("東京の港。", ["東京の港"]),
        ("a\0b", ["a", "b"]),
        ("a\u00adb\u200dc", ["a", "b", "c"]),  # soft hyphen and joiner are format characters
        ("ab😀cd", ["ab", "cd"]),
        ("𝒜𐐀 \U0001d165x", ["𝒜𐐨", "\U0001d165x"]),
        ("a\ud800b", ["a", "b"]),
    ],
)
def test_terms(text, terms):
    expected = [unicodedata.normalize("NFC", t) for t in terms]
    assert tokenize(text) == by_definition(text) == expected


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("東京 の\u3000港。", ["東", "京", "の", "港", "。"]),
        ("مرحبا", list("مرحبا")),
        ("ab😀cd", ["a", "b", "😀", "c", "d"]),
        ("Cafe\u0301\n", ["c", "a", "f", "é"]),
        ("\ud800\0", ["\ud800", "\0"]),
    ],
)
def test_characters(text, terms):
    assert tokenize(text, characters=True) == terms


@given(TEXT)
def test_tokenize_is_its_definition(text):
    assert tokenize(text) == by_definition(text)
    assert tokenize(text, characters=True) == [c for c in normal(text) if not c.isspace()]


@given(TEXT)
def test_canonically_equal_texts_have_equal_terms(text):
    assert tokenize(unicodedata.normalize("NFD", text)) == tokenize(text)


MARKS = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c)[0] == "M"]
SOME_MARKS = st.text(st.sampled_from("\u0301\u0327\u0345\u0344\u0f73\u0f71\u034f\U0001d165\U00010400"))
LONG_RUNS = st.lists(FEW_LETTERS | st.tuples(SOME_MARKS, st.integers(0, 40)).map(lambda p: p[0] * p[1]))


@given(LONG_RUNS.map("".join))
@example("e" + "\u0301\u0327" * 15)
@example("." * 9 + "\u0301\u0327" * 15 + "\u0301.")
def test_long_runs_of_marks_keep_their_terms(text):
    assert tokenize(text) == by_definition(text)
    ids, _, terms = term_ids([text])
    assert [terms[i] for i in ids] == tokenize(text)


def test_every_mark_in_a_long_run():
    rng = np.random.default_rng(0)
    for size in (31, 32, 600, len(MARKS)):
        text = "e" + "".join(rng.permutation(MARKS)[:size])
        assert tokenize(text) == by_definition(text)


@pytest.mark.parametrize("pair", ["\u0301\u0327", "\u0f73", "\u0f71\u0f72\u0344", "\U0001d165\U0001e8d0"])
def test_a_page_of_nothing_but_marks(pair):
    (term,) = tokenize("a" + pair * 150_000)  # for minutes where each mark passes half of the others
    assert term_hashes(["a" + pair * 150_000])[0].tolist() == [term_hash(term)]


@given(TEXT)
def test_a_term_is_its_own_only_term(text):
    assert all(tokenize(term) == [term] for term in tokenize(text))


@pytest.mark.parametrize("bad", [None, b"rose", 3, ["a rose"]])
def test_what_is_not_a_text_is_named(bad):
    with pytest.raises(TypeError, match=type(bad).__name__):
        tokenize(bad)
    with pytest.raises(TypeError, match=f"text 1 .*{type(bad).__name__}"):
        term_hashes(["a", bad])
    with pytest.raises(TypeError, match="text 1 "):
        term_ids(["a", bad])


def test_one_text_in_place_of_several_is_refused():
    with pytest.raises(TypeError, match=r"write \['a rose'\]"):
        term_hashes("a rose")


@given(st.lists(TEXT, max_size=5), st.booleans())
@example([], False)
@example(["", "ab", "", "c" * 300, ""], True)
def test_fast_is_plain(texts, characters):
    plain = [tokenize(text, characters) for text in texts]
    hashes, offsets = term_hashes(iter(texts), characters)
    assert (hashes.dtype, offsets.dtype, len(offsets)) == (np.uint64, np.int64, len(texts) + 1)
    assert split(hashes.tolist(), offsets) == [[term_hash(t) for t in terms] for terms in plain]
    ids, offsets, terms = term_ids(iter(texts), characters)
    assert (ids.dtype, offsets.dtype) == (np.int32, np.int64)
    assert terms == list(dict.fromkeys(t for terms in plain for t in terms))
    assert [[terms[i] for i in row] for row in split(ids, offsets)] == plain


def test_every_code_point_fast_is_plain():
    text = "".join(f"a{chr(c)}" for c in range(sys.maxunicode + 1))
    plain = tokenize(text)
    ids, _, terms = term_ids([text])
    assert [terms[i] for i in ids] == plain
    hashes, _ = term_hashes([text])
    assert hashes[::50].tolist() == [term_hash(t) for t in plain[::50]]


def test_a_term_split_over_two_texts_is_two_terms():
    assert split(term_ids(["ab", "c"])[0], term_ids(["ab", "c"])[1]) == [[0], [1]]
    assert term_hashes(["ab", "c"])[0].tolist() == [term_hash("ab"), term_hash("c")]


def fnv_then_splitmix(data):
    """Return the hash once more, from the published constants in decimal."""
    h = 14695981039346656037
    for byte in data:
        h = (h ^ byte) * 1099511628211 & (1 << 64) - 1
    for shift, factor in ((30, 13787848793156543929), (27, 10723151780598845931), (31, 1)):
        h = (h ^ h >> shift) * factor & (1 << 64) - 1
    return h


@given(TEXT)
def test_the_hash_is_the_published_one(text):
    assert term_hash(text) == fnv_then_splitmix(text.encode("utf-8", "surrogatepass"))


def test_the_hash_is_the_same_in_another_process():
    code = "from ircourse.text import *; print(term_hash('rose'), *term_hashes(['a rose é'])[0])"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.split() == [str(term_hash(t)) for t in ["rose", "a", "rose", "é"]]
    assert term_hash("rose") == 0x54B10C8BCB6F2BE8


def test_hashes_spread():
    hashes = np.array([term_hash(str(i)) for i in range(20_000)], np.uint64)
    bits = (hashes[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert len(set(hashes.tolist())) == 20_000
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.02


@pytest.mark.parametrize("number", [module._number, module._number.plain], ids=["compiled", "plain"])
def test_equal_hashes_of_different_terms_do_no_harm(number):
    data, _, _, starts, ends = module._scanned(["ab ac ab b abc ac"], False)
    hashes = np.zeros(len(starts), np.uint64)
    ids, first = np.empty(len(starts), np.int32), np.empty((len(starts), 2), np.int64)
    n = number(np.frombuffer(data, np.uint8), hashes, starts, ends, np.zeros(16, np.int32), ids, first)
    assert (n, ids.tolist(), first[:n].tolist()) == (
        4,
        [0, 1, 0, 2, 3, 1],
        [[0, 2], [3, 5], [9, 10], [11, 14]],
    )


@given(st.lists(TEXT, max_size=3), st.booleans())
def test_without_a_compiler_the_loops_give_the_same(texts, characters):
    compiled = term_ids(texts, characters), term_hashes(texts, characters)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_scan", "_number", "_same"):
            patch.setattr(module, name, getattr(module, name).plain)
        plain = term_ids(texts, characters), term_hashes(texts, characters)
    assert compiled[0][0].tolist() == plain[0][0].tolist() and compiled[0][2] == plain[0][2]
    assert compiled[1][0].tolist() == plain[1][0].tolist()
