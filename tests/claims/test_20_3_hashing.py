"""Claims C57 to C60: consistent hashing, splitting by host, content-seen, and the death of a node."""

from collections import Counter

import numpy as np
import pytest

from ircourse.crawl import look_up_in, spider4
from ircourse.distribute import (
    ByRegion,
    ConsistentHashRing,
    CrawlCosts,
    DistributedContentSeen,
    HostSplitter,
    ModHashing,
    UrlSplitter,
    contacts,
    coordinated_crawl,
    firewall,
    imbalance,
    independent,
    missed_copies,
    mod_moved,
    moves,
    peak_load,
    simulated_crawl,
)
from ircourse.types import Page
from ircourse.web import random_web, tiny_web

KEYS = [f"http://site{i % 997}.example/{i}" for i in range(20_000)]


@pytest.fixture(scope="module")
def web():
    made = random_web(800, 1, host_size=10)
    return {url: made[url] for url in made}


@pytest.mark.parametrize("d", [1, 4, 10, 100])
def test_c57_hash_mod_d_moves_nearly_all(d):
    moved = moves(ModHashing(d).nodes_for(KEYS), ModHashing(d + 1).nodes_for(KEYS)).share
    error = (d / (d + 1) ** 2 / len(KEYS)) ** 0.5
    assert mod_moved(d, d + 1) == pytest.approx(d / (d + 1))  # one joins D
    assert mod_moved(d + 1, d) == pytest.approx((d + 1 - 1) / (d + 1))  # one leaves D + 1
    assert moved == pytest.approx(d / (d + 1), abs=5 * error)


@pytest.mark.parametrize(("d", "replicas"), [(1, 1), (4, 2), (10, 200), (100, 50)])
def test_c57_consistent_hashing_moves_one_nodes_share_and_all_to_or_from_it(d, replicas):
    rings, joined, left = 20, [], []
    for seed in range(rings):
        ring = ConsistentHashRing(range(d), replicas, seed=seed)
        before = ring.nodes_for(KEYS)
        ring.add(d)
        during = ring.nodes_for(KEYS)
        joining = moves(before, during)
        assert {new for _, new in joining.flows} <= {d}
        joined.append((joining.share, ring.shares[d]))
        ring.remove(d)
        assert ring.nodes_for(KEYS) == before
        if d > 1:
            share = ring.shares[0]
            ring.remove(0)
            leaving = moves(before, ring.nodes_for(KEYS))
            assert {old for old, _ in leaving.flows} <= {0}
            left.append((leaving.share, share))
    for pairs, expected in ((joined, 1 / (d + 1)), (left, 1 / d)):
        if pairs:  # what moves is the node's arcs, on average its part of the circle
            moved, arcs = np.array(pairs).T
            assert moved == pytest.approx(arcs, abs=5 * (0.25 / len(KEYS)) ** 0.5)
            assert arcs.mean() == pytest.approx(expected, abs=4 * arcs.std(ddof=1) / rings**0.5 + 1e-9)


def test_c57_erratum_with_replicas_the_items_come_from_several_nodes():
    for replicas, fewest, most in ((1, 1, 1), (5, 3, 5), (200, 9, 10)):
        ring = ConsistentHashRing(range(10), replicas)
        before = ring.nodes_for(KEYS)
        ring.add("new")
        sources = {old for old, _ in moves(before, ring.nodes_for(KEYS)).flows}
        assert fewest <= len(sources) <= most


def test_c57_erratum_beyond_the_last_point_the_circle_begins_again():
    ring = ConsistentHashRing(range(5), 1)
    last = ring.points[-1][0]
    beyond = np.array([2**64 - 1 - i for i in range(3)], np.uint64)
    ids = np.array([point for point, _ in ring.points], np.uint64)
    assert (np.searchsorted(ids, beyond) == len(ids)).all()  # no first server with ID at least theirs
    share = sum(point > last for point in np.linspace(0, 2.0**64, 10_000, endpoint=False)) / 10_000
    owned = Counter(ring.nodes_for(KEYS))[ring.points[0][1]] / len(KEYS)
    assert owned == pytest.approx(share + ring.points[0][0] / 2**64, abs=0.02)


