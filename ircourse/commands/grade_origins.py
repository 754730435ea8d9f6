"""Where a notebook comes from: which exercise, whose numbers, drawn from which secret.

`release` writes tags into a notebook's metadata, which `grade` compares. A tag is a keyed digest, the secret
its key: who lacks the secret learns nothing of it, and nobody's id.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ircourse.exercises import variant

__all__ = ["OTHER", "Origin", "other_secret", "owner", "tags", "with_owner"]

OTHER = "numbers of another student or secret"
_DIGITS = 16


class Origin(NamedTuple):
    """What a notebook tells of where it comes from; "" where it does not."""

    ids: list[str]  # nbgrader's names of its cells
    numbers: list[str]  # the variants that its set-up names
    secret: str  # the secret's tag
    student: str  # the student's tag

    def notebook(self, named: Mapping[str, set[str]]) -> str:
        """Return the notebook that has these cells, more than half of them at least; "" for none."""
        shares = [(len(ids & set(self.ids)) / len(ids | set(self.ids)), name) for name, ids in named.items()]
        share, name = max(shares, default=(0.0, ""))
        return name if share > 0.5 else ""


def tags(student: str, secret: str) -> dict[str, str]:
    """Return the tags of a secret, and of a student under it.

    >>> one, other = tags("s1", "a secret"), tags("s2", "a secret")
    >>> one["secret"] == other["secret"], one["student"] == other["student"], len(one["student"])
    (True, False, 16)
    """
    return {"secret": _tag(secret, "secret"), "student": _tag(secret, f"student {student}")}


def _tag(secret: str, text: str) -> str:
    key, message = (word.encode("utf-8", "surrogatepass") for word in (secret, text))
    return hmac.new(key, message, "sha256").hexdigest()[:_DIGITS]


def other_secret(
    found: Sequence[tuple[str, Origin]], book: Mapping[str, set[str]], secret: str | None, path: str | None
) -> str | None:
    """Return what to say where most notebooks were made with another secret than the one given, else None.

    found  pairs of a notebook's name and where the one handed in comes from
    book   for each name the numbers that hold without a secret
    """
    own = "" if secret is None else _tag(secret, "secret")
    drawn = [name for name, origin in found if origin.secret or set(origin.numbers) - book[name]]
    others = [name for name, origin in found if origin.secret not in ("", own)]
    plain = [name for name, origin in found if not origin.secret and set(origin.numbers) & book[name]]
    if secret is None:
        names, said = drawn, "have numbers drawn from a secret: pass the file that `release` used by --secret"
    elif len(others) > len(plain):
        names, said = others, f"were made with another secret than {path}: pass the file that `release` used"
    else:
        names, said = plain, "have the book's numbers, which no secret drew: leave out --secret"
    if 2 * len(names) <= len(found):
        return None
    return f"{len(names)} of {len(found)} notebooks {said}"


def owner(exercise: str, origin: Origin, known: Mapping[str, str], secret: str) -> str | None:
    """Return the student whom a notebook was made for, by its tag or else by its numbers, None if not known.

    known  students by their tags
    """
    if origin.student in known or not origin.numbers:
        return known.get(origin.student)
    alike = [
        s for s in known.values() if s.strip() and [repr(variant(exercise, s, secret))] == origin.numbers
    ]
    return alike[0] if len(alike) == 1 else None


def with_owner(notes: list[str], student: str, known: str | None) -> list[str]:
    """Return a notebook's notes with the one whom it was made for, where it is another student.

    >>> with_owner(["numbers of another student or secret"], "s1", "s2"), with_owner([], "s1", "s2")
    (['numbers of another student: s2'], ['made for another student: s2'])
    """
    if known in (None, student):
        return notes
    if OTHER not in notes:
        return [*notes, f"made for another student: {known}"]
    return [f"numbers of another student: {known}" if note == OTHER else note for note in notes]
