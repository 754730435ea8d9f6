"""Claims C42 to C45 and C56: the URL frontier and page selection."""

import math
from collections import Counter
from itertools import groupby

import networkx as nx
import numpy as np
import pytest

from ircourse.crawl import Frontier
from ircourse.crawl.race import order_of, race
from ircourse.crawl.selection import (
    BreadthFirst,
    Combined,
    DepthFirst,
    InLinks,
    PartialPageRank,
    RandomOrder,
    TopicDriven,
    share_of_words,
)
from ircourse.crawl.visits import PlainQueue, busiest, too_early, utilisation, visits
from ircourse.types import Page
from ircourse.web import random_web


def seconds_by_url(rng):
    """A function that gives each URL a fetch time of its own: log-normal, median 0.2 s, now and then 10 s."""
    known = {}

    def seconds_of(url):
        if url not in known:
            known[url] = float(rng.lognormal(math.log(0.2), 1.2))
        return known[url]

    return seconds_of


def test_c42_one_connection_a_host_and_ten_times_the_fetch_between_two():
    # 10^5 fetches by 100 threads over 2,000 hosts, the largest of which has a tenth of the URLs.
    rng = np.random.default_rng(42)
    weights = 1 / np.arange(1, 2001) ** 0.7
    hosts = rng.choice(2000, size=100_000, p=weights / weights.sum())
    priorities = rng.choice([0.1, 0.5, 1.0, 5.0], size=100_000)
    urls = [f"http://host{host}.example/{i}" for i, host in enumerate(hosts.tolist())]
    queues = {"frontier": Frontier(back_queues=300, min_gap=0.0, max_gap=1e6), "plain": PlainQueue()}
    early = {}
    for name, queue in queues.items():
        for url, priority in zip(urls, priorities.tolist(), strict=True):
            queue.add(url, priority)
        trial = visits(queue, 100, seconds_by_url(np.random.default_rng(1)))
        assert sorted(visit.url for visit in trial) == sorted(urls)  # each exactly once
        early[name] = len(too_early(trial, gap=10.0))
    assert early["frontier"] == 0
    assert early["plain"] > 10_000  # the check can fail


def test_c42_holds_while_links_are_found():
    web = random_web(4000, 1, host_size=20)
    start = [web.url(int(i)) for i in np.flatnonzero(web.regions == 1)[:20]]
    frontier = Frontier(back_queues=40, depth=3, min_gap=0.0, max_gap=1e6)
    for url in start:
        frontier.add(url)
    trial = visits(
        frontier,
        12,
        seconds_by_url(np.random.default_rng(2)),
        lambda url: [web.url(j) for j in web.graph.links(web.number(url))],
    )
    assert too_early(trial) == []
    reachable = set(start)
    graph = web.graph.to_networkx()
    for url in start:
        reachable |= {web.url(i) for i in nx.descendants(graph, web.number(url))}
    assert Counter(visit.url for visit in trial) == dict.fromkeys(reachable, 1)


