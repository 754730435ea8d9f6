"""The numbers of an exercise's source, which stand in its code and in its text.

numbers  lines ``variant = Variant(…)`` of the code; the text sets them in bold in the cell "statement"
"""

from __future__ import annotations

import ast
import re
from typing import Any

from ircourse.commands.exercise_notebooks import exercise_of, grade_id
from ircourse.exercises import EXERCISES, Variant

__all__ = ["book_numbers", "variant_of"]

_VARIANT = re.compile(r"^variant = (.*)$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(.+?)\*\*")


def book_numbers(variant: Variant) -> bool:
    """Return whether a variant has the book's numbers.

    >>> book_numbers(Variant("19.7", (30, 50))), book_numbers(Variant("19.7", (25, 60)))
    (True, False)
    """
    return variant.numbers == EXERCISES[variant.exercise].BOOK[0]


def variant_of(source: Any, name: str) -> Variant:
    """Return the variant that a source's code names; ValueError where its text has other numbers.

    source  the instructor's notebook, ``name`` its file's name
    """
    code = [cell.source for cell in source.cells if cell.cell_type == "code"]
    calls = sorted({call for text in code for call in _VARIANT.findall(text)})
    if len(calls) != 1:
        found = ", ".join(calls) or "none"
        raise ValueError(f"{name}: its cells name {found}: write one variant = Variant(…) in all of them")
    own = _read(calls[0], name)
    text = "\n".join(cell.source for cell in source.cells if grade_id(cell) == "statement")
    lacking = [number for number in _BOLD.findall(own.statement) if f"**{number}**" not in text]
    if lacking:
        raise ValueError(
            f"{name}: the code has {calls[0]}, but the text says no **{lacking[0]}**: "
            'put the numbers into the cell "statement", too'
        )
    return own


def _read(call: str, name: str) -> Variant:
    """Return the variant that a line of Python makes; ValueError where it makes none of this exercise."""
    try:
        made = ast.parse(call, mode="eval").body
        variant = Variant(*map(ast.literal_eval, made.args))  # type: ignore[attr-defined]
        fits = variant.exercise == exercise_of(name) and bool(variant.statement)
    except (SyntaxError, AttributeError, TypeError, ValueError, KeyError):
        fits = False
    if not fits:
        book = EXERCISES[exercise_of(name)].BOOK[0]
        raise ValueError(f"{name}: {call} is no variant: write it as {Variant(exercise_of(name), book)!r}")
    return variant
