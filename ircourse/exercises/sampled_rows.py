"""Exercise 19.9: the Jaccard coefficient from a sample of the rows (book, section 19.6; claim C39).

n      elements of the universe, the rows of the matrix
union  elements in S1 or S2 or both
both   elements in S1 and S2; J = both / union
rows   how many rows are sampled, without replacement, 2 at least: with 1, wrong ways give the right number
Variants: every known wrong answer is at least 0.02 from the right one, and there are few enough samples to
look at them all.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

from ircourse.exercises.known import APART, Choice, Known

__all__ = ["BOOK", "HINT", "RELATIVE", "choices", "right", "statement", "wrong"]

BOOK: Choice = ((8, 5, 2, 2), "")
MOST_SAMPLES = 8000
RELATIVE = False
HINT = (
    "Split the samples in two: those that miss the union altogether, and the others. What is the mean of the "
    "estimator in each part, and how large are the parts?"
)


@cache
def choices() -> tuple[Choice, ...]:
    """Return the sizes that variants are drawn from."""
    sizes = (
        (n, union, both, rows)
        for n in range(6, 21)
        for union in range(3, n - 1)
        for both in range(1, union)
        for rows in range(2, 10)
    )
    return tuple((numbers, "") for numbers in sizes if numbers != BOOK[0] and _sensible(numbers))


def _sensible(numbers: tuple[int, int, int, int]) -> bool:
    """Return whether some sample misses the union and no known wrong answer is near the right one."""
    n, union, _, rows = numbers
    if rows > n - union or comb(n, rows) > MOST_SAMPLES:
        return False
    answer = right(numbers)[0].value
    return answer >= APART and all(abs(answer - known.value) >= APART for known in wrong(numbers))


def statement(numbers: tuple[int, ...], reading: str = "") -> str:
    """Return the text of the exercise."""
    n, union, both, rows = numbers
    return (
        "Instead of using the process depicted in Figure 19.8, consider the following process for estimating "
        "the Jaccard coefficient of the overlap between two sets $S_1$ and $S_2$. We pick a random subset of "
        "the elements of the universe from which $S_1$ and $S_2$ are drawn; this corresponds to picking a "
        "random subset of the rows of the matrix $A$ in the proof. We exhaustively compute the Jaccard "
        "coefficient of these random subsets. Why is this estimate an unbiased estimator of the Jaccard "
        f"coefficient for $S_1$ and $S_2$?\n\nHere the universe has **{n}** elements, the union **{union}**, "
        f"the intersection **{both}**, and **{rows}** of the rows are picked. A sample without an element of "
        "the union gives 0/0. What is the mean of the estimate over all samples if 0/0 is counted as 0?"
    )


def _met(numbers: tuple[int, ...]) -> Fraction:
    """Return the chance that a sample has an element of the union."""
    n, union, _, rows = numbers
    return 1 - Fraction(comb(n - union, rows), comb(n, rows))


def right(numbers: tuple[int, ...], reading: str = "") -> list[Known]:
    """Return the right answer."""
    _, union, both, _ = numbers
    mean = Fraction(both, union) * _met(numbers)
    return [Known(mean, "Right: J where the sample meets the union, 0 where it does not.")]


def wrong(numbers: tuple[int, ...], reading: str = "") -> list[Known]:
    """Return the known wrong answers."""
    n, union, both, rows = numbers
    met = _met(numbers)
    return [
        Known(
            Fraction(both, union),
            "That is J: the mean over the samples that meet the union. Those that miss it count as 0 here.",
        ),
        Known(met, "That is the chance that a sample meets the union. What is the mean once it does?"),
        Known(1 - met, "That is the chance that a sample misses the union."),
        Known(
            Fraction(both, union) * (1 - met),
            "That weighs J by the samples that miss the union. It is the others that estimate it.",
        ),
        Known(
            Fraction(both * rows, union * n),
            "That is J times the share of rows picked. A ratio of two counts does not shrink with the "
            "sample.",
        ),
        Known(
            Fraction(both, union) * (1 - Fraction(n - union, n) ** rows),
            "That is the mean if rows may come twice. A subset of the rows is drawn without replacement.",
        ),
        Known(
            1 - Fraction(comb(n - both, rows), comb(n, rows)),
            "That is the chance that a sample meets the intersection. The estimate is a share.",
        ),
        Known(
            Fraction(both, n),
            "That is the intersection's share of all rows. The estimate divides by the union's rows alone.",
        ),
    ]
