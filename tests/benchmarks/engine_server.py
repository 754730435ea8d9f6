"""Speed of the search page: ``python tests/benchmarks/engine_server.py [pages [clients [seconds]]]``.

Serves an engine of generated pages (2,000 unless given, as in ``engine.py``) and lets clients (4), each a
process with a connection of its own, ask different queries of three words for some seconds (5), half of them
JSON and half pages. Prints queries a second, the middle and the 95th percentile of the time to an answer in
milliseconds, and how many failed. Nothing is asserted; the demand is 50 a second without a failure.
"""

import http.client
import multiprocessing
import sys
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from engine import pages

from ircourse.engine import Engine
from ircourse.engine.server import serving


def client(address, queries, seconds):
    """Return the seconds that each answer took, and how many failed."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    times, failed = [], 0
    end, turn = time.perf_counter() + seconds, 0
    while (began := time.perf_counter()) < end:
        path = ("/search?", "/?")[turn % 2] + urlencode({"q": queries[turn % len(queries)]})
        turn += 1
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            failed += answer.status != 200 or not answer.read()
        except (OSError, http.client.HTTPException):
            failed += 1
            connection.close()
        times.append(time.perf_counter() - began)
    connection.close()
    return times, failed


def queries_of(made, n, rng):
    """Return queries of three words that stand on one page."""
    asked = []
    for page in (made[i] for i in rng.integers(0, len(made), n).tolist()):
        words = page.text.split()
        asked.append(" ".join(words[i] for i in rng.integers(6, len(words), 3).tolist()))
    return asked


def measured(n=2_000, clients=4, seconds=5.0):
    """Return queries a second, the times in milliseconds, ascending, and how many failed."""
    made = list(pages(n, np.random.default_rng(1)))
    engine = Engine.build(made)
    with serving(engine) as server, multiprocessing.get_context("spawn").Pool(clients) as pool:
        pool.map(abs, range(clients))  # all have started
        work = [
            (server.address, queries_of(made, 500, np.random.default_rng(seed)), seconds)
            for seed in range(clients)
        ]
        done = pool.starmap(client, work, chunksize=1)
    times = np.sort(np.concatenate([times for times, _ in done])) * 1e3
    return len(times) / seconds, times, sum(failed for _, failed in done)


def main():
    """Print the line."""
    n, clients, seconds = [*map(int, sys.argv[1:]), *(2_000, 4, 5)[len(sys.argv) - 1 :]]
    rate, times, failed = measured(n, clients, seconds)
    middle, p95 = np.percentile(times, [50, 95])
    print(
        f"{n} pages, {clients} clients: {rate:.0f} queries a second, middle {middle:.1f} ms, "
        f"p95 {p95:.1f} ms, most {times[-1]:.1f} ms, {failed} failed"
    )


if __name__ == "__main__":
    main()
