"""Pages as the engine keeps them: one line of JSON each, made once and read when it is needed.

A page that was crawled is a stranger's words. Here they are data only: nothing is cut out, escaped or obeyed.
Half a surrogate pair, which no encoding of Unicode can hold, becomes U+FFFD.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ircourse.types import Link

__all__ = ["SourcePage", "page_of", "record_of", "text_and_date", "whole"]


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page to be found: as `ircourse.types.Page`, and when it was fetched.

    url    its address: two pages of one address are versions of one page
    text   a line for each block, as `parse_html` gives it
    links  addresses, `Link`s with their anchors where these are known
    date   when it was fetched; None where nobody knows. Without a time zone it is in UTC
    """

    url: str
    text: str = ""
    title: str = ""
    links: Sequence[str] = ()
    date: datetime | None = None


def record_of(page: Any) -> bytes:
    """Return a page as one line of JSON in UTF-8; a link is [url, anchor, nofollow].

    page  a `SourcePage`, a `Page`, or anything with their attributes

    Raises TypeError where an attribute is missing or of another type, ValueError for an empty url.

    >>> record_of(SourcePage("http://a.example/", "a rose", links=[Link("http://b.example/", "thorns")]))
    b'{"url":"http://a.example/","title":"","text":"a rose","date":null,"links":[["http://b.example/",...
    """
    url, title, text = (_string(page, name) for name in ("url", "title", "text"))
    if not url:
        raise ValueError(f"a page has the url '': give each its address; its title is {title!r:.60}")
    date = getattr(page, "date", None)
    if not isinstance(date, datetime | None):
        raise TypeError(f"the date of {url!r:.80} is to be a datetime or None, not {date!r:.60}")
    if date is not None:
        try:
            date = (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
        except OverflowError:
            raise ValueError(f"the date of {url!r:.80} is {date}: no such day is in UTC") from None
    links = [
        [whole(str(link)), whole(str(getattr(link, "anchor", ""))), bool(getattr(link, "nofollow", False))]
        for link in _links(page, url)
    ]
    fields = {"url": url, "title": title, "text": text, "date": date and date.isoformat(), "links": links}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def page_of(record: bytes) -> SourcePage:
    """Return the page of a record.

    >>> page_of(record_of(SourcePage("http://a.example/", "a rose", date=datetime(2026, 5, 17)))).date
    datetime.datetime(2026, 5, 17, 0, 0, tzinfo=datetime.timezone.utc)
    """
    fields = json.loads(record)
    links = tuple(Link(*link) for link in fields["links"])
    return SourcePage(fields["url"], fields["text"], fields["title"], links, _date(fields["date"]))


def text_and_date(record: bytes) -> tuple[str, datetime | None]:
    """Return the text and the date of a record's page, without its links."""
    fields = json.loads(record)
    return fields["text"], _date(fields["date"])


def _date(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written) if written else None


def _links(page: Any, url: str) -> Sequence[str]:
    links = getattr(page, "links", None)
    if isinstance(links, Sequence) and not isinstance(links, str):
        wrong = [link for link in links if not isinstance(link, str)]
        if not wrong:
            return links
        raise TypeError(f"a link of {url!r:.80} is to be a str, not {wrong[0]!r:.60}")
    raise TypeError(f"the links of {url!r:.80} are to be a sequence of str, not {links!r:.60}")


def _string(page: Any, name: str) -> str:
    value = getattr(page, name, None)
    if not isinstance(value, str):
        raise TypeError(f"the {name} of a page is to be a str, not {value!r:.60}: the page is {page!r:.80}")
    return whole(value)


def whole(text: str) -> str:
    """Return the text with U+FFFD for halves of surrogate pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(text)
