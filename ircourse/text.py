"""Tokenising: from a text to its terms, as strings or as numbers.

A text is put into its normal form: Unicode's composed form (NFC), then lower case, then NFC again, because
lower case can leave pairs that compose (H with a line below has no capital of its own, h has). A term is a
maximal run of letters, marks, digits of every kind (Unicode's L, M and N) and ``_``. Texts in scripts
without spaces are cut into characters where asked: each character but white space is a term.
Python takes quadratic time over a run of combining marks, and a page may hold a million in a row: runs of
more than 30, the bound of Unicode's stream-safe format, are sorted beforehand, which changes no term.

data     the normal forms of all texts in UTF-8, end to end, uint8 (bytes,)
bounds   where each text begins in data, and the end, int64 (texts + 1,)
kinds    by code point: 0 stands outside terms, 1 joins a run, 2 is a term alone, uint8
offsets  terms of text i are offsets[i] to offsets[i + 1], int64 (texts + 1,)

A term's hash is FNV-1a over its UTF-8 bytes and then the finaliser of splitmix64, whose bits all depend on
all bits. It is the same in every process and on every platform; which characters are letters follows the
Unicode tables of the Python that runs.

Differs from the book: tokens and terms are one thing here; there is no stemming and no stop list.
Source: book, section 2.2; Unicode Standard Annexes 15 and 44; Fowler, Noll and Vo; Steele and others (2014).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel

__all__ = ["term_hash", "term_hashes", "term_ids", "tokenize"]

Bytes: TypeAlias = NDArray[np.uint8]
Longs: TypeAlias = NDArray[np.int64]
Hashes: TypeAlias = NDArray[np.uint64]

OUTSIDE, JOINS, ALONE = 0, 1, 2
BASIS, PRIME = 0xCBF29CE484222325, 0x100000001B3  # of FNV-1a, 64 bits
MIX_1, MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of splitmix64
BASIS_, PRIME_, MIX_1_, MIX_2_ = np.uint64(BASIS), np.uint64(PRIME), np.uint64(MIX_1), np.uint64(MIX_2)
S27, S30, S31 = np.uint64(27), np.uint64(30), np.uint64(31)


def tokenize(text: str, characters: bool = False) -> list[str]:
    """Return the terms of ``text`` in their order, repeats included; an empty text has none.

    characters  each character but white space is a term: for Chinese, Japanese, Thai, …

    Case is lowered as Python does: a capital sigma that ends a word becomes ς. Raises TypeError for what is
    not a ``str``.

    >>> tokenize("The café's menu_2: CAFE\\u0301, हिन्दी")
    ['the', 'café', 's', 'menu_2', 'café', 'हिन्दी']
    >>> tokenize("東京 2", characters=True)
    ['東', '京', '2']
    """
    normal = _normal(text)
    return [c for c in normal if not c.isspace()] if characters else _words().findall(normal)


def term_hash(term: str) -> int:
    """Return the 64-bit hash of a term: FNV-1a over its UTF-8 bytes, then the finaliser of splitmix64.

    >>> hex(term_hash("rose"))
    '0x54b10c8bcb6f2be8'
    """
    h = BASIS
    for byte in term.encode("utf-8", "surrogatepass"):
        h = (h ^ byte) * PRIME % 2**64
    h = (h ^ h >> 30) * MIX_1 % 2**64
    h = (h ^ h >> 27) * MIX_2 % 2**64
    return h ^ h >> 31


def term_hashes(texts: Iterable[str], characters: bool = False) -> tuple[Hashes, Longs]:
    """Return ``(hashes, offsets)``: the hash of each term of each text, uint64, and where each text's begin.

    ``hashes[offsets[i]:offsets[i + 1]]`` equals ``[term_hash(t) for t in tokenize(texts[i])]``, without a
    Python string a term. Raises TypeError that names the first text that is not a ``str``.

    >>> hashes, offsets = term_hashes(["a rose is", "", "a rose"])
    >>> offsets.tolist(), [hex(h) for h in hashes[[1, 4]]]
    ([0, 3, 3, 5], ['0x54b10c8bcb6f2be8', '0x54b10c8bcb6f2be8'])
    """
    _, hashes, offsets, _, _ = _scanned(texts, characters)
    return hashes.copy(), offsets


def term_ids(texts: Iterable[str], characters: bool = False) -> tuple[NDArray[np.int32], Longs, list[str]]:
    """Return ``(ids, offsets, terms)``: each term's number, int32, where each text's begin, and the terms.

    Terms are numbered as they first occur: ``[terms[i] for i in ids[offsets[j]:offsets[j + 1]]]`` equals
    ``tokenize(texts[j])``. Terms are compared byte for byte, so equal hashes do no harm. Raises as
    ``term_hashes`` does.

    >>> ids, offsets, terms = term_ids(["a rose is a rose", "is it"])
    >>> ids.tolist(), offsets.tolist(), terms
    ([0, 1, 2, 0, 1, 2, 3], [0, 5, 7], ['a', 'rose', 'is', 'it'])
    """
    data, hashes, offsets, starts, ends = _scanned(texts, characters)
    ids = np.empty(len(hashes), np.int32)
    first = np.empty((len(hashes), 2), np.int64)
    table = np.zeros(2 << len(hashes).bit_length(), np.int32)
    n = _number(np.frombuffer(data, np.uint8), hashes, starts, ends, table, ids, first)
    return ids, offsets, [data[i:j].decode("utf-8", "surrogatepass") for i, j in first[:n].tolist()]


def _normal(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"a text is a str, not {type(text).__name__}: {text!r:.60}")
    if not text.isascii() and _runs()[0].search(text[::10]):
        text = _runs()[1].sub(_in_order, text)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())


def _in_order(run: re.Match[str]) -> str:
    """Return the same run decomposed, its combining marks in canonical order."""
    marks = "".join([unicodedata.normalize("NFD", c) for c in run[0]])
    pieces = groupby(marks, key=lambda c: unicodedata.combining(c) == 0)  # no mark passes one of class 0
    return "".join(c for _, piece in pieces for c in sorted(piece, key=unicodedata.combining))


@cache
def _runs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a run of more than 30 combining marks: in every tenth character, and in the text."""
    marks = [c for c in _marks() if unicodedata.combining(unicodedata.normalize("NFD", c)[0])]
    far = [c for c in marks if c > "\uffff"]
    # One range for all from the first far one to the last keeps the look-up quick. So does the set in front.
    mark = f"[{''.join(marks[: -len(far)])}{far[0]}-{far[-1]}]"
    return re.compile(f"{mark}{mark}{{2}}"), re.compile(f"{mark}{mark}{{30,}}")


