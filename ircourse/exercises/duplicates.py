"""Exercise 19.8: how much of the Web has no duplicate (book, section 19.6; claim C38).

a  share of A's indexed URLs that B's index holds, in per cent; A keeps duplicates
b  share of B's indexed URLs that A's index holds, in per cent; B keeps one of two copies
r  a / b, the size of B's index relative to A's

Differs from the book: its wording has two readings. "together": both copies of a page are crawled by an
engine, or neither. "independent": each URL is crawled or not by itself, as "random subset" says. A variant's
statement fixes one. The book leaves open, too, whether URLs or distinct pages are counted: here URLs are.
Variants: every known wrong answer is at least 0.02 from the right one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from ircourse.exercises.known import APART, Choice, Known, percent

__all__ = ["BOOK", "HINT", "READINGS", "RELATIVE", "choices", "right", "statement", "wrong"]

READINGS = {
    "together": "The two copies of a page are crawled together: an engine crawls both or neither.",
    "independent": "Every URL is crawled independently of every other, the copy of a crawled page like any, "
    "and the sizes of the two subsets are the same but for chance.",
}
BOOK: Choice = ((45, 50), "")
RELATIVE = False
HINT = (
    "Find first how large B's index is relative to A's, from the pages in both. What B lacks was removed "
    "there, one page of each pair that B had crawled whole."
)
_TEXT = (
    "Web search engines A and B each crawl a random subset of the same size of the Web. Some of the pages "
    "crawled are duplicates: exact textual copies of each other at different URLs. Assume that duplicates "
    "are distributed uniformly amongst the pages crawled by A and B, and that a duplicate is a page that has "
    "exactly two copies: no pages have more than two copies. A indexes pages without duplicate elimination, "
    "whereas B indexes only one copy of each duplicate page. The two random subsets have the same size "
    "before duplicate elimination. "
)


@cache
def choices() -> tuple[Choice, ...]:
    """Return the percentages, each pair with one reading, that variants are drawn from."""
    pairs = [(a, b) for b in range(20, 93) for a in range(10, b) if (a, b) != BOOK[0]]
    taken = ((pair, list(READINGS)[sum(pair) % 2]) for pair in pairs)
    return tuple((pair, reading) for pair, reading in taken if _sensible(pair, reading))


def _sensible(numbers: tuple[int, int], reading: str) -> bool:
    """Return whether both readings have an answer and no known wrong one is near this reading's."""
    a, b = map(percent, numbers)
    if not b - b**2 / 2 < a < b or a / b in (Fraction(2, 3), Fraction(3, 4)):
        return False
    answer = right(numbers, reading)[0].value
    apart = all(abs(answer - known.value) >= APART for known in wrong(numbers, reading))
    return apart and Fraction(1, 20) <= answer <= Fraction(19, 20)


def statement(numbers: tuple[int, ...], reading: str = "") -> str:
    """Return the text of the exercise; without a reading it is as open as the book's."""
    a, b = numbers
    fixed = f"{READINGS[reading]} " if reading else ""
    return (
        f"{_TEXT}{fixed}If **{a}%** of A's indexed URLs are present in B's index, while **{b}%** of B's "
        "indexed URLs are present in A's index, what fraction of the Web consists of pages that do not have "
        "a duplicate? (Count URLs, not distinct pages: a page with two copies is two URLs of the Web.)"
    )


def right(numbers: tuple[int, ...], reading: str = "") -> list[Known]:
    """Return the right answer of a reading, of each of the two where none is fixed."""
    a, b = map(percent, numbers)
    both = {
        "together": Known(
            2 * a / b - 1,
            "Right, where both copies of a page are crawled together: B drops one of every two.",
        ),
        "independent": Known(
            1 - 2 * (b - a) / b**2,
            "Right, where every URL is crawled independently: B can drop a copy only where it met both.",
        ),
    }
    return [both[reading]] if reading else list(both.values())


def wrong(numbers: tuple[int, ...], reading: str = "") -> list[Known]:
    """Return the known wrong answers, the other reading's right one among them where one is fixed."""
    a, b = map(percent, numbers)
    r = a / b
    known = [
        Known(
            r,
            "The second copy is forgotten: for each page that B removed, one that stayed has a duplicate "
            "too.",
        ),
        Known(1 - r, "That is the share of the pages that B removed. Each of them has a twin that stayed."),
        Known(2 * (1 - r), "That is the fraction with a duplicate. Asked for are the pages without."),
        Known(
            (2 * r - 1) / r,
            "That is their share of B's index, from which copies were removed. Asked for is the share of the "
            "Web.",
        ),
        Known(
            3 - 2 / r,
            "The pages removed were counted relative to B's index. They were removed from the pages crawled, "
            "which are as many as A's.",
        ),
        Known(
            1 - (b - a), "The two percentages were subtracted. They are shares of indexes of different sizes."
        ),
    ]
    if reading:
        (other,) = (name for name in READINGS if name != reading)
        (value, _), fixed = right(numbers, other)[0], READINGS[reading]
        known.append(Known(value, f"That is right for another reading. This statement says: {fixed}"))
    distinct = "That is their share of the distinct pages. Count URLs: a page with two copies is two of them."
    known += [Known(2 * f / (1 + f), distinct) for f in (one.value for one in right(numbers, reading))]
    if reading == "independent":
        met = 2 * (b - a) / b**2
        known.append(Known(met, "That is the fraction with a duplicate. Asked for are the pages without."))
        known += _crawled_wrongly(a, b)
    return known


def _crawled_wrongly(a: Fraction, b: Fraction) -> list[Known]:
    """Return what comes of a wrong share for the part of the Web that is crawled, or of a copy forgotten."""
    removed = 1 - a / b
    return [
        Known(
            1 - 2 * removed / a,
            "A's percentage was taken for the part of the Web that is crawled. B's index has lost copies: of "
            "which index is the percentage a part of the Web, A's or B's?",
        ),
        Known(
            1 - removed / b,
            "The second copy is forgotten: for each page that B removed, one that stayed has a "
            "duplicate too.",
        ),
        Known(
            1 - 2 * removed / b**2,
            "The chance that B crawled a page's twin was counted twice: the pages removed are a share of "
            "what was crawled, not of the Web.",
        ),
    ]
