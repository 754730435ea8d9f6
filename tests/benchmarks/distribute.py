"""Benchmark of the Dask jobs: ``python tests/benchmarks/distribute.py [texts]``.

Each job beside the plain local function on the same input, on clusters of one and of two worker processes:
time, that of a first call aside, and the most memory of a worker, beyond the input for the local function.
Then a crawl of a web that this machine serves, the growth with the data, and texts of a file several times as
large as the limit of the workers' memory.
The time to start and to close a cluster is told apart. Nothing is asserted.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from ircourse import dedup, distribute, latent, links
from ircourse.commands.bench import processor
from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.filters import UrlFilter
from ircourse.graphs import copying_graph
from ircourse.web import serve, tiny_web

WORDS = 20_000
START = "http://www.saltmere.example/"
ENDLESS = ("tramway", "webcam", "buoy", "calendar", "library")  # hosts that fail or do not end


def peak():
    """Return the most memory that this process has had, in megabytes, or NaN where that is not told."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return float("nan")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1e3


def timed(function):
    """Return the seconds of a call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def texts_of(n, length, rng):
    """Return n texts, every fifth a copy of the one before with a word changed."""
    drawn = rng.integers(0, WORDS, (n, length))
    drawn[4::5] = drawn[3::5][: len(drawn[4::5])]
    drawn[4::5, 0] += 1
    return [" ".join([f"w{x}" for x in row]) for row in drawn.tolist()]


def jobs_for(n, rng):
    """Yield a name, the local function, and the one on a client, for n texts and what is in proportion."""
    texts = texts_of(n, 40, rng)
    graph = copying_graph(5 * n, 9.0, 1)
    matrix = latent.TermDocument.from_texts(texts[: n // 4]).matrix
    yield (
        f"near-duplicates, {n:,} texts",
        lambda: dedup.near_duplicates(texts),
        lambda client: distribute.near_duplicates(client, texts),
    )
    yield (
        f"PageRank to 1e-6, {graph.n_edges:,} links",
        lambda: links.pagerank(graph, tol=1e-6),
        lambda client: distribute.pagerank(client, graph, tol=1e-6),
    )
    yield (
        f"HITS to 1e-6, {graph.n_edges:,} links",
        lambda: links.hits(graph, tol=1e-6),
        lambda client: distribute.hits(client, graph, tol=1e-6),
    )
    yield (
        f"sketches, {n:,} texts",
        lambda: dedup.MinHasher().sketch_texts(texts),
        lambda client: distribute.sketch_texts(client, texts),
    )
    yield (
        f"LSI with 20 concepts, {matrix.shape[1]:,} documents",
        lambda: latent.lsi(matrix, 20),
        lambda client: distribute.lsi(client, matrix, 20),
    )
    yield (
        f"projection to 100, {matrix.shape[1]:,} documents",
        lambda: latent.random_projection(matrix.shape[0], 100, "sparse") @ matrix,
        lambda client: distribute.random_projection(client, matrix, 100, "sparse"),
    )


def bench_jobs(n, rng):
    """Print time and memory of each job, here and on one and two workers."""
    small = list(jobs_for(1000, rng))
    jobs = list(jobs_for(n, rng))
    for (_, first, _), (name, local, _) in zip(small, jobs, strict=True):
        first()
        before = peak()
        print(f"{name:44} here       {timed(local):7.2f} s, {peak() - before:5.0f} MB more", flush=True)
    for workers in (1, 2):
        start = time.perf_counter()
        with distribute.local_cluster(workers) as client:
            name_of = "1 worker" if workers == 1 else f"{workers} workers"
            print(f"{name_of} started in {time.perf_counter() - start:.2f} s")
            for (_, _, first), (name, _, job) in zip(small, jobs, strict=True):
                first(client)
                seconds = timed(lambda job=job, client=client: job(client))
                most = max(client.run(peak).values())
                print(f"{name:44} {name_of:10} {seconds:7.2f} s, {most:5.0f} MB a worker so far", flush=True)
            start = time.perf_counter()
        print(f"{name_of} closed in {time.perf_counter() - start:.2f} s")


def bench_crawl():
    """Print time and memory of a crawl of the tiny web by one crawler, and on one and two workers."""
    web = tiny_web()
    hosts = [host for host in web.hosts if host.partition(".")[0] not in ENDLESS]
    how = {"delay": 0, "threads": 3, "urls": UrlFilter(hosts), "allow_private": True}
    with serve(web) as server:
        one = Crawler([START], resolve=server.resolve, **how)
        before = peak()
        seconds = timed(one.run)
        print(
            f"crawl, {len(one.store):,} answers {'':28} here {seconds:7.2f} s, {peak() - before:5.0f} MB more"
        )
        how["resolve"] = distribute.served_at(server)
        for workers in (1, 2):
            with distribute.local_cluster(workers) as client, tempfile.TemporaryDirectory() as folder:
                seconds = timed(
                    lambda client=client, folder=folder: distribute.crawl(
                        client, [START], store=folder, **how
                    )
                )
                most = max(client.run(peak).values())
                print(f"crawl, on {workers:<40} {seconds:7.2f} s, {most:5.0f} MB a worker", flush=True)


def bench_growth(most, rng):
    """Print time and memory on two workers as the data grows tenfold."""
    with distribute.local_cluster(2) as client:
        for n in (most // 100, most // 10, most):
            for name, _, job in jobs_for(n, rng):
                seconds = timed(lambda job=job: job(client))
                most = max(client.run(peak).values())
                print(f"growth: {name:44} {seconds:7.2f} s, {most:5.0f} MB a worker so far", flush=True)


def bench_larger_than_memory(rng, limit=350_000_000):
    """Print the time for sketches of a file of three times the limit of a worker."""
    block = ("\n".join(texts_of(5_000, 200, rng)) + "\n").encode()
    with tempfile.TemporaryDirectory() as folder, distribute.local_cluster(2, limit) as client:
        path = Path(folder, "large.txt")
        with path.open("wb") as stream:
            while stream.tell() < 3 * limit:
                stream.write(block)
        parts = distribute.line_parts(path)
        seconds = timed(lambda: distribute.sketch_texts(client, parts, permutations=16))
        size, used = path.stat().st_size / 1e6, max(client.run(peak).values())
        print(
            f"{size:.0f} MB in {len(parts)} parts, 2 workers of {limit / 1e6:.0f} MB: {seconds:.1f} s, ",
            end="",
        )
        print(f"{size / seconds:.0f} MB/s, {used:.0f} MB a worker")


def main(n=50_000):
    """Run all."""
    print(processor())
    rng = np.random.default_rng(0)
    bench_jobs(n, rng)
    bench_crawl()
    bench_growth(n, rng)
    bench_larger_than_memory(rng)


if __name__ == "__main__":
    main(*[int(argument) for argument in sys.argv[1:]])
