"""The explorer of change rates (notes on freshness): what visits tell about how often a page changes.

λ        changes of the page a day, which the estimates do not know
x        λ times the days between two visits: changes to expect in between
naive    visits that found a change, over the days: `naive_rate`
better   `rate_from_visits`, with its 95% interval

The page's changes are those of a `ChangingSite`; a visit sees whether there was one since the last, not how
many.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

import numpy as np

from ircourse.crawl import RateEstimate, mean_freshness, naive_rate, rate_from_visits
from ircourse.crawl.feeds.finding import DAY, ChangingSite
from ircourse.show.charts_svg import curves
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.player import Player
from ircourse.show.style import MUTED, look
from ircourse.show.svg import Drawing, below, box, joined, label, plural

VISITS, WIDTH, CELL = 40, 660, 15

__all__ = ["Guessed", "estimate_a_rate", "guesses"]


class Guessed(NamedTuple):
    """What is known after some visits.

    counts     of changes of the page before each visit, which nobody sees
    changed    whether each visit found a change
    naive      estimates after 1, 2, … visits; better: those of the likelihood
    """

    rate: float
    days: float
    even: bool
    counts: tuple[int, ...]
    changed: tuple[bool, ...]
    naive: tuple[float, ...]
    better: tuple[RateEstimate, ...]


@lru_cache(maxsize=64)
def guesses(rate: float, even: bool, seed: int) -> tuple[Guessed, ...]:
    """Return the states after 1, 2, … 40 visits, a day apart or a day apart on average.

    >>> last = guesses(1.0, True, 0)[-1]
    >>> len(last.changed), last.days
    (40, 40.0)
    """
    rng = np.random.default_rng(seed)
    gaps = np.ones(VISITS) if even else rng.exponential(1.0, VISITS).clip(0.05)
    ends = np.cumsum(gaps).tolist()
    site = ChangingSite([rate], ends[-1] + 1, rng)
    moments = np.array([when / DAY for when, _ in site.changes])
    counts = tuple(int(((moments > a) & (moments <= b)).sum()) for a, b in pairwise([0.0, *ends]))
    changed = tuple(count > 0 for count in counts)
    naive = tuple(naive_rate(gaps[:n], list(changed[:n])) for n in range(1, VISITS + 1))
    better = tuple(rate_from_visits(gaps[:n], list(changed[:n])) for n in range(1, VISITS + 1))
    return tuple(
        Guessed(rate, ends[n - 1], even, counts[:n], changed[:n], naive[:n], better[:n])
        for n in range(1, VISITS + 1)
    )


def _draw(state: Guessed) -> Drawing:
    parts = [label("changes since the visit before; green \u2713: the visit finds the page changed", 0, 13)]
    for i, (count, found) in enumerate(zip(state.counts, state.changed, strict=True)):
        style = look("stored" if found else "unseen")
        x = i * (CELL + 1.5)
        frame = style.frame()
        parts.append(label(str(count) if count else "\u00b7", x + CELL / 2, 34, anchor="middle", fill=MUTED))
        parts.append(box(x + 0.5, 40, CELL - 1, 20, **frame))
        if found:
            parts.append(label("\u2713", x + CELL / 2, 55, anchor="middle"))
    row = Drawing(WIDTH, 66, joined(parts))
    n = len(state.naive)
    lines = {
        "naive": list(enumerate(state.naive, 1)),
        "corrected": [(i, each.rate) for i, each in enumerate(state.better, 1)],
        "truth": [(1, state.rate), (VISITS, state.rate)],
    }
    if state.even:
        limit = state.rate * mean_freshness(state.rate, 1.0)
        lines["naive's limit"] = [(1, limit), (VISITS, limit)]
    top = max(2.5 * state.rate, 1.0)
    lines = {name: [(x, min(y, top)) for x, y in line] for name, line in lines.items()}
    says = f"visits, of which {n} made"
    chart = curves(lines, says, "changes a day", y_range=(0, top), width=WIDTH, height=280)
    return below(row, chart)


def _told(state: Guessed) -> str:
    n, found, best = len(state.changed), sum(state.changed), state.better[-1]
    high = f"{best.high:.2f}" if isfinite(best.high) else "no upper end"
    return (
        f"After {plural(n, 'visit')} in {state.days:.1f} days {found} found a change; the page changed "
        f"{plural(sum(state.counts), 'time')}. Naive: {state.naive[-1]:.2f} changes a day. Corrected: "
        f"{best.rate:.2f}, 95% interval {best.low:.2f} to {high}. Truth: {state.rate:g}."
    )


def _table(state: Guessed) -> list[Row]:
    rows = [
        [i, count, "yes" if found else "no", f"{naive:.3f}", f"{best.rate:.3f}"]
        for i, (count, found, naive, best) in enumerate(
            zip(state.counts, state.changed, state.naive, state.better, strict=True), 1
        )
    ]
    return [["visit", "changes before it", "found changed", "naive", "corrected"], *rows]


def estimate_a_rate() -> Explorer:
    """Return a player: visit after visit, and two estimates of the page's change rate."""
    return Player(
        guesses,
        _draw,
        _told,
        _table,
        title="How often does it change?",
        controls={
            "rate": Choice("Changes a day", [("0.2", 0.2), ("1", 1.0), ("3", 3.0)], 1.0),
            "even": Choice("Visits", [("once a day", True), ("at uneven times", False)], True),
            "seed": Number("Another page", 0, 6, 0),
        },
        notice="More visits make the naive estimate steadier, not better: it settles on its own limit, below "
        "the truth. At 3 changes a day nearly every visit finds one, and forty visits tell "
        "little: see how wide the interval is. (The picture cuts estimates off at 2.5 times the truth.)",
        start=19,
    )
