"""Link farms: pages made to link to one page, and what they do to its PageRank (book, section 21.1).

N, m  pages of the graph, pages of the farm; each of these links to the target t and nobody links to them
d     the damping, the probability of following a link
P     transition matrix of the graph, a row of zeros for a page without links
Z     (I − d P)⁻¹; Z_ij is the expected number of visits to j of a surfer who starts at i and follows links
      until he is bored, which he is with probability 1 − d before each
S     the sum of Z
π, π' PageRank before and with the farm

Every score is a sum of visits: π_j = Σ_i Z_ij / S, each page one start. The farm adds m starts, which arrive
at t with probability d, and the visits to its own pages:

    π'_j = (S π_j + m d Z_tj) / (S + m + m d Σ_k Z_tk)        a page of the farm: 1 / (the same)

Without pages that lack links S = N / (1 − d) and Σ_k Z_tk = 1 / (1 − d), which gives claim C64,

    π'_t = (N π_t + m d (1 − d) Z_tt) / (N + m).

What t gains flows on to where t links; every other page loses, since the teleport now shares itself out among
N + m pages.

Differs from the book: it says that such farms exist, and gives no formula.
Source: Bianchini, Gori and Scarselli (2005), Inside PageRank, for PageRank as a sum of visits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import Graph, GraphLike, Label, as_graph
from ircourse.links.pagerank_chain import checked_damping as _checked_damping
from ircourse.links.pagerank_chain import probabilities
from ircourse.types import NotConverged

__all__ = ["FarmEffect", "farm_effect", "link_farm"]

Floats = NDArray[np.float64]

MOST_PAGES = 10**8
_RELATIVE_ERROR = 1e-15  # of the visits that are left out
_MOST_STEPS = 100_000


def link_farm(graph: GraphLike, target: Label, size: int) -> Graph:
    """Return the graph with ``size`` more pages, each with one link, to ``target``.

    The new pages come last. They are numbered on where the graph's labels are a range, and are otherwise
    named "spam 1", "spam 2", …, names in use left out. Their links weigh 1 in a weighted graph. Raises
    UnknownNode where the target is no page, ValueError for a size that is no number from 0 to 10^8.

    >>> list(link_farm([("a", "t")], "t", 2).edges())
    [('a', 't'), ('spam 1', 't'), ('spam 2', 't')]
    """
    links, m = as_graph(graph), _checked_size(size)
    t = links.number(target)
    ends = links.indptr[-1] + np.arange(1, m + 1)
    weights = None if links.weights is None else np.concatenate([links.weights, np.ones(m)])
    return Graph(
        np.concatenate([links.indptr, ends]),
        np.concatenate([links.indices, np.full(m, t, np.int32)]),
        weights,
        _more_labels(links.labels, m),
    )


@dataclass(frozen=True, eq=False)
class FarmEffect:
    """What a link farm does to PageRank.

    labels, target  pages of the graph without the farm, and the one that the farm links to
    before, after   their scores without it and with it, float64 (N,)
    spam            the score of each page of the farm
    visits          Z_tj, the expected visits to page j of a surfer who starts at the target, float64 (N,)
    """

    labels: Sequence[Label]
    target: Label
    before: Floats
    after: Floats
    spam: float
    visits: Floats

    @property
    def gain(self) -> float:
        """How much the score of the target rises; below 0 where the farm takes more starts than it sends."""
        t = self.labels.index(self.target)
        return float(self.after[t] - self.before[t])


def farm_effect(graph: GraphLike, target: Label, size: int, *, damping: float = 0.85) -> FarmEffect:
    """Return PageRank before and after a farm of ``size`` pages, by the formula above, to about 1e-14.

    No PageRank of the larger graph is computed: two sums of visits on the smaller one tell the effect of a
    farm of any size. Links count by their weights; a page whose links weigh nothing has none. Takes
    O(links · log ε / log d). Raises as `link_farm`, ValueError for a damping that is not at least 0 and
    below 1, NotConverged where it is so near 1 that 10^5 steps are too few.

    >>> ring = [(page, (page + 1) % 1000) for page in range(1000)]
    >>> effect = farm_effect(ring, 0, 10)
    >>> [round(float(score), 4) for score in (effect.before[0], effect.after[0], effect.spam, effect.gain)]
    [0.001, 0.0023, 0.0001, 0.0013]
    """
    links, m, d = as_graph(graph), _checked_size(size), _checked_damping(damping)
    t = links.number(target)
    chances = _transitions(links).T.tocsr()
    start = np.zeros(links.n_nodes)
    start[t] = 1.0
    visits, from_target = _visits(chances, np.ones(links.n_nodes), d), _visits(chances, start, d)
    total = visits.sum()
    after = visits + m * d * from_target
    total_after = total + m + m * d * from_target.sum()
    return FarmEffect(
        links.labels, target, visits / total, after / total_after, float(1 / total_after), from_target
    )


def _visits(chances: Any, starts: Floats, d: float) -> Floats:
    """Return Σ_k (d Pᵗ)^k starts, the visits of surfers with these starts; ``chances`` is Pᵗ.

    Step k is at most d^k of the starts, so the steps that are left out are at most d^k / (1 − d) of them.
    """
    steps = 0 if d == 0 else math.ceil((math.log(_RELATIVE_ERROR) + math.log1p(-d)) / math.log(d))
    if steps > _MOST_STEPS:
        raise NotConverged(d**_MOST_STEPS / (1 - d), _MOST_STEPS)
    visits, step = starts.copy(), starts
    for _ in range(steps):
        step = d * (chances @ step)
        if not step.any():
            break
        visits += step
    return visits


def _transitions(links: Graph) -> Any:
    """Return P, sparse float64 (n, n), zero rows left zero."""
    matrix = links.to_scipy()
    matrix.data, _ = probabilities(links)
    return matrix


def _more_labels(labels: Sequence[Label], m: int) -> Sequence[Label]:
    """Return the labels and m new ones."""
    if isinstance(labels, range) and labels.step == 1:
        return range(labels.start, labels.stop + m)
    used = set(labels)
    names = (name for name in map("spam {}".format, count(1)) if name not in used)
    return (*labels, *islice(names, m))


def _checked_size(size: object) -> int:
    if isinstance(size, SupportsIndex) and 0 <= operator.index(size) <= MOST_PAGES:
        return operator.index(size)
    raise ValueError(f"size is {size!r:.60}: give a number of pages from 0 to {MOST_PAGES:,}")
