"""What is new since the last look: the use that a crawler makes of a sitemap or a feed.

stamp   what an entry says of its page's state: the time of its last change, or of its publication, or None
stamps  from URL to stamp, as remembered from earlier looks

An owner who stamps all pages with today's date at each request makes every page look changed; one who never
changes a stamp hides every change. Neither can be told from the list: only fetching tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from ircourse.crawl.feeds.feeds import FeedEntry
from ircourse.crawl.feeds.sitemaps import SitemapEntry

__all__ = ["changed_urls", "stamps_of"]


def stamps_of(entries: Iterable[SitemapEntry | FeedEntry]) -> dict[str, datetime | None]:
    """Return the stamp of each URL, in order; of several entries for one URL the latest counts.

    >>> stamps_of([SitemapEntry("http://a.example/")])
    {'http://a.example/': None}
    """
    stamps: dict[str, datetime | None] = {}
    for entry in entries:
        stamp = entry.lastmod if isinstance(entry, SitemapEntry) else entry.updated or entry.published
        known = stamps.get(entry.url)
        stamps[entry.url] = stamp if known is None or (stamp and stamp > known) else known
    return stamps


def changed_urls(
    entries: Iterable[SitemapEntry | FeedEntry], before: Mapping[str, datetime | None]
) -> tuple[str, ...]:
    """Return the URLs that are new, or whose stamp is another than ``before``, in the order of the entries.

    before  stamps of earlier looks, from `stamps_of`; ``before | stamps_of(entries)`` is for the next

    An entry that bears no stamp now says nothing: its URL is returned only when it is new. An earlier stamp
    than before is another one too: the page was put back, or the owner's clock.

    >>> from ircourse.crawl import parse_sitemap
    >>> entries = parse_sitemap(b"<urlset><url><loc>http://a.example/1</loc><lastmod>2025-03-02</lastmod></url>"
    ...                         b"<url><loc>http://a.example/2</loc></url></urlset>").entries
    >>> changed_urls(entries, {}), changed_urls(entries, stamps_of(entries))
    (('http://a.example/1', 'http://a.example/2'), ())
    """
    return tuple(
        url
        for url, stamp in stamps_of(entries).items()
        if url not in before or (stamp is not None and stamp != before[url])
    )
