"""Presence by search: which words are asked for, and what the answer means."""

import pytest

from ircourse.indexsize import (
    SearchEngine,
    has_by_phrase,
    has_by_terms,
    rare_phrase,
    rare_terms,
    sample_dictionary,
)

WEB = ["a rose is a rose", "a rose by the harbour", "", "the old harbour by the sea"]


def test_the_dictionary_counts_documents():
    assert list(sample_dictionary(WEB).items())[:3] == [("a", 2), ("by", 2), ("harbour", 2)]
    assert sample_dictionary([]) == {}


def test_the_rarest_terms_come_first_unknown_ones_before_all():
    frequencies = {"a": 9, "by": 3, "harbour": 1, "the": 8}
    assert rare_terms(WEB[1], frequencies, 3) == ["rose", "harbour", "by"]
    assert rare_terms(WEB[1], frequencies) == ["rose", "harbour", "by", "the", "a"]
    assert rare_terms("", frequencies) == []
    assert rare_phrase(WEB[1], frequencies, 2) == "rose by"
    assert rare_phrase("the sea", frequencies, 5) == "the sea"
    assert rare_phrase("", frequencies) == ""
    for rare in (rare_terms, rare_phrase):
        with pytest.raises(ValueError, match="is 0"):
            rare("a rose", frequencies, 0)


@pytest.mark.parametrize("has", [has_by_terms, has_by_phrase])
def test_a_page_is_found_where_it_is_held(has):
    engine = SearchEngine(WEB, [1, 2, 3])
    assert [has(engine, page, frequencies={}) for page in range(4)] == [False, True, False, True]


@pytest.mark.parametrize("has", [has_by_terms, has_by_phrase])
def test_no_answer_is_neither_yes_nor_no(has):
    assert has(SearchEngine(WEB, timeouts=1), 1, frequencies={}) is None
    busy = SearchEngine(WEB, per_minute=1)
    assert [has(busy, 1, frequencies={}, tries=1) for _ in range(2)] == [True, None]
    assert has(busy, 1, frequencies={}, tries=2) is True


def test_a_page_among_too_many_results_is_missed():
    same = ["rose"] * 5
    assert [has_by_terms(SearchEngine(same, top=2), page, frequencies={}) for page in (0, 4)] == [True, False]
