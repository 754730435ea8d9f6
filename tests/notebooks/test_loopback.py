"""What counts as this machine, and that the tests keep to it."""

import socket

import pytest

from ircourse.notebooks.loopback import OutsideLoopback, is_loopback

HERE = ["127.0.0.1", "127.9.9.9", b"127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "", None]
AWAY = [
    "127.evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "10.0.0.1",
    b"harbour.example", "2001:db8::1", "::1.evil.example", "2130706433", "127.1", "<broadcast>", 7,
]  # fmt: skip


@pytest.mark.parametrize("host", HERE)
def test_this_machine(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", AWAY)
def test_another_machine(host):
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["127.evil.example", "192.0.2.1", "localhost.evil.example"])
def test_a_test_looks_up_no_other_machine(host):
    with pytest.raises(OutsideLoopback, match=host):
        socket.getaddrinfo(host, 80)
    with pytest.raises(OutsideLoopback, match=host):
        socket.create_connection((host, 80), timeout=1)


def test_a_test_reaches_no_other_machine():
    host = "192.0.2.1"
    with socket.socket() as sock, pytest.raises(OutsideLoopback, match=host):
        sock.connect((host, 80))
    with socket.socket() as sock, pytest.raises(OutsideLoopback, match=host):
        sock.connect_ex((host, 80))
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(OutsideLoopback, match=host):
        sock.sendto(b"x", (host, 80))


def test_sockets_of_this_machine_work():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        client.sendall(b"x")
    one, other = socket.socketpair()
    with one, other:
        one.sendmsg([b"x"])
        assert other.recv(1) == b"x"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="Windows has no such sockets")
def test_a_socket_with_a_path_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # such a path must be short
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind("s")
        server.listen()
        client.connect("s")


def test_doctests_stand_under_the_same_rules(pytestconfig):
    assert (pytestconfig.rootpath / "conftest.py").is_file()
    assert not (pytestconfig.rootpath / "tests" / "conftest.py").exists()
