"""Visiting pages again: what to ask for, and what a second answer means (notes; RFC 9110).

validators  the ETag of the last answer and its Last-Modified. Sent back as If-None-Match and
            If-Modified-Since, they let the server answer 304 without a body where nothing changed (claim C54)
content     the words and relative links of a page, as for copies: markup, scripts and comments may change
            without it
miss        a visit that found no page: an error status, a redirect elsewhere, an apology, no answer after all
            tries, robots.txt against it. After `MOST_MISSES` in a row the page is dead: not visited again,
            and marked so in the store, with its history kept. noindex is heeded at once
come-back   a dead page that a changed page links to is tried once more

Whatever headers say is taken from a stranger: an ETag that is not of RFC 9110's form, or long, is not sent
back, nor a Last-Modified that is no date in a form of HTTP's; after 412 (the condition failed) the page is
asked for without conditions; 304 where there were none is a miss.

Differs from the notes: there the Date header is sent back as If-Modified-Since. That is when the answer was
made, by the server's clock or a cache's, and not when the page changed; servers that compare the dates for
equality never say 304 to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from math import isnan
from typing import TypeAlias

from ircourse.crawl.crawler.content import ContentSeen
from ircourse.crawl.crawler.reading import Reading
from ircourse.crawl.crawler.revisit import Revisit, Visit
from ircourse.crawl.crawler.schedule import Known, Schedule
from ircourse.crawl.feeds.dates import parse_date
from ircourse.dedup import fingerprint
from ircourse.types import Response

__all__ = ["MOST_MISSES", "Conditions", "Returns"]

Conditions: TypeAlias = tuple[tuple[str, str], ...]
MOST_MISSES = 3
LONGEST = 1000  # characters of a validator
_ETAG = re.compile(r'(?:W/)?"[!#-~]*"')
_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_DATE = re.compile(  # the three forms of RFC 9110, section 5.6.7
    rf"[A-Z][a-z]{{2}}, [0-9]{{2}} [A-Z][a-z]{{2}} [0-9]{{4}} {_TIME} GMT"
    rf"|[A-Z][a-z]{{5,8}}, [0-9]{{2}}-[A-Z][a-z]{{2}}-[0-9]{{2}} {_TIME} GMT"
    rf"|[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [ 0-9][0-9] {_TIME} [0-9]{{4}}"
)
_SAID = ("content-type", "x-robots-tag")  # headers that count as content


class Returns:
    """The pages that a crawl visits again.

    policy  when, see `revisit`
    holds   whether a page is in the store: only of those may a body be left out
    bury    called with the URL of a page that is given up for dead, and when that was
    """

    def __init__(
        self,
        schedule: Schedule,
        policy: Revisit,
        *,
        holds: Callable[[str], bool] = lambda url: True,
        bury: Callable[[str, float], object] = lambda url, date: None,
    ) -> None:
        self.schedule, self._policy, self._holds, self._bury = schedule, policy, holds, bury
        self._asked: dict[str, Conditions] = {}

    def __contains__(self, url: str) -> bool:
        """Whether a page was kept once, so that a visit is one more."""
        return self.schedule.known(url) is not None

    def adopt(self, store: Collection[str], now: float) -> Collection[str]:
        """Let the pages be due, and return them, that a crawl without revisits has stored.

        A policy with a method ``recall`` is told of the pages and visits of an earlier run.
        """
        if recall := getattr(self._policy, "recall", None):
            recall((url, self.schedule.visits(url)) for url in self.schedule.living())
        if len(self.schedule) >= len(store):
            return ()
        self.schedule.adopt(store, now)
        return store

    def forget(self, urls: Iterable[str]) -> None:
        """Let pages be asked for without conditions of which the store has lost an answer."""
        for url in urls:
            if known := self.schedule.known(url):
                self.schedule.note(url, known._replace(etag="", modified="", digest=b""))

    def conditions(self, url: str) -> Conditions:
        """Return the headers under which a page is asked for again, none where nothing is known of it."""
        known = self.schedule.known(url)
        if known is None or not (known.etag or known.modified) or not self._holds(url):
            return ()
        headers = (("If-None-Match", known.etag), ("If-Modified-Since", known.modified))
        self._asked[url] = asked = tuple([(name, value) for name, value in headers if value])
        return asked

    def same(self, url: str, response: Response, now: float) -> tuple[str, int]:
        """Return how an answer says that nothing changed, "" where it does not, and the bytes saved by that.

        If it does, the page's next visit is settled. "again": it is to be asked for without conditions.
        """
        conditional = self._asked.pop(url, ())
        known = self.schedule.known(url)
        if known is None:
            return "", 0
        if response.status == 304 and conditional:
            self._visited(url, known, response, False, now)
            return "not modified", known.size
        if response.status == 412 and conditional:
            self.schedule.note(url, known._replace(etag="", modified=""))
            return "again", 0
        if 200 <= response.status < 300 and known.digest == _digest(response):
            self._visited(url, known, response, False, now)
            return "unchanged", 0
        return "", 0

    def came(
        self, url: str, response: Response, found: Reading, clicks: int, seen: ContentSeen | None, now: float
    ) -> str:
        """Take in a page that was read, and settle its next visit; return what it is, as in `Step`, or ""."""
        known = self.schedule.known(url)
        if not found.keep:
            return "" if known is None else self.missed(url, now, found.what == "noindex")
        print_ = fingerprint(found.content).to_bytes(8, "big")
        before = known.content if known else b""
        if before and before != print_ and seen:
            seen.withdraw(url, before)
        self._visited(
            url,
            Known(known.clicks if known else clicks, size=len(response.body), content=print_),
            response,
            bool(before) and before != print_,
            now,
        )
        return "" if not before else "changed" if before != print_ else "unchanged"

    def missed(self, url: str, now: float, at_once: bool = False) -> str:
        """Take in that no page came; return "gone" where that is the end of it, else "missed"."""
        self._asked.pop(url, None)
        known = self.schedule.known(url)
        if known is None:
            return ""
        dead = at_once or known.misses + 1 >= MOST_MISSES
        self.schedule.note(url, known._replace(misses=known.misses + 1, dead=int(dead)))
        self.schedule.put(url, None if dead else now + self._pause(url))
        if dead:
            self._bury(url, now)
        return "gone" if dead else "missed"

    def put_off(self, url: str, now: float) -> None:
        """Let a page that may not be visited now be due when it would be after a visit."""
        self.schedule.put(url, now + self._pause(url))

    def linked(self, urls: Sequence[str], now: float) -> None:
        """Let the dead ones of some pages be tried once more."""
        self.schedule.revive(urls, now, MOST_MISSES - 1)

    def _visited(self, url: str, known: Known, response: Response, changed: bool, now: float) -> None:
        """Put a visit on record, with what the answer says of the page now."""
        if response.status != 304:
            known = known._replace(etag="", modified="", digest=_digest(response))
        etag, modified = _validators(response.headers)
        known = known._replace(misses=0, dead=0, etag=etag or known.etag, modified=modified or known.modified)
        self.schedule.note(url, known)
        self.schedule.visit(url, Visit(now, changed))
        self.schedule.put(url, now + self._pause(url))

    def _pause(self, url: str) -> float:
        seconds = self._policy(url, self.schedule.visits(url))
        if isnan(seconds) or seconds <= 0:
            raise ValueError(f"the policy visits {url:.200} again after {seconds!r}: give seconds above 0")
        return seconds


def _validators(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the ETag and the Last-Modified of an answer, "" for one that is not to be sent back.

    >>> _validators({"etag": 'W/"7"', "last-modified": "Sun, 06 Nov 1994 08:49:37 GMT"})
    ('W/"7"', 'Sun, 06 Nov 1994 08:49:37 GMT')
    >>> _validators({"etag": '"a"\\r\\nX: "b"', "last-modified": "lately"})
    ('', '')
    """
    etag, modified = headers.get("etag", "").strip(" \t"), headers.get("last-modified", "").strip(" \t")
    good = len(etag) <= LONGEST and _ETAG.fullmatch(etag)
    is_date = _DATE.fullmatch(modified) and parse_date(modified) is not None
    return etag if good else "", modified if is_date else ""


def _digest(response: Response) -> bytes:
    """Return a digest of a body and of what its headers say of it."""
    digest = blake2b(response.body, digest_size=16)
    for name in _SAID:
        digest.update(f"\n{name}: {response.headers.get(name, '')}".encode("utf-8", "replace"))
    return digest.digest()
