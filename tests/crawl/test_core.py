"""The core of the crawler alone: what it does with events, and that it does the same again."""

import ast
import sqlite3
import weakref
from itertools import pairwise
from pathlib import Path

import pytest

import ircourse.crawl.crawler.core
from ircourse.crawl import Crawler
from ircourse.crawl.crawler.core import Core
from ircourse.crawl.crawler.events import Failed, Fetch, Fetched, Resolve, Resolved, Store, Tick, Wait
from ircourse.crawl.crawler.harvest import Harvest
from ircourse.crawl.crawler.ledger import Ledger
from ircourse.crawl.crawler.names import Names
from ircourse.crawl.crawler.reading import Reader
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.crawl.crawler.robots_files import RobotsFiles
from ircourse.crawl.crawler.virtual import drive_virtually
from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.frontier.frontier import Frontier
from ircourse.types import FetchError, Response, VirtualClock
from ircourse.web import tiny_web

HTML = {"content-type": "text/html"}
HOME, ROBOTS = "http://a.example/", "http://a.example/robots.txt"


def core(seeds=(HOME,), *, hosts=None, names=None, max_pages=None, **options):
    urls, database = UrlFilter(hosts), sqlite3.connect(":memory:")
    harvest = Harvest(
        Frontier(),
        Ledger(database),
        Reader(urls),
        RobotsFiles(lambda url: not urls.refuse(url)),
    )
    if max_pages is not None:
        harvest.max_pages = max_pages
    harvest.add(list(seeds))
    made = Core(harvest, retries=RetryPolicy(), names=names, **options)
    weakref.finalize(made, database.close)
    return made


def page(*links):
    body = "".join(f"<a href='{link}'>{link}</a>" for link in links)
    return Response(200, HTML, body.encode(), 0.5)


def test_nothing_in_the_core_waits_asks_or_runs_beside_it():
    folder = Path(ircourse.crawl.crawler.core.__file__).parents[1]
    banned = {"socket", "threading", "time", "asyncio", "queue", "random", "http", "ssl", "urllib.request"}
    crawler = ("core", "events", "harvest", "reading", "names", "robots_files", "retry")
    for name in (*(f"crawler/{name}" for name in crawler), "frontier/frontier", "net/dns"):
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        used = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        used |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not used & banned, name


@pytest.mark.parametrize("name", ["real.py", "virtual.py"])
def test_a_driver_is_short(name):
    text = (Path(ircourse.crawl.crawler.core.__file__).parent / name).read_text(encoding="utf-8")
    tree = ast.parse(text)
    header = len(ast.get_docstring(tree).splitlines())
    lines = [line for line in text.splitlines()[header:] if line.strip()]
    assert len(lines) <= 100
    code = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)]
    assert sum(node.end_lineno - node.lineno + 1 for node in code) <= 80


def test_robots_txt_comes_first_then_the_page_after_the_gap():
    machine = core()
    assert list(machine.handle(Tick(), 0.0)) == [Fetch(ROBOTS, None, True), Wait(float("inf"))]
    assert list(machine.handle(Fetched(ROBOTS, Response(404, seconds=0.5)), 0.5)) == [Wait(5.0)]
    assert next(machine.handle(Tick(), 5.5)) == Fetch(HOME, None)
    answer = page("/x")
    assert list(machine.handle(Fetched(HOME, answer), 6.0)) == [Store(HOME, answer), Wait(5.0)]
    assert not machine.finished


def test_the_next_request_goes_out_before_the_page_is_read():
    machine = core([HOME, "http://b.example/"], connections=1)
    first = next(machine.handle(Tick(), 0.0))
    assert first.url == ROBOTS
    list(machine.handle(Fetched(ROBOTS, Response(404)), 0.0))
    list(machine.handle(Fetched("http://b.example/robots.txt", Response(404)), 0.0))
    list(machine.handle(Tick(), 2.0))
    actions = list(machine.handle(Fetched(HOME, page()), 2.0))
    assert [type(action) for action in actions[:2]] == [Fetch, Store]


def test_a_host_is_looked_up_and_its_addresses_go_with_the_request():
    machine = core(names=Names())
    assert list(machine.handle(Tick(), 0.0)) == [Resolve("a.example", 1.0), Wait(1.0)]
    assert next(machine.handle(Tick(), 1.0)) == Resolve("a.example", pytest.approx(3.08, abs=0.01))
    actions = list(machine.handle(Resolved("a.example", ("10.0.0.1", "1.1.1.1")), 1.5))
    assert actions == [Fetch(ROBOTS, ("1.1.1.1",), True), Wait(float("inf"))]


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("::ffff:10.0.0.1",), ("64:ff9b::a00:1",)])
def test_private_addresses_are_given_up_without_a_request(addresses):
    seen = []
    machine = core(names=Names())
    machine.harvest.watch = lambda step, statistics: seen.append(step)
    list(machine.handle(Tick(), 0.0))
    assert list(machine.handle(Resolved("a.example", addresses), 0.5)) == []
    assert machine.finished
    assert [(step.url, step.what) for step in seen] == [(HOME, "failed")]
    assert addresses[0] in seen[0].why and "--allow-private" in seen[0].why
    machine = core(names=Names(allow_private=True))
    list(machine.handle(Tick(), 0.0))
    assert next(machine.handle(Resolved("a.example", addresses), 0.5)) == Fetch(ROBOTS, addresses, True)


