"""What a frontier shows to those who watch it: its parts as in Figure 20.3.

``watch(event, url, view)`` is called after each step, the event being "add", "take" or "done". The view is
live and cannot change the frontier; each of its properties is a plain copy made when it is read, so a watcher
keeps what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import merge
from typing import TYPE_CHECKING, TypeAlias

from ircourse.crawl.frontier.items import HEAD, item_of

if TYPE_CHECKING:
    from ircourse.crawl.frontier.frontier import Frontier

__all__ = ["FrontierView", "Watch"]


class FrontierView:
    """The queues of a frontier, read-only.

    >>> from ircourse.crawl.frontier.frontier import Frontier
    >>> frontier = Frontier(front_queues=2, back_queues=1)
    >>> for url in ("http://a.example/1", "http://a.example/2", "http://b.example/"):
    ...     frontier.add(url)
    >>> took = frontier.take(now=0.0)
    >>> view = FrontierView(frontier)
    >>> view.front
    ((), ('http://b.example/',))
    >>> view.back, view.in_flight
    ((('a.example', ('http://a.example/2',)),), {'a.example': 'http://a.example/1'})
    >>> view.due
    (1.0, 4.0)
    """

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier

    @property
    def front(self) -> tuple[tuple[str, ...], ...]:
        """The URLs in each front queue, the most urgent queue first, in the order of adding."""
        front = self._frontier._front
        found = []
        for level in range(len(front.lines)):
            hosts = [host for host in self._frontier._hosts.values() if level in host.waiting]
            lists = [map(item_of, front.records(host, level)) for host in hosts]
            found.append(tuple([item.url for item in merge(*lists)]))
        return tuple(found)

    @property
    def due(self) -> tuple[float, ...]:
        """When the selector turns to each front queue, on its own scale: the smallest first."""
        return tuple(self._frontier._front.selector.due)

    @property
    def back(self) -> tuple[tuple[str | None, tuple[str, ...]], ...]:
        """The host of each back queue, None if it is idle, and its URLs, the next one first."""
        back = self._frontier._back
        idle = {queue.number for queue in back.idle}
        return tuple(
            (None, ())
            if queue.number in idle
            else (queue.host.name, tuple([record[HEAD:].decode() for record in queue.records[::-1]]))
            for queue in back.queues
        )

    @property
    def heap(self) -> tuple[tuple[float, int], ...]:
        """(t_e, number) of each back queue that waits for its time, the next one first."""
        return tuple([(at, queue.number) for at, _, queue in sorted(self._frontier._back.heap)])

    @property
    def table(self) -> Mapping[str, int]:
        """Table T: from host to the number of its back queue."""
        return {host: queue.number for host, queue in self._frontier._back.table.items()}

    @property
    def in_flight(self) -> Mapping[str, str]:
        """From host to the URL of it that is being fetched."""
        return {queue.host.name: url for url, (queue, _) in self._frontier._out.items()}


Watch: TypeAlias = Callable[[str, str, FrontierView], object] | None
