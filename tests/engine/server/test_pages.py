"""Answers without a server: addresses of any length make pages of a bounded size."""

from ircourse.engine import Engine, SourcePage
from ircourse.engine.server.asked import Asked
from ircourse.engine.server.other_pages import kept_page, pages_like
from ircourse.engine.server.results_page import found

LONG = "http://long.org/" + "a" * 100_000
TEXT = "the long page of the harbour has a crane, a quay and a mole and is copied word for word"


def test_an_address_of_any_length_makes_no_long_page():
    addresses = [LONG, LONG + "b", "http://a.example/" + "c" * 100_000]
    engine = Engine.build([SourcePage(url, TEXT, "Long", [LONG]) for url in addresses])
    results = engine.search("harbour")
    assert results.hits[0].url == LONG and len(results.hits[0].mirrors) == 2
    answer = found(results, Asked("harbour"))
    assert len(answer) < 8_000 and "<span>Long</span>" in answer and "Text kept" not in answer
    for url in addresses:
        assert len(kept_page(engine.page(url))) < 4_000
        assert len(pages_like(url, "Long", engine.related(url))) < 4_000