@pytest.mark.parametrize(
    ("replicas", "least", "most"), [(1, 4.8, 5.6), (5, 2.3, 2.7), (100, 1.23, 1.3), (200, 1.16, 1.21)]
)
def test_c58_the_largest_load_of_100_servers(replicas, least, most):
    """Measured on 100 rings: 5.1 ± 0.1, 2.46 ± 0.03, 1.27 ± 0.004, 1.19 ± 0.003."""
    assert ConsistentHashRing(range(100)).replicas == 5  # ⌈ln 100⌉
    peak = peak_load(100, replicas, rings=100)
    assert least < peak.mean - 2 * peak.error < peak.mean + 2 * peak.error < most
    if replicas == 1:
        expected = sum(1 / i for i in range(1, 101))
        assert peak.mean == pytest.approx(expected, abs=4 * peak.error)


def test_c58_items_add_their_own_luck():
    ring = ConsistentHashRing(range(100), 200)
    loads = np.bincount(ring.numbers_for(np.arange(10_000, dtype=np.uint64)), minlength=100)
    assert imbalance(ring.shares.values()) < 1.25 < imbalance(loads)  # 100 items each: ± 10


def test_c58_one_huge_host_skews_splitting_by_host_and_splitting_by_url_breaks_politeness():
    ring = ConsistentHashRing(range(4), 200)
    urls = [f"http://huge.example/{i}" for i in range(3000)]
    urls += [f"http://site{i}.example/{j}" for i in range(300) for j in range(10)]
    loads = {
        kind: [len(part) for part in kind(ring).split(urls).values()] for kind in (HostSplitter, UrlSplitter)
    }
    assert imbalance(loads[HostSplitter]) > 2.2 and imbalance(loads[UrlSplitter]) < 1.1
    assert set(contacts(HostSplitter(ring), urls).values()) == {1}
    assert contacts(UrlSplitter(ring), urls)["huge.example"] == 4


def test_c58_requests_come_too_soon_where_a_hosts_urls_are_spread(web):
    ring = ConsistentHashRing(range(4), 200)
    by_host, by_url = (simulated_crawl(web, split(ring)) for split in (HostSplitter, UrlSplitter))
    assert set(by_host.pages) == set(by_url.pages)
    assert by_host.too_soon(2.0) == 0 and by_url.too_soon(2.0) > len(by_url.fetches) / 4
    assert by_url.imbalance < by_host.imbalance


def test_c59_a_host_local_content_seen_misses_the_mirrors(web):
    town = tiny_web()
    texts = {url: town[url].text for url in town}
    found = missed_copies(texts, HostSplitter(ConsistentHashRing(range(4), 100)))
    assert found.copies == found.missed == 25  # a whole mirror, and it is another node's
    texts = {url: page.text for url, page in web.items()}
    for d in (2, 4, 16):  # copies on random hosts: (D − 1)/D of them, and the node's second ones are found
        found = missed_copies(texts, HostSplitter(ConsistentHashRing(range(d), 100)))
        assert found.copies == 80
        assert found.missed / found.copies == pytest.approx(1 - 1 / d, abs=0.2)


def test_c59_partitioned_by_value_all_copies_are_found_and_a_changed_page_is_withdrawn(web):
    ring = ConsistentHashRing(range(4), 100)
    seen = DistributedContentSeen(HostSplitter(ring), ring)
    copies = {url: first for url, page in web.items() if (first := seen.look(url, page.text))}
    assert len(copies) == 80 and all(web[url].text == web[first].text for url, first in copies.items())
    assert seen.messages == pytest.approx(
        len(web) * 3 / 4, rel=0.1
    )  # one a page, unless the owner is at home
    url, first = next(iter(copies.items()))
    seen.look(first, "something else")
    assert seen.look(url, web[url].text) != first


