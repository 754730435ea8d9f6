"""Trying again, and following redirects: when, how often, where to (book, section 20.2; RFC 9110).

tries     requests of a URL that were made so far
back-off  first, 2 first, 4 first, … seconds, up to a longest
chain     the URLs that a redirect has led through, the one first asked for in front

What may pass is tried again: no answer from the network, and the statuses that say "not now". A server that
names a time (Retry-After) is not asked before it. All here is decided from what is passed in: there is no
clock and no chance.

Source: RFC 9110, sections 10.2.3 (Retry-After) and 15.4 (redirects); RFC 6585 (429).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from ircourse.crawl.urls import canonical_url
from ircourse.types import FetchError, Response

__all__ = ["MAX_REDIRECTS", "REDIRECTS", "Redirect", "RetryPolicy", "redirect", "retry_after"]

REDIRECTS = frozenset((301, 302, 303, 307, 308))
MAX_REDIRECTS = 10
_PASSING_STATUSES = frozenset((408, 425, 429, 500, 502, 503, 504))
_PASSING_KINDS = frozenset(("dns", "timeout", "reset", "refused"))
_SECONDS = re.compile(r"[0-9]{1,12}")
_DATE = re.compile(r"[A-Z][a-z]{2,8},? .{6,30}")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and when a URL is tried again.

    max_tries  requests of one URL, the first one too
    first      seconds before the second try
    factor     by which the wait grows from one try to the next
    longest    seconds; a server that asks for a longer wait rests so long, and the URL is given up

    >>> policy = RetryPolicy(max_tries=4, first=2.0)
    >>> [policy.wait(tries, Response(500)) for tries in (1, 2, 3, 4)]
    [2.0, 4.0, 8.0, None]
    >>> policy.wait(1, Response(503, {"retry-after": "120"})), policy.wait(1, Response(404))
    (120.0, None)
    """

    max_tries: int = 5
    first: float = 5.0
    factor: float = 2.0
    longest: float = 3600.0

    def __post_init__(self) -> None:
        if self.max_tries < 1 or not self.first > 0 or not self.factor >= 1 or not self.longest > 0:
            raise ValueError(
                f"{self}: max_tries and factor of at least 1, first and longest above 0 expected"
            )

    def wait(self, tries: int, outcome: Response | FetchError, now: float = 0.0) -> float | None:
        """Return after how many seconds to try again after ``tries`` tries; None: not again.

        now  seconds since 1970, for a Retry-After that is a date
        """
        if not is_passing(outcome) or tries >= self.max_tries:
            return None
        own = self.first * self.factor ** min(tries - 1, 60)
        asked = None
        if isinstance(outcome, Response):
            asked = retry_after(outcome.headers.get("retry-after", ""), now)
        if asked is not None and asked > self.longest:
            return None
        return max(min(own, self.longest), asked or 0.0)

    def rest(self, outcome: Response | FetchError, now: float = 0.0) -> float:
        """Return the seconds that a host is to be left alone, as it asks, at most ``longest``.

        >>> RetryPolicy().rest(Response(429, {"retry-after": "86400"})), RetryPolicy().rest(Response(404))
        (3600.0, 0.0)
        """
        if isinstance(outcome, FetchError) or not is_passing(outcome):
            return 0.0
        return min(retry_after(outcome.headers.get("retry-after", ""), now) or 0.0, self.longest)


def is_passing(outcome: Response | FetchError) -> bool:
    """Whether the fault may be over at another try.

    >>> is_passing(FetchError("http://a.example/", "dns")), is_passing(Response(404))
    (True, False)
    """
    if isinstance(outcome, FetchError):
        return outcome.kind in _PASSING_KINDS
    return outcome.status in _PASSING_STATUSES


def retry_after(value: str, now: float = 0.0) -> float | None:
    """Return the seconds that a Retry-After header asks to wait; None where it is none.

    now  seconds since 1970; a date that is past asks for 0

    Whole seconds and the three forms of an HTTP date; other values, such as 1.5 or two numbers, are ignored.

    >>> retry_after(" 30 "), retry_after("Thu, 01 Jan 1970 00:02:00 GMT", now=20.0), retry_after("soon")
    (30.0, 100.0, None)
    """
    value = value.strip(" \t")
    if _SECONDS.fullmatch(value):
        return float(value)
    if not _DATE.fullmatch(value):
        return None
    try:
        date = parsedate_to_datetime(value)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


class Redirect(NamedTuple):
    """Where a redirect leads, a canonical URL; else None, and why not."""

    url: str | None
    reason: str = ""


def redirect(response: Response, chain: Sequence[str], limit: int = MAX_REDIRECTS) -> Redirect:
    """Return where a redirect leads to, given the URLs up to the one that answered.

    A URL may send to itself once: some set a cookie first, or are only slow to notice. Another return to a
    URL of the chain is a loop. Whether the target is in scope and open to robots is the caller's business.
    Raises ValueError for a response that is no redirect, and for an empty chain.

    >>> redirect(Response(301, {"location": "../new#top"}), ["http://a.example/old/"])
    Redirect(url='http://a.example/new', reason='')
    >>> redirect(Response(302, {"location": "/a"}), ["http://a.example/a", "http://a.example/b"]).reason
    'redirect loop'
    """
    if response.status not in REDIRECTS or not chain:
        raise ValueError(
            f"a redirect and the URLs up to it expected, not status {response.status}, {chain!r}"
        )
    location = response.headers.get("location", "")
    if not location.strip():
        return Redirect(None, "redirect without location")
    url = canonical_url(location, chain[-1])
    if url is None:
        return Redirect(None, "redirect to no URL")
    if url in chain and (url != chain[-1] or chain.count(url) > 1):
        return Redirect(None, "redirect loop")
    if len(chain) > limit:
        return Redirect(None, "too many redirects")
    return Redirect(url)
