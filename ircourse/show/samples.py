"""Small webs for the explorers: few enough pages to follow by eye, one phenomenon each.

In HARBOUR the market links to a page on eels that is not there, and nobody links to the newspaper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

SmallWeb = Mapping[str, Sequence[str]]

HARBOUR: SmallWeb = MappingProxyType(
    {
        "home": ("ferries", "library", "market"),
        "ferries": ("timetable", "home"),
        "timetable": ("ferries", "islands"),
        "islands": ("lighthouse",),
        "lighthouse": (),
        "library": ("catalogue", "home"),
        "catalogue": ("library",),
        "market": ("fish", "eels", "home"),
        "fish": ("ferries",),
        "newspaper": ("home", "mirror"),
        "mirror": ("newspaper",),
    }
)
HARBOUR_LINES = "\n".join(" ".join([page, *links]) for page, links in HARBOUR.items())  # as one writes it
LOOP: SmallWeb = MappingProxyType({"A": ("B",), "B": ("A",)})
DIAMONDS: SmallWeb = MappingProxyType(
    {"A": ("B", "C"), "B": ("D",), "C": ("D",), "D": ("E", "F"), "E": ("G",), "F": ("G",), "G": ()}
)
TWO_SOURCES: SmallWeb = MappingProxyType(
    {"A": ("B", "C"), "B": ("C",), "C": ("A", "D"), "D": (), "P": ("Q",), "Q": ("P", "D")}
)
WEBS: Mapping[str, SmallWeb] = MappingProxyType(
    {
        "a harbour town": HARBOUR,
        "two pages in a loop": LOOP,
        "two diamonds": DIAMONDS,
        "two sources": TWO_SOURCES,
    }
)

__all__ = [
    "DIAMONDS",
    "HARBOUR",
    "HARBOUR_LINES",
    "LOOP",
    "TWO_SOURCES",
    "WEBS",
    "SmallWeb",
    "hosts_and_pages",
]


def hosts_and_pages(sizes: Sequence[int] = (24, 12, 8, 6, 5, 4, 3, 3, 2, 2, 1, 1)) -> dict[str, list[str]]:
    """Return a web of hosts of these sizes: each host a tree below its home page, few links between hosts.

    Home pages of odd hosts link to the next host's; four pages in five link back to their home page.

    >>> web = hosts_and_pages([2, 1])
    >>> web["http://host0.example/"]
    ['http://host0.example/1']
    """

    def url(host: int, page: int) -> str:
        return f"http://host{host}.example/{page or ''}"

    web: dict[str, list[str]] = {}
    for host, size in enumerate(sizes):
        for page in range(size):
            children = [child for child in (2 * page + 1, 2 * page + 2) if child < size]
            web[url(host, page)] = [url(host, child) for child in children]
            if page and page % 5:
                web[url(host, page)].append(url(host, 0))
        if host % 2 and host + 1 < len(sizes):
            web[url(host, 0)].append(url(host + 1, 0))
    return web
