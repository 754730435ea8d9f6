"""When to visit a page again (book, section 20.2; slides on freshness).

visit    a look at a page: when, and whether it had changed since the look before
policy   a function from a URL and its visits, the oldest first, to the seconds until the next visit; infinite
         for never. Any such function will do: `every` and `adaptive` are two, `by_gain` in gain.py a third
λ        changes of a page a second, as far as the visits tell
aim      mean freshness wanted: a page visited every I seconds is fresh for a share (1 − e^{−λI}) / (λI) of
         the time

Of several changes between two visits one is seen, so changes seen per second are fewer than λ; `adaptive`
estimates λ by `rate_from_regular_visits`, at the mean length of the last `RECENT` intervals: earlier ones,
when less was known, were of another length.

Source: Cho and Garcia-Molina (2003), "Estimating frequency of change".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import expm1, inf
from typing import NamedTuple, TypeAlias

from ircourse.crawl.changes.change_rates import rate_from_regular_visits

__all__ = ["Estimate", "Revisit", "Visit", "adaptive", "every"]


class Visit(NamedTuple):
    """A look at a page.

    time     seconds since 1970; on a virtual clock since its start
    changed  whether the content was another than at the visit before; False for the first one
    """

    time: float
    changed: bool


RECENT = 20

Revisit: TypeAlias = Callable[[str, Sequence[Visit]], float]
Estimate: TypeAlias = Callable[[Sequence[Visit]], float]


def every(seconds: float) -> Revisit:
    """Return the policy that visits each page again after ``seconds``, above 0.

    >>> every(3600)("http://a.example/", [Visit(0.0, False)])
    3600.0
    """
    if not 0 < seconds < inf:
        raise ValueError(f"the interval is {seconds!r}: give seconds above 0")
    return lambda url, visits: float(seconds)


def adaptive(
    *,
    aim: float = 0.8,
    first: float = 86_400.0,
    shortest: float = 3600.0,
    longest: float = 30 * 86_400.0,
    estimate: Estimate | None = None,
) -> Revisit:
    """Return the policy that visits a page so often that its copy is fresh for a share ``aim`` of the time.

    Visits are thus in proportion to change, the worst way to spend a given number of them (claim C53), and
    their number is bounded by ``shortest`` alone: a page that changes at every fetch is visited every
    ``shortest`` seconds for ever. Where visits are limited, or pages are of strangers, take `by_gain`.

    first     seconds after the first visit, when nothing is known of changes
    shortest, longest  bounds of the interval, in seconds; it at most doubles from one visit to the next,
              since a few visits without a change prove little
    estimate  changes a second from the visits, at least two; None: `change_rate`

    >>> policy = adaptive(aim=0.8, first=100.0, shortest=1.0)
    >>> visits = [Visit(100.0 * number, number % 2 == 0) for number in range(21)]
    >>> round(policy("http://a.example/", visits[:1])), round(policy("http://a.example/", visits))
    (100, 69)
    """
    if not (0 < aim < 1 and 0 < shortest <= first <= longest < inf):
        raise ValueError(
            f"aim {aim!r}, shortest {shortest!r}, first {first!r}, longest {longest!r}: "
            "a share between 0 and 1, and seconds above 0 in this order expected"
        )
    changes, rate_of = _changes_for(aim), estimate or change_rate

    def policy(url: str, visits: Sequence[Visit]) -> float:
        if len(visits) < 2:
            return first
        rate, most = rate_of(visits), min(longest, 2 * (visits[-1].time - visits[-2].time))
        return max(shortest, most if rate * most <= changes else changes / rate)

    return policy


def change_rate(visits: Sequence[Visit]) -> float:
    """Return λ as `adaptive` estimates it, in changes a second; 0 for visits of less than two times.

    >>> round(change_rate([Visit(float(day), day in (3, 7)) for day in range(10)]), 4)
    0.2364
    """
    visits = visits[-RECENT - 1 :]
    n = len(visits) - 1
    seconds = visits[-1].time - visits[0].time if n > 0 else 0.0
    if seconds <= 0:
        return 0.0
    seen = sum(visit.changed for visit in visits[1:])
    return rate_from_regular_visits(seen, n, seconds / n)


def _changes_for(aim: float) -> float:
    """Return the changes x = λI in an interval of which the mean freshness (1 − e^{−x}) / x is ``aim``."""
    low, high = 0.0, 1 / aim
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if -expm1(-middle) / middle > aim else (low, middle)
    return high
