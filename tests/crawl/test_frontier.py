"""The frontier, step by step."""

import math

import numpy as np
import pytest

from ircourse.crawl import Empty, Fetch, Frontier, Item, Outcome, Response, Wait
from ircourse.crawl.frontier.front_queues import Selector
from ircourse.crawl.frontier.hosts import Hosts, Waiting
from ircourse.crawl.frontier.items import host_of, item_of, level_of, packed
from ircourse.crawl.frontier.visits import too_early, visits
from ircourse.types import VirtualClock


def filled(urls, **options):
    """A frontier with these URLs, or pairs of URL and priority."""
    frontier = Frontier(**options)
    for url in urls:
        frontier.add(*((url,) if isinstance(url, str) else url))
    return frontier


def order(frontier, seconds=0.0):
    """The URLs in the order in which one thread gets them, each fetch taking no time."""
    return [visit.url for visit in visits(frontier, 1, lambda url: seconds)]


def test_it_says_what_to_do_next():
    clock = VirtualClock()
    frontier = Frontier(clock=clock)
    assert frontier.take() == Empty()
    frontier.add("http://a.example/1", priority=1.0)
    frontier.add("http://a.example/2")
    assert len(frontier) == 2
    assert frontier.take() == Fetch("http://a.example/1", "a.example")
    assert (len(frontier), frontier.in_flight) == (1, 1)
    assert frontier.take() == Wait(math.inf)  # the host has its one connection
    clock.wait(0.5)
    frontier.done("http://a.example/1", Outcome(seconds=0.5))
    assert frontier.take() == Wait(5.0)
    clock.wait(5.0)
    assert frontier.take() == Fetch("http://a.example/2", "a.example")
    assert len(frontier) == 0
    assert frontier.take() == Wait(math.inf)  # its page may have links
    frontier.done("http://a.example/2", Response(200, seconds=0.1))
    assert frontier.take() == Empty()


def test_time_may_be_given_in_place_of_a_clock():
    frontier = filled(["http://a.example/1", "http://a.example/2"])
    assert frontier.take(now=100.0) == Fetch("http://a.example/1", "a.example")
    frontier.done("http://a.example/1", Outcome(seconds=1.0), now=101.0)
    assert frontier.take(now=102.0) == Wait(9.0)
    for call in (frontier.take, frontier.state, lambda: Frontier.from_state(frontier.state(now=0.0))):
        with pytest.raises(ValueError, match="what time is it"):
            call()
    with pytest.raises(ValueError, match="NaN"):
        frontier.take(now=math.nan)


def test_df01_the_gap_is_the_hosts_not_the_workers():
    frontier = filled(
        [f"http://many.example/{i}" for i in range(20)] + ["http://one.example/"],
        gap_factor=0.0,
        min_gap=1.0,
    )
    trial = visits(frontier, 8, lambda url: 0.01)
    starts = [visit.start for visit in trial if visit.host == "many.example"]
    assert len(starts) == 20
    assert min(np.diff(starts)) >= 1.0
    assert next(visit.start for visit in trial if visit.host == "one.example") < 1.0


def test_df03_the_gap_grows_with_the_fetch_time_within_bounds():
    for seconds, gap in ((3.0, 30.0), (0.01, 2.0), (1000.0, 600.0), (0.0, 2.0)):
        frontier = filled(["http://a.example/1", "http://a.example/2"])
        frontier.take(now=0.0)
        frontier.done("http://a.example/1", Outcome(seconds=seconds), now=seconds)
        assert frontier.take(now=seconds) == Wait(pytest.approx(gap))
        assert isinstance(frontier.take(now=seconds + gap), Fetch)


def test_df05_a_host_that_could_not_be_found_is_asked_again_later():
    frontier = filled(["http://a.example/1", "http://b.example/1"])
    first = frontier.take(now=0.0)
    frontier.done(first.url, Outcome(None, 0.1, retry_after=60.0), now=0.1, again=True)
    other = frontier.take(now=0.1)
    assert other.host != first.host
    frontier.done(other.url, now=0.2)
    assert frontier.take(now=0.2) == Wait(pytest.approx(59.9))
    assert frontier.take(now=60.1) == first


@pytest.mark.parametrize("rest", [60.0, 6000.0])
def test_df07_what_is_being_fetched_at_a_checkpoint_is_fetched_again(rest):
    urls = [f"http://{host}.example/{i}" for host in "abc" for i in range(12)]
    frontier = filled(urls, back_queues=2)
    first = frontier.take(now=0.0)
    frontier.done(first.url, Outcome(seconds=1.0, retry_after=rest), now=1.0)
    taken = {frontier.take(now=1.0).url}
    state = frontier.state(now=1.0)
    again = Frontier.from_state(state, now=0.0, back_queues=2)
    assert len(again) == len(urls) - 1
    trial = visits(again, 8, lambda url: 0.1)
    assert sorted(visit.url for visit in trial) == sorted(set(urls) - {first.url})
    assert taken <= {visit.url for visit in trial}
    assert min(visit.start for visit in trial if visit.host == first.host) >= rest


