"""Sitemaps: the pages of a site as its owner lists them (notes on crawlers, "sitemaps").

entry    a page of the list: its URL, when it last changed, how often it does, how much it matters
index    a list of further sitemaps in place of pages

The file may be XML, one URL a line, or a feed; packed or not. XML that is not well-formed is mended and read
again.

Differs from the protocol: URLs of other hosts stay in the list, since they cannot be told from the bytes
alone; `sitemap_urls` drops them.
Source: sitemaps.org, "Protocol"; W3C, "Date and Time Formats".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from ircourse.crawl.feeds.reading import Unpacked, mend
from ircourse.crawl.feeds.sitemap_reader import MAX_ELEMENTS, MAX_URLS, ROOTS, Reader, SitemapEntry
from ircourse.crawl.pages.charset import decode_html, decode_text
from ircourse.crawl.urls import canonical_url

__all__ = ["Sitemap", "SitemapEntry", "parse_sitemap"]

MAX_BYTES = 50 * 2**20  # unpacked: the protocol's limit
MAX_MENDED = 16 * 2**20  # that are mended; 50,000 URLs are about 6 MB

_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<|(?:\xff\xfe|\xfe\xff)?\s*\0?<", re.S)
_WIDE = re.compile(rb"\xff\xfe|\xfe\xff|\0<|<\0")
_ROOT = re.compile(rf"<(?:[\w.-]{{1,40}}:)?(?:{ROOTS})[\s/>]".encode(), re.I)


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap lists, in order, each URL once.

    entries   all that it lists; of an index these are further sitemaps, with the time of their last change
    sitemaps  URLs of the further sitemaps among them: all of an index, none of a plain sitemap
    problem   why the list may be incomplete or the file was mended; "" where nothing was amiss
    """

    entries: tuple[SitemapEntry, ...] = ()
    sitemaps: tuple[str, ...] = ()
    problem: str = ""

    @property
    def pages(self) -> tuple[SitemapEntry, ...]:
        """The entries that are pages to crawl."""
        further = frozenset(self.sitemaps)
        return tuple(entry for entry in self.entries if entry.url not in further)


def parse_sitemap(body: bytes, url: str | None = None) -> Sitemap:
    """Return what a sitemap lists: of an index, a plain sitemap, a text file of URLs, or a feed.

    url  the sitemap's own address, for relative URLs, which the protocol does not allow; without it they go

    No bytes raise. What is no sitemap lists nothing; of a file that is cut, damaged, or over the limits
    (50 MiB unpacked, 50,000 URLs and as many repeated, 10^6 elements, depth 50) what came before is kept, and
    ``problem`` says so. A file that declares entities is read no further. Of two lines for one URL the later
    date counts.

    >>> sitemap = parse_sitemap(b"<urlset><url><loc>http://a.example/?a=1&amp;b=2</loc>"
    ...                         b"<lastmod>2025-03</lastmod><priority>high</priority></url></urlset>")
    >>> [(entry.url, str(entry.lastmod), entry.priority) for entry in sitemap.entries], sitemap.problem
    ([('http://a.example/?a=1&b=2', '2025-03-01 00:00:00+00:00', None)], '')
    >>> parse_sitemap(b"http://a.example/1\\nhttp://a.example/2\\n").entries[1].url
    'http://a.example/2'

    Source: sitemaps.org, "Protocol". Raises TypeError for what are no bytes.
    """
    if not isinstance(body, bytes | bytearray | memoryview):
        raise TypeError(f"a sitemap is bytes, not {type(body).__name__}: {body!r:.60}")
    body = bytes(body)
    head = next(iter(Unpacked(body, MAX_BYTES)), b"")
    if _WIDE.match(head.lstrip()):
        return _read_mended(body, url, MAX_BYTES)
    if not _XML.match(head) and not _ROOT.search(head):
        return _read_text(body, url)
    reader, pieces = Reader(url), Unpacked(body, MAX_BYTES)
    problem = reader.read(_without_margin(pieces))
    if reader.is_feed:
        return _read_feed(body, url)
    if not problem or reader.refused or not _ROOT.search(head):
        return _sitemap(reader, pieces.problem or problem)
    again = _read_mended(body, url, MAX_MENDED)
    whole = _sitemap(reader, pieces.problem or problem)
    return again if len(again.entries) > len(whole.entries) else whole


def _sitemap(reader: Reader, problem: str) -> Sitemap:
    """Return what a reader has read."""
    return Sitemap(tuple(reader.entries.values()), tuple(reader.sitemaps), problem)


def _without_margin(pieces: Iterable[bytes]) -> Iterable[bytes]:
    """Yield the pieces without the mark and the blank lines before the XML declaration."""
    blank = True
    for piece in pieces:
        if blank:
            piece = piece.removeprefix(b"\xef\xbb\xbf").lstrip()
            blank = not piece
        yield piece


def _read_mended(body: bytes, url: str | None, limit: int) -> Sitemap:
    """Return what a file lists that is no XML as it stands, or is in UTF-16."""
    pieces = Unpacked(body, limit)
    reader, text = Reader(url), decode_html(b"".join(pieces))[0].lstrip("\ufeff")
    if not re.match(rf"\s*<|(?s:.*?)<(?:[\w.-]{{1,40}}:)?(?:{ROOTS})[\s/>]", text, re.I):
        return _read_text(body, url)
    problem = reader.read([mend(text, ROOTS).encode()], "utf-8")
    was_whole = _WIDE.match(body) is not None
    return _sitemap(reader, pieces.problem or problem or ("" if was_whole else "mended: it was no XML"))


def _read_text(body: bytes, url: str | None) -> Sitemap:
    """Return the URLs of a text file, one a line; other lines say nothing."""
    pieces = Unpacked(body, MAX_BYTES)
    found: dict[str, SitemapEntry] = {}
    lines = re.finditer(r"[^\r\n]+", decode_text(b"".join(pieces))[0].lstrip("\ufeff"))
    for line in (each[0].strip() for each in islice(lines, MAX_ELEMENTS)):
        if line[:4].lower() == "http" and "://" in line[:8] and (address := canonical_url(line)):
            found[address] = SitemapEntry(address)
            if len(found) == MAX_URLS:
                break
    problem = pieces.problem or ("" if found else "no sitemap: neither XML nor a line that is a URL")
    return Sitemap(tuple(found.values()), (), problem)


def _read_feed(body: bytes, url: str | None) -> Sitemap:
    """Return the entries of a feed as those of a sitemap, which the protocol allows."""
    from ircourse.crawl.feeds.feeds import parse_feed

    feed = parse_feed(body, url)
    entries = {entry.url: SitemapEntry(entry.url, entry.updated or entry.published) for entry in feed.entries}
    return Sitemap(tuple(entries.values()), (), feed.problem)
