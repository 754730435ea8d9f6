"""Addresses and pages that nobody should have written: ``python tests/benchmarks/fuzz.py [how many]``.

Gives 10^5 broken URLs to canonical_url, 10^5 small broken pages to parse_html and main_text, 10^5 broken WARC
files to warc_pages and as many dates, robots.txt files, sitemaps, feeds and TREC files to their readers, the
same in every run, and prints how many raised and the slowest of each in processor time. Now and then a page,
sitemap or feed is one part over and over, or one tag of attributes: what costs more than its length shows. An
exception, for a WARC file other than its ValueError, or more than a second makes the exit status 1.
"""

import gzip
import io
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.crawl.feeds.dates import parse_date
from ircourse.crawl.feeds.feeds import parse_feed
from ircourse.crawl.feeds.sitemaps import parse_sitemap
from ircourse.crawl.pages.html import parse_html
from ircourse.crawl.pages.main_text import main_text
from ircourse.crawl.robots import Robots
from ircourse.crawl.store.trec import read_trec
from ircourse.crawl.store.warc import warc_pages
from ircourse.crawl.urls import canonical_url

MOST = 1.0  # seconds of the processor for an input
LONG = 400_000  # characters of a part over and over
BASE = "http://harbour.example/ferries/times.html?day=1"
MARKS = list("/\\.%@:?#&='\"<>|^`{}[];+*~-_ \t\n\0é日😀ß\ud800\udfff\u00a0\u00ad\u0301\u200d\u3002\ufdfa")
URL_PARTS = (
    MARKS + "http:// HTTPS:// // .. %2e %2E %4 %41 %7e %25 %e6%97%a5 www. xn--a ::1 127.1 0x7f".split()
)
URL_PARTS += "a Z example harbour.example :80 u:p@ mailto: data: javascript: file:///C:".split()
TAGS = (
    "a base p div table tr td svg math title script style template select option b textarea frameset".split()
)
PAGE_PARTS = [f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]
PAGE_PARTS += [
    "<a href=",
    "<a href='/x'>",
    "<base href=",
    "<area href=",
    "<img alt=",
    "<link rel=canonical href=",
]
PAGE_PARTS += ["<meta charset=gbk>", "<meta name=robots content=none>", "<!--", "-->", "<![CDATA[", "<?xml "]
PAGE_PARTS += ["&amp", "&notit;", "&#0;", "&#x110000;", "&#xD800;", "&#55296", "words ", "Zürich ", *MARKS]
VERSIONS = [b"WARC/1.0", b"WARC/1.1"] * 40 + [b"WARC/", b"", b"HTTP/1.1 200 OK"]
FIELDS = [b"WARC-Type: " + kind for kind in b"response resource revisit conversion request".split()]
FIELDS += [
    b"WARC-Target-URI: http://a.example/",
    b"WARC-Target-URI: <http://a.example/>",
    b"x",
    b": y",
    b"\xff: \0",
]
FIELDS += [b"WARC-Type: response", b"WARC-Target-URI: http://b.example/"] * 4
BLOCK_PARTS = [b"HTTP/1.1 200 OK\r\n"] * 6 + [b"HTTP/2 200\n", b"HTTP/1.1 9999 \r\n", b"\r\n", b"\n\n"] * 2
BLOCK_PARTS += [
    b"Content-Encoding: gzip\r\n\r\n",
    b"Content-Encoding: deflate\r\n\r\n",
    b"Content-Type: text/html\r\n",
]
BLOCK_PARTS += [
    b"Transfer-Encoding: chunked\r\n\r\n",
    b"4\r\nrose\r\n",
    b"0\r\n\r\n",
    b"-4\r\n",
    b"fffffffffffff\r\n",
    b"rose",
]
TYPES = [
    None,
    *(f"text/html;charset={name}" for name in "utf-8 gbk shift_jis iso-2022-jp utf-16 latin1".split()),
]
TYPES += ["text/plain", "text/html;charset=x-user-defined", "text/html;charset=\ud800"]
ROBOTS_PARTS = (
    "User-agent: Disallow: Allow: Crawl-delay: Sitemap: user-agent disallow: ircourse bot /2.1 * * $ / /a"
    " /%2F %zz 1e999 nan -3 http://a.example/map.xml # é"
).split(" ")
ROBOTS_PARTS += ["\n", "\r\n", "\r", " ", "\0", "\ufeff", "User-agent: *\n", "Disallow: /a*b*c$\n"] * 3

