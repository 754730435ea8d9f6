"""The explorer of revisit policies (section 20.1.2): the same number of visits, spent in five ways.

rates   changes of each page a day
visits  to each page a day; by every policy they add up to the same, the budget

The four policies and all means are the package's: `proportional_rates`, `uniform_rates`, `revisit_rates`,
`revisit_rates_for_age` and `policy_means`.
"""

from __future__ import annotations

from math import isinf
from typing import NamedTuple

import numpy as np

from ircourse.crawl import (
    PolicyMeans,
    mean_freshness,
    policy_means,
    proportional_rates,
    revisit_rates,
    revisit_rates_for_age,
    uniform_rates,
)
from ircourse.show.controls import Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import MUTED, look
from ircourse.show.svg import Drawing, Markup, box, clip, joined, label

PAGES, LARGEST = 8, 1000.0
SIDE, COLUMN, BAR, ROW = 84, 116, 62, 46
POLICIES = {
    "in proportion": proportional_rates,
    "equal": uniform_rates,
    "for freshness": revisit_rates,
    "for age": revisit_rates_for_age,
}

__all__ = ["Spent", "parse_numbers", "spend_visits", "spent"]


class Spent(NamedTuple):
    """A budget of visits spent by each policy.

    visits  of each policy to each page, a day; "yours" comes first
    fresh   share of the time that each copy is fresh, by policy
    means   over the pages, by policy
    note    what was done to make "yours" fit
    """

    rates: tuple[float, ...]
    visits: dict[str, list[float]]
    fresh: dict[str, list[float]]
    means: dict[str, PolicyMeans]
    note: str = ""


def parse_numbers(text: str) -> list[float]:
    """Return the numbers in a text; ValueError unless there are 2 to 8, from 0 to 1,000, not all 0.

    >>> parse_numbers("0.5 3, 9")
    [0.5, 3.0, 9.0]
    """
    words = text.replace(",", " ").split()
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise ValueError(f"{clip(text, 60)!r} are no numbers: write some like 0.5 3 9.") from None
    if not 2 <= len(numbers) <= PAGES:
        raise ValueError(f"{len(numbers)} numbers: write 2 to {PAGES}, one a page.")
    if not all(x == 0 or 0.001 <= x <= LARGEST for x in numbers) or not any(numbers):
        raise ValueError(f"Write 0 or numbers from 0.001 to {LARGEST:,.0f}, not only 0.")
    return numbers


def spent(rates: list[float], yours: list[float]) -> Spent:
    """Return what each policy makes of as many visits as ``yours`` has.

    >>> state = spent([1.0, 9.0], [1.0, 1.0])
    >>> state.visits["equal"], state.means["equal"] == state.means["yours"]
    ([1.0, 1.0], True)
    """
    own = [*yours, *[0.0] * len(rates)][: len(rates)]
    note = ""
    if len(yours) != len(rates):
        note = f" You gave {len(yours)} numbers for {len(rates)} pages: cut, or filled up with 0."
    if not any(own):
        own, note = [1.0] * len(rates), " No visit of yours was left: each page is given one."
    visits = {"yours": own}
    visits |= {name: policy(rates, sum(own)).tolist() for name, policy in POLICIES.items()}
    with np.errstate(divide="ignore"):
        intervals = {name: 1 / np.array(each) for name, each in visits.items()}
    fresh = {name: np.atleast_1d(mean_freshness(rates, every)).tolist() for name, every in intervals.items()}
    means = {name: policy_means(rates, each) for name, each in visits.items()}
    return Spent(tuple(rates), visits, fresh, means, note)


def _days(value: float) -> str:
    return "\u221e" if isinf(value) else f"{value:.3g} d"


def _bar(share: float, words: str, x: int, y: int, seems: str) -> list[Markup]:
    style = look(seems)
    frame = style.frame()
    long = round(BAR * share)
    return [box(x, y, max(long, 1), 15, **frame), label(words, x + long + 5, y + 13)]


def _draw(state: Spent) -> Drawing:
    most = max(max(each) for each in state.visits.values()) or 1.0
    parts = [label("changes", 0, 14, fill=MUTED), label("a day", 0, 30, fill=MUTED)]
    for row, rate in enumerate(state.rates):
        parts.append(label(f"{rate:g}", SIDE - 22, 44 + row * ROW + 24, anchor="end", bold=True))
    foot = 44 + len(state.rates) * ROW + 18
    parts += [label("mean fresh", 0, foot), label("mean age", 0, foot + 22)]
    for column, (name, visits) in enumerate(state.visits.items()):
        x = SIDE + column * COLUMN
        parts.append(label(name, x, 14, bold=True))
        parts.append(label("visits, fresh", x, 30, fill=MUTED))
        for row, (count, fresh) in enumerate(zip(visits, state.fresh[name], strict=True)):
            y = 44 + row * ROW
            parts += _bar(count / most, f"{count:.3g}" if count else "never", x, y, "fetching")
            parts += _bar(fresh, f"{fresh:.0%}", x, y + 18, "stored")
        means = state.means[name]
        parts.append(label(f"{means.freshness:.1%}", x, foot, bold=True))
        parts.append(label(_days(means.age), x, foot + 22, bold=True))
    return Drawing(SIDE + COLUMN * len(state.visits), foot + 28, joined(parts))


def _told(state: Spent) -> str:
    yours, equal, best = (state.means[name].freshness for name in ("yours", "equal", "for freshness"))
    never = [f"{r:g}" for r, v in zip(state.rates, state.visits["for freshness"], strict=True) if not v]
    left = f" It never visits the page with {', '.join(never)} changes a day." if never else ""
    return (
        f"{sum(state.visits['yours']):g} visits a day. Mean freshness: yours {yours:.1%}, equal {equal:.1%}, "
        f"in proportion {state.means['in proportion'].freshness:.1%}, the best possible {best:.1%}."
        f"{left}{state.note}"
    )


def _table(state: Spent) -> list[Row]:
    rows = [
        [name, f"{rate:g}", f"{count:.3f}", f"{fresh:.3f}"]
        for name, visits in state.visits.items()
        for rate, count, fresh in zip(state.rates, visits, state.fresh[name], strict=True)
    ]
    means = [
        [
            f"{name}, mean",
            "",
            f"{sum(state.visits[name]):g} in all",
            f"{each.freshness:.3f}, {_days(each.age)}",
        ]
        for name, each in state.means.items()
    ]
    return [["policy", "changes a day", "visits a day", "share of time fresh"], *rows, *means]


def spend_visits() -> Explorer:
    """Return an editor: change rates, visits that the student hands out, and four policies beside them."""
    return Sliders(
        spent,
        _draw,
        _told,
        _table,
        title="A budget of visits",
        controls={
            "rates": Text(
                "Changes of each page a day",
                "1 2 3 4 5",
                parse_numbers,
                ready={
                    "alike": "3 3 3 3 3",
                    "a little apart": "1 2 3 4 5",
                    "far apart": "0.05 0.3 1 4 40",
                },
            ),
            "yours": Text("Your visits to each page a day", "1 1 1 1 1", parse_numbers, examples=["9 9"]),
        },
        notice="Hand out the five visits yourself, in fractions if you like, and try to beat the policies. "
        "Upper bars are visits, lower ones the share of time that the copy is fresh. Which "
        "column gives most to the fastest page, and what does it get for it?",
    )
