"""Addresses: which are public, in every form, and what a crawler says of the others."""

import ipaddress
import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl.net.addresses import PrivateAddress, is_global, vet
from ircourse.types import FetchError

OPEN = ["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "192.167.255.255", "100.63.0.1", "223.255.255.255"]
CLOSED = [
    "0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 127.0.0.1 127.255.0.9 169.254.169.254 172.16.0.1 172.31.255.255",
    "192.0.0.1 192.0.2.5 192.168.1.1 198.18.0.1 198.19.0.1 198.51.100.1 203.0.113.9 224.0.0.1 240.0.0.1",
    "255.255.255.255",
]
CLOSED = " ".join(CLOSED).split()


def carriers(address):
    """An IPv4 address in the IPv6 forms that carry it."""
    bits = int(ipaddress.IPv4Address(address))
    public = int(ipaddress.IPv4Address("8.8.8.8"))
    numbers = [
        0xFFFF << 32 | bits,
        0x64FF9B << 96 | bits,
        0x2002 << 112 | bits << 80 | 1,
        0x2001 << 112 | bits << 64 | (public ^ 0xFFFFFFFF),
        0x2001 << 112 | public << 64 | (bits ^ 0xFFFFFFFF),
    ]
    return [str(ipaddress.IPv6Address(number)) for number in numbers]


@pytest.mark.parametrize("address", OPEN)
def test_public_addresses_are_global_in_every_form(address):
    assert all(map(is_global, [address, *carriers(address)]))


@pytest.mark.parametrize("address", CLOSED)
def test_other_addresses_are_not_in_any_form(address):
    assert not any(map(is_global, [address, *carriers(address)]))


@pytest.mark.parametrize(
    "address",
    "2606:4700:4700::1111 2a00:1450:4001:81b::200e 64:ff9b::8.8.8.8 ::ffff:1.1.1.1 2600::%eth0".split(),
)
def test_ipv6_addresses_that_are_global(address):
    assert is_global(address)


@pytest.mark.parametrize(
    "address",
    [
        *":: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12:3456::1 fec0::1 ff02::1 2001:db8::1 100::1".split(),
        *"2001:2::1 2001:10::1 ::127.0.0.1 ::8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b:1::8.8.8.8".split(),
        *"64:ff9b:1::1 3fff::1 5f00::1 4000::1".split(),
        *"64:ff9b::10.0.0.1 ::ffff:7f00:1 2002:7f00:1::1 2002:c0a8:101::".split(),
    ],
)
def test_ipv6_addresses_that_are_not(address):
    assert not is_global(address)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="older versions lack networks of the registries")
@given(st.ip_addresses(v=4))
def test_the_standard_library_agrees_on_ipv4(address):
    relay = address in ipaddress.ip_network("192.88.99.0/24") or address in ipaddress.ip_network(
        "192.0.0.0/24"
    )
    assert relay or is_global(str(address)) is (address.is_global and not address.is_multicast)


@given(st.ip_addresses())
def test_what_the_standard_library_calls_private_is_never_global(address):
    if address.is_private or address.is_loopback or address.is_link_local or address.is_multicast:
        tunnels = ipaddress.ip_network("2001::/32"), ipaddress.ip_network("2002::/16")  # of public addresses
        tunnel = address.version == 6 and any(address in network for network in tunnels)
        assert tunnel or getattr(address, "ipv4_mapped", None) or not is_global(str(address))


@pytest.mark.parametrize("address", ["", "harbour.example", "[::1]", "1.2.3", "0177.0.0.1", "1.1.1.1 "])
def test_what_is_no_address_is_told(address):
    with pytest.raises(ValueError, match="IPv4 or IPv6"):
        is_global(address)


def test_vetting_keeps_the_public_ones_in_order():
    assert vet("a.example", ["::1", "2606:4700::1", "10.0.0.1", "1.1.1.1"]) == ("2606:4700::1", "1.1.1.1")
    assert vet("a.example", iter(["::1", "1.1.1.1"]), allow_private=True) == ("::1", "1.1.1.1")


def test_a_refusal_names_host_address_and_flag():
    with pytest.raises(FetchError, match=r"^a\.example is at ::1, .*--allow-private") as told:
        vet("a.example", ["::1", "10.0.0.1"])
    assert (told.value.url, told.value.kind) == ("a.example", "private address")
    again = pickle.loads(pickle.dumps(told.value))
    assert isinstance(again, PrivateAddress) and str(again) == str(told.value)


def test_a_host_without_addresses_is_not_found():
    with pytest.raises(FetchError) as told:
        vet("a.example", [], allow_private=True)
    assert told.value.kind == "dns"
