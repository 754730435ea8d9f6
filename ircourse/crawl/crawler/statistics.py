"""What a crawl has done so far, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Statistics"]


@dataclass(slots=True)
class Statistics:
    """The numbers of a crawl; live while it runs, for reading only.

    stored   pages kept
    fetched  requests sent and answered or failed, robots.txt included
    bytes    of all bodies that came
    saved    bytes of bodies that did not come, since the server said that they had not changed
    seconds  on the crawl's clock since it began, this run
    waiting  URLs in the frontier
    under_way  requests that are sent and not yet answered
    hosts    hosts that were asked for something
    steps    how often each kind of `Step` came
    refused  links that were left out, by the rule of the filter
    """

    stored: int = 0
    fetched: int = 0
    bytes: int = 0
    saved: int = 0
    seconds: float = 0.0
    waiting: int = 0
    under_way: int = 0
    hosts: int = 0
    steps: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
