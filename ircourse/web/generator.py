"""Making a generated web: how many pages of which kind, and where copies and links go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import Graph
from ircourse.graphs.bow_tie import PARTS
from ircourse.graphs.generators import chance, draws, link_counts, seed_of
from ircourse.web.copying import LEADS_TO, copy_links, host_sizes
from ircourse.web.generated import RandomWeb, Recipe

__all__ = ["REGIONS", "random_web"]

REGIONS = PARTS
SHARES = (0.28, 0.21, 0.21, 0.01, 0.21, 0.08)  # after Broder et al. (2000)
# Tendrils come in two kinds that must not meet: those that "in" leads to, and those that lead to "out".
CORE, IN, OUT, TUBES, FROM_IN, TO_OUT, OTHER = range(7)
KINDS = np.array([0, 1, 2, 3, 4, 4, 5], np.int8)
Numbers = NDArray[np.int64]


def random_web(
    n: int,
    rng: np.random.Generator | int = 0,
    *,
    links: float = 8.0,
    copied: float = 0.8,
    local: float = 0.5,
    host_size: int = 10,
    exact: float = 0.1,
    near: float = 0.1,
    shares: Sequence[float] = SHARES,
) -> RandomWeb:
    """Return a web of ``n`` pages: the copying model with hosts, a planted bow-tie, duplicates and changes.

    rng          a seed from 0 to 2**62 − 1, or a generator to draw one from; the same seed, the same web
    links        links a page on average, geometrically distributed, before repeats are dropped
    local        share of them that stays on the host; near 1 gives communities that mix slowly
    copied       share of the others that is copied from an older page; more makes in-degrees more unequal
    host_size    half of the hosts have more pages than this, and a few a thousand times as many
    exact, near  shares of pages with the words of another one, unchanged or with two words changed
    shares       of pages in each of `REGIONS`, in this order; the core takes what is over

    Pages change at rates of 1, 1/2, 1/4, … 1/256 a day, a tenth of the pages at each, and a tenth never.

    Raises ValueError for an n below 1, shares that are none, and parts of a bow-tie that cannot exist: "in"
    and "out" need a core, tubes and tendrils need what they lead from and to.

    >>> web = random_web(1000, 1)
    >>> web
    <RandomWeb: 1000 pages on 108 hosts>
    >>> web.graph
    <Graph: 1000 nodes, 6057 edges>
    """
    _check(links, copied, local, host_size, exact, near)
    sizes = _sizes(n, shares)
    seed = seed_of(rng)
    first = np.concatenate([[0], np.cumsum(sizes)])
    start, place = _hosts(seed, first, host_size)
    pairs = np.concatenate(
        [_drawn(seed + 100, first, start, place, links, local, copied), _planted(seed + 200, first)]
    )
    regions = np.empty(n, np.int8)
    regions[place] = np.repeat(KINDS, sizes)
    original, is_near = _copies(seed + 300, n, exact, near)
    classes = draws(seed + 400, n) % np.uint64(10)
    rate = np.where(classes == 9, 0.0, 0.5 ** classes.astype(np.float64))
    return RandomWeb(_graph(n, place[pairs]), Recipe(seed, regions, start, original, is_near, rate))


def _hosts(seed: int, first: Numbers, host_size: int) -> tuple[Numbers, Numbers]:
    """Return where each host's pages start, and each page's number among all: hosts in random order."""
    hosts, count = np.empty(first[-1], np.int64), 0
    for r, n in enumerate(np.diff(first).tolist()):
        sizes = host_sizes(seed + r, n, host_size, n // 10 + 1)
        shuffled = np.argsort(draws(seed + 10 + r, n), kind="stable")
        hosts[first[r] + shuffled] = np.repeat(np.arange(count, count + len(sizes)), sizes)
        count += len(sizes)
    hosts = np.argsort(np.argsort(draws(seed + 20, count), kind="stable"), kind="stable")[hosts]
    place = np.empty_like(hosts)
    place[np.argsort(hosts, kind="stable")] = np.arange(len(hosts))
    start: Numbers = np.concatenate([[0], np.cumsum(np.bincount(hosts))]).astype(np.int64)
    return start, place


def _drawn(
    seed: int, first: Numbers, start: Numbers, place: Numbers, links: float, local: float, copied: float
) -> Numbers:
    """Return the links of the copying model, (m, 2), each page under the number of its age."""
    n = len(place)
    degrees = link_counts(seed, n, links)
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    host = np.searchsorted(start, place, side="right") - 1
    homes = np.stack([start[host], start[host + 1], place], axis=1)
    targets = np.empty(indptr[-1], np.int64)
    by_host = np.argsort(place)
    copy_links(seed + 1, first, LEADS_TO, homes, by_host, indptr, chance(local), chance(copied), targets)
    pairs: Numbers = np.stack([np.repeat(np.arange(n), degrees), targets], axis=1)
    kept: Numbers = pairs[(targets >= 0) & (pairs[:, 0] != targets)]
    return kept


def _planted(seed: int, first: Numbers) -> Numbers:
    """Return the links that make the bow-tie certain, (m, 2): a ring through the core, and one link for each
    page outside it, to or from a page of the part that it hangs on.
    """
    core = np.arange(first[CORE], first[CORE + 1])
    planted = [np.stack([core, np.roll(core, -1)], axis=1)[: len(core) if len(core) > 1 else 0]]
    for source, target in ((IN, CORE), (TUBES, OUT), (TO_OUT, OUT)):
        pages = np.arange(first[source], first[source + 1])
        planted.append(np.stack([pages, _some(seed + source, first, target, len(pages))], axis=1))
    for source, target in ((CORE, OUT), (IN, TUBES), (IN, FROM_IN)):
        pages = np.arange(first[target], first[target + 1])
        planted.append(np.stack([_some(seed + 10 + target, first, source, len(pages)), pages], axis=1))
    return np.concatenate(planted)


def _some(seed: int, first: Numbers, region: int, count: int) -> Numbers:
    """Return ``count`` pages of a region, drawn uniformly."""
    size = max(1, int(first[region + 1] - first[region]))
    chosen: Numbers = (draws(seed, count) % np.uint64(size)).astype(np.int64)
    return chosen + int(first[region])


def _graph(n: int, pairs: Numbers) -> Graph:
    """Return the graph of the links, each once, by page number."""
    codes = np.sort(pairs[:, 0] * n + pairs[:, 1])  # np.unique goes through a hash table, 30 times as slow
    codes = codes[np.diff(codes, prepend=-1) > 0]
    indptr = np.searchsorted(codes, np.arange(n + 1) * n)
    return Graph(indptr.astype(np.int64), (codes % n).astype(np.int32), None, range(n))


def _copies(seed: int, n: int, exact: float, near: float) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the page whose words each page has, and whether it has them with two words changed."""
    order = np.argsort(draws(seed, n), kind="stable")
    n_exact, n_near = int(exact * n), int(near * n)
    copies, originals = order[: n_exact + n_near], order[n_exact + n_near :]
    original, is_near = np.arange(n), np.zeros(n, np.bool_)
    original[copies] = originals[(draws(seed + 1, len(copies)) % np.uint64(len(originals))).astype(np.int64)]
    is_near[copies[n_exact:]] = True
    return original, is_near


