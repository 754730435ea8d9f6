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

_TEXTS = ("url", "text", "title")
_LINK = [str, str, bool]


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
    """Return the page of a record. Raises ValueError for a line that is none.

    >>> page_of(record_of(SourcePage("http://a.example/", "a rose", date=datetime(2026, 5, 17)))).date
    datetime.datetime(2026, 5, 17, 0, 0, tzinfo=datetime.timezone.utc)
    """
    fields = _fields(record)
    links = fields["links"]
    if not isinstance(links, list) or any([type(part) for part in link] != _LINK for link in links):
        raise ValueError(f"a record has links that are none: {links!r:.60}")
    linked = tuple(Link(*link) for link in links)
    return SourcePage(fields["url"], fields["text"], fields["title"], linked, _date(fields["date"]))


def text_and_date(record: bytes) -> tuple[str, datetime | None]:
    """Return the text and the date of a record's page, without its links. Raises as `page_of` does."""
    fields = _fields(record)
    return fields["text"], _date(fields["date"])


def _fields(record: bytes) -> dict[str, Any]:
    """Return what a record holds, its links unchecked."""
    try:
        fields = json.loads(record)
    except RecursionError:
        raise ValueError("a record holds lists without end") from None
    if not isinstance(fields, dict) or [type(fields.get(name)) for name in _TEXTS] != [str] * len(_TEXTS):
        raise ValueError(f"{record!r:.60} is no record of a page")
    if "links" not in fields or not isinstance(fields.get("date", 0), str | None):
        raise ValueError(f"{record!r:.60} is a record without links or date")
    return fields


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
