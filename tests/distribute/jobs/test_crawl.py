"""A crawl on two real processes: the pages of one crawler, whoever is killed meanwhile."""

import os
import signal
import sqlite3
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import PageStore
from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.frontier.items import host_of
from ircourse.distribute import ClusterError, crawl, local_cluster, served_at
from ircourse.distribute.jobs import crawl_node, crawl_placing
from ircourse.distribute.jobs.crawl_node import close, open_node
from ircourse.distribute.jobs.crawl_post import Letters, Owners, OwnUrls, Post
from ircourse.distribute.jobs.crawl_rounds import Rounds
from ircourse.types import Response
from ircourse.web import Web, serve, tiny_web

START = "http://www.saltmere.example/"
# Their names do not resolve, or what they answer does not end, or is another on each visit.
LEFT_OUT = ("tramway", "webcam", "buoy", "calendar", "library")
THREADS = 3
QUICK = {"delay": 0, "threads": THREADS, "retries": RetryPolicy(max_tries=2, first=0.01), "soft_404": True}


@pytest.fixture(scope="module", autouse=True)
def soon():
    """Crawls that come to a standstill end soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crawl_placing, "STILL", 60.0)
        yield


@pytest.fixture(scope="module")
def town():
    """The tiny web, the hosts to crawl, and what one crawler keeps of them and asks for."""
    web = tiny_web()
    hosts = [host for host in web.hosts if host.partition(".")[0] not in LEFT_OUT]
    with serve(web) as server:
        one = Crawler([START], urls=UrlFilter(hosts), resolve=server.resolve, allow_private=True, **QUICK)
        one.run()
        asked = server.counts()
    pages = {url: page.body for url, page in one.store.items()}
    assert len(pages) > 150
    return web, hosts, pages, asked, one.statistics


def on(client, server, hosts, folder, seeds=(START,), **options):
    options = {**QUICK, "urls": UrlFilter(hosts), **options}
    where = {"resolve": served_at(server), "allow_private": True}
    return crawl(client, seeds, store=folder, **where, **options)


def pages_of(result):
    """The bodies in all folders; each URL is in one of them, and was stored once."""
    found = {}
    for node in result.nodes:
        with PageStore(node.store) as store:
            assert not store.damaged and not store.lost
            assert node.pages == len(store)
            for url in store:
                assert url not in found and len(store.history(url)) == 1
                found[url] = store[url].body
    return found


def waiting(folder):
    found = set()
    for path in folder.glob("node-*/index.sqlite"):
        with closing(sqlite3.connect(path)) as db:
            found |= {url for (url,) in db.execute("SELECT url FROM waiting")}
    return found


@pytest.mark.parametrize("nodes", [2, 3])
def test_two_processes_ask_for_what_one_crawler_asks_for_and_keep_the_same(client, town, tmp_path, nodes):
    web, hosts, pages, asked, statistics = town
    told = []
    with serve(web) as server:
        result = on(client, server, hosts, tmp_path, nodes=nodes, progress=lambda *step: told.append(step))
        assert server.counts() == asked
        assert not server.errors
    assert pages_of(result) == pages
    assert result.pages == len(pages) and result.moves == () and not waiting(tmp_path)
    owners = Owners(nodes)
    for node in result.nodes:
        with PageStore(node.store) as store:
            assert {owners.of_url(url) for url in store} <= {node.node}
    assert sum(node.fetched for node in result.nodes) == statistics.fetched == asked.total()
    assert sum(node.bytes for node in result.nodes) == statistics.bytes
    assert sum(node.sent for node in result.nodes) == result.messages > 0
    assert sum(node.received for node in result.nodes) == result.messages
    assert sum(len(group) - 1 for group in result.copies) == statistics.steps["copy"] > 0
    assert told[-1] == ("closing", nodes, nodes)
    assert {f"round {number}" for number in range(result.rounds + 1)} <= {stage for stage, _, _ in told}


class Gate:
    """A web that holds every answer back once it was asked for so many pages, until the gate is opened."""

    def __init__(self, web):
        self.web, self.hosts = web, web.hosts
        self.pages, self.close_at = set(), inf
        self.changing, self.closed, self.opened = threading.Lock(), threading.Event(), threading.Event()

    def respond(self, url, headers=None, *, day=0):
        with self.changing:
            if "robots" not in url:
                self.pages.add(url)
            is_closed = len(self.pages) >= self.close_at
        if is_closed:
            self.closed.set()
            self.opened.wait(60)
        return self.web.respond(url, headers, day=day)

    def close(self, pages):
        self.closed.clear()
        self.opened.clear()
        self.pages.clear()
        self.close_at = pages

    def open(self):
        self.close_at = inf
        self.opened.set()


def await_restart(client):
    """Wait for a killed worker's successor: Dask takes half a minute to close a cluster that starts one."""
    with suppress(TimeoutError):
        client.wait_for_workers(2, timeout=20)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_the_hosts_of_a_killed_worker_go_on_elsewhere_and_only_what_was_in_flight_is_asked_again(
    town, tmp_path
):
    web, hosts, pages, _, _ = town
    gate = Gate(web)
    seeds = [START, *(f"http://{host}/" for host in hosts)]  # so that both nodes are busy from the start

    def kill(client):
        assert gate.closed.wait(60)
        dead, pid = min(client.run(os.getpid).items())
        os.kill(pid, signal.SIGKILL)
        gate.open()
        return dead

    with local_cluster(2) as client, serve(gate) as server:
        one = Crawler(seeds, urls=UrlFilter(hosts), resolve=server.resolve, allow_private=True, **QUICK)
        one.run()
        before = len(server.visits)
        gate.close(60)
        with ThreadPoolExecutor(1) as pool:
            killing = pool.submit(kill, client)
            result = on(client, server, hosts, tmp_path, seeds)
            dead = killing.result(60)
        visits = Counter(visit.url for visit in server.visits[before:] if "robots" not in visit.url)
        assert not server.errors
        await_restart(client)
    move, *others = result.moves
    assert (move.stage, move.before, move.lost) == ("round 1", dead, True) and move.to != dead
    assert not any(other.lost for other in others)  # to the worker that was started in its place
    found = pages_of(result)
    assert found == {url: page.body for url, page in one.store.items()}
    assert pages.keys() <= found.keys() and not waiting(tmp_path)
    assert sum(times - 1 for times in visits.values()) <= THREADS + 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.parametrize("when", ["in round 0", "before its result is fetched"])
