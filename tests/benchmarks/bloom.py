"""Benchmark of the sets of seen URLs: ``python tests/benchmarks/bloom.py [how many URLs]``.

URLs of 60 characters are added to a Bloom filter at 1% and then tested, beside rbloom with hashes that are
the same in every process (its own is not): the fastest of xxhash and hashlib. Then the exact set on disk,
with a filter before it and without. Prints the best of a few runs, the ratio and the processor. Nothing is
asserted.
"""

import hashlib
import platform
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.crawl import BloomFilter, SeenUrls

BATCH = 1000


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


def by_blake2(url):
    """Return a hash as rbloom wants one: 128 bits with a sign."""
    return int.from_bytes(hashlib.blake2b(url.encode(), digest_size=16).digest(), "big", signed=True)


def by_md5(url):
    """Return a hash as rbloom wants one."""
    return int.from_bytes(hashlib.md5(url.encode(), usedforsecurity=False).digest(), "big", signed=True)


def by_xxhash(url):
    """Return a hash as rbloom wants one."""
    return xxh3(url.encode()) - 2**127


try:
    from xxhash import xxh3_128_intdigest as xxh3
except ImportError:
    xxh3 = None


def rbloom_run(urls, function):
    """Add and test with rbloom, by its quickest calls."""
    from rbloom import Bloom

    seen = Bloom(len(urls), 0.01, function)
    seen.update(urls)
    return [url in seen for url in urls]


def our_run(urls):
    """Add and test with ours."""
    seen = BloomFilter(len(urls), 0.01)
    seen.add_many(urls)
    return seen.contains_many(urls)


def one_by_one(urls):
    """Add and test with ours, a call a URL."""
    seen = BloomFilter(len(urls), 0.01)
    for url in urls:
        seen.add(url)
    return [url in seen for url in urls]


def on_disk(urls, expected):
    """Add batches to the exact set, each twice, as pages link to what was seen."""
    with (
        tempfile.TemporaryDirectory() as folder,
        SeenUrls(Path(folder) / "seen.db", expected=expected) as seen,
    ):
        for i in range(0, len(urls), BATCH):
            seen.add_many(urls[i : i + BATCH])
            seen.add_many(urls[i // 2 : i // 2 + BATCH])


def bench_filters(urls):
    """Print the filters' times."""
    our_run(urls[:10])
    ours = best_of(5, lambda: our_run(urls))
    print(f"Bloom filter, {len(urls):,} URLs added and tested: {ours:.3f} s")
    print(f"  one by one: {best_of(2, lambda: one_by_one(urls[: len(urls) // 10])) * 10:.3f} s")
    for name, function in ("xxhash", by_xxhash), ("blake2b", by_blake2), ("md5", by_md5):
        try:
            if name == "xxhash" and xxh3 is None:
                raise ImportError
            seconds = best_of(3, lambda function=function: rbloom_run(urls, function))
        except ImportError:
            print(f"  rbloom with {name}: not installed")
        else:
            print(f"  rbloom with {name}: {seconds:.3f} s, {seconds / ours:.1f} times ours")


def main(arguments):
    """Run all."""
    n = int(arguments[0]) if arguments else 10**6
    print(platform.processor() or platform.machine(), "Python", platform.python_version())
    urls = made_urls(n)
    bench_filters(urls)
    for expected in (None, n):
        seconds = best_of(1, lambda expected=expected: on_disk(urls, expected))
        name = "behind a filter" if expected else "alone"
        print(f"exact set on disk, {name}: {2 * n / seconds:,.0f} URLs a second, half of them new")


if __name__ == "__main__":
    main(sys.argv[1:])
