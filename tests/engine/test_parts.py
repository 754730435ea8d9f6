"""The smaller parts: pages, noise, clusters, fields, scores."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.dedup import near_duplicates, similarity
from ircourse.engine.collection import Collection
from ircourse.engine.duplicates import clusters_by_sketches, representatives, sketches_of
from ircourse.engine.fields import Field
from ircourse.engine.index_inside import frequencies_of
from ircourse.engine.meaning import Meaning
from ircourse.engine.noise import cleaned, noise_of
from ircourse.engine.pages import SourcePage, page_of, record_of
from ircourse.engine.scores import pagerank_component, retrieved
from ircourse.index import InvertedIndex
from ircourse.latent import TermDocument, lsi
from ircourse.types import Link

BEFORE_ALL = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
WRONG = ({"links": None}, {"links": "http://b.example/"}, {"links": [1]}, {"date": BEFORE_ALL})
strings = st.text(max_size=20)


@given(strings, strings, st.lists(st.tuples(strings, strings, st.booleans()), max_size=3), st.datetimes())
def test_a_record_gives_the_page_back(text, title, links, date):
    made = tuple(Link(*link) for link in links)
    record = record_of(SourcePage("http://a.example/", text, title, made, date))
    assert b"\n" not in record
    page = page_of(record)
    assert (page.text, page.title, page.links, page.date.replace(tzinfo=None)) == (text, title, made, date)
    assert [(link.anchor, link.nofollow) for link in page.links] == [link[1:] for link in links]


def test_dates_are_in_utc():
    date = datetime(2026, 5, 17, 12, tzinfo=timezone(timedelta(hours=2)))
    assert (
        page_of(record_of(SourcePage("http://a.example/", date=date))).date.isoformat()
        == "2026-05-17T10:00:00+00:00"
    )


@pytest.mark.parametrize("fields", [{"url": ""}, {"url": None}, {"text": b"x"}, {"date": "2026"}, *WRONG])
def test_what_is_no_page_is_named(fields):
    with pytest.raises((TypeError, ValueError), match=r"url|text|date of|links? of 'http://a"):
        record_of(SourcePage(**{"url": "http://a.example/", **fields}))


def test_noise_is_short_lines_of_most_of_a_hosts_texts():
    sentence = "a sentence of more than twelve words stands on each page of the site and is no menu at all"
    texts = [
        f"Home\n{sentence}\nPage {i}\nseldom" if i < 2 else f"Home\n{sentence}\nPage {i}" for i in range(5)
    ]
    assert noise_of(texts) == {"Home"}
    assert noise_of(texts[:1] * 9 + texts[1:4]) == frozenset()  # copies are one text
    assert cleaned("Home", {"Home"}) == "Home" and cleaned("Home\nx", {"Home"}) == "x"


@given(
    st.lists(
        st.dictionaries(st.sampled_from("fgh"), st.text(st.sampled_from("ab "), max_size=4)), max_size=6
    ),
    st.sets(st.integers(0, 5)),
)
def test_frequencies_are_those_that_the_index_tells_one_by_one(docs, gone):
    index = InvertedIndex(docs)
    for number in gone.intersection(range(len(docs))):
        index.remove(number)
    assert frequencies_of(index) == {term: len(index.postings(term)[0]) for term in index.terms()}


def test_clusters_are_those_of_near_duplicates():
    words = np.array([f"w{i}" for i in range(300)])
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(words, 80)) for _ in range(10)]
    texts += [f"{text} again" for text in texts[:4]] + texts[2:3] + ["", "", "alone"]
    expected = [list(c) for c in near_duplicates(texts, threshold=0.9).clusters if texts[c[0]]]
    assert clusters_by_sketches(sketches_of(texts), 0.9) == expected
    assert clusters_by_sketches(sketches_of(texts), 1.5) == []


def test_who_stands_for_a_cluster():
    cluster = ["http://a.example/long/way", "http://b.example/z", "http://c.example/z"]
    web = [("http://a.example/", cluster), ("http://d.example/", cluster[:1])]
    assert set(representatives([cluster], []).values()) == {"http://b.example/z"}
    assert set(representatives([cluster], web[:1]).values()) == {"http://b.example/z"}
    assert set(representatives([cluster], [web[0], *[web[1]] * 2]).values()) == {"http://b.example/z"}
    web += [("http://e.example/", cluster[:1]), ("http://b.example/", cluster[1:2])]
    assert set(representatives([cluster], web).values()) == {cluster[0]}


def test_the_ends_of_a_chain_are_not_folded_under_each_other():
    words = [f"w{i}" for i in range(1000)]
    texts = [" ".join(words[i * 20 : i * 20 + 600]) for i in range(6)]  # each like the next, J = 0.93
    urls = [f"http://{name}.example/" for name in "abcdef"]
    pages = Collection()
    pages.update(map(SourcePage, urls, texts))
    assert len(clusters_by_sketches(pages.sketches, 0.9)) == 1 < len(pages.kept)
    for mirror, kept in pages.stands_for.items():
        assert mirror == kept or similarity(*pages.sketches[[urls.index(mirror), urls.index(kept)]]) >= 0.9
    assert len(pages.kept) < len(urls)


def test_a_field_leaves_alone_what_is_as_before():
    field, made = Field(0.75), []
    content = {"a": "rose", "b": "tulip", "c": "rose"}.__getitem__
    read = lambda url: made.append(url) or content(url)  # noqa: E731
    assert field.sync({"a": b"1", "b": b"1"}, read) and made == ["a", "b"]
    assert not field.sync({"a": b"1", "b": b"1"}, read) and made == ["a", "b"]
    assert field.sync({"b": b"2", "c": b"1"}, read) and made == ["a", "b", "b", "c"]
    field.align(["b", "c"])
    assert field.find(("rose",))[0].tolist() == [1] and field.lengths.tolist() == [1, 1]


def test_cosines_are_those_of_lsi():
    texts = [
        "ship sea sail",
        "boat sea sail",
        "boat mast sea",
        "rose garden",
        "tulip garden rose",
        "mast ship",
    ]
    td = TermDocument.from_texts(texts, "logentropy", min_df=2, unit_length=True)
    model = lsi(td.matrix, 3)
    assert Meaning.of(texts).cosines("sea boat boat x") == pytest.approx(
        model.cosines(td.vector("sea boat boat x")), abs=1e-6
    )
    assert Meaning.of(texts).cosines("unknown").tolist() == [0] * 6
    assert Meaning.of([]).cosines("x").tolist() == [] and Meaning.of(["a"]).cosines("a").tolist() == [0]


def test_candidates_by_concepts_are_few_and_near():
    n = 80
    cosines = np.linspace(1, -1, n)
    found = retrieved(np.zeros((3, n)), pagerank_component(np.full(n, 1 / n)), cosines, [])
    assert found.rows.tolist() == [i for i in range(n) if cosines[i] >= 0.3][:50]
    assert found.parts[:, 3].tolist() == pytest.approx([0.5] * len(found.rows))


def test_a_failed_update_changes_nothing():
    pages = Collection()
    pages.update([SourcePage("http://a.example/", "a rose")])
    with pytest.raises(TypeError):
        pages.update([SourcePage("http://b.example/", "b"), SourcePage("http://c.example/", None)])
    assert pages.urls == ["http://a.example/"] == list(pages.records)
