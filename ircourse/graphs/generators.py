"""Graphs made by chance: copied links, communities, links at random (book, section 19.2.1).

n       number of pages
links   links a page on average; how many a page has is geometric, so that some have none
copied  chance that a link is copied from an older page; any other goes to a page drawn uniformly
gamma   the exponent of the in-degrees: the share of pages with at least x falls as x^−(gamma − 1), where
        gamma = 1 + 1 / copied

A page that is linked to k times is copied k times as often as one that is linked to once: the rich get
richer. Links drawn uniformly give in-degrees near their mean, and no page with ten times as many.

Every draw is splitmix64 of a seed and a counter, so that a graph is the same on every machine. Self-loops and
repeats are left out, so a graph has a few links less than asked for.

Differs from the paper: each link has a model of its own, the link at the same place of an older page drawn
anew, not one page for all; and what is not copied may go to a younger page, which makes cycles.
Source: Simon (1955); Kumar et al. (2000); Erdős and Rényi (1959).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.build import compress
from ircourse.graphs.core import Graph
from ircourse.kernels import kernel

__all__ = ["chance", "copying_graph", "draws", "erdos_renyi", "host_graph", "link_counts", "seed_of"]

MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)

Numbers = NDArray[np.int64]
Draws = NDArray[np.uint64]
Links = tuple[Numbers, Numbers]


def copying_graph(
    n: int, links: float = 8.0, rng: np.random.Generator | int = 0, *, exponent: float = 2.1
) -> Graph:
    """Return a web of pages 0 … n−1, most of whose links are copied. O(n + m).

    rng       a seed from 0 to 2**62 − 1, or a generator to draw one from; the same seed, the same graph
    exponent  gamma, at least 2; infinity for no copying

    >>> web, no_copying = copying_graph(1000, 5, 1), copying_graph(1000, 5, 1, exponent=np.inf)
    >>> web, int(web.in_degrees.max()), int(no_copying.in_degrees.max())
    (<Graph: 1000 nodes, 5099 edges>, 408, 16)
    """
    _check(n, links, exponent)
    return _graph(n, *_copied_links(seed_of(rng), n, links, exponent))


def host_graph(
    n_hosts: int,
    pages: int,
    rng: np.random.Generator | int = 0,
    *,
    links: float = 8.0,
    local: float = 0.98,
    exponent: float = 2.1,
) -> Graph:
    """Return a web of pages 0 … ``pages`` − 1, numbered host by host, whose links mostly stay on their host.

    A random surfer seldom leaves a host: scores spread slowly between hosts, the web mixes slowly.

    local     share of links that go to a page of the same host drawn uniformly; the rest as `copying_graph`
    rng, exponent  as there. Sizes of hosts are what n_hosts − 1 cuts at random leave, at least one page

    >>> host_graph(10, 1000, 1)
    <Graph: 1000 nodes, 7189 edges>
    """
    _check(pages, links, exponent)
    if not 1 <= n_hosts <= pages:
        raise ValueError(f"n_hosts is {n_hosts!r}: give a number from 1 to the number of pages, {pages}")
    if not 0 <= local <= 1:
        raise ValueError(f"local is {local!r}: give a share from 0 to 1")
    seed = seed_of(rng)
    cuts = np.sort(_below(draws(seed + 3, n_hosts - 1), np.int64(pages - n_hosts + 1)))
    first = np.concatenate([[0], cuts + np.arange(1, n_hosts), [pages]])
    size = np.diff(first)
    sources = np.repeat(np.arange(pages), link_counts(seed + 4, pages, local * links))
    host = np.repeat(np.arange(n_hosts), size)[sources]
    targets = first[host] + _below(draws(seed + 5, len(sources)), size[host])
    far = _copied_links(seed, pages, (1 - local) * links, exponent)
    return _graph(pages, np.concatenate([sources, far[0]]), np.concatenate([targets, far[1]]))


def erdos_renyi(n: int, links: float = 8.0, rng: np.random.Generator | int = 0) -> Graph:
    """Return a graph of ``links`` · n edges between nodes 0 … n−1 drawn uniformly.

    Both degrees of a node are about Poisson.

    >>> graph = erdos_renyi(1000, 5, 1)
    >>> graph, int(graph.in_degrees.max())
    (<Graph: 1000 nodes, 4987 edges>, 14)
    """
    _check(n, links)
    ends = _below(draws(seed_of(rng), 2 * round(n * links)), np.int64(n)).reshape(2, -1)
    return _graph(n, ends[0], ends[1])


def _graph(n: int, sources: Numbers, targets: Numbers) -> Graph:
    """Return the graph of the links, self-loops left out."""
    kept = sources != targets
    return Graph(*compress(n, sources[kept], targets[kept]), range(n))


def _copied_links(seed: int, n: int, links: float, exponent: float) -> Links:
    """Return both ends of links drawn by the copying model: every page's first link, then the second, …"""
    degrees = link_counts(seed, n, links)
    pages = [np.flatnonzero(degrees)]  # pages[i]: those with more than i links
    while len(pages[-1]):
        pages.append(pages[-1][degrees[pages[-1]] > len(pages)])
    starts = np.concatenate([[0], np.cumsum([len(some) for some in pages])])
    targets = np.empty(starts[-1], np.int64)
    copy_links(np.uint64(seed + 1), n, chance(1 / (exponent - 1)), starts, targets)
    return np.concatenate(pages), targets


