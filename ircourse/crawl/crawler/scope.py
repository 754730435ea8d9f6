"""Where a crawl may go: its seeds, and a filter of URLs that keeps to their hosts (book, section 20.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.frontier.items import host_of
from ircourse.crawl.urls import canonical_url

__all__ = ["canonical_seeds", "scoped"]

PER_PATTERN = 10_000


class _Scoped(UrlFilter):
    """A filter of URLs with a condition of the caller's own, which counts as scope."""

    in_scope: Callable[[str], bool] | None = None

    def refuse(self, url: str, clicks: int = 0) -> str:
        """Return the first rule that refuses the URL, "" for none."""
        return super().refuse(url, clicks) or ("scope" if self.in_scope and not self.in_scope(url) else "")


def scoped(
    hosts: Collection[str] | None, seeds: Iterable[str], in_scope: Callable[[str], bool] | None = None
) -> UrlFilter:
    """Return the filter of a crawl of some hosts, None for the seeds' own, "*" for all.

    >>> scoped(None, ["http://a.example/"]).refuse("http://b.example/")
    'scope'
    """
    urls = _Scoped(_scope(hosts, seeds), per_pattern=PER_PATTERN)
    urls.in_scope = in_scope
    return urls


def canonical_seeds(seeds: Iterable[str]) -> list[str]:
    """Return seeds in their canonical form. Raises ValueError for what is no URL.

    >>> canonical_seeds(["HTTP://a.example:80"])
    ['http://a.example/']
    """
    if isinstance(seeds, str):
        raise TypeError(f"seeds are several URLs: write [{seeds!r:.80}]")
    urls = []
    for seed in seeds:
        url = canonical_url(seed)
        if url is None:
            raise ValueError(f"{seed!r:.200} cannot be crawled: give an http or https URL with its host")
        urls.append(url)
    return urls


def _scope(hosts: Collection[str] | None, seeds: Iterable[str]) -> Collection[str] | None:
    if hosts is None:
        return {host_of(seed) for seed in seeds}
    if isinstance(hosts, str) and hosts != "*":
        raise TypeError(f"hosts are several: write [{hosts!r:.80}]")
    return None if "*" in hosts else hosts
