"""Speed of canonical_url and parse_html: ``python tests/benchmarks/pages.py``.

Prints links a second on the links of real pages, repeats included, and megabytes a second on the pages of
Saltmere, on a big page of the kind that pydoc writes, and on pages made to be slow. Nothing is asserted.
"""

import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.crawl.pages.html import parse_html
from ircourse.crawl.urls import canonical_url
from ircourse.web import tiny_web

URL = "http://pydoc.example/module.html"
HTML = "text/html; charset=utf-8"
HREF = re.compile(rb'href="([^"]*)"')
ENTRY = """<dl><dt><a name="Ferry-{0}"><strong>board_{0}</strong></a>(self, deck, /, *, at=None)</dt>
<dd><span class="code">Return&nbsp;the&nbsp;seat&nbsp;on&nbsp;<a href="harbour.decks.html#Deck">Deck</a>
&nbsp;&nbsp;of&nbsp;passenger&nbsp;{0},&nbsp;or&nbsp;None&nbsp;(see&nbsp;<a href="module{1}.html#f{0}">f</a>)
<br>\nraises&nbsp;&lt;ValueError&gt;</span></dd></dl>
"""


def best_of(repeats, function):
    """Return the least processor time of a call, in seconds."""
    least = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        function()
        least = min(least, time.process_time() - began)
    return least


def links(href):
    """Return a page of 50,000 links, or of as many as fit into 10 MiB."""
    return "".join([f"<a href='{href(i)}'>x</a>" for i in range(50_000)])


def slow_pages():
    """Return pages that are slow to read, each with its type."""
    han = "".join(map(chr, range(0x4E00, 0x4E00 + 2_000)))
    gbk = "text/html; charset=gbk"
    return {
        "queries in GBK": (links(lambda i: f"/?{i}={han[i % 900 : i % 900 + 60]}").encode("gbk"), gbk),
        "queries of no character": (links(lambda i: f"/?{i}=Z").encode().replace(b"Z", b"\xff" * 99), gbk),
        "needless escapes": (links(lambda i: f"/{i}" + "%41" * 55).encode(), HTML),
        "hosts in IDNA": (
            links(lambda i: f"http://{han[i % 900 : i % 900 + 16]}.{i}.example/").encode(),
            HTML,
        ),
        "long base": (f"<base href='/{'%E9/' * 1900}'>".encode() + links(str).encode(), HTML),
        "attributes": (b"<a a b c d e f g h i j k l m n o p q r s t u>" * 199_000, HTML),
        "wishes": (b"<meta name=robots content='a,b,c,d,e,f'>" * 199_000, HTML),
        "canonicals": (b"<link rel=canonical href=ftp://x>" * 199_000, HTML),
        "names of no entity": (b"&aaaaaaaaaaaaaaaaaa " * 500_000, HTML),
        "broken UTF-16": (b"\xdc" * 10_000_000, "text/html; charset=utf-16"),
    }


def main():
    """Print the table."""
    town = tiny_web()
    saltmere = [(url, town.respond(url)) for url in town]
    saltmere = [(url, answer.body, answer.headers.get("content-type")) for url, answer in saltmere]
    big = "".join([ENTRY.format(i, i % 300) for i in range(20_000)]).encode()
    hrefs = {
        "Saltmere": [
            (href.decode("latin-1"), url) for url, body, _ in saltmere for href in HREF.findall(body)
        ],
        "pydoc-like": [(href.decode(), URL) for href in HREF.findall(big)],
    }
    for name, pairs in hrefs.items():
        seconds = best_of(5, lambda pairs=pairs: [canonical_url(href, base) for href, base in pairs])
        print(f"canonical_url {name:24} {len(pairs) / seconds:10,.0f} a second, {len(pairs):,} links")
    seconds = best_of(5, lambda: [parse_html(body, url, kind) for url, body, kind in saltmere])
    size = sum(len(body) for _, body, _ in saltmere) / 1e6
    print(f"parse_html    {'Saltmere':24} {size / seconds:10.1f} MB/s, {len(saltmere)} pages, {size:.2f} MB")
    seconds = best_of(5, lambda: parse_html(big, URL, HTML))
    print(f"parse_html    {'pydoc-like':24} {len(big) / 1e6 / seconds:10.1f} MB/s, {len(big) / 1e6:.1f} MB")
    for name, (body, kind) in slow_pages().items():
        seconds = best_of(2, lambda body=body, kind=kind: parse_html(body, URL, kind))
        print(f"parse_html    {name:24} {seconds:10.2f} s")


if __name__ == "__main__":
    main()