def test_df09_a_restart_that_fails_spoils_nothing():
    frontier = filled(["http://a.example/1"])
    state = frontier.state(now=0.0)
    kept = repr(state)
    with pytest.raises(ValueError, match="back_queues"):
        Frontier.from_state(state, now=0.0, back_queues=0)
    assert repr(state) == kept
    assert len(Frontier.from_state(state, now=0.0)) == 1


@pytest.mark.parametrize("high", [0.9, 1.0, 10.0])
def test_df12_priority_is_kept_without_starving(high):
    urls = [(f"http://low{i}.example/", 0.1) for i in range(100)]
    urls += [(f"http://high{i}.example/", high) for i in range(10)]
    places = {"low": [], "high": []}
    for place, url in enumerate(order(filled(urls))):
        places["low" if "low" in url else "high"].append(place)
    assert (len(places["low"]), len(places["high"])) == (100, 10)
    assert np.mean(places["high"]) < np.mean(places["low"]) / 2


def test_an_urgent_url_waits_for_what_its_hosts_back_queue_holds_at_most():
    frontier = filled([f"http://a.example/{i}" for i in range(100)], depth=4)
    first = frontier.take(now=0.0)
    frontier.add("http://a.example/urgent", priority=50.0)
    frontier.done(first.url, now=0.0)
    assert order(frontier).index("http://a.example/urgent") == 3


def test_refilling_leaves_the_urls_of_other_hosts_in_the_front_queues():
    frontier = filled([f"http://a.example/{i}" for i in range(100)] + ["http://b.example/"], depth=4)
    frontier.take(now=0.0)
    assert len(frontier.view.front[5]) == 96


def test_a_hosts_urls_of_one_priority_come_in_the_order_of_adding():
    urls = [f"http://{host}.example/{i}" for i in range(300) for host in "ab"]
    got = order(filled(urls, back_queues=1))
    for host in "ab":
        assert [url for url in got if f"/{host}." in url] == [url for url in urls if f"/{host}." in url]


def test_a_host_keeps_its_gap_when_it_loses_its_back_queue():
    urls = [f"http://{host}.example/{i}" for host in "ab" for i in range(2)]
    frontier = filled(urls, back_queues=1, depth=1)
    trial = visits(frontier, 4, lambda url: 1.0)
    assert [(visit.url, visit.start) for visit in trial] == [
        ("http://a.example/0", 0.0),
        ("http://b.example/0", 1.0),  # another host need not wait for a's gap
        ("http://a.example/1", 11.0),
        ("http://b.example/1", 12.0),
    ]


def test_equal_times_take_turns():
    urls = [f"http://{host}.example/{i}" for host in "abc" for i in range(20)]
    got = order(filled(urls, gap_factor=0.0, min_gap=0.0, back_queues=3))
    assert {url[7] for url in got[:3]} == {url[7] for url in got[3:6]} == set("abc")


def test_hosts_with_long_rests_do_not_hold_up_the_crawl():
    urls = [f"http://busy{i}.example/{k}" for i in range(4) for k in range(10)]
    frontier = filled(urls, back_queues=4, max_gap=60.0)
    for _ in range(4):
        fetch = frontier.take(now=0.0)
        frontier.done(fetch.url, Outcome(503, 0.1, retry_after=3600.0), now=0.1, again=True)
    frontier.add("http://other.example/")
    assert frontier.take(now=1.0) == Fetch("http://other.example/", "other.example")
    frontier.done("http://other.example/", now=1.0)
    assert frontier.take(now=1.0) == Wait(pytest.approx(3599.1))
    frontier.add("http://busy0.example/new")
    assert frontier.take(now=1.0) == Wait(pytest.approx(3599.1))
    trial = visits(frontier, 4, lambda url: 0.1)
    assert trial[0].start == pytest.approx(3600.1)
    assert len(trial) == 41
    assert [v.url for v in trial if v.host == "busy0.example"] == [*urls[:10], "http://busy0.example/new"]


def test_a_crawl_delay_holds_from_the_next_fetch_on():
    frontier = filled([f"http://a.example/{i}" for i in range(3)], max_gap=20.0)
    frontier.set_delay("a.example", 30.0)
    assert [visit.start for visit in visits(frontier, 2, lambda url: 1.0)] == [0.0, 31.0, 62.0]
    frontier = filled([f"http://a.example/{i}" for i in range(3)])
    frontier.set_delay("a.example", 3.0)  # shorter than ten times the fetch
    assert [visit.start for visit in visits(frontier, 2, lambda url: 1.0)] == [0.0, 11.0, 22.0]


