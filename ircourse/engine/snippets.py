"""Snippets: the stretch of a page that has the most of the query, with its words marked.

A snippet is data: pieces of text and whether each is a word of the query. What shows it escapes the text and
marks the pieces; nothing of a page is markup here.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from ircourse.text import tokenize

__all__ = ["Pieces", "marked", "snippet"]

Pieces: TypeAlias = tuple[tuple[str, bool], ...]
Place: TypeAlias = tuple[int, int, str]  # start, end, the term that stands there

WIDTH = 200  # characters
MOST_SEEN = 100_000  # characters of a page
MOST_PLACES = 200  # of one word
EDGE = 20  # characters within which a snippet's end is moved to the end of a word


def snippet(text: str, terms: Collection[str], width: int = WIDTH) -> Pieces:
    """Return the stretch of about ``width`` characters with the most of ``terms``, the first of equal ones.

    A text with none of them gives its beginning. White space is collapsed; "…" stands for what is left out.
    The words of a phrase count each for itself.

    >>> snippet("High water stands in the harbour at noon, and the ferry waits.", {"ferry", "noon"}, width=36)
    (('… at ', False), ('noon', True), (', and the ', False), ('ferry', True), (' waits.', False))
    """
    text = unicodedata.normalize("NFC", text[:MOST_SEEN])  # as terms are
    low = _lower(text)
    places = sorted(place for term in set(terms) for place in _places(low, term))
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


def _places(low: str, term: str) -> Iterator[Place]:
    """Yield where a term stands as a word of its own."""
    at = low.find(term)
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        end = at + len(term)
        if not (at and _in_word(low[at - 1])) and not (end < len(low) and _in_word(low[end])):
            yield at, end, term
        at = low.find(term, end)


def _window(places: Sequence[Place], width: int) -> tuple[int, int]:
    """Return the first stretch of at most ``width`` with the most different terms, as short as it can be."""
    best, most = places[0][:2], 1
    inside = Counter[str]()
    first = 0
    for _, end, term in places:
        inside[term] += 1
        while inside[places[first][2]] > 1 or end - places[first][0] > width:
            inside[places[first][2]] -= 1
            first += 1
            if places[first][1] == end:
                break
        different = sum(count > 0 for count in inside.values())
        if different > most:
            best, most = (places[first][0], end), different
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


def _lower(text: str) -> str:
    """Return the text in lower case, as many characters as before."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@lru_cache(maxsize=4096)
def _in_word(character: str) -> bool:
    """Whether `tokenize` takes a character for part of a term."""
    return character == "_" or unicodedata.category(character)[0] in "LMN"
