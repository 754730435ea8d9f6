"""Pages: links, words and the author's wishes."""

import json
from pathlib import Path

import pytest

from ircourse.crawl.pages.flat import flat_events
from ircourse.crawl.pages.html import ParsedPage, _Reader, parse_html, tree_events

URL = "http://harbour.example/dir/page.html"
HERE = Path(__file__).parent
CASES = json.loads((HERE / "pages.json").read_text(encoding="utf-8"))


def read(html: str, **kwargs) -> ParsedPage:
    return parse_html(html.encode(), URL, "text/html; charset=utf-8", **kwargs)


def read_events(events) -> ParsedPage:
    reader = _Reader(URL, set())
    reader.read(events)
    return reader.page()


READINGS = {"tree": tree_events, "flat": flat_events}
READ = [
    (case, name) for case in CASES["pages"] for name in READINGS if name == "tree" or "tree_only" not in case
]


@pytest.mark.parametrize(("case", "reading"), READ, ids=[f"{case['why']} ({name})" for case, name in READ])
def test_a_page_says_what_its_author_wrote(case, reading):
    page = read_events(READINGS[reading](case["html"]))
    for name in ("text", "title", "index", "follow", "canonical"):
        assert getattr(page, name) == case.get(name, getattr(page, name)), name
    if "links" in case:
        assert [[str(link), link.anchor] for link in page.links] == case["links"]
    if "nofollow" in case:
        assert [link.nofollow for link in page.links] == case["nofollow"]


@pytest.mark.parametrize(
    ("robots_tag", "index", "follow"),
    [
        (None, True, True),
        ("", True, True),
        ("noindex", False, True),
        ("NoIndex , NOFOLLOW", False, False),
        ("none", False, False),
        ("all", True, True),
        ("otherbot: noindex, nofollow", True, True),
        ("otherbot: noindex, ircourse: nofollow", True, False),
        ("IRCourse: none", False, False),
        ("otherbot: noindex\nnofollow", True, False),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", False, True),
        ("max-snippet: 20, max-image-preview: large, nofollow", True, False),
        ("noindexed, nofollower, x: y: none", True, True),
        (",:,\ud800:,::", True, True),
    ],
)
def test_the_header_asks(robots_tag, index, follow):
    for content_type in ("text/html", "text/plain", "image/png"):
        page = parse_html(b"<p>x", URL, content_type, robots_tag=robots_tag)
        assert (page.index, page.follow) == (index, follow)


def test_header_and_meta_add_up():
    page = read("<meta name=robots content=nofollow>", robots_tag="noindex")
    assert (page.index, page.follow) == (False, False)


@pytest.mark.parametrize(
    ("content_type", "body", "text", "links"),
    [
        ("text/html", b"<a href=/a>x</a>", "x", 1),
        ("TEXT/HTML ;charset=utf-8", b"<a href=/a>x</a>", "x", 1),
        ("application/xhtml+xml", b"<a href='/a'>x</a>", "x", 1),
        (None, b"<a href=/a>x</a>", "x", 1),
        (None, b"\x89PNG\r\n\0\0<a href=/a>x</a>", "", 0),
        (None, "\ufeff<a href=/a>x</a>".encode("utf-16le"), "x", 1),
        ("text/plain", b"<a href=/a>  1 < 2\r\n\r\n  two\0</a>", "<a href=/a> 1 < 2\ntwo</a>", 0),
        ("image/png", b"<a href=/a>x</a>", "", 0),
        ("application/pdf", b"%PDF-1.4 <a href=/a>", "", 0),
        ("application/rss+xml", b"<a href='/a'/>", "", 0),
        ("nonsense", b"<a href=/a>", "", 0),
    ],
)
def test_only_html_has_links(content_type, body, text, links):
    page = parse_html(body, URL, content_type)
    assert (page.text, len(page.links)) == (text, links)


def test_the_query_is_in_the_encoding_of_the_page_and_the_path_is_not():
    page = parse_html("<meta charset=gbk><a href='/查?q=查'>x</a>".encode("gbk"), "http://a.example/")
    assert page.links == ("http://a.example/%E6%9F%A5?q=%B2%E9",)


@pytest.mark.parametrize("url", ["", "no url", "mailto:a@a.example", "\ud800", "http://[", "/x"])
def test_without_a_usable_address_absolute_links_remain(url):
    page = parse_html(b"<a href=/a>1</a><a href=http://b.example>2</a>", url)
    assert page.links == ("http://b.example/",)
    based = parse_html(b"<base href=http://c.example/x/><a href=a>1</a>", url)
    assert based.links == ("http://c.example/x/a",)


def test_bytes_of_each_kind_are_read_and_other_things_refused():
    for kind in (bytes, bytearray, memoryview):
        assert parse_html(kind(b"<p>x"), URL).text == "x"
    with pytest.raises(TypeError, match=r"must be bytes, not str .*encode"):
        parse_html("<p>x", URL)


def test_an_empty_page_is_empty():
    assert parse_html(b"", URL) == ParsedPage()
