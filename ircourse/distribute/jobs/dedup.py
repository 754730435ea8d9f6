"""Near-duplicates of texts in parts, on a cluster: the same as ``ircourse.dedup.near_duplicates`` finds.

1. Each part is read by a worker, and its sketches stay there.
2. Digests go to buckets by their value, wherever their texts came from (claim C59): exact copies meet.
3. The keys of bands go to buckets the same way. Texts that share a key are pairs to compare; a bucket's group
   of over 1,000 is compared with its first text alone, and told in ``capped``.
4. Pairs go to the part of their first text, of a large group to the other's, each once; the sketches that are
   not there are fetched, and compared.
5. The pairs near enough come to the client, which joins them to clusters: union–find as the final merge.

Groups over the cap are compared first: two texts that those comparisons put into one cluster are compared no
more, as in the local function, so pairs, clusters and ``capped`` are equal to its.

Memory: a worker holds its parts' sketches, 8 bytes a place and text (beyond 60% of its limit on disk), and of
the keys one bucket at a time. The client holds what is found, and 8 bytes a text at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup import Capped, Duplicates, MinHasher, Pairs, bands_for
from ircourse.dedup.clusters import clusters_of
from ircourse.dedup.pairs import CAP
from ircourse.dedup.shingles import Strip
from ircourse.dedup.union import roots_of
from ircourse.distribute.jobs import dedup_pairs as pairs_of
from ircourse.distribute.jobs import dedup_sketches as sketches_of
from ircourse.distribute.jobs.held import TEXTS, Texts, is_parts, text_parts
from ircourse.distribute.jobs.parts import TextPart
from ircourse.distribute.jobs.stages import Future, Progress, Stages, pick

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["near_duplicates", "sketch_texts", "text_names"]

Longs: TypeAlias = NDArray[np.int64]
BUCKET = 300_000  # digests or keys that meet in one: sorting them takes some 30 MB


def sketch_texts(
    client: Client,
    texts: Texts,
    k: int = 4,
    *,
    permutations: int = 200,
    seed: int = 0,
    characters: bool = False,
    strip: Strip = (),
    parts: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.uint64]:
    """Return the sketches of all texts, uint64 (texts, permutations): those of ``MinHasher.sketch_texts``.

    texts     a sequence of texts, or parts of files: see ``line_parts``, ``file_parts`` and ``warc_parts``
    parts     into how many parts a sequence is cut; None: four a worker. More than texts are as many as texts
    progress  called with the stage's name, how many of its tasks are done, and how many it has

    The sketches come to the client, 8 bytes a value. Raises TypeError and ValueError as the local function
    does, TypeError for what is no client, ClusterError where the cluster fails.
    """
    stages = Stages(client, progress)
    hasher = MinHasher(permutations, seed)
    options: dict[str, Any] = {"k": k, "characters": characters, "strip": tuple(strip)}
    hasher.sketch_texts([], **options)  # wrong arguments are told here
    given = text_parts(stages, texts, parts)
    futures = stages.spread(sketches_of.sketch_all, given, hasher=(permutations, seed), options=options)
    return np.concatenate(
        [np.empty((0, permutations), np.uint64), *stages.results("sketches", futures)], dtype=np.uint64
    )


def near_duplicates(
    client: Client,
    texts: Texts,
    *,
    threshold: float = 0.8,
    k: int = 4,
    permutations: int = 200,
    seed: int = 0,
    characters: bool = False,
    strip: Strip = (),
    parts: int | None = None,
    progress: Progress | None = None,
) -> Duplicates:
    """Return the clusters of texts that are near, as the local function does with bands and estimates.

    ``texts``, ``parts`` and ``progress`` as of ``sketch_texts``, the others and errors as of the local one.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is {threshold}: give a number above 0 and at most 1")
    stages = Stages(client, progress)
    hasher = MinHasher(permutations, seed)
    options: dict[str, Any] = {"k": k, "characters": characters, "strip": tuple(strip)}
    hasher.sketch_texts([], **options)
    given = text_parts(stages, texts, parts)
    sketched = stages.spread(sketches_of.sketch_part, given, hasher=(permutations, seed), options=options)
    sizes = stages.results("sketches", stages.spread(_size, sketched))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    job = _Job(stages, sketched, starts)
    copies = job.copies()
    bands, width = bands_for(threshold, permutations)
    need = next(n for n in range(permutations + 1) if n / permutations >= threshold)
    found, agree, capped = job.pairs(bands, width, need)
    i, j = np.divmod(found, max(1, int(starts[-1])))
    pairs = Pairs(i, j, agree / permutations, capped)
    return Duplicates(clusters_of(int(starts[-1]), copies, pairs), copies, pairs, capped)


def text_names(client: Client, texts: Sequence[TextPart], *, progress: Progress | None = None) -> list[str]:
    """Return what each text of parts is called, in the order of their numbers: URLs, paths.

    Raises TypeError for what is not parts, and errors as of ``sketch_texts``.
    """
    stages = Stages(client, progress)
    if texts and not is_parts(texts, TEXTS):
        raise TypeError(f"{texts!r:.60} are no parts of texts: give what line_parts, file_parts, … return")
    found = stages.results("names", stages.spread(_names, texts))
    return [name for names in found for name in names]


