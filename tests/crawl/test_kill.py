"""A crawl that is killed again and again, and goes on each time: nothing is lost and nothing stored twice."""

import importlib.util
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from ircourse.crawl import PageStore
from ircourse.web import serve, tiny_web

SCRIPT = Path(__file__).parent / "crawl_on_demand.py"
KILLS = 50
THREADS = 3

spec = importlib.util.spec_from_file_location("crawl_on_demand", SCRIPT)
on_demand = importlib.util.module_from_spec(spec)
spec.loader.exec_module(on_demand)


def waiting(folder):
    """The URLs that the crawl in a folder has yet to do, and the made-up ones that it has yet to ask for."""
    with closing(sqlite3.connect(f"{folder}/index.sqlite")) as db:
        return {url for (url,) in db.execute("SELECT url FROM waiting UNION SELECT made_up FROM held")}


def pages_of(visits):
    return [visit.url for visit in visits if "robots" not in visit.url]


class Gate:
    """A web that holds every answer back once it was asked for so many pages, until the gate is opened.

    The pages are different ones, or with ``each`` each time counts.
    """

    def __init__(self, web, each=False):
        self.web, self.hosts, self.each = web, web.hosts, each
        self.pages, self.close_at = set(), None
        self.changing, self.closed, self.opened = threading.Lock(), threading.Event(), threading.Event()

    def respond(self, url, headers=None, *, day=0):
        if "robots" not in url:
            with self.changing:
                self.pages.add((url, len(self.pages)) if self.each else url)
                is_closed = self.close_at is not None and len(self.pages) >= self.close_at
            if is_closed:
                self.closed.set()
                self.opened.wait(60)
        return self.web.respond(url, headers, day=day)

    def close(self, pages):
        self.closed.clear()
        self.opened.clear()
        self.close_at = pages

    def open(self):
        self.close_at = None
        self.opened.set()


class Killed:
    """A crawl in processes, of which each is killed once the server was asked for so many pages."""

    def __init__(self, server, gate, hosts, folder, again=""):
        place = [server.address[0], str(server.address[1])]
        self.gate, self.line = gate, f"{folder}\t{again}" if again else str(folder)
        root = str(SCRIPT.parents[2])
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
        command = [sys.executable, str(SCRIPT), *place, *hosts]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environ)

    def run(self, kill_at=None):
        """Go on with the crawl; return the wait status: 0 at its end, 9 when killed."""
        if kill_at is not None:
            self.gate.close(kill_at)
        print(self.line, file=self.process.stdin, flush=True)
        number = int(self.process.stdout.readline())
        if kill_at is not None:
            assert self.gate.closed.wait(60)
            os.kill(number, signal.SIGKILL)
        status = int(self.process.stdout.readline())
        self.gate.open()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no SIGKILL and no fork here")
def test_a_crawl_killed_at_fifty_moments_loses_and_repeats_nothing(tmp_path):
    web = tiny_web()
    hosts = on_demand.scope(web)
    with serve(web) as server:
        whole = on_demand.crawler(hosts, server.address, tmp_path / "whole")
        whole.run()
        expected = {url: page.body for url, page in whole.store.items()}
        whole.store.close()
        in_all = len(set(pages_of(server.visits)))
    assert len(expected) > 150
    gate = Gate(web)
    with serve(gate) as server, Killed(server, gate, hosts, tmp_path / "killed") as crawl:
        killed = 0
        before, last, open_then = set(), set(), None
        while True:
            seen = len(server.visits)
            status = crawl.run(1 + killed * in_all // KILLS if killed < KILLS else None)
            visits = pages_of(server.visits[seen:])
            if open_then is not None:  # only what was not done yet is fetched again, and it was in flight
                assert before & set(visits) <= open_then
                assert len(last & set(visits)) <= THREADS + 1
            assert status in (0, signal.SIGKILL)
            if status == 0:
                break
            killed += 1
            last = set(visits)
            before |= last
            open_then = waiting(tmp_path / "killed")
        assert killed == KILLS
        assert not server.errors
    with PageStore(tmp_path / "killed") as store:
        assert not store.damaged and not store.lost
        assert {url: store[url].body for url in store} == expected
        assert Counter(len(store.history(url)) for url in store) == {1: len(expected)}
    assert not waiting(tmp_path / "killed")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no SIGKILL and no fork here")
def test_a_crawl_with_revisits_killed_again_and_again_keeps_every_page_due(tmp_path):
    web = tiny_web()
    hosts, gate, folder = on_demand.scope(web), Gate(web, each=True), tmp_path / "killed"
    with serve(gate) as server, Killed(server, gate, hosts, folder, again=0.05) as crawl:
        for kill_at in range(20, 141, 20):
            assert crawl.run(kill_at) == signal.SIGKILL
            with closing(sqlite3.connect(folder / "index.sqlite")) as db:
                due = [url for (url,) in db.execute("SELECT url FROM revisits WHERE at IS NOT NULL")]
                away = [
                    url for (url,) in db.execute("SELECT url FROM revisits WHERE at IS NULL AND NOT dead")
                ]
                assert set(away) <= waiting(folder) and not set(due) & waiting(folder)
                looks = dict(
                    db.execute(
                        "SELECT url, count(*) FROM visits JOIN revisits ON page = revisits.id GROUP BY url"
                    )
                )
        asked = Counter(pages_of(server.visits))
        assert not server.errors
    assert max(looks.values()) > 3
    assert sum(asked[url] - number for url, number in looks.items()) <= 7 * (
        THREADS + 1
    )  # what was in flight
    with PageStore(folder) as store:
        assert not store.damaged and not store.lost and len(store) == 12
        assert {url: len(store.history(url)) for url in store} == looks
