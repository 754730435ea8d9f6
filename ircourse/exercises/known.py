"""What an exercise is made of: the numbers of a variant, right answers, wrong ones that are known.

numbers  the whole numbers that a statement gives: percentages, sizes, counts
reading  how a statement with two readings is meant; "" leaves both open

Each exercise is a module with the names of ``Exercise``; ``ircourse.exercises`` draws and checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

__all__ = ["APART", "Choice", "Exercise", "Feedback", "Known", "percent"]

Choice = tuple[tuple[int, ...], str]
APART = Fraction(1, 50)  # a variant's right answer and any known wrong one, at least


class Known(NamedTuple):
    """An answer that is recognised, and what is said to it."""

    value: Fraction
    says: str


@dataclass(frozen=True)
class Feedback:
    """Whether an answer is right, and a sentence or two for the student."""

    correct: bool
    message: str


class Exercise(Protocol):
    """A module with one exercise."""

    @property
    def BOOK(self) -> Choice:
        """The book's own numbers, with the readings that its wording leaves open."""

    @property
    def HINT(self) -> str:
        """What is said to a wrong answer that nobody knows."""

    @property
    def RELATIVE(self) -> bool:
        """Whether answers are compared by their ratio instead of their difference."""

    def choices(self) -> tuple[Choice, ...]:
        """Return what variants are drawn from."""

    def statement(self, numbers: tuple[int, ...], reading: str) -> str:
        """Return the text of the exercise, Markdown."""

    def right(self, numbers: tuple[int, ...], reading: str) -> list[Known]:
        """Return the right answer, one for each reading that is left open."""

    def wrong(self, numbers: tuple[int, ...], reading: str) -> list[Known]:
        """Return the known wrong answers."""


def percent(number: int) -> Fraction:
    """Return a percentage as a share.

    >>> percent(30)
    Fraction(3, 10)
    """
    return Fraction(number, 100)
