"""The hosts of a frontier: what waits for each, and when it may be asked again.

record   an item of the frontier as bytes, see `items`
level    number of a front queue, 0 the most urgent
"""

from __future__ import annotations

from ircourse.crawl.frontier.items import host_of

__all__ = ["Host", "Hosts", "Waiting"]

_COMPACT = 64  # taken records are dropped from a list when there are this many and they are half of it


class Waiting:
    """The URLs of one host in one front queue, first in, first out: the head in memory, the rest on disk.

    >>> waiting = Waiting()
    >>> waiting.records += [b"first", b"second", b"third"]
    >>> waiting.pull(2), waiting.pull(2)
    ([b'first', b'second'], [b'third'])
    """

    __slots__ = ("on_disk", "records", "taken")

    def __init__(self) -> None:
        self.records: list[bytes] = []
        self.taken = 0  # so many at the head are gone: cheaper than moving the others up each time
        self.on_disk = 0

    def pull(self, n: int) -> list[bytes]:
        """Remove up to ``n`` records from the head of what is in memory."""
        start, records = self.taken, self.records
        got = records[start : start + n]
        self.taken = start = start + len(got)
        if start >= len(records) or (start >= _COMPACT and 2 * start >= len(records)):
            del records[:start]
            self.taken = 0
        return got


class Host:
    """A host that has URLs waiting or was asked lately.

    number   stands for its name on disk
    waiting  level → `Waiting`, for those levels that hold any
    lined    bit l is set while the host stands in line at level l
    queue    its back queue, None where it has none
    ready    the time before which it must not be asked
    delay    seconds between two requests that its robots.txt asks for
    resting  whether it waits elsewhere for ``ready``, in no line
    """

    __slots__ = ("delay", "lined", "name", "number", "queue", "ready", "resting", "waiting")

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.waiting: dict[int, Waiting] = {}
        self.lined = 0
        self.queue: object = None
        self.ready = float("-inf")
        self.delay = 0.0
        self.resting = False


class Hosts(dict[str, Host]):
    """From name to `Host`; a name that is new gets one.

    >>> hosts = Hosts()
    >>> hosts.of_url("http://harbour.example/ferries") is hosts["harbour.example"]
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self._made = 0
        self._forget_at = 1024

    def __missing__(self, name: str) -> Host:
        host = self[name] = Host(name, self._made)
        self._made += 1
        return host

    def of_url(self, url: str) -> Host:
        """Return the host of a URL. Raises ValueError if it has none."""
        return self[host_of(url)]

    def forget(self, now: float) -> None:
        """Drop those of which nothing needs to be known any more, once there are twice as many as then."""
        if len(self) <= self._forget_at:
            return
        kept = {n: h for n, h in self.items() if h.waiting or h.queue or h.delay or h.ready > now}
        self.clear()
        self.update(kept)
        self._forget_at = 2 * len(self) + 1024
