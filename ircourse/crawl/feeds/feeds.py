"""Feeds: the newest pages of a site, which readers and crawlers ask for again and again (notes, "feeds").

entry      a page that the feed tells of, the newest first by custom
published  when it appeared; ``updated``: when it last changed
hub        a server that pushes news of the feed, by WebSub; ``topic``: the feed's name there

RSS (0.9x, 1.0, 2.0) and Atom are read by the library feedparser, which knows the many ways of getting them
wrong. It is kept from what is dangerous: it is given UTF-8 in memory, never a name that it would open or
fetch; nothing before the first element, so no entity is declared; not more than it reads in a second (see
limits.py); and the dates are read by `parse_date`, which knows forms that it does not.

Sources: RSS 2.0 specification; RFC 4287 (Atom); W3C, "WebSub".
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ircourse.crawl.feeds.dates import parse_date
from ircourse.crawl.feeds.limits import within
from ircourse.crawl.feeds.reading import Unpacked, mend
from ircourse.crawl.pages.charset import decode_html
from ircourse.crawl.urls import canonical_url

__all__ = ["Feed", "FeedEntry", "parse_feed"]

MAX_BYTES = 2_000_000  # unpacked
MAX_TITLE = 1000  # characters
ROOTS = "rss|feed|rdf|channel"
PERIODS = {"hourly": 3600, "daily": 86_400, "weekly": 604_800, "monthly": 2_592_000, "yearly": 31_536_000}


class FeedEntry(NamedTuple):
    """One page that a feed tells of.

    url        canonical
    title      white space collapsed, at most 1,000 characters; may hold markup, to be escaped when shown
    published  in UTC; where only the time of the last change is told, that; None where neither is
    updated    when it last changed, in UTC, or None
    id         what the feed calls it, which stays when the URL moves; "" where it has no such name
    """

    url: str
    title: str = ""
    published: datetime | None = None
    updated: datetime | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Feed:
    """What a feed says, entries in its own order.

    title     of the feed
    hubs      URLs of the hubs that push it; topic: its URL there, None where it does not say
    interval  seconds for which the feed asks not to be fetched again (ttl, sy:updatePeriod), or None
    problem   why something may be missing; "" where nothing was amiss
    """

    entries: tuple[FeedEntry, ...] = ()
    title: str = ""
    hubs: tuple[str, ...] = ()
    topic: str | None = None
    interval: float | None = None
    problem: str = ""


def parse_feed(body: bytes, url: str | None = None, content_type: str | None = None) -> Feed:
    """Return what a feed says, RSS or Atom, packed by gzip or not.

    url           the feed's address, for relative links; without it the page that the feed names as its own
    content_type  the HTTP header, for its charset

    A guid is the link of an item without one, unless it says isPermaLink="false" or is no URL. Entries
    without a URL that can be crawled are left out. Of a feed over the limits (2 MB, 10,000 tags outside
    CDATA, 100 attributes of one; see limits.py) the first entries are read, the newest by custom. No bytes
    raise: what is no feed has no entries, and ``problem`` says why.

    >>> feed = parse_feed(b"<rss><channel><item><title>Seals &amp; gulls</title><link>/seals</link><pubDate>"
    ...                   b"Mon, 3 Mar 25 06:00 GMT</pubDate></item></channel></rss>", "http://a.example/rss")
    >>> [(entry.url, entry.title, str(entry.published)) for entry in feed.entries]
    [('http://a.example/seals', 'Seals & gulls', '2025-03-03 06:00:00+00:00')]

    Sources: RSS 2.0 specification; RFC 4287. Raises TypeError for what are no bytes.
    """
    if not isinstance(body, bytes | bytearray | memoryview):
        raise TypeError(f"a feed is bytes, not {type(body).__name__}: {body!r:.60}")
    pieces = Unpacked(bytes(body), MAX_BYTES)
    text = mend(decode_html(b"".join(pieces), content_type)[0], ROOTS)
    text, is_cut = within(text, bool(pieces.problem))
    found, problem = _parsed(text, canonical_url(url) if url else None)
    about: Mapping[str, Any] = found.get("feed", {})
    links = about.get("links", [])
    base = canonical_url(url or "") or canonical_url(str(about.get("link", "")))
    entries = [entry for each in found.get("entries", []) if (entry := _entry(each, base))]
    if is_cut:
        problem = pieces.problem or "more tags, attributes, references or lines than are read"
    return Feed(
        tuple(entries),
        _title(about),
        tuple(dict.fromkeys(_linked(links, "hub", base))),
        next(iter(_linked(links, "self", base)), None),
        _interval(about),
        problem,
    )


def _parsed(text: str, url: str | None) -> tuple[Mapping[str, Any], str]:
    """Return feedparser's reading of a text, and what is amiss with it."""
    import feedparser  # 40 ms, which only those pay who read a feed

    headers = {"content-type": "application/xml; charset=utf-8"} | ({"content-location": url} if url else {})
    try:
        found: Mapping[str, Any] = feedparser.parse(
            io.BytesIO(text.encode()),
            response_headers=headers,
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except Exception as error:  # its reader of broken XML raises whatever the place at fault does
        return {}, f"cannot be read: {error!r:.100}"
    if not (found.get("version") or found.get("entries")):
        return found, "no feed: RSS or Atom expected"
    return found, f"not well-formed: {found['bozo_exception']}"[:200] if found.get("bozo") else ""


def _entry(entry: dict[str, Any], base: str | None) -> FeedEntry | None:
    """Return an entry, None where it has no URL that can be crawled."""
    name, link = str(_get(entry, "id")), str(_get(entry, "link")).strip()
    is_guid = bool(_get(entry, "guidislink")) and link == name.strip()
    url = canonical_url(link, None if is_guid else base) if link else None
    if url is None:
        return None
    updated = parse_date(str(_get(entry, "updated")))
    published = parse_date(str(_get(entry, "published"))) or parse_date(str(_get(entry, "created")))
    return FeedEntry(url, _title(entry), published or updated, updated, name)


def _get(entry: dict[str, Any], key: str) -> Any:
    """Return a value as it stands; the library's look-up puts ``published`` in the place of ``updated``."""
    return dict.get(entry, key) or ""


def _title(about: Mapping[str, Any]) -> str:
    return " ".join(str(about.get("title", ""))[: 4 * MAX_TITLE].split())[:MAX_TITLE]


def _linked(links: list[Mapping[str, Any]], rel: str, base: str | None) -> list[str]:
    """Return the URLs that the feed links to as its ``rel``."""
    found = (canonical_url(str(each.get("href", "")), base) for each in links if each.get("rel") == rel)
    return [url for url in found if url]


def _interval(about: Mapping[str, Any]) -> float | None:
    """Return the seconds for which a feed asks to be left alone, None where it does not say."""
    minutes, period = str(about.get("ttl", "")), str(about.get("sy_updateperiod", "")).strip().lower()
    if re.fullmatch("[0-9]{1,7}", minutes.strip()):
        return 60.0 * int(minutes)
    often = str(about.get("sy_updatefrequency", "1")).strip()
    if period in PERIODS and re.fullmatch("[1-9][0-9]{0,5}", often):
        return PERIODS[period] / int(often)
    return None
