"""What the explorers ask of a web: a mapping from a page to a list of what it links to, or to a `Page`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ircourse.graphs import source_components
from ircourse.show.svg import clip

LONGEST = 200  # characters of a URL in words and tables
EXAMPLE = '{"A": ["B"], "B": []}'

__all__ = ["host_of", "is_url", "links_of", "seeds_in", "seeds_of", "short"]


def short(url: object) -> str:
    """Return a URL as a label: without its scheme, its middle cut out where it is very long.

    >>> short("http://harbour.example/ferries")
    'harbour.example/ferries'
    """
    return clip(str(url).removeprefix("http://").removeprefix("https://"), LONGEST)


def links_of(web: Mapping[Any, Any]) -> dict[Any, list[Any]]:
    """Return what the pages of a web link to, page by page; ValueError where there is no page or no list.

    >>> links_of({"a": None})
    Traceback (most recent call last):
        ...
    ValueError: page 'a' is None: give a list of what it links to, [] where that is nothing
    """
    if not isinstance(web, Mapping) or not web:
        raise ValueError(f"no pages in {_said(web)}: give a mapping such as {EXAMPLE}")
    remedy = "give a list of what it links to, [] where that is nothing"
    return {
        url: _listed(getattr(page, "links", page), f"page {_said(url)}", remedy) for url, page in web.items()
    }


def seeds_in(seeds: Sequence[Any]) -> list[Any]:
    """Return the seeds as a list; ValueError where there is none.

    >>> seeds_in("A")
    Traceback (most recent call last):
        ...
    ValueError: seeds is 'A': give a list of at least one URL, such as ["A"]
    """
    remedy = 'give a list of at least one URL, such as ["A"]'
    found = _listed(seeds, "seeds", remedy)
    if not found:
        raise ValueError(f"seeds is empty: {remedy}")
    return found


def seeds_of(web: Mapping[Any, Any]) -> list[Any]:
    """Return the first page, and one page of each source component that it does not stand in."""
    first = next(iter(web))
    return [first, *(piece[0] for piece in source_components(links_of(web)) if first not in piece)]


def host_of(url: str) -> str:
    """Return the host in a URL; what a URL cannot be is a host of its own.

    >>> host_of("http://harbour.example/ferries"), host_of("http://[")
    ('harbour.example', 'http://[')
    """
    return urlsplit(url).netloc if is_url(url) else url


def is_url(url: object) -> bool:
    """Return whether ``url`` is text that can be taken apart as a URL; "home" is, a relative one."""
    if not isinstance(url, str):
        return False
    try:
        urlsplit(url)
    except ValueError:  # brackets without an IPv6 address between them
        return False
    return True


def _listed(values: Any, what: str, remedy: str) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{what} is {_said(values)}: {remedy}")
    found = list(values)
    for value in found:
        try:
            hash(value)
        except TypeError:
            raise ValueError(f"{what} holds {_said(value)}, the name of no page: {remedy}") from None
    return found


def _said(value: object) -> str:
    return clip(repr(value), 60)
