"""The explorer of a survey's biases (section 19.5): a checkbox for each, and its measured effect.

The surveys are those of ``survey_ways``, of the two engines of ``surveyed_web``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ircourse.indexsize import Estimate, RelativeSize
from ircourse.show.charts_svg import bars
from ircourse.show.controls import Check
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.intervals_svg import covers, intervals
from ircourse.show.survey_ways import DRAWS, FAIR, TROUBLES, TRUTH, WAYS, mends, survey
from ircourse.show.surveyed_web import COMMON, members
from ircourse.show.svg import Drawing, below, beside

BIASES = (*WAYS, *TROUBLES)
MENDED = "mend"

__all__ = ["BIASES", "Biased", "switch_biases"]


class Biased(NamedTuple):
    """The biases that are on, and whether they are mended; surveys by name, of all that are on the last."""

    on: tuple[str, ...]
    mend: bool
    found: dict[str, RelativeSize]

    @property
    def all(self) -> RelativeSize:
        """The survey with all biases that are on."""
        return list(self.found.values())[-1]


def switch_biases() -> Explorer:
    """Return checkboxes, one a bias; the estimate with each alone and with all of them, beside the truth."""
    for name in BIASES:  # drawing takes longest: it is done once
        survey([name], mends(name))

    def state(**ticked: bool) -> Biased:
        mend, on = ticked.pop(MENDED), tuple(name for name in BIASES if ticked[name])
        found = {FAIR: survey(())} | {name: survey([name], mend) for name in on}
        if len(on) > 1:
            found["together"] = survey(on, mend)
        return Biased(on, mend, found)

    def draw(biased: Biased) -> Drawing:
        names = [f"{name}  {_times(one)}" for name, one in biased.found.items()]
        estimates = [_interval(one) for one in biased.found.values()]
        says = f"|A| / |B| from {DRAWS} pages of each; × times the truth"
        chart = intervals(estimates, TRUTH, says, names=names, step=24, factor=5, width=680)
        return below(chart, beside(*(_shares(biased.all, side) for side in "ab"), gap=24), gap=14)

    def table(biased: Biased) -> list[Row]:
        head = ["bias", "|A| / |B|", "from", "to", "times the truth", "of A's in B", "of B's in A"]
        rows: list[Row] = [[*head, "no answer"]]
        for name, one in biased.found.items():
            numbers = [one.size, one.low, one.high, one.size / TRUTH, one.a.share, one.b.share]
            rows.append([name, *(f"{value:.2f}" for value in numbers), one.a.unanswered])
        return rows

    controls = {name: Check(name, name == "random queries") for name in BIASES}
    return Sliders(
        state,
        draw,
        _told,
        table,
        title="Biases of a survey",
        controls={**controls, MENDED: Check("mend what can be mended")},
        notice="Tick one bias after another: which share moves, and which way does the estimate go? Then "
        "find two that cancel: is that survey good? Mend them: which ones stay? Ways to draw that are ticked "
        "together share the draws. A holds 80 pages, B 50, the longer ones; 40 are in both.",
    )


def _interval(found: RelativeSize) -> Estimate:
    return Estimate(found.size, found.low, found.high)


def _times(found: RelativeSize) -> str:
    return "×∞" if math.isinf(found.size) else f"×{found.size / TRUTH:.2f}"


def _told(biased: Biased) -> str:
    one, on = biased.all, ", ".join(biased.on) or "none: pages drawn uniformly, as no outsider can"
    stay = [name for name in biased.on if not mends(name)]
    mended = ""
    if biased.mend and biased.on:
        mended = " Mended" + (f", but for what nothing mends ({', '.join(stay)})." if stay else ".")
    if math.isinf(one.size):
        return f"Biases: {on}.{mended} Nothing of A's sample is found in B: A seems to be without end."
    holds = covers(_interval(one), TRUTH)
    way = "near the truth" if holds else "too low" if one.size < TRUTH else "too high"
    left = f" {one.a.unanswered} checks without an answer are left out." if one.a.unanswered else ""
    return (
        f"Biases: {on}.{mended} |A| / |B| = {one.b.share:.2f} / {one.a.share:.2f} = {one.size:.2f}, {way}. "
        f"The interval {one.low:.2f} to {one.high:.2f} {'holds' if holds else 'misses'} the true "
        f"{TRUTH:.2f}.{left}"
    )


def _shares(found: RelativeSize, side: str) -> Drawing:
    here, there = ("A", "B") if side == "a" else ("B", "A")
    checked = found.a if side == "a" else found.b
    values = [COMMON / len(members(here)), round(checked.share, 2)]
    says = f"share of {here}'s pages in {there}"
    return bars(["true", "found"], values, says, looks=["plain", side], limit=1, width=290)
