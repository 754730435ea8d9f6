"""A crawl in real time, over HTTP and with faults, replayed from its log: the same events, the same acts."""

import math
from itertools import zip_longest

import pytest

from ircourse.crawl import Crawler
from ircourse.crawl.crawler.events import Failed, Fetch, Fetched, Resolved, Step, Store
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.web import serve, tiny_web

SEEDS = ["http://www.saltmere.example/", "http://library.saltmere.example/"]


@pytest.mark.parametrize("revisit", [None, lambda url, visits: 0.01 if len(visits) < 2 else math.inf])
def test_a_real_crawl_can_be_replayed_from_its_log(revisit):
    with serve(tiny_web()) as server:
        how = {"resolve": server.resolve, "allow_private": True, "delay": 0, "threads": 3, "revisit": revisit}
        how["retries"] = RetryPolicy(max_tries=2, first=0.01)
        server.fault(f"{SEEDS[0]}bank.html", "drop")
        server.fault(f"{SEEDS[1]}hours.html", 503)
        log, steps, again = [], [], []
        crawler = Crawler(SEEDS, watch=lambda step, _: steps.append(step), **how)
        handle = crawler.core.handle

        def recorded(event, now):
            actions = []
            log.append((event, now, actions))
            for action in handle(event, now):
                actions.append(action)
                yield action

        crawler.core.handle = recorded
        done = crawler.run(60, seconds=20)

    replayed = Crawler(SEEDS, watch=lambda step, _: again.append(step), **how)
    core = replayed.core
    core.harvest.epoch, core.end = crawler.core.harvest.epoch, crawler.core.end
    core.harvest.max_pages = crawler.core.harvest.max_pages
    for event, now, actions in log:
        for expected, action in zip_longest(actions, core.handle(event, now)):
            assert action == expected
            if isinstance(action, Store):
                replayed.store[action.url] = action.response
    assert core.finished and again == steps and all(isinstance(step, Step) for step in again)
    assert replayed.statistics.steps == done.steps and replayed.statistics.stored == done.stored
    kinds = {type(event) for event, *_ in log} | {type(action) for *_, actions in log for action in actions}
    assert {Fetched, Failed, Resolved, Fetch, Store} <= kinds
