"""The term–document matrix (book, sections 6.2 to 6.4 and 18.1).

tf    how often term t stands in document d
df    in how many of the N documents term t stands
cf    how often it stands in all of them

An entry of the matrix is local(tf) · global(t), 0 where the term does not occur:

weighting     local       global
"counts"      tf          1
"logtf"       1 + ln tf   1
"tfidf"       1 + ln tf   ln(N / df)
"logentropy"  ln(1 + tf)  1 + Σ_d p ln p / ln N,  p = tf / cf

A term in every document weighs 0 under "tfidf", one spread evenly over all of them under "logentropy". So do
all terms of a single document under "tfidf"; under "logentropy" they weigh 1 there, as N = 1 has no spread.

Source: book, sections 6.2 to 6.4; Dumais (1991) for log-entropy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ircourse.latent.arrays import Floats, Matrix, counted
from ircourse.text import term_ids

__all__ = ["TermDocument"]

LOCAL: dict[str, Callable[[Floats], Floats]] = {
    "counts": lambda tf: tf,
    "logtf": lambda tf: 1 + np.log(tf),
    "tfidf": lambda tf: 1 + np.log(tf),
    "logentropy": np.log1p,
}


@dataclass(frozen=True, eq=False, repr=False)
class TermDocument:
    """A term–document matrix and what it takes to weigh a query as its documents are weighed.

    matrix       terms × documents, float64 ``csc_array`` (m, n)
    terms        the terms in the order in which the texts first use them
    weights      the global weight of each term, float64 (m,)
    weighting    the name of the weighting
    unit_length  whether each column is divided by its length
    """

    matrix: sparse.csc_array
    terms: tuple[str, ...]
    weights: Floats
    weighting: str
    unit_length: bool = False

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        weighting: str = "tfidf",
        *,
        min_df: int = 1,
        max_df: float = 1.0,
        stop_words: Iterable[str] = (),
        unit_length: bool = False,
    ) -> TermDocument:
        """Return the matrix of ``texts``, documents in their order.

        weighting    "counts", "logtf", "tfidf" or "logentropy"; see the module
        min_df       terms in fewer documents than this are left out
        max_df       terms in more than this part of the documents are left out, above 0 to 1
        stop_words   terms to leave out, as ``tokenize`` writes them
        unit_length  divide each column by its length, so that no document counts more for being long

        An empty text is a column of zeros. Raises ValueError for no texts at all or an option out of its
        range, TypeError for a text that is not a ``str``.

        >>> td = TermDocument.from_texts(["a ship", "a boat, a ship", ""], "counts")
        >>> td.terms, td.matrix.toarray().tolist()
        (('a', 'ship', 'boat'), [[1.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
        """
        check_options(weighting, min_df, max_df)
        if isinstance(stop_words, str):
            raise TypeError(f"stop_words are several words, not one str: write [{stop_words!r}]")
        ids, offsets, names = term_ids(texts)
        n = len(offsets) - 1
        if n == 0:
            raise ValueError("there are no texts: give at least one")
        counts = _counts(ids, offsets, len(names))
        df = np.bincount(counts.indices, minlength=len(names))
        keep = (df >= min_df) & (df <= max_df * n) & ~np.isin(names, list(stop_words))
        counts = sparse.csr_array(counts)[np.flatnonzero(keep)].tocsc()
        weights = _global(weighting, counts)
        terms = tuple(name for name, kept in zip(names, keep.tolist(), strict=True) if kept)
        return cls(weighed(counts, weights, weighting, unit_length), terms, weights, weighting, unit_length)

    def __repr__(self) -> str:
        m, n = self.matrix.shape
        return f"<TermDocument: {m} terms, {n} documents, {self.matrix.nnz} entries, {self.weighting}>"

    @cached_property
    def rows(self) -> dict[str, int]:
        """Return the row of each term."""
        return {term: row for row, term in enumerate(self.terms)}

    def vector(self, query: str) -> Floats:
        """Return a query weighed as the documents are, float64 (m,); terms not in ``terms`` are left out.

        >>> TermDocument.from_texts(["a ship", "a boat"], "counts").vector("ship to ship").tolist()
        [0.0, 2.0, 0.0]
        """
        if not isinstance(query, str):
            raise TypeError(f"a query is a str, not {type(query).__name__}: {query!r:.60}")
        column: Floats = self.vectors([query]).toarray()[:, 0]
        return column

    def vectors(self, texts: Iterable[str]) -> sparse.csc_array:
        """Return several queries or new documents as columns, float64 ``csc_array`` (m, q)."""
        ids, offsets, names = term_ids(texts)
        known = np.array([self.rows.get(name, -1) for name in names], np.int64)
        counts = sparse.csr_array(_counts(ids, offsets, len(names)))
        place = sparse.csr_array(
            (np.ones(int((known >= 0).sum())), (known[known >= 0], np.flatnonzero(known >= 0))),
            shape=(len(self.terms), len(names)),
        )
        return weighed(sparse.csc_array(place @ counts), self.weights, self.weighting, self.unit_length)


def check_options(weighting: str, min_df: int, max_df: float) -> None:
    """Raise ValueError for options of ``from_texts`` that are out of their range, TypeError for min_df."""
    if weighting not in LOCAL:
        raise ValueError(f"no weighting {weighting!r}: choose from {', '.join(LOCAL)}")
    counted(min_df, "min_df")
    if not 0 < max_df <= 1:
        raise ValueError(f"max_df is {max_df!r}: give a part of the documents, above 0 to 1")


def _counts(ids: NDArray[np.int32], offsets: NDArray[np.int64], m: int) -> sparse.csc_array:
    """Return how often each term stands in each text, rows in ascending order in each column."""
    counts = sparse.csc_array((np.ones(len(ids)), ids, offsets), shape=(m, len(offsets) - 1))
    counts.sum_duplicates()
    return counts


def _global(weighting: str, counts: sparse.csc_array) -> Floats:
    """Return the global weight of each term, float64 (m,)."""
    m, n = counts.shape
    if weighting == "tfidf":
        # a term of no document is not there, so df is at least 1
        idf: Floats = np.log(n / np.bincount(counts.indices, minlength=m))
        return idf
    if weighting == "logentropy" and n > 1:
        p = counts.data / np.bincount(counts.indices, counts.data, minlength=m)[counts.indices]
        spread = np.bincount(counts.indices, p * np.log(p), minlength=m)
        entropy: Floats = np.maximum(1 + spread / np.log(n), 0.0)
        return entropy
    return np.ones(m)


def weighed(counts: Matrix, weights: Floats, weighting: str, unit_length: bool) -> sparse.csc_array:
    """Return the matrix of these counts, local(tf) · global(t), columns of length 1 where asked."""
    data = LOCAL[weighting](counts.data) * weights[counts.indices]
    if unit_length:
        column = np.repeat(np.arange(counts.shape[1]), np.diff(counts.indptr))
        lengths = np.sqrt(np.bincount(column, data**2, minlength=counts.shape[1]))
        data /= np.where(lengths > 0, lengths, 1.0)[column]
    narrow = np.int32 if counts.nnz < 2**31 else np.int64  # products are faster by 32-bit numbers
    indices, indptr = counts.indices.astype(narrow), counts.indptr.astype(narrow)
    matrix = sparse.csc_array((data, indices, indptr), shape=counts.shape)
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return matrix
