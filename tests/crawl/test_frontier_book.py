"""The frontier beside the book's, read to the letter: where they agree, and why ours departs."""

from collections import deque
from heapq import heappop, heappush
from math import inf

import pytest

from ircourse.crawl import Empty, Fetch, Frontier, Wait
from ircourse.crawl.frontier.items import host_of
from ircourse.crawl.frontier.visits import too_early, visits


class Literal:
    """One front queue and B back queues as section 20.2.3 describes them, for a single priority."""

    def __init__(self, back_queues):
        self.front = deque()
        self.back = [deque() for _ in range(back_queues)]
        self.table = {}
        self.heap = []
        self.out = {}
        self.idle = list(range(back_queues))

    def add(self, url, priority=0.5):
        self.front.append(url)

    def refill(self, j):
        """Pull URLs off the front queue until one comes for the empty back queue j; say whether one did."""
        self.table = {host: k for host, k in self.table.items() if k != j}
        while self.front:
            url = self.front.popleft()
            k = self.table.setdefault(host_of(url), j)
            self.back[k].append(url)
            if k == j:
                return True
        return False

    def take(self, now):
        while self.idle and self.refill(self.idle[0]):
            heappush(self.heap, (now, self.idle.pop(0)))
        if not self.heap or self.heap[0][0] > now:
            return Wait(self.heap[0][0] - now) if self.heap else Wait(inf) if self.out else Empty()
        j = heappop(self.heap)[1]
        url = self.back[j].popleft()
        self.out[url] = j
        return Fetch(url, host_of(url))

    def done(self, url, outcome, now):
        j = self.out.pop(url)
        if self.back[j] or self.refill(j):
            heappush(self.heap, (now + 10 * outcome.seconds, j))  # t_e, from the URL of j last fetched
        else:
            self.idle.append(j)


def filled(frontier, urls):
    """The frontier with these URLs in it."""
    for url in urls:
        frontier.add(url)
    return frontier


@pytest.mark.parametrize("hosts", [1, 3, 8])
def test_with_a_back_queue_for_each_host_the_visits_are_the_same(hosts):
    urls = [f"http://host{i % hosts}.example/{i}" for i in range(60)]
    ours = Frontier(back_queues=8, min_gap=0.0, max_gap=1e6)
    trials = [visits(filled(queue, urls), 4, lambda url: 1.0) for queue in (ours, Literal(8))]
    assert {visit.url: visit.start for visit in trials[0]} == {v.url: v.start for v in trials[1]}


def test_a_gap_that_stays_with_the_queue_lets_a_slow_host_be_asked_too_early():
    urls = [f"http://host{i}.example/" for i in range(8)]
    urls = ["http://slow.example/1", *urls, "http://slow.example/2"]

    def seconds(url):
        return 10.0 if "slow" in url else 0.5

    literal = visits(filled(Literal(2), urls), 2, seconds)
    assert [visit.host for _, visit in too_early(literal)] == ["slow.example"]
    ours = visits(filled(Frontier(back_queues=2, min_gap=0.0), urls), 2, seconds)
    assert too_early(ours) == []
    assert ours[-1].start == pytest.approx(110.0)


def test_a_host_that_is_new_to_a_queue_need_not_wait_for_the_one_before():
    urls = [f"http://host{i}.example/" for i in range(100)]
    literal = visits(filled(Literal(4), urls), 4, lambda url: 1.0)
    ours = visits(filled(Frontier(back_queues=4), urls), 4, lambda url: 1.0)
    assert literal[-1].end == pytest.approx(24 * 11 + 1)
    assert ours[-1].end == pytest.approx(25)


def test_an_urgent_url_does_not_stand_behind_all_of_its_host():
    urls = [f"http://a.example/{i}" for i in range(50)]
    literal, ours = filled(Literal(2), urls), filled(Frontier(back_queues=2, depth=4), urls)
    for queue in (literal, ours):
        queue.take(now=0.0)
    assert len(literal.front) == 0  # looking for a second host, the refill drops all into a's back queue
    assert len(ours.view.front[5]) == 46
