"""Content-seen on several nodes: fingerprints partitioned by value (book, section 20.2.1; claim C59).

print  64-bit fingerprint of a page's text; the assignment says whose it is
owner  the node that the fingerprint belongs to: it alone knows who else has that text

The copies of a page lie on other hosts, mirrors above all, and so on other nodes: a node that compares its
own pages only misses them. If fingerprints are split by value, equal texts meet at one node, wherever they
were fetched. Each page costs a message to that node, and there is nothing local about the messages: a cache
of popular fingerprints would not help.

A page that changes has to be withdrawn under its old fingerprint, or later copies of the old text would be
taken for copies of a page that no longer has it. So the old fingerprint is kept with the page's URL in the
frontier.

Near copies have other fingerprints; they meet in the same way where the bands of their sketches are split by
value (section 19.6).

Differs from the notes: they run the two together, as if fingerprints stood in the frontier because they
cannot be saved locally. The partition is for finding copies, the frontier's own copy for withdrawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ircourse.dedup import fingerprint
from ircourse.distribute.ring import ConsistentHashRing
from ircourse.distribute.splitter import HostSplitter

__all__ = ["DistributedContentSeen", "MissedCopies", "missed_copies"]


class DistributedContentSeen:
    """Which texts were seen, on all nodes together.

    splitter  says which node fetches a page
    prints    says whose a fingerprint is: a ring of the same nodes
    messages  sent so far between different nodes

    >>> ring = ConsistentHashRing(["ada", "bob", "cleo"], replicas=20)
    >>> seen = DistributedContentSeen(HostSplitter(ring), ring)
    >>> seen.look("http://gazette.example/", "ferry late"), seen.look("http://mirror.example/", "ferry late")
    (None, 'http://gazette.example/')
    >>> seen.look("http://gazette.example/", "ferry on time")  # it changed
    >>> seen.look("http://archive.example/", "ferry late")
    'http://mirror.example/'
    """

    def __init__(self, splitter: HostSplitter, prints: ConsistentHashRing) -> None:
        self._splitter, self._prints = splitter, prints
        # What the owners hold: from fingerprint to the URLs that have it, first come, first served.
        self.held: dict[Any, dict[int, dict[str, None]]] = {node: {} for node in prints.nodes}
        self.in_frontier: dict[str, int] = {}  # from URL to the fingerprint of its last fetch
        self.messages = 0

    def look(self, url: str, text: str | bytes) -> str | None:
        """Return the first page that has the text of ``url`` now, None where that is ``url`` itself.

        What the page had before is withdrawn. A text without a word is no copy of anything.
        """
        new = fingerprint(text)
        if self.in_frontier.get(url) not in (None, new) or not text.strip():
            self.withdraw(url)
        if not text.strip():
            return None
        self.in_frontier[url] = new
        owner = self._ask(url, new)
        urls = self.held[owner].setdefault(new, {})
        urls.setdefault(url)
        first = next(iter(urls))
        return None if first == url else first

    def withdraw(self, url: str) -> None:
        """Forget the text of a page that changed or is gone; of an unknown page there is none."""
        old = self.in_frontier.pop(url, None)
        if old is None:
            return
        owner = self._ask(url, old)
        urls = self.held[owner][old]
        del urls[url]
        if not urls:
            del self.held[owner][old]

    def _ask(self, url: str, print_: int) -> Any:
        """Return the owner of a fingerprint; the node of ``url`` sends it a message if it is another."""
        owner = self._prints.node_for(print_)
        self.messages += owner != self._splitter.node_for(url)
        return owner


class MissedCopies(NamedTuple):
    """Pages whose text an earlier one has, and those among them that no node finds among its own pages."""

    copies: int
    missed: int


def missed_copies(texts: Mapping[str, str | bytes], splitter: HostSplitter) -> MissedCopies:
    """Return what nodes miss that compare only the pages that they fetch themselves.

    texts  from URL to text, in the order fetched; those without a word are left out

    >>> texts = {f"http://site{i}.example/": "ferry late" for i in range(4)}
    >>> missed_copies(texts, HostSplitter(4)), missed_copies(texts, HostSplitter(1))
    (MissedCopies(copies=3, missed=2), MissedCopies(copies=3, missed=0))
    """
    nodes: dict[int, set[Any]] = {}  # from fingerprint to the nodes that have met it
    copies = missed = 0
    for url, text in texts.items():
        if not text.strip():
            continue
        met, node = nodes.setdefault(fingerprint(text), set()), splitter.node_for(url)
        copies += bool(met)
        missed += bool(met) and node not in met
        met.add(node)
    return MissedCopies(copies, missed)
