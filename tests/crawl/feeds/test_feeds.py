import codecs
import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import parse_feed, parse_sitemap
from ircourse.crawl.feeds import feeds
from ircourse.web import tiny_web

A = "http://a.example/"
DATE = "<pubDate>Sun, 09 Mar 2025 07:30:15 GMT</pubDate>"


def rss(*items, about="<title>Tides</title>", attributes='version="2.0"'):
    inside = "".join(f"<item>{item}</item>" for item in items)
    return f"<rss {attributes}><channel>{about}{inside}</channel></rss>"


def atom(*entries, about="", attributes=""):
    inside = "".join(f"<entry>{entry}</entry>" for entry in entries)
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {attributes}>{about}{inside}</feed>'


def urls(text, *where):
    feed = parse_feed(text if isinstance(text, bytes) else text.encode(), *where)
    return [entry.url.removeprefix(A) for entry in feed.entries]


RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    '<channel rdf:about="http://a.example/"><title>Tides</title></channel>'
    f'<item rdf:about="{A}1"><title>One</title><link>{A}1</link><dc:date>2025-03-09T07:30Z</dc:date>'
    "</item></rdf:RDF>"
)
LINKS = {
    "a link": (rss(f"<link>{A}1</link>"), ["1"]),
    "white space and entities": (rss(f"<link>\n {A}?a=1&amp;b=2 \n</link>"), ["?a=1&b=2"]),
    "cdata": (rss(f"<link><![CDATA[{A}?a=1&b=2]]></link>"), ["?a=1&b=2"]),
    "a bare ampersand": (rss(f"<link>{A}?a=1&b=2</link>", f"<link>{A}2</link>"), ["?a=1&b=2", "2"]),
    "a guid": (rss(f"<guid>{A}1</guid>"), ["1"]),
    "a guid that is a link": (rss(f'<guid isPermaLink="true">{A}1</guid>'), ["1"]),
    "a guid that is none": (rss(f'<guid isPermaLink="false">{A}1</guid>'), []),
    "a guid that is no URL": (rss("<guid>tide-1</guid>"), []),
    "guid and link": (
        rss(f"<guid>{A}g</guid><link>{A}1</link>", f"<link>{A}2</link><guid>{A}h</guid>"),
        ["1", "2"],
    ),
    "no link": (rss("<title>words alone</title>", f"<link>{A}2</link>"), ["2"]),
    "a link that is none": (rss("<link>mailto:x@a.example</link>", "<link>javascript:x</link>"), []),
    "rss 0.91": (rss(f"<link>{A}1</link>", attributes='version="0.91"'), ["1"]),
    "rss without a version": (rss(f"<link>{A}1</link>", attributes=""), ["1"]),
    "rss 1.0": (RDF, ["1"]),
    "atom": (atom(f'<link href="{A}1"/>'), ["1"]),
    "the alternate": (atom(f'<link rel="edit" href="{A}e"/><link rel="alternate" href="{A}1"/>'), ["1"]),
    "an enclosure is none": (atom(f'<link rel="enclosure" href="{A}e"/><link href="{A}1"/>'), ["1"]),
    "an atom id": (atom(f"<id>{A}1</id>", "<id>tag:a.example,2025:1</id>"), ["1"]),
    "xml:base": (atom('<link href="1"/>', attributes=f'xml:base="{A}b/"'), ["b/1"]),
    "xml:base within": (
        atom('<link href="1"/>', attributes=f'xml:base="{A}"').replace("<entry>", '<entry xml:base="c/">'),
        ["c/1"],
    ),
    "of the page": (rss("<link>/1</link>", about=f"<link>{A}x/</link>"), ["1"]),
    "no base at all": (rss("<link>/1</link>"), []),
    "html": ("<!DOCTYPE html><html><body><a href='http://a.example/'>x</a></body></html>", []),
    "nothing": ("", []),
    "words": ("no feed", []),
    "cut": (rss(f"<link>{A}1</link>", f"<link>{A}2</link>")[:-40], ["1"]),
    "words before": ("\n\nWarning: x\n" + rss(f"<link>{A}1</link>"), ["1"]),
    "html entities": (rss(f"<title>caf&eacute;&nbsp;x</title><link>{A}1</link>"), ["1"]),
}


@pytest.mark.parametrize("name", LINKS)
def test_links(name):
    text, expected = LINKS[name]
    assert urls(text) == expected


def test_relative_links_and_the_address_of_the_feed():
    assert urls(rss("<link>1</link>", "<link>/2</link>", f"<link>{A}3</link>"), A + "news/rss") == [
        "news/1",
        "2",
        "3",
    ]
    assert urls(atom('<link href="1"/>', attributes='xml:base="/b/"'), A + "news/atom") == ["b/1"]


