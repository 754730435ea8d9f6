"""The book's exercises 19.7 to 19.10: statements, a variant for each student, feedback at once.

Worked solutions, tests and marking schemes are not in the package: they stand in ``chapters/exercises``.
Variants come from a salted hash of the student's id; with a secret salt no student can tell another's.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational

from ircourse.exercises import duplicates, relative_size, rows_needed, sampled_rows
from ircourse.exercises.answers import read_answer
from ircourse.exercises.drawing import place
from ircourse.exercises.known import Exercise, Feedback, Known

__all__ = ["EXERCISES", "Feedback", "Variant", "check", "read_answer", "variant"]

EXERCISES: dict[str, Exercise] = {
    "19.7": relative_size,
    "19.8": duplicates,
    "19.9": sampled_rows,
    "19.10": rows_needed,
}
NEAR = Fraction(1, 200)  # known answers are four times as far from each other, at least


@dataclass(frozen=True)
class Variant:
    """An exercise with its numbers; ``repr`` gives a line of Python that makes it again.

    >>> Variant("19.7", (30, 50)).statement[:35]
    'Two web search engines A and B each'
    """

    exercise: str
    numbers: tuple[int, ...]
    reading: str = ""

    @property
    def statement(self) -> str:
        """The text of the exercise, Markdown."""
        return _module(self.exercise).statement(self.numbers, self.reading)

    def __repr__(self) -> str:
        reading = f', "{self.reading}"' if self.reading else ""
        return f'Variant("{self.exercise}", {self.numbers}{reading})'


def variant(exercise: str, student: str, secret: str = "") -> Variant:
    """Return the variant of an exercise, "19.7" to "19.10", that a student gets.

    student  the student's id; two ids whose last numbers are close never share a variant
    secret   what the instructor alone knows

    ValueError for another exercise and an empty id.

    >>> variant("19.7", "s017") == variant("19.7", "s017") != variant("19.7", "s018")
    True
    """
    choices = _module(exercise).choices()
    numbers, reading = choices[place(exercise, student, secret, len(choices))]
    return Variant(exercise, numbers, reading)


def check(exercise: str, answer: object, variant: Variant | None = None) -> Feedback:
    """Return whether an answer is right, and what to say to it.

    answer   5/3, 1.667, "5:3", "166.7 %", a Fraction; within 0.005 of the right one (19.10: 0.5%)
    variant  whose numbers hold; None: the book's own

    Where the book's wording has two readings both answers are right, and the message names the reading taken.

    >>> check("19.7", "5/3").correct
    True
    >>> print(check("19.7", 0.6).message)
    That is B relative to A: upside down. The larger index has the smaller share in common.
    """
    module = _module(exercise)
    if variant is not None and variant.exercise != exercise:
        raise ValueError(f"the variant is one of exercise {variant.exercise}, not of {exercise!r}")
    numbers, reading = module.BOOK if variant is None else (variant.numbers, variant.reading)
    try:
        given = read_answer(answer)
    except ValueError as error:
        return Feedback(False, str(error))
    right = module.right(numbers, reading)
    for known in _nearest(given, right, module.RELATIVE):
        return Feedback(True, known.says)
    for known in _nearest(given, module.wrong(numbers, reading), module.RELATIVE):
        return Feedback(False, known.says)
    return Feedback(False, _unknown(answer, given, right, module))


def _nearest(given: Fraction, known: list[Known], relative: bool) -> list[Known]:
    """Return the known answer that is meant, in a list, or none."""
    close = [(abs(given - k.value) / (abs(k.value) or 1 if relative else 1), k) for k in known]
    distance, best = min(close, key=lambda pair: pair[0])
    return [best] if distance <= NEAR else []


def _unknown(answer: object, given: Fraction, right: list[Known], module: Exercise) -> str:
    """Return what is said to an answer that is neither right nor a known wrong one."""
    if _nearest(given / 100, right, module.RELATIVE):
        return "Per cent need their sign: write 60% or 0.6, not 60."
    if any(_short_of(answer, k.value, module.RELATIVE) for k in right):
        digits = "four digits, as 1.234e18" if module.RELATIVE else "three digits after the point"
        return f"That is rounded too far: give a fraction, or {digits}."
    return f"Not right. {module.HINT}"


def _short_of(answer: object, right: Fraction, relative: bool) -> bool:
    """Return whether an answer is the right one written with too few digits, rounded or cut.

    A wrong method may come near as well, but it gives a fraction or all the digits of a float.
    """
    if isinstance(answer, Rational) or (isinstance(answer, str) and re.search(r"[/:^]|\*\*", answer)):
        return False
    given = read_answer(answer if isinstance(answer, str) else repr(float(answer)))  # type: ignore[arg-type]
    units = [Fraction(10) ** -digits for digits in (1, 2)]
    if relative:
        size = Fraction(10) ** math.floor(math.log10(right))
        units = [size, *(size * unit for unit in units)]
    return any((given / unit).denominator == 1 and abs(given - right) < unit for unit in units)


def _module(exercise: str) -> Exercise:
    """Return the module of an exercise; ValueError for a name that there is not."""
    try:
        return EXERCISES[exercise]
    except (KeyError, TypeError):
        raise ValueError(f"no exercise {exercise!r}: choose from {', '.join(EXERCISES)}") from None
