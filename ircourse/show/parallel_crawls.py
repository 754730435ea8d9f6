"""The explorer of a crawl over several nodes (section 20.3): who fetches what, and a node that dies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import Any

from ircourse.distribute import (
    ConsistentHashRing,
    CrawlEvent,
    CrawlHeld,
    HostSplitter,
    SimulatedCrawl,
    UrlSplitter,
    coordinated_crawl,
    simulated_crawl,
)
from ircourse.distribute.splitter import host_key
from ircourse.show.controls import Choice, Number
from ircourse.show.explorer import Explorer, Row
from ircourse.show.player import Player
from ircourse.show.saltmere import saltmere, short_host
from ircourse.show.style import MUTED, look
from ircourse.show.svg import Drawing, Markup, below, beside, box, joined, label, plural, shorten

NODES = ("ada", "bob", "cleo", "dan")
WAYS = {"host": HostSplitter, "url": UrlSplitter}
GAP, WIDE, CELL, ROOM = 2.0, 172.0, 24.0, 13

__all__ = ["watch_nodes"]


@dataclass(frozen=True)
class Second:
    """A crawl after so many seconds: by node the hosts, with how many of each it has fetched."""

    time: int
    alive: tuple[str, ...]
    waiting: Mapping[str, int]
    flying: Mapping[str, tuple[str, ...]]
    hosts: Mapping[str, tuple[str, ...]]  # that it owns, or without owners that it has asked
    fetched: Mapping[tuple[str, str], int]  # by node and host
    moved: Mapping[str, str]  # from host to the node that had it
    messages: int
    too_soon: int
    says: str
    room: int  # hosts to leave room for, in all pictures of this crawl

    def done(self, node: str) -> int:
        """Return how many pages a node has fetched."""
        return sum(n for (who, _), n in self.fetched.items() if who == node)

    def count(self, node: str, host: str) -> str:
        """Return how many of a host's pages a node has fetched, and how many it found in the store."""
        stored = self.fetched.get((self.moved[host], host), 0) if host in self.moved else 0
        return f"{self.fetched.get((node, host), 0)}{f' + {stored} stored' if stored else ''}"


@lru_cache(maxsize=8)
def crawled(how: str, dead: str, at: float) -> tuple[SimulatedCrawl, tuple[Second, ...]]:
    """Return a crawl of Saltmere and what it looks like at the end of each second."""
    watched: dict[int, dict[str, Any]] = {}
    told: dict[int, list[str]] = {}

    def watch(event: CrawlEvent, held: CrawlHeld) -> None:
        second = ceil(round(event.time, 6))
        if said := _said(event, how):
            told.setdefault(second, []).append(said)
        names = ("alive", "waiting", "flying", "owners", "messages")
        watched[second] = {name: getattr(held, name) for name in names}

    kill = (dead, float(at)) if dead else None
    if how == "coordinator":
        crawl = coordinated_crawl(saltmere(), NODES, kill=kill, watch=watch)
    else:
        crawl = simulated_crawl(saltmere(), WAYS[how](ConsistentHashRing(NODES, 100)), kill=kill, watch=watch)
    seconds = _seconds(crawl, watched, told)
    room = min(ROOM, max(len(hosts) for now in seconds for hosts in now.hosts.values()))
    return crawl, tuple(replace(now, room=room) for now in seconds)


def _seconds(
    crawl: SimulatedCrawl, watched: Mapping[int, Mapping[str, Any]], told: Mapping[int, list[str]]
) -> list[Second]:
    found, seen, fetched = [], watched[min(watched)], Counter[tuple[str, str]]()
    fetches = list(crawl.fetches)
    for time in range(ceil(round(crawl.seconds, 6)) + 1):
        seen = watched.get(time, seen)
        while sum(fetched.values()) < len(fetches) and fetches[sum(fetched.values())].end <= time + 1e-6:
            fetch = fetches[sum(fetched.values())]
            fetched[fetch.node, host_key(fetch.url)] += 1
        soon = replace(crawl, fetches=crawl.fetches[: sum(fetched.values())]).too_soon(GAP)
        owned: dict[str, list[str]] = {node: [] for node in NODES}
        moved = {}
        for key, node in seen["owners"].items():
            if "/" not in key:  # a host, no URL
                owned[node].append(key)
                if key in crawl.moved and crawl.moved[key][1] == node:
                    moved[key] = crawl.moved[key][0]
        for node, host in fetched:
            if host not in owned[node] and not any(host in those for those in owned.values()):
                owned[node].append(host)
        if not any("/" not in key for key in seen["owners"]):  # no host has an owner: those that were asked
            owned = {node: [host for who, host in fetched if who == node] for node in NODES}
        hosts = {node: tuple(sorted(those)) for node, those in owned.items()}
        more = (seen["messages"], soon, " ".join(told.get(time, ())), ROOM)
        found.append(
            Second(time, seen["alive"], seen["waiting"], seen["flying"], hosts, dict(fetched), moved, *more)
        )
    return found


