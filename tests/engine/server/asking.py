"""A small site, and how the tests of its server ask."""

import socket
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

from ircourse.engine import SourcePage
from ircourse.types import Link

A, B, COPY = "http://a.example/", "https://b.example.org/ferry", "http://copy.example/ferry"
TIMES = "The ferry leaves the old harbour at nine and comes back from the island at four on every day of May."


def pages():
    yield SourcePage(A, "A town with a harbour & an inn.", "The <town>", (Link(B, "boats"),))
    yield SourcePage(B, TIMES, "Ferries", (Link(A, "town"),))
    yield SourcePage(COPY, TIMES, "Ferries, a copy")
    for i in range(25):
        yield SourcePage(
            f"http://many.example/{i}", f"A quay of number {i} and word{i} word{i}x", f"Quay {i}"
        )


def ask(server, path, method="GET", headers=None, body=None):
    parts = urlsplit(server.address)
    with closing(HTTPConnection(parts.hostname, parts.port, timeout=30)) as client:
        client.request(method, path, body, headers or {})
        answer = client.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def raw(server, data):
    """Return all that the server answers to these bytes until it closes the connection."""
    parts = urlsplit(server.address)
    with socket.create_connection((parts.hostname, parts.port), 30) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65536), b""))
