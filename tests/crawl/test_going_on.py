"""What a crawl owes its servers and itself over a stop: pages that are held, rests, requests under way."""

import contextlib
import signal
import threading

import pytest

from ircourse.crawl import Crawler, PageStore
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.crawl.net.lookups import Found
from ircourse.types import FetchError, Response, VirtualClock
from ircourse.web import Web, serve

HOME = "http://a.example/"
HTML = {"content-type": "text/html"}


def page(*links, words=""):
    return Response(
        200, HTML, (words + "".join(f" <a href={link}>{link}</a>" for link in links)).encode(), 0.1
    )


@pytest.mark.parametrize("pages", [1, 2, 3])
def test_pages_that_may_be_apologies_are_not_fetched_again_after_a_stop(tmp_path, pages):
    asked = []

    def fetch(url, headers):
        asked.append(url)
        path = url.removeprefix(HOME)
        if path in ("", "robots.txt"):
            return page("/s1", "/s2", "/fish") if not path else Response(404)
        if path == "fish":
            return page(words="herring and cod")
        return page(words=f"Sorry, we have no {path}") if path in ("s1", "s2") else Response(404)

    for most in (pages, None):
        with PageStore(tmp_path) as store:
            Crawler([HOME], fetch=fetch, clock=VirtualClock(), store=store).run(most)
            kept = set(store)
    once = [url for url in asked if not url.endswith("robots.txt")]
    assert len(once) == len(set(once)) == 5 and kept == {HOME, f"{HOME}s1", f"{HOME}s2", f"{HOME}fish"}


def test_a_stop_while_a_page_is_held_keeps_it(tmp_path):
    asked = []

    def fetch(url, headers):
        asked.append(url)
        if url == f"{HOME}s1":
            crawler.core.stopping = True
            return page(words="Sorry, not here")
        return page("/s1") if url == HOME else Response(404)

    for _ in range(2):
        with PageStore(tmp_path) as store:
            crawler = Crawler([HOME], fetch=fetch, clock=VirtualClock(), store=store)
            crawler.run()
            stored = len(store)
    assert asked.count(f"{HOME}s1") == 1 and stored == 2


def test_a_host_that_redirects_what_it_does_not_have_keeps_its_apology_to_itself():
    def fetch(url, headers):
        if url == HOME:
            return page("/gone", "/fish")
        if url.endswith(("fish", "robots.txt")):
            return page(words="herring")
        return (
            page(words="Sorry, no such page")
            if url.endswith("sorry")
            else Response(302, {"location": "/sorry"})
        )

    crawler = Crawler([HOME], fetch=fetch, clock=VirtualClock())
    assert crawler.run().steps["soft 404"] == 1 and set(crawler.store) == {HOME, f"{HOME}fish"}


@pytest.mark.parametrize("dead_first", [True, False])
def test_a_port_without_an_answer_does_not_hold_up_the_others_of_its_host(dead_first):
    dead, clock, times = "http://a.example:81/", VirtualClock(), []

    def fetch(url, headers):
        if url.startswith(dead):
            raise FetchError(url, "refused")
        times.append(clock.now())
        return Response(404) if url.endswith("robots.txt") else page(*["/1", "/2", "/3"])

    seeds = [dead, HOME] if dead_first else [HOME, dead]
    done = Crawler(seeds, fetch=fetch, clock=clock).run()
    assert done.stored == 4 and max(times) < 20 and done.steps["failed"] == 1 and done.waiting == 0


def test_two_hosts_whose_robots_txt_lead_to_each_other_end():
    def fetch(url, headers):
        host, path = url.split("/")[2:]
        other = "b.example" if host == "a.example" else "a.example"
        return Response(302, {"location": f"http://{other}/robots.txt"}) if path else page()

    clock = VirtualClock()
    done = Crawler([HOME, "http://b.example/"], fetch=fetch, clock=clock).run()
    assert done.waiting == 0 and done.fetched < 40 and clock.now() < 300


def test_a_retry_after_is_kept_however_long_and_over_a_restart(tmp_path):
    clock, times, crawlers = VirtualClock(), [], []

    def fetch(url, headers):
        times.append((url, clock.now()))
        if url.endswith("robots.txt"):
            return Response(404)
        return page("/1", "/2") if url == HOME else Response(429, {"retry-after": "86400"})

    retries = RetryPolicy(longest=3000)

    def stop(step, statistics):
        crawlers[-1].core.stopping = step.what == "dead"

    for _ in range(2):
        with PageStore(tmp_path) as store:
            crawlers.append(
                Crawler([HOME], fetch=fetch, clock=clock, store=store, retries=retries, watch=stop)
            )
            crawlers[-1].run()
    busy = next(time for url, time in times if url.endswith("/1"))
    assert next(time for _, time in times if time > busy) >= busy + 3000


