"""The crawler as it is used: over HTTP from loopback, into a store, stopped and gone on with."""

import os
import signal
import threading
from itertools import pairwise

import pytest

from ircourse.crawl import Crawler, PageStore, http_fetcher
from ircourse.crawl.crawler.manners import user_agent
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.net.addresses import PrivateAddress
from ircourse.types import FetchError, Response, SystemClock, VirtualClock
from ircourse.web import Web, serve, tiny_web

HOME = "http://a.example/"


def town(pages=8, hosts=("a.example", "b.example")):
    """A web whose roots link to all of its pages."""
    urls = [f"http://{host}/{page}" for host in hosts for page in ["", *map(str, range(pages))]]
    return Web.from_pages({url: urls if url.count("/") == 3 and url.endswith("/") else [] for url in urls})


def over_http(server, **options):
    return Crawler([HOME], resolve=server.resolve, allow_private=True, delay=0, **options)


def test_a_web_is_crawled_over_http_into_a_store(tmp_path):
    web = town()
    with serve(web) as server:
        crawler = over_http(server, hosts=web.hosts, store=tmp_path, contact="http://a.example/who")
        done = crawler.run()
        assert done.stored == len(web) and done.hosts == 2 and done.seconds > 0
        assert {visit.headers["user-agent"] for visit in server.visits} == {
            user_agent("ircourse", "http://a.example/who")
        }
        assert {visit.url for visit in server.visits if visit.url.endswith(".txt")} == {
            "http://a.example/robots.txt",
            "http://b.example/robots.txt",
        }
        assert set(server.counts().values()) == {1} and not server.errors
    assert set(crawler.store) == set(web)
    assert all(crawler.store[url].body == web.respond(url).body for url in web)
    crawler.store.close()


def test_one_connection_a_host_whatever_the_threads():
    web = town(pages=20)
    busy, most, lock = {}, {}, threading.Lock()

    def fetch(url, headers):
        host = url.split("/")[2]
        with lock:
            busy[host] = busy.get(host, 0) + 1
            most[host] = max(most.get(host, 0), busy[host])
        try:
            return web.respond(url, headers)
        finally:
            with lock:
                busy[host] -= 1

    done = Crawler([HOME], fetch=fetch, hosts=web.hosts, delay=0, threads=8).run()
    assert done.stored == len(web) and set(most.values()) == {1}


def test_other_hosts_than_the_seeds_are_left_out_through_redirects_too():
    pages = {
        HOME: ["http://b.example/", "http://a.example/away", "http://a.example/x"],
        "http://a.example/x": [],
    }
    asked = []

    def fetch(url, headers):
        asked.append(url)
        if url.endswith("/away"):
            return Response(302, {"location": "http://b.example/x"})
        return web.respond(url, headers)

    web = Web.from_pages(pages)
    crawler = Crawler([HOME], fetch=fetch, clock=VirtualClock())
    assert set(crawler.store) == set()
    done = crawler.run()
    assert done.stored == 2 and done.steps["refused"] == 1 and done.refused == {"scope": 1}
    assert not any("b.example" in url for url in asked)
    assert Crawler([HOME], fetch=web, clock=VirtualClock(), hosts="*").run().steps["failed"] == 1


@pytest.mark.parametrize("threads", [1, 3])
def test_private_addresses_are_refused_before_anything_is_sent(threads):
    log = []
    with serve(town()) as server:
        crawler = Crawler(
            [HOME], resolve=server.resolve, threads=threads, watch=lambda step, statistics: log.append(step)
        )
        done = crawler.run()
        assert done.stored == 0 and not server.visits
    assert [(step.url, step.what) for step in log] == [(HOME, "failed")]
    assert "127.0.0.1" in log[0].why and "--allow-private" in log[0].why


def test_a_name_that_changes_between_vetting_and_connecting_is_refused():
    with serve(town()) as server:
        answers = iter([("1.1.1.1", 80)])
        crawler = Crawler(
            [HOME],
            resolve=lambda host, port: next(answers, server.address),
            retries=RetryPolicy(max_tries=1),
        )
        log = []
        # robots.txt cannot be had, and that is tried again a minute later: enough is seen by then
        crawler.core.harvest.watch = lambda step, statistics: (log.append(step), stop(crawler))
        crawler.run()
        assert [(step.what, step.why) for step in log] == [
            ("robots.txt", f"private address: {PrivateAddress('a.example', '127.0.0.1')}"),
            ("failed", "no robots.txt came"),
        ]
        assert not server.visits


