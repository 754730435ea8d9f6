"""Concepts: what pages are about, by latent semantic indexing (book, section 18.4).

terms, weights  of the term–document matrix: log-entropy, unit length, words of at least two pages
P               terms × concepts, float32 (m, k), since it is the largest part of an engine
units           each page in the space of concepts at length 1, float64 (n, k); zeros for one without words

There are 1.5 √n concepts, from 2 to 100. A page or query at right angles to all of them is like nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.latent import TermDocument, lsi
from ircourse.text import tokenize

__all__ = ["Meaning"]

Floats: TypeAlias = NDArray[np.float64]

WEIGHTING = "logentropy"
MOST_CONCEPTS = 100
SHORT = 1e-6  # of the query: a shorter projection is rounding, and points nowhere


class Meaning:
    """The concepts of a collection; see the module.

    >>> texts = ["ship harbour", "boat harbour", "ship boat harbour", "rose garden", "rose garden"]
    >>> Meaning.of(texts).like(1).round(2).tolist()
    [0.23, 1.0, 0.78, 0.0, 0.0]
    """

    def __init__(self, terms: Iterable[str], weights: Floats, P: NDArray[np.float32], units: Floats) -> None:
        self.rows = {term: row for row, term in enumerate(terms)}
        self.weights, self.P, self.units = weights, P, units

    @classmethod
    def of(cls, texts: Iterable[str]) -> Meaning:
        """Return the concepts of texts; of fewer than two, or without common words, there are none."""
        texts = iter(texts)  # never all in memory
        first = next(texts, None)
        if first is None:
            return cls._none(0)
        td = TermDocument.from_texts(chain([first], texts), WEIGHTING, min_df=2, unit_length=True)
        n = td.matrix.shape[1]
        if td.matrix.nnz == 0:
            return cls._none(n)
        model = lsi(td.matrix, max(2, min(MOST_CONCEPTS, int(1.5 * sqrt(n)))))
        units = np.ascontiguousarray(_unit(model.documents.T))
        return cls(td.terms, td.weights, model.P.astype(np.float32), units)

    @classmethod
    def _none(cls, n: int) -> Meaning:
        return cls((), np.empty(0), np.empty((0, 0), np.float32), np.empty((n, 0)))

    def cosines(self, query: str) -> Floats:
        """Return the cosine of each page with a text, float64 (n,); 0 where no word is known."""
        counts = Counter(term for term in tokenize(query) if term in self.rows)
        rows = [self.rows[term] for term in counts]
        entries = np.log1p(np.array(list(counts.values()), np.float64)) * self.weights[rows]
        reduced = (entries[:, np.newaxis] * self.P[rows]).sum(axis=0)  # P_kᵗ q: `LSI.fold_in`, of few terms
        if np.linalg.norm(reduced) <= SHORT * np.linalg.norm(entries):
            return np.zeros(len(self.units))
        cosines: Floats = _products(self.units, _unit(reduced.reshape(1, -1))[0])
        return cosines

    def like(self, row: int) -> Floats:
        """Return the cosine of each page with one of them, float64 (n,)."""
        cosines: Floats = _products(self.units, self.units[row])
        return cosines


def _products(rows: Floats, vector: Floats) -> Floats:
    """Return the product of each row with a vector, without threads: so small a task only waits for them."""
    products: Floats = np.einsum("ij,j->i", rows, vector)
    return products


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    unit: Floats = rows / np.where(lengths > 0, lengths, 1.0)
    return unit
