"""Answers as pages, the same for a server and for a web in memory."""

import pytest

from ircourse.crawl.lookup import look_up_with, page_of
from ircourse.types import FetchError, Page, Response
from ircourse.web.core import Resource, Web

URL = "http://a.example/x"
HTML = {"content-type": "text/html"}
ANSWERS = [
    (
        Response(200, HTML, b"<title>t</title>w <a href=y>v</a>"),
        Page(URL, "w v", "t", ("http://a.example/y",)),
    ),
    (Response(200, {"content-type": "image/png"}, b"<a href=y>"), Page(URL)),
    (Response(200, {"content-type": "text/plain"}, b"<b>"), Page(URL, "<b>")),
    (Response(204), Page(URL)),
    (Response(301, {"location": "/z#f"}), Page(URL, links=("http://a.example/z",))),
    (Response(308, {"location": "mailto:a@a.example"}), Page(URL)),
    (Response(302, {"location": ""}, b"<a href=y>"), Page(URL, links=(URL,))),
    (Response(302, HTML, b"<a href=y>"), Page(URL)),
    (Response(304), Page(URL)),
    (Response(400, HTML, b"<a href=y>"), None),
    (Response(404, {"location": "/z"}), None),
    (Response(503), None),
]


@pytest.mark.parametrize(("answer", "page"), ANSWERS)
def test_an_answer_is_a_page_or_none(answer, page):
    assert page_of(URL, answer) == page
    assert look_up_with(lambda url, headers: answer)(URL) == page
    resource = Resource(URL, answer.body, answer.status, answer.headers)
    assert Web([URL], lambda url, day: resource).get(URL) == page


def test_links_out_of_scope_are_left_out_and_no_answer_is_none():
    page = Response(200, HTML, b"<a href=http://b.example/>b</a><a href=y>y</a>")
    moved = Response(301, {"location": "http://b.example/"})
    for answer, links in ((page, ("http://a.example/y",)), (moved, ())):
        look_up = look_up_with(
            lambda url, headers, answer=answer: answer, in_scope=lambda url: "//a.example/" in url
        )
        assert look_up(URL).links == links

    def fails(url, headers):
        raise FetchError(url, "timeout")

    assert look_up_with(fails)(URL) is None
