"""Fetching from addresses that were vetted: what was judged is what is connected to, not the name again.

A name can lead elsewhere from one look-up to the next; so the look-up that is judged is the last one. The
name itself still goes into the Host header and is what the certificate has to be for.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from ircourse.crawl.net.addresses import PrivateAddress
from ircourse.crawl.net.connection import Resolve, Where
from ircourse.crawl.net.fetch import http_fetcher
from ircourse.types import Response

__all__ = ["VettedFetcher"]


class VettedFetcher:
    """Fetches over HTTP from given addresses; several threads may use it, each for another host.

    resolve  a served web's, which tells the port; its address has to be one of the vetted ones
    """

    def __init__(self, resolve: Resolve | None, timeout: float, max_bytes: int) -> None:
        self._resolve = resolve
        self._vetted: dict[str, tuple[str, ...]] = {}
        self._fetch = http_fetcher(resolve=self._where, timeout=timeout, max_bytes=max_bytes)

    def fetch(
        self,
        url: str,
        headers: Mapping[str, str],
        addresses: tuple[str, ...] | None,
        cut: int | None = None,
    ) -> Response:
        """Return the answer of one of ``addresses``, see `http_fetcher`. Raises `FetchError`."""
        host = urlsplit(url).hostname or ""
        self._vetted[host] = addresses or ()
        try:
            return self._fetch(url, headers, cut)
        finally:
            self._vetted.pop(host, None)

    def _where(self, host: str, port: int) -> list[Where]:
        """Return where to connect to; called by the fetcher where it has no connection yet."""
        vetted = self._vetted[host]
        if self._resolve is None:
            return [(address, port) for address in vetted]
        told = self._resolve(host, port)
        places = told if isinstance(told, list) else [told]
        for address, _ in places:
            if address not in vetted:
                raise PrivateAddress(host, address)
        return places
