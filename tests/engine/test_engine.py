"""The engine on a small collection: what is found, why, and what else it tells."""

import math
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.engine import COMPONENTS, Engine, SourcePage, Weights
from ircourse.links import pagerank
from ircourse.text import tokenize
from ircourse.types import Link, Page

sys.path.insert(0, str(Path(__file__).parent))
from small import COPY, DATE, FERRY, INN, ROSES, TOWN, TULIPS, small_pages

TEXT_ONLY = Weights(text=1, title=0, anchors=0, pagerank=0, lsi=0)


@pytest.fixture(scope="module")
def engine():
    return Engine.build(small_pages())


def urls(results):
    return [hit.url for hit in results.hits]


def test_a_hit_has_all_that_a_page_of_results_shows(engine):
    hit = engine.search("town").hits[0]
    assert (hit.url, hit.title, hit.date, hit.mirrors) == (TOWN, "The town", DATE, ())
    assert ("town", True) in hit.snippet
    assert hit.title_pieces == (("The ", False), ("town", True))
    assert list(hit.parts) == list(COMPONENTS)
    assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-12)
    assert 0 < hit.score < 1


def test_copies_are_folded_under_the_page_that_others_link_to(engine):
    found = engine.search("ferry")
    assert FERRY in urls(found) and COPY not in urls(found)
    assert found.hits[0].mirrors == (COPY,)
    assert engine.page(COPY).stands_for == FERRY


def test_a_page_is_found_by_what_others_call_it_and_by_links_to_its_copy(engine):
    by_anchor = engine.search("timetable", weights=Weights(text=0, title=0, anchors=1, pagerank=0, lsi=0))
    assert urls(by_anchor) == [FERRY]
    assert urls(engine.search("sailings"))[0] == FERRY  # said of the copy


def test_nofollow_says_nothing():
    pages = [
        SourcePage("http://a.example/", links=[Link("http://b.example/", "secret", True)]),
        SourcePage("http://b.example/", "roses"),
    ]
    assert Engine.build(pages).search("secret").total == 0


def test_a_phrase_is_found_as_such(engine):
    assert urls(engine.search('"old harbour"', weights=TEXT_ONLY)) == [FERRY]
    assert engine.search('"harbour old"', weights=TEXT_ONLY).total == 0


def test_text_alone_is_bm25_over_its_bound(engine):
    """The formula of the module, by hand."""
    kept = [page for page in small_pages() if page.url != COPY]
    words = {page.url: tokenize(page.text) for page in kept}
    mean = sum(map(len, words.values())) / len(kept)
    scores, bound = dict.fromkeys(words, 0.0), 0.0
    for term in ("harbour", "quay", "ferry"):
        df = sum(term in terms for terms in words.values())
        idf = math.log(1 + (len(kept) - df + 0.5) / (df + 0.5))
        bound += idf * 2.2
        for url, terms in words.items():
            tf = terms.count(term)
            scores[url] += idf * 2.2 * tf / (tf + 1.2 * (0.6 + 0.4 * len(terms) / mean))
    found = engine.search("harbour quay ferry", weights=TEXT_ONLY)
    expected = {url: score / bound for url, score in scores.items() if score > 0}
    assert {hit.url: hit.score for hit in found.hits} == pytest.approx(expected, abs=1e-12)


def test_pagerank_is_that_of_the_pages_kept(engine):
    links = [(TOWN, FERRY), (TOWN, INN), (TOWN, ROSES), (FERRY, TOWN), (INN, FERRY), (ROSES, TULIPS)]
    scores = pagerank(links).as_dict()
    for url, score in scores.items():
        assert engine.page(url).pagerank == pytest.approx(5 * score, abs=1e-9)
        x = 5 * score
        component = engine.search("harbour ferry roses tulips", weights=Weights(1, 0, 0, 1, 0))
        share = next(hit.parts["pagerank"] for hit in component.hits if hit.url == url)
        assert share == pytest.approx(0.5 * x / (1 + x), abs=1e-9)


def test_pagerank_alone_is_no_result(engine):
    assert engine.search("harbour", weights=Weights(0, 0, 0, 1, 0)).total == 0


def test_concepts_find_pages_without_the_word():
    sea = ["wave", "tide", "sail", "mast", "deck", "crew", "wind", "keel", "rope", "buoy"]
    texts = [
        f"{v} {' '.join((sea * 2)[i : i + 6])} x{i // 2} y{i % 3}"
        for v in ("ship", "boat")
        for i in range(10)
    ]
    ships = [SourcePage(f"http://sea{i}.example/", text) for i, text in enumerate(texts)]
    roses = [SourcePage(f"http://rose{i}.example/", "rose garden tulip") for i in range(4)]
    found = Engine.build(ships + roses, threshold=2).search("boat", 100)
    without = [hit for hit in found.hits if "sea" in hit.url and not hit.parts["text"]]
    assert without and all(hit.parts["lsi"] > 0 for hit in without)
    assert not any("rose" in hit.url for hit in found.hits)


def test_pages_of_results_follow_each_other(engine):
    every = urls(engine.search("the harbour ferry roses", 100))
    assert len(every) == len(set(every)) == engine.search("the harbour ferry roses").total
    assert [
        url for i in range(len(every)) for url in urls(engine.search("the harbour ferry roses", 1, i))
    ] == every
    assert engine.search("harbour", offset=99).hits == ()


def test_other_weights_rank_the_same_candidates(engine, monkeypatch):
    first = engine.search("harbour ferry")
    monkeypatch.setattr(engine.retrieval, "candidates", None)  # would fail if asked again
    again = engine.search("harbour ferry", weights=Weights(text=0, title=1, anchors=0, pagerank=0, lsi=0))
    assert urls(again) != urls(first)


