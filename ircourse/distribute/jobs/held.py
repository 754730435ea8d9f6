"""What a job is given: parts as they are, or what the client holds, cut and sent to the workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ircourse.distribute.jobs.parts import Files, Held, Lines, TextPart, Warc
from ircourse.distribute.jobs.stages import Stages

__all__ = ["TEXTS", "Texts", "cuts_for", "is_parts", "text_parts"]

Texts: TypeAlias = Sequence[str] | Sequence[TextPart]
TEXTS = (Lines, Files, Warc, Held)
PARTS = 4  # a worker


def text_parts(stages: Stages, texts: Texts, parts: int | None) -> list[Any]:
    """Return parts, or futures of those that texts are cut into. Raises TypeError for what is neither."""
    if isinstance(texts, str):
        raise TypeError(f"texts are several, not one str: write [{texts!r:.60}]")
    given: list[Any] = list(texts)
    if is_parts(given, TEXTS):
        return given
    for i, text in enumerate(given):
        if not isinstance(text, str):
            raise TypeError(f"text {i} is to be a str, not {type(text).__name__}: {text!r:.60}")
    return stages.hold([Held(tuple(given[a:b])) for a, b in cuts_for(stages, len(given), parts)])


def is_parts(given: object, kinds: tuple[type, ...]) -> bool:
    """Return whether these are parts, of the kinds given, and at least one."""
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, kinds) for one in given)


def cuts_for(stages: Stages, n: int, parts: int | None, default: int = PARTS) -> list[tuple[int, int]]:
    """Return the ranges of about equal size that n items are cut into, none of them empty.

    parts  how many; None: ``default`` a worker. Raises ValueError below 1
    """
    if parts is None:
        parts = default * stages.workers
    if isinstance(parts, bool) or not isinstance(parts, int) or parts < 1:
        raise ValueError(f"parts is {parts!r}: give a number of at least 1, or None")
    parts = min(parts, n)
    return [(n * p // parts, n * (p + 1) // parts) for p in range(parts)]