def test_what_the_look_up_says_of_lifetimes_is_kept_to():
    asked = []

    def look_up(host):
        asked.append(host)
        return Found(("127.0.0.1",), 90.0)

    with serve(Web.from_pages({HOME: []})) as server:
        crawler = Crawler([HOME], resolve=server.resolve, look_up=look_up, allow_private=True, delay=0)
        assert crawler.run().stored == 1
    answer = crawler.core.names.resolver.ask("a.example", crawler.clock.now())
    assert asked == ["a.example"] and answer.until - crawler.clock.now() <= 90


def test_a_long_robots_txt_is_read_to_its_limit():
    rules = b"User-agent: *\nDisallow: /closed\n" + b"# much\n" * 200_000

    class Long:
        hosts = ("a.example",)

        def respond(self, url, headers=None, *, day=0):
            if url.endswith("robots.txt"):
                return Response(200, {"content-type": "text/plain"}, rules)
            return page("/closed", "/open")

    with serve(Long()) as server:
        crawler = Crawler(
            [HOME], resolve=server.resolve, allow_private=True, delay=0, max_bytes=1_100_000, soft_404=False
        )
        crawler.run()
    assert set(crawler.store) == {HOME, f"{HOME}open"} and crawler.statistics.bytes < 1_100_000


def test_priorities_decide_what_comes_first():
    clock, asked = VirtualClock(), []

    def fetch(url, headers):
        asked.append(url)
        return page("/a", "/b", "/c") if url == HOME else page(words=url)

    Crawler([HOME], fetch=fetch, clock=clock, priority=lambda url, clicks: 9.0 * url.endswith("c")).run()
    assert asked[2] == f"{HOME}c"


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals go to no thread of choice here")
def test_ctrl_c_waits_for_a_silent_server_no_longer_than_the_grace(tmp_path, monkeypatch):
    monkeypatch.setattr("ircourse.crawl.crawler.real.GRACE", 0.2)
    said = []
    with serve(Web.from_pages({HOME: [f"{HOME}x"], f"{HOME}x": []})) as server:
        server.fault(f"{HOME}x", "hold")

        def interrupt():
            server.wait_until(lambda visits: any(visit.url == f"{HOME}x" for visit in visits))
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        options = {"resolve": server.resolve, "allow_private": True, "delay": 0, "store": tmp_path}
        crawler = Crawler([HOME], beat=lambda now: said.append(now.under_way), timeout=60, **options)
        done = crawler.run()
        thread.join()
        assert crawler.stopped and done.stored == 1 and done.seconds < 30 and 1 in said
        crawler.store.close()
        server.heal(f"{HOME}x")
        with contextlib.closing(PageStore(tmp_path)) as store:
            options["store"] = store
            assert Crawler([HOME], **options).run().stored == 2


def test_wishes_are_heard_by_the_name_of_the_crawler():
    def fetch(url, headers):
        if url == HOME:
            return page("/meta", "/header", "/other")
        if url.endswith("header"):
            return Response(200, {**HTML, "x-robots-tag": "harbourbot: noindex"}, b"a header")
        name = "harbourbot" if url.endswith("meta") else "otherbot"
        return page(words=f"<meta name={name} content=noindex>{url}")

    crawler = Crawler([HOME], fetch=fetch, clock=VirtualClock(), agent="HarbourBot/2.0")
    assert crawler.run().steps["noindex"] == 2 and set(crawler.store) == {HOME, f"{HOME}other"}


def test_what_waits_from_a_wider_crawl_is_not_asked_for(tmp_path):
    asked = []

    def fetch(url, headers):
        asked.append(url)
        return Response(404) if url.endswith("robots.txt") else page("http://b.example/", "/x")

    for hosts in ("*", None):
        with PageStore(tmp_path) as store:
            if hosts is None:
                store.connection.execute("INSERT INTO waiting (url, clicks) VALUES ('http://x', 0)")
            crawler = Crawler([HOME], fetch=fetch, clock=VirtualClock(), hosts=hosts, store=store)
            done = crawler.run(1 if hosts else None)
    assert done.stored == 2 and done.steps["refused"] == 2 and not any("b.example" in url for url in asked)
    with PageStore(tmp_path) as store:
        store.connection.execute("INSERT INTO waiting (url, clicks) VALUES (x'ff', 0)")
        with pytest.raises(ValueError, match="the index is damaged"):
            Crawler([HOME], fetch=fetch, clock=VirtualClock(), store=store)


@pytest.mark.parametrize(
    "row", ["INSERT INTO content VALUES ('http://a.example/', 'x', 'y')", "INSERT INTO seen VALUES ('text')"]
)
def test_rows_that_no_crawl_wrote_are_named(tmp_path, row):
    with PageStore(tmp_path) as store:
        Crawler([HOME], fetch=Web.from_pages({HOME: []}), clock=VirtualClock(), store=store).run()
        store.connection.execute(row)
    with PageStore(tmp_path) as store, pytest.raises(ValueError, match="the index is damaged"):
        Crawler([HOME], fetch=Web.from_pages({HOME: []}), clock=VirtualClock(), store=store)
