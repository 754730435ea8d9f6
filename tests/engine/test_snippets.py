"""Snippets: joined they are text of the page, and what is marked is the query's."""

from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.engine.snippets import WIDTH, marked, snippet
from ircourse.text import tokenize

texts = st.text(st.sampled_from("ab ÀéİΣς,.\n-_\u0301'1"), max_size=120)


@given(texts, st.lists(st.sampled_from(["a", "b", "ab", "é", "i̇", "σ", "ς", "à"]), max_size=3))
@settings(max_examples=200, deadline=None)
def test_marked_pieces_are_the_text_and_each_term_of_the_query_is_one(text, terms):
    pieces = marked(text, set(terms))
    assert "".join(piece for piece, _ in pieces) == text
    assert all(tokenize(piece)[0] in terms for piece, mark in pieces if mark)
    assert all(
        not set(terms).intersection(tokenize(piece)) for piece, mark in pieces if not mark and piece.isascii()
    )


@given(texts, st.sets(st.sampled_from(["a", "b", "ab", "é"]), max_size=2), st.integers(5, 60))
@settings(max_examples=200, deadline=None)
def test_a_snippet_is_a_stretch_of_the_text(text, terms, width):
    shown = "".join(piece for piece, _ in snippet(text, terms, width))
    body = shown.removeprefix("… ").removesuffix(" …")
    assert body in " ".join(normalize("NFC", text).split()) and len(body) <= width + 40


def test_the_stretch_with_the_most_different_words_is_shown():
    text = "ferry " * 50 + "roses " * 50 + "the ferry has roses " + "inn " * 100
    shown = "".join(piece for piece, _ in snippet(text, {"ferry", "inn", "roses"}))
    assert "the ferry has roses inn" in shown and len(shown) <= WIDTH + 4


def test_words_within_words_are_not_found_and_long_texts_are_cut():
    assert not any(mark for _, mark in snippet("heather and feathers", {"eat", "he", "and_"}))
    assert snippet("x" * 500_000, {"x"})[0][0].startswith("x" * 100)
    assert snippet("", {"x"}) == ()
    assert snippet("İİİİ harbour " * 3, {"harbour"}, 20)[1] == ("harbour", True)


def test_a_page_without_the_words_shows_its_beginning():
    assert snippet("The ferry\n leaves at nine", {"roses"}) == (("The ferry leaves at nine", False),)


def test_marks_of_a_long_text_are_few_pieces():
    pieces = marked("word " * 50_000 + "ferry " * 3 + "word", {"ferry"})
    assert [text for text, is_marked in pieces if is_marked] == ["ferry"] * 3 and len(pieces) == 7
    assert len(pieces[0][0]) == 250_000


def test_a_text_with_marks_apart_from_their_letters():
    assert ("café", True) in snippet("x " * 300 + "the cafe\u0301 at the harbour", {"café"})
    assert marked("cafe\u0301!", {"café"}) == (("cafe\u0301", True), ("!", False))


@pytest.mark.parametrize("word", ["İstanbul", "H\u0331aifa", "ΟΔΟΣ", "İİİİİİİİ"])
def test_words_that_are_longer_or_shorter_in_lower_case_are_found(word):
    for text in (f"{'x ' * 300}by {word}, the harbour{' y' * 300}", f"{'İ ' * 300}by {word}."):
        assert (word, True) in snippet(text, set(tokenize(word)))


@given(texts.filter(lambda text: "Σ" not in text), st.sampled_from(["a", "b", "ab", "é", "i̇", "ς", "à"]))
@settings(max_examples=200, deadline=None)
def test_a_term_of_the_text_is_marked_in_its_snippet(text, term):
    assert any(mark for _, mark in snippet(text, {term}, 20)) == (term in tokenize(text))


def test_a_stretch_with_the_phrase_goes_first():
    text = "the old town harbour and the ferry " + "x " * 300 + "the OLD\n harbour is here " + "y " * 300
    words = {"old", "harbour", "ferry"}
    shown, named = snippet(text, words), snippet(text, words, phrases=[("old", "harbour")])
    assert ("ferry", True) in shown and ("ferry", True) not in named
    assert "the OLD harbour is here" in "".join(piece for piece, _ in named)
    assert snippet(text, words, phrases=[("harbour", "old")]) == shown
    assert snippet(text, {"old"}, phrases=[("old", "old")]) == snippet(text, {"old"})
