"""Saltmere as the explorers of distribution see it: its hosts, its pages and what they link to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ircourse.distribute.splitter import host_key
from ircourse.web import tiny_web

__all__ = ["hosts", "saltmere", "short_host", "texts"]


@cache
def saltmere() -> Mapping[str, tuple[str, ...]]:
    """Return the pages that are known, and of their links those between known pages: no trap is endless."""
    town = tiny_web()
    known = set(town)
    return MappingProxyType(
        {url: tuple(link for link in dict.fromkeys(town[url].links) if link in known) for url in town}
    )


@cache
def hosts() -> tuple[str, ...]:
    """Return the hosts in the order of the alphabet.

    >>> len(hosts()), hosts()[0]
    (19, 'archive.saltmere.example')
    """
    return tuple(sorted({host_key(url) for url in saltmere()}))


@cache
def texts() -> tuple[tuple[str, str, str], ...]:
    """Return URL, title and text of each page."""
    town = tiny_web()
    return tuple((url, town[url].title, town[url].text) for url in saltmere())


def short_host(host: str) -> str:
    """Return a host as a label.

    >>> short_host("library.saltmere.example"), short_host("www.northport.example")
    ('library', 'www.northport')
    """
    return host.removesuffix(".saltmere.example").removesuffix(".example")
