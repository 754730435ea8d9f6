"""Drawing pages of the web itself, then keeping those that an engine holds (book, section 19.5).

servers  mapping from address to the pages found there: what the server shows that answers by its address
graph    links between pages, by number

Both samplers ask ``has(engine, page)`` (see ``checking.py``) and keep the page where it says yes.

Source: book, section 19.5; Lawrence and Giles (1999); Henzinger and others (2000).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ircourse.graphs import GraphLike, as_graph
from ircourse.indexsize.engine import Searchable
from ircourse.indexsize.metropolis import link_chain
from ircourse.indexsize.samplers import Pages, Rng, collected, pick

__all__ = ["Has", "page_chances", "random_ips", "random_walk", "servers_by_address"]

Has: TypeAlias = Callable[[Searchable, int], bool | None]


def servers_by_address(
    hosts: Sequence[str], addresses: Mapping[str, int], silent: Collection[Hashable] = ()
) -> dict[int, list[int]]:
    """Return what a request to each address finds: the pages of one host.

    hosts      of each page, by number
    addresses  of each host; virtual hosts share one, and the first by name answers there
    silent     hosts that do not answer

    >>> servers_by_address(["a", "b", "b", "c", "d"], {"a": 7, "b": 7, "c": 1, "d": 2}, silent={"d"})
    {1: [3], 7: [0]}
    """
    pages: dict[str, list[int]] = {}
    for number, host in enumerate(hosts):
        pages.setdefault(host, []).append(number)
    shown: dict[int, list[int]] = {}
    answering: dict[int, str] = {}
    for host in sorted(pages):
        if answering.setdefault(addresses[host], host) == host and host not in silent:
            shown[addresses[host]] = pages[host]
    return dict(sorted(shown.items()))


def page_chances(servers: Mapping[int, Sequence[int]]) -> dict[int, float]:
    """Return by page the chance that its server, once hit, gives it: 1 / the pages there.

    What corrects for servers with few pages. A page that no server shows has no chance, and no correction.

    >>> page_chances({7: [0, 4], 8: [2]})
    {0: 0.5, 4: 0.5, 2: 1.0}
    """
    return {page: 1 / len(pages) for pages in servers.values() for page in pages}


def random_ips(
    engine: Searchable,
    n: int,
    rng: Rng = 0,
    *,
    servers: Mapping[int, Sequence[int]],
    addresses: int,
    has: Has,
) -> Pages:
    """Return n pages that the engine holds: an address below ``addresses``, a page drawn from its server.

    Favours pages of servers with few pages (see ``page_chances``); misses all but one of the virtual hosts of
    an address, and hosts that do not answer. Raises SurveyFailed where too few addresses answer.

    >>> from ircourse.indexsize import SearchEngine
    >>> drawn = random_ips(SearchEngine(["a"] * 3), 600, 1, servers={3: [0], 5: [1, 2]}, addresses=8,
    ...     has=lambda engine, page: True)
    >>> np.bincount(drawn).tolist()
    [316, 126, 158]
    """
    if addresses < 1:
        raise ValueError(f"addresses is {addresses}: give the number of addresses to draw from")
    rng = np.random.default_rng(rng)

    def draws() -> Iterator[int | None]:
        while True:
            pages = servers.get(int(rng.integers(addresses)))
            page = pick(pages, rng) if pages else None
            yield page if page is not None and has(engine, page) else None

    return collected(draws(), n)


def random_walk(
    engine: Searchable,
    n: int,
    rng: Rng = 0,
    *,
    graph: GraphLike,
    start: int,
    has: Has,
    burn_in: int = 100,
    between: int = 10,
    uniform: bool = False,
) -> Pages:
    """Return n pages that the engine holds, met on a walk along the links of the web.

    start    page to begin at, and again at each page without links
    burn_in  steps before the first page is taken; between: from one that is taken to the next
    uniform  walk by Metropolis–Hastings, for which links must lead both ways (ValueError)

    Not uniform otherwise: where links lead both ways a page comes in proportion to its links.

    >>> from ircourse.indexsize import SearchEngine
    >>> star = {0: [1, 2, 3], 1: [0], 2: [0], 3: [0]}
    >>> walked = random_walk(SearchEngine(["a"] * 4), 300, 1, graph=star, start=0, between=3,
    ...     has=lambda engine, page: True, uniform=True)
    >>> np.bincount(walked).tolist()
    [67, 72, 87, 74]
    """
    if burn_in < 0 or between < 1:
        raise ValueError(f"burn_in {burn_in} and between {between}: give at least 0 and at least 1")
    chain = link_chain(as_graph(graph), start, np.random.default_rng(rng), uniform=uniform)
    return collected(_every(chain, burn_in, between, lambda page: has(engine, page)), n)


def _every(
    chain: Iterable[int], burn_in: int, between: int, kept: Callable[[int], bool | None]
) -> Iterator[int | None]:
    for step, page in enumerate(chain):
        if step >= burn_in and (step - burn_in) % between == 0:
            yield page if kept(page) else None
