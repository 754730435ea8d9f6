"""Exercise 19.7: the size of one index relative to another (book, section 19.5).

a  share of A's pages that B's index holds, in per cent
b  share of B's pages that A's index holds, in per cent
Variants: every known wrong answer is at least 0.02 from the right one and from each other one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

from ircourse.exercises.known import APART, Choice, Known, percent

__all__ = ["BOOK", "HINT", "RELATIVE", "choices", "right", "statement", "wrong"]

BOOK: Choice = ((30, 50), "")
RELATIVE = False
HINT = (
    "The pages in both indexes can be counted twice over: as a share of A's pages and as a share of B's. "
    "It is one number of pages. Write it down both ways."
)


@cache
def choices() -> tuple[Choice, ...]:
    """Return the pairs of percentages that variants are drawn from."""
    pairs = ((a, b) for a in range(12, 89) for b in range(12, 89) if a != b and (a, b) != BOOK[0])
    return tuple(((a, b), "") for a, b in pairs if _sensible(a, b))


def _sensible(a: int, b: int) -> bool:
    """Return whether one index is at most four times the other and no two known answers are close."""
    values = [known.value for known in (*right((a, b), ""), *wrong((a, b), ""))]
    apart = all(abs(x - y) >= APART for x, y in combinations(values, 2))
    return apart and Fraction(1, 4) <= values[0] <= 4


def statement(numbers: tuple[int, ...], reading: str = "") -> str:
    """Return the text of the exercise."""
    a, b = numbers
    return (
        "Two web search engines A and B each generate a large number of pages uniformly at random from their "
        f"indexes. **{a}%** of A's pages are present in B's index, while **{b}%** of B's pages are present "
        "in A's index. What is the number of pages in A's index relative to B's?"
    )


def right(numbers: tuple[int, ...], reading: str = "") -> list[Known]:
    """Return the right answer."""
    a, b = map(percent, numbers)
    return [Known(b / a, "Right: the pages in both indexes, counted from either side, are as many.")]


def wrong(numbers: tuple[int, ...], reading: str = "") -> list[Known]:
    """Return the known wrong answers."""
    a, b = map(percent, numbers)
    difference = (
        "That is the difference of the two shares. They are shares of different wholes, so their difference "
        "is a share of nothing."
    )
    unshared = (
        "That compares the shares that are not in common. Each is a share of its own index, so their ratio "
        "says nothing about sizes yet."
    )
    excess = "That is by how much the sizes differ. Asked for is the ratio itself."
    return [
        Known(
            a / b, "That is B relative to A: upside down. The larger index has the smaller share in common."
        ),
        Known(a * b, "That is the product of the two shares. They are shares of different wholes."),
        *(Known(sign * (b - a), difference) for sign in (1, -1)),
        *(Known(ratio, unshared) for ratio in ((1 - a) / (1 - b), (1 - b) / (1 - a))),
        *(Known(sign * (b / a - 1), excess) for sign in (1, -1)),
        Known(
            b / (a + b),
            "That is A's part of the two sizes added up. Asked for is A's size relative to B's, not to both.",
        ),
        Known(
            a / (a + b), "That is B's part of the two sizes added up. Asked for is A's size relative to B's."
        ),
        Known(
            a * b / (a + b - a * b),
            "That is the share of all their pages that both hold. Asked for is A's size relative to B's.",
        ),
    ]
