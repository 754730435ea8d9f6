"""After any sequence of updates the engine is the one that a fresh build of its pages gives."""

from dataclasses import replace
from datetime import UTC, datetime
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.engine import Engine, SourcePage
from ircourse.types import Link

URLS = [f"http://{host}.example/{path}" for host in "ab" for path in ("", "x", "y", "z", "u", "v", "w")]
MENU = "home map contact"
TEXTS = [
    "the ferry leaves the old harbour at nine every morning except on sundays in winter",
    "the ferry leaves the old harbour at nine every morning except on sundays in the winter season",
    "roses and tulips flower in the garden from april on and the bees come for both of them",
    "a rose is a rose",
    "",
]
QUERIES = ["ferry", "rose garden", '"old harbour" tulips', "home", "harbuor", "winter season anchor"]

links = st.lists(
    st.builds(Link, st.sampled_from(URLS), st.sampled_from(["", "anchor", "the rose anchor"]), st.booleans()),
    max_size=4,
)
pages = st.builds(
    SourcePage,
    st.sampled_from(URLS),
    st.builds(lambda menu, text: f"{MENU}\n{text}" if menu else text, st.booleans(), st.sampled_from(TEXTS)),
    st.sampled_from(["", "Ferry", "Roses and tulips"]),
    links,
    st.sampled_from([None, datetime(2026, 5, 17, tzinfo=UTC), datetime(2026, 12, 1, 9, 30, tzinfo=UTC)]),
)
steps = st.lists(  # pages that come, addresses that go, and whether the engine is saved and loaded after that
    st.tuples(st.lists(pages, max_size=8), st.lists(st.sampled_from(URLS), max_size=4), st.booleans()),
    min_size=1,
    max_size=4,
)


def seen(engine):
    """All that is to be seen of an engine, and the scores of it."""
    kept = engine.collection
    facts, scores = [len(engine), kept.urls, kept.kept, kept.mirrors, kept.noise, kept.titles], []
    for query in QUERIES:
        found = engine.search(query, 100)
        facts.append((found.total, found.suggestion, found.unknown))
        facts += [(hit.url, hit.title, hit.snippet, hit.date, hit.mirrors) for hit in found.hits]
        scores += [score for hit in found.hits for score in (hit.score, *hit.parts.values())]
        both = engine.hubs_and_authorities(query)
        facts.append((both.pages, both.links, both.within_hosts))
        for page in (*both.hubs, None, *both.authorities):
            facts.append(page and page.url)
            scores.append(page.score if page else 0)
    for url in kept.urls:
        page, related = engine.page(url), engine.related(url)
        facts.append(replace(page, pagerank=0))
        facts.append([other.url for other in related])
        scores += [page.pagerank, *(other.score for other in related)]
    return facts, scores


def loaded_again(engine):
    with TemporaryDirectory() as folder:
        engine.save(folder)
        return Engine.load(folder)


@given(steps, st.sampled_from([0.9, 0.5, 2.0]))
@settings(max_examples=25, deadline=None)
def test_updates_equal_a_fresh_build(sequence, threshold):
    engine = Engine.build([], threshold=threshold)
    every = {}
    for changed, removed, reload in sequence:
        removed = [url for url in dict.fromkeys(removed) if url in every]
        engine.update(changed, removed)
        engine = loaded_again(engine) if reload else engine
        for url in removed:
            del every[url]
        every |= {page.url: page for page in changed}
        engine.search("ferry")  # so that what is made lazily is there, and has to be made anew
    facts, scores = seen(engine)
    fresh = Engine.build(sorted(every.values(), key=lambda page: page.title), threshold=threshold)
    fresh_facts, fresh_scores = seen(fresh)
    assert facts == fresh_facts
    assert scores == pytest.approx(fresh_scores, abs=1e-9)


def test_an_update_sketches_and_indexes_only_what_is_new(monkeypatch):
    pages = [SourcePage(f"http://{i}.example/", f"{text} {i}") for i, text in enumerate(TEXTS * 3)]
    engine = Engine.build(pages, threshold=2)
    sketched, indexed = [], []
    from ircourse.engine import collection

    plain = collection.sketches_of
    monkeypatch.setattr(collection, "sketches_of", lambda texts: sketched.extend(texts) or plain(texts))
    field = engine.retrieval.fields["text"]
    extend = field.index.extend
    monkeypatch.setattr(field.index, "extend", lambda docs: extend(indexed.append(d) or d for d in docs))
    meaning = engine.retrieval.meaning
    engine.update([SourcePage("http://7.example/", "a new page", "new")])
    assert sketched == indexed == ["a new page"]
    assert engine.retrieval.meaning is not meaning
    meaning, ranks = engine.retrieval.meaning, engine.retrieval.pagerank
    engine.update([SourcePage("http://7.example/", "a new page", "new", ["http://1.example/"])])
    assert sketched == ["a new page"] and engine.retrieval.meaning is meaning  # only a link is new
    assert engine.retrieval.pagerank is not ranks


def test_noise_comes_and_goes_with_the_pages_of_its_host():
    site = [
        SourcePage(f"http://a.example/{i}", f"{MENU}\nthe {word} page of the site")
        for i, word in enumerate("one two three four five".split())
    ]
    engine = Engine.build(site)
    assert engine.search("contact").total == 0
    engine.update(removed=[site[0].url])
    assert engine.search("contact").total == 4
    engine.update(site[:1])
    assert engine.search("contact").total == 0