def _check(links: float, copied: float, local: float, host_size: int, exact: float, near: float) -> None:
    for name, value in (("copied", copied), ("local", local), ("exact", exact), ("near", near)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is {value!r}: give a share from 0 to 1")
    if exact + near >= 1:
        raise ValueError(
            f"exact and near are {exact!r} and {near!r}: leave pages to be copied, a sum below 1"
        )
    if not 0 <= links <= 500:
        raise ValueError(f"links is {links!r}: give a mean number of links from 0 to 500")
    if not 0 <= host_size < 2**20:
        raise ValueError(f"host_size is {host_size!r}: give a number of pages from 0 to 2**20")


def _sizes(n: int, shares: Sequence[float]) -> list[int]:
    """Return how many pages each of the seven kinds gets."""
    if not 1 <= n < 2**31:
        raise ValueError(f"n is {n!r}: give a number of pages from 1 to 2**31 − 1")
    if (
        len(shares) != len(REGIONS)
        or not all(share >= 0 for share in shares)
        or not 0.999 < sum(shares) < 1.001
    ):
        raise ValueError(f"shares is {shares!r}: give six shares that sum to 1, for {', '.join(REGIONS)}")
    _, in_, out, tubes, tendrils, other = (int(share * n) for share in shares)
    core = n - in_ - out - tubes - tendrils - other
    if (in_ + out > 0 and core < 1) or (tubes + tendrils > 0 and min(in_, out) < 1):
        raise ValueError(f"shares is {shares!r}: in and out need a core, tubes and tendrils need in and out")
    return [core, in_, out, tubes, tendrils // 2, tendrils - tendrils // 2, other]
