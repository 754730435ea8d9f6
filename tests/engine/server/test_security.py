"""Which Host headers are answered."""

import socket

import pytest

from ircourse.engine.server.security import HEADERS, HostRule

OURS = ["localhost", "LOCALHOST:80", "127.0.0.1:8888", "[::1]:8888", "127.1.2.3", "localhost."]
OTHERS = ["evil.example", "evil.example:8888", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b"]
OTHERS += ["localhost:x", "localhost@evil.example", "localhost, evil.example", "[::1", "２", "0x7f.1", "::1"]


@pytest.mark.parametrize("header", OURS)
def test_loopback_is_answered(header):
    assert HostRule("127.0.0.1").allows(header) and HostRule("0.0.0.0").allows(header)


@pytest.mark.parametrize("header", OTHERS)
def test_other_names_are_not(header):
    assert not HostRule("127.0.0.1").allows(header) and not HostRule("0.0.0.0").allows(header)


def test_addresses_in_digits_only_where_the_server_is_open():
    for header in ("192.0.2.7:8000", "[2001:db8::7]:8000"):
        assert not HostRule("127.0.0.1").allows(header)
        assert HostRule("0.0.0.0").allows(header)


def test_the_name_given_and_that_of_the_machine():
    assert HostRule("search.example").allows("Search.example:80")
    assert not HostRule("search.example").allows("other.example")
    assert HostRule("0.0.0.0").allows(socket.gethostname())


def test_the_policy_lets_in_nothing_but_our_own_files():
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert {policy[f"{kind}-src"] for kind in ("script", "style", "img", "connect")} == {"'self'"}
    assert "unsafe" not in str(policy)
