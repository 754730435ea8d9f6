import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import SitemapEntry, parse_sitemap
from ircourse.crawl.feeds import reading, sitemap_reader, sitemaps
from ircourse.web import tiny_web

A = "http://a.example/"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*records, declaration="", attributes=NS):
    return f"{declaration}<urlset {attributes}>{''.join(f'<url>{r}</url>' for r in records)}</urlset>"


def loc(path):
    return f"<loc>{A}{path}</loc>"


def urls(text, *where):
    body = text.encode() if isinstance(text, str) else text
    return [entry.url.removeprefix(A) for entry in parse_sitemap(body, *where).entries]


PLAIN = urlset(loc("1"), loc("2"))
READ = {
    "plain": (PLAIN, ["1", "2"]),
    "declared": ('<?xml version="1.0" encoding="UTF-8"?>\n' + PLAIN, ["1", "2"]),
    "no namespace": (urlset(loc("1"), attributes=""), ["1"]),
    "odd namespace": (
        urlset(loc("1"), attributes='xmlns="http://www.google.com/schemas/sitemap/0.84"'),
        ["1"],
    ),
    "prefixes": (f"<s:urlset xmlns:s='x'><s:url><s:loc>{A}1</s:loc></s:url></s:urlset>", ["1"]),
    "an image's loc": (
        urlset(f"<image:image><image:loc>{A}x.png</image:loc></image:image>" + loc("1")),
        ["1"],
    ),
    "an undeclared prefix": (urlset(f"<image:loc>{A}x.png</image:loc>" + loc("1")), ["1"]),
    "a nested loc": (urlset(f"<more><loc>{A}x</loc></more>" + loc("1")), ["1"]),
    "upper case": (f"<URLSET><URL><LOC>{A}1</LOC></URL></URLSET>", ["1"]),
    "white space": (urlset(f"<loc>\n  {A}1\t\n</loc>"), ["1"]),
    "cdata": (urlset(f"<loc><![CDATA[{A}?a=1&b=2]]></loc>"), ["?a=1&b=2"]),
    "entities": (urlset(loc("?a=1&amp;b=2&#38;c=3&#x26;d=4")), ["?a=1&b=2&c=3&d=4"]),
    "an escaped entity stays": (urlset(loc("?a=1&amp;amp;b=2")), ["?a=1&amp;b=2"]),
    "bare ampersands": (urlset(loc("?a=1&b=2&copy=3"), loc("2")), ["?a=1&b=2&copy=3", "2"]),
    "bare and in cdata": (urlset(loc("?a&b"), f"<loc><![CDATA[{A}?a&b&amp;]]></loc>"), ["?a&b", "?a&b&amp;"]),
    "html entities": (urlset(loc("caf&eacute;"), loc("2")), ["caf%C3%A9", "2"]),
    "a comment and an instruction": ("<?xml-stylesheet href='s.xsl'?><!-- x -->" + PLAIN, ["1", "2"]),
    "mark and blank lines": ("\ufeff\n \n<?xml version='1.0'?>\n" + PLAIN, ["1", "2"]),
    "words before": ("Warning: deprecated in line 7\n" + PLAIN, ["1", "2"]),
    "words behind": (PLAIN + "<!-- 0.2 s --><script>x</script> bye & bye", ["1", "2"]),
    "a control character": (urlset(loc("1"), f"<title>\x0b</title>{loc('2')}"), ["1", "2"]),
    "an empty loc": (urlset(loc("1"), "", "<loc></loc>", "<loc/>", loc("2")), ["1", "2"]),
    "no URLs": (urlset("<loc>mailto:x@a.example</loc>", "<loc>javascript:x</loc>", loc("1")), ["1"]),
    "a fragment": (urlset(loc("1#top")), ["1"]),
    "twice": (urlset(loc("1"), loc("2"), loc("1")), ["1", "2"]),
    "other hosts stay": (urlset("<loc>https://b.example/</loc>", loc("1")), ["https://b.example/", "1"]),
    "no letters but ASCII": (urlset(loc("日")), ["%E6%97%A5"]),
    "html": ("<!DOCTYPE html><html><body>not here</body></html>", []),
    "no words": ("", []),
    "words": ("not a sitemap", []),
    "json": ('{"urls": ["http://a.example/1"]}', []),
    "text": (f"{A}1\n{A}2\r\n\r\n# a comment\n ftp://a.example/ \n  {A}3  \n/4\n", ["1", "2", "3"]),
    "text with a mark": (f"\ufeff{A}1\n{A}2", ["1", "2"]),
    "a feed": (f"<rss version='2.0'><channel><item><link>{A}1</link></item></channel></rss>", ["1"]),
    "an empty document type": (f"<!DOCTYPE urlset>{PLAIN}", ["1", "2"]),
}
ENCODED = {
    "utf-16": ('<?xml version="1.0" encoding="UTF-16"?>' + PLAIN).encode("utf-16"),
    "utf-16 without a mark": ('<?xml version="1.0" encoding="UTF-16"?>' + PLAIN).encode("utf-16-be"),
    "utf-16 that says utf-8": ('<?xml version="1.0" encoding="UTF-8"?>' + PLAIN).encode("utf-16"),
    "utf-8 that says utf-16": ('<?xml version="1.0" encoding="UTF-16"?>' + PLAIN).encode(),
    "text in utf-16": f"{A}1\n{A}2\n".encode("utf-16"),
    "an unknown encoding": ('<?xml version="1.0" encoding="klingon"?>' + PLAIN).encode(),
    "a codec of Python's": ('<?xml version="1.0" encoding="punycode"?>' + PLAIN).encode(),
    "gzip": gzip.compress(PLAIN.encode()),
    "gzip in parts": gzip.compress(PLAIN[:50].encode()) + gzip.compress(PLAIN[50:].encode()),
    "gzip and padding": gzip.compress(PLAIN.encode()) + b"\0" * 512,
    "gzip of text": gzip.compress(f"{A}1\n{A}2\n".encode()),
}


