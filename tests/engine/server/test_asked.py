"""Parameters: what is taken, and what is refused in a sentence."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.engine import Weights
from ircourse.engine.server.asked import DEFAULT, Asked, AskedError, asked_of, number_of, parameters_of


def test_nothing_given_is_the_usual():
    asked = asked_of({})
    assert (asked.q, asked.page, asked.as_weights()) == ("", 1, Weights())


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.integers(1, 10**6), st.integers(0, 100))
def test_an_address_leads_back_to_what_was_asked(q, page, weight):
    asked = Asked(q, page, DEFAULT | {"title": str(weight)})
    assert asked_of(parameters_of(urlsplit(asked.path(page=page)).query)) == asked


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("q=%ff", "UTF-8"),
        ("&".join(f"a{i}=1" for i in range(31)), "more than 30"),
        ("page=0", "page is '0'"),
        ("page=-1", "page is '-1'"),
        ("page=x", "page is 'x'"),
        ("page=99999999999", "page is"),
        ("page=%D9%A1", "page is"),
        ("text=x", "no number"),
        ("text=-1", "weight of text"),
        ("text=nan", "weight of text"),
        ("text=1e999", "weight of text"),
        ("text=0&title=0&anchors=0&pagerank=0&lsi=0", "all weights are 0"),
    ],
)
def test_what_is_refused(query, why):
    with pytest.raises(AskedError, match=why):
        asked_of(parameters_of(query)).as_weights()


def test_numbers():
    with pytest.raises(AskedError, match=r"n is '1\.5'"):
        number_of({"n": "1.5"}, "n", 10)
