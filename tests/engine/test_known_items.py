"""Known items on this Python's documentation, the whole site: the page that is meant stands high.

``bench engine_quality`` asks the same questions, and tells what each component adds.
"""

import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from known_items import QUESTIONS, documentation, mean_reciprocal, ranks, without

from ircourse.engine import COMPONENTS


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return documentation(tmp_path_factory.mktemp("documentation"))


def test_there_are_thirty_questions_for_as_many_modules_of_every_python():
    assert len(QUESTIONS) == 30
    assert set(Counter(question for question, _ in QUESTIONS).values()) == {1}
    assert set(Counter(page for _, page in QUESTIONS).values()) == {1}
    for _, page in QUESTIONS:
        module = urlsplit(page).path.removeprefix("/").removesuffix(".html")
        assert module.partition(".")[0] in sys.stdlib_module_names and find_spec(module)


def test_mean_reciprocal_rank():
    assert mean_reciprocal([1, 2, 4, float("inf")]) == pytest.approx(1.75 / 4)


def test_the_page_that_is_meant_stands_high(engine):
    assert not [page for _, page in QUESTIONS if page not in engine]
    found = ranks(engine)
    assert mean_reciprocal(found) >= 0.7, dict(zip(QUESTIONS, found, strict=True))


def test_the_text_finds_what_the_other_components_do_not(engine):
    assert mean_reciprocal(ranks(engine, without("text"))) < 0.5 < mean_reciprocal(ranks(engine))


def test_without_all_but_pagerank_nothing_is_found(engine):
    others = [component for component in COMPONENTS if component != "pagerank"]
    assert mean_reciprocal(ranks(engine, without(*others))) == 0
