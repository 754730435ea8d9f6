"""Where a spider looks pages up: in a mapping, or on a real server over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from ircourse.types import Page

__all__ = ["look_up_in"]

U = TypeVar("U", bound=Hashable)


def look_up_in(web: Mapping[U, Any]) -> Callable[[U], Any]:
    """Return the ``look_up`` of a mapping from a URL to its page, or to the URLs that it links to.

    >>> look_up_in({1: [2, 3], 2: [], 3: []})(1).links
    (2, 3)
    >>> look_up_in({1: [2]})(2) is None
    True
    """

    def look_up(url: U) -> Any:
        page = web.get(url)
        if page is None or hasattr(page, "links"):
            return page
        return Page(url, links=tuple(page))  # type: ignore[arg-type]

    return look_up