def test_ports_and_schemes_of_a_host_share_its_connection():
    frontier = filled(["http://a.example/", "https://a.example/", "http://a.example:8080/"])
    trial = visits(frontier, 3, lambda url: 1.0)
    assert [visit.start for visit in trial] == [0.0, 11.0, 22.0]
    assert {visit.host for visit in trial} == {"a.example"}


def test_what_was_known_of_a_page_comes_back_with_it():
    frontier = Frontier()
    frontier.add("http://a.example/é", 0.25, change_rate=0.5, fetched_at=-3.0, fingerprint=2**64 - 1)
    item = Item(0, "http://a.example/é", 0.25, 0.5, -3.0, 2**64 - 1)
    assert list(frontier.items()) == [item]
    frontier.take(now=0.0)
    assert frontier.item("http://a.example/é") == item
    with pytest.raises(KeyError):
        frontier.item("http://a.example/")
    assert item_of(packed(Item(3, "http://a.example/"))) == Item(3, "http://a.example/")


def test_the_prioritiser_may_be_the_callers():
    def fast_changing_first(item):
        return 0 if (item.change_rate or 0) > 1 else 1

    frontier = Frontier(front_queues=2, bias=1e6, back_queues=1, depth=1, prioritise=fast_changing_first)
    for i in range(20):
        frontier.add(f"http://host{i}.example/", change_rate=i / 5)
    places = {url: place for place, url in enumerate(order(frontier))}
    assert max(places[f"http://host{i}.example/"] for i in range(6, 20)) == 13
    for wrong in (-1, 2, 0.5):
        frontier = Frontier(front_queues=2, prioritise=lambda item, wrong=wrong: wrong)
        with pytest.raises(ValueError, match="give one of 0 to 1"):
            frontier.add("http://a.example/")
        assert len(frontier) == 0


def test_each_front_queue_is_chosen_bias_times_as_often_as_the_next():
    selector = Selector(levels=4, bias=3.0)
    served = []
    for _ in range(4000):
        served.append(selector.next(range(4)))
        selector.serve(served[-1])
    assert [served.count(level) for level in range(4)] == [2700, 900, 300, 100]
    assert served[:4] == [0, 0, 0, 1]
    gaps = np.diff([place for place, level in enumerate(served) if level == 3])
    assert max(gaps) <= 1 + 3 + 9 + 27


def test_a_front_queue_that_was_empty_cannot_claim_what_it_missed():
    selector = Selector(levels=2, bias=2.0)
    for _ in range(100):
        selector.serve(selector.next([0]))
    selector.enter(1)
    served = []
    for _ in range(6):
        served.append(selector.next([0, 1]))
        selector.serve(served[-1])
    assert served.count(1) == 2


def test_less_urgent_urls_of_the_only_host_do_not_starve():
    frontier = filled([("http://a.example/low", 0.0)], min_gap=0.0, depth=1)
    for i in range(1000):
        frontier.add(f"http://a.example/{i}", priority=50.0)
        if frontier.take(now=float(i)).url == "http://a.example/low":
            break
        frontier.done(f"http://a.example/{i}", now=float(i))
    assert i < 2**8


def test_levels_cover_the_scale():
    levels = [level_of(p, 8) for p in np.linspace(0, 20, 2001)]
    assert levels == sorted(levels, reverse=True)
    assert set(levels) == set(range(8))
    assert level_of(math.inf, 8) == 0
    assert level_of(5e-324, 8) == 7
    assert level_of(1e308, 1) == 0


def test_hosts_that_nothing_is_known_of_are_forgotten():
    frontier = Frontier(min_gap=0.0)
    for i in range(5000):
        frontier.add(f"http://host{i}.example/")
        fetch = frontier.take(now=float(i))
        frontier.done(fetch.url, now=float(i))
    assert len(frontier._hosts) < 2000
    frontier.set_delay("host4999.example", 5.0)
    assert frontier.state(now=1e6)["hosts"] == [["host4999.example", 0.0, 5.0]]