def stop(crawler):
    crawler.core.stopping = True


def test_no_delay_is_for_private_addresses_alone():
    crawler = Crawler([HOME], delay=0)
    gap = crawler.core.gap
    assert gap(("127.0.0.1",), 5.0) == gap(None, 5.0) == 0
    assert gap(("1.1.1.1",), 0.01) == 1.0 and gap(("1.1.1.1",), 0.5) == 5.0
    assert Crawler([HOME], delay=2).core.gap is None


def test_the_delays_are_the_books_by_default():
    starts, clock = [], VirtualClock()

    def fetch(url, headers):
        starts.append(clock.now())
        return Response(
            200, {"content-type": "text/html"}, f"{url} <a href={len(starts)}>x</a>".encode(), 0.5
        )

    Crawler([HOME], fetch=fetch, clock=clock).run(4)
    assert [round(later - sooner, 6) for sooner, later in pairwise(starts)] == [5.5] * 4
    starts.clear()
    Crawler([HOME], fetch=fetch, clock=clock, delay=7).run(4)
    assert [round(later - sooner, 6) for sooner, later in pairwise(starts)] == [7.5] * 4


def test_a_crawl_stopped_in_order_fetches_nothing_twice(tmp_path):
    web, asked = town(), []

    def fetch(url, headers):
        asked.append(url)
        return web.respond(url, headers)

    for pages in (3, 3, 7, 12, None):
        with PageStore(tmp_path) as store:
            done = Crawler([HOME], fetch=fetch, clock=VirtualClock(), hosts=web.hosts, store=store).run(pages)
            assert done.stored == len(store) == min(pages or 99, len(web))
    pages = [url for url in asked if not url.endswith("robots.txt")]
    assert sorted(pages) == sorted(web)


def test_a_condition_on_urls_of_ones_own():
    crawler = Crawler([HOME], fetch=town(), clock=VirtualClock(), in_scope=lambda url: "3" not in url)
    assert crawler.run().stored == 8 and crawler.statistics.refused == {"scope": 10}
    assert "http://a.example/3" not in crawler.store


def test_run_goes_on_where_it_ended():
    web = town()
    crawler = Crawler([HOME], fetch=web, clock=VirtualClock(), hosts=web.hosts)
    assert [crawler.run(pages).stored for pages in (2, 5, 5, None)] == [2, 5, 5, len(web)]


def test_ctrl_c_keeps_what_is_under_way_and_a_second_one_stops_at_once(tmp_path):
    web = town(pages=40)
    pid = os.getpid()

    def interrupt(step, statistics):
        if statistics.stored == 5 and step.what == "stored":
            signal.raise_signal(signal.SIGINT)

    with serve(web) as server:
        crawler = over_http(server, hosts=web.hosts, store=tmp_path, watch=interrupt)
        done = crawler.run()
        assert crawler.stopped and 5 <= done.stored <= 9
        fetched = {visit.url for visit in server.visits if not visit.url.endswith(".txt")}
        assert set(crawler.store) == fetched
        crawler.store.close()
        crawler = over_http(server, hosts=web.hosts, store=tmp_path)
        assert crawler.run().stored == len(web) and not crawler.stopped
        counts = server.counts()
        assert all(counts[url] == 1 for url in web)
        crawler.store.close()
    assert os.getpid() == pid and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals go to no thread of choice here")
def test_a_second_ctrl_c_stops_at_once():
    with serve(town()) as server:
        server.fault(HOME, "hold")
        crawler = over_http(server, timeout=30)

        def interrupt_twice():
            server.wait_until(lambda visits: any(visit.url == HOME for visit in visits))
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            while not crawler.core.stopping:
                server.wait_until(lambda visits: False, 0.01)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        before = signal.getsignal(signal.SIGINT)
        thread = threading.Thread(target=interrupt_twice)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            crawler.run()
        thread.join()
        assert signal.getsignal(signal.SIGINT) is before


def test_a_crawl_of_which_nothing_came_can_be_begun_again(tmp_path):
    web, down = town(), [True]

    def fetch(url, headers):
        if down[0]:
            raise FetchError(url, "timeout")
        return web.respond(url, headers)

    with PageStore(tmp_path) as store:
        assert Crawler([HOME], fetch=fetch, clock=VirtualClock(), store=store).run().stored == 0
        down[0] = False
        assert Crawler([HOME], fetch=fetch, clock=VirtualClock(), store=store).run().stored == 9