def link_counts(seed: int, n: int, mean: float) -> Numbers:
    """Return how many links each page has: at least k with chance (mean / (mean + 1)) ** k."""
    at_least: list[int] = []
    p = power = mean / (mean + 1)
    while (limit := chance(power)) > 0:
        at_least.append(limit)
        power *= p  # products are the same on every machine, pow is not
    ascending = np.array(at_least[::-1], np.uint64)
    counts: Numbers = len(at_least) - np.searchsorted(ascending, draws(seed, n), side="right")
    return counts


def _mixed(x: Draws) -> Draws:
    """Return the next outputs of splitmix64 after the states ``x``."""
    x = x + GOLDEN
    x = (x ^ (x >> S30)) * MIX_1
    x = (x ^ (x >> S27)) * MIX_2
    return x ^ (x >> S31)


def draws(seed: int, n: int) -> Draws:
    """Return n uniform uint64 that depend on ``seed`` alone.

    >>> draws(0, 2).tolist() == draws(0, 3).tolist()[:2]
    True
    """
    return _mixed(_mixed(np.array([seed], np.uint64)) ^ _mixed(np.arange(n, dtype=np.uint64)))


def _below(draws: Draws, n: Numbers | np.int64) -> Numbers:
    """Return for each draw a number from 0 to n − 1, uniform if the draw is."""
    return (((draws >> S32) * np.asarray(n).astype(np.uint64)) >> S32).astype(np.int64)


def chance(share: float) -> int:
    """Return the number that a uniform uint64 is below with this chance."""
    return min(int(share * 2.0**64), 2**64 - 1)


def seed_of(rng: np.random.Generator | int) -> int:
    """Return a seed that a generator draws, or one made of a number from 0 to 2**62 − 1."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**62))
    if not 0 <= rng < 2**62:
        raise ValueError(f"rng is {rng!r}: give a generator or a seed from 0 to 2**62 − 1")
    return int(_mixed(np.array([rng], np.uint64))[0]) >> 2  # far from the draws of the next seed


def _check(n: int, links: float, exponent: float = 2.1) -> None:
    if not 1 <= n < 2**31:
        raise ValueError(f"{n!r} pages: give a number from 1 to 2**31 − 1")
    if not 0 <= links <= 500:
        raise ValueError(f"links is {links!r}: give a mean number of links from 0 to 500")
    if not exponent >= 2:
        raise ValueError(f"exponent is {exponent!r}: give one of at least 2, infinity for no copying")


mix = kernel("uint64(uint64)")(_mixed)


@kernel("void(uint64, int64, uint64, const int64[::1], int64[::1])")
def copy_links(seed, n, copied, starts, targets):  # type: ignore[no-untyped-def]
    """Fill in ``targets``; the links at place i, from starts[i] on, are copied from each other."""
    for i in range(len(starts) - 1):
        for e in range(starts[i], starts[i + 1]):
            draw = mix(seed + np.uint64(e))
            choice = mix(draw) >> S32
            if draw < copied and e > starts[i]:
                targets[e] = targets[starts[i] + np.int64((choice * np.uint64(e - starts[i])) >> S32)]
            else:
                targets[e] = np.int64((choice * np.uint64(n)) >> S32)
