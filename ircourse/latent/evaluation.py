"""How good a ranking is: precision, recall and their averages (book, sections 8.3 and 8.4).

Of the first i documents of a ranking, r are relevant, and the collection holds R relevant ones:

precision at i      r / i
recall at i         r / R
average precision   the mean over the R relevant documents of the precision at their places, 0 for one that
                    the ranking does not reach
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

import numpy as np

from ircourse.latent.arrays import Floats
from ircourse.latent.cosine import order

__all__ = [
    "PrecisionRecall",
    "average_precision",
    "interpolated_precision",
    "mean_average_precision",
    "precision_recall",
]


class PrecisionRecall(NamedTuple):
    """Precision and recall after each document of a ranking, float64 (n,)."""

    precision: Floats
    recall: Floats


def precision_recall(ranking: Iterable[int], relevant: Set[int]) -> PrecisionRecall:
    """Return precision and recall after each document of ``ranking``, best first.

    Raises ValueError where nothing is relevant, as recall is 0/0 then.

    >>> curve = precision_recall([3, 1, 2], {3, 2})
    >>> curve.precision.round(4).tolist(), curve.recall.tolist()
    ([1.0, 0.5, 0.6667], [0.5, 0.5, 1.0])
    """
    if not relevant:
        raise ValueError("no document is relevant, so recall is not defined: leave this query out")
    found = np.cumsum([doc in relevant for doc in ranking], dtype=np.float64)
    return PrecisionRecall(found / np.arange(1, len(found) + 1), found / len(relevant))


def average_precision(ranking: Iterable[int], relevant: Set[int]) -> float:
    """Return the mean of the precisions at the places of the relevant documents.

    Raises ValueError where nothing is relevant.

    >>> average_precision([3, 1, 2], {3, 2})
    0.8333333333333333
    """
    precision, recall = precision_recall(ranking, relevant)
    hits = np.diff(recall, prepend=0.0) > 0
    return float(precision[hits].sum() / len(relevant))


def interpolated_precision(curve: PrecisionRecall, levels: int = 11) -> Floats:
    """Return the highest precision at or after each recall level 0 … 1, float64 (levels,).

    A level that the ranking does not reach has 0.

    >>> interpolated_precision(precision_recall([3, 1, 2], {3, 2}), levels=3).round(4).tolist()
    [1.0, 1.0, 0.6667]
    """
    if levels < 2:
        raise ValueError(f"levels is {levels}: give at least 2, for recall 0 and 1")
    # 1e-12: three tenths of the relevant documents are recall 0.3, however both are rounded
    places = [curve.recall >= i / (levels - 1) - 1e-12 for i in range(levels)]
    return np.array([curve.precision[place].max(initial=0.0) for place in places])


def mean_average_precision(scores: Floats, relevant: Sequence[Set[int]]) -> float:
    """Return the mean over the queries of the average precision of all documents ranked by score.

    scores    documents × queries, float64 (n, q), as ``cosines`` gives them
    relevant  the relevant documents of each query; queries without any are left out

    Raises ValueError where there are not as many queries, or none has a relevant document.

    >>> mean_average_precision(np.array([[0.1], [0.9], [0.5]]), [{0, 1}])
    0.8333333333333333
    """
    if scores.ndim != 2 or scores.shape[1] != len(relevant):
        raise ValueError(f"scores of shape {scores.shape} are not documents × {len(relevant)} queries")
    values = [
        average_precision(order(column).tolist(), wanted)
        for column, wanted in zip(scores.T, relevant, strict=True)
        if wanted
    ]
    if not values:
        raise ValueError("no query has a relevant document: there is nothing to average")
    return float(np.mean(values))