@pytest.mark.parametrize("name", READ)
def test_what_owners_write(name):
    text, expected = READ[name]
    assert urls(text) == expected


@pytest.mark.parametrize("name", ENCODED)
def test_encodings_and_gzip_by_content(name):
    assert urls(ENCODED[name]) == ["1", "2"]


def test_latin_1_as_declared_and_not():
    declared = urlset(loc("caf\xe9"), declaration='<?xml version="1.0" encoding="ISO-8859-1"?>')
    assert urls(declared.encode("latin-1")) == ["caf%C3%A9"]
    undeclared = urls(urlset(loc("caf\xe9"), loc("2")).encode("latin-1"))
    assert undeclared[-1] == "2"


def test_relative_urls_need_the_address_of_the_file():
    text = urlset("<loc>/1</loc>", "<loc>2</loc>", loc("3"))
    assert urls(text) == ["3"]
    assert urls(text, A + "maps/all.xml") == ["1", "maps/2", "3"]


FIELDS = "<lastmod>2025-03-09T07:30+01:00</lastmod><changefreq> Daily </changefreq><priority>0.5</priority>"
BAD_FIELDS = [
    "<lastmod>yesterday</lastmod><changefreq>often</changefreq><priority>high</priority>",
    "<lastmod/><changefreq/><priority/>",
    "<lastmod>2025-02-30</lastmod><priority>1.5</priority>",
    "<priority>nan</priority>",
    "<priority>-0.1</priority>",
    "<priority>1e999</priority>",
]


def test_fields():
    (entry,) = parse_sitemap(urlset(FIELDS + loc("1")).encode()).entries
    assert (str(entry.lastmod), *entry[2:]) == ("2025-03-09 06:30:00+00:00", "daily", 0.5)


@pytest.mark.parametrize("fields", BAD_FIELDS)
def test_a_bad_field_loses_nothing_but_itself(fields):
    sitemap = parse_sitemap(urlset(loc("1") + fields, loc("2")).encode())
    assert sitemap.entries == (SitemapEntry(A + "1"), SitemapEntry(A + "2"))
    assert sitemap.problem == ""


def test_of_two_lines_for_a_url_the_later_date_counts():
    days = [
        "",
        "<lastmod>2025-03-02</lastmod>",
        "<lastmod>2025-03-09</lastmod>",
        "<lastmod>2025-03-01</lastmod>",
    ]
    sitemap = parse_sitemap(urlset(*(loc("1") + day for day in days), loc("2")).encode())
    assert [str(entry.lastmod)[:10] for entry in sitemap.entries] == ["2025-03-09", "None"]


def test_an_index_lists_sitemaps_and_no_pages():
    records = (
        f"<sitemap>{loc('m.xml')}<lastmod>2025-03</lastmod></sitemap><sitemap>{loc('n.xml.gz')}</sitemap>"
    )
    sitemap = parse_sitemap(f"<sitemapindex {NS}>{records}</sitemapindex>".encode())
    assert sitemap.sitemaps == (A + "m.xml", A + "n.xml.gz")
    assert sitemap.pages == () and str(sitemap.entries[0].lastmod)[:7] == "2025-03"
    assert parse_sitemap(PLAIN.encode()).sitemaps == ()


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 10}">' for n in range(9))
DECLARATIONS = {
    "a bomb": f"<!DOCTYPE u [{BOMB}]>",
    "a file": '<!DOCTYPE u [<!ENTITY e8 SYSTEM "file:///etc/passwd">]>',
    "a request": '<!DOCTYPE u [<!ENTITY % p SYSTEM "http://b.example/x.dtd"> %p;]>',
    "a document type elsewhere": '<!DOCTYPE u SYSTEM "http://b.example/x.dtd">',
}


