"""What goes into the core of a crawler and what comes out of it (book, section 20.2).

event   something that happened: an answer came, a name was looked up, time passed
action  something to do: the core itself has no thread, socket or clock, a driver does it

Each `Fetch` is followed, some time later, by a `Fetched` or `Failed` of the same URL, a `Resolve` by a
`Resolved` of the same host, or by nothing. After a `Wait` the driver sends a `Tick` unless something else
comes before.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ircourse.types import Response

__all__ = [
    "Action",
    "Event",
    "Failed",
    "Fetch",
    "Fetched",
    "Resolve",
    "Resolved",
    "Step",
    "Store",
    "Tick",
    "Wait",
]


class Fetched(NamedTuple):
    """A server has answered the request for ``url``."""

    url: str
    response: Response


class Failed(NamedTuple):
    """No answer came for ``url``; ``kind`` is that of the `FetchError`, ``why`` its words."""

    url: str
    kind: str
    why: str = ""


class Resolved(NamedTuple):
    """The look-up of ``host`` is over: its addresses, none where it has none; seconds that they hold."""

    host: str
    addresses: tuple[str, ...]
    lifetime: float | None = None


class Tick(NamedTuple):
    """Time has passed; also what sets a crawl going."""


class Fetch(NamedTuple):
    """Request ``url`` now, from one of these addresses of its host; None: wherever the fetcher finds it.

    robots      whether it is a robots.txt, of which a long one may be cut
    conditions  further headers, under which the answer may be 304 without a body
    """

    url: str
    addresses: tuple[str, ...] | None
    robots: bool = False
    conditions: tuple[tuple[str, str], ...] = ()


class Resolve(NamedTuple):
    """Look up the addresses of ``host``, and say so within ``timeout`` seconds."""

    host: str
    timeout: float


class Wait(NamedTuple):
    """Nothing is to be done for ``seconds``, infinite where only an event can change that."""

    seconds: float


class Store(NamedTuple):
    """Keep this answer of ``url``."""

    url: str
    response: Response


class Step(NamedTuple):
    """A line of the crawl's log: at the time ``time``, what became of ``url``, and why.

    what  "stored", "copy" (stored as well), "redirect", "noindex", "soft 404", "dead" (4xx),
          "failed" (given up), "again" (to be tried later), "robots" (closed by robots.txt), "refused" (a
          redirect to where the crawl does not go), "robots.txt" (one was read); of a page that was kept
          before also "not modified" (304), "unchanged", "changed", "missed" (no page came) and "gone"
          (nor will it be asked for again)
    """

    time: float
    url: str
    what: str
    why: str = ""


Event: TypeAlias = Fetched | Failed | Resolved | Tick
Action: TypeAlias = Fetch | Resolve | Wait | Store