@cache
def _marks() -> str:
    return "".join(c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c)[0] == "M")


@cache
def _words() -> re.Pattern[str]:
    # \w is a letter, a digit or _; without the marks it would cut words of Indic scripts at their vowels.
    # Python's re looks up a set in one step only where all of it is below U+10000, so there are two sets.
    marks = _marks()
    near, far = "".join(c for c in marks if c <= "\uffff"), "".join(c for c in marks if c > "\uffff")
    return re.compile(rf"(?:[\w{near}]++|(?![\0-\uffff])[{far}])++")


@cache
def _kinds(n: int, characters: bool) -> Bytes:
    """Return the kinds of the first ``n`` code points."""
    every = map(chr, range(n))
    if characters:
        return np.array([OUTSIDE if c.isspace() else ALONE for c in every], np.uint8)
    return np.array(
        [JOINS if c == "_" or unicodedata.category(c)[0] in "LMN" else OUTSIDE for c in every], np.uint8
    )


def _scanned(texts: Iterable[str], characters: bool) -> tuple[bytes, Hashes, Longs, Longs, Longs]:
    """Return data, the hashes, offsets, and where in data each term starts and ends."""
    if isinstance(texts, str):
        raise TypeError(f"texts are several, not one str: write [{texts!r:.60}]")
    coded = []
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"text {i} is to be a str, not {type(text).__name__}: {text!r:.60}")
        coded.append(_normal(text).encode("utf-8", "surrogatepass"))
    data = b"".join(coded)
    bounds = np.zeros(len(coded) + 1, np.int64)
    np.cumsum([len(c) for c in coded], out=bounds[1:])
    kinds = _kinds(128 if data.isascii() else sys.maxunicode + 1, characters)
    most = len(data) if characters else (len(data) + len(coded)) // 2  # words have something between them
    hashes, offsets = np.empty(most, np.uint64), np.empty_like(bounds)
    starts, ends = np.empty(most, np.int64), np.empty(most, np.int64)
    n = _scan(np.frombuffer(data, np.uint8), bounds, kinds, hashes, offsets, starts, ends)
    return data, hashes[:n], offsets, starts[:n], ends[:n]


