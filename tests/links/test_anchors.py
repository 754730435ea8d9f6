"""Anchor text: where links stand among a page's words, and pages found by what others say of them."""

from collections import Counter
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.links import AnchorIndex, AnchorTerm, Snippet, anchor_places, around
from ircourse.text import tokenize
from ircourse.types import Link, Page
from ircourse.web import tiny_web

words = st.sampled_from("a b c d".split())
phrases = st.lists(words, max_size=4)


def page(url, text="", links=(), title=""):
    """A page whose links are pairs of address and anchor text."""
    return Page(url, text, title, [link if isinstance(link, Link) else Link(*link) for link in links])


# ---- places


@given(st.lists(st.tuples(phrases, st.lists(st.sampled_from("x y z".split()), min_size=1, max_size=12))))
def test_links_whose_words_stand_nowhere_else_are_where_they_are(pieces):
    terms, anchors, places = [], [], []
    for before, anchor in pieces:
        terms += [*before, "|"]
        places.append(len(terms))
        anchors.append(anchor)
        terms += [*anchor, "|"]
    found = anchor_places(terms, anchors)
    assert [terms[p : p + len(a[:8])] for p, a in zip(found, anchors, strict=True) if p >= 0] == [
        a[:8] for p, a in zip(found, anchors, strict=True) if p >= 0
    ]
    heads = Counter(tuple(anchor[:8]) for anchor in anchors)
    occurrences = Counter(tuple(terms[i : i + n]) for n in range(1, 9) for i in range(len(terms)))
    if all(occurrences[head] == n for head, n in heads.items()):
        assert found == places


@given(st.lists(words, max_size=30), st.lists(phrases, max_size=8))
def test_whatever_is_found_stands_there_and_in_order(terms, anchors):
    found = anchor_places(terms, anchors)
    placed = [(place, anchor) for place, anchor in zip(found, anchors, strict=True) if place >= 0]
    assert all(terms[place : place + len(anchor)] == anchor for place, anchor in placed)
    assert all(anchor for _, anchor in placed)
    assert [place for place, _ in placed] == sorted({place for place, _ in placed})


def test_a_word_that_stands_far_down_pulls_no_link_with_it():
    # The first link is an image whose alternative text is a headline of the last section.
    text = "home news tides news of the day tides of the day about us".split()
    anchors = [["about", "us"], ["home"], ["news"], ["tides"]]
    assert anchor_places(text, anchors) == [-1, 0, 1, 2]


def test_repeated_links_are_counted():
    text = "top of the page text top more text top".split()
    assert anchor_places(text, [["top"], ["top"], ["top"]]) == [0, 5, 8]
    assert anchor_places(text, [["top"], ["more"], ["top"]]) == [0, 6, 8]


def test_long_anchors_are_known_by_their_first_eight_words():
    text = "so a b c d e f g h i j end".split()
    assert anchor_places(text, ["a b c d e f g h other words".split(), ["end"]]) == [1, 11]
    assert anchor_places(text, ["a b c d e f g other".split()]) == [-1]


def test_nothing_to_find():
    assert anchor_places([], []) == []
    assert anchor_places([], [["a"], []]) == [-1, -1]
    assert anchor_places(["a"], [[]]) == [-1]


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        (["a"] * 100_000, [["a"] * 8] * 20_000),
        (["a"] * 100_000, [["a"] * 7 + ["b"]] * 20_000),
        (["a", "b"] * 50_000, [[f"w{i}"] for i in range(20_000)]),
        ([f"w{i}" for i in range(50_000)], [[f"w{i}"] for i in range(49_999, -1, -1)]),
    ],
)
def test_pages_made_to_be_slow_are_read_in_one_go(text, anchors):
    assert len(anchor_places(text, anchors)) == len(anchors)


def test_the_words_around_end_with_the_page():
    assert around("a b c d".split(), 1, 2, 5) == ["a", "d"]
    assert around("a b c d".split(), 1, 2, 0) == []


# ---- the index


@st.composite
def webs(draw):
    """Pages of few words, their links somewhere in them."""
    urls = [f"http://{name}.example/" for name in "pqr"]
    targets = [*urls, "http://s.example/"]
    pages = []
    for url in urls:
        links = draw(st.lists(st.tuples(st.sampled_from(targets), phrases.map(" ".join)), max_size=5))
        pages.append(page(url, " ".join(draw(phrases)), links, title=" ".join(draw(phrases))))
    return pages