ENCODED = {
    "utf-16": rss(f"<title>Zürich</title><link>{A}1</link>").encode("utf-16"),
    "latin-1": (
        '<?xml version="1.0" encoding="latin1"?>' + rss(f"<title>Zürich</title><link>{A}1</link>")
    ).encode("latin-1"),
    "a mark": codecs.BOM_UTF8 + rss(f"<title>Zürich</title><link>{A}1</link>").encode(),
    "gzip": gzip.compress(rss(f"<title>Zürich</title><link>{A}1</link>").encode()),
}


@pytest.mark.parametrize("name", ENCODED)
def test_encodings(name):
    (entry,) = parse_feed(ENCODED[name]).entries
    assert entry[:2] == (A + "1", "Zürich")


def test_the_header_names_an_encoding():
    body = rss(f"<title>Zürich</title><link>{A}1</link>").encode("latin-1")
    assert parse_feed(body, None, "text/xml; charset=ISO-8859-1").entries[0].title == "Zürich"
    for odd in ("text/xml; charset=punycode", "text/xml", "", "\ud800", "text/xml; charset=zip"):
        assert len(parse_feed(body, None, odd).entries) == 1


TIMES = {
    DATE: ("2025-03-09 07:30:15", None),
    "<pubDate>Sunday, 09-Mar-25 07:30:15 GMT</pubDate>": ("2025-03-09 07:30:15", None),
    "<pubDate>2025-03-09T07:30:15+01:00</pubDate>": ("2025-03-09 06:30:15", None),
    "<pubDate>soon</pubDate>": (None, None),
    "": (None, None),
}
ATOM_TIMES = {
    "<published>2025-03-01T00:00Z</published><updated>2025-03-09T00:00Z</updated>": (
        "2025-03-01",
        "2025-03-09",
    ),
    "<updated>2025-03-09T00:00Z</updated>": ("2025-03-09", "2025-03-09"),
    "<published>2025-03-01T00:00Z</published>": ("2025-03-01", None),
}


@pytest.mark.parametrize("times", TIMES | ATOM_TIMES)
def test_published_and_updated(times):
    make, link = (rss, f"<link>{A}1</link>") if times in TIMES else (atom, f'<link href="{A}1"/>')
    (entry,) = parse_feed(make(link + times).encode()).entries
    expected = (TIMES | ATOM_TIMES)[times]
    assert [str(t)[: len(e or "None")] for t, e in zip(entry[2:4], expected, strict=True)] == [
        e or "None" for e in expected
    ]


def test_a_date_of_rss_1():
    assert str(parse_feed(RDF.encode()).entries[0].published) == "2025-03-09 07:30:00+00:00"


def test_titles():
    titles = ["A &amp; B", "<![CDATA[A & B]]>", "  two\n words ", "x" * 5000]
    feed = parse_feed(rss(*(f"<title>{t}</title><link>{A}{n}</link>" for n, t in enumerate(titles))).encode())
    assert [e.title for e in feed.entries] == ["A & B", "A & B", "two words", "x" * 1000]
    assert feed.title == "Tides"


def test_hubs_and_intervals():
    hub = f'<link rel="hub" href="http://hub.example/"/><link rel="self" href="{A}atom"/>'
    feed = parse_feed(atom(f'<link href="{A}1"/>', about=hub).encode())
    assert (feed.hubs, feed.topic, feed.interval) == (("http://hub.example/",), A + "atom", None)
    within = hub.replace("<link", "<atom:link")
    space = 'version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
    feed = parse_feed(rss(about=within + "<ttl>90</ttl>", attributes=space).encode())
    assert (feed.hubs, feed.topic, feed.interval) == (("http://hub.example/",), A + "atom", 5400)
    often = "<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>"
    assert parse_feed(rss(about=often, attributes=space).encode()).interval == 21_600
    for odd in ("-5", "nan", "9" * 400, "0.5", ""):
        assert parse_feed(rss(about=f"<ttl>{odd}</ttl>").encode()).interval is None


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 10}">' for n in range(9))


@pytest.mark.parametrize("declared", [BOMB, '<!ENTITY e8 SYSTEM "file:///etc/passwd">'])
def test_entities_are_never_expanded(declared):
    feed = parse_feed(
        (f"<!DOCTYPE rss [{declared}]>" + rss(f"<title>&e8;</title><link>{A}1</link>")).encode()
    )
    assert [entry.title for entry in feed.entries] == ["&e8;"]