def _said(event: CrawlEvent, how: str) -> str:
    """Return in words what the death of a node brings."""
    match event.kind:
        case "died":
            what = plural(len(event.what), "page") if event.what else "nothing"
            return f"{event.node} dies while it fetches {what}."
        case "noticed" if how == "coordinator":
            return f"The coordinator notices that {event.node} is dead; what it was fetching goes to others."
        case "noticed":
            return f"The others notice that {event.node} is dead."
        case "moved" if "/" not in event.what[0]:
            names = ", ".join(short_host(host) for host in event.what)
            return f"{event.other} takes over {names}."
    return ""


def _cell(host: str, node: str, now: Second) -> Markup:
    flying = any(host_key(url) == host for url in now.flying.get(node, ()))
    name = "dead" if node not in now.alive else ("fetching" if flying else "plain")
    seems = look("target" if host in now.moved and not flying else name)
    frame = seems.frame()
    count = now.count(node, host)
    wide = WIDE - (46 if count.isdecimal() else 88)
    words = label(shorten(f"{seems.mark} {short_host(host)}".strip(), wide), 7, 16)
    return joined(
        [box(1, 1, WIDE - 2, CELL - 3, rx=4, **frame), words, label(count, WIDE - 9, 16, anchor="end")]
    )


def _column(node: str, now: Second) -> Drawing:
    """Return a node: its hosts, and how many of their pages it has fetched."""
    alive = node in now.alive
    waits = f", {now.waiting[node]} waiting" if node in now.waiting else ""
    head = f"{now.done(node)} fetched{waits}" if alive else f"dead; {now.done(node)} fetched"
    top = joined([label(node, 0, 14, bold=True), label(head, 0, 31, fill=MUTED)])
    cells = [Drawing(WIDE, CELL, _cell(host, node, now)) for host in now.hosts[node][: now.room]]
    if (more := len(now.hosts[node]) - now.room) > 0:
        cells[-1] = Drawing(WIDE, CELL, label(f"and {more + 1} more", 7, 16, fill=MUTED))
    empty = [Drawing(WIDE, CELL, joined(()))] * (now.room - len(cells))
    return below(Drawing(WIDE, 36, top), *cells, *empty, gap=0)


def draw(now: Second) -> Drawing:
    """Return the four nodes with their hosts, and what it cost so far."""
    total = sum(now.fetched.values())
    foot = (
        f"{total} pages   ·   {now.messages} messages   ·   {now.too_soon} requests too soon for their host"
    )
    if "coordinator" in now.waiting:
        foot += f"   ·   {now.waiting['coordinator']} URLs wait at the coordinator"
    columns = beside(*(_column(node, now) for node in NODES), gap=10)
    return below(columns, Drawing(columns.width, 20, label(foot, 0, 14)), gap=8)


def describe(now: Second) -> str:
    """Return the time, what happened in this second, and the pages so far."""
    dead = [node for node in NODES if node not in now.alive]
    up = f"{', '.join(dead)} is dead" if dead else "All nodes are up"
    done = ", ".join(f"{node} {now.done(node)}" for node in NODES)
    soon = f" {plural(now.too_soon, 'request')} too soon." if now.too_soon else ""
    return f"{now.time} s. {now.says + ' ' if now.says else ''}{up}. Pages fetched: {done}.{soon}"


def table(now: Second) -> Sequence[Row]:
    """Return each node's hosts with the pages fetched."""
    rows: list[Row] = [["node", "up", "waiting", "hosts, and pages fetched of each"]]
    for node in NODES:
        each = (f"{short_host(host)} {now.count(node, host)}" for host in now.hosts[node])
        up = "yes" if node in now.alive else "no"
        rows.append([node, up, now.waiting.get(node, ""), ", ".join(each)])
    return [*rows, ["messages", "", "", now.messages], ["requests too soon", "", "", now.too_soon]]


def watch_nodes() -> Explorer:
    """Return a player: four nodes crawl Saltmere, second by second, and one of them dies."""
    return Player(
        lambda how, dead, at: crawled(how, dead, at)[1],
        draw,
        describe,
        table,
        title="Four nodes crawl Saltmere",
        controls={
            "how": Choice(
                "Who fetches",
                [
                    ("the host's node", "host"),
                    ("the URL's node", "url"),
                    ("who is free: a coordinator", "coordinator"),
                ],
            ),
            "dead": Choice("Dies", [("nobody", ""), *((node, node) for node in NODES)], "cleo"),
            "at": Number("after seconds", 0, 60, 18),
        },
        notice="A box is a host, at the node that asks it, with the pages that this node fetched; \u25b6 is "
        "being asked. cleo dies at 18 s with its frontier in memory. At 28 s the others notice: \u25ce marks "
        "the hosts that moved, and no other did; the pages that cleo stored are there. Then let the URL's "
        "node fetch: requests come too soon. A coordinator moves no host, only what cleo was fetching.",
        start=18,
    )
