"""Copies of earlier content, and apologies that come with status 200."""

import pytest

from ircourse.crawl import parse_html
from ircourse.crawl.crawler.content import ContentSeen, Copy, SoftNotFound, made_up_url
from ircourse.web import tiny_web

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
GAZETTE, MIRROR, WIRE = (
    "http://gazette.saltmere.example/",
    "http://mirror.saltmere.example/",
    "http://seaboard-wire.example/",
)
MARKET = "http://market.saltmere.example/"


def article(seed, words=150):
    return " ".join(f"word{(seed * 7919 + n * n) % 5000}" for n in range(words))


def text_of(web, url):
    page = web.respond(url)
    return parse_html(page.body, url, page.headers.get("content-type")).text


def test_exact_copies_near_copies_and_others():
    seen = ContentSeen()
    assert seen.look(A, article(1)) is None
    assert seen.look(B, article(2)) is None
    assert seen.look(C, article(1)) == Copy(A, 1.0)
    near = seen.look(C, "3 June. " + article(2))
    assert (near.url, 0.85 < near.similarity < 1) == (B, True)
    assert ContentSeen(0.99).look(A, article(1)) is None


def test_the_page_itself_is_no_copy():
    seen = ContentSeen()
    for text in (article(1), article(1), article(1) + " more"):
        assert seen.look(A, text) is None


def test_without_a_threshold_exact_copies_alone_are_told():
    seen = ContentSeen(None)
    assert [seen.look(A, article(1)), seen.look(B, article(1) + ".")] == [None, None]
    assert seen.look(C, article(1) + ".") == Copy(B, 1.0)


@pytest.mark.parametrize("empty", ["", " \n", b"", b" "])
def test_content_without_a_word_is_no_copy(empty):
    seen = ContentSeen()
    assert [seen.look(A, empty), seen.look(B, empty)] == [None, None]


def test_short_texts_and_bytes_are_compared_exactly():
    seen = ContentSeen()
    assert [seen.look(A, "closed on Mondays"), seen.look(B, "closed on Sundays")] == [None, None]
    assert seen.look(C, "closed on Mondays") == Copy(A, 1.0)
    assert seen.look(f"{A}1", b"\0\1\2") is None
    assert seen.look(f"{A}2", b"\0\1\2") == Copy(f"{A}1", 1.0)


def test_what_was_seen_is_taken_up_again(database):
    seen = ContentSeen(connection=database)
    seen.look(A, article(1))
    seen.look(B, "short")
    database.commit()
    seen.look(C, article(3))
    database.rollback()
    again = ContentSeen(connection=database)
    assert again.look(f"{A}1", article(1) + " more").url == A
    assert again.look(f"{A}2", "short") == Copy(B, 1.0)
    assert again.look(f"{A}3", article(3)) is None


@pytest.mark.parametrize("threshold", [0, -1, 1.5, float("nan")])
def test_thresholds_that_are_none(threshold):
    with pytest.raises(ValueError, match="above 0 and up to 1 expected"):
        ContentSeen(threshold)


def test_the_town_has_mirrors_reprints_and_weekly_texts():
    web, seen = tiny_web(), ContentSeen()
    for name in ("news/yacht.html", "news/parking.html", "tides/9.html"):
        assert seen.look(GAZETTE + name, text_of(web, GAZETTE + name)) is None
    assert seen.look(MIRROR + "news/yacht.html", text_of(web, MIRROR + "news/yacht.html")).similarity == 1
    for name in ("yacht", "parking"):
        copy = seen.look(f"{WIRE}s/{name}.html", text_of(web, f"{WIRE}s/{name}.html"))
        assert (copy.url, copy.similarity < 1) == (f"{GAZETTE}news/{name}.html", True)
    assert seen.look(GAZETTE + "tides/10.html", text_of(web, GAZETTE + "tides/10.html")) is None


def test_soft_404s_of_the_market():
    web, soft = tiny_web(), SoftNotFound()
    probe = made_up_url(MARKET)
    answer = web.respond(probe)
    apology = text_of(web, f"{MARKET}fish/sturgeon.html")
    assert soft.hints(apology)
    assert not soft.knows(MARKET)
    assert soft.judge(f"{MARKET}fish/sturgeon.html", apology) == ""  # its words alone do not tell
    soft.learn(probe, answer.status, text_of(web, probe))
    assert soft.knows(MARKET)
    assert soft.judge(f"{MARKET}fish/sturgeon.html", apology) == "says what a made-up URL gets"
    for name in ("", "fish/herring.html", "fish/cod.html"):
        assert soft.judge(MARKET + name, text_of(web, MARKET + name)) == ""


def test_an_apology_that_names_the_url():
    soft = SoftNotFound()
    words = "we have looked high and low for it in every drawer of the harbour office without any luck at all"
    soft.learn(f"{A}qqq", 200, f"Dear visitor, /qqq has gone, {words}")
    assert soft.judge(f"{A}cod/7.html", f"Dear visitor, /cod/7.html has gone, {words}") != ""
    assert soft.judge(A, f"Dear visitor, /qqq has gone, {words}") == ""  # a root is a page


def test_hosts_that_redirect_what_they_do_not_have():
    soft = SoftNotFound()
    soft.learn(f"{A}qqq", 302, end=f"{A}sorry")
    assert soft.judge(f"{A}sorry", "Sorry, that does not exist") == "is where a made-up URL leads"
    assert soft.judge(f"{A}ferry", "Sorry, that does not exist") == ""
    assert soft.judge(f"{A}sorry", "the harbour is open") == ""  # all it has may be this page
    soft.learn(f"{A}qqq", 302, end=A)
    assert soft.judge(A, "Sorry, that does not exist") == ""


def test_an_honest_host_has_none():
    soft = SoftNotFound()
    soft.learn(f"{A}qqq", 404, "not found")
    assert soft.knows(f"{A}x")
    assert soft.judge(f"{A}x", "not found", "404 not found") == ""


@pytest.mark.parametrize(
    ("title", "words", "told"),
    [
        ("Page not found", 20, True),
        ("404", 20, True),
        ("Error 404: gone", 20, True),
        ("Page not found", 500, False),
        ("Route 404 to the coast", 20, False),
        ("Lost and found", 20, False),
        ("", 20, False),
    ],
)
def test_without_a_made_up_url_plain_titles_count(title, words, told):
    assert bool(SoftNotFound().judge(f"{A}x", article(1, words), title)) == told


def test_hints_are_for_short_pages():
    soft = SoftNotFound()
    assert soft.hints("Oops, this does not exist")
    assert not soft.hints("Oops " + article(1, 500))
    assert not soft.hints(article(1, 20))


def test_made_up_urls():
    urls = {made_up_url(f"{host}x?y#z", seed) for host in (A, B, "http://a.example:81/") for seed in range(3)}
    assert len(urls) == 9
    assert all(url.startswith(("http://a.example", "http://b.example/")) for url in urls)
