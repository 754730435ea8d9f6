"""The command ``search``: LSI and the plain cosine side by side over files."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from math import sqrt
from textwrap import wrap
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from ircourse.commands.documents import Document, Unread, read_documents
from ircourse.commands.output import fitted, plain, write_line
from ircourse.latent import TermDocument, cosines, lsi, ranked
from ircourse.text import tokenize
from ircourse.types import Hit

__all__ = ["search", "snippet"]

MOST_CONCEPTS = 100


def search(
    paths: Sequence[str],
    query: str,
    *,
    k: int | None = None,
    n: int = 10,
    width: int | None = None,
    out: TextIO | None = None,
    log: TextIO | None = None,
) -> int:
    """Write what LSI and the plain cosine find for ``query`` in the files at ``paths``; return the exit code.

    k      concepts; None: one and a half times the root of the number of documents, at most 100
    n      how many results of each
    width  columns of the terminal; None: as it says

    The exit code is 0, 1 where there is no text to search, 2 for a query without words. Documents are weighed
    by log-entropy at unit length; what scores 0 or less is no result. To ``log`` goes a line for each file
    that could not be read, and one for all that are no texts.
    """
    out, log = out or sys.stdout, log or sys.stderr
    if not tokenize(query):
        write_line(log, f"ircourse: the query {query!r:.200} has no words: give one or more after --query")
        return 2
    unread = Unread(log)
    documents = list(read_documents(paths, unread))
    unread.tell_rest()
    columns = width or shutil.get_terminal_size((100, 24)).columns
    lines = _results(documents, query, k, n, max(20, (columns - 3) // 2))
    if not lines:
        write_line(log, "ircourse: no words to search: give files of text, HTML or WARC, or folders")
    for line in lines:
        write_line(out, line.rstrip())
    return 0 if lines else 1


def _results(documents: Sequence[Document], query: str, k: int | None, n: int, width: int) -> list[str]:
    """Return the lines to write, each of two columns of ``width``; none where the documents have no words."""
    td = TermDocument.from_texts([d.text for d in documents] or [""], "logentropy", unit_length=True)
    if not td.terms:
        return []
    model = lsi(td.matrix, k or max(2, min(MOST_CONCEPTS, int(1.5 * sqrt(len(documents))))))
    vector, terms = td.vector(query), tokenize(query)
    unknown = [term for term in dict.fromkeys(terms) if term not in td.rows]
    sides = [_found(model.cosines(vector), n), _found(cosines(td.matrix, vector), n)]
    return [
        f"{len(documents)} documents, {len(td.terms)} terms, {model.k} concepts",
        *([f"In no document: {', '.join(unknown)}"] if unknown else []),
        *_table(sides, documents, set(terms), width),
    ]


def snippet(text: str, terms: set[str], words: int = 24) -> str:
    """Return the stretch of a text that holds the most of ``terms``, its beginning where it holds none.

    >>> snippet("High water stands in the harbour at noon, and the ferry waits.", {"ferry", "noon"}, words=6)
    '… harbour at noon, and the ferry …'
    """
    pieces = text.split()
    held = [terms.intersection(tokenize(piece)) for piece in pieces]
    starts = [max(0, i - words + 1) for i, found in enumerate(held) if found] or [0]  # each ends with a term
    start = max(starts, key=lambda i: (len(set().union(*held[i : i + words])), -i))
    before, after = ("… " if start else ""), (" …" if start + words < len(pieces) else "")
    return before + " ".join(pieces[start : start + words]) + after


def _found(scores: NDArray[np.float64], n: int) -> list[Hit]:
    return [hit for hit in ranked(scores, n) if hit.score > 0]


def _table(
    sides: Sequence[Sequence[Hit]], documents: Sequence[Document], terms: set[str], width: int
) -> Iterator[str]:
    """Yield the lines of two lists of results, each ``width`` columns wide."""
    yield f"{fitted('LSI', width)} | Plain cosine"
    if not any(sides):
        yield "Nothing found: no document shares a word with the query"
    for row in zip_longest(*sides):
        cells = [_cell(hit, documents, terms, width) for hit in row]
        yield f"{'-' * width}-+-{'-' * width}"
        for left, right in zip(*cells, strict=True):
            yield f"{left} | {right}"


def _cell(hit: Hit | None, documents: Sequence[Document], terms: set[str], width: int) -> list[str]:
    """Return four lines: score and name, and three of the snippet."""
    if hit is None:
        return [" " * width] * 4
    document = documents[hit.doc]
    room = max(1, width - 6)
    name = document.name if len(document.name) <= room else "…" + document.name[1 - room :]
    lines = wrap(plain(snippet(document.text, terms)), width, max_lines=3, placeholder=" …")
    return [fitted(line, width) for line in [f"{hit.score:.2f}  {name}", *lines, "", "", ""][:4]]
