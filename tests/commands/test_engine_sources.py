"""The command ``engine`` on sites, WARC files and pydoc; Ctrl-C while it crawls."""

import os
import re
import signal
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from ircourse.commands import engine as command
from ircourse.crawl import PageStore
from ircourse.types import Response
from ircourse.web import Web, serve, serve_pydoc

sys.path.insert(0, str(Path(__file__).parent))
from served_once import Stopped, run


@pytest.fixture
def stopped(monkeypatch):
    return Stopped(monkeypatch)


class Site:
    """Pages on loopback, each linking to the next; ``before`` is called with the path of each request."""

    hosts = ("127.0.0.1",)

    def __init__(self, n, before=lambda path: None):
        self.before = before
        self.web = Web.from_pages(
            {f"http://a.example/{i or ''}": [f"http://a.example/{i + 1}"] for i in range(n)}
        )

    def respond(self, url, headers=None, *, day=0):
        path = url.split("/", 3)[3]
        self.before(path)
        answer = self.web.respond(f"http://a.example/{path}")
        body = answer.body.replace(b"http://a.example", b"") + b"<p>harbour " + url.encode()
        return type(answer)(answer.status, answer.headers, body)


def test_a_site_is_crawled_and_gone_on_with(stopped, tmp_path):
    store = str(tmp_path / "store")
    with serve(Site(2)) as server:
        url = "http://{}:{}/".format(*server.address)
        for expected in (4, 0):  # robots.txt, two pages and one that is not there; then nothing new
            before = len(server.visits)
            out, _ = run(0, url, store=store, delay=0, allow_private=True)
            assert "2 pages, 0 near-duplicates folded into others" in out
            assert len(server.visits) - before <= expected
    assert run(0, store)[0].startswith("2 pages")  # the store itself is a source


@pytest.mark.skipif(os.name == "nt", reason="a signal to a process of its own is another matter there")
def test_ctrl_c_in_a_crawl_gives_an_engine_of_the_pages_so_far(stopped, tmp_path):
    interrupts = ["3"]

    def before(path):
        if path in interrupts:
            interrupts.remove(path)
            os.kill(os.getpid(), signal.SIGINT)

    store = str(tmp_path / "store")
    with serve(Site(8, before)) as server:
        url = "http://{}:{}/".format(*server.address)
        out, log = run(0, url, store=store, delay=0, allow_private=True)
        said = "ircourse: stopped; the same command goes on\nircourse: the engine is of the pages so far\n"
        assert said in log and "--resume" not in log
        assert re.search("^[34] pages, 0 near-duplicates folded into others", out, re.M)
        assert (
            "8 pages, 0 near-duplicates folded into others"
            in run(0, url, store=store, delay=0, allow_private=True)[0]
        )
        interrupts.append("robots.txt")
        out, log = run(130, url, store=str(tmp_path / "other"), delay=0, allow_private=True)
        assert "Search at" not in out and log.endswith("ircourse: there is no page yet to search\n")


def test_a_warc_file(stopped, tmp_path):
    with closing(PageStore(tmp_path / "store")) as store:
        store.add("http://a.example/", Response(200, {"content-type": "text/html"}, b"<p>The harbour"))
    (warc,) = (tmp_path / "store").glob("*.warc.gz")
    assert run(0, str(warc))[0].startswith("1 page, 0 near-duplicates folded into others")


def test_pydoc(stopped, monkeypatch):
    @contextmanager
    def a_part():
        with serve_pydoc() as server:
            part = ("/", "/abc.html", "/glob.html")
            narrow = lambda url: server.in_scope(url) and url.endswith(part)  # noqa: E731
            yield SimpleNamespace(start=server.start, resolve=server.resolve, in_scope=narrow)

    monkeypatch.setattr(command, "serve_pydoc", a_part)
    stopped.asks = ["?q=globbing"]
    out, _ = run(0, pydoc=True)
    assert (
        out.startswith("3 pages, 0 near-duplicates folded into others")
        and "glob" in stopped.pages["?q=globbing"]
    )


def test_a_site_without_a_page_is_one_sentence(tmp_path):
    _, log = run(1, "http://127.0.0.1:9/", store=str(tmp_path / "store"), delay=0)
    said = [line for line in log.splitlines() if line.startswith("ircourse: ")]
    assert len(said) == 1 and "--allow-private lets the crawler connect to it" in said[0]
