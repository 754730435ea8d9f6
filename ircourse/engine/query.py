"""Queries: what may be asked, and the one error for what may not."""

from __future__ import annotations

import unicodedata

from ircourse.ranking import Unit, units_of

__all__ = ["MOST_CHARACTERS", "MOST_UNITS", "QueryError", "checked_query"]

MOST_CHARACTERS = 1_000
MOST_UNITS = 64  # words and phrases
_SPACE = "\t\n\r"


class QueryError(ValueError):
    """A query that cannot be answered; its message says why and what to do."""


def checked_query(query: str) -> list[Unit]:
    """Return the words and phrases (in double quotes) of a query, each once.

    Raises QueryError for a query that is no ``str``, has no words, over 1,000 characters, over 64 words or
    a control character other than white space.

    >>> checked_query('Ferry "old harbour" ferry')
    [('ferry',), ('old', 'harbour')]
    >>> checked_query("?!")
    Traceback (most recent call last):
        ...
    ircourse.engine.query.QueryError: the query has no words: give at least one letter or digit
    """
    if not isinstance(query, str):
        raise QueryError(f"a query is a str, not {type(query).__name__}: {query!r:.60}")
    if len(query) > MOST_CHARACTERS:
        raise QueryError(
            f"the query has {len(query):,} characters: give at most {MOST_CHARACTERS:,}; "
            f"it begins {query[:30]!r}"
        )
    for character in query:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in _SPACE:
            raise QueryError(f"the query holds the control character U+{ord(character):04X}: leave it out")
    units = units_of(query)
    if not units:
        raise QueryError("the query has no words: give at least one letter or digit")
    if len(units) > MOST_UNITS:
        raise QueryError(f"the query has {len(units)} words: give at most {MOST_UNITS}")
    return units
