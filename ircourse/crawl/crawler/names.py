"""Where a crawler connects to: hosts looked up, and their addresses vetted, for its core.

The resolver has the look-ups and their time-outs, `vet` the judgement; this is what the core asks of both. A
host is judged each time, so a name that changes to a private address is caught once it is looked up again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import NamedTuple

from ircourse.crawl.crawler.events import Resolve
from ircourse.crawl.net.addresses import is_global, vet
from ircourse.crawl.net.dns import Failed, Pending, Resolver
from ircourse.types import FetchError

__all__ = ["Closed", "Names", "is_public"]


class Closed(NamedTuple):
    """There is no way to a host: why, in kind and words, for how many seconds, and if that may pass."""

    kind: str
    why: str
    seconds: float
    passing: bool


class Names:
    """Addresses of hosts; see the module.

    >>> names = Names()
    >>> names.ask("harbour.example", now=0.0), [look_up.host for look_up in names.look_ups(now=0.0)]
    (None, ['harbour.example'])
    >>> names.came("harbour.example", ("10.0.0.7", "1.1.1.1"), now=0.5)
    >>> names.ask("harbour.example", now=0.5)
    ('1.1.1.1',)
    >>> names.ask("127.0.0.1", now=0.5).kind
    'private address'
    """

    def __init__(self, *, allow_private: bool = False) -> None:
        self.resolver = Resolver()
        self._allow_private = allow_private

    def ask(self, host: str, now: float) -> tuple[str, ...] | Closed | None:
        """Return the addresses to connect to, or that there are none; None while they are looked up."""
        answer = self.resolver.ask(host, now)
        if isinstance(answer, Pending):
            return None
        if isinstance(answer, Failed):
            silent = answer.kind != "dns"
            why = "no name server answered" if silent else "no such host"
            return Closed("dns", why, answer.until - now, silent)
        try:
            return _vetted(host, answer.addresses, self._allow_private)
        except FetchError as error:
            return Closed(error.kind, str(error), inf, False)

    def came(
        self, host: str, addresses: tuple[str, ...], lifetime: float | None = None, *, now: float
    ) -> None:
        """Take in the end of a look-up."""
        self.resolver.answered(host, addresses, now, lifetime)

    def look_ups(self, now: float) -> Iterator[Resolve]:
        """Yield what is to be looked up now, also again where no answer came in time."""
        for query in self.resolver.tick(now):
            yield Resolve(query.host, query.timeout)

    def pause(self, now: float) -> float:
        """Return the seconds until `look_ups` has more, if nothing comes before."""
        return max(0.0, self.resolver.next_time - now)


@lru_cache(maxsize=4096)
def _vetted(host: str, addresses: tuple[str, ...], allow_private: bool) -> tuple[str, ...]:
    return vet(host, addresses, allow_private)


@lru_cache(maxsize=4096)
def is_public(addresses: tuple[str, ...]) -> bool:
    """Return whether any of the addresses is one of the public Internet."""
    return any(is_global(address) for address in addresses)
