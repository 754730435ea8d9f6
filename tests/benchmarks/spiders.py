"""Pages a second of SPIDER4 on a web in memory of 10^5 pages and 10^6 links, watched and not.

Run with ``python tests/benchmarks/spiders.py``; times are of the processor, the best of several runs.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from ircourse.crawl import spider4, spider4_counting
from ircourse.types import Page

N, LINKS, RUNS = 100_000, 10, 7


def web():
    """A web of N pages with LINKS links each, to pages drawn at random."""
    targets = np.random.default_rng(1).integers(0, N, (N, LINKS)).tolist()
    urls = [f"http://host{i % 997}.example/page/{i}" for i in range(N)]
    return urls, {
        url: Page(url, links=[urls[j] for j in row]) for url, row in zip(urls, targets, strict=True)
    }


def seconds(crawl):
    """Processor time of a crawl."""
    began = time.process_time()
    pages = sum(1 for _ in crawl)
    return time.process_time() - began, pages


def main():
    """Print a row for each way to crawl."""
    urls, pages = web()
    ways = {
        "SPIDER4": lambda: spider4(pages.get, urls[:1]),
        "SPIDER4, watched": lambda: spider4(pages.get, urls[:1], watch=lambda event, url, page, held: None),
        "SPIDER4 with counts": lambda: spider4_counting(pages.get, urls[:1]),
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(RUNS):
        for name, crawl in ways.items():
            taken, stored = seconds(crawl())
            best[name] = min(best[name], taken)
    for name, taken in best.items():
        print(f"{name:20} {stored / taken:9,.0f} pages a second, {taken / best['SPIDER4']:.2f} times SPIDER4")


if __name__ == "__main__":
    main()
