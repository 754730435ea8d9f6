"""What an answer amounts to: kept, followed, held, or left."""

import pytest

from ircourse.crawl.crawler.content import ContentSeen, SoftNotFound
from ircourse.crawl.crawler.reading import MOST_COPIES, Reader
from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.pages.skim import LONG
from ircourse.types import Response

HOME = "http://a.example/"
HTML = {"content-type": "text/html; charset=utf-8"}


def page(body, **headers):
    return Response(
        200, HTML | {name.replace("_", "-"): value for name, value in headers.items()}, body.encode()
    )


def reader(**options):
    return Reader(UrlFilter(["a.example"]), **options)


@pytest.mark.parametrize("length", [0, LONG])
def test_long_and_short_pages_are_read_alike(length):
    padding = "<p>" + "words " * (length // 6 + 1)
    body = (
        "<a href=x>x</a><a href='/x#y'>y</a><a href=/n rel=nofollow>n</a><a href=/y;jsessionid=12>z</a>"
        + padding
    )
    for head, what, links in (
        ("", "stored", ("http://a.example/x", "http://a.example/y")),
        ("<meta name=robots content=noindex>", "noindex", ("http://a.example/x", "http://a.example/y")),
        ("<meta name=robots content=nofollow>", "stored", ()),
    ):
        found = reader(seen=ContentSeen(None), soft=SoftNotFound()).read([HOME], page(head + body))
        assert (found.what, found.links, found.keep) == (what, links, what == "stored")
    found = reader().read([HOME], page(body, x_robots_tag="none"))
    assert found.what == "noindex" and not found.links


@pytest.mark.parametrize("length", [0, LONG])
def test_copies_are_told_and_followed_for_a_while(length):
    body = page("<a href=on/>on</a>" + "words " * (length // 6 + 1))
    reading = reader(seen=ContentSeen(None))
    urls = [f"{HOME}{'on/' * i}" for i in range(2)] + [f"{HOME}{i}/" for i in range(9)]
    found = [reading.read([url], body) for url in urls]
    assert [each.what for each in found] == ["stored"] + ["copy"] * 10 and all(each.keep for each in found)
    assert [bool(each.links) for each in found] == [i < MOST_COPIES for i in range(11)]
    others = Reader(UrlFilter(), ContentSeen(None), follow_copies=False)
    assert others.read([HOME], body).links and not others.read(["http://b.example/"], body).links


def test_near_copies_are_told_on_long_pages_too():
    body = " ".join(f"the ferry of {hour} hours to pier {hour % 7} is late again" for hour in range(600))
    assert len(body) > LONG
    reading = Reader(UrlFilter(), ContentSeen(0.8))
    assert reading.read([HOME], page(body)).what == "stored"
    found = reading.read(["http://b.example/"], page(body + " Printed in June."))
    assert (found.what, found.why) == ("copy", f"of {HOME}")


def test_a_page_that_may_be_an_apology_waits_for_the_made_up_url():
    reading = reader(soft=SoftNotFound())
    sorry = page("<title>Page not found</title>Sorry, this page does not exist, ask the harbour master.")
    found = reading.read([HOME + "x"], sorry)
    assert found.what == "unsure" and found.ask.startswith(HOME) and not found.keep
    reading.learn(found.ask, sorry)
    assert reading.read([HOME + "x"], sorry).what == "soft 404"
    honest = reader(soft=SoftNotFound())
    honest.learn(found.ask, Response(404))
    assert honest.read([HOME + "x"], sorry).what == "stored"


@pytest.mark.parametrize(
    ("chain", "location", "what", "target"),
    [
        ([HOME], "/y", "redirect", HOME + "y"),
        ([HOME], "/;jsessionid=1", "redirect", HOME),
        ([HOME, HOME], "/;jsessionid=2", "dead", None),
        ([HOME], "http://b.example/", "refused", None),
        ([HOME], "file:///etc/passwd", "dead", None),
        ([HOME], None, "dead", None),
        ([f"{HOME}{i}" for i in range(11)], "/y", "dead", None),
    ],
)
def test_redirects(chain, location, what, target):
    headers = {} if location is None else {"location": location}
    found = reader().read(chain, Response(302, headers))
    assert (found.what, found.target, found.keep, found.links) == (what, target, False, ())


def test_what_is_no_page_has_no_links_and_is_kept():
    found = reader(seen=ContentSeen(None)).read(
        [HOME], Response(200, {"content-type": "application/pdf"}, b"%PDF" * 9999)
    )
    assert found.keep and not found.links
    assert [reader().read([HOME], Response(status)).what for status in (204, 304, 404, 999)] == [
        "stored",
        "dead",
        "dead",
        "dead",
    ]


def test_a_link_too_far_is_found_again_on_a_shorter_way():
    reading = Reader(UrlFilter(["a.example"], max_clicks=2))
    assert reading.read([HOME], page("<a href=/x>x</a>"), clicks=2).links == ()
    assert reading.read([HOME], page("<a href=/x>x</a>"), clicks=1).links == (HOME + "x",)
    assert reading.refused == {"clicks": 1}
