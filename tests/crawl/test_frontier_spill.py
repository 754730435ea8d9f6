"""The frontier's URLs on disk, and its state."""

import json
from collections import defaultdict, deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import Frontier, Item, Outcome
from ircourse.crawl.frontier.spill import Spill
from ircourse.crawl.frontier.visits import visits

URLS = [(f"http://host{i * i % 23}.example/{i}", (0.1, 0.5, 3.0)[i % 3]) for i in range(1500)]


def filled(**options):
    """A frontier of 1,500 URLs on 12 hosts."""
    frontier = Frontier(back_queues=4, **options)
    for url, priority in URLS:
        frontier.add(url, priority)
    return frontier


def order(frontier):
    """The URLs in the order in which three threads get them."""
    return [visit.url for visit in visits(frontier, 3, lambda url: 0.5)]


@given(
    steps=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 1), st.one_of(st.none(), st.integers(1, 5))), max_size=60
    ),
    batch=st.integers(1, 4),
)
def test_lists_on_disk_are_first_in_first_out(steps, batch):
    spill, lists = Spill(batch), defaultdict(deque)
    for number, (host, level, n) in enumerate(steps):
        waiting = lists[host, level]
        if n is None:
            spill.append(host, level, b"%d" % number)
            waiting.append(b"%d" % number)
        else:
            assert spill.take(host, level, n) == [waiting.popleft() for _ in range(min(n, len(waiting)))]
        assert len(spill) == sum(map(len, lists.values()))
        assert list(spill.records(host, level)) == list(waiting)


@pytest.mark.parametrize("limit", [0, 1, 50, 1499, 1500])
def test_the_order_is_the_same_from_disk(limit):
    frontier = filled(limit=limit)
    assert frontier._front.in_memory <= limit + 1
    assert sorted(item.url for item in frontier.items()) == sorted(url for url, _ in URLS)
    assert order(frontier) == order(filled())
    assert frontier._front.length == 0
    assert not any(host.waiting for host in frontier._hosts.values())


def test_new_urls_stay_behind_those_on_disk():
    frontier = Frontier(limit=2, depth=2, min_gap=0.0)
    for i in range(20):
        frontier.add(f"http://a.example/{i}")
    got = []
    for i in range(20, 40):
        fetch = frontier.take(now=float(i))
        got.append(fetch.url)
        frontier.done(fetch.url, now=float(i))
        frontier.add(f"http://a.example/{i}")
    assert got == [f"http://a.example/{i}" for i in range(20)]
    assert order(frontier) == [f"http://a.example/{i}" for i in range(20, 40)]


def test_state_is_plain_and_complete():
    frontier = filled(limit=100)
    first, second = frontier.take(now=0.0), frontier.take(now=0.0)
    frontier.done(first.url, Outcome(seconds=1.0), now=1.0)
    frontier.set_delay("host2.example", 25.0)
    state = frontier.state(now=4.0)
    assert json.loads(json.dumps(state)) == state
    assert Item(*state["items"][0]).url == second.url  # what is being fetched comes first
    assert len(state["items"]) == len(URLS) - 1
    assert [first.host, 7.0, 0.0] in state["hosts"]
    assert ["host2.example", 0.0, 25.0] in [[name, 0.0, delay] for name, _, delay in state["hosts"]]
    again = Frontier.from_state(state, now=0.0, limit=7)
    assert again.state(now=0.0)["hosts"] == state["hosts"]
    assert again.state(now=0.0)["selector"] == state["selector"]
    assert sorted(order(again)) == sorted({url for url, _ in URLS} - {first.url})
    again.add("http://new.example/")
    assert max(item.id for item in again.items()) == len(URLS)


def test_state_of_an_untouched_frontier_gives_the_same_order():
    state = filled().state(now=0.0)
    assert order(Frontier.from_state(state, now=0.0, back_queues=4)) == order(filled())


def test_state_goes_into_a_frontier_with_other_options():
    state = filled().state(now=0.0)
    frontier = Frontier.from_state(state, now=50.0, front_queues=2, back_queues=1, depth=1)
    got = [frontier.take(now=50.0).url]
    frontier.done(got[0], now=50.0)
    assert sorted(got + order(frontier)) == sorted(url for url, _ in URLS)


def test_one_host_with_many_urls():
    frontier = Frontier(min_gap=0.0, depth=3)
    for i in range(50_000):
        frontier.add(f"http://a.example/{i}")
    assert order(frontier) == [f"http://a.example/{i}" for i in range(50_000)]
