"""The collection: pages, their noise and their duplicates, kept up to date page by page.

urls      addresses of all pages, sorted; so the order in which pages came leaves no trace
sketches  of their texts without noise, uint64 (n, 200), a row a page
digests   by address the BLAKE2 digest of the text without noise: what has the same one is indexed already
kept      addresses of the pages that stand for themselves, sorted; mirrors  by address those they stand for

An update counts the lines of the hosts it touches again, reads again the pages whose text or noise changed,
sketches those whose text without noise changed, and finds the pairs among all sketches. With 10^4 pages of
5 kB on one host that is about a second, whatever the update; most of it goes into the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ircourse.engine.duplicates import PERMUTATIONS, clusters_by_sketches, representatives, sketches_of
from ircourse.engine.files import EngineFileError
from ircourse.engine.link_words import LinkWords
from ircourse.engine.noise import cleaned, noise_of
from ircourse.engine.pages import SourcePage, page_of, record_of, text_and_date, whole
from ircourse.links import host_of

T = TypeVar("T")

__all__ = ["Collection", "Progress", "digest_of"]

Progress: TypeAlias = Callable[[str, int, int], None]  # stage, steps done, steps of the stage

_BATCH = 500  # texts that are sketched at once


class Collection:
    """The pages of an engine; see the module.

    threshold  the estimated likeness from which pages are duplicates; over 1: never

    >>> pages = Collection()
    >>> pages.update([SourcePage(f"http://{name}.example/", "a rose") for name in "ab"])
    >>> pages.kept, pages.mirrors
    (['http://a.example/'], {'http://a.example/': ('http://b.example/',)})
    """

    def __init__(self, threshold: float = 0.9) -> None:
        if not threshold > 0:
            raise ValueError(f"the threshold is {threshold!r}: give a likeness above 0")
        self.threshold = threshold
        self.records: dict[str, bytes] = {}
        self.words = LinkWords(lambda url: self.page(url).links)
        self.titles: dict[str, str] = {}
        self.noise: dict[str, frozenset[str]] = {}
        self.digests: dict[str, bytes] = {}
        self.urls: list[str] = []
        self.sketches: NDArray[np.uint64] = np.empty((0, PERMUTATIONS), np.uint64)
        self.stands_for: dict[str, str] = {}
        self.kept: list[str] = []
        self.mirrors: dict[str, tuple[str, ...]] = {}

    def page(self, url: str) -> SourcePage:
        """Return a page as it came.

        Raises KeyError for an unknown address; EngineFileError, as all that reads pages, where an engine that
        was loaded has a record that is none.
        """
        return self._read(page_of, url)

    def _read(self, reader: Callable[[bytes], T], url: str) -> T:
        if url not in self.records:
            raise KeyError(f"{url!r:.200} is no page of this engine")
        try:
            return reader(self.records[url])
        except ValueError as error:
            why = f"the page {url!r:.200} of this engine is damaged: build the engine again and save it"
            raise EngineFileError(f"{why} ({error})") from None

    def text(self, url: str) -> str:
        """Return the text of a page without noise. Raises as `page` does."""
        return self.text_and_date(url)[0]

    def text_and_date(self, url: str) -> tuple[str, datetime | None]:
        """Return the text of a page without noise, and its date, without reading its links."""
        text, date = self._read(text_and_date, url)
        return cleaned(text, self.noise.get(_host(url), ())), date

    def texts(self) -> Iterator[str]:
        """Yield title and text of each page that is kept, a line between them."""
        for url in self.kept:
            yield f"{self.titles[url]}\n{self.text(url)}"

    def update(
        self, changed: Iterable[Any] = (), removed: Iterable[str] = (), progress: Progress | None = None
    ) -> None:
        """Remove pages, then add or replace others.

        Of two pages with one address the last one counts. Raises KeyError for an address to be removed that
        is not there, and as `record_of` does; then nothing has changed.
        """
        report = progress or (lambda stage, done, total: None)
        gone = dict.fromkeys(map(whole, [removed] if isinstance(removed, str) else removed))
        for url in gone:
            if url not in self.records:
                raise KeyError(f"{url!r:.200} cannot be removed: it is no page of this engine")
        came: dict[str, bytes] = {}
        for page in changed:
            record = record_of(page)
            came[whole(page.url)] = record
            report("pages", len(came), 0)
        for url in gone:
            del self.records[url], self.titles[url], self.digests[url], self.stands_for[url]
        self.records |= came
        touched = {*gone, *came}
        self.words.forget(touched)
        self._resketch(self._recleaned(touched, came), report)
        self._stand()

    def _recleaned(self, touched: Iterable[str], came: Iterable[str]) -> dict[str, str]:
        """Count the lines of the hosts touched; return the texts without noise that are not as before."""
        hosts = {_host(url) for url in touched}
        by_host: dict[str, list[str]] = {host: [] for host in sorted(hosts)}
        for url in self.records:
            if (host := _host(url)) in hosts:
                by_host[host].append(url)
        dirty = set(came)
        for host, urls in by_host.items():
            lines = noise_of(self._read(text_and_date, url)[0] for url in urls)
            if lines != self.noise.pop(host, frozenset()):
                dirty.update(urls)
            if lines:
                self.noise[host] = lines
        fresh: dict[str, str] = {}
        for url in sorted(dirty):
            page = self.page(url)
            text = cleaned(page.text, self.noise.get(_host(url), ()))
            digest = digest_of(text)
            if self.digests.get(url) != digest:
                fresh[url] = text
            self.titles[url], self.digests[url] = page.title, digest
        return fresh

    def _resketch(self, fresh: dict[str, str], report: Progress) -> None:
        """Put ``urls`` and ``sketches`` in order, with new sketches for the texts that are new."""
        before = {url: row for row, url in enumerate(self.urls)}
        self.urls = sorted(self.records)
        sketches = np.empty((len(self.urls), PERMUTATIONS), np.uint64)
        rows = {url: row for row, url in enumerate(self.urls)}
        old = [url for url in self.urls if url not in fresh]
        sketches[[rows[url] for url in old]] = self.sketches[[before[url] for url in old]]
        new = list(fresh)
        for i in range(0, len(new), _BATCH):
            batch = new[i : i + _BATCH]
            sketches[[rows[url] for url in batch]] = sketches_of([fresh[url] for url in batch])
            report("duplicates", i + len(batch), len(new))
        self.sketches = sketches

    def _stand(self) -> None:
        """Find which page stands for which."""
        near = clusters_by_sketches(self.sketches, self.threshold)
        clusters = [[self.urls[row] for row in cluster] for cluster in near]
        links = ((url, self.words.of(url)) for url in self.urls)
        rows = {url: row for row, url in enumerate(self.urls)}

        def alike(url: str, others: list[str]) -> NDArray[np.bool_]:
            same = self.sketches[[rows[other] for other in others]] == self.sketches[rows[url]]
            found: NDArray[np.bool_] = same.mean(axis=1) >= self.threshold
            return found

        self.set_clusters({url: url for url in self.urls} | representatives(clusters, links, alike))

    def set_clusters(self, stands_for: dict[str, str]) -> None:
        """Set which page stands for which; addresses in their order."""
        self.stands_for = stands_for
        mirrors: dict[str, list[str]] = {}
        for url, other in self.stands_for.items():
            mirrors.setdefault(other, [])
            if url != other:
                mirrors[other].append(url)
        self.kept = sorted(mirrors)
        self.mirrors = {url: tuple(mirrors[url]) for url in self.kept if mirrors[url]}


def digest_of(text: str) -> bytes:
    """Return the 128-bit BLAKE2 digest of a text."""
    return blake2b(text.encode(), digest_size=16).digest()


def _host(url: str) -> str:
    return host_of(url) or ""
