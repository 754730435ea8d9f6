"""Which addresses a crawler may connect to: those of the public Internet (book, section 20.2).

A link, a redirect or a name's entry in the domain name system can point at the crawler's own machine or at
its neighbours, a router's page for one. So an address is judged after the look-up and before the connection,
and the connection goes to the judged address, not to the name again.

An IPv6 address can carry an IPv4 address: mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96), 6to4 (2002::/16),
Teredo (2001::/32: the server's and, inverted, the client's). It leads where that leads, and is judged by it.
The NAT64 addresses of 64:ff9b:1::/48 are for a network's own use, and closed.

The networks stand here because the standard library's ``is_global`` changed within Python 3.11 and 3.12.
Sources: IANA, special-purpose address registries of IPv4 and IPv6; RFC 4291, 6052, 3056, 4380.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from ircourse.types import FetchError

__all__ = ["PrivateAddress", "is_global", "vet"]

_CLOSED_4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 "
        "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3"
    ).split()
]
_OPEN_6 = IPv6Network("2000::/3")  # the global unicast addresses: all that are given out
_CLOSED_6 = [IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "3fff::/20")]
_MAPPED, _NAT64 = IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96")
_6TO4, _TEREDO = IPv6Network("2002::/16"), IPv6Network("2001::/32")


class PrivateAddress(FetchError):
    """A host leads to an address that the crawler does not connect to; the kind is "private address"."""

    def __init__(self, host: str, address: str) -> None:
        super().__init__(host, "private address")
        self.address = address

    def __reduce__(self) -> tuple[type[PrivateAddress], tuple[str, str]]:
        return type(self), (self.url, self.address)

    def __str__(self) -> str:
        return (
            f"{self.url} is at {self.address}, which is no public address: "
            "--allow-private lets the crawler connect to it"
        )


def is_global(address: str) -> bool:
    """Return whether ``address`` is one of the public Internet, and so is any that it carries.

    Raises ValueError for what is no IPv4 or IPv6 address (brackets are none).

    >>> [is_global(a) for a in ("1.1.1.1", "10.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2606:4700::1")]
    [True, False, False, False, True]
    """
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return _is_global_4(parsed)
    carried = list(_carried(parsed))
    if carried:
        return all(_is_global_4(inner) for inner in carried)
    return parsed in _OPEN_6 and not any(parsed in network for network in _CLOSED_6)


def vet(host: str, addresses: Iterable[str], allow_private: bool = False) -> tuple[str, ...]:
    """Return those of the addresses of ``host`` that may be connected to, in their order.

    allow_private  all may

    Raises `PrivateAddress`, which names the first, where none may; `FetchError` "dns" where there are none;
    ValueError for what is no address.

    >>> vet("harbour.example", ["10.0.0.7", "1.1.1.1"])
    ('1.1.1.1',)
    >>> vet("harbour.example", ["127.0.0.1"])
    Traceback (most recent call last):
        ...
    ircourse.crawl.net.addresses.PrivateAddress: harbour.example is at 127.0.0.1, which is no public \
address: --allow-private lets the crawler connect to it
    """
    given = tuple(addresses)
    if not given:
        raise FetchError(host, "dns")
    vetted = tuple(address for address in given if allow_private or is_global(address))
    if not vetted:
        raise PrivateAddress(host, given[0])
    return vetted


def _is_global_4(address: IPv4Address) -> bool:
    return not any(address in network for network in _CLOSED_4)


def _carried(address: IPv6Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address carries."""
    bits = int(address)
    if address in _MAPPED or address in _NAT64:
        yield IPv4Address(bits & 0xFFFFFFFF)
    elif address in _6TO4:
        yield IPv4Address(bits >> 80 & 0xFFFFFFFF)
    elif address in _TEREDO:
        yield IPv4Address(bits >> 64 & 0xFFFFFFFF)
        yield IPv4Address(~bits & 0xFFFFFFFF)