def plain_scores(pages, query):
    """By address: the two parts of the score, computed one page at a time."""
    texts = {p.url: Counter(tokenize(f"{p.title} {p.text}")) for p in pages}
    anchors = {}
    for p in pages:
        for url in dict.fromkeys(p.links):
            said = {term for link in p.links if link == url != p.url for term in tokenize(link.anchor)}
            anchors.setdefault(str(url), Counter()).update(said)
    anchors = {url: terms for url, terms in anchors.items() if terms}

    def weight(term, documents, url):
        df = sum(term in terms for terms in documents.values())
        tf = documents.get(url, {}).get(term, 0)
        return (1 + log(tf)) * log(len(documents) / df) if tf else 0.0

    return {
        url: tuple(sum(weight(t, d, url) for t in set(tokenize(query))) for d in (texts, anchors))
        for url in [*texts, *anchors]
    }


@given(webs(), phrases.map(" ".join))
def test_the_score_is_the_sum_of_tf_idf(pages, query):
    found = {hit.url: hit for hit in AnchorIndex(pages).search(query, 100)}
    expected = plain_scores(pages, query)
    for url, (text, anchors) in expected.items():
        if text + anchors > 0:
            hit = found.pop(url)
            assert hit[1:] == pytest.approx((text + anchors, text, anchors))
    assert not found


@given(webs(), st.integers(0, 3))
def test_anchor_terms_are_those_of_the_links_and_near_them(pages, window):
    index = AnchorIndex(pages, window=window)
    for url in index.urls:
        near = Counter()
        for p in pages:
            if p.url == url:
                continue
            terms, anchors = tokenize(p.text), [tokenize(link.anchor) for link in p.links]
            said = set()
            for link, anchor, place in zip(p.links, anchors, anchor_places(terms, anchors), strict=True):
                if link == url:
                    said |= set(anchor)
                    said |= set(around(terms, place, len(anchor), window)) if place >= 0 else set()
            near.update(said)
        assert {term.term: term.pages for term in index.anchor_terms(url)} == near


NEWS = page(
    "http://news.example/",
    "High water comes at nine (see the tide tables). For boats click here, for bread click here.",
    [
        ("http://tides.example/", "tide tables"),
        ("http://boats.example/", "click here"),
        ("http://bread.example/", "click here"),
    ],
)
GUIDE = page("http://guide.example/", "Boats for hire", [("http://boats.example/", "Boats")])
TIDES = page("http://tides.example/", "Nine and three.", [("http://tides.example/", "top")], title="Water")


def test_a_page_is_found_by_words_it_does_not_have():
    index = AnchorIndex([NEWS, GUIDE, TIDES])
    assert index.urls[3:] == ("http://boats.example/", "http://bread.example/")  # linked to, never fetched
    [first, second] = index.search("tables boats", anchors=2, text=0)
    assert (first.url, second.url) == ("http://tides.example/", "http://boats.example/")
    assert first.score == 2 * first.anchors == pytest.approx(2 * log(3)) and first.text == 0
    assert [hit.url for hit in index.search("tide tables", anchors=0)] == ["http://news.example/"]
    assert index.search("nowhere") == [] and index.search("") == [] and index.search("boats", 0) == []


def test_the_window_takes_the_words_around_in():
    assert AnchorIndex([NEWS, GUIDE, TIDES]).search("bread", text=0) == []
    narrow = AnchorIndex([NEWS, GUIDE, TIDES], window=1)
    assert [hit.url for hit in narrow.search("bread", text=0)] == ["http://bread.example/"]


def test_a_page_says_a_thing_once_however_many_links_it_has():
    shout = page("http://shout.example/", links=[("http://tides.example/", "spam spam")] * 1000)
    index = AnchorIndex([NEWS, shout, GUIDE])
    weight = AnchorTerm("spam", 1, pytest.approx(log(3)))
    assert weight in index.anchor_terms("http://tides.example/")
    assert index.sources("http://tides.example/") == ["http://news.example/", "http://shout.example/"]


def test_a_page_cannot_speak_for_itself():
    index = AnchorIndex([NEWS, GUIDE, TIDES])
    assert index.sources("http://tides.example/") == ["http://news.example/"]
    assert "top" not in {term.term for term in index.anchor_terms("http://tides.example/")}


