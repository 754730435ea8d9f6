"""Links read without words: the same ones as with them, whatever stands in the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl.pages.html import ParsedPage, parse_html
from ircourse.crawl.pages.skim import LONG, skim_html
from ircourse.web import tiny_web

URL = "http://a.example/shop/list.html?q=1"
PARTS = st.sampled_from(
    """<a href=x>|<a href='/y#z'>|<a href="?q">|<A HREF=#top>|<a href=//b.example/>|<a href=http:rel>|</a>|
<a>|<a rel=nofollow href=n>|<area href=area>|<base href=/deep/>|<base>|<meta name=robots content=nofollow>|
<meta charset=gbk>|<template>|</template>|<script>|</script>|<style>|</style>|<!--|-->|<!-->|<title>|</title>|
<textarea>|</textarea>|<p title='<a href=no>'>|<img alt=">">|<|<3|&|&amp;|</|<!|<?|<a |<a/href=s>|<a href= >|
<a href=one href=two>|<a\thref='t\tt'>|<abbr href=no>|<xmp>|</xmp>|<svg>|</svg>|text|'|"|=|>|/|
<iframe>|</iframe>|<a href=café?é>|<a href='a&amp;b'>|<a href=mailto:x>|<div x=y z>|
<link rel=canonical href=c>|\0| """.replace("|\n", "|").split("|")
)


def long(markup):
    """The page made so long that no tree is built for it."""
    return (markup + "<p>" + "words " * (LONG // 6 + 1)).encode("utf-8", "surrogatepass")


def assert_same(body, url=URL, content_type="text/html", robots_tag=None):
    skimmed = skim_html(body, url, content_type, robots_tag=robots_tag)
    parsed = parse_html(body, url, content_type, robots_tag=robots_tag)
    links = dict.fromkeys(link for link in parsed.links if not link.nofollow)
    assert skimmed == ParsedPage(links=tuple(links), index=parsed.index, follow=parsed.follow)


@given(st.lists(PARTS, max_size=30).map("".join))
def test_links_and_wishes_are_those_of_the_whole_reading(markup):
    assert_same(long(markup))


@given(st.text(alphabet="<>/a hrefbs='\"!-t\n&x", max_size=200))
def test_noise_gives_the_same_links(markup):
    assert_same(long(markup + "<a href=end>"))


@given(st.text(max_size=60), st.sampled_from(["", "http://b.example/x/", "../", "/", "a?b/c", "mailto:x"]))
def test_any_href_and_base(href, base):
    quoted = href.replace("&", "&amp;").replace('"', "&quot;")
    assert_same(long(f'<base href="{base}"><a href="{quoted}">x</a>'))


def test_the_pages_of_the_tiny_web_have_the_same_links():
    web = tiny_web()
    for url in web:
        answer = web.respond(url)
        body = answer.body + b"<p>" + b"words " * (LONG // 6)
        kind, tag = answer.headers.get("content-type"), answer.headers.get("x-robots-tag")
        if b"\0" not in body:
            assert_same(body, url, kind, tag)


@pytest.mark.parametrize(
    "part",
    [
        "<p>",
        "<a href=x>",
        "<",
        "<a ",
        "<!--",
        "<script>",
        "<title>",
        "x<y ",
        "<a href='",
        "<div x='<a href=y>'>",
    ],
)
def test_no_page_takes_a_crawlers_time(part):
    body = (part * (10 * 2**20 // len(part))).encode()
    assert len(skim_html(body, URL, "text/html").links) <= 2  # what grows with the square takes hours
