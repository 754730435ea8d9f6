"""A whole crawl in one picture: a dot for each page, a cloud of dots for each host, a line for each link."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ircourse.show.still import Still
from ircourse.show.style import INK, LOOKS
from ircourse.show.svg import Drawing, clip, element, joined, label, shorten, text_width
from ircourse.show.webs import host_of, links_of

GOLDEN = math.pi * (3 - math.sqrt(5))
SPACING = 7.0
MARGIN = 26.0

__all__ = ["link_map"]


def link_map(pages: Mapping[str, Any], *, notice: str = "") -> Still:
    """Return the map of ``pages``, a mapping from a URL to a page with ``.links``, or to a list of links.

    The host with most pages stands in the middle. Within a host the pages with most in-links lie inside, and
    their dots are larger. Links to what is not in ``pages`` are left out. A key that no URL can be, such as
    ``http://[``, is a host of its own.
    """
    if not pages:
        raise ValueError("no pages to draw a map of: crawl some first")
    if wrong := [url for url in pages if not isinstance(url, str)]:
        raise ValueError(f"{wrong[0]!r} is no URL: give a mapping from URLs, which are strings, to pages")
    links_from = links_of(dict(pages))  # a web answers for more URLs than it lists
    links = {(url, str(link)) for url, out in links_from.items() for link in out if str(link) in links_from}
    counts = Counter(dict.fromkeys(links_from, 0))
    counts.update(link for _, link in links)
    host = {url: host_of(url) for url in links_from}
    hosts: dict[str, list[str]] = {}
    for url in sorted(links_from, key=lambda url: (-counts[url], url)):
        hosts.setdefault(host[url], []).append(url)
    hosts = dict(sorted(hosts.items(), key=lambda item: (-len(item[1]), item[0])))
    spots, names, (width, height) = _places(hosts)
    dots = (_dot(spots[url], counts[url]) for url in spots)
    drawing = Drawing(width, height, joined([_lines(links, spots), *dots, *names]))
    return Still(drawing, _alt(hosts, links, counts), _rows(hosts, links, host), notice)


def _alt(hosts: Mapping[str, list[str]], links: set[tuple[str, str]], counts: Mapping[str, int]) -> str:
    top = max((urls[0] for urls in hosts.values()), key=lambda url: counts[url])
    return (
        f"A map of {len(counts):,} pages on {len(hosts)} host{'s' * (len(hosts) > 1)} "
        f"with {len(links):,} links between them. "
        f"The page with most in-links, {counts[top]}, is {clip(top, 200)}."
    )


def _rows(
    hosts: Mapping[str, list[str]], links: set[tuple[str, str]], host: Mapping[str, str]
) -> list[list[object]]:
    """Return the numbers of pages, of links within and of links out, host by host."""
    within = Counter(host[u] for u, v in links if host[u] == host[v])
    out = Counter(host[u] for u, v in links if host[u] != host[v])
    rows = [[clip(name, 200), len(urls), within[name], out[name]] for name, urls in hosts.items()]
    return [["host", "pages", "links within", "links out"], *rows]


def _places(
    hosts: Mapping[str, list[str]],
) -> tuple[dict[str, tuple[float, float]], list[Any], tuple[float, float]]:
    """Return a point for each page, the hosts' names, and the size: one in the middle, a ring around."""
    radii = {host: max(SPACING * math.sqrt(len(urls)), 12.0) + 4 for host, urls in hosts.items()}
    first, *others = hosts
    around = sum(2 * radii[host] + 46 for host in others)
    ring = max(around / (2 * math.pi), radii[first] + max((radii[h] for h in others), default=0) + 40)
    middle = (ring + max((radii[h] for h in others), default=0) if others else radii[first]) + MARGIN
    centres, angle = {first: (middle * 1.25, middle)}, -math.pi / 2
    for host in others:
        half = (radii[host] + 23) / around * 2 * math.pi
        angle += half
        centres[host] = (middle * 1.25 + 1.2 * ring * math.cos(angle), middle + ring * math.sin(angle))
        angle += half
    spots = {}
    for host, urls in hosts.items():
        x, y = centres[host]
        for i, url in enumerate(urls):
            reach, turn = SPACING * math.sqrt(i), GOLDEN * i
            spots[url] = (x + reach * math.cos(turn), y + reach * math.sin(turn))
    names = [
        label(name, centres[host][0] - text_width(name) / 2, centres[host][1] + radii[host] + 12)
        for host in hosts
        for name in [shorten(host.removesuffix(".example"), 190)]
    ]
    return spots, names, (middle * 2.5, middle * 2)


def _lines(links: set[tuple[str, str]], spots: Mapping[str, tuple[float, float]]) -> Any:
    path = "".join(
        f"M{spots[a][0]:.0f} {spots[a][1]:.0f}L{spots[b][0]:.0f} {spots[b][1]:.0f}"
        for a, b in sorted(links)
        if a != b
    )
    return element("path", d=path, stroke=INK, stroke_width=0.5, opacity=0.16, fill="none")


def _dot(spot: tuple[float, float], count: int) -> Any:
    seems = LOOKS["stored"]
    return element(
        "circle",
        cx=round(spot[0], 1),
        cy=round(spot[1], 1),
        r=round(min(1.8 + 0.55 * math.sqrt(count), 6.5), 1),
        fill=seems.stroke,
        stroke="#ffffff",
        stroke_width=0.8,
    )