def test_a_host_that_does_not_exist_is_given_up():
    machine = core(names=Names())
    list(machine.handle(Tick(), 0.0))
    assert list(machine.handle(Resolved("a.example", ()), 0.5)) == []
    assert machine.finished and machine.statistics.steps == {"failed": 1}


def test_a_host_about_which_nobody_answers_is_looked_up_again_later():
    machine, now, asked = core(names=Names()), 0.0, 0
    while not machine.finished:
        for action in list(machine.handle(Tick(), now)):
            assert not isinstance(action, Fetch)
            if isinstance(action, Resolve):
                asked += 1
            else:
                now += action.seconds
    assert asked == 10 and now == pytest.approx(2 * 132.8 + 600, abs=0.1)
    assert machine.statistics.steps == {"again": 1, "failed": 1}


def test_pages_wanted_are_never_exceeded_and_more_can_be_had():
    clock, kept = VirtualClock(), []
    machine = core([f"http://h{i}.example/" for i in range(9)], connections=5, max_pages=3)

    def run():
        drive_virtually(
            machine,
            clock,
            lambda url, headers: page() if url.endswith("/") else Response(404),
            headers={},
            store=lambda url, response: kept.append(url),
            commit=lambda: None,
        )

    run()
    assert len(kept) == 3 and machine.finished
    machine.harvest.max_pages = 5
    run()
    assert len(kept) == 5 == len(set(kept))


def test_a_stop_waits_for_what_is_under_way_and_asks_for_no_more():
    machine = core([HOME, "http://b.example/"], connections=1)
    list(machine.handle(Tick(), 0.0))
    machine.stopping = True
    assert not machine.finished
    assert list(machine.handle(Failed(ROBOTS, "timeout"), 1.0)) == []
    assert machine.finished


class Recorder:
    """A core that writes down what comes in and what goes out."""

    def __init__(self, machine):
        self.machine, self.log = machine, []

    def __getattr__(self, name):
        return getattr(self.machine, name)

    def handle(self, event, now):
        actions = []
        self.log.append((event, now, actions))
        for action in self.machine.handle(event, now):
            actions.append(action)
            yield action


def faulty(web):
    """A web in which some requests fail the first time."""
    times = {}

    def fetch(url, headers):
        times[url] = times.get(url, 0) + 1
        if len(url) % 7 == 0 and times[url] == 1:
            raise FetchError(url, "reset" if len(url) % 2 else "timeout")
        answer = web.respond(url, headers)
        return Response(answer.status, answer.headers, answer.body, 0.05 + len(url) % 5 / 10)

    return fetch


def test_the_same_events_give_the_same_actions():
    seeds = ["http://www.saltmere.example/"]
    recorder = Recorder(core(seeds, connections=4, max_pages=250))
    drive_virtually(
        recorder,
        VirtualClock(),
        faulty(tiny_web()),
        headers={},
        store=lambda url, response: None,
        commit=lambda: None,
    )
    assert len(recorder.log) > 500
    again = core(seeds, connections=4, max_pages=250)
    for event, now, actions in recorder.log:
        assert list(again.handle(event, now)) == actions


HOSTS, PAGES = 1000, 100


def big_web(url, headers):
    """1,000 hosts of 100 pages: each root links to its host's pages and to other roots."""
    host, _, path = url.removeprefix("http://h").partition(".example/")
    number = int(host)
    if path == "robots.txt":
        return Response(404, {}, b"", 0.1)
    seconds = 0.01 * (1 + (7 * number + len(path)) % 30)
    if path:
        return Response(200, {"content-type": "text/plain"}, url.encode(), seconds)
    links = [f"/{i}" for i in range(1, PAGES)]
    links += [f"http://h{(number * 2 + i) % HOSTS}.example/" for i in (1, 2)]
    return Response(200, HTML, "".join(f"<a href={link}>x</a>" for link in links).encode(), seconds)


def test_a_hundred_thousand_fetches_each_once_and_no_gap_too_short():
    clock, log = VirtualClock(), []

    def fetch(url, headers):
        answer = big_web(url, headers)
        log.append((url, clock.now(), clock.now() + answer.seconds))
        return answer

    crawler = Crawler(["http://h0.example/"], fetch=fetch, clock=clock, hosts="*", threads=200, delay=0.5)
    crawler.store = Nothing()
    done = crawler.run()
    assert done.stored == HOSTS * PAGES and done.fetched == HOSTS * (PAGES + 1)
    assert len({url for url, _, _ in log}) == len(log) == done.fetched
    by_host = {}
    for url, start, end in log:
        by_host.setdefault(url.split("/")[2], []).append((start, end))
    assert len(by_host) == HOSTS
    for visits in by_host.values():
        for (start, end), (following, _) in pairwise(visits):
            assert following - end >= max(10 * (end - start), 0.5) - 1e-6


class Nothing(dict):
    """A store that keeps nothing."""

    def __setitem__(self, url, response):
        pass