@given(st.lists(st.floats(0, 100), min_size=5, max_size=5).filter(lambda w: sum(w) > 1e-3))
@settings(max_examples=30, deadline=None)
def test_shares_are_the_components_weighed(weights):
    engine = _built()
    candidates = engine.candidates("harbour ferry roses")
    results = engine.search("harbour ferry roses", 100, weights=Weights(*weights))
    for hit in results.hits:
        components = candidates.parts[candidates.rows.tolist().index(engine.collection.kept.index(hit.url))]
        assert components.min() >= 0 and components.max() <= 1 + 1e-12
        expected = [w / sum(weights) * c for w, c in zip(weights, components.tolist(), strict=True)]
        assert list(hit.parts.values()) == pytest.approx(expected, abs=1e-12)
    scores = [round(hit.score, 11) for hit in results.hits]
    assert scores == sorted(scores, reverse=True)


_ENGINES = []


def _built():
    if not _ENGINES:
        _ENGINES.append(Engine.build(small_pages()))
    return _ENGINES[0]


def test_unknown_words_are_told_and_mended(engine):
    found = engine.search("harbuor ferry zzzzzzzzz")
    assert found.unknown == ("harbuor", "zzzzzzzzz")
    assert found.suggestion == engine.suggest("harbuor ferry zzzzzzzzz") == "harbour ferry zzzzzzzzz"
    assert engine.search("harbour").suggestion is None
    assert engine.suggest('"old harbuor" inn') == '"old harbour" inn'
    assert engine.search("qqqqqqqq").total == 0


def test_related_pages(engine):
    assert engine.related(ROSES)[0].url == TULIPS
    assert engine.related(COPY, 3) == engine.related(FERRY, 3)
    assert all(page.url != FERRY for page in engine.related(FERRY))
    assert len(engine.related(TOWN, 1)) <= 1 and engine.related(TOWN, 0) == []
    with pytest.raises(KeyError, match="no page of this engine"):
        engine.related("http://nowhere.example/")


def test_hubs_and_authorities(engine):
    found = engine.hubs_and_authorities("harbour inn ferry roses")
    assert found.hubs[0].url == TOWN
    assert found.authorities[0].url == FERRY
    assert not found.within_hosts and found.links == 5  # the one between the garden's pages left out


def test_hubs_within_a_host_and_without_links():
    site = [
        SourcePage("http://a.example/", "rose", links=["http://a.example/x"]),
        SourcePage("http://a.example/x", "tulip"),
    ]
    found = Engine.build(site).hubs_and_authorities("rose")
    assert found.within_hosts and [page.url for page in found.authorities] == ["http://a.example/x"]
    assert Engine.build(site[1:]).hubs_and_authorities("tulip").hubs == ()
    assert Engine.build(site).hubs_and_authorities("nothing").pages == 0


def test_a_page_in_full(engine):
    page = engine.page(TOWN)
    assert page.links == (FERRY, INN, ROSES) and page.linked_from == (FERRY,)
    assert page.text.startswith("A town by the sea") and page.date == DATE
    assert engine.page(COPY).links == () and engine.page(COPY).pagerank == 0
    assert len(engine) == 6 and COPY in engine and "http://x.example/" not in engine
    with pytest.raises(KeyError):
        engine.page("http://nowhere.example/")


def test_pages_of_types_serve_and_what_is_none_is_named():
    engine = Engine.build([Page("http://a.example/", "a rose")])
    assert engine.search("rose").hits[0].date is None
    with pytest.raises(TypeError, match="the title of a page is to be a str"):
        engine.update([Page("http://b.example/", "b", title=None)])
    with pytest.raises(KeyError, match="cannot be removed"):
        engine.update([Page("http://b.example/", "b")], ["http://c.example/"])
    assert len(engine) == 1
    with pytest.raises(ValueError, match="threshold"):
        Engine.build([], threshold=0)


def test_an_empty_engine_answers():
    engine = Engine.build([])
    assert engine.search("rose").total == 0 and engine.search("rose").suggestion is None
    assert engine.hubs_and_authorities("rose").pages == 0


def test_hostile_words_are_data_only():
    script = '<script>alert(1)</script> "&amp; \u202e evil \udc80'
    engine = Engine.build([SourcePage("http://a.example/?<b>", f"{script} harbour", script)])
    hit = engine.search("alert").hits[0]
    assert "".join(text for text, _ in hit.snippet).startswith('<script>alert(1)</script> "&amp;')
    assert hit.title == script.replace("\udc80", "\ufffd") and hit.title.encode()


def test_a_long_title_is_cut_in_results_and_found_whole():
    engine = Engine.build([SourcePage("http://a.example/", "harbour", "word " * 1000 + "ferry")])
    hit = engine.search("ferry").hits[0]
    assert len(hit.title) == len("".join(text for text, _ in hit.title_pieces)) == 500


def test_halves_of_surrogate_pairs_in_addresses(tmp_path):
    engine = Engine.build([SourcePage("http://a.example/\ud800", "harbour")])
    engine.save(tmp_path)
    assert Engine.load(tmp_path).search("harbour").hits[0].url == "http://a.example/\ufffd"
    engine.update(removed=["http://a.example/\ud800"])
    assert len(engine) == 0


def test_progress_is_reported():
    stages = []
    Engine.build(small_pages(), progress=lambda stage, done, total: stages.append(stage))
    seen = list(dict.fromkeys(stages))
    assert seen == ["pages", "duplicates", "links", "meaning", "index", "pagerank", "spelling"]
