"""The host splitter: which node of a distributed crawler each URL goes to (book, section 20.2.1).

The splitter stands behind the URL filter. It sends all URLs of a host to one node, so that the node alone
keeps the host's gap between requests and knows which of its URLs were seen. The price is load: a huge host
is one node's. Splitting by URL evens the load out, and then every node asks every host (claim C58).

assignment  what says which node a key belongs to: a `ConsistentHashRing`, `ModHashing`, `ByRegion`
host        the name in a canonical URL, without port and final dot: one machine, one node
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ircourse.crawl.urls import canonical_url
from ircourse.distribute.mod_hashing import ModHashing

__all__ = ["Assignment", "HostSplitter", "UrlSplitter", "contacts", "crawlable_url", "host_key"]


class Assignment(Protocol):
    """What a splitter needs to know: the nodes, and the node of a key."""

    @property
    def nodes(self) -> tuple[Any, ...]:
        """The nodes, in order."""

    def node_for(self, key: str) -> Any:
        """Return the node of a key."""


class HostSplitter:
    """Sends every URL of a host to one node.

    assignment  says which node a host belongs to; a number D stands for hash mod D

    >>> split = HostSplitter(4)
    >>> split.node_for("HTTP://Harbour.example:80/ferries") == split.node_for("http://harbour.example/")
    True
    >>> split.split(["http://harbour.example/", "http://museum.example/whales"])
    {0: [], 1: ['http://museum.example/whales'], 2: ['http://harbour.example/'], 3: []}
    """

    def __init__(self, assignment: Assignment | int) -> None:
        self.assignment = ModHashing(assignment) if isinstance(assignment, int) else assignment

    @property
    def nodes(self) -> tuple[Any, ...]:
        """The nodes, in order."""
        return self.assignment.nodes

    def key(self, url: str) -> str:
        """Return what of ``url`` decides about its node."""
        return host_key(url)

    def node_for(self, url: str) -> Any:
        """Return the node of a URL, however that is written. Raises ValueError for what cannot be crawled."""
        return self.assignment.node_for(self.key(url))

    def split(self, urls: Iterable[str]) -> dict[Any, list[str]]:
        """Return the URLs of each node, in their order; every node is there. Raises as `node_for` does."""
        parts: dict[Any, list[str]] = {node: [] for node in self.nodes}
        for url in urls:
            parts[self.node_for(url)].append(url)
        return parts

    def joined_by(self, node: Any) -> HostSplitter:
        """Return the splitter with one node more. Raises ValueError where that would move all hosts."""
        return type(self)(self._changed("joined_by", node))

    def without(self, node: Any) -> HostSplitter:
        """Return the splitter of the other nodes. Raises ValueError where that would move all hosts."""
        return type(self)(self._changed("without", node))

    def _changed(self, method: str, node: Any) -> Any:
        change = getattr(self.assignment, method, None)
        if change is None:
            raise ValueError(
                f"{type(self.assignment).__name__} cannot do with or without {node!r} and leave the hosts of "
                "others where they are: split by a ConsistentHashRing"
            )
        return change(node)


class UrlSplitter(HostSplitter):
    """Sends each URL to a node of its own, whatever its host: even loads, no politeness.

    >>> split = UrlSplitter(4)
    >>> [split.node_for(f"http://harbour.example/{i}") for i in range(6)]
    [3, 3, 0, 3, 3, 0]
    """

    def key(self, url: str) -> str:
        """Return the canonical URL."""
        return crawlable_url(url)


def host_key(url: str) -> str:
    """Return the host's name in ``url``: canonical, without port and final dot.

    Raises ValueError for what is no URL to crawl, TypeError for what is no str.

    >>> host_key("HTTP://EXAMPLE.org.:8080/a"), host_key("http://[::1]:80/")
    ('example.org', '[::1]')
    """
    authority = crawlable_url(url).split("/", 3)[2]
    host = authority if authority.endswith("]") else authority.rpartition(":")[0] or authority
    return host.removesuffix(".")


def contacts(splitter: HostSplitter, urls: Iterable[str]) -> dict[str, int]:
    """Return for each host, in the order met, how many nodes would ask it for pages.

    >>> urls = [f"http://harbour.example/{i}" for i in range(20)]
    >>> contacts(HostSplitter(4), urls), contacts(UrlSplitter(4), urls)
    ({'harbour.example': 1}, {'harbour.example': 4})
    """
    nodes: dict[str, set[Any]] = {}
    for url in urls:
        nodes.setdefault(host_key(url), set()).add(splitter.node_for(url))
    return {host: len(asking) for host, asking in nodes.items()}


def crawlable_url(url: str) -> str:
    """Return the canonical URL. Raises ValueError where there is none, TypeError for what is no str."""
    found = canonical_url(url)
    if found is None:
        raise ValueError(f"{url!r:.200} cannot be crawled, so no node owns it: filter URLs before splitting")
    return found
