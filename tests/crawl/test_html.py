"""Pages: links, words and wishes, the two ways of reading them, and pages that nobody should have written."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import html as html_module
from ircourse.crawl.flat import attributes_of, flat_events, is_harmless
from ircourse.crawl.html import ParsedPage, _Reader, parse_html, tree_events

URL = "http://harbour.example/dir/page.html"
HERE = Path(__file__).parent
CASES = json.loads((HERE / "pages.json").read_text(encoding="utf-8"))


def read(html: str, **kwargs) -> ParsedPage:
    return parse_html(html.encode(), URL, "text/html; charset=utf-8", **kwargs)


def read_events(events) -> ParsedPage:
    reader = _Reader(URL, set())
    reader.read(events)
    return reader.page()


def with_anchors(page: ParsedPage):
    return page, [(link.anchor, link.nofollow) for link in page.links]


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


# The two ways of reading agree on what is well formed.

NAMES = ["p", "div", "b", "i", "span", "ul", "section", "h1", "em", "x-y", "blockquote", "noscript"]
texts = st.text(st.sampled_from("ab <>&;=\"'é日\n\t\u00a0#"), max_size=8)
values = st.text(st.sampled_from("ab/?&=;:<>\"'é #.copy"), max_size=8)


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@st.composite
def elements(draw, depth=4, in_anchor=False):
    kind = draw(st.sampled_from(["text", "text", "a", "img", "comment", "script", "area", *NAMES]))
    if kind == "comment":
        return f"<!--{escape(draw(texts))} <a href=/no>-->"
    if kind == "script":
        return "<script>'<a href=/no>'</script>"
    if kind == "img":
        return f'<img src=x alt="{escape(draw(values))}">'
    if kind == "area":
        return f'<area alt=x href="{escape(draw(values))}">'
    if kind == "text" or depth == 0 or (kind == "a" and in_anchor):
        return escape(draw(texts))
    inner = "".join(draw(st.lists(elements(depth - 1, in_anchor or kind == "a"), max_size=4)))
    if kind == "p" or kind == "h1":  # a block would end these
        inner = escape(draw(texts))
    attributes = f' href="{escape(draw(values))}" rel="{escape(draw(values))}"' if kind == "a" else ""
    return f"<{kind}{attributes}>{inner}</{kind}>"


@given(st.lists(elements(), max_size=6))
def test_tree_and_flat_reading_agree(parts):
    html = (
        "<!doctype html><html><head><title>t &amp; u</title></head><body>" + "".join(parts) + "</body></html>"
    )
    assert with_anchors(read_events(tree_events(html))) == with_anchors(read_events(flat_events(html)))


@given(st.text(st.sampled_from("ab&#x0123456789;=copyltampnotin "), max_size=20))
def test_entities_in_values_are_those_of_the_parser(value):
    page = f"<title>x</title><img alt='{value}'>"
    (tree,) = [attributes for kind, _, attributes in tree_events(page) if kind == "img"]
    flat = attributes_of(f" alt='{value}'")
    assert (tree["alt"] or "").replace("\ufffd", "") == (flat["alt"] or "").replace("\ufffd", "")


@given(st.text(st.sampled_from("<>!-/ab='\" \n\0"), max_size=60))
def test_tags_are_those_of_the_parser(text):
    """Where words end and tags begin, in soup of the characters that decide it."""
    flat = [attributes for kind, _, attributes in flat_events("<p>" + text) if kind == "a"]
    tree = [attributes for kind, _, attributes in tree_events("<p>" + text) if kind == "a"]
    written = [{name: value or "" for name, value in attributes.items()} for attributes in tree]
    unrepeated = [a for i, a in enumerate(written) if a not in written[:i]]
    assert [a for i, a in enumerate(flat) if a not in flat[:i]] == unrepeated


# Pages that nobody should have written.

DEEP = 100_000
HOSTILE = {
    "nothing": "",
    "5,000 nested": "<div>" * 5_000 + "<a href=/x>deep</a>",
    **{
        f"{DEEP:,} nested {tag}": f"<{tag}>" * DEEP + "<a href=/x>deep</a>"
        for tag in ("div", "b", "a", "span")
    },
    "nested in svg": "<svg>" + "<a>" * DEEP + "</svg><a href=/x>deep</a>",
    "nested tables": "<table><tr><td>" * 30_000 + "<a href=/x>deep</a>",
    "nested lists": "<ul><li>" * 30_000 + "<a href=/x>deep</a>",
    "remade formatting": "<p>" + "".join(f"<b id={i}>" for i in range(1000)) + "</p>" + "<p>x</p>" * 1000,
    "small remade formatting": "<p>" + "".join(f"<b a={i}>" for i in range(500)) + "<p>x" * 3000,
    "many attributes": "<a " + " ".join(f"x{i}" for i in range(DEEP)) + " href=/y>y</a>",
    "many html attributes": "".join(f"<html a{i}>" for i in range(20_000)),
    "many options": "<select>" + "<option>" * DEEP,
    "end tags": "<span>" * 3_000 + "</x>" * DEEP,
    "misnested": "<b><div>" * 5_000 + "</b>" * 5_000,
    "open comments": "<!--" * DEEP,
    "open tags": "<a " * DEEP,
    "open quotes": "<a b='<a b=\"" * DEEP,
    "open scripts": "<script>" * DEEP + "</scrip" * DEEP,
    "open titles": "<title>" * DEEP,
    "open templates": "<template>" * DEEP + "<a href=/no>",
    "declarations": "<!" * DEEP,
    "one long attribute": "<a href='" + "x" * 1_000_000,
    "one long number": "&#" + "9" * 1_000_000 + ";<p title='&#" + "9" * 10_000 + "'>",
    "entities": "&notit;" * DEEP,
    "zero bytes": "\0" * 1_000_000,
    "less than": "<" * 1_000_000,
    "misplaced in a table": "<table>" + "a<tr>" * DEEP,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_read(name):
    page = read(HOSTILE[name])
    if "deep" in HOSTILE[name]:
        assert page.links == ("http://harbour.example/x",)
        assert page.links[0].anchor == "deep"


def test_no_hostile_page_kills_the_process():
    """The parser is written in C, where too deep a recursion is no exception."""
    program = (
        "from ircourse.crawl.html import tree_events, parse_html\n"
        "for tag in ('div', 'b', 'a', 'svg', 'ul', 'table', 'template', 'select', 'p', 'x'):\n"
        "    html = f'<{tag} a>' * (20_000 // (len(tag) + 4))\n"
        "    assert sum(1 for event in tree_events(html)) < 20_000\n"
        "    parse_html(html.encode() * 20, 'http://a.example/')\n"
        "print('alive')"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.strip()) == (0, "alive"), result.stderr


@pytest.mark.parametrize(
    ("limit", "html", "links"),
    [
        ("MAX_TAGS", "<a href=/x>x</a>" * 2_000, 50),
        ("MAX_LINKS", "<a href=/x>x</a>" * 2_000, 100),
        ("MAX_LINKS", "<area href=/x>" * 2_000, 100),
        ("MAX_BODY", "<a href=/x>x</a>" * 2_000, 6),
        ("MAX_ENTITIES", "&amp;<a href=/x>x</a>" * 2_000, 99),
    ],
)
def test_limits_cut_a_page_between_tags(monkeypatch, limit, html, links):
    monkeypatch.setattr(html_module, limit, 100)
    page = read(html)
    assert len(page.links) == links and set(page.links) == {"http://harbour.example/x"}
    assert {link.anchor for link in page.links} <= {"x", ""}


def test_a_long_page_is_read_flat_and_a_short_one_as_a_tree():
    assert is_harmless("<p>" * 6_000) and not is_harmless("<p>" * 7_000)
    assert not is_harmless("<b>" * 1_000)


PIECES = [
    *(
        "<a href=/a>",
        "</a>",
        "<a",
        "<base href=/b/>",
        "<p>",
        "</p>",
        "<table>",
        "<td>",
        "<svg>",
        "</svg>",
        "<title>",
    ),
    *(
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<template>",
        "</template>",
        "<select>",
        "<option>",
        "<math>",
        "<mi>",
    ),
    *(
        "<textarea>",
        "</textarea>",
        "<frameset>",
        "<plaintext>",
        "<noscript>",
        "<body>",
        "</html>",
        "<xmp>",
        "<b id=",
    ),
    *(
        "<meta charset=gbk>",
        "<meta name=robots content=none>",
        "<link rel=canonical href=",
        "<img alt='x'",
        "<area",
    ),
    *(
        "&amp",
        "&#0;",
        "&#x110000;",
        "&#xD800;",
        "\0",
        "\r",
        "'",
        '"',
        ">",
        "<",
        "=",
        " ",
        "/",
        "é",
        "日",
        "<![CDATA[",
    ),
]
TYPES = [
    None,
    "text/html",
    "text/html;charset=gbk",
    "text/html;charset=utf-16",
    "text/html;charset=x-user-defined",
]
TYPES += [
    "text/plain",
    "text/html;charset=iso-2022-jp",
    "text/html;charset=hz-gb-2312",
    "text/html;charset=\ud800",
]


@pytest.mark.parametrize("seed", range(4))
def test_five_hundred_broken_pages_never_raise(seed):
    rng = random.Random(seed)
    for _ in range(500):
        soup = "".join(rng.choices(PIECES, k=rng.randrange(60))).encode(
            rng.choice(["utf-8", "utf-16", "gb18030"])
        )
        damaged = bytearray(soup * rng.choice([1, 1, 1, 100]))
        for _ in range(rng.randrange(5)):
            if damaged:
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        page = parse_html(bytes(damaged), rng.choice([URL, "", "\ud800"]), rng.choice(TYPES))
        assert all(link.startswith(("http://", "https://")) for link in page.links)
        assert "\0" not in page.text + page.title


@given(st.binary(max_size=300), st.sampled_from(TYPES))
def test_no_bytes_raise(body, content_type):
    parse_html(body, URL, content_type)
    list(flat_events(body.decode("latin-1")))