XML_PARTS = [
    "<?xml version='1.0' encoding='",
    "utf-8'?>",
    "latin1'?>",
    "utf-16'?>",
    "<!DOCTYPE x [",
    "]>",
    "<![CDATA[",
]
XML_PARTS += [
    "]]>",
    "<!ENTITY a '&b;&b;'>",
    "<!ENTITY a SYSTEM 'file:///x'>",
    "&a;",
    "&amp;",
    "&",
    "&#0;",
    "&eacute;",
]
XML_PARTS += [
    "<!--",
    "-->",
    "<?x ",
    "?>",
    "<a:b>",
    "<a xmlns:b='c'>",
    "<x/>",
    " xml:base='/b/'",
    "http://a.example/",
    *MARKS,
]
SITEMAP_PARTS = [
    f"<{mark}{tag}>" for tag in "urlset url loc lastmod priority sitemapindex".split() for mark in ("", "/")
]
SITEMAP_PARTS += [
    "<sitemap>",
    "<url><loc>http://a.example/1</loc></url>",
    "<lastmod>2025-03-09T07:30Z</lastmod>",
    "\n",
]
FEED_PARTS = [
    f"<{mark}{tag}>"
    for tag in "item entry link guid title pubDate updated id content".split()
    for mark in ("", "/")
]
FEED_PARTS += [
    "<link href='/x'/>",
    "<item><link>http://a.example/1</link></item>",
    "<content type='xhtml'><div>",
    "<ttl>9",
]
FEED_PARTS += [
    "<pubDate>Sun, 09 Mar 25 07:30 EST</pubDate>",
    "<atom:link rel='hub' href='/'/>",
    "<svg>",
    "<dc:date>",
    "<rdf:li/>",
]
FEED_STARTS = ["<rss version='2.0'><channel>", "<feed xmlns='http://www.w3.org/2005/Atom'>", "<rdf:RDF>", ""]

TREC_PARTS = [f"<{mark}{tag}>".encode() for tag in "DOC DOCNO DOCHDR TEXT".split() for mark in ("", "/")]
TREC_PARTS += [
    b"\n<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>\nrose\n</TEXT>\n</DOC>\n",
    b"\n",
    b"\r\n",
    b" ",
    b"\n<DOC>",
] * 2
TREC_PARTS += [
    b"http://a.example/",
    b"\nContent-Type: text/html;charset=gbk\n",
    b"x: y",
    b"\xff\xfe",
    b"\0",
    b"<",
]


DATE_PARTS = (
    "Sun , 06 - Nov 94 1994 08:49:37 GMT EST +0100 ( ) T Z 2002 10 : . Sept. MAY 24:00 60 -00:00 ,".split()
)
DATE_PARTS += [" ", "  ", "\t", "\n", "\0", "é", "٣", "9" * 30]


def nested(rng, parts):
    """Return one part over and over, each with bounds of its own: nested, unless it ends itself."""
    names = rng.choice(["a{0}", "a{0}=''", 'a{0}="<"', "xmlns:a{0}='u{0}'", "a{0}=1"])
    attributes = " ".join(names.format(n) for n in range(rng.choice([30, 3000, 40_000])))
    base = rng.choice(["b/", "b" * 100 + "/", "http://a.example/", "b" * 50_000 + "/"])
    part = rng.choice(
        [
            *[f"<a {attributes}{end}>" for end in ("", "/")],
            *[
                f"<a xml:base={mark}{base}{mark}{end}>"
                for mark in ("'", '"', "")
                for end in ("", "/", "></a")
            ],
            *rng.choices(parts, k=4),
            "".join(rng.choices(parts, k=3)),
        ]
    )
    return part * (1 + rng.randrange(LONG) // len(part))


def soup_of(rng, parts, most):
    """Return up to so many parts, now and then many times over; one in 60 is nested deep."""
    if rng.randrange(60) == 0:
        return nested(rng, parts)
    return "".join(rng.choices(parts, k=rng.randrange(most + 1))) * rng.choice([1] * 50 + [50])


def broken_date(rng):
    """Return a date of up to 12 parts, now and then a long one."""
    return ("".join(rng.choices(DATE_PARTS, k=rng.randrange(13))) * rng.choice([1] * 50 + [1000]),)


def broken_url(rng):
    """Return a URL of up to 12 parts, now and then a long one, and its base."""
    href = rng.choice(["", "", "http://", "//a.example"]) + "".join(
        rng.choices(URL_PARTS, k=rng.randrange(13))
    )
    return href * rng.choice([1] * 50 + [100]), rng.choice([None, BASE, href])


def broken_page(rng):
    """Return a page of up to 60 parts with a few bytes changed, and its type."""
    soup = soup_of(rng, PAGE_PARTS, 60)
    body = bytearray(soup.encode(rng.choice(["utf-8", "utf-8", "utf-16", "gb18030"]), "replace"))
    for _ in range(rng.randrange(5) if body else 0):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return bytes(body), rng.choice([BASE, "", "\ud800"]), rng.choice(TYPES)


def broken_warc(rng):
    """Return a WARC file of up to 5 records in any of its forms, with a few bytes changed or its end cut."""
    records = []
    for _ in range(rng.randrange(6)):
        block = b"".join([rng.choice(BLOCK_PARTS[:8]), *rng.choices(BLOCK_PARTS, k=rng.randrange(9))])
        if rng.randrange(3) == 0:
            block += gzip.compress(b"rose " * rng.choice([1, 10, 10_000]), 1)
        length = rng.choice(
            [b"%d" % len(block)] * 40 + [b"-1", b"", b"9" * 30, b"%d" % (len(block) + 5), b"7"]
        )
        fields = [*rng.choices(FIELDS, k=rng.randrange(9)), b"Content-Length: " + length]
        records.append(b"\r\n".join([rng.choice(VERSIONS), *fields, b"", block, b"", b""]))
    form = rng.randrange(3)
    packed = [records, [gzip.compress(b"".join(records), 1)], [gzip.compress(each, 1) for each in records]]
    data = bytearray(b"".join(packed[form]))
    for _ in range(rng.choice([0, 0, 1, 3]) if data else 0):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return (bytes(data[: rng.choice([None, None, None, rng.randrange(len(data) + 1)])]),)


def broken_robots(rng):
    """Return a robots.txt of up to 30 parts with a few bytes changed, a URL and a crawler's name."""
    soup = "".join(rng.choices(ROBOTS_PARTS, k=rng.randrange(31))) * rng.choice([1] * 50 + [50])
    body = bytearray(soup.encode(rng.choice(["utf-8", "utf-8", "utf-16"]), "replace"))
    for _ in range(rng.randrange(5) if body else 0):
        body[rng.randrange(len(body))] = rng.randrange(256)
    url = "http://a.example/" + "".join(rng.choices(URL_PARTS, k=rng.randrange(6)))
    return bytes(body), url, rng.choice(["ircourse", "bot/2.1", "", "é", "*"])


def broken_xml(rng, starts, parts):
    """Return a file of a start and up to 40 parts, now and then packed, cut, or with bytes changed."""
    soup = rng.choice(starts) + soup_of(rng, parts + XML_PARTS, 40)
    body = soup.encode(rng.choice(["utf-8", "utf-8", "utf-8", "utf-16", "latin-1"]), "replace")
    data = bytearray(gzip.compress(body, 1) if rng.randrange(5) == 0 else body)
    for _ in range(rng.choice([0, 0, 1, 3]) if data else 0):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.choice([None, None, None, rng.randrange(len(data) + 1)])])