def test_a_worker_may_be_killed_between_its_turns(town, tmp_path, monkeypatch, when):
    web, hosts, pages, _, _ = town

    def kill():
        if victims:
            os.kill(victims.pop(), signal.SIGKILL)

    with local_cluster(2) as client, serve(web) as server:
        victims = list(client.run(os.getpid).values())
        del victims[1:]
        if when == "in round 0":
            options = {"progress": lambda *told: kill()}
        else:
            fetch, options = client.gather, {}

            def lost(futures, **how):
                if victims:
                    kill()
                    threading.Event().wait(0.3)  # until the scheduler has heard of it
                return fetch(futures, **how)

            monkeypatch.setattr(client, "gather", lost)
        result = on(client, server, hosts, tmp_path, nodes=4, **options)
        assert not victims and not server.errors
        await_restart(client)
    assert pages_of(result) == pages and not waiting(tmp_path)
    lost_moves = [move for move in result.moves if move.lost]
    assert len({move.before for move in lost_moves}) == 1 and len(lost_moves) <= 2


def test_a_crawl_in_which_no_turn_ends_is_given_up(client, tmp_path, monkeypatch):
    urls, web = chain(6)
    gate = Gate(web)
    gate.close(2)
    with serve(gate) as server:
        monkeypatch.setattr(crawl_placing, "STILL", 1.0)
        with pytest.raises(ClusterError, match=r"round \d: no node comes to an end with what it does"):
            on(client, server, web.hosts, tmp_path, urls[:1], turn=1.0)
        gate.open()
        monkeypatch.setattr(crawl_placing, "STILL", -1.0)  # the nodes are not yet open, and to be closed
        with pytest.raises(ClusterError, match="round 0: no node"):
            on(client, server, web.hosts, tmp_path, urls[:1], turn=0.5)
        monkeypatch.setattr(crawl_placing, "STILL", 60.0)
        assert on(client, server, web.hosts, tmp_path, urls[:1]).pages == 6


