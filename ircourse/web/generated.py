"""A generated web of any size: hosts, links, a bow-tie, duplicates and changes, all known in advance.

`copying` says how hosts and links come about. The bow-tie is planted, so what an algorithm finds can be
compared with what is there. A page is made when somebody looks: until then only its links exist, in arrays.

n         number of pages; page i is node i of the graph, and the pages of a host are neighbours
original  int64 (n,): the page whose words page i has, i itself for most
rate      float64 (n,): changes a day
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs import Graph
from ircourse.types import Link, Page
from ircourse.web.copying import mixed
from ircourse.web.core import HTML, Resource, Web
from ircourse.web.wording import rewritten, spelled, two_words_changed, wording

__all__ = ["RandomWeb", "Recipe"]

START = 1_735_689_600  # the first second of 2025, day 0
DAY = 86_400
ADDRESS = re.compile(r"http://site(0|[1-9][0-9]{0,9})\.example/(?:page([1-9][0-9]{0,9})\.html)?")


@dataclass(frozen=True)
class Recipe:
    """What a generated web is made from.

    seed      what every draw depends on
    regions   int8 (n,): the part of the bow-tie that each page was planted in, see `random_web`
    start     int64 (hosts + 1,): the pages of host h are numbers start[h] … start[h + 1] − 1
    original  int64 (n,): the page whose words each page has
    near      bool (n,): whether it has them with two words changed
    rate      float64 (n,): changes a day
    """

    seed: int
    regions: NDArray[np.int8]
    start: NDArray[np.int64]
    original: NDArray[np.int64]
    near: NDArray[np.bool_]
    rate: NDArray[np.float64]


class RandomWeb(Web):
    """A `Web` that was generated; made by `random_web`, with its truths beside it.

    graph         the links, a `Graph` whose labels are the page numbers
    change_rates  changes a day of each page, float64 (n,); a copy changes with its original
    regions       the part of the bow-tie that each page was planted in: indices into `REGIONS`, int8 (n,)

    A page is made anew at each look-up and not remembered.
    """

    def __init__(self, graph: Graph, recipe: Recipe) -> None:
        names = [f"site{h}.example" for h in range(len(recipe.start) - 1)]
        super().__init__(Addresses(recipe.start), self._resource, hosts=names)
        self.graph = graph
        self.regions = recipe.regions
        self.change_rates = recipe.rate[recipe.original]
        self._recipe = recipe

    def __getitem__(self, url: str) -> Page:
        if (i := self.number(url)) is None:
            raise KeyError(url)
        return self.page(i)

    def url(self, i: int) -> str:
        """Return the URL of a page."""
        return self._urls[i]  # type: ignore[index,no-any-return]

    def number(self, url: str) -> int | None:
        """Return the number of the page at ``url``, None where there is none."""
        return number_of(url, self._recipe.start)

    def page(self, i: int, day: int = 0) -> Page:
        """Return page ``i`` as it is on ``day``; its links hang on its words, one after the other."""
        words = self._words(i, self.version(i, day))
        anchors = words + [""] * max(0, len(links := self.graph.links(i)) - len(words))
        made = tuple(Link(self.url(j), anchor) for j, anchor in zip(links, anchors, strict=False))
        return Page(self.url(i), " ".join(words), " ".join(words[:4]), made)

    def version(self, i: int, day: int) -> int:
        """Return how often page ``i`` has changed by ``day``: a Poisson process of its rate."""
        return len(self._changes(i, day))

    def duplicates(self) -> Iterator[tuple[int, int, Literal["exact", "near"]]]:
        """Yield each copy, its original, and whether it is exact or has two words changed, by page number."""
        for i in np.flatnonzero(self._recipe.original != np.arange(len(self))).tolist():
            yield i, int(self._recipe.original[i]), "near" if self._recipe.near[i] else "exact"

    def link_graph(self) -> Graph:
        """Return the graph with URLs as labels."""
        return Graph(self.graph.indptr, self.graph.indices, None, tuple(self))

    def _words(self, i: int, version: int) -> list[str]:
        source = int(self._recipe.original[i])
        key = self._key(source)
        words = wording(key, int(np.searchsorted(self._recipe.start, source, side="right")))
        if version:
            words = rewritten(words, key + version)
        if self._recipe.near[i]:
            words = two_words_changed(words, self._key(i))
        return spelled(words)

    def _key(self, i: int) -> int:
        return int(mixed(np.array([self._recipe.seed + i], np.uint64))[0]) >> 1

    def _changes(self, i: int, day: int) -> list[float]:
        """Return the days, not whole, on which page ``i`` changed until ``day``."""
        source = int(self._recipe.original[i])
        rate, key = float(self._recipe.rate[source]), self._key(source)
        now = 0.0
        days: list[float] = []
        while rate > 0:
            draw = int(mixed(np.array([key + 7919 * (len(days) + 1)], np.uint64))[0])
            now -= math.log(((draw >> 11) + 1) * 2.0**-53) / rate
            if now > day:
                break
            days.append(now)
        return days

    def _resource(self, url: str, day: int) -> Resource | None:
        if (i := self.number(url)) is None:
            return None
        changes = self._changes(i, day)
        date = formatdate(START + int(DAY * changes[-1]) if changes else START, usegmt=True)
        headers = {**HTML, "last-modified": date, "etag": f'"{i}-{len(changes)}"'}
        return Resource(url, _written(self.page(i, day)), headers=headers)


class Addresses(Sequence[str]):
    """The URLs of a generated web by page number, made when asked for."""

    def __init__(self, start: NDArray[np.int64]) -> None:
        self._start = start

    def __len__(self) -> int:
        return int(self._start[-1])

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        if not 0 <= i < len(self):
            raise IndexError(f"page {i} is none of 0 … {len(self) - 1}")
        host = int(np.searchsorted(self._start, i, side="right")) - 1
        place = i - int(self._start[host])
        return f"http://site{host}.example/" + (f"page{place}.html" if place else "")


def number_of(url: str, start: NDArray[np.int64]) -> int | None:
    """Return the number of the page at ``url``, None where there is none."""
    found = ADDRESS.fullmatch(url)
    if found is None or int(found[1]) >= len(start) - 1:
        return None
    i = int(start[int(found[1])]) + int(found[2] or 0)
    return i if i < int(start[int(found[1]) + 1]) else None


def _written(page: Page) -> bytes:
    """Return the page as HTML whose words are its text, the first of them linked."""
    words = page.text.split(" ")
    linked = [f'<a href="{link}">{getattr(link, "anchor", "")}</a>' for link in page.links]
    body = " ".join([*linked[: len(words)], *words[len(linked) :]]) + "".join(linked[len(words) :])
    head = f'<head><meta charset="utf-8"><title>{html.escape(page.title)}</title></head>'
    return f'<!DOCTYPE html>\n<html lang="en">{head}<body><p>{body}</p></body></html>\n'.encode()