class _Job:
    """The parts, their sketches where they are, and the exchanges between them."""

    def __init__(self, stages: Stages, sketched: list[Future], starts: Longs) -> None:
        self.stages, self.sketched, self.starts = stages, sketched, starts

    def buckets(self, per_text: int) -> int:
        """Return how many buckets there are for so many values of each text."""
        return max(self.stages.workers, -(-int(self.starts[-1]) * per_text // BUCKET))

    def exchanged(self, task: Any, cut: Sequence[Future], pieces: int, **kwargs: Any) -> list[Future]:
        """Return ``task`` of each piece x of ``pieces``: it is given the x-th piece of each cut."""
        picked = [[self.stages.task(pick, one, x) for one in cut] for x in range(pieces)]
        return [self.stages.task(task, *column, **kwargs) for column in picked]

    def copies(self) -> dict[int, int]:
        """Return the exact copies, and let the sketches of those that are in another part go."""
        if not self.sketched:
            return {}
        stages, buckets = self.stages, self.buckets(1)
        firsts = self.starts[:-1].tolist()
        cut = stages.spread(sketches_of.digests_by_bucket, self.sketched, firsts, buckets=buckets)
        found = stages.results("copies that meet", self.exchanged(sketches_of.copies_in, cut, buckets))
        copies, first = (np.concatenate([one[x] for one in found]) for x in (0, 1))
        within = stages.results("copies in a part", stages.spread(_copies, self.sketched, firsts))
        every = dict(zip(copies.tolist(), first.tolist(), strict=True))
        for text, like in [pair for pairs in within for pair in pairs]:
            every[text] = every.get(like, like)
        of_part = np.searchsorted(self.starts, copies, "right") - 1
        theirs = stages.hold([np.sort(copies[of_part == p]) for p in range(len(firsts))])
        self.sketched = stages.spread(sketches_of.without, self.sketched, firsts, theirs)
        return dict(sorted(every.items()))

    def pairs(self, bands: int, width: int, need: int) -> tuple[Longs, Longs, tuple[Capped, ...]]:
        """Return the pairs near enough, rising, with their agreement, and the groups over the cap."""
        none = np.empty(0, np.int64)
        if not self.sketched:
            return none, none, ()
        stages, buckets = self.stages, self.buckets(bands)
        cut = stages.spread(pairs_of.keys_by_bucket, self.sketched, bands=bands, width=width, buckets=buckets)
        groups = self.exchanged(pairs_of.grouped, cut, buckets)
        del cut
        found = stages.results("keys that meet", stages.spread(pairs_of.large, groups, cap=CAP))
        capped = _largest(*(np.concatenate([one[x] for one in found]) for x in (0, 1)))
        near, settled = [], (none, none)
        if capped:
            cut = stages.spread(pairs_of.pairs_with_first, groups, cap=CAP, cuts=self.starts)
            near = self.near(self.exchanged(pairs_of.once, cut, len(self.sketched)), need, "large groups")
            settled = self.settled(near)
        shared = [stages.share(settled)] * len(groups)
        cut = stages.spread(pairs_of.pairs_of_all, groups, shared, cap=CAP, cuts=self.starts)
        del groups, shared
        near += self.near(self.exchanged(pairs_of.once, cut, len(self.sketched)), need, "pairs")
        pairs, first = np.unique(np.concatenate([none, *(one[0] for one in near)]), return_index=True)
        return pairs, np.concatenate([none, *(one[1] for one in near)])[first], capped

    def near(self, pairs: list[Future], need: int, stage: str) -> list[tuple[Longs, Longs]]:
        """Return those of each part's pairs that agree in ``need`` places."""
        stages, n = self.stages, int(self.starts[-1])
        whose = stages.results(
            f"{stage} to compare", stages.spread(pairs_of.parts_of, pairs, cuts=self.starts)
        )
        compared = []
        for theirs, parts in zip(pairs, whose, strict=True):
            if parts:
                rows = [stages.task(pairs_of.rows_of, self.sketched[p], theirs, n) for p in parts]
                compared.append(stages.task(pairs_of.agreeing, theirs, n, need, *rows))
        found: list[tuple[Longs, Longs]] = stages.results(f"{stage} compared", compared)
        return found

    def settled(self, near: list[tuple[Longs, Longs]]) -> tuple[Longs, Longs]:
        """Return the docs of pairs found, rising, and the cluster of each."""
        n = int(self.starts[-1])
        i, j = np.divmod(np.concatenate([one[0] for one in near]), n)
        docs = np.union1d(i, j)
        return docs, roots_of(n, i, j)[docs]


def _names(part: TextPart) -> list[str]:
    return list(part.names())


def _size(part: sketches_of.Sketched) -> int:
    return part.n


def _copies(part: sketches_of.Sketched, first: int) -> list[tuple[int, int]]:
    """Return the copies within a part, and what they are copies of."""
    return list(zip((part.copies + first).tolist(), (part.like + first).tolist(), strict=True))


def _largest(heads: Longs, sizes: Longs) -> tuple[Capped, ...]:
    """Return the first texts of groups, rising, and the size of the largest group of each."""
    largest: dict[int, int] = {}
    for head, size in zip(heads.tolist(), sizes.tolist(), strict=True):
        largest[head] = max(size, largest.get(head, 0))
    return tuple(Capped(*one) for one in sorted(largest.items()))
