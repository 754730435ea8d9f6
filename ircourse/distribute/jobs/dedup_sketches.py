"""What workers do to sketch texts and to find exact copies: stages 1 and 2 of ``dedup.py``.

rows     sketches of a part's texts, exact copies within the part left out, uint64 (rows, places)
docs     their numbers among all texts, rising, int64 (rows,)
bucket   the share of a worker in what is exchanged: all equal digests meet in the same one
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup.clusters import batches
from ircourse.dedup.minhash import MinHasher
from ircourse.distribute.jobs.parts import TextPart
from ircourse.distribute.jobs.sizes import Sized

__all__ = ["Sketched", "copies_in", "digests_by_bucket", "sketch_all", "sketch_part", "without"]

Longs: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.uint64]
BATCH = 1 << 20  # characters of text that are held at once


@dataclass(frozen=True)
class Sketched(Sized):
    """A part of which the texts have gone by: its rows and docs, numbered from ``first``.

    digests       of the rows' texts, 128 bits, uint64 (rows, 2)
    copies, like  texts of the part that are exact copies, and the first text of the part like each
    n             how many texts the part has
    """

    rows: Rows
    docs: Longs
    digests: Rows
    copies: Longs
    like: Longs
    n: int


def sketch_all(part: TextPart, hasher: tuple[int, int], options: dict[str, Any]) -> Rows:
    """Return the sketches of all texts of a part, copies too."""
    make: Any = partial(MinHasher(*hasher).sketch_texts, **options)
    found = [make(batch) for batch in batches(part.texts(), BATCH)]
    return np.concatenate(found) if found else np.empty((0, hasher[0]), np.uint64)


def sketch_part(part: TextPart, hasher: tuple[int, int], options: dict[str, Any]) -> Sketched:
    """Return the sketches of the texts of a part that are no copies in it; numbers are the part's own."""
    seen: dict[bytes, int] = {}
    copies: list[tuple[int, int]] = []

    def originals() -> Iterator[str]:
        for number, text in enumerate(part.texts()):
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            first = seen.setdefault(digest, number)
            if first == number:
                yield text
            else:
                copies.append((number, first))

    make: Any = partial(MinHasher(*hasher).sketch_texts, **options)
    rows = [make(batch) for batch in batches(originals(), BATCH)]
    pairs = np.array(copies, np.int64).reshape(-1, 2)
    return Sketched(
        np.concatenate(rows) if rows else np.empty((0, hasher[0]), np.uint64),
        np.fromiter(seen.values(), np.int64, len(seen)),
        np.frombuffer(b"".join(seen), np.uint64).reshape(-1, 2),
        pairs[:, 0],
        pairs[:, 1],
        len(seen) + len(copies),
    )


def digests_by_bucket(part: Sketched, first: int, buckets: int) -> list[Any]:
    """Return for each bucket the digests of a part, and their texts numbered from ``first`` on."""
    to = (part.digests[:, 0] % np.uint64(buckets)).astype(np.int64)
    return [(part.digests[to == b], part.docs[to == b] + first) for b in range(buckets)]


def copies_in(*pieces: Any) -> tuple[Longs, Longs]:
    """Return of a bucket the texts whose digest an earlier text has, rising, and the first such of each."""
    digests, docs = (np.concatenate([piece[x] for piece in pieces]) for x in (0, 1))
    order = np.lexsort((docs, digests[:, 1], digests[:, 0]))
    digests, docs = digests[order], docs[order]
    new = np.ones(len(docs), np.bool_)
    new[1:] = (digests[1:] != digests[:-1]).any(axis=1)
    first = docs[new][np.cumsum(new) - 1] if len(docs) else docs
    back = np.argsort(docs[~new])
    return docs[~new][back], first[~new][back]


def without(part: Sketched, first: int, copies: Longs) -> Sketched:
    """Return a part with its texts numbered from ``first`` on and without rows of copies of other parts."""
    docs = part.docs + first
    keep = ~np.isin(docs, copies)
    none = np.empty(0, np.int64)
    rows = part.rows if keep.all() else part.rows[keep]  # not twice in memory where none goes
    return replace(part, rows=rows, docs=docs[keep], digests=part.digests[:0], copies=none, like=none)
