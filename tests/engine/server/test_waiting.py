"""Who waits for whom: slow queries, and what an update left to be made; clients that say nothing."""

import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

from ircourse.engine import Engine, SourcePage
from ircourse.engine.server import serving
from ircourse.engine.server.security import LIMITS

sys.path.insert(0, str(Path(__file__).parent))
from asking import A, ask, pages


def test_a_slow_query_holds_up_neither_the_first_page_nor_files(monkeypatch):
    engine, asked, goes_on = Engine.build(pages()), Event(), Event()
    plain = engine.retrieval.candidates
    slow = lambda *query: (asked.set(), goes_on.wait(30), plain(*query))[-1]  # noqa: E731
    with serving(engine) as running, ThreadPoolExecutor(1) as client:
        monkeypatch.setattr(engine.retrieval, "candidates", slow)
        answer = client.submit(ask, running, "/?q=ferry")
        assert asked.wait(30)
        assert [ask(running, path)[0] for path in ("/", "/style.css", "/?q=%00")] == [200, 200, 400]
        assert not answer.done()
        goes_on.set()
        assert answer.result()[0] == 200


def test_nobody_waits_for_what_an_update_left_to_be_made(monkeypatch):
    engine = Engine.build(pages())
    engine.update([SourcePage(A, "Another town", "Town")])
    with serving(engine) as running:
        for name in ("Meaning", "Spelling", "pagerank"):
            monkeypatch.setattr(f"ircourse.engine.retrieval.{name}", None)
        assert ask(running, "/?q=anuther")[0] == 200


def test_a_client_that_never_ends_its_header_is_dropped(monkeypatch):
    monkeypatch.setitem(LIMITS, "idle_connection_timeout", 0.3)
    with serving(Engine.build([])) as running:
        parts = urlsplit(running.address)
        with socket.create_connection((parts.hostname, parts.port), 30) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: loc")
            assert client.recv(1000) == b""
        with closing(HTTPConnection(parts.hostname, parts.port, timeout=30)) as client:
            client.request("GET", "/")
            assert "<dd>0</dd>" in client.getresponse().read().decode()
