"""Lines for a terminal: strangers' words, made harmless and laid out."""

from __future__ import annotations

import unicodedata
from typing import TextIO

__all__ = ["columns_of", "fitted", "plain", "write_line"]


def plain(text: str) -> str:
    """Return a text without what a terminal would obey.

    >>> plain("a\\x1b[31m b")
    'a\\\\x1b[31m b'
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def write_line(stream: TextIO, line: str) -> None:
    """Write a line, escaped where a terminal would obey it or its encoding lacks a character."""
    encoding = stream.encoding or "utf-8"
    stream.write(plain(line).encode(encoding, "backslashreplace").decode(encoding) + "\n")


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for wide characters, none for marks.

    >>> columns_of("東 e\\u0301")
    4
    """
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def fitted(text: str, width: int) -> str:
    """Return a text cut or filled with spaces to ``width`` columns.

    >>> fitted("harbour", 5), fitted("sea", 5)
    ('harb…', 'sea  ')
    """
    text = plain(text)
    if columns_of(text) > width:
        while columns_of(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - columns_of(text))
