"""The questions of a chapter, in a JSON file beside it: a list of objects with

id        unique in the file, never changed once published
question  what is asked
choices   a list of {"text": …, "right": true or false, "feedback": …}, or instead, for a number,
answer    the number, with "tolerance" (largest difference that still counts; else 0), "unit" (a word or
          nothing), "feedback" (said of the right number), "otherwise" (of any other) and "known", a list of
          {"value": …, "feedback": …} for the wrong numbers that people find

Whatever else a file holds is one ValueError that names the file, the question, and how to mend it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ircourse.show.svg import clip

LETTERS = "ABCDEFGH"
LARGEST = 1e15  # differences of numbers up to here are still told from the tolerance

__all__ = ["LETTERS", "check", "load_questions"]


def load_questions(path: str | Path) -> dict[str, Mapping[str, Any]]:
    """Return the questions of a file by their ids; ValueError names what is wrong with one."""
    found: dict[str, Mapping[str, Any]] = {}
    for number, item in enumerate(_read(path), 1):
        name = item.get("id") if isinstance(item, Mapping) else None
        where = f"{path}, question {number}" + (f" ({_said(name)})" if name is not None else "")
        _must(isinstance(item, Mapping), where, f"is {_said(item)}; write it as an object in braces")
        given = isinstance(name, str) and name != "" and name not in found
        _must(given, where, "give each question an id of its own, a string")
        check(item, where)
        found[name] = item
    return found


def _read(path: str | Path) -> list[Any]:
    """Return the list that a file holds."""
    try:
        items = json.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except RecursionError as error:
        raise ValueError(f"{path}: nested too deeply; give a list of questions") from error
    except ValueError as error:  # a JSONDecodeError, or an integer of thousands of digits
        raise ValueError(f"{path}: not JSON: {error}; mend it there") from error
    _must(isinstance(items, list), str(path), "give a list of questions, in square brackets")
    return items  # type: ignore[no-any-return]


def check(item: Mapping[str, Any], where: str = "the question") -> None:
    """Raise ValueError where a question lacks something or has no right answer."""
    _must(_is_text(item.get("question")), where, "say what is asked under 'question', as text")
    _must(("choices" in item) != ("answer" in item), where, "give either 'choices' or a number as 'answer'")
    (_check_number if "answer" in item else _check_choices)(item, where)


def _check_number(item: Mapping[str, Any], where: str) -> None:
    said = _is_text(item.get("feedback")) and _is_text(item.get("otherwise"))
    _must(said, where, "a number needs 'feedback' and 'otherwise', as text")
    limits = f"a finite number of at most {LARGEST:g} in size, unquoted"
    answer = item["answer"]
    _must(_is_number(answer), where, f"'answer' is {_said(answer)}; give {limits}")
    tolerance = item.get("tolerance", 0)
    positive = _is_number(tolerance) and tolerance >= 0
    _must(positive, where, f"'tolerance' is {_said(tolerance)}; give {limits}, not below 0")
    _must(isinstance(item.get("unit", ""), str), where, "'unit' must be a word; leave it out for none")
    known = item.get("known", [])
    _must(isinstance(known, list | tuple), where, "'known' must be a list, in square brackets")
    for wrong in known:
        given = (
            isinstance(wrong, Mapping) and _is_number(wrong.get("value")) and _is_text(wrong.get("feedback"))
        )
        _must(
            given, where, f"{_said(wrong)} in 'known' needs a 'value', {limits}, and its 'feedback' as text"
        )


def _check_choices(item: Mapping[str, Any], where: str) -> None:
    choices = item["choices"]
    _must(isinstance(choices, list | tuple), where, "'choices' must be a list, in square brackets")
    _must(2 <= len(choices) <= len(LETTERS), where, f"{len(choices)} choices; give 2 to {len(LETTERS)}")
    for choice in choices:
        given = isinstance(choice, Mapping) and isinstance(choice.get("right"), bool)
        given = given and _is_text(choice.get("text")) and _is_text(choice.get("feedback"))
        needs = "each choice needs 'text', 'right' (true or false) and 'feedback'"
        _must(given, where, f"{needs}; {_said(choice)} has not")
    _must(any(choice["right"] for choice in choices), where, "no choice is right; make one so")


def _must(holds: bool, where: str, remedy: str) -> None:
    if not holds:
        raise ValueError(f"{where}: {remedy}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _is_number(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -LARGEST <= value <= LARGEST  # NaN is not either  # type: ignore[operator]


def _said(value: object) -> str:
    try:
        return clip(repr(value), 60)
    except (ValueError, RecursionError):  # an integer of thousands of digits; a list in itself
        return f"a {type(value).__name__} too large to write"
