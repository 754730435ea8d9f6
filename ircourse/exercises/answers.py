"""Answers as students write them: 5/3, 1.667, "5:3", "62.5 %", "3e16", "2^64/5", a Fraction."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from numbers import Rational, Real

__all__ = ["read_answer"]

MOST_CHARACTERS = 60
MOST_EXPONENT = 400
_NUMBER = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:e([+-]?\d{1,3})|\^(\d{1,3}))?"
_FORM = re.compile(rf"{_NUMBER}(?:[/:]{_NUMBER})?(%?)")
_HOW = 'give a number such as 5/3, 1.667, "5:3", "166.7 %" or Fraction(5, 3)'


def read_answer(answer: object) -> Fraction:
    """Return an answer as an exact number; ValueError, with the forms there are, where it is none.

    >>> [str(read_answer(text)) for text in ("5/3", "5:3", "62.5 %", "2^64", 0.25)]
    ['5/3', '5/3', '5/8', '18446744073709551616', '1/4']
    """
    if isinstance(answer, bool) or not isinstance(answer, str | Real):
        raise ValueError(f"{_shown(answer)} is no number: {_HOW}.")
    if isinstance(answer, str):
        return _read_text(answer)
    if not isinstance(answer, Rational) and not math.isfinite(answer):
        raise ValueError(f"{_shown(answer)} is no finite number: {_HOW}.")
    return Fraction(answer) if isinstance(answer, Rational) else Fraction(float(answer))


def _read_text(text: str) -> Fraction:
    """Return the number that a text stands for."""
    plain = re.sub(r"\s", "", text[: MOST_CHARACTERS + 1]).replace("**", "^").replace("−", "-").lower()
    plain = (
        re.sub(r"(?<=\d),(?=\d{3}(?:\D|$))", "", plain) if plain.count(",") > 1 else plain.replace(",", ".")
    )
    found = _FORM.fullmatch(plain)
    if found is None or len(text) > MOST_CHARACTERS:
        raise ValueError(f"{_shown(text)} is no number: {_HOW}.")
    above, below = _value(*found.group(1, 2, 3)), Fraction(1)
    if found.group(4):
        below = _value(*found.group(4, 5, 6))
    if not below:
        raise ValueError(f"{_shown(text)} divides by 0: {_HOW}.")
    return above / below / (100 if found.group(7) else 1)


def _value(digits: str, exponent: str | None, power: str | None) -> Fraction:
    """Return digits times ten to an exponent, or digits to a power."""
    number = Fraction(digits)
    if exponent is not None:
        return number * Fraction(10) ** max(-MOST_EXPONENT, min(MOST_EXPONENT, int(exponent)))
    return number ** int(power) if power is not None else number


def _shown(answer: object) -> str:
    """Return an answer as a sentence can hold it."""
    try:
        text = repr(answer)
    except Exception:  # a student's own class may not be fit to print
        text = f"a {type(answer).__name__}"
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"