def test_c43_a_plain_queue_sends_bursts_to_one_host():
    # A web of 3,000 pages with 80% of the links on their own host; 16 threads, 0.1 s a fetch. The most
    # requests to one host within 10 seconds, and the longest run of fetches of one host.
    web = random_web(3000, 3, local=0.8, host_size=30)
    start = web.url(int(np.flatnonzero(web.regions == 1)[0]))
    bursts, runs = {}, {}
    for name, queue in (("plain", PlainQueue()), ("frontier", Frontier(back_queues=160))):
        queue.add(start)
        trial = visits(
            queue, 16, lambda url: 0.1, lambda url: [web.url(j) for j in web.graph.links(web.number(url))]
        )
        assert len(trial) > 1000
        bursts[name] = busiest(trial, window=10.0)
        runs[name] = max(
            len(list(group))
            for _, group in groupby(visit.host for visit in trial[: len(trial) // 2])  # before hosts run out
        )
    assert bursts["frontier"] <= 5  # one in two seconds at most
    assert bursts["plain"] > 10 * bursts["frontier"]
    assert runs["plain"] >= 3 * runs["frontier"]


def test_c44_higher_priority_is_fetched_earlier_without_starving_the_rest():
    # 20,000 URLs on 500 hosts, a tenth of each priority 0 … 9. In a random order the mean place of 2,000 of
    # them has a standard error of 20000 / sqrt(12 · 2000) = 129 places.
    rng = np.random.default_rng(44)
    hosts, priorities = rng.integers(500, size=20_000), rng.permutation(np.arange(20_000) % 10)
    frontier = Frontier(back_queues=100)
    for i, (host, priority) in enumerate(zip(hosts.tolist(), priorities.tolist(), strict=True)):
        frontier.add(f"http://host{host}.example/{i}", priority)
    trial = visits(frontier, 10, lambda url: 0.1)
    order = priorities[[int(visit.url.rpartition("/")[2]) for visit in trial]]
    assert len(order) == 20_000
    places = np.array([np.flatnonzero(order == priority).mean() for priority in range(10)])
    assert places[9] < places[2] - 10 * 129
    assert places[2] < places[0] - 10 * 129
    assert np.corrcoef(places, np.arange(10))[0, 1] < -0.9


def test_c44_the_rest_does_not_starve_while_urgent_urls_keep_coming():
    # Each fetch finds two urgent URLs, so these never run out; 40 others wait from the start.
    frontier = Frontier(back_queues=8, min_gap=0.0)
    for i in range(40):
        frontier.add(f"http://low{i}.example/", priority=0.0)
    number, places = 0, []
    for place in range(40_000):
        for _ in range(2):
            frontier.add(f"http://high{number % 1000}.example/{number}", priority=9.0)
            number += 1
        fetch = frontier.take(now=float(place))
        frontier.done(fetch.url, now=float(place))
        if "low" in fetch.url:
            places.append(place)
    assert len(places) == 40
    assert max(np.diff(places)) <= 8 * (1 + 2**7)  # a back queue of 8 URLs for each choice of the selector


@pytest.mark.parametrize("threads", [1, 4, 10])
def test_c45_threads_are_busy_a_share_of_b_over_1_plus_g_t(threads):
    for times in (1, 2, 3, 4, 11, 16):
        expected = min(1, times / 11)
        assert utilisation(threads, times * threads, gap=10) == pytest.approx(expected, rel=1e-9)
    # Mercator's three times as many back queues as threads is enough up to a gap of two fetch times.
    for gap, expected in ((1, 1.0), (2, 1.0), (3, 3 / 4), (10, 3 / 11)):
        assert utilisation(threads, 3 * threads, gap=gap) == pytest.approx(expected, rel=1e-9)


def test_c45_with_fetch_times_that_vary():
    # Exponential fetch times, mean 1 s, 8 threads, 2,200 s: 200 cycles a host. A host's cycle is 11 fetch
    # times, so the share has a relative standard error of about 1 / sqrt(200 · 8 k) where k = B / T, 2.5% for
    # k = 1; the ends that are cut off add under 1%.
    for times in (1, 2, 3, 4, 11, 16):
        queues, end = 8 * times, 2200.0
        rng = np.random.default_rng(45)
        frontier = Frontier(back_queues=queues, min_gap=0.0, max_gap=1e6)
        for number in range(400):
            for host in range(queues):
                frontier.add(f"http://host{host}.example/{number}")
        trial = visits(frontier, 8, lambda url, rng=rng: float(rng.exponential()), until=end)
        share = sum([min(visit.end, end) - visit.start for visit in trial]) / (8 * end)
        expected = min(1, times / 11)
        if times == 11:  # just enough on average: now and then a thread finds no host ready
            assert 0.85 < share < 1
        else:
            assert share == pytest.approx(expected, rel=0.08)


def test_c45_erratum_the_number_of_front_queues_does_not_matter():
    shares = set()
    for front_queues in (1, 4, 32):
        frontier = Frontier(front_queues=front_queues, back_queues=12, min_gap=0.0)
        for number in range(30):
            for host in range(12):
                frontier.add(f"http://host{host}.example/{number}", priority=number)
        trial = visits(frontier, 4, lambda url: 1.0, until=220.0)
        shares.add(len(trial) / (4 * 220))
    assert shares == {12 * 20 / (4 * 220)}


def pages_of(web, seeds):
    """The reachable pages, each made once: a look-up, and their URLs."""
    pages = {url: web[url] for url in order_of(web.get, seeds, BreadthFirst())}
    return pages.get, list(pages)


def test_c56_crawl_order_matters_for_pages_of_high_pagerank():
    # Five webs of 3,000 pages, half of which can be reached from five seeds. The share of the tenth with the
    # highest PageRank that is found by 20% of the crawl, with the standard error of the mean over the webs.
    found = {name: [] for name in ("breadth", "depth", "random", "in-links", "partial", "combined")}
    for seed in range(5):
        web = random_web(3000, seed)
        rank = nx.pagerank(web.graph.to_networkx())
        seeds = [web.url(int(i)) for i in np.flatnonzero(web.regions == 1)[:5]]
        look_up, urls = pages_of(web, seeds)
        important = sorted(urls, key=lambda url, web=web, rank=rank: rank[web.number(url)])[
            -len(urls) // 10 :
        ]
        policies = {
            "breadth": BreadthFirst(),
            "depth": DepthFirst(),
            "random": RandomOrder(seed),
            "in-links": InLinks(),
            "partial": PartialPageRank(),
            "combined": Combined([InLinks(), PartialPageRank()]),
        }
        for name, share in race(look_up, seeds, policies, important).items():
            assert share[-1] == 1.0
            found[name].append(share[len(urls) // 5])
    mean = {name: np.mean(shares) for name, shares in found.items()}
    error = {name: np.std(shares, ddof=1) / math.sqrt(5) for name, shares in found.items()}

    def well_before(first, second):
        return mean[first] - mean[second] > 3 * math.hypot(error[first], error[second])

    assert well_before("partial", "in-links")
    assert well_before("in-links", "breadth")
    assert well_before("in-links", "depth")
    assert well_before("breadth", "random")
    assert well_before("combined", "random")


def topical_web(rng, n=4000, topics=20, links=8, topical=0.6):
    """Pages of one topic each; a share of their links, ``topical``, goes to pages of the same topic."""
    topic = rng.integers(topics, size=n)
    same = [np.flatnonzero(topic == t) for t in range(topics)]
    pages = {}
    for i in range(n):
        near = rng.random(links) < topical
        targets = np.where(near, rng.choice(same[topic[i]], links), rng.integers(n, size=links))
        words = np.where(rng.random(30) < 0.5, f"topic{topic[i]}", "word")
        pages[i] = Page(str(i), " ".join(words), links=targets.tolist())
    return pages, topic


@pytest.mark.parametrize("topical", [0.6, 0.0])
def test_c56_a_focused_crawl_finds_pages_on_its_topic_sooner(topical):
    # 4,000 pages of 20 topics, 10 seeds: the share of a topic's 200 pages found by a tenth of the crawl, with
    # the standard error of the gain over twelve topics. Where pages do not link to their own topic there is
    # nothing to gain.
    pages, topic = topical_web(np.random.default_rng(56), topical=topical)
    gains = []
    for wanted in range(12):
        on_topic = np.flatnonzero(topic == wanted).tolist()
        relevance = share_of_words([f"topic{wanted}"])
        policies = {
            "breadth": BreadthFirst(),
            "focused": TopicDriven(relevance),
            "combined": Combined([TopicDriven(relevance), InLinks()], weights=[10.0, 1.0]),
        }
        shares = race(pages.get, range(10), policies, on_topic, n=len(pages) // 10)
        gains.append([shares[name][-1] - shares["breadth"][-1] for name in ("focused", "combined")])
    mean, error = np.mean(gains, axis=0), np.std(gains, axis=0, ddof=1) / math.sqrt(12)
    if topical:
        assert (mean > 0.4).all()
        assert (mean > 10 * error).all()
    else:
        assert (abs(mean) < 4 * error + 0.01).all()
