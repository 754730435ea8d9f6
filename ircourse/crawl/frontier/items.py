"""What goes into a frontier and what comes out of it (book, section 20.2.3; notes on crawling, 20.2.3).

id           number of the item, in the order of adding
url          canonical, `canonical_url`
priority     at least 0, the higher the more urgent; sitemaps use 0 to 1, counts of links fit as well
change_rate  changes a day, None where not known
fetched_at   time of the last fetch in seconds, None before the first
fingerprint  64 bits of the content then, so that it can be withdrawn when the page changes; None before
record       an item as bytes: a million of them take half of what a million tuples take, and lie on disk as
             they are
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from struct import Struct, error
from typing import NamedTuple, Protocol

__all__ = [
    "HEAD",
    "Empty",
    "Fetch",
    "Item",
    "Outcome",
    "Timed",
    "Wait",
    "host_of",
    "item_of",
    "level_of",
    "packed",
    "rest_of",
]

_HEADER = Struct("<Qddd?Q")
HEAD = _HEADER.size  # bytes of a record before its URL


class Item(NamedTuple):
    """A URL of the frontier and what is known of its page."""

    id: int
    url: str
    priority: float = 0.5
    change_rate: float | None = None
    fetched_at: float | None = None
    fingerprint: int | None = None


class Fetch(NamedTuple):
    """The URL to fetch now; nothing else of ``host`` is handed out until it is told to be done."""

    url: str
    host: str


class Wait(NamedTuple):
    """Nothing may be fetched for ``seconds``; infinite where only a fetch under way can change that."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Empty:
    """No URL waits and none is being fetched: the crawl is over."""


class Outcome(NamedTuple):
    """How a fetch went.

    status       HTTP's, None where no answer came
    seconds      how long the fetch took
    retry_after  seconds that the server asked to be left alone for
    """

    status: int | None = 200
    seconds: float = 0.0
    retry_after: float = 0.0


class Timed(Protocol):
    """What the frontier needs to know of an outcome; ``retry_after`` may be missing, as in a `Response`."""

    @property
    def seconds(self) -> float:
        """How long the fetch took."""


def rest_of(outcome: Timed) -> float:
    """Return the rest that the server asked for, 0 for none. Raises ValueError for times that are none."""
    rest = getattr(outcome, "retry_after", 0.0) or 0.0
    if not (0 <= outcome.seconds < inf and 0 <= rest < inf):
        raise ValueError(f"{outcome!r:.200} has no times: give seconds and retry_after of at least 0")
    return rest


def host_of(url: str) -> str:
    """Return the host of a canonical URL, without port: who is asked politely is a machine, not a port.

    >>> host_of("http://harbour.example:8080/ferries"), host_of("http://[::1]:80/")
    ('harbour.example', '[::1]')
    """
    try:
        host = url.split("/", 3)[2]
    except IndexError:
        host = ""
    if ":" in host:
        host = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    if not host:
        raise ValueError(f"{url!r:.80} has no host: give a canonical URL such as 'http://harbour.example/'")
    return host


def level_of(priority: float, levels: int) -> int:
    """Return the front queue of a priority p among F levels, 0 the most urgent: F − 1 − ⌊F p / (1 + p)⌋.

    The scale has no upper end, so that shares, PageRanks times n and counts of links all fit.
    Raises ValueError for NaN and below 0.

    >>> [level_of(p, 8) for p in (0, 0.1, 0.5, 1, 3, 10, 1000)]
    [7, 7, 5, 3, 1, 0, 0]
    """
    if not priority >= 0:
        raise ValueError(f"priority is {priority!r}: give a number of at least 0, the more urgent the higher")
    return max(0, levels - 1 - int(levels * (1.0 if priority == inf else priority / (1 + priority))))


def packed(item: Item) -> bytes:
    """Return the item's record; `item_of` reads it.

    >>> len(packed(Item(0, "http://harbour.example/"))) - HEAD
    23
    """
    number, url, priority, rate, fetched, fingerprint = item
    if rate is not None and not 0 <= rate < inf:
        raise ValueError(f"the change rate of {url} is {rate!r}: give changes a day, at least 0, or None")
    if fetched is not None and not -inf < fetched < inf:
        raise ValueError(f"the last fetch of {url} was at {fetched!r}: give a time in seconds, or None")
    known, digest = fingerprint is not None, fingerprint or 0
    try:
        head = _HEADER.pack(
            number,
            priority,
            nan if rate is None else rate,
            nan if fetched is None else fetched,
            known,
            digest,
        )
    except error:
        raise ValueError(
            f"the fingerprint of {url} is {fingerprint!r}: give an int of 64 bits, or None"
        ) from None
    return head + url.encode()


def item_of(record: bytes) -> Item:
    """Return the item of a record.

    >>> item_of(packed(Item(7, "http://harbour.example/", 0.25, fingerprint=5)))
    Item(id=7, url='http://harbour.example/', priority=0.25, change_rate=None, fetched_at=None, fingerprint=5)
    """
    number, priority, rate, fetched, known, digest = _HEADER.unpack_from(record)
    return Item(
        number,
        record[HEAD:].decode(),
        priority,
        None if rate != rate else rate,
        None if fetched != fetched else fetched,
        digest if known else None,
    )
