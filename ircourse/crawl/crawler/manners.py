"""The manners of a crawler: it says who it is, and leaves servers alone between requests (book, 20.2.1)."""

from __future__ import annotations

import re

from ircourse import __version__
from ircourse.crawl.crawler.names import is_public
from ircourse.crawl.frontier.frontier import Frontier

__all__ = ["LEAST_DELAY", "least_gap", "polite_frontier", "user_agent"]

GAP_FACTOR = 10.0  # gap after a fetch, in times of what it took
LEAST_DELAY = 1.0  # seconds at public addresses, whatever delay is asked for
SPILL = 1_000_000  # URLs of the frontier in memory


def user_agent(agent: str, contact: str | None = None) -> str:
    """Return the User-Agent header of a crawler: its name, version, and whom to tell about it.

    >>> user_agent("ircourse", "http://library.example/crawler").partition("/")[2].partition(" ")[2]
    '(+http://library.example/crawler)'
    """
    if not re.fullmatch(r"[!-~][ -~]*", agent) or (contact and not re.fullmatch(r"[!-~]+", contact)):
        raise ValueError(f"{agent!r}, {contact!r}: a name and a contact in visible ASCII characters expected")
    if "/" not in agent:
        agent = f"{agent}/{__version__}"
    return f"{agent} (+{contact})" if contact else agent


def polite_frontier(delay: float, threads: int) -> Frontier:
    """Return a frontier that keeps ``threads`` busy where there are hosts enough (claim C45)."""
    factor = GAP_FACTOR if delay else 0.0
    back_queues = max(64, int((1 + GAP_FACTOR) * threads))
    longest = max(600.0, delay)
    return Frontier(gap_factor=factor, min_gap=delay, max_gap=longest, back_queues=back_queues, limit=SPILL)


def least_gap(addresses: tuple[str, ...] | None, seconds: float) -> float:
    """Return the gap after a fetch of ``seconds`` that public addresses have a right to."""
    return max(LEAST_DELAY, GAP_FACTOR * seconds) if addresses and is_public(addresses) else 0.0
