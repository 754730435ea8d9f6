"""Exercise 19.10: why nobody samples rows: how many it takes for 2^64 of them (book, 19.6; claim C40).

N      rows, 2^64: one for each value of a 64-bit fingerprint
union  shingles of the two documents together
hits   rows of the union that the sample is to hold
Variants: every known wrong answer is at least 2% from the right one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from ircourse.exercises.known import APART, Choice, Known

__all__ = ["BOOK", "HINT", "RELATIVE", "N", "choices", "right", "statement", "wrong"]

N = 2**64
BOOK: Choice = ((1000, 200), "")
RELATIVE = True
HINT = "How long are the gaps between two rows of the union, on average, if all rows stand in random order?"


@cache
def choices() -> tuple[Choice, ...]:
    """Return the sizes of union and hits that variants are drawn from."""
    sizes = ((union, hits) for union in range(500, 5001, 50) for hits in range(50, 401, 10))
    return tuple((numbers, "") for numbers in sizes if numbers != BOOK[0] and _sensible(numbers))


def _sensible(numbers: tuple[int, int]) -> bool:
    """Return whether fewer than half the union is asked for and no known wrong answer is near."""
    answer = right(numbers)[0].value
    near = any(abs(known.value / answer - 1) < APART for known in wrong(numbers))
    return 2 * numbers[1] < numbers[0] and not near


def statement(numbers: tuple[int, ...], reading: str = "") -> str:
    """Return the text of the exercise."""
    union, hits = numbers
    return (
        "Explain why this estimator would be very difficult to use in practice.\n\nShingles are 64-bit "
        f"fingerprints, so the matrix has $2^{{64}}$ rows. Two documents have **{union:,}** distinct "
        f"shingles between them, and a usable estimate needs **{hits}** rows of their union. How many rows "
        "must be drawn, without replacement, on average?"
    )


def right(numbers: tuple[int, ...], reading: str = "") -> list[Known]:
    """Return the right answer."""
    union, hits = numbers
    share = float(Fraction(hits, union + 1))
    return [
        Known(
            Fraction(hits * (N + 1), union + 1),
            f"Right: {share:.3f} of all rows. No sample of that size can be drawn or kept.",
        )
    ]


def wrong(numbers: tuple[int, ...], reading: str = "") -> list[Known]:
    """Return the known wrong answers."""
    union, hits = numbers
    return [
        Known(
            Fraction(N + 1, union + 1),
            "That is how long one row of the union takes. More than one is needed.",
        ),
        Known(Fraction(hits, union + 1), "That is the share of all rows. Asked for is their number."),
        Known(Fraction(union, N), "That is the chance that one row belongs to the union."),
        Known(Fraction(N, hits), "That leaves out how many rows the union has."),
        Known(Fraction(N, 2), "Half of all rows: that is right for hits that are half the union."),
        Known(
            Fraction(hits), "Nearly every row misses the union: most rows that are drawn count for nothing."
        ),
        Known(Fraction(2**32), "That is the square root of the number of rows, as for two equal birthdays."),
        Known(Fraction(union), "That is the union itself, which a random row hardly ever meets."),
    ]
