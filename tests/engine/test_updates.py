"""After any sequence of updates the engine is the one that a fresh build of its pages gives."""

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
)
steps = st.lists(
    st.tuples(st.lists(pages, max_size=8), st.lists(st.sampled_from(URLS), max_size=4)),
    min_size=1,
    max_size=4,
)


def seen(engine):
    """All that is to be seen of an engine, and the scores of it."""
    facts, scores = [], []
    for query in QUERIES:
        found = engine.search(query, 100)
        facts.append((found.total, found.suggestion, found.unknown))
        facts += [(hit.url, hit.title, hit.snippet, hit.mirrors) for hit in found.hits]
        scores += [score for hit in found.hits for score in (hit.score, *hit.parts.values())]
        hubs = engine.hubs_and_authorities(query)
        facts.append([[page.url for page in side] for side in (hubs.hubs, hubs.authorities)])
    for url in engine.collection.urls:
        page, related = engine.page(url), engine.related(url)
        facts.append(
            (page.text, page.stands_for, page.mirrors, page.links, page.linked_from, [r.url for r in related])
        )
        scores += [page.pagerank, *(other.score for other in related)]
    return facts, scores


@given(steps)
@settings(max_examples=25, deadline=None)
def test_updates_equal_a_fresh_build(sequence):
    engine = Engine.build([])
    every = {}
    for changed, removed in sequence:
        removed = [url for url in dict.fromkeys(removed) if url in every]
        engine.update(changed, removed)
        for url in removed:
            del every[url]
        every |= {page.url: page for page in changed}
        engine.search("ferry")  # so that what is made lazily is there, and has to be made anew
    facts, scores = seen(engine)
    fresh_facts, fresh_scores = seen(Engine.build(sorted(every.values(), key=lambda page: page.title)))
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
