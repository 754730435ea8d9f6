"""The XML of a sitemap, read in pieces by the standard library's expat, which keeps memory bounded.

record   an element within the root: ``url``, a page, or ``sitemap``, a further sitemap
field    an element within a record
prefix   of the root's name; only fields with the same count, so ``image:loc`` is none

Namespaces are not looked at: they are missing, wrong or not declared too often. Declarations of entities are
refused, by which 1 kB grows to gigabytes and a file of the machine gets in.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from xml.parsers import expat

from ircourse.crawl.feeds.dates import parse_date
from ircourse.crawl.urls import MAX_URL, canonical_url

__all__ = ["MAX_ELEMENTS", "MAX_URLS", "ROOTS", "Reader", "SitemapEntry"]

MAX_URLS = 50_000  # the protocol's limit
MAX_ELEMENTS = 1_000_000  # about a second; 50,000 pages with four fields are 250,000
MAX_DEPTH = 50
RECORD, FIELD = 2, 3  # depth
FREQUENCIES = frozenset("always hourly daily weekly monthly yearly never".split())
ROOTS = "urlset|sitemapindex"
FEEDS = frozenset(["rss", "feed", "rdf"])


class SitemapEntry(NamedTuple):
    """One line of a sitemap; what is missing or wrong is None, and loses nothing else.

    url         canonical
    lastmod     when the page, or the further sitemap, last changed; in UTC
    changefreq  "always", "hourly", "daily", "weekly", "monthly", "yearly" or "never"
    priority    0 to 1, beside the other pages of the site
    """

    url: str
    lastmod: datetime | None = None
    changefreq: str | None = None
    priority: float | None = None


class _Refused(Exception):
    """The file is to be read no further."""


class Reader:
    """Reads the XML of a sitemap, an event of expat's after the other."""

    def __init__(self, url: str | None) -> None:
        self.url = url
        self.entries: dict[str, SitemapEntry] = {}
        self.sitemaps: dict[str, None] = {}
        self.refused = self.is_feed = False
        self._depth = self._elements = self._records = 0
        self._prefix = self._field = ""
        self._fields: dict[str, str] = {}

    def read(self, pieces: Iterable[bytes], encoding: str | None = None) -> str:
        """Read all pieces and return what is amiss, "" if nothing."""
        parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        try:
            for piece in pieces:
                parser.Parse(piece, False)
            parser.Parse(b"", True)
        except _Refused as refusal:
            self.refused = True
            return str(refusal)
        except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: odd encodings
            return f"not well-formed: {error}"
        return ""

    def _start(self, name: str, attributes: object) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > MAX_DEPTH or self._elements > MAX_ELEMENTS:
            raise _Refused(f"more than {MAX_ELEMENTS:,} elements, or deeper than {MAX_DEPTH}")
        prefix, _, name = name.lower().rpartition(":")
        if self._depth == 1:
            self._open(prefix, name)
        elif self._depth == RECORD:
            self._fields = {}
        self._field = name if self._depth == FIELD and prefix == self._prefix else ""

    def _open(self, prefix: str, name: str) -> None:
        """See what the root says of the file."""
        self._prefix, self.is_feed = prefix, name in FEEDS
        if name not in ROOTS.split("|"):
            raise _Refused(f"<{name:.40}> is no sitemap: <urlset> or <sitemapindex> expected")

    def _text(self, text: str) -> None:
        if self._field and len(known := self._fields.get(self._field, "")) <= 2 * MAX_URL:
            self._fields[self._field] = known + text

    def _end(self, name: str) -> None:
        if self._depth == RECORD and "loc" in self._fields:
            self._keep(name.lower().rpartition(":")[2], self._fields)
        self._depth -= 1
        self._field = ""

    def _keep(self, record: str, fields: dict[str, str]) -> None:
        """Keep a record, unless it has no URL that can be crawled."""
        url = canonical_url(fields["loc"].strip(), self.url)
        if record not in ("url", "sitemap") or not url or "\ufffd" in fields["loc"]:
            return
        self._records += 1
        if (url not in self.entries and len(self.entries) == MAX_URLS) or self._records > 2 * MAX_URLS:
            raise _Refused(f"more than {MAX_URLS:,} URLs")
        entry = _entry(url, fields)
        if (kept := self.entries.get(url)) and (kept.lastmod or not entry.lastmod):
            entry = kept if not entry.lastmod or kept.lastmod >= entry.lastmod else entry  # type: ignore[operator]
        self.entries[url] = entry
        if record == "sitemap":
            self.sitemaps[url] = None

    def _doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        if internal or system or public:
            raise _Refused("a document type with declarations is refused")

    def _entity(self, *declared: object) -> None:
        raise _Refused("a declaration of an entity is refused")


def _entry(url: str, fields: dict[str, str]) -> SitemapEntry:
    """Return the entry of a record, its wrong fields None."""
    frequency = fields.get("changefreq", "").strip().lower()
    try:
        priority: float | None = float(fields.get("priority", ""))
    except ValueError:
        priority = None
    return SitemapEntry(
        url,
        parse_date(fields.get("lastmod", "")),
        frequency if frequency in FREQUENCIES else None,
        priority if priority is not None and 0 <= priority <= 1 else None,
    )