@pytest.mark.parametrize("at", [0.0, 3.3, 20.0, 60.0])
def test_c60_when_a_node_dies_the_crawl_ends_with_the_same_pages(web, at):
    seeds = list(web)[::40]
    whole = simulated_crawl(web, range(4), seeds=seeds)
    for dead in range(4):
        killed = simulated_crawl(web, range(4), seeds=seeds, kill=(dead, at))
        assert set(killed.pages) == set(whole.pages) == {url for url, _ in spider4(look_up_in(web), seeds)}
        assert killed.overlap == 0 and killed.too_soon(2.0) == 0
        assert {old for old, _ in killed.moved.values()} <= {dead}
        assert dead not in {heir for _, heir in killed.moved.values()}
    assert len(whole.pages) > 500


def test_dynamic_assignment_is_even_and_its_coordinator_a_bottleneck(web):
    """Links are handled at 4 ms each: with a coordinator the pages a second soon stop growing."""
    costs = CrawlCosts(gap=0.05, handling=0.004, threads=10)
    rates = {}
    for crawl in (coordinated_crawl, simulated_crawl):
        for d in (1, 16):
            done = crawl(web, range(d), costs=costs)
            rates[crawl, d] = len(done.fetches) / 2 / done.fetches[len(done.fetches) // 2].end
            if crawl is coordinated_crawl:
                assert done.imbalance < 1.05 and done.messages == 2 * len(done.fetches)
    assert done.imbalance > 1.5
    assert rates[simulated_crawl, 16] > 1.5 * rates[coordinated_crawl, 16]
    assert rates[coordinated_crawl, 1] < rates[coordinated_crawl, 16] < 1 / (costs.handling * 3)


def test_crawling_ones_part_alone_loses_pages_and_crawling_alone_repeats_them(web):
    seeds = list(web)[::40]
    whole = simulated_crawl(web, range(4), seeds=seeds)
    walled = simulated_crawl(web, range(4), seeds=seeds, links=firewall)
    alone = simulated_crawl(web, range(4), seeds=seeds, links=independent)
    assert len(walled.pages) < 0.85 * len(whole.pages) and walled.messages == 0
    assert len(alone.pages) == len(whole.pages) and alone.overlap > 2 and alone.messages == 0
    assert whole.overlap == walled.overlap == 0 < whole.messages


def test_nodes_near_their_sites_fetch_sooner_and_are_as_busy_as_their_region():
    regions = ("north", "east", "south")
    weights = (6, 3, 1)
    hosts = [
        f"site{i}.{region}.example" for region, w in zip(regions, weights, strict=True) for i in range(12 * w)
    ]
    fronts = [f"http://{host}/" for host in hosts]
    web = {url: Page(url, links=(fronts[(i + 1) % len(fronts)], url + "a")) for i, url in enumerate(fronts)}
    web |= {url + "a": Page(url + "a") for url in fronts}
    near = ByRegion(
        dict(zip("nes", regions, strict=True)),
        lambda host: host.split(".")[1],
        lambda a, b: 0.02 if a == b else 0.2,
    )
    by_hash = HostSplitter(ConsistentHashRing("n e s".split(), 200))
    costs = CrawlCosts(fetch=lambda node, host: 0.1 + near.seconds(node, host))
    mean = {}
    for name, split in (("near", HostSplitter(near)), ("hash", by_hash)):
        done = simulated_crawl(web, split, costs=costs)
        assert len(done.pages) == len(web)
        mean[name] = np.mean([fetch.end - fetch.start for fetch in done.fetches]), done.imbalance
    assert mean["near"] == (pytest.approx(0.12), pytest.approx(1.8))
    assert mean["hash"][0] == pytest.approx(0.1 + 0.02 / 3 + 0.2 * 2 / 3, abs=0.03) and mean["hash"][1] < 1.5
