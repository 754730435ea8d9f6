"""The words of each page's links, read once and kept until the page changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ircourse.text import tokenize

__all__ = ["LinkWords"]


class LinkWords:
    """The words of links by page and by the address that they lead to.

    links  gives the links of a page

    Links marked nofollow are left out, as their authors ask.

    >>> from ircourse.types import Link
    >>> links = Link("http://b.example/", "old harbour"), Link("http://b.example/", "the Old quay")
    >>> LinkWords(lambda url: links).of("http://a.example/")
    {'http://b.example/': 'old harbour the quay'}
    """

    def __init__(self, links: Callable[[str], Sequence[str]]) -> None:
        self._links = links
        self._words: dict[str, dict[str, str]] = {}

    def forget(self, urls: Iterable[str]) -> None:
        """Forget pages that have changed."""
        for url in urls:
            self._words.pop(url, None)

    def of(self, url: str) -> dict[str, str]:
        """Return by address linked to the words of the page's links there, each once, in order."""
        if url not in self._words:
            words: dict[str, dict[str, None]] = {}
            for link in self._links(url):
                if not getattr(link, "nofollow", False):
                    anchor = tokenize(getattr(link, "anchor", ""))
                    words.setdefault(str(link), {}).update(dict.fromkeys(anchor))
            self._words[url] = {target: " ".join(terms) for target, terms in words.items()}
        return self._words[url]
