"""A crawl on a cluster: nodes that own hosts by a ring and tell each other in rounds (book, section 20.2.1).

node     number of a crawler: it owns the hosts that the ring gives it, and a folder with a page store
round    each node that has something to do takes a turn; then links go to the owners of their hosts, and
         fingerprints of texts to the owners of their values
message  a URL, or a fingerprint, that goes from one node to another
move     a worker is lost: its nodes, and with them its hosts, go on at the survivors

All URLs of a host go to one node, so politeness and URL-seen stay there, and a host is asked by one crawler
at a time. A turn only counts when its pages and links are committed to the node's folder. So a worker may be
killed at any time: a survivor opens the folder and goes on, nothing is lost, and nothing is fetched again but
what was under way (claim C60). The hosts of a node move together, with all that is known of them.

Differs from the book: there each node sends a URL on as it finds it; here they go in bundles, between turns.
The pages are the same as those of one crawler, but for what depends on the order of fetching: which of two
copies was first, and where a budget of URLs ends.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.crawler.scope import canonical_seeds, scoped
from ircourse.crawl.filters import UrlFilter
from ircourse.distribute.jobs.crawl_node import close, copies, stop_file, store_of
from ircourse.distribute.jobs.crawl_placing import NodeMoved, Placing
from ircourse.distribute.jobs.crawl_rounds import Rounds
from ircourse.distribute.jobs.stages import Progress, Stages

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["ClusterCrawl", "CrawledNode", "crawl"]

OWN = {"clock", "store", "watch", "beat", "revisit"}  # options of a `Crawler` that a crawl here cannot have
NODES = "nodes.json"


@dataclass(frozen=True, slots=True)
class CrawledNode:
    """What one node has done.

    store     the folder of its `PageStore`; pages: in it
    waiting   URLs that it has yet to ask for
    fetched   requests that were answered or failed, robots.txt included, and bytes of their bodies: in turns
              that came to their end
    hosts     that it asked for something since it was opened last
    sent, received  URLs, to and from other nodes
    """

    node: int
    store: Path
    pages: int
    waiting: int
    fetched: int
    bytes: int
    hosts: int
    sent: int
    received: int


@dataclass(frozen=True, slots=True)
class ClusterCrawl:
    """What a crawl on a cluster has come to.

    messages  URLs that went to another node; prints: fingerprints that did
    copies    groups of URLs with the same text, whichever nodes they are on, in order
    """

    nodes: tuple[CrawledNode, ...]
    rounds: int
    messages: int
    prints: int
    moves: tuple[NodeMoved, ...]
    copies: tuple[tuple[str, ...], ...]

    @property
    def pages(self) -> int:
        """The pages of all nodes."""
        return sum(node.pages for node in self.nodes)


def crawl(
    client: Client,
    seeds: Iterable[str],
    *,
    store: str | PathLike[str],
    nodes: int | None = None,
    max_pages: int | None = None,
    turn: float = 30.0,
    hosts: Collection[str] | None = None,
    in_scope: Callable[[str], bool] | None = None,
    urls: UrlFilter | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> ClusterCrawl:
    """Crawl from ``seeds`` on the workers of a client, until no URL is left, and return what came of it.

    store      a folder that all workers reach by this path; in it each node makes a page store, node-0 …. A
               crawl found there goes on
    nodes      how many; None: as many as there are in the folder, in a new one a node a worker. Nodes on one
               worker take their turns one after the other
    max_pages  in all folders together; None: all
    turn       seconds after which a node that has more to do hands over what it has found
    hosts, in_scope, urls  where the crawl goes, as of a `Crawler`
    progress   ``progress(stage, done, of)``
    options    a `Crawler`'s others: fetch, agent, delay, threads, resolve, …; they travel to the workers

    Near copies, and with ``follow_copies`` False the copies that are not followed, are told among a node's
    own pages only. Raises ValueError for seeds that are no URLs, for other ``nodes`` than a folder has and
    numbers out of range, TypeError for options that a crawl here cannot have or that cannot travel, and
    ClusterError where all workers are lost, one node ends worker after worker, or no node comes to the end of
    a turn for minutes. The folder then holds all but what was under way, and the same call goes on.
    """
    stages = Stages(client, progress)
    seeds = canonical_seeds(seeds)
    if not turn > 0 or (max_pages is not None and max_pages < 0):
        raise ValueError(
            f"turn is {turn!r}, max_pages {max_pages!r}: give seconds above 0, and pages or None"
        )
    urls = scoped(hosts, seeds, in_scope) if urls is None else urls
    _check_options(urls, options)
    folder = Path(store).absolute()
    n = _count(folder, nodes, stages.workers)
    stop_file(folder).unlink(missing_ok=True)
    placing = Placing(stages, n, folder, urls, options)
    try:
        rounds = Rounds(placing, n, turn, max_pages)
        rounds.run(seeds)
        groups = placing.run("copies", copies, dict.fromkeys(range(n), ()))
        placing.run("closing", close, dict.fromkeys(range(n), ()))
    except BaseException:
        stop_file(folder).touch()
        placing.let_go()
        raise
    done = tuple(_crawled(rounds, folder, node) for node in range(n))
    alike = tuple(sorted(group for some in groups.values() for group in some))
    sent = sum(rounds.sent.values())
    return ClusterCrawl(done, rounds.count, sent, rounds.prints, tuple(placing.moves), alike)


def _crawled(rounds: Rounds, folder: Path, node: int) -> CrawledNode:
    last, costs = rounds.last[node], rounds.costs[node]
    letters = rounds.sent[node], rounds.received[node]
    return CrawledNode(node, store_of(folder, node), last.pages, last.waiting, *costs, last.hosts, *letters)


def _check_options(urls: UrlFilter, options: dict[str, Any]) -> None:
    """Raise what a `Crawler` would, and TypeError for what cannot be had here or sent."""
    if wrong := sorted(OWN & options.keys()):
        raise TypeError(f"{wrong[0]} is no option of a crawl on a cluster: leave it out")
    Crawler([], **options)
    dumps = importlib.import_module("distributed.protocol.pickle").dumps
    for name, option in {**options, "urls": urls}.items():
        try:
            dumps(option)
        except Exception as error:
            raise TypeError(
                f"{name} cannot be sent to the workers ({error}): give plain data, or a function that uses "
                "nothing else; of a served web served_at(server)"
            ) from error


def _count(folder: Path, nodes: int | None, default: int) -> int:
    """Return how many nodes the folder has, or write down how many it will have."""
    if nodes is not None and (isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 1):
        raise ValueError(f"nodes is {nodes!r}: give a number of at least 1, or None")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / NODES).exists():
        new = folder / f"{NODES}.new"
        new.write_text(json.dumps({"nodes": nodes or default}), encoding="utf-8")
        os.replace(new, folder / NODES)
    try:
        found = json.loads((folder / NODES).read_text(encoding="utf-8"))["nodes"]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, int) or found < 1:
        raise ValueError(f"{folder / NODES} does not say how many nodes there are: remove the folder")
    if nodes not in (None, found):
        raise ValueError(f"{folder} holds a crawl of {found} nodes, not {nodes}: hosts would change owners")
    return found
