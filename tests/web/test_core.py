"""`Web`: looking up, responding, conditional requests, rendering."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl.pages.html import parse_html
from ircourse.types import FetchError, Link, Page
from ircourse.web import Resource, Web
from ircourse.web.core import host_of, render

A, B = "http://a.example/", "http://b.example/b"


def web_of(**resources):
    """A web on a.example whose paths answer the given resources."""
    table = {A + path: resource for path, resource in resources.items()}
    return Web(list(table), lambda url, day: table.get(url))


def test_pages_in_memory_are_looked_up_as_given():
    page = Page(A, "Tides", "A", (B,))
    web = Web.from_pages({A: page, B: [A, B]})
    assert web[A] is page
    assert web[B] == Page(B, title=B, links=(A, B))
    assert list(web) == [A, B] and len(web) == 2 and web.hosts == ("a.example", "b.example")
    assert web.get("http://c.example/") is None and "http://c.example/" not in web
    assert repr(web) == "<Web: 2 pages on 2 hosts>"


def test_a_web_of_names_can_be_looked_up_but_not_requested():
    web = Web.from_pages({"A": ["B"], "B": iter(["A"])})
    assert web["B"].links == ("A",) and web.hosts == ()
    with pytest.raises(ValueError, match="'A' cannot be requested: give an http or https URL"):
        web.respond("A")


@pytest.mark.parametrize("wrong", ["http://b.example/", b"b"])
def test_one_url_is_not_a_list_of_links(wrong):
    with pytest.raises(TypeError, match="give a Page or a list"):
        Web.from_pages({A: wrong})


def test_an_empty_web():
    web = Web.from_pages({})
    assert len(web) == 0 and web.hosts == () and web.link_graph().n_nodes == 0
    with pytest.raises(FetchError) as caught:
        web.respond(A)
    assert caught.value.kind == "dns"


def test_what_cannot_be_had_is_no_page_but_is_answered():
    web = web_of(gone=Resource(A, b"gone", 410), broken=Resource(A, fail="reset"))
    assert web.get(A + "gone") is None and web.respond(A + "gone").status == 410
    assert web.get(A + "broken") is None
    with pytest.raises(FetchError, match="reset"):
        web.respond(A + "broken")
    assert web.respond(A + "nowhere").status == 404
    assert web.respond(A + "nowhere").body == b"no such page\n"
    with pytest.raises(FetchError, match="dns"):
        web.respond("http://elsewhere.example/")


def test_a_redirect_is_a_page_with_one_link():
    web = web_of(old=Resource(A, status=302, headers={"location": "new"}))
    assert web[A + "old"] == Page(A + "old", links=(A + "new",))
    nowhere = web_of(old=Resource(A, status=301, headers={"location": "mailto:x"}))
    assert nowhere[A + "old"].links == ()


def test_a_page_is_parsed_once():
    body = b"<title>T</title><a href='b' rel=nofollow>the b</a> words"
    calls = []

    def answer(url, day):
        calls.append(url)
        return Resource(url, body)

    web = Web([A], answer)
    assert web[A] is web[A] and calls == [A]
    assert web[A].title == "T" and web[A].links == (A + "b",)
    assert web[A].links[0].anchor == "the b" and web[A].links[0].nofollow


def test_a_text_file_has_words_and_no_links():
    web = web_of(notes=Resource(A, b"<a href='/x'>x</a>", headers={"content-type": "text/plain"}))
    assert web[A + "notes"].text == "<a href='/x'>x</a>" and tuple(web[A + "notes"].links) == ()


def test_the_link_graph_keeps_pages_only():
    web = Web.from_pages({A: [B, B, "http://c.example/"], B: [A]})
    graph = web.link_graph()
    assert graph.labels == (A, B) and graph.n_edges == 2


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 200),
        ({"If-None-Match": '"v1"'}, 304),
        ({"if-none-match": 'W/"v1"'}, 304),
        ({"if-none-match": '"v0", "v1"'}, 304),
        ({"if-none-match": "*"}, 304),
        ({"if-none-match": '"v0"'}, 200),
        ({"if-none-match": "v1"}, 200),
        ({"if-modified-since": "Mon, 03 Mar 2025 06:00:00 GMT"}, 304),
        ({"if-modified-since": "Tue, 04 Mar 2025 06:00:00 GMT"}, 304),
        ({"if-modified-since": "Mon, 03 Mar 2025 05:59:59 GMT"}, 200),
        ({"if-modified-since": "yesterday"}, 200),
        ({"if-modified-since": "Mon, 99 Zzz 99999999999 99:00:00 GMT"}, 200),
        ({"if-modified-since": ""}, 200),
        # the tag counts before the date
        ({"if-none-match": '"v0"', "if-modified-since": "Tue, 04 Mar 2025 06:00:00 GMT"}, 200),
    ],
)
def test_conditional_requests(asked, status):
    headers = {
        "content-type": "text/html",
        "etag": '"v1"',
        "last-modified": "Mon, 03 Mar 2025 06:00:00 GMT",
    }
    response = web_of(page=Resource(A, b"x", headers=headers, delay=2.0)).respond(A + "page", asked)
    assert response.status == status and response.seconds == 2.0
    assert response.body == (b"" if status == 304 else b"x")
    assert response.headers["etag"] == '"v1"'


def test_a_page_without_validators_is_always_sent():
    asked = {"if-none-match": "*", "if-modified-since": "Tue, 04 Mar 2025 06:00:00 GMT"}
    assert web_of(page=Resource(A, b"x")).respond(A + "page", asked).status == 200


def test_pages_change_from_day_to_day():
    web = Web([A], lambda url, day: Resource(url, b"day %d" % day))
    assert [web.respond(A, day=day).body for day in (0, 3)] == [b"day 0", b"day 3"]
    assert web[A].text == "day 0"


def test_hosts():
    assert host_of("https://a.example:8080/x://y") == "a.example:8080"
    assert [host_of(name) for name in ("", "A", "ftp://a.example/", "mailto:x", "http://")] == [""] * 5


words = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=30)
links = st.lists(
    st.builds(Link, st.sampled_from([A, B, A + "x?a=1&b=2", A + "%22"]), words, st.booleans()), max_size=5
)


@given(words, words, links)
def test_a_rendered_page_reads_as_it_was(text, title, links):
    page = Page(A, text, title, tuple(links))
    parsed = parse_html(render(page), A, "text/html; charset=utf-8")
    assert tuple(parsed.links) == page.links
    assert [link.nofollow for link in parsed.links] == [link.nofollow for link in links]
    assert parsed.title == " ".join(title.split())
    assert parsed.text.startswith(" ".join(text.split()))


def test_hostile_words_stay_words():
    page = Page(
        A, "</p><script>alert(1)</script>\ud800", "</title><b>", (Link(A + '"><i>', '<img src="x">'),)
    )
    body = render(page)
    assert b"<script" not in body and b"<img" not in body and b"<b>" not in body and b"<i>" not in body