def test_a_body_that_names_a_file_or_a_url_is_not_opened(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(rss(f"<link>{A}1</link>"), encoding="utf-8")
    for body in (str(path), path.as_uri(), "http://127.0.0.1:9/"):
        feed = parse_feed(body.encode())
        assert feed.entries == () and "no feed" in feed.problem
    with pytest.raises(TypeError, match="a feed is bytes, not str"):
        parse_feed(str(path))


def test_of_a_long_feed_the_first_entries_are_read(monkeypatch):
    item = f"<title>T</title><link>{A}{{}}</link>"
    long = rss(*(item.format(n) for n in range(3000)))
    feed = parse_feed(long.encode())
    assert 1500 < len(feed.entries) < 1800 and feed.problem.startswith("more tags")
    assert [e.url for e in feed.entries] == [f"{A}{n}" for n in range(len(feed.entries))]
    in_cdata = rss(
        *(item.format(n) + f"<description><![CDATA[{'<p>' * 100}]]></description>" for n in range(300))
    )
    assert len(parse_feed(in_cdata.encode()).entries) == 300
    monkeypatch.setattr(feeds, "MAX_BYTES", 1000)
    feed = parse_feed(gzip.compress(long.encode()))
    assert 10 < len(feed.entries) < 20 and feed.problem == "longer than 1,000 bytes"
    assert feed.entries[-1].title == "T"


MANY = {
    "attributes of a tag": "<x " + " ".join(f'a{n}=""' for n in range(20_000)) + "/>",
    "attributes that hold marks": "<x " + " ".join(f"a{n}='>\"'" for n in range(20_000)) + "/>",
    "declarations of a tag": "<x " + " ".join(f'xmlns:a{n}="u{n}"' for n in range(20_000)) + "/>",
    "attributes in all": ("<x " + " ".join(f'a{n}=""' for n in range(90)) + "/>") * 2000,
    "nested bases": '<x xml:base="b/">' * 9000,
    "bases that end tags do not end": '</x></x></x></x><x xml:base="bbbbbbbbbb/"></x>' * 5000,
    "a long base": f'<x xml:base="{"b" * 100_000}/">' + "<x/>" * 9000,
    "one without marks": f"<x base={'b' * 100_000}/>" + "<x>" * 9000,
}


@pytest.mark.parametrize("many", MANY.values(), ids=MANY)
def test_what_costs_more_than_its_length_is_not_read(many):
    assert urls(rss(f"<link>{A}1</link>", f"<link>{A}2</link>{many}"), f"{A}feed") == ["1"]
    as_sitemap = parse_sitemap(rss(f"<link>{A}1</link>", many).encode(), f"{A}feed")
    assert [entry.url for entry in as_sitemap.entries] == [f"{A}1"]
    assert as_sitemap.problem.startswith("more tags, attributes")


def test_many_entries_with_bases_quotes_and_a_few_attributes_are_all_read():
    entry = f'<link href="{A}{{}}"/><content xml:base="{A}{{}}/">it\'s a=1 &amp;lt;a href="x"></content>'
    attributes = " ".join(f'a{n}="{n}"' for n in range(80))
    feed = atom(*(f"<x {attributes}/>" + entry.format(n, n) for n in range(300)))
    assert len(parse_feed(feed.encode()).entries) == 300
    quotes = "<!--" + 'it is "so" ' * 500 + "--><title>" + "don't " * 300 + f"</title><link>{A}1</link>"
    assert urls(rss(quotes, f"<link>{A}2</link>")) == ["1", "2"]


def test_a_deep_feed():
    assert urls(rss(f"<link>{A}1</link>" + "<x>" * 3000 + "</x>" * 3000, f"<link>{A}2</link>")) == ["1", "2"]


def test_the_tiny_web():
    web = tiny_web()
    for day in range(10):
        url = "http://gazette.saltmere.example/feed.rss"
        gazette = parse_feed(web.respond(url, day=day).body, url)
        assert gazette.problem == "" and len(gazette.entries) >= 4
        assert all(e.published and e.id.startswith("gazette-") and e.title for e in gazette.entries)
        assert all(web.respond(entry.url, day=day).status == 200 for entry in gazette.entries)
        url = "http://market.saltmere.example/atom.xml"
        market = parse_feed(web.respond(url, day=day).body, url)
        assert market.problem == "" and market.topic == url and all(e.updated for e in market.entries)
        assert all(web.respond(entry.url, day=day).status == 200 for entry in market.entries)


WORDS = "<rss> <channel> <item> </item> <link> </link> <guid> <pubDate> <title> <entry> <feed> <id> &#0; &amp"
WORDS += " &#xD800; &#x110000; & <![CDATA[ ]]> <!-- --> <? <content\ttype='xhtml'> <svg> <a:b> \x00 é 9 -"
PARTS = st.sampled_from([*WORDS.split(" "), "<link href='/x'/>"])


@settings(max_examples=150)
@given(st.lists(PARTS, max_size=25).map("".join))
def test_no_bytes_raise(text):
    for body in (text.encode(), b"<rss>" + text.encode(), text.encode("utf-16")):
        assert all(entry.url.startswith("http") for entry in parse_feed(body, A).entries)
