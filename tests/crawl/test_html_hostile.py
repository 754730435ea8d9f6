"""Pages that nobody should have written: deep, long, broken and binary ones."""

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl.pages import bodies
from ircourse.crawl.pages import html as html_module
from ircourse.crawl.pages.flat import flat_events
from ircourse.crawl.pages.html import ParsedPage, parse_html
from ircourse.crawl.urls import canonical_url

URL = "http://harbour.example/dir/page.html"


def read(html: str, **kwargs) -> ParsedPage:
    return parse_html(html.encode(), URL, "text/html; charset=utf-8", **kwargs)


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


HAN = "".join(map(chr, range(0x4E00, 0x4E00 + 5_000)))


def links(hrefs) -> str:
    return "".join(f"<a href='{href}'>x</a>" for href in hrefs)


MANY = range(2_000)  # of the 50,000 that are read
ADDRESSES = {
    "queries": links(f"/?{i}={HAN[i % 900 : i % 900 + 60]}" for i in MANY),
    "queries and letters": links(f"/?{i}={'éa' * 60}" for i in MANY),
    "queries that no encoding holds": links(f"/?{i}={'&#3333;' * 10}" for i in MANY),
    "escapes that need none": links(f"/{i}" + "%41" * 55 for i in MANY),
    "escapes in lower case": links(f"/{i}" + "%e9" * 55 for i in MANY),
    "broken escapes": links(f"/{i}%" + "%e9" * 55 for i in MANY),
    "spaces": links(f"/{i}" + " x" * 90 for i in MANY),
    "paths outside ASCII": links(f"/{i}" + "é" * 90 for i in MANY),
    "hosts outside ASCII": links(f"http://{HAN[i % 900 : i % 900 + 16]}.{i}.example/" for i in MANY),
    "hosts in entities": links(f"http://&#{2000 + i};&#3333;&eacute;{i}.example/" for i in MANY),
    "long hosts": links(f"http://{i}{HAN[:2500]}/" for i in range(100)),
    "long hosts of marks": links(f"http://{i}a{chr(0x301) * 4000}/" for i in range(100)),
    "long hrefs": links("/" + f"{i}" * 2000 for i in range(100)),
    "long dot segments": links(f"/{i}" + "/a" * 1000 + "/.." * 1000 for i in range(100)),
    "long base": f"<base href='/{'%C3%A9/' * 1100}'>" + links(MANY),
    "canonicals": "".join(f"<link rel=canonical href=ftp://{i}>" for i in range(50_000)),
    "attributes": "<a a b c d e f g h i j k l m n o p q r s t u>" * 20_000,
    "attributes that count": "<a rel rel rel rel rel rel rel rel rel rel>" * 20_000,
    "wishes": "<meta name=robots content='a,b,c,d,e,f'>" * 20_000,
    "one wish": "<meta name=robots content='" + "," * 1_000_000 + "'>",
    "names of no entity": "&aaaaaaaaaaaaaaaaaa " * 50_000,
    "remade anchors": "<p><a " + " ".join(f"{i:x}" for i in range(1000)) + ">" + "<p>x" * 1000,
}


@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_of_hostile_addresses_is_read(name, encoding):
    page = parse_html(ADDRESSES[name].encode(encoding, "replace"), URL, f"text/html; charset={encoding}")
    assert sum(map(len, page.links)) <= html_module.MAX_ADDRESSES
    assert len(page.links) <= html_module.MAX_LINKS


@pytest.mark.parametrize("byte", [b"\x81", b"\xff", b"\xd8", b"\x80", b"\x1b", b"\n"])
@pytest.mark.parametrize("encoding", ["windows-1252", "windows-874", "gbk", "shift_jis", "utf-16", "utf-8"])
def test_a_page_of_one_byte_is_read(byte, encoding):
    broken = byte * 1_000_000
    for kind in ("text/html", "text/plain"):
        assert parse_html(broken, URL, f"{kind}; charset={encoding}").links == ()
    link = b"<a href='/?" + byte * 50 + b"'>x</a>"
    for url in parse_html(link * 1000, URL, f"text/html; charset={encoding}").links:
        assert url.isascii()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_read(name):
    page = read(HOSTILE[name])
    if "deep" in HOSTILE[name]:
        assert page.links == ("http://harbour.example/x",)
        assert page.links[0].anchor == "deep"


def test_no_hostile_page_kills_the_process():
    """The parser is written in C, where too deep a recursion is no exception."""
    program = (
        "from ircourse.crawl.pages.html import tree_events, parse_html\n"
        "for tag in ('div', 'b', 'a', 'svg', 'ul', 'table', 'template', 'select', 'p', 'x'):\n"
        "    html = f'<{tag} a>' * (20_000 // (len(tag) + 4))\n"
        "    assert sum(1 for event in tree_events(html)) < 20_000\n"
        "    parse_html(html.encode() * 20, 'http://a.example/')\n"
        "print('alive')"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.strip()) == (0, "alive"), result.stderr


def test_addresses_are_read_until_they_are_too_long_together(monkeypatch):
    monkeypatch.setattr(html_module, "MAX_ADDRESSES", 1000)
    base = "http://harbour.example/"
    for href, each in (("/x", 2), ("/%E9", 4 + 2 * 7), ("/%41", 4 + 7 - 2), ("mailto:x", 8)):
        url = canonical_url(href, base)
        cost = len(base) + each + (len(url) if url else 0)
        page = parse_html(links([href] * 50 + ["/last"] * 50).encode(), base)
        assert page.links == (url,) * (1000 // cost) if url else len(page.links) < 50
    assert parse_html(links([" " * 9000] * 3 + ["/y"]).encode(), base).links == ()


def test_the_first_usable_canonical_of_ten_counts():
    for n, wanted in ((0, "/y"), (9, "/y"), (10, None)):
        page = read("<link rel=canonical href=ftp://x>" * n + "<link rel=canonical href=/y>")
        assert page.canonical == (canonical_url(wanted, URL) if wanted else None)


@pytest.mark.parametrize(
    ("limit", "html", "links"),
    [
        ("MAX_TAGS", "<a href=/x>x</a>" * 2_000, 50),
        ("MAX_LINKS", "<a href=/x>x</a>" * 2_000, 100),
        ("MAX_LINKS", "<area href=/x>" * 2_000, 100),
        ("MAX_LINKS", "<a href=/x>" + "<area href=/x>" * 2_000, 100),
        ("MAX_BODY", "<a href=/x>x</a>" * 2_000, 6),
        ("MAX_ENTITIES", "&amp;<a href=/x>x</a>" * 2_000, 99),
    ],
)
def test_limits_cut_a_page_between_tags(monkeypatch, limit, html, links):
    monkeypatch.setattr(bodies if hasattr(bodies, limit) else html_module, limit, 100)
    page = read(html)
    assert len(page.links) == links and set(page.links) == {"http://harbour.example/x"}
    assert {link.anchor for link in page.links} <= {"x", ""}


PIECES = (
    "</a> <p> </p> <table> <td> <svg> </svg> <title> <script> </script> <template> </template> "
    "<select> <option> <math> <mi> <textarea> </textarea> <frameset> <plaintext> <noscript> <body> "
    "</html> <xmp>"
).split()
PIECES += ["<a href=/a>", "<a", "<base href=/b/>", "<!--", "-->", "<b id=", "<meta charset=gbk>"]
PIECES += ["<meta name=robots content=none>", "<link rel=canonical href=", "<img alt='x'", "<area"]
PIECES += ["&amp", "&#0;", "&#x110000;", "&#xD800;", "<![CDATA["]
PIECES += "\x00\r'\"><= /é日"
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
