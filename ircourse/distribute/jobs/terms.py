"""A term–document matrix in blocks of documents, made by the workers from texts in parts.

counts  of a part: its own terms in the order in which its texts use them, and how often each stands in each
df, cf  as of ``ircourse.latent.terms``; entropy is Σ tf ln tf, from which Σ p ln p = entropy / cf − ln cf

A worker counts its parts. Terms and sums come to the client, which numbers and weighs the terms, and goes
back: one exchange. The client holds the terms and some 40 bytes for each; the matrix stays with the workers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.distribute.jobs.held import Texts, text_parts
from ircourse.distribute.jobs.parts import TextPart
from ircourse.distribute.jobs.sizes import Block, Sized
from ircourse.distribute.jobs.stages import Future, Progress, Stages
from ircourse.latent import TermDocument
from ircourse.latent.terms import check_options, weighed

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["TermBlocks", "term_documents"]

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class TermBlocks:
    """The matrix of ``term_documents``, terms × documents, on the workers of one client.

    blocks   futures of ``Block``, each a ``csc_array`` (m, documents of the part)
    cuts     where their documents begin, and n, int64 (blocks + 1,)
    queries  a ``TermDocument`` without documents: its ``vector`` weighs a query as they are weighed
    source   what it was made from: the parts of packed files are there as long as they are held
    """

    blocks: list[Future]
    cuts: NDArray[np.int64]
    queries: TermDocument
    source: Texts = ()

    def __repr__(self) -> str:
        return f"<TermBlocks: {len(self.queries.terms)} terms, {int(self.cuts[-1])} documents>"


class Counts(NamedTuple):
    """What the client is told of a part."""

    terms: tuple[str, ...]
    n: int
    df: Floats
    cf: Floats
    entropy: Floats


def term_documents(
    client: Client,
    texts: Texts,
    weighting: str = "tfidf",
    *,
    min_df: int = 1,
    max_df: float = 1.0,
    stop_words: Iterable[str] = (),
    unit_length: bool = False,
    parts: int | None = None,
    progress: Progress | None = None,
) -> TermBlocks:
    """Return the matrix of ``TermDocument.from_texts``, in blocks on the workers.

    ``texts``, ``parts`` and ``progress`` as of ``sketch_texts``, the others and errors as of ``from_texts``.
    """
    check_options(weighting, min_df, max_df)
    if isinstance(stop_words, str):
        raise TypeError(f"stop_words are several words, not one str: write [{stop_words!r}]")
    stages = Stages(client, progress)
    counted = stages.spread(_counted, text_parts(stages, texts, parts))
    told: list[Counts] = stages.results("terms counted", stages.spread(_told, counted))
    n = sum(one.n for one in told)
    if n == 0:
        raise ValueError("there are no texts: give at least one")
    names = list(dict.fromkeys(chain.from_iterable(one.terms for one in told)))
    row = {name: i for i, name in enumerate(names)}
    rows = [np.fromiter((row[name] for name in one.terms), np.int64, len(one.terms)) for one in told]
    df, cf, entropy = np.zeros((3, len(names)))
    for at, one in zip(rows, told, strict=True):
        df[at], cf[at], entropy[at] = df[at] + one.df, cf[at] + one.cf, entropy[at] + one.entropy
    stop = set(stop_words)
    keep = (df >= min_df) & (df <= max_df * n) & np.array([name not in stop for name in names], np.bool_)
    weights = _global(weighting, n, df[keep], cf[keep], entropy[keep])
    place = np.where(keep, np.cumsum(keep) - 1, -1)
    given = stages.hold([place[at] for at in rows])
    shared = [stages.share((weights, weighting, unit_length))] * len(given)
    terms = tuple(name for name, kept in zip(names, keep.tolist(), strict=True) if kept)
    blocks = stages.spread(_block, counted, given, shared)
    stages.wait("terms weighed", blocks)
    queries = TermDocument(_empty(len(terms)), terms, weights, weighting, unit_length)
    return TermBlocks(blocks, np.cumsum([0, *(one.n for one in told)]), queries, texts)


@dataclass(frozen=True)
class _Counted(Sized):
    """The counts of a part by its own terms; its matrix beside it, for its size."""

    document: TermDocument
    matrix: Any


def _counted(part: TextPart) -> _Counted | None:
    """Return the counts of a part, None where it has no texts."""
    texts = part.texts()
    first = next(texts, None)
    if first is None:
        return None
    document = TermDocument.from_texts(chain([first], texts), "counts")
    return _Counted(document, document.matrix)


def _told(counted: _Counted | None) -> Counts:
    if counted is None:
        return Counts((), 0, np.empty(0), np.empty(0), np.empty(0))
    matrix, terms = counted.matrix, counted.document.terms
    sums = [
        np.bincount(matrix.indices, data, len(terms)) for data in (None, matrix.data, _entropy(matrix.data))
    ]
    df, cf, entropy = (np.asarray(one, np.float64) for one in sums)
    return Counts(terms, matrix.shape[1], df, cf, entropy)


def _entropy(tf: Floats) -> Floats:
    return tf * np.log(tf)


def _global(weighting: str, n: int, df: Floats, cf: Floats, entropy: Floats) -> Floats:
    """Return the global weight of each term: see ``ircourse.latent.terms``."""
    if weighting == "tfidf":
        idf: Floats = np.log(n / df)
        return idf
    if weighting == "logentropy" and n > 1:
        spread: Floats = np.maximum(1 + (entropy / cf - np.log(cf)) / np.log(n), 0.0)
        return spread
    return np.ones(len(df))


def _block(counted: _Counted | None, place: NDArray[np.int64], how: tuple[Floats, str, bool]) -> Block:
    """Return a part's columns of the matrix; ``place`` has the row of each of its terms, −1 for none."""
    from scipy.sparse import coo_array, csc_array

    weights, weighting, unit_length = how
    if counted is None:
        return Block(_empty(len(weights)))
    entries = counted.matrix.tocoo()
    rows = place[entries.row]
    kept = rows >= 0
    at = (rows[kept], entries.col[kept])
    counts = csc_array(coo_array((entries.data[kept], at), shape=(len(weights), entries.shape[1])))
    return Block(weighed(counts, weights, weighting, unit_length))


def _empty(m: int) -> Any:
    from scipy.sparse import csc_array

    return csc_array((m, 0), dtype=np.float64)
