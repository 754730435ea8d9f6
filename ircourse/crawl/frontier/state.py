"""What a frontier holds, as plain data: for checkpoints and restarts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ircourse.crawl.frontier.items import Item, item_of

if TYPE_CHECKING:
    from ircourse.crawl.frontier.frontier import Frontier

__all__ = ["items_of", "restore", "state_of"]


def items_of(frontier: Frontier) -> Iterator[Item]:
    """Yield all items: those being fetched, those in back queues, then the front queues in their order."""
    for _, record in frontier._out.values():
        yield item_of(record)
    idle = set(frontier._back.idle)
    for queue in frontier._back.queues:
        if queue not in idle:
            yield from map(item_of, queue.records[::-1])
    for level, line in enumerate(frontier._front.lines):
        lined = dict.fromkeys([host for host in line if host.queue is None and not host.resting])
        for host in lined | dict.fromkeys(frontier._hosts.values()):
            if level in host.waiting:
                yield from map(item_of, frontier._front.records(host, level))


def state_of(frontier: Frontier, now: float) -> dict[str, Any]:
    """Return everything that a restart needs, see `Frontier.state`."""
    selector = frontier._front.selector
    hosts = [
        [host.name, max(host.ready - now, 0.0), host.delay]
        for host in frontier._hosts.values()
        if host.ready > now or host.delay
    ]
    return {
        "ids": frontier._ids,
        "selector": [selector.clock, *selector.due],
        "hosts": hosts,
        "items": [list(item) for item in items_of(frontier)],
    }


def restore(frontier: Frontier, state: Mapping[str, Any], now: float) -> None:
    """Put what `state_of` returned into an empty frontier."""
    selector, (clock, *due) = frontier._front.selector, state["selector"]
    if len(due) == len(selector.due):  # with other front queues than then it begins anew
        selector.clock, selector.due = clock, due
    for name, rest, delay in state["hosts"]:
        host = frontier._hosts[name]
        host.ready, host.delay = now + rest, delay
    for values in state["items"]:
        frontier._put(Item(*values))
    frontier._ids = state["ids"]