def chain(length):
    """Pages that each link to the next one, on a host of its own, and to the first."""
    urls = [f"http://quay{number}.example/" for number in range(length)]
    return urls, Web.from_pages({url: [*urls[i + 1 : i + 2], urls[0]] for i, url in enumerate(urls)})


def test_a_link_to_another_node_is_one_message_and_one_round(client, tmp_path):
    urls, web = chain(12)
    owners = [Owners(2).of_url(url) for url in urls]
    with serve(web) as server:
        result = on(client, server, web.hosts, tmp_path / "all", urls[:1])
        assert pages_of(result).keys() == set(urls)
        onward = {(owners[i], urls[i + 1]) for i in range(11) if owners[i] != owners[i + 1]}
        back = {(owner, urls[0]) for owner in owners if owner != owners[0]}
        assert result.messages == len(onward | back) > 4
        assert result.rounds in (len(onward) + 1, len(onward) + 2)  # one more where the last sends one back
        alone = on(client, server, web.hosts, tmp_path / "alone", urls[:1], nodes=1)
    assert (alone.rounds, alone.messages, alone.pages, alone.prints) == (1, 0, 12, 0) or alone.rounds == 2


def test_a_crawl_stops_at_its_pages_and_goes_on_where_it_was(client, tmp_path):
    urls, web = chain(12)
    with serve(web) as server:
        stored = []
        for most in (0, 1, 5, 5, None):
            result = on(client, server, web.hosts, tmp_path, urls[:1], max_pages=most)
            stored.append(result.pages)
        counts = server.counts()
    assert stored == [0, 1, 5, 5, 12]
    assert {url: counts[url] for url in urls} == dict.fromkeys(urls, 1)


def test_a_crawl_that_is_broken_off_lets_go_of_its_folder(client, tmp_path):
    urls, web = chain(12)

    def enough(stage, done, of):
        if stage == "round 2":
            raise KeyboardInterrupt

    with serve(web) as server:
        with pytest.raises(KeyboardInterrupt):
            on(client, server, web.hosts, tmp_path, urls[:1], progress=enough)
        result = on(client, server, web.hosts, tmp_path, urls[:1])
        counts = server.counts()
    assert result.pages == 12 and not waiting(tmp_path)
    assert {url: counts[url] for url in urls} == dict.fromkeys(urls, 1)


def test_copies_meet_at_the_owner_of_their_fingerprint(client, tmp_path):
    def page(words):
        return f"<p>{words}</p>".encode()

    texts = {f"http://mirror{i}.example/": page("ferry times") for i in range(6)}
    texts |= {f"http://inn{i}.example/{j}": page(f"rooms {j}") for i in range(3) for j in range(2)}
    texts |= {"http://quay.example/": page("tides"), "http://blank.example/": page("")}
    with serve(_bodies(texts)) as server:
        result = on(client, server, None, tmp_path, sorted(texts), urls=UrlFilter(None), nodes=2)
    groups = {}
    for url, body in texts.items():
        groups.setdefault(body, []).append(url)
    assert result.copies == tuple(sorted(tuple(sorted(g)) for g in groups.values() if len(g) > 1))
    assert 0 < result.prints < len(texts)


def _bodies(texts):
    class Bodies:
        hosts = tuple(sorted({host_of(url) for url in texts}))

        def respond(self, url, headers=None, *, day=0):
            return Response(200, {"content-type": "text/html"}, texts[url]) if url in texts else Response(404)

    return Bodies()


@pytest.fixture(scope="module")
def lone():
    """A cluster that begins with one worker."""
    with local_cluster(1) as client:
        yield client


