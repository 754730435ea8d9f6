"""Edge lists of names: a line for each link, two names and, where links have one, a weight.

Columns stand apart by a tab, a comma (as in CSV, quoted or not) or blanks, the first of them that fits every
line. A line that begins with # or % and what follows a # after a blank are comments. A first line such as
"source,target" is a head. Lists of two numbers are `read_edges`'s, which is faster.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from math import isfinite

from ircourse.graphs import Graph

__all__ = ["is_numbered", "read_names"]

HEADS = {"from to", "fromnodeid tonodeid", "source target", "source destination", "src dst", "src dest"}
_TWO_NUMBERS = re.compile(rb"\s*-?\d+[ \t,]+-?\d+[ \t,]*\r?(?:[#%].*)?")
_NUMBERED_URLS = re.compile(rb"\s*(\d+[ \t]+){2}\d+[ \t]*\r?\n[ \t]*\d+[ \t]+[^\s\d#%,-]\S*[ \t]*\r?(\n|$)")
_COMMENT = re.compile(r"^\s*[#%].*|\s#.*")
_LINE_END = re.compile(r"\r\n?|\n")


class _WrongLine(ValueError):
    """A line that has not the columns of an edge list; ``line`` is its number."""

    def __init__(self, line: int, text: str, wanted: str) -> None:
        super().__init__(f"line {line}: {text!r:.80}; {wanted}")
        self.line = line


def is_numbered(head: bytes) -> bool:
    """Return whether a file that begins so is for `read_edges`: two numbers in the first line, or none yet.

    >>> is_numbered(b"# links\\n4 7\\n"), is_numbered(b"harbour ferries\\n"), is_numbered(b"4 7 0.5\\n")
    (True, False, False)
    """
    head = head.removeprefix(b"\xef\xbb\xbf")
    if _NUMBERED_URLS.match(head):
        return True
    for line in head.split(b"\n"):
        if line.strip() and not line.lstrip().startswith((b"#", b"%")):
            return _TWO_NUMBERS.fullmatch(line) is not None
    return True


def read_names(data: bytes) -> Graph:
    """Return the graph of an edge list; nodes in the order in which they appear.

    Parallel links become one, their weights added. Where all names are numbers the labels are, too. Raises
    ValueError, with the number of the line, for what has other columns.

    >>> list(read_names(b"source,target\\nharbour,ferries\\n").edges())
    [('harbour', 'ferries')]
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("neither numbers nor names in UTF-8: save it as UTF-8") from None
    numbered = enumerate(_LINE_END.split(text), 1)
    lines = [(number, bare) for number, line in numbered if (bare := _COMMENT.sub("", line).strip())]
    wrong: list[_WrongLine] = []
    for separator in ("\t", ",", None):
        try:
            return _graph(lines, separator)
        except _WrongLine as error:
            wrong.append(error)
    raise max(reversed(wrong), key=lambda error: error.line)  # of the columns that fit furthest


def _graph(lines: Sequence[tuple[int, str]], separator: str | None) -> Graph:
    """Return the graph of lines whose columns stand apart by ``separator``, None: by blanks."""
    pairs: list[tuple[str, str]] = []
    weights: list[float] = []
    columns = 0
    for number, line in lines:
        row = _row(line, separator)
        columns = columns or (len(row) if len(row) in (2, 3) else 2)
        if len(row) != columns or not all(row):
            wanted = "two names, from and to" if columns == 2 else "two names and a weight"
            raise _WrongLine(number, line, f"give {wanted}, with a tab, a comma or blanks between them")
        if number == lines[0][0] and " ".join(row[:2]).lower() in HEADS:
            continue
        pairs.append((row[0], row[1]))
        if columns == 3:
            weights.append(_weight(number, line, row[2]))
    if all(name.isascii() and name.isdigit() and str(int(name)) == name for name in set().union(*pairs)):
        return Graph.from_edges([(int(u), int(v)) for u, v in pairs], None, weights or None)
    return Graph.from_edges(pairs, None, weights or None)


def _row(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator))]
    except csv.Error:  # a field of more than 131,072 characters
        return []


def _weight(number: int, line: str, text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not (isfinite(weight) and weight >= 0):
        raise _WrongLine(number, line, f"the weight {text!r:.20} is no number of at least 0")
    return weight
