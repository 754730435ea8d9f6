"""A survey of two engines: sample each, check the pages with the other (book, section 19.5).

x     share of A's sample that B holds; y  share of B's that A holds
w_i   weights of the draws, 1 without a correction: x = Σ w_i [i in B] / Σ w_i
n     (Σ w)² / Σ w², the effective size of a sample, fewer than its draws

|A| / |B| is y / x. Its interval is log-normal: log x has the variance (1 − x) / (n x) about, taken at
(n x + 1) / (n + 2), so that shares of 0 and 1 have an error too. It takes the draws as independent; those of
a walk are so only with enough steps between them. It tells of chance alone: the interval around a biased
sampler's estimate is as narrow as another, around the wrong value.

Source: book, section 19.5; Katz and others (1978) for the ratio; Agresti and Caffo (2000); Kish (1965).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, nan, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.indexsize.bias import effective_size, importance_weights
from ircourse.indexsize.engine import Searchable
from ircourse.indexsize.samplers import Pages, Rng, SurveyFailed
from ircourse.indexsize.sizes import Estimate, checked_level, normal_quantile, relative_size
from ircourse.indexsize.web_samplers import Has

__all__ = [
    "Chance",
    "Checked",
    "RelativeSize",
    "Sampler",
    "bootstrap",
    "bootstrap_relative_size",
    "checked_sample",
    "estimate_relative_size",
    "size_ratio",
]

Floats: TypeAlias = NDArray[np.float64]
Sampler: TypeAlias = Callable[[Searchable, int, np.random.Generator], Pages]
Chance: TypeAlias = Callable[[Searchable, int], float]


@dataclass(frozen=True, eq=False)
class Checked:
    """A sample of one engine, looked for in another.

    docs        the pages drawn that got an answer, int64 (n,)
    weights     of them, mean 1, float64 (n,)
    found       whether the other engine holds each, bool (n,)
    unanswered  pages left out for want of an answer
    """

    docs: Pages
    weights: Floats
    found: NDArray[np.bool_]
    unanswered: int = 0

    @property
    def share(self) -> float:
        """The share found, Σ w [found] / Σ w."""
        return float(self.weights[self.found].sum() / self.weights.sum())


@dataclass(frozen=True, eq=False)
class RelativeSize:
    """|A| / |B| as a survey finds it, with its interval; nan, from 0 to infinity, where nothing overlaps.

    a  the sample of A, looked for in B; b  that of B, looked for in A
    """

    size: float
    low: float
    high: float
    a: Checked
    b: Checked


def estimate_relative_size(
    a: Searchable,
    b: Searchable,
    sampler: Sampler,
    n: int,
    rng: Rng = 0,
    *,
    has: Has,
    chance: Chance | None = None,
    careless: bool = False,
    level: float = 0.95,
) -> RelativeSize:
    """Return |A| / |B| from n pages that ``sampler`` draws of each, looked for with ``has``.

    sampler   ``sampler(engine, n, rng)``: one of this package with the rest fixed by functools.partial
    has       ``has(engine, page)``: ``has_by_terms`` or ``has_by_phrase`` with the frequencies fixed
    chance    ``chance(engine, page)``, up to a factor: draws are weighted by its inverse; None: all alike
    careless  take a check without an answer for a page not held; else it is left out

    Raises SurveyFailed where a sampler finds too few pages or no check is answered.

    >>> from functools import partial
    >>> from ircourse.indexsize import SearchEngine, has_by_terms, random_queries
    >>> web = [f"page{i} of the web" for i in range(12)]
    >>> a, b = SearchEngine(web, range(8)), SearchEngine(web, range(6, 12))
    >>> sampler = partial(random_queries, dictionary=[f"page{i}" for i in range(12)], terms=1)
    >>> found = estimate_relative_size(a, b, sampler, 300, 1, has=partial(has_by_terms, frequencies={}))
    >>> round(found.a.share, 2), round(found.b.share, 2), round(found.size, 2)  # 8 and 6 pages, 2 in both
    (0.28, 0.35, 1.24)
    """
    rng = np.random.default_rng(rng)
    in_b = checked_sample(a, b, sampler, n, rng, has=has, chance=chance, careless=careless)
    in_a = checked_sample(b, a, sampler, n, rng, has=has, chance=chance, careless=careless)
    return RelativeSize(*size_ratio(in_b, in_a, level=level), in_b, in_a)


def checked_sample(
    drawn_from: Searchable,
    looked_for_in: Searchable,
    sampler: Sampler,
    n: int,
    rng: Rng = 0,
    *,
    has: Has,
    chance: Chance | None = None,
    careless: bool = False,
) -> Checked:
    """Return n pages of one engine, looked for in another; arguments as for ``estimate_relative_size``.

    A page that was drawn twice is checked once and counts twice.
    """
    docs = sampler(drawn_from, n, np.random.default_rng(rng))
    pages, back = np.unique(docs, return_inverse=True)
    verdicts = [has(looked_for_in, page) for page in pages.tolist()]
    answered = np.array([careless or verdict is not None for verdict in verdicts])[back]
    if not answered.any():
        raise SurveyFailed(f"none of {len(pages)} checks was answered: wait longer, or try more often")
    weights = np.ones(len(docs))
    if chance is not None:
        weights = importance_weights([chance(drawn_from, page) for page in pages.tolist()])[back]
    found = np.array([bool(verdict) for verdict in verdicts])[back]
    weights = weights[answered] / weights[answered].mean()
    return Checked(docs[answered], weights, found[answered], int((~answered).sum()))


def size_ratio(in_b: Checked, in_a: Checked, *, level: float = 0.95) -> Estimate:
    """Return |A| / |B| = y / x and its log-normal interval; (nan, 0, inf) where nothing was found.

    >>> docs, w, found = np.arange(50), np.ones(50), np.arange(50) < 15
    >>> [round(x, 2) for x in size_ratio(Checked(docs, w, found), Checked(docs, w, ~found))]
    [2.33, 1.43, 3.55]
    """
    z = normal_quantile(level)
    if not in_b.found.any() and not in_a.found.any():
        return Estimate(nan, 0.0, inf)
    size = relative_size(in_b.share, in_a.share)
    middle, variance = 1.0, 0.0
    for sample, power in ((in_a, 1), (in_b, -1)):
        n = effective_size(sample.weights)
        share = (n * sample.share + 1) / (n + 2)
        middle, variance = middle * share**power, variance + (1 - share) / (n * share)
    factor = exp(z * sqrt(variance))
    low = 0.0 if not in_a.found.any() else min(size, middle / factor)
    return Estimate(size, low, inf if not in_b.found.any() else max(size, middle * factor))


def bootstrap(sample: Checked, rng: Rng = 0, *, times: int = 1000, level: float = 0.95) -> Estimate:
    """Return the share found and its percentile interval over ``times`` samples drawn from the sample.

    Draws are taken with their weights, with replacement. Where all or none was found the interval is a point.

    >>> docs, found = np.arange(50), np.arange(50) < 20
    >>> [round(x, 2) for x in bootstrap(Checked(docs, np.ones(50), found), 1)]
    [0.4, 0.26, 0.54]
    """
    shares = _shares(sample, np.random.default_rng(rng), times)
    return Estimate(sample.share, *_percentiles(shares, level))


def bootstrap_relative_size(
    in_b: Checked, in_a: Checked, rng: Rng = 0, *, times: int = 1000, level: float = 0.95
) -> Estimate:
    """Return |A| / |B| and its percentile interval: both samples are drawn anew.

    Copies without any overlap count as infinite, or as nothing where ``in_a`` alone has none; (nan, 0, inf)
    where neither sample has any.
    """
    if not in_b.found.any() and not in_a.found.any():
        return Estimate(nan, 0.0, inf)
    rng = np.random.default_rng(rng)
    x, y = _shares(in_b, rng, times), _shares(in_a, rng, times)
    ratios = np.divide(y, x, out=np.full(times, inf), where=x > 0)
    return Estimate(relative_size(in_b.share, in_a.share), *_percentiles(ratios, level))


def _shares(sample: Checked, rng: np.random.Generator, times: int) -> Floats:
    """Return the share found in each of ``times`` samples of the sample's draws."""
    if times < 1:
        raise ValueError(f"times is {times}: draw at least 1 sample")
    n = len(sample.docs)
    shares = np.empty(times)
    for i in range(times):
        again = rng.integers(n, size=n)
        w = sample.weights[again]
        shares[i] = w[sample.found[again]].sum() / w.sum()
    return shares


def _percentiles(values: Floats, level: float) -> tuple[float, float]:
    checked_level(level)
    # "nearest" needs no difference of two infinite values
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], method="nearest").tolist()
    return low, high
