"""Snippets: the stretch of a page that has the most of the query, with its words marked.

A snippet is data: pieces of text and whether each is a word of the query. What shows it escapes the text and
marks the pieces; nothing of a page is markup here.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from typing import TypeAlias

from ircourse.text import tokenize

__all__ = ["Pieces", "marked", "snippet"]

Pieces: TypeAlias = tuple[tuple[str, bool], ...]
Place: TypeAlias = tuple[int, int, str]  # start, end, the term that stands there

WIDTH = 200  # characters
MOST_SEEN = 100_000  # characters of a page
MOST_PLACES = 200  # of one word
_RUN = re.compile(r"\s+|\S+")
EDGE = 20  # characters within which a snippet's end is moved to the end of a word


def snippet(
    text: str, terms: Collection[str], width: int = WIDTH, *, phrases: Iterable[Sequence[str]] = ()
) -> Pieces:
    """Return the stretch of about ``width`` characters with the most of ``terms``, the first of equal ones.

    phrases  of two or more of the terms: a stretch with more of these goes before one with more terms

    A text with none of them gives its beginning. White space is collapsed; "…" stands for what is left out.

    >>> snippet("High water stands in the harbour at noon, and the ferry waits.", {"ferry", "noon"}, width=36)
    (('… at ', False), ('noon', True), (', and the ', False), ('ferry', True), (' waits.', False))
    """
    text = unicodedata.normalize("NFC", text[:MOST_SEEN])  # as terms are
    low, at = _lower(text)
    sought = {term: re.compile(re.escape(term)) for term in terms}
    for phrase in phrases:
        sought[" ".join(phrase)] = re.compile(r"[^\w]+".join(map(re.escape, phrase)))
    found = (place for term, pattern in sought.items() for place in _places(low, term, pattern))
    places = sorted(((at[i], at[j], term) for i, j, term in found), key=lambda place: (place[1], place[0]))
    start, end = _window(places, width) if places else (0, 0)
    start, end = _widened(text, start, end, width)
    body = " ".join(text[start:end].split())
    before, after = "… " if text[:start].strip() else "", " …" if text[end:].strip() else ""
    return marked(before + body + after, terms)


def marked(text: str, terms: Collection[str]) -> Pieces:
    """Return a text in pieces, those that are one of ``terms`` marked; joined they are the text.

    >>> marked("The Ferry, and ferries", {"ferry"})
    (('The ', False), ('Ferry', True), (', and ferries', False))
    """
    parts = []
    for is_word, run in groupby(text, key=_in_word):
        part = "".join(run)
        mark = is_word and (part.lower() in terms if part.isascii() else tokenize(part)[0] in terms)
        parts.append((part, mark))
    pieces: list[tuple[str, bool]] = []
    for mark, some in groupby(parts, key=itemgetter(1)):
        if mark:
            pieces.extend(some)
        else:
            pieces.append(("".join(part for part, _ in some), False))
    return tuple(pieces)


def _places(low: str, term: str, pattern: re.Pattern[str]) -> Iterator[Place]:
    """Yield where a term or phrase stands in words of its own."""
    for found in islice(pattern.finditer(low), MOST_PLACES):
        start, end = found.span()
        if not (start and _in_word(low[start - 1])) and not (end < len(low) and _in_word(low[end])):
            yield start, end, term


def _window(places: Sequence[Place], width: int) -> tuple[int, int]:
    """Return the first stretch of at most ``width`` with the most different phrases, of equal ones terms.

    places  by their ends

    It is as short as it can be.
    """
    best, most = places[0][:2], (0, 0)
    inside = Counter[str]()
    first = 0
    for i, (_, end, term) in enumerate(places):
        inside[term] += 1
        while inside[places[first][2]] > 1 or end - places[first][0] > width:
            inside[places[first][2]] -= 1
            first += 1
            if places[first][1] == end:
                break
        here = [term for term, count in inside.items() if count]
        different = sum(" " in term for term in here), len(here)
        if different > most:
            best, most = (min(place[0] for place in places[first : i + 1]), end), different
    return best


def _widened(text: str, first: int, last: int, width: int) -> tuple[int, int]:
    """Return the stretch made about ``width`` long, ending between words where these are not too long."""
    start = max(0, first - max(0, width - (last - first)) // 2)
    end = min(len(text), max(last, start + width))
    if start and not text[start - 1].isspace():
        gap = next((i for i in range(start, min(start + EDGE, first)) if text[i].isspace()), start - 1)
        start = gap + 1
    if end < len(text) and not text[end].isspace():
        end = next((i for i in range(end, max(end - EDGE, last), -1) if text[i - 1].isspace()), end)
    return start, end


def _lower(text: str) -> tuple[str, Sequence[int]]:
    """Return the text as terms are written, and where in the text each character of that stands, and its end.

    >>> low, at = _lower("by İzmir")
    >>> len(low), at
    (9, [0, 1, 2, 3, 4, 5, 6, 7, 8, 8])
    """
    low = text.lower()
    if len(low) == len(text) and unicodedata.is_normalized("NFC", low):
        return low, range(len(text) + 1)
    pieces, at = [], list[int]()
    for run in _RUN.finditer(text):  # within a word that is longer or shorter in lower case, places are near
        pieces.append(unicodedata.normalize("NFC", run[0].lower()))
        at += [min(run.start() + i, run.end()) for i in range(len(pieces[-1]))]
    return "".join(pieces), [*at, len(text)]


@lru_cache(maxsize=4096)
def _in_word(character: str) -> bool:
    """Whether `tokenize` takes a character for part of a term."""
    return character == "_" or unicodedata.category(character)[0] in "LMN"
