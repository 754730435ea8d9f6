"""What a spider shows to those who watch it: read-only views of what it holds.

``watch(event, url, page, held)`` is called once in each turn of a spider's outer While.

event  "stored", "dead" (``look_up`` gave None) or "empty" (every URL left on the stack was seen before: where
       the printed SPIDER2 to SPIDER4 fail; ``url`` and ``page`` are then None)
held   a `Held`, made once and live: a watcher that wants to remember a state copies it

A turn costs a spider one more call, and nothing when nobody watches.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, overload

__all__ = ["Held", "View", "Watch", "views"]

T_co = TypeVar("T_co", covariant=True)


class Held(NamedTuple):
    """What a spider holds.

    stack    the URLs waiting, the next one last, after this page's links were pushed
    visited  the URLs taken so far; SPIDER1 has none (empty), for SPIDER2 it is COLLECTION's URLs
    counts   the in-links counted so far (`spider4_counting`; otherwise empty)
    """

    stack: Sequence[Any]
    visited: Collection[Any]
    counts: Mapping[Any, int]


Watch: TypeAlias = Callable[[str, Any, Any, Held], object] | None


class View(Sequence[T_co], Generic[T_co]):
    """A list or set that can be read and not changed; it follows the original.

    >>> stack = [1, 2]
    >>> view = View(stack)
    >>> stack.append(3)
    >>> view[-1], len(view), 2 in view
    (3, 3, True)
    """

    __slots__ = ("_of",)

    def __init__(self, of: Collection[T_co]) -> None:
        self._of: Any = of

    def __len__(self) -> int:
        return len(self._of)

    def __iter__(self) -> Iterator[T_co]:
        return iter(self._of)

    def __contains__(self, item: object) -> bool:
        return item in self._of

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | Sequence[T_co]:
        return self._of[index]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"View({self._of!r})"


def views(stack: list[Any], visited: Collection[Any] = (), counts: Mapping[Any, int] | None = None) -> Held:
    """Return what a watcher may see of a spider's stack, visited URLs and counts."""
    return Held(View(stack), View(visited), MappingProxyType({} if counts is None else counts))