@kernel(
    "int64(const uint8[::1], const int64[::1], const uint8[::1], "
    "uint64[::1], int64[::1], int64[::1], int64[::1])"
)
def _scan(
    data: Bytes, bounds: Longs, kinds: Bytes, hashes: Hashes, offsets: Longs, starts: Longs, ends: Longs
) -> int:
    """Fill the arrays after ``kinds`` and return the number of terms."""
    n = 0
    for text in range(len(bounds) - 1):
        offsets[text] = n
        i, before, h = bounds[text], OUTSIDE, BASIS_
        while i < bounds[text + 1]:
            size, code = 1, int(data[i])
            if code >= 0x80:  # UTF-8: the first byte tells the size, each later one holds six bits
                size = 2 + int(code >= 0xE0) + int(code >= 0xF0)
                code &= 0x7F >> size
                for j in range(i + 1, i + size):
                    code = code << 6 | int(data[j]) & 0x3F
            kind = int(kinds[code])
            if kind != OUTSIDE:
                if kind == ALONE or before != JOINS:
                    starts[n], n, h = i, n + 1, BASIS_
                for j in range(i, i + size):
                    h = (h ^ np.uint64(data[j])) * PRIME_
                hashes[n - 1], ends[n - 1] = h, i + size
            i, before = i + size, kind
    offsets[-1] = n
    for t in range(n):
        h = hashes[t]
        h = (h ^ h >> S30) * MIX_1_
        h = (h ^ h >> S27) * MIX_2_
        hashes[t] = h ^ h >> S31
    return n


@kernel(
    "int64(const uint8[::1], const uint64[::1], const int64[::1], const int64[::1], "
    "int32[::1], int32[::1], int64[:, ::1])"
)
def _number(
    data: Bytes,
    hashes: Hashes,
    starts: Longs,
    ends: Longs,
    table: NDArray[np.int32],
    ids: NDArray[np.int32],
    first: Longs,
) -> int:
    """Fill ``ids``, and ``first`` with where each term first starts and ends; return the number of terms.

    table  a hash table of ids + 1, 0 where it is free
    """
    n = 0
    last = np.uint64(len(table) - 1)
    for t in range(len(hashes)):
        slot = hashes[t] & last
        while table[slot] != 0 and not _same(data, first[table[slot] - 1], starts[t], ends[t]):
            slot = (slot + np.uint64(1)) & last
        if table[slot] == 0:
            first[n, 0], first[n, 1] = starts[t], ends[t]
            n += 1
            table[slot] = n
        ids[t] = table[slot] - 1
    return n


@kernel("boolean(const uint8[::1], const int64[::1], int64, int64)")
def _same(data: Bytes, term: Longs, start: int, end: int) -> bool:
    """Whether a term, by where it starts and ends, has the bytes from start to end."""
    if term[1] - term[0] != end - start:
        return False
    i, j = term[0], start
    while j < end and data[i] == data[j]:
        i, j = i + 1, j + 1
    return bool(j == end)