@pytest.mark.parametrize("moment", range(1, 10))
def test_a_fault_of_the_store_loses_nothing(tmp_path, moment, monkeypatch):
    web, left = town(hosts=["a.example"]), [moment]

    def add(self, *arguments, **options):
        left[0] -= 1
        if not left[0]:
            raise OSError("no space left on device")
        whole(self, *arguments, **options)

    whole = PageStore.add
    monkeypatch.setattr(PageStore, "add", add)
    with PageStore(tmp_path) as store, pytest.raises(OSError, match="no space"):
        Crawler([HOME], fetch=web, clock=VirtualClock(), store=store).run()
    with PageStore(tmp_path) as store:
        assert len(store) == moment - 1
        assert Crawler([HOME], fetch=web, clock=VirtualClock(), store=store).run().stored == len(web)
        assert all(len(store.history(url)) == 1 for url in web)


def test_budgets_and_copies_are_remembered_in_the_store(tmp_path):
    pages = {HOME: [f"http://a.example/p?n={i}" for i in range(9)]}
    web = Web.from_pages(pages | {url: [] for url in pages[HOME]})
    for pages in (2, None):
        with PageStore(tmp_path) as store:
            urls = UrlFilter(["a.example"], per_pattern=5)
            done = Crawler([HOME], fetch=web, clock=VirtualClock(), store=store, urls=urls).run(pages)
            assert urls.spend("http://a.example/p?n=99") == "pattern"
    assert done.stored == 6


def test_the_watcher_sees_every_step_with_the_numbers():
    seen = []
    web = town(pages=1, hosts=["a.example"])
    crawler = Crawler(
        [HOME], fetch=web, clock=VirtualClock(), watch=lambda step, stats: seen.append((step, stats.stored))
    )
    crawler.run()
    assert [(step.what, stored) for step, stored in seen] == [("robots.txt", 0), ("stored", 1), ("stored", 2)]
    assert [step.time for step, _ in seen] == [0.0, 2.0, 4.0]


def test_a_fetchers_own_fault_ends_that_url_alone():
    web = town(hosts=["a.example"])

    def fetch(url, headers):
        if url.endswith("/3"):
            raise ZeroDivisionError("three")
        return web.respond(url, headers)

    log = []
    crawler = Crawler([HOME], fetch=fetch, delay=0, watch=lambda step, statistics: log.append(step))
    assert crawler.run().stored == len(web) - 1
    assert [(s.url, s.why) for s in log if s.what == "failed"] == [
        ("http://a.example/3", "error: ZeroDivisionError: three")
    ]


def test_the_fetcher_is_shared_by_threads():
    web = town()
    with serve(web) as server:
        fetch = http_fetcher(resolve=server.resolve)
        assert Crawler([HOME], fetch=fetch, hosts="*", delay=0, threads=4).run().stored == len(web)


def test_the_tiny_web_is_crawled_as_its_authors_wish():
    crawler = Crawler(["http://www.saltmere.example/"], fetch=tiny_web(), clock=VirtualClock(), hosts="*")
    done = crawler.run(500)
    assert done.stored == 500 and done.steps["soft 404"] >= 2 and done.steps["noindex"] >= 2
    assert done.steps["robots"] >= 3 and done.steps["copy"] >= 1


@pytest.mark.parametrize(
    ("seeds", "options", "error", "words"),
    [
        (HOME, {}, TypeError, "seeds are several"),
        (["mailto:a@b.example"], {}, ValueError, "mailto:a@b.example"),
        ([HOME], {"hosts": "a.example"}, TypeError, "hosts are several"),
        ([HOME], {"clock": VirtualClock()}, ValueError, "give fetch"),
        ([HOME], {"threads": 0}, ValueError, "threads is 0"),
        ([HOME], {"delay": -1}, ValueError, "delay is -1"),
        ([HOME], {"delay": float("nan")}, ValueError, "delay is nan"),
        ([HOME], {"agent": "a\r\nb"}, ValueError, "visible ASCII"),
        ([HOME], {"contact": "the harbour"}, ValueError, "visible ASCII"),
        ([HOME], {"near_copies": 2}, ValueError, "threshold is 2"),
    ],
)
def test_bad_input_is_named(seeds, options, error, words):
    with pytest.raises(error, match=words):
        Crawler(seeds, **options)


def test_max_pages_is_a_number_of_pages():
    with pytest.raises(ValueError, match="max_pages is -1"):
        Crawler([HOME], fetch=town(), clock=VirtualClock()).run(-1)
    assert Crawler([HOME], fetch=town(), clock=SystemClock()).run(0).fetched == 0