@pytest.mark.parametrize("name", DECLARATIONS)
def test_declarations_are_refused(name):
    sitemap = parse_sitemap((DECLARATIONS[name] + urlset(loc("&e8;"), loc("1"))).encode())
    assert sitemap.entries == () and "refused" in sitemap.problem


@pytest.mark.parametrize("end", [1, 20, 60, 150])
def test_of_a_file_that_is_cut_what_came_before_is_kept(end):
    text = urlset(*(loc(n) for n in range(100)))
    sitemap = parse_sitemap(text[:-end].encode())
    assert "not well-formed" in sitemap.problem
    assert [e.url for e in sitemap.entries] == [f"{A}{n}" for n in range(len(sitemap.entries))]
    assert len(sitemap.entries) >= 96
    mended = parse_sitemap(urlset(loc("?a&b"), *(loc(n) for n in range(10)))[:-end].encode())
    assert len(mended.entries) >= 6 and mended.problem


def test_of_gzip_that_is_cut_or_damaged_what_came_before_is_kept():
    whole = gzip.compress(urlset(*(loc(zlib.crc32(b"%d" % n)) for n in range(3000))).encode())
    cut = parse_sitemap(whole[: len(whole) // 2])
    assert 1000 < len(cut.entries) < 2000 and cut.problem == "gzip ends early"
    damaged = parse_sitemap(whole[:10_000] + bytes(100) + whole[10_100:])
    assert len(damaged.entries) > 100 and damaged.problem


def test_limits(monkeypatch):
    monkeypatch.setattr(sitemap_reader, "MAX_URLS", 5)
    six = urlset(*(loc(n) for n in range(6)))
    assert (len(urls(six)), parse_sitemap(six.encode()).problem) == (5, "more than 5 URLs")
    deep = "<urlset>" + "<x>" * 100
    assert "deeper" in parse_sitemap(deep.encode()).problem
    for limit in ("MAX_BYTES", "MAX_MENDED"):
        monkeypatch.setattr(sitemaps, limit, 100)
    assert parse_sitemap(gzip.compress(six.encode())).problem == "longer than 100 bytes"


def test_a_gzip_bomb_is_not_unpacked_to_its_end(monkeypatch):
    monkeypatch.setattr(sitemaps, "MAX_BYTES", 2**20)
    sitemap = parse_sitemap(gzip.compress(b"<urlset>" + b" " * 20 * 2**20))
    assert sitemap.entries == () and sitemap.problem == "longer than 1,048,576 bytes"
    assert parse_sitemap(gzip.compress(gzip.compress(PLAIN.encode()))).entries == ()
    assert parse_sitemap(gzip.compress(b"") * 5000).entries == ()


def test_unpacked_stops_at_its_limit_whatever_the_pieces(monkeypatch):
    monkeypatch.setattr(reading, "CHUNK", 7)
    body = bytes(range(256)) * 4
    for limit in (0, 1, 7, 100, 1024, 2000):
        for packed in (body, gzip.compress(body)):
            pieces = reading.Unpacked(packed, limit)
            assert b"".join(pieces) == body[:limit]
            assert bool(pieces.problem) == (limit < 1024)


def test_a_body_that_is_no_bytes_is_an_error():
    with pytest.raises(TypeError, match="a sitemap is bytes, not str"):
        parse_sitemap(PLAIN)
    assert urls(bytearray(PLAIN.encode())) == urls(memoryview(PLAIN.encode())) == ["1", "2"]


def test_the_tiny_web():
    web = tiny_web()
    index = parse_sitemap(web.respond("http://www.saltmere.example/sitemap.xml").body)
    assert len(index.sitemaps) == 2 and index.problem == ""
    town, water = (parse_sitemap(web.respond(url).body) for url in index.sitemaps)
    assert len(town.pages) == 6 and town.pages[0].changefreq == "daily" and town.pages[0].priority == 1
    assert "http://www.saltmere.example/unlisted/sluice.html" in [entry.url for entry in water.pages]
    assert town.problem == water.problem == ""


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=80)
@given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=8))
def test_what_is_written_is_read_back(paths):
    from xml.sax.saxutils import escape

    from ircourse.crawl import canonical_url

    written = [A + text.replace("\r", "") for text, _ in paths]
    written = ["".join(c for c in url if c.isprintable()) for url in written]
    body = urlset(*(f"<loc>{escape(url)}</loc>" for url in written)).encode()
    expected = dict.fromkeys(url for url in map(canonical_url, written) if url)
    assert [e.url for e in parse_sitemap(body).entries] == list(expected)


@settings(max_examples=150)
@given(
    st.one_of(st.binary(max_size=60), st.text("<>urlset/loc&#;! [CDATA]-'\"=", max_size=80).map(str.encode))
)
def test_no_bytes_raise(body):
    for each in (body, PLAIN.encode()[:60] + body, gzip.compress(body), gzip.compress(body)[:-3]):
        sitemap = parse_sitemap(each)
        assert sitemap.entries or sitemap.problem or b"urlset" in each or gzip.decompress(each)
