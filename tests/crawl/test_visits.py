"""Trials of a frontier on the virtual clock."""

import math

import pytest

from ircourse.crawl import Empty, Frontier, Wait
from ircourse.crawl.frontier.visits import PlainQueue, Visit, busiest, too_early, utilisation, visits


def test_links_are_followed_once():
    links = {"http://a.example/": ["http://b.example/", "http://c.example/"]}
    links |= {"http://b.example/": ["http://a.example/", "http://c.example/", "http://c.example/"]}
    for queue in (Frontier(), PlainQueue()):
        queue.add("http://a.example/")
        trial = visits(queue, 2, lambda url: 1.0, lambda url: links.get(url, ()))
        assert [(visit.url[7], visit.start) for visit in trial] == [("a", 0.0), ("b", 1.0), ("c", 1.0)]
        assert queue.take(now=9.0) == Empty()


def test_no_more_begin_than_there_are_threads_or_after_the_end():
    queue = PlainQueue()
    for i in range(10):
        queue.add(f"http://a.example/{i}")
    trial = visits(queue, 3, lambda url: 2.0, until=4.0)
    assert [visit.start for visit in trial] == [0.0] * 3 + [2.0] * 3


def test_a_plain_queue_keeps_priority_and_order():
    queue = PlainQueue()
    for i, priority in enumerate((0.5, 2.0, 0.5, 2.0)):
        queue.add(f"http://a.example/{i}", priority)
    assert [queue.take(0.0).url[-1] for _ in range(4)] == list("1302")
    assert queue.take(0.0) == Wait(math.inf)


def test_two_connections_at_once_are_too_early():
    first = Visit("http://a.example/1", "a.example", 0.0, 5.0)
    assert len(too_early([first, Visit("http://a.example/2", "a.example", 1.0, 2.0)], gap=0.0)) == 1
    assert too_early([first, Visit("http://b.example/", "b.example", 1.0, 2.0)]) == []
    assert too_early([]) == []
    assert busiest([], 1.0) == 0


@pytest.mark.parametrize(("threads", "queues", "gap"), [(1, 1, 0.0), (2, 5, 3.0), (5, 2, 0.5), (3, 40, 10.0)])
def test_utilisation_is_that_of_the_formula(threads, queues, gap):
    expected = min(1, queues / ((1 + gap) * threads))
    assert utilisation(threads, queues, gap, seconds=0.25) == pytest.approx(expected, rel=1e-9)
