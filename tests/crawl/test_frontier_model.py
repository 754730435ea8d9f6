"""The frontier against a model: nothing lost, nothing twice, no host asked too early or twice at once."""

import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ircourse.crawl import Empty, Fetch, Frontier, Outcome, Wait

HOSTS = [f"host{i}.example" for i in range(6)]
SECONDS = st.sampled_from([0.0, 0.25, 1.0, 3.0, 100.0])


class Crawl(RuleBasedStateMachine):
    """A frontier, and beside it what must hold: sets of URLs, and a time for each host."""

    @initialize(
        limit=st.sampled_from([None, 0, 3]),
        back_queues=st.integers(1, 4),
        depth=st.integers(1, 4),
        bias=st.sampled_from([1.0, 2.0, 100.0]),
    )
    def start(self, limit, back_queues, depth, bias):
        self.options = {
            "limit": limit,
            "back_queues": back_queues,
            "depth": depth,
            "bias": bias,
            "front_queues": 3,
            "max_gap": 50.0,
        }
        self.frontier = Frontier(**self.options)
        self.now = 0.0
        self.added = 0
        self.waiting = {}  # URL → host
        self.out = {}  # host → (URL, start)
        self.ready = {}
        self.delays = {}

    @rule(host=st.sampled_from(HOSTS), priority=st.sampled_from([0.0, 0.5, 1.0, 9.0]), n=st.integers(1, 5))
    def add(self, host, priority, n):
        for _ in range(n):
            url = f"http://{host}/{self.added}"
            self.added += 1
            self.frontier.add(url, priority)
            self.waiting[url] = host

    @rule()
    def take(self):
        got = self.frontier.take(self.now)
        if isinstance(got, Fetch):
            assert self.waiting.pop(got.url) == got.host
            assert got.host not in self.out
            assert self.now >= self.ready.get(got.host, 0.0)
            self.out[got.host] = got.url, self.now
        elif isinstance(got, Wait):
            assert got.seconds > 0
            assert self.waiting or self.out
            free = {h for h in self.waiting.values() if h not in self.out}
            if len(self.out) < self.options["back_queues"]:
                # A back queue is free for another host: only a host's own time may be waited for.
                assert all(self.ready.get(h, 0.0) > self.now for h in free) or self.queues_are_taken(free)
            if not self.out:
                assert got.seconds < float("inf")
        else:
            assert got == Empty()
            assert not self.waiting
            assert not self.out

    def queues_are_taken(self, free):
        """Whether each back queue belongs to a host that has to wait."""
        table = self.frontier.view.table
        return len(table) == self.options["back_queues"] and not any(
            h in table and self.ready.get(h, 0.0) <= self.now for h in free
        )

    @precondition(lambda self: self.out)
    @rule(data=st.data(), seconds=SECONDS, rest=st.sampled_from([0.0, 0.0, 20.0, 500.0]), again=st.booleans())
    def done(self, data, seconds, rest, again):
        host = data.draw(st.sampled_from(sorted(self.out)))
        url, _ = self.out.pop(host)
        self.now += seconds
        self.frontier.done(url, Outcome(200, seconds, rest), self.now, again=again)
        gap = min(max(10 * seconds, 2.0), 50.0)
        self.ready[host] = self.now + max(gap, rest, self.delays.get(host, 0.0))
        if again:
            self.waiting[url] = host

    @rule(seconds=st.sampled_from([0.1, 2.0, 60.0, 1000.0]))
    def pass_time(self, seconds):
        self.now += seconds

    @rule(host=st.sampled_from(HOSTS), seconds=st.sampled_from([0.0, 7.0, 80.0]))
    def set_delay(self, host, seconds):
        self.frontier.set_delay(host, seconds)
        self.delays[host] = seconds

    @rule(later=st.sampled_from([0.0, 1000.0]))
    def restart(self, later):
        state = json.loads(json.dumps(self.frontier.state(self.now)))
        self.frontier = Frontier.from_state(state, later, **self.options)
        shift = later - self.now
        self.ready = {host: at + shift for host, at in self.ready.items()}
        self.now = later
        for host, (url, _) in self.out.items():
            self.waiting[url] = host
        self.out = {}

    @invariant()
    def what_waits_is_what_was_added_and_not_taken(self):
        if not hasattr(self, "frontier"):
            return
        assert len(self.frontier) == len(self.waiting)
        assert self.frontier.in_flight == len(self.out)
        held = sorted(item.url for item in self.frontier.items())
        assert held == sorted([*self.waiting, *[url for url, _ in self.out.values()]])

    @invariant()
    def the_parts_agree(self):
        if not hasattr(self, "frontier"):
            return
        view = self.frontier.view
        assert {host: i for i, (host, _) in enumerate(view.back) if host} == view.table
        assert sum(map(len, view.front)) + sum(len(urls) for _, urls in view.back) == len(self.waiting)
        served = {view.table[host] for host in view.in_flight}
        assert {number for _, number in view.heap} == set(view.table.values()) - served

    def teardown(self):
        """Drain the frontier: everything comes out."""
        for host, (url, _) in list(self.out.items()):
            self.frontier.done(url, Outcome(seconds=0.0), self.now)
            del self.out[host]
        while not isinstance(got := self.frontier.take(self.now), Empty):
            if isinstance(got, Wait):
                self.now += got.seconds
            else:
                del self.waiting[got.url]
                self.frontier.done(got.url, Outcome(seconds=0.1), self.now)
        assert not self.waiting


TestCrawl = Crawl.TestCase
TestCrawl.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
