"""Benchmark of the hash ring: ``python tests/benchmarks/ring.py [how many keys]``.

Look-ups of URLs of 60 characters among 100 nodes of 200 points each, in bulk and one by one, beside uhashring
with as many points (its look-ups go one by one) and beside hash mod D; making the ring, a node that joins,
and the share of keys that then moves. Then the load: the largest over the average for 100 servers by points a
server. Then simulated crawls of 2,000 pages, static and coordinated. Prints the best of a few runs and the
processor. Nothing is asserted.
"""

import platform
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.distribute import (
    ConsistentHashRing,
    CrawlCosts,
    ModHashing,
    coordinated_crawl,
    imbalance,
    moves,
    peak_load,
    simulated_crawl,
)
from ircourse.web import random_web

NODES, REPLICAS = 100, 200


def best_of(repeats, function):
    """Return the least time of a call, in seconds."""
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        least = min(least, time.perf_counter() - start)
    return least


def made_urls(n):
    """Return n different URLs of 60 characters on 10^4 hosts."""
    return [
        f"http://www.host{i * 7919 % 10_000:04}.example/pages/{i * 2_654_435_761 % 2**32:010}/index.html"
        for i in range(n)
    ]


def joined(ring, add, owners, keys):
    """Return the share of keys that moves when a node joins."""
    before = owners(keys)
    add(ring)
    return moves(before, owners(keys)).share


def bench_ours(keys):
    """Print our times."""
    names = [f"node{i}" for i in range(NODES)]
    ring, mod, some = ConsistentHashRing(names, REPLICAS), ModHashing(NODES), keys[: len(keys) // 10]
    print(f"ring of {NODES} nodes, {REPLICAS} points each; {len(keys):,} keys")
    print(f"  made: {best_of(3, lambda: ConsistentHashRing(names, REPLICAS)):.4f} s")
    print(f"  look-ups in bulk: {best_of(3, lambda: ring.nodes_for(keys)):.3f} s")
    print(f"  hash mod D in bulk: {best_of(3, lambda: mod.nodes_for(keys)):.3f} s")
    one = best_of(2, lambda: [ring.node_for(key) for key in some]) * len(keys) / len(some)
    print(f"  look-ups one by one: {one:.2f} s")
    share = joined(ring, lambda ring: ring.add("one more"), ring.nodes_for, some)
    print(f"  moved when one joins: {share:.4f} of the keys; 1/{NODES + 1} is {1 / (NODES + 1):.4f}")


def bench_uhashring(keys):
    """Print the times of uhashring."""
    try:
        from uhashring import HashRing
    except ImportError:
        print("  uhashring: not installed")
        return
    names, some = [f"node{i}" for i in range(NODES)], keys[: len(keys) // 10]

    def made():
        return HashRing(names, hash_fn="ketama", vnodes=REPLICAS // 4, replicas=4)

    ring = made()
    print(f"  uhashring, made: {best_of(2, made):.4f} s")
    one = best_of(2, lambda: [ring.get_node(key) for key in some]) * len(keys) / len(some)
    print(f"  uhashring, look-ups: {one:.2f} s")
    share = joined(
        ring, lambda ring: ring.add_node("one more"), lambda keys: [*map(ring.get_node, keys)], some
    )
    print(f"  uhashring, moved when one joins: {share:.4f}")
    loads = dict.fromkeys(names, 0)
    for key in some:
        loads[ring.get_node(key)] = loads.get(ring.get_node(key), 0) + 1
    print(f"  uhashring, largest load over the average: {imbalance(loads.values()):.2f}")


def bench_loads():
    """Print the largest load over the average."""
    for replicas in (1, 5, 20, 100, 200, 500):
        peak = peak_load(100, replicas, rings=100)
        print(
            f"100 servers, {replicas} points: {peak.mean:.3f} ± {peak.error:.3f} times the average, 100 rings"
        )


def bench_crawls():
    """Print how long simulated crawls take, and what they do."""
    made = random_web(2000, 1)
    web, costs = {url: made[url] for url in made}, CrawlCosts(gap=0.05, handling=0.004, threads=10)
    for nodes in (1, 4, 16):
        for crawl in (simulated_crawl, coordinated_crawl):
            start = time.perf_counter()
            done = crawl(web, range(nodes), costs=costs)
            took = time.perf_counter() - start
            half = done.fetches[len(done.fetches) // 2]
            print(
                f"{crawl.__name__}, {nodes} nodes: {took:.2f} s for {done.seconds:.0f} s; first half at "
                f"{len(done.fetches) / 2 / half.end:.0f} pages a second, busiest manager {done.busiest:.0%}, "
                f"{done.messages:,} messages, imbalance {done.imbalance:.2f}"
            )


def main(arguments):
    """Run all."""
    keys = made_urls(int(arguments[0]) if arguments else 10**6)
    print(platform.processor() or platform.machine(), "Python", platform.python_version())
    bench_ours(keys)
    bench_uhashring(keys)
    bench_loads()
    bench_crawls()


if __name__ == "__main__":
    main(sys.argv[1:])
