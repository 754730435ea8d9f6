"""Test collections in the form of the SMART system: MED, CRAN, CISI, CACM and others.

Documents and queries are records of a text file. ``.I 7`` opens record 7, a line of a dot and a capital
opens a field (``.T`` title, ``.W`` words, ``.A`` authors, ``.B`` source, …), and its lines follow.

Relevance is a table of numbers, one judgement a line, in one of two forms:

query 0 document grade      where the second column is 0 throughout (MED); relevant if the grade is above 0
query document …            otherwise; relevant unless a single third number is below 0, as it may be in CRAN

Queries are judged by their record's number or, where some judged number is no record's (CRAN), by their
place in the file, from 1.

``five_topics`` is a small collection in this form that comes with the course.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ircourse.shipped import shipped

__all__ = ["Collection", "five_topics", "read_smart"]

PathLike: TypeAlias = str | os.PathLike[str]

LARGEST = 1 << 28  # bytes of one file
_MARK = re.compile(r"\.I\s+(\d{1,9})\s*|\.([A-Z])\s*")
_ROW = re.compile(r"\s*\d{1,9}\s+\d{1,9}(\s+-?\d{1,9}(\.\d+)?){0,3}\s*")


@dataclass(frozen=True)
class Collection:
    """A test collection: texts, queries, and what is relevant to each query.

    documents  the texts, in the order of the file
    numbers    their numbers in the file
    queries    the queries' texts, in the order of the file
    relevant   for each query the relevant documents by their place in ``documents``, from 0
    """

    documents: tuple[str, ...]
    numbers: tuple[int, ...]
    queries: tuple[str, ...]
    relevant: tuple[frozenset[int], ...]


def read_smart(documents: PathLike, queries: PathLike, relevance: PathLike, fields: str = "TW") -> Collection:
    """Return the collection of three files, as ``MED.ALL``, ``MED.QRY`` and ``MED.REL``.

    fields  the fields of documents and queries to read, in the order of the file

    A record without them is an empty text. Bytes that are not UTF-8 become replacement characters. Raises
    ValueError that names the file, and the line where one is at fault; FileNotFoundError.
    """
    texts = _records(Path(documents), fields)
    asked = _records(Path(queries), fields)
    place = {number: i for i, (number, _) in enumerate(texts)}
    relevant: list[set[int]] = [set() for _ in asked]
    judged = list(_judgements(Path(relevance)))
    numbers = [number for number, _ in asked]
    by_number = {query for query, _, _ in judged} <= set(numbers)
    row = {number: i for i, number in enumerate(numbers if by_number else range(1, len(numbers) + 1))}
    for query, document, line in judged:
        if query not in row or document not in place:
            raise ValueError(f"{relevance}, line {line}: no query {query} or no document {document}")
        relevant[row[query]].add(place[document])
    return Collection(
        tuple(text for _, text in texts),
        tuple(number for number, _ in texts),
        tuple(text for _, text in asked),
        tuple(frozenset(docs) for docs in relevant),
    )


def five_topics(fields: str = "TW") -> Collection:
    """Return the 120 short texts on five topics that come with the course, with 20 queries.

    fields  as in ``read_smart``; "K" reads the topic of each text in place of its words

    Synonyms, words with two senses and relevance are described in ``data/five_topics/README.md``.

    >>> found = five_topics()
    >>> len(found.documents), found.queries[14], sorted(found.relevant[14])
    (120, 'life of a mariner at sea', [13, 33, 53, 73, 93, 113])
    """
    with shipped("five_topics") as folder:
        return read_smart(folder / "FIVE.ALL", folder / "FIVE.QRY", folder / "FIVE.REL", fields)


def _lines(path: Path) -> list[str]:
    size = path.stat().st_size
    if size > LARGEST:
        raise ValueError(f"{path} has {size} bytes: a collection's file has at most {LARGEST}")
    return re.split(r"\r\n|\n|\r", path.read_bytes().decode("utf-8", "replace"))


def _records(path: Path, fields: str) -> list[tuple[int, str]]:
    """Return number and text of each record."""
    records: list[tuple[int, list[str]]] = []
    reading = False
    for line in _lines(path):
        mark = _MARK.fullmatch(line)
        if mark and mark[1]:
            records.append((int(mark[1]), []))
            reading = False
        elif mark:
            reading = mark[2] in fields
        elif reading and records:
            records[-1][1].append(line.strip())
    if not records:
        raise ValueError(f"{path} has no record: each begins with a line like .I 1")
    if len({number for number, _ in records}) < len(records):
        raise ValueError(f"{path} has two records of one number")
    return [(number, " ".join(lines).strip()) for number, lines in records]


def _judgements(path: Path) -> Iterator[tuple[int, int, int]]:
    """Yield query, document and line of each judgement that says relevant."""
    rows: list[tuple[int, list[float]]] = []
    for line, text in enumerate(_lines(path), 1):
        if text.strip():
            if not _ROW.fullmatch(text):
                raise ValueError(f"{path}, line {line}: {text!r:.60} is no judgement, as 1 0 13 1 or 1 184 2")
            rows.append((line, [float(number) for number in text.split()]))
    trec = all(len(row) >= 4 and row[1] == 0 for _, row in rows)
    for line, row in rows:
        if trec and row[3] > 0:
            yield int(row[0]), int(row[2]), line
        elif not trec and not (len(row) == 3 and row[2] < 0):
            yield int(row[0]), int(row[1]), line
