"""A graph in blocks of rows on a cluster, from a graph in memory or from edge lists in parts.

n      number of pages; a page is its number, in the order in which the pages appear
block  the links from pages ``first`` … : ``indptr``, ``indices`` and ``weights`` as of a ``Graph``
cuts   where blocks begin, and n, int64 (blocks + 1,)

From parts: each is read by a worker, which keeps its links; the numbers that it has, in their order, come to
the client and are numbered; then links go to the block of the page that they come from, where parallel ones
meet and become one. The client and each worker hold some 30 bytes a page, and of the links a worker's share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ircourse.distribute.jobs.held import cuts_for, is_parts
from ircourse.distribute.jobs.parts import Edges
from ircourse.distribute.jobs.sizes import Sized
from ircourse.distribute.jobs.stages import Future, Stages, pick
from ircourse.graphs import Graph, GraphLike, Label, as_graph
from ircourse.graphs.reading import parse_pairs

__all__ = ["Blocks", "Rows", "blocks_of", "cut_up"]

Longs: TypeAlias = NDArray[np.int64]
PARTS_A_BLOCK = 4
PIECE = 2**20  # bytes of an edge list that are parsed at once


@dataclass(frozen=True)
class Rows(Sized):
    """The links from some pages of a graph of ``n``."""

    n: int
    indptr: Longs
    indices: NDArray[np.int32]
    weights: NDArray[np.float64] | None

    @property
    def graph(self) -> Graph:
        """The rows as a graph's arrays; its links lead to pages that it does not have."""
        return Graph(self.indptr, self.indices, self.weights, range(len(self.indptr) - 1))


@dataclass(frozen=True)
class Blocks:
    """A graph on the workers: futures of its ``Rows``, and what the client knows of it."""

    blocks: list[Future]
    cuts: Longs
    labels: Sequence[Label]

    @property
    def empty(self) -> Graph:
        """The graph without its links, for whatever asks for labels."""
        n = len(self.labels)
        return Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), None, self.labels)


def blocks_of(stages: Stages, graph: GraphLike | Sequence[Edges], parts: int | None) -> Blocks:
    """Return the blocks of a graph, or of edge lists in parts.

    parts  how many blocks; None: one a worker, of edge lists one for four parts at least
    """
    if is_parts(graph, (Edges,)):
        return _from_edges(stages, list(cast(Sequence[Edges], graph)), parts)
    graph = as_graph(graph)
    ends = [graph.indptr[a : b + 1] for a, b in cuts_for(stages, graph.n_nodes, parts, 1)]
    cuts = np.cumsum([0, *(len(end) - 1 for end in ends)])
    blocks = []
    for end in ends:
        links = slice(int(end[0]), int(end[-1]))
        weights = None if graph.weights is None else graph.weights[links]
        blocks.append(Rows(graph.n_nodes, end - end[0], graph.indices[links], weights))
    return Blocks(stages.hold(blocks), cuts, graph.labels)


def _from_edges(stages: Stages, given: list[Edges], parts: int | None) -> Blocks:
    read = stages.spread(read_pairs, given)
    ends = stages.spread(_first_seen, read)
    stages.wait("links read", ends)
    ids, ranks = _numbered(stages, ends)
    default = -(-max(stages.workers, -(-len(given) // PARTS_A_BLOCK)) // stages.workers)
    cuts = np.array([0, *(b for _, b in cuts_for(stages, len(ids), parts, default))])
    known = stages.share((ids, ranks))
    cut = stages.spread(cut_up, read, [known] * len(read), cuts=cuts)
    del read, known
    blocks = []
    for x, (a, b) in enumerate(zip(cuts.tolist(), cuts[1:].tolist(), strict=False)):
        pieces = [stages.task(pick, one, x) for one in cut]
        blocks.append(stages.task(_rows, a, b, len(ids), *pieces))
    stages.wait("links numbered", blocks)
    return Blocks(blocks, cuts, tuple(ids[np.argsort(ranks)].tolist()))


def _numbered(stages: Stages, ends: list[Future]) -> tuple[Longs, Longs]:
    """Return the numbers that stand in the file, rising, and the page of each, by when it first appears."""
    ids, ranks = np.empty(0, np.int64), np.empty(0, np.int64)
    for one in ends:
        (seen,) = stages.results("pages numbered", [one])
        fresh = seen[~np.isin(seen, ids)]
        ids = np.concatenate([ids, fresh])
        ranks = np.concatenate([ranks, np.arange(len(ranks), len(ids))])
        order = np.argsort(ids, kind="stable")
        ids, ranks = ids[order], ranks[order]
    return ids, ranks


def read_pairs(part: Edges) -> Longs:
    """Return the links of a part, int64 (m, 2). Raises ValueError for a line that is not two numbers."""
    found, lines, size, start = [np.empty((0, 2), np.int64)], list[bytes](), 0, part.start
    for at, line in part.lines():
        if not lines:
            start = at
        lines.append(line)
        size += len(line)
        if size >= PIECE:
            found.append(_parsed(part, lines, start))
            lines, size = [], 0
    found.append(_parsed(part, lines, start))
    return np.concatenate(found)


def cut_up(pairs: Longs, known: tuple[Longs, Longs], cuts: Longs) -> list[Longs]:
    """Return for each block the links from its pages, with pages for numbers, int64 (m, 2)."""
    ids, ranks = known
    pages = ranks[np.searchsorted(ids, pairs)]
    block = np.searchsorted(cuts, pages[:, 0], "right") - 1
    order = np.argsort(block, kind="stable")
    return np.split(pages[order], np.searchsorted(block[order], np.arange(1, len(cuts) - 1)))


def _parsed(part: Edges, lines: list[bytes], start: int) -> Longs:
    text = b"\n".join([*lines, b""])
    pairs, at = np.empty((len(lines), 2), np.int64), np.zeros(3, np.int64)
    if parse_pairs(np.frombuffer(text, np.uint8), pairs, at):
        wrong = lines[int(at[1])].decode("utf-8", "replace").strip()
        raise ValueError(
            f"{part.file}, line {int(at[1]) + 1} from byte {start} on: {wrong!r:.80}; "
            "give the numbers of two nodes, from and to, each at least 0"
        )
    return pairs[: at[0]].copy()


def _first_seen(pairs: Longs) -> Longs:
    """Return the different numbers of some links, in the order in which they first appear."""
    ids, first = np.unique(pairs.ravel(), return_index=True)
    return ids[np.argsort(first)]


def _rows(start: int, stop: int, n: int, *pieces: Longs) -> Rows:
    """Return the block of pages ``start`` … ``stop`` − 1, parallel links merged."""
    links = np.unique(np.concatenate([(piece[:, 0] - start) * n + piece[:, 1] for piece in pieces]))
    sources, targets = np.divmod(links, max(n, 1))
    indptr = np.zeros(stop - start + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=stop - start), out=indptr[1:])
    return Rows(n, indptr, targets.astype(np.int32), None)
