"""Simulated crawls: the pages are those that a spider finds, whoever dies and when."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import look_up_in, spider4
from ircourse.distribute import (
    ConsistentHashRing,
    CrawlCosts,
    HostSplitter,
    UrlSplitter,
    coordinated_crawl,
    exchange,
    firewall,
    independent,
    simulated_crawl,
)

URLS = [f"http://site{h}.example/{i or ''}" for h in range(7) for i in range(5)]
WEBS = st.dictionaries(
    st.sampled_from(URLS), st.lists(st.sampled_from(URLS), max_size=8), min_size=1, max_size=35
)
COSTS = st.builds(
    CrawlCosts,
    gap=st.sampled_from([0.0, 0.5, 3.0]),
    latency=st.sampled_from([0.0, 0.05, 4.0]),
    handling=st.sampled_from([0.0, 0.01, 1.0]),
    notice=st.sampled_from([0.0, 2.0, 20.0]),
    threads=st.integers(1, 3),
)
both = pytest.mark.parametrize("crawl", [simulated_crawl, coordinated_crawl])
WEB = {url: [URLS[k % len(URLS)] for k in (i + 1, 2 * i + 3, i + 12)] for i, url in enumerate(URLS)}


def found_by_a_spider(web, seeds):
    return {url for url, _ in spider4(look_up_in(web), seeds)}


@both
@settings(max_examples=250, deadline=None)
@given(web=WEBS, costs=COSTS, n=st.integers(1, 4), data=st.data())
def test_pages_are_those_of_a_spider_each_fetched_once_whoever_dies(crawl, web, costs, n, data):
    seeds = data.draw(st.lists(st.sampled_from(URLS), max_size=3, unique=True))
    kill = (
        data.draw(
            st.none() | st.tuples(st.integers(0, n - 1), st.integers(0, 120).map(lambda third: third / 3))
        )
        if n > 1
        else None
    )
    events = []
    done = crawl(web, range(n), seeds=seeds, costs=costs, kill=kill, watch=lambda e, held: events.append(e))
    assert set(done.pages) == found_by_a_spider(web, seeds)
    assert done.overlap == 0 and done.too_soon(costs.gap) == 0
    began = Counter(url for event in events if event.kind == "took" for url in event.what)
    lost = [url for event in events if event.kind == "died" for url in event.what]
    assert len(lost) <= costs.threads
    assert {url for url, times in began.items() if times > 1} <= set(lost)
    assert set(done.loads) == set(range(n))
    if kill:
        at = next(event.time for event in events if event.kind == "died")
        assert not [e for e in events if e.kind in ("took", "stored") and e.node == kill[0] and e.time > at]


@both
@settings(max_examples=250, deadline=None)
@given(web=WEBS, costs=COSTS, n=st.integers(1, 4), third=st.integers(0, 120), data=st.data())
def test_pages_are_those_of_a_spider_each_fetched_once_whoever_joins(crawl, web, costs, n, third, data):
    seeds = data.draw(st.lists(st.sampled_from(URLS), max_size=3, unique=True))
    began = []
    done = crawl(
        web,
        range(n),
        seeds=seeds,
        costs=costs,
        join=("new", third / 3),
        watch=lambda event, held: began.extend(event.what if event.kind == "took" else ()),
    )
    assert set(done.pages) == found_by_a_spider(web, seeds)
    assert done.overlap == 0 and len(began) == len(set(began)) and done.too_soon(costs.gap) == 0
    assert {new for _, new in done.moved.values()} <= {"new"}


@both
def test_a_node_that_joins_has_its_part_to_do(crawl):
    done = crawl(WEB, ["ada", "bob"], join=("cleo", 2.0))
    assert set(done.pages) == set(WEB) and done.loads["cleo"] > 0
    ring = ConsistentHashRing(["ada", "bob", "cleo"], 100)
    assert all(ring.node_for(host) == "cleo" for host in done.moved)


def test_watching_sees_who_owns_what_what_is_sent_and_what_moves():
    states = []

    def watch(event, held):
        states.append(
            (event, held.owners, held.alive, held.waiting, held.flying, held.fetched, held.messages)
        )

    done = simulated_crawl(WEB, ["ada", "bob", "cleo"], seeds=URLS[:1], kill=("bob", 6.0), watch=watch)
    kinds = Counter(event.kind for event, *_ in states)
    assert kinds["died"] == kinds["noticed"] == 1 and kinds["stored"] == len(WEB) == len(done.pages)
    assert kinds["sent"] == done.messages == states[-1][-1]
    assert sum(len(event.what) for event, *_ in states if event.kind == "sent") == done.urls_sent
    ring = ConsistentHashRing(["ada", "bob", "cleo"], 100)
    noticed = [event.kind for event, *_ in states].index("noticed")  # 10 s after the death
    assert all(set(waiting) == set(flying) == set(alive) for _, _, alive, waiting, flying, *_ in states)
    assert {alive for _, _, alive, *_ in states} == {("ada", "bob", "cleo"), ("ada", "cleo")}
    assert all(
        ring.node_for(host) == node for _, owners, *_ in states[:noticed] for host, node in owners.items()
    )
    ring.remove("bob")
    assert all(ring.node_for(host) == node for host, node in states[-1][1].items())
    moved = {
        host: ("bob", event.other) for event, *_ in states if event.kind == "moved" for host in event.what
    }
    assert done.moved == moved and moved == {host: ("bob", ring.node_for(host)) for host in moved}
    assert states[-1][5] == done.loads and sum(done.loads.values()) == len(done.fetches)


@both
def test_a_crawl_runs_the_same_way_each_time(crawl):
    runs = []
    for _ in range(2):
        events = []
        done = crawl(
            WEB, ["a", "b", "c"], kill=("b", 5.0), watch=lambda event, held, to=events: to.append(event)
        )
        runs.append((done, events))
    assert runs[0] == runs[1]


def test_what_becomes_of_links_to_others():
    done = {
        links: simulated_crawl(WEB, range(3), seeds=URLS[:1], links=links)
        for links in (exchange, firewall, independent)
    }
    assert set(done[exchange].pages) == set(done[independent].pages) == set(WEB)
    assert set(done[firewall].pages) < set(WEB) and done[firewall].dropped > 0
    assert done[firewall].messages == done[independent].messages == 0 < done[exchange].messages
    alone = [simulated_crawl(WEB, range(3), links=independent), simulated_crawl(WEB, range(3))]
    assert alone[0].overlap == pytest.approx(2) and alone[1].overlap == 0
    assert alone[0].too_soon(2.0) > 0


def test_splitting_by_url_finds_the_same_pages_and_breaks_politeness_a_death_too():
    split = UrlSplitter(ConsistentHashRing(range(3), 50))
    whole, killed = simulated_crawl(WEB, split), simulated_crawl(WEB, split, kill=(1, 5.0))
    assert set(whole.pages) == set(killed.pages) == set(WEB)
    assert whole.too_soon(2.0) > 0
    assert set(killed.moved) <= set(WEB)


def test_a_coordinator_evens_loads_out_and_handles_every_link():
    costs = CrawlCosts(handling=0.5)
    dynamic = coordinated_crawl(WEB, range(3), costs=costs)
    static = simulated_crawl(WEB, range(3), costs=costs)
    assert dynamic.imbalance < static.imbalance
    assert dynamic.messages == 2 * len(dynamic.fetches)
    assert set(dynamic.busy) == {"coordinator"} and set(static.busy) == {0, 1, 2}
    assert dynamic.busy["coordinator"] == pytest.approx(sum(static.busy.values()))
    assert dynamic.busiest > max(static.busiest, 0.8)


def test_ports_of_one_host_are_one_nodes():
    web = {f"http{s}://a.example{port}/": [] for s, port in (("", ""), ("s", ""), ("", ":8080"))}
    for n in range(2, 9):
        done = simulated_crawl(web, range(n), seeds=web)
        assert len(set(done.pages.values())) == 1 and len(done.pages) == 3 and done.too_soon(2.0) == 0


@both
def test_nothing_to_crawl_and_one_page(crawl):
    empty = crawl({}, ["a"])
    assert (dict(empty.pages), empty.seconds, empty.imbalance, empty.overlap, empty.busiest) == (
        {},
        0,
        1,
        0,
        0,
    )
    one = crawl({"http://a.example/": ["mailto:b@a.example", "http://a.example/"]}, ["a"])
    assert dict(one.pages) == {"http://a.example/": "a"}
    dead = crawl({}, ["a"], seeds=["HTTP://A.example"], kill=None)
    assert not dead.pages and [fetch.url for fetch in dead.fetches] == ["http://a.example/"]


@both
@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"nodes": []}, ValueError, "at least one"),
        ({"nodes": "ab"}, TypeError, "write a list"),
        ({"nodes": 2}, TypeError, "write a list"),
        ({"nodes": ["a", "a"]}, ValueError, "already"),
        ({"seeds": "http://a.example/"}, TypeError, "several, not one str"),
        ({"seeds": ["mailto:a@b.example"]}, ValueError, "cannot be crawled"),
        ({"kill": ("eve", 1.0)}, ValueError, "'eve' cannot be killed"),
        ({"nodes": ["a"], "kill": ("a", 1.0)}, ValueError, "'a' cannot be killed"),
        ({"kill": ("a", float("nan"))}, ValueError, "time of 'a' is nan"),
        ({"kill": ("a", -1.0)}, ValueError, "time of 'a' is -1.0"),
        ({"kill": ("a", 1.0), "join": ("c", 1.0)}, ValueError, "one of the two"),
        ({"join": ("a", 1.0)}, ValueError, "'a' is there already"),
        ({"join": ("c", float("inf"))}, ValueError, "time of 'c' is inf"),
        ({"costs": CrawlCosts(fetch=lambda node, host: -1.0)}, ValueError, "takes -1.0"),
    ],
)
def test_what_cannot_be_simulated_is_refused(crawl, options, error, told):
    with pytest.raises(error, match=told):
        crawl(WEB, **{"nodes": ["a", "b"]} | options)


def test_a_kill_needs_links_exchanged_and_a_ring():
    with pytest.raises(ValueError, match="exchanged only"):
        simulated_crawl(WEB, ["a", "b"], links=firewall, kill=("a", 1.0))
    for change in ({"kill": (0, 1.0)}, {"join": (3, 1.0)}):
        with pytest.raises(ValueError, match="ModHashing"):
            simulated_crawl(WEB, HostSplitter(3), **change)


@pytest.mark.parametrize("name", ["gap", "latency", "handling", "notice", "threads"])
def test_costs_are_numbers_that_can_be(name):
    with pytest.raises(ValueError, match=f"{name} is -1"):
        CrawlCosts(**{name: -1})
