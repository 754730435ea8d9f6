"""What several packages share: pages and links, responses, clocks, hits, an iteration's failure."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

__all__ = [
    "Clock",
    "FetchError",
    "Hit",
    "Link",
    "NotConverged",
    "Page",
    "Response",
    "SystemClock",
    "VirtualClock",
]


class Link(str):
    """The canonical URL that a page links to, a ``str`` with the words of the link beside it.

    anchor    text between the link's tags, white space collapsed
    nofollow  whether the page's author asks crawlers not to follow it

    >>> link = Link("http://harbour.example/", anchor="the harbour", nofollow=True)
    >>> link == "http://harbour.example/", link.anchor, link.nofollow
    (True, 'the harbour', True)
    """

    __slots__ = ("anchor", "nofollow")
    anchor: str
    nofollow: bool

    def __new__(cls, url: str, anchor: str = "", nofollow: bool = False) -> Link:
        """Make the link to ``url``."""
        link = super().__new__(cls, url)
        link.anchor = anchor
        link.nofollow = nofollow
        return link

    def __getnewargs__(self) -> tuple[str, str, bool]:  # type: ignore[override]
        return str(self), self.anchor, self.nofollow


@dataclass(frozen=True, slots=True)
class Page:
    """A page as the algorithms see it: its address, its words and its links, in document order.

    >>> page = Page("http://harbour.example/", links=("http://harbour.example/ferries",))
    >>> page.links
    ('http://harbour.example/ferries',)
    """

    url: str
    text: str = ""
    title: str = ""
    links: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered: status, headers (names in lower case), body, and how long it took in seconds.

    >>> Response(404, {"content-type": "text/plain"}, b"no such page").status
    404
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0.0


class FetchError(Exception):
    """No answer came for ``url``; ``kind`` says why: "dns", "timeout", "reset", "refused", "too large", ….

    >>> raise FetchError("http://nowhere.example/", "dns")
    Traceback (most recent call last):
        ...
    ircourse.types.FetchError: http://nowhere.example/ gave no answer: dns
    """

    def __init__(self, url: str, kind: str) -> None:
        super().__init__(url, kind)
        self.url = url
        self.kind = kind

    def __str__(self) -> str:
        return f"{self.url} gave no answer: {self.kind}"


class Clock(Protocol):
    """Time as the crawler sees it: ``now`` in seconds from some start, ``wait`` for a number of seconds."""

    def now(self) -> float:
        """Return the time in seconds."""

    def wait(self, seconds: float) -> None:
        """Return when ``seconds`` have passed."""


class SystemClock:
    """The machine's own monotonic clock."""

    def now(self) -> float:
        """Return the time in seconds since an unspecified start."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Sleep for ``seconds``."""
        time.sleep(max(0.0, seconds))


class VirtualClock:
    """A clock that jumps: a month of waiting takes no time.

    >>> clock = VirtualClock()
    >>> clock.wait(30 * 24 * 3600)
    >>> clock.now()
    2592000.0
    """

    def __init__(self, now: float = 0.0) -> None:
        self._now = float(now)

    def now(self) -> float:
        """Return the time in seconds since the clock was made."""
        return self._now

    def wait(self, seconds: float) -> None:
        """Move the clock on by ``seconds``, which must be a number of at least 0."""
        if not seconds >= 0:
            raise ValueError(f"cannot wait for {seconds!r} seconds: give a number of at least 0")
        self._now += seconds


class Hit(NamedTuple):
    """One search result: the document's number and its score, higher is better."""

    doc: int
    score: float


class NotConverged(RuntimeError):
    """An iteration hit its limit of ``steps`` with ``residual`` still above the tolerance asked for.

    >>> str(NotConverged(residual=0.25, steps=10))
    'not converged after 10 steps, residual 0.25: allow more steps or a larger tolerance'
    """

    def __init__(self, residual: float, steps: int) -> None:
        super().__init__(residual, steps)
        self.residual = residual
        self.steps = steps

    def __str__(self) -> str:
        return (
            f"not converged after {self.steps} steps, residual {self.residual:.4g}: "
            "allow more steps or a larger tolerance"
        )