def test_where_all_workers_are_lost_the_error_says_what_to_do(lone, tmp_path, monkeypatch):
    urls, web = chain(6)
    monkeypatch.setattr(crawl_placing, "LOOK", 0.02)
    monkeypatch.setattr(crawl_placing, "GONE", 0.05)  # before the nanny has started another
    gate = Gate(web)
    gate.close(2)

    def kill(client):
        assert gate.closed.wait(60)
        for pid in client.run(os.getpid).values():
            os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    with serve(gate) as server:
        with ThreadPoolExecutor(1) as pool:
            killing = pool.submit(kill, lone)
            with pytest.raises(ClusterError, match=r"round 1: all workers are lost\. Start some: the same"):
                on(lone, server, web.hosts, tmp_path, urls[:1])
            killing.result(60)
        gate.open()
        lone.wait_for_workers(1, timeout=60)
        assert on(lone, server, web.hosts, tmp_path, urls[:1]).pages == 6


def test_a_worker_that_joins_is_handed_nodes(lone, tmp_path):
    urls, web = chain(12)

    def join(stage, done, of):
        if stage == "round 1":
            lone.cluster.scale(2)
            lone.wait_for_workers(2, timeout=60)

    with serve(web) as server:
        result = on(lone, server, web.hosts, tmp_path, urls[:1], nodes=2, progress=join)
        counts = server.counts()
    (move,) = result.moves
    assert (move.stage, move.node, move.lost) == ("round 2", 0, False) and move.before != move.to
    assert result.pages == 12 and not waiting(tmp_path)
    assert {url: counts[url] for url in urls} == dict.fromkeys(urls, 1)


def test_what_is_wrong_is_told(client, tmp_path):
    urls, web = chain(2)
    with serve(web) as server:
        for error, match, options in [
            (TypeError, "clock is no option of a crawl on a cluster", {"clock": None}),
            (TypeError, "revisit is no option", {"revisit": None}),
            (TypeError, "unexpected keyword argument 'dealy'", {"dealy": 1}),
            (ValueError, "delay is -1", {"delay": -1}),
            (ValueError, "nodes is 0: give a number", {"nodes": 0}),
            (ValueError, "turn is 0, max_pages None: give seconds above 0", {"turn": 0}),
            (ValueError, "max_pages -1", {"max_pages": -1}),
            (
                TypeError,
                r"resolve cannot be sent .*plain data.* served_at",
                {"resolve": server.resolve},
            ),
        ]:
            with pytest.raises(error, match=match):
                crawl(client, urls, store=tmp_path / "a", **options)
        with pytest.raises(ValueError, match="'harbour' cannot be crawled"):
            crawl(client, ["harbour"], store=tmp_path / "a")
        with pytest.raises(TypeError, match="runs no jobs"):
            crawl("client", urls, store=tmp_path / "a")
        assert not (tmp_path / "a").exists()
        on(client, server, web.hosts, tmp_path, urls, nodes=2)
        with pytest.raises(ValueError, match="holds a crawl of 2 nodes, not 3: hosts would change owners"):
            on(client, server, web.hosts, tmp_path, urls, nodes=3)
        (tmp_path / "nodes.json").write_text("[]", encoding="utf-8")
        with pytest.raises(ValueError, match="does not say how many nodes"):
            on(client, server, web.hosts, tmp_path, urls)


def test_without_seeds_there_is_nothing_to_do(client, tmp_path):
    result = crawl(client, [], store=tmp_path)
    assert (result.pages, result.rounds, result.messages, result.copies) == (0, 0, 0, ())


