"""What cannot be asked, and what weights and numbers cannot be."""

import math
import sys
from pathlib import Path

import pytest

from ircourse.engine import Engine, QueryError, Weights

sys.path.insert(0, str(Path(__file__).parent))
from small import small_pages


@pytest.fixture(scope="module")
def engine():
    return Engine.build(small_pages())


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", "has no words"),
        (" \t\n ?!", "has no words"),
        ("x" * 100_000, "has 100,000 characters: give at most 1,000"),
        ("a\0b", "U+0000"),
        ("a\x1b[31m", "U+001B"),
        ("a\ud800", "U+D800"),
        (" ".join(f"w{i}" for i in range(65)), "65 words"),
        (None, "NoneType"),
    ],
)
def test_what_cannot_be_asked_gets_one_clear_error(engine, query, says):
    for ask in (engine.search, engine.suggest, engine.hubs_and_authorities):
        with pytest.raises(QueryError) as error:
            ask(query)
        assert says in str(error.value) and len(str(error.value)) < 200


@pytest.mark.parametrize("value", [-1, 1.5, None, "3"])
def test_numbers_are_checked(engine, value):
    with pytest.raises(ValueError, match="whole number"):
        engine.search("town", n=value)
    with pytest.raises(ValueError, match="whole number"):
        engine.search("town", offset=value)


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "1", True])
def test_weights_are_checked(value):
    with pytest.raises(ValueError, match="weight of lsi"):
        Weights(lsi=value)


def test_all_weights_zero_is_an_error():
    with pytest.raises(ValueError, match="all weights are 0"):
        Weights(0, 0, 0, 0, 0)