def broken_sitemap(rng):
    """Return a sitemap of XML or text, and its address."""
    return broken_xml(rng, ["<urlset>", "<urlset>", "<sitemapindex>", ""], SITEMAP_PARTS), rng.choice(
        [None, BASE, ""]
    )


def broken_feed(rng):
    """Return a feed, its address and its type."""
    return broken_xml(rng, FEED_STARTS, FEED_PARTS), rng.choice([None, BASE, ""]), rng.choice(TYPES)


def broken_trec(rng):
    """Return a TREC file of up to 40 parts, now and then long, packed, cut, or with bytes changed."""
    body = b"".join(rng.choices(TREC_PARTS, k=rng.randrange(41))) * rng.choice([1] * 50 + [2000])
    packed = rng.randrange(3) == 0
    data = bytearray(b"".join(gzip.compress(body, 1) for _ in range(rng.randrange(1, 3))) if packed else body)
    for _ in range(rng.choice([0, 0, 1, 3]) if data else 0):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return (bytes(data[: rng.choice([None, None, None, rng.randrange(len(data) + 1)])]),)


def page_text(body, _, content_type):
    """Find the main text of a broken page."""
    return main_text(body, content_type)


def read_trec_file(data):
    """Read all documents and their texts, broken records left out."""
    with tempfile.TemporaryDirectory() as folder:
        path, problems = Path(folder, "some.trec"), []
        path.write_bytes(data)
        return sum(len(document.text) for document in read_trec(path, problems.append)), problems


def read_robots(body, url, agent):
    """Ask a robots.txt all that can be asked."""
    robots = Robots.parse(body)
    return robots.allows(url, agent), robots.crawl_delay(agent), list(robots.sitemaps)


def read_warc(data):
    """Read all pages; what is no WARC file raises ValueError, as documented."""
    try:
        return sum(len(page.body) for page in warc_pages(io.BytesIO(data)))
    except ValueError:
        return None


def fuzz(function, make, n):
    """Print how many of n inputs raise, and the time of the slowest; return how many raise or are slow."""
    rng = random.Random(0)
    raised, slow, slowest, which, total = 0, 0, 0.0, None, 0.0
    for _ in range(n):
        arguments = make(rng)
        began = time.thread_time()
        try:
            function(*arguments)
        except Exception as error:
            raised += 1
            print(f"{function.__name__}{arguments!r:.300}: {error!r}")
        took = time.thread_time() - began
        total += took
        if took > MOST:
            slow += 1
            print(f"{function.__name__}{arguments!r:.300}: {took:.1f} s")
        if took > slowest:
            slowest, which = took, arguments
    rate = n / total
    print(
        f"{function.__name__}: {n:,}, {rate:,.0f} a second, {raised} raised, {slow} over {MOST} s, "
        f"slowest {slowest * 1e3:.2f} ms"
    )
    print(f"  {which!r:.100}")
    return raised + slow


if __name__ == "__main__":
    how_many = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    jobs = (
        (canonical_url, broken_url),
        (parse_html, broken_page),
        (page_text, broken_page),
        (parse_date, broken_date),
        (read_warc, broken_warc),
        (read_robots, broken_robots),
        (parse_sitemap, broken_sitemap),
        (parse_feed, broken_feed),
        (read_trec_file, broken_trec),
    )
    sys.exit(sum(fuzz(function, make, how_many) for function, make in jobs) > 0)
