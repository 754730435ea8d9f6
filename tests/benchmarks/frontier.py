"""Benchmark of the frontier: ``python tests/benchmarks/frontier.py [URLs]``.

10^6 URLs of 60 characters over 10^4 hosts, of four priorities: seconds to add them, take-and-done a second
until all are served, on a virtual clock, and bytes a URL as traced and by the process's resident memory.
Then the same with nine tenths on disk. Times are of the processor, the best of a few runs. Nothing is
asserted.
"""

import gc
import platform
import sys
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.crawl.frontier.frontier import Fetch, Frontier, Outcome, Wait

HOSTS = 10_000
PRIORITIES = (0.1, 0.5, 1.0, 3.0)


def urls_of(n):
    """Yield n URLs of 60 characters, host after host in turn, and a priority for each."""
    for i in range(n):
        yield f"http://host{i % HOSTS:05}.example/{i:010}/".ljust(60, "p"), PRIORITIES[i * 7919 % 13 % 4]


def filled(n, **options):
    """Return a frontier with n URLs and the seconds that adding them took."""
    urls = list(urls_of(n))
    frontier = Frontier(**options)
    start = time.process_time()
    for url, priority in urls:
        frontier.add(url, priority)
    return frontier, time.process_time() - start


def drained(frontier):
    """Return the seconds that taking all URLs took, and their number."""
    outcome = Outcome(seconds=0.1)
    take, done = frontier.take, frontier.done
    now, count = 0.0, 0
    start = time.process_time()
    while True:
        got = take(now)
        if type(got) is Fetch:
            done(got.url, outcome, now)
            count += 1
        elif type(got) is Wait:
            now += got.seconds
        else:
            return time.process_time() - start, count


def resident():
    """Return the process's resident memory in bytes, or NaN where the platform does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return float("nan")
    return pages * 4096


def traced(n, **options):
    """Return the traced bytes of a frontier with n URLs."""
    tracemalloc.start()
    frontier = Frontier(**options)
    for url, priority in urls_of(n):
        frontier.add(url, priority)
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size


def main(n):
    """Print all rows."""
    print(platform.processor() or platform.machine(), "Python", platform.python_version())
    gc.collect()
    before = resident()
    frontier = Frontier(back_queues=1000)
    for url, priority in urls_of(n):
        frontier.add(url, priority)
    gc.collect()
    print(f"memory     {(resident() - before) / n:6.0f} bytes a URL resident")
    del frontier
    for queues in (64, 1000, HOSTS):
        best_add = best = float("inf")
        for _ in range(3):
            frontier, adding = filled(n, back_queues=queues)
            seconds, count = drained(frontier)
            assert count == n
            best_add, best = min(best_add, adding), min(best, seconds)
        print(f"B = {queues:6,} {n / best_add:9,.0f} added a second, {n / best:9,.0f} take-and-done a second")
    frontier, adding = filled(n, back_queues=1000, limit=n // 10)
    seconds, count = drained(frontier)
    assert count == n
    print(f"9/10 on disk {n / adding:7,.0f} added a second, {n / seconds:9,.0f} take-and-done a second")
    few = min(n, 10**6)
    print(f"memory     {traced(few) / few:6.0f} bytes a URL traced")
    print(f"           {traced(few, limit=few // 10) / few:6.0f} with nine tenths on disk")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10**6)
