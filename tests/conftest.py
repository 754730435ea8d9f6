"""Rules for every test: loopback only, no sleeping by our own code, our warnings are errors."""

import os
import socket
import sys
import time

import hypothesis
import pytest

os.environ["IRCOURSE_STRICT"] = "1"
os.environ.setdefault("MPLBACKEND", "agg")
hypothesis.settings.register_profile("course", derandomize=True, deadline=None, max_examples=100)
hypothesis.settings.load_profile("course")

LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")


def is_loopback(address) -> bool:
    """Whether a socket address stays on this machine; a path (Unix socket) does."""
    return not isinstance(address, tuple) or str(address[0]).startswith(LOOPBACK)


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch):
    """Let a test reach this machine only."""
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def guarded(call):
        def guard(self, address):
            assert is_loopback(address), f"a test tried to reach {address}"
            return call(self, address)

        return guard

    def guarded_look_up(host, *args, **kwargs):
        name = host.decode() if isinstance(host, bytes) else host
        assert name is None or name == "" or is_loopback((name,)), f"a test tried to look up {host}"
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)


@pytest.fixture(autouse=True)
def no_sleeping(monkeypatch):
    """Fail a test in which our own code sleeps; libraries may poll as they like."""
    sleep = time.sleep

    def guarded_sleep(seconds):
        caller = sys._getframe(1).f_globals.get("__name__", "")
        assert not caller.startswith(("ircourse", "tests", "test_")), (
            f"{caller} sleeps: wait on an event with a deadline"
        )
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", guarded_sleep)
