"""Duplicates: which page stands for each cluster of near-duplicates (book, section 19.6).

sketches  min-hash sketches of the pages' texts, a row a page, uint64 (n, 200)

Clusters are those of `near_duplicates`, from sketches that are kept, so that an update sketches new texts
only. Exact copies have equal sketches and need no stage of their own. Pages without words are no duplicates.

Which page stands for a cluster: the one that most hosts other than its own link to, since a copy that nobody
chose is rarely the original; of equal ones that of the shortest address (http://a.example/ before
http://a.example/index.html); of these the first by code points. Those that are like it are its mirrors.
Others are in the cluster through a chain of pages, each like the next: of them the first stands for those
that are like it, and so on. On Python's documentation chains led from one codec to another at a likeness of
0.77, since its pages for codecs share most of their words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup import MinHasher, bands_for, pairs_by_bands
from ircourse.dedup.clusters import clusters_of
from ircourse.links import host_of

__all__ = ["PERMUTATIONS", "clusters_by_sketches", "representatives", "sketches_of"]

Sketches: TypeAlias = NDArray[np.uint64]
Alike: TypeAlias = Callable[[str, list[str]], Iterable[bool]]

PERMUTATIONS = 200


def sketches_of(texts: Sequence[str]) -> Sketches:
    """Return the sketches of texts, uint64 (texts, 200)."""
    return MinHasher(PERMUTATIONS).sketch_texts(texts)


def clusters_by_sketches(sketches: Sketches, threshold: float) -> list[list[int]]:
    """Return the clusters of two or more pages, by their rows, in rising order.

    threshold  what the estimate of J must reach, above 0 to 1; over 1 no pages are duplicates

    >>> page = "the ferry leaves the old harbour at nine every morning except on sundays in winter"
    >>> clusters_by_sketches(sketches_of([page, "roses", page]), 0.9)
    [[0, 2]]
    """
    if threshold > 1 or len(sketches) < 2:
        return []
    bands, rows = bands_for(threshold, PERMUTATIONS)
    pairs = pairs_by_bands(sketches, bands, rows, at_least=threshold)
    return [list(cluster) for cluster in clusters_of(len(sketches), {}, pairs)]


def representatives(
    clusters: Iterable[Sequence[str]],
    links: Iterable[tuple[str, Iterable[str]]],
    alike: Alike = lambda url, others: [True] * len(others),
) -> dict[str, str]:
    """Return for each page of a cluster the address of the page that stands for it.

    links  of all pages: address and the addresses linked to
    alike  tells of a page and others which of them are like it; it is like itself

    >>> web = [("http://c.example/", ["http://b.example/x"])]
    >>> representatives([["http://a.example/", "http://b.example/x"]], web)
    {'http://b.example/x': 'http://b.example/x', 'http://a.example/': 'http://b.example/x'}
    """
    clusters = list(clusters)
    hosts: dict[str, set[str]] = {url: set() for cluster in clusters for url in cluster}
    for source, targets in links if hosts else ():
        for url in targets:
            if url in hosts:
                hosts[url].add(host_of(source) or source)
    stands: dict[str, str] = {}
    for cluster in clusters:
        left = sorted(cluster, key=lambda url: _rank(url, hosts))
        while left:
            pairs = list(zip(left, alike(left[0], left), strict=True))
            stands |= {url: left[0] for url, is_like in pairs if is_like}
            left = [url for url, is_like in pairs if not is_like]
    return stands


def _rank(url: str, hosts: Mapping[str, set[str]]) -> tuple[int, int, str]:
    return -len(hosts[url] - {host_of(url) or url}), len(url), url