def test_links_that_ask_not_to_be_followed_say_nothing_unless_asked():
    links = [Link("http://a.example/", "casino", nofollow=True), Link("http://b.example/", "harbour")]
    pages = [page("http://forum.example/", links=links), page("http://a.example/")]
    assert AnchorIndex(pages).anchor_terms("http://a.example/") == []
    assert AnchorIndex(pages).sources("http://a.example/") == []
    assert [t.term for t in AnchorIndex(pages, nofollow=True).anchor_terms("http://a.example/")] == ["casino"]


def test_links_within_a_host_can_be_left_out():
    links = [("http://a.example/menu", "menu"), ("http://b.example/", "neighbour"), ("C", "name")]
    pages = [page("http://a.example/", links=links), page("C", links=[("D", "another")])]
    index = AnchorIndex(pages, same_host=False)
    assert index.sources("http://b.example/") == ["http://a.example/"]
    assert index.sources("C") == ["http://a.example/"] and index.sources("D") == ["C"]
    with pytest.raises(KeyError, match="none links to it"):
        index.sources("http://a.example/menu")
    assert AnchorIndex(pages).sources("http://a.example/menu") == ["http://a.example/"]


def test_snippets_show_links_in_their_page():
    index = AnchorIndex([NEWS, GUIDE, TIDES])
    assert index.snippets("http://boats.example/", words=3) == [
        Snippet("http://news.example/", "tables). For boats", "click here", "for bread click"),
        Snippet("http://guide.example/", "", "Boats", "for hire"),
    ]
    assert index.snippets("http://boats.example/", n=1, words=0) == [
        Snippet("http://news.example/", "", "click here", "")
    ]
    assert index.snippets("http://guide.example/") == []


def test_a_link_without_words_in_the_page_has_an_empty_snippet():
    image = page("http://a.example/", "Welcome to the town", [("http://b.example/", "a view of the pier")])
    index = AnchorIndex([image], window=3)
    assert index.snippets("http://b.example/") == [Snippet("http://a.example/", "", "a view of the pier", "")]
    assert {term.term for term in index.anchor_terms("http://b.example/")} == set(
        "a view of the pier".split()
    )


def test_links_that_are_plain_strings_have_no_words():
    index = AnchorIndex([Page("A", "to b", links=["B", "A"])], window=5)
    assert index.urls == ("A", "B") and len(index) == 2
    assert index.sources("B") == ["A"] and index.anchor_terms("B") == []
    assert index.search("b", text=0) == []


def test_words_in_other_scripts_and_broken_ones():
    pages = [page("A", "मेनू और 東京 \ud800 ÉCOLE", [("B", "मेनू"), ("C", "École"), ("D", "\ud800x")])]
    index = AnchorIndex([*pages, page("E", links=[("F", "other")])])
    assert [hit.url for hit in index.search("मेनू", text=0)] == ["B"]
    assert [hit.url for hit in index.search("E\u0301cole", text=0)] == ["C"]


def test_no_pages():
    index = AnchorIndex([])
    assert len(index) == 0 and index.search("a") == []


@pytest.mark.parametrize("window", [-1, 101, 1.5, None])
def test_windows_that_are_none(window):
    with pytest.raises(ValueError, match=r"window is .*give a number from 0 to 100"):
        AnchorIndex([NEWS], window=window)


def test_wrong_pages_and_questions():
    with pytest.raises(ValueError, match=r"http://news\.example/' is given twice"):
        AnchorIndex([NEWS, NEWS])
    with pytest.raises(TypeError, match="page 1 is to be a Page, not 'text'"):
        AnchorIndex([NEWS, "text"])
    index = AnchorIndex([NEWS])
    with pytest.raises(ValueError, match="n is -1"):
        index.search("a", -1)
    for weight in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="weight of anchors is"):
            index.search("a", anchors=weight)
    with pytest.raises(ValueError, match="words is 101"):
        index.snippets("http://tides.example/", words=101)
    for ask in (index.anchor_terms, index.sources, index.snippets):
        with pytest.raises(KeyError, match="is no page of this index"):
            ask("http://nowhere.example/")


def test_the_tiny_web_is_found_by_its_anchors():
    web = tiny_web()
    index = AnchorIndex(web.values())
    assert set(web) <= set(index.urls)
    best = index.search("today's sailings", 1, text=0)[0]
    assert best.url == "http://ferries.saltmere.example/status.html"
    assert "today's sailings" in {snippet.anchor for snippet in index.snippets(best.url)}
