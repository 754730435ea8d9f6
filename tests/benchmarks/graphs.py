"""Benchmark of graphs: ``python tests/benchmarks/graphs.py [pages]``.

Generated webs and their parts, the degrees' fit, a file of a million links, the connectivity server. Prints
times, room and the processor. Nothing is asserted.
"""

import gzip
import platform
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from ircourse.graphs import (
    ConnectivityServer,
    bow_tie_parts,
    copying_graph,
    erdos_renyi,
    host_graph,
    power_law_exponent,
    read_edges,
)

LINKS = 9


def timed(title, function, *args):
    """Print the time of the second call of a function, and return what it returned."""
    function(*args)
    start = time.perf_counter()
    result = function(*args)
    print(f"{title:44} {time.perf_counter() - start:8.3f} s")
    return result


def bench_reading():
    """Print the time to read a million links, plain and packed."""
    pairs = np.random.default_rng(0).integers(0, 300_000, (10**6, 2)).tolist()
    data = "".join(f"{u}\t{v}\n" for u, v in pairs).encode()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("links.txt", data), ("links.txt.gz", gzip.compress(data))):
            path = Path(folder, name)
            path.write_bytes(content)
            timed(f"read a million links, {name}", read_edges, path)


def bench_server(name, graph):
    """Print the room and the times of a connectivity server, the mean in processor time."""
    n = graph.n_nodes
    urls = [f"http://host{i // 100:06}.example/page/{i % 100:02}.html" for i in range(n)]
    start = time.perf_counter()
    server = ConnectivityServer(urls, graph)
    print(f"{name}: {graph.n_edges:,} links coded in {time.perf_counter() - start:.1f} s")
    plain = 32 + 64 * (n + 1) / graph.n_edges
    print(f"  {server.bits_per_link:.2f} bits a link, {plain:.2f} plain, number of a page {np.log2(n):.2f}")
    print(f"  URLs in {server.sizes['urls'] / sum(map(len, urls)):.0%} of their room")
    asked = [urls[i] for i in np.random.default_rng(0).integers(0, n, 20_000)]
    for ask in (server.out_links, server.in_links):
        times, start = [], time.process_time()
        for url in asked:
            begun = time.perf_counter()
            ask(url)
            times.append(time.perf_counter() - begun)
        mean = (time.process_time() - start) / len(asked)
        median, late = np.median(times), np.quantile(times, 0.99)
        print(
            f"  {ask.__name__:9} {mean * 1e6:6.1f} µs; median {median * 1e6:.1f}, 99% below {late * 1e6:.1f}"
        )


def main(arguments):
    """Run all."""
    n = int(arguments[0]) if arguments else 10**6
    print(platform.processor() or platform.machine(), "Python", platform.python_version())
    webs = {
        "copied links": timed(f"{n:,} pages, copied links", copying_graph, n, LINKS, 1),
        "communities": timed(f"{n:,} pages, communities", lambda: host_graph(n // 100, n, 1, links=LINKS)),
        "at random": timed(f"{n:,} pages, links at random", erdos_renyi, n, LINKS, 1),
    }
    timed("bow-tie", bow_tie_parts, webs["copied links"])
    timed("exponent", power_law_exponent, webs["copied links"].in_degrees, 50)
    bench_reading()
    for name, graph in webs.items():
        bench_server(name, graph)


if __name__ == "__main__":
    main(sys.argv[1:])
