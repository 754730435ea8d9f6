"""Which variant a student gets: a salted hash of the student's id, and neighbours never share one.

id      a student's name at the course, "s017" say; the last number in it counts, the rest is its stem
order   the variants in the order of their salted hashes, one order for a stem
place   the number modulo how many variants there are: ids of a stem with close numbers differ for certain

Without the secret nobody can tell another student's place. Ids without a number are stems: two of them share
a variant by chance alone, once in as many pairs as there are variants.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

__all__ = ["place"]

_LAST_NUMBER = re.compile(r"(.*?)(\d{1,18})(\D*)", re.DOTALL)


def place(exercise: str, student: str, secret: str, n: int) -> int:
    """Return the place, from 0 to n − 1, of a student's variant among the ``n`` of an exercise.

    >>> places = [place("19.7", f"s{i}", "", 500) for i in range(500)]
    >>> sorted(places) == list(range(500))
    True
    """
    name = student.strip()
    if not name:
        raise ValueError(f"student is {student!r}: give the id that the student has at the course")
    found = _LAST_NUMBER.fullmatch(name)
    if found is None:
        return _order(exercise, name, secret, n)[0]
    before, number, after = found.groups()
    return _order(exercise, f"{before}#{after}", secret, n)[int(number) % n]


@lru_cache(maxsize=64)
def _order(exercise: str, stem: str, secret: str, n: int) -> tuple[int, ...]:
    """Return 0 … n − 1 in the order of their salted hashes."""
    salt = "\0".join((secret, exercise, stem)).encode("utf-8", "surrogatepass")
    key = hashlib.sha256(salt).digest()
    return tuple(sorted(range(n), key=lambda i: hashlib.sha256(key + i.to_bytes(4, "big")).digest()))