class Here:
    """Nodes in this process, which break off a few times in the middle of a turn, and are opened again."""

    def __init__(self, n, folder, web, breaks):
        self.opening = n, folder, UrlFilter(None)
        self.options = {"fetch": web, "delay": 0, "threads": 2, "priority": self.priority}
        self.breaks, self.asked = list(breaks), 0
        self.nodes = {node: self.open(node, again=False) for node in range(n)}

    def open(self, node, again):
        return open_node(again, node, *self.opening, self.options)

    def priority(self, url, clicks):
        self.asked += 1
        if self.breaks and self.asked >= self.breaks[0]:
            self.asked = -self.breaks.pop(0)
            raise KeyboardInterrupt
        return 1.0

    def balance(self, stage):
        pass

    def run(self, stage, function, arguments, seconds):
        return {node: self.one(function, node, arguments[node]) for node in sorted(arguments)}

    def one(self, function, node, arguments):
        while True:
            try:
                return function(self.nodes[node], *arguments)
            except KeyboardInterrupt:
                close(self.nodes[node])
                self.nodes[node] = self.open(node, again=True)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=10, max_size=10),
    st.lists(st.integers(1, 12), max_size=3),
    st.integers(1, 3),
    st.sampled_from([None, 4]),
)
def test_turns_that_break_off_lose_and_repeat_nothing(tmp_path_factory, links, breaks, n, most):
    def url(page):
        return f"http://host{page % 4}.example/{page // 4}"

    web = Web.from_pages({url(page): [url(link) for link in to] for page, to in enumerate(links)})
    one = Crawler([url(0)], fetch=web, delay=0, hosts="*")
    one.run()
    here = Here(n, tmp_path_factory.mktemp("crawl"), web, breaks)
    rounds = Rounds(here, n, 30.0, most)
    rounds.run([url(0)])
    stored = sorted(url for node in here.nodes.values() for url in node.store)
    if most is None:
        assert stored == sorted(one.store)
    else:
        assert len(set(stored)) == len(stored) == min(most, len(one.store))
    for node in here.nodes.values():
        close(node)


def test_a_host_keeps_its_rest_when_its_node_is_opened_elsewhere(tmp_path):
    asked = []

    def fetch(url, headers):
        asked.append(url)
        return Response(404)

    how = 0, 1, tmp_path, UrlFilter(None), {"fetch": fetch, "delay": 60.0}
    node = open_node(False, *how)
    turn = node.turn(Letters([("http://quay.example/", 0)], []), (0, 0), None, 0.1)
    assert (asked, turn.fetched, turn.more) == (["http://quay.example/robots.txt"], 1, True)
    close(node)
    node = open_node(True, *how)
    turn = node.turn(Letters([], []), (0, 0), None, 0.1)
    assert (len(asked), turn.fetched, turn.waiting, turn.more) == (1, 0, 1, True)
    close(node)


def test_a_node_without_a_page_knows_what_it_has_asked_for_when_it_is_opened_elsewhere(tmp_path):
    web = Web.from_pages({"http://quay.example/": []})
    gone = Letters([("http://quay.example/gone", 0)], [])
    how = 0, 1, tmp_path, UrlFilter(None), {"fetch": web, "delay": 0}
    fetched = []
    for again in (False, True, False):
        node = open_node(again, *how)
        fetched.append(node.turn(gone, (0, 0), None, 10.0).fetched)
        close(node)
    assert fetched == [2, 0, 2]  # robots.txt and the page; a crawl that came to nothing begins anew


def test_a_folder_has_one_node_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(crawl_node, "PATIENCE", 0.3)
    node = open_node(False, 0, 1, tmp_path, UrlFilter(None), {})
    with pytest.raises(ValueError, match="another crawl writes"):
        open_node(False, 0, 1, tmp_path, UrlFilter(None), {})
    close(node)
    close(open_node(False, 0, 1, tmp_path, UrlFilter(None), {}))


def test_links_elsewhere_are_posted_once_but_no_robots_txt_and_nothing_out_of_scope():
    urls = [f"http://quay{number}.example/" for number in range(20)]
    owners, whole = Owners(2), UrlFilter(["*.example"])
    database = sqlite3.connect(":memory:")
    post = Post(database)
    own = OwnUrls(whole, owners, 0, post)
    others = [url for url in urls if owners.of_url(url) == 1]
    assert 0 < len(others) < 20
    assert [own.refuse(url) for url in urls] == [""] * 20
    assert post.sent((0, 0)) == (Letters([], []), (0, 0))
    for clicks in (3, 2):
        assert [url for url in urls if own.refuse(url, clicks)] == others
    assert own.refuse("http://quay1.test/", 1) == "scope"
    assert post.sent((0, 0))[0].links == [(url, 3) for url in others]
    assert post.sent((len(others) - 1, 0)) == (Letters([(others[-1], 3)], []), (len(others), 0))
    database.close()