def test_hosts_of_which_something_is_known_are_kept():
    hosts = Hosts()
    for i in range(1025):
        hosts[f"host{i}.example"].ready = 0.0
    hosts["host1.example"].waiting[0] = Waiting()
    hosts["host2.example"].queue = object()
    hosts["host3.example"].delay = 1.0
    hosts["host4.example"].ready = 9.0
    hosts.forget(now=5.0)
    assert list(hosts) == [f"host{i}.example" for i in (1, 2, 3, 4)]
    assert hosts["host5.example"].number == 1025  # never that of another


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"front_queues": 0}, "front_queues"),
        ({"back_queues": 0}, "back_queues"),
        ({"depth": 0}, "depth"),
        ({"bias": 0.5}, "bias"),
        ({"bias": math.nan}, "bias"),
        ({"min_gap": -1.0}, "gap"),
        ({"min_gap": 700.0}, "gap"),
        ({"max_gap": math.inf}, "gap"),
        ({"gap_factor": math.nan}, "gap"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, named):
    with pytest.raises(ValueError, match=named):
        Frontier(**options)


@pytest.mark.parametrize(
    ("url", "known", "named"),
    [
        ("harbour", {}, "has no host"),
        ("http:///x", {}, "has no host"),
        ("", {}, "has no host"),
        ("http://a.example/\ud800", {}, "surrogates"),
        ("http://a.example/", {"priority": -1.0}, "priority"),
        ("http://a.example/", {"priority": math.nan}, "priority"),
        ("http://a.example/", {"change_rate": -1.0}, "change rate"),
        ("http://a.example/", {"change_rate": math.nan}, "change rate"),
        ("http://a.example/", {"fetched_at": math.inf}, "last fetch"),
        ("http://a.example/", {"fingerprint": 2**64}, "fingerprint"),
        ("http://a.example/", {"fingerprint": -1}, "fingerprint"),
    ],
)
def test_what_is_no_item_is_refused_and_leaves_no_trace(url, known, named):
    frontier = Frontier()
    with pytest.raises(ValueError, match=named):
        frontier.add(url, **known)
    assert len(frontier) == 0
    assert list(frontier.items()) == []
    assert frontier.take(now=0.0) == Empty()


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(seconds=math.nan),
        Outcome(seconds=-1.0),
        Outcome(retry_after=math.inf),
        Outcome(seconds=math.inf),
    ],
)
def test_outcomes_without_times_are_refused(outcome):
    frontier = filled(["http://a.example/"])
    fetch = frontier.take(now=0.0)
    with pytest.raises(ValueError, match="seconds and retry_after"):
        frontier.done(fetch.url, outcome, now=1.0)
    assert frontier.in_flight == 1
    frontier.done(fetch.url, now=1.0)
    with pytest.raises(ValueError, match="not being fetched"):
        frontier.done(fetch.url, now=1.0)
    with pytest.raises(ValueError, match="delay"):
        frontier.set_delay("a.example", math.nan)


def test_hosts_of_urls():
    assert host_of("http://a.example") == "a.example"
    assert host_of("http://a.example?query:x") == "a.example?query"  # not canonical: no path
    assert host_of("http://[2001:db8::1]/x:y") == "[2001:db8::1]"
    assert host_of("http://a.example:80/x:y") == "a.example"


def test_it_can_be_watched():
    seen = []

    def watch(event, url, view):
        seen.append((event, url, view.front, view.back, view.heap, dict(view.table), dict(view.in_flight)))

    frontier = Frontier(front_queues=2, back_queues=2, min_gap=1.0, depth=2, watch=watch)
    a, b = "http://a.example/", "http://b.example/"
    for url in (a + "1", a + "2", a + "3", b):
        frontier.add(url)
    assert seen[-1][:3] == ("add", b, ((), (a + "1", a + "2", a + "3", b)))
    assert seen[-1][3:] == (((None, ()), (None, ())), (), {}, {})
    frontier.take(now=0.0)
    event, url, front, back, heap, table, out = seen[-1]
    assert (event, url, front) == ("take", a + "1", ((), (a + "3",)))
    assert back == (("a.example", (a + "2",)), ("b.example", (b,)))
    assert heap == ((0.0, 1),)
    assert table == {"a.example": 0, "b.example": 1}
    assert out == {"a.example": a + "1"}
    frontier.done(a + "1", now=0.0)
    assert seen[-1][0] == "done"
    assert seen[-1][4] == ((0.0, 1), (1.0, 0))


def test_the_order_is_the_same_watched_or_not():
    urls = [(f"http://host{i % 17}.example/{i}", i % 5) for i in range(500)]
    assert order(filled(urls, back_queues=4)) == order(filled(urls, back_queues=4, watch=lambda *step: None))


def test_early_visits_are_told():
    frontier = filled([f"http://a.example/{i}" for i in range(3)], gap_factor=5.0, min_gap=0.0)
    trial = visits(frontier, 1, lambda url: 1.0)
    assert len(too_early(trial, gap=10.0)) == 2
    assert too_early(trial, gap=5.0) == []
