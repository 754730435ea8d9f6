"""Benchmark of link analysis: ``python tests/benchmarks/links.py [pages]``.

Two generated webs of 10^6 pages and about 9·10^6 links: one that mixes fast (copied links) and one that mixes
slowly (communities of hosts). Each method is run to a true L1 error of 1e-9 at most, the true vector being
known to 1e-12: the others with the loosest tolerance, or the fewest steps, that reach it; ours is only told
to. Prints the least times of a few runs, elapsed and of the processors, with their ratios to ours, and the
error. Then HITS the same way, growth from 10^5 to 10^7 links, and peak memory. Nothing is asserted.

The runs take turns, so that other programs on the machine slow all alike.
"""

import os
import sys
import time
import tracemalloc
import warnings
from pathlib import Path

os.environ.pop("OPENBLAS_CORETYPE", None)  # before NumPy is loaded
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from scipy import sparse

from ircourse.commands.bench import processor
from ircourse.graphs import as_graph, copying_graph, host_graph
from ircourse.links import hits, pagerank

ERROR = 1e-9
D = 0.85


def webs(pages):
    """Yield the two webs with their names."""
    yield "fast-mixing web", copying_graph(pages, 9.0, 1)
    yield "slow-mixing web", host_graph(max(1, pages // 100), pages, 1, links=9.0)


def race(title, methods, truth, rounds=3):
    """Print the least times of each method, elapsed and of the processors, taking turns; ours is first."""
    best, errors = {}, {}
    for _ in range(rounds):
        for name, method in methods.items():
            start, start_busy = time.perf_counter(), time.process_time()
            try:
                scores = method()
            except ImportError:
                continue
            times = time.perf_counter() - start, time.process_time() - start_busy
            best[name] = np.minimum(best.get(name, np.inf), times)
            errors[name] = np.abs(np.asarray(scores) / np.sum(scores) - truth).sum()
    ours = best[next(iter(methods))]
    print(title)
    for name in methods:
        if name not in best:
            print(f"  {name:44} is not installed")
            continue
        (elapsed, busy), (ratio, busy_ratio) = best[name], best[name] / ours
        print(
            f"  {name:44} {elapsed:7.3f} s {ratio:6.2f}×   processors {busy:7.3f} s {busy_ratio:6.2f}×   "
            f"error {errors[name]:.0e}",
            flush=True,
        )


def power_loop(matrix, truth):
    """Return how many steps of a bare power loop reach the error, and the loop, its matrix made ready."""
    n = matrix.shape[0]
    degrees = np.diff(matrix.indptr)
    dangling = np.flatnonzero(degrees == 0)
    transposed = (sparse.diags_array(1 / np.maximum(degrees, 1)) @ matrix).T.tocsr()

    def step(x):
        return D * (transposed @ x + x[dangling].sum() / n) + (1 - D) / n

    def run():
        x = np.full(n, 1 / n)
        for _ in range(needed):
            x = step(x)
        return x

    needed, x = 0, np.full(n, 1 / n)
    while np.abs(x - truth).sum() > ERROR:
        needed, x = needed + 1, step(x)
    return needed, run


def scikit_network(matrix, truth):
    """Return scikit-network's RH solver with the fewest steps, in tens, that reach the error."""
    from sknetwork.ranking import PageRank

    def run(steps):
        return PageRank(solver="RH", damping_factor=D, n_iter=steps, tol=1e-15).fit_predict(matrix)

    steps = 40
    while np.abs(run(steps) - truth).sum() > ERROR and steps < 200:
        steps += 10
    return lambda: run(steps)


def fast_pagerank(matrix, truth):
    """Return fast-pagerank with the loosest power of ten as its tolerance that reaches the error."""
    from fast_pagerank import pagerank_power

    tol = 1e-9
    while np.abs(pagerank_power(matrix, p=D, tol=tol, max_iter=1000) - truth).sum() > ERROR and tol > 1e-14:
        tol /= 10
    return lambda: pagerank_power(matrix, p=D, tol=tol, max_iter=1000)


def igraph_of(matrix):
    """Return the matrix as igraph's graph."""
    import igraph

    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return igraph.Graph(n=matrix.shape[0], edges=np.stack([sources, matrix.indices], 1), directed=True)


def others(makers):
    """Return those of the methods whose library is installed, and for the rest one that raises."""
    made = {}
    for name, make in makers.items():
        try:
            made[name] = make()
        except ImportError as error:
            made[name] = lambda error=error: (_ for _ in ()).throw(error)
    return made


def bench_pagerank(name, graph):
    """Print PageRank, alone and from a SciPy matrix."""
    truth = pagerank(graph, tol=1e-12).scores
    matrix = sparse.csr_matrix(graph.to_scipy())
    matrix.sort_indices()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    steps, loop = power_loop(matrix, truth)
    methods = {"ours, from the graph": lambda: pagerank(graph, tol=ERROR).scores}
    methods[f"SciPy, {steps} steps of a bare power loop alone"] = loop
    methods |= others({"igraph, its solver alone": lambda: igraph_of(matrix).pagerank})
    race(f"PageRank, {name}, {graph!r}", methods, truth)
    methods = {"ours, from the matrix": lambda: pagerank(as_graph(matrix), tol=ERROR).scores}
    methods |= others(
        {
            "scikit-network, RH": lambda: scikit_network(matrix, truth),
            "fast-pagerank": lambda: fast_pagerank(matrix, truth),
            "igraph, conversion included": lambda: lambda: igraph_of(matrix).pagerank(damping=D),
        }
    )
    race(f"PageRank, {name}, conversion included", methods, truth, rounds=2)


def bench_hits(name, graph):
    """Print HITS: authority scores, hubs computed too."""
    from scipy.sparse.linalg import svds

    truth = hits(graph, tol=1e-12).authorities
    matrix = sparse.csr_matrix(graph.to_scipy())
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)

    def by_scikit_network():
        from sknetwork.ranking import HITS

        return lambda: HITS().fit(matrix).scores_col_

    def by_igraph():
        other = igraph_of(matrix)
        warnings.filterwarnings("ignore", "More than 30% of hub or authority scores are zeros")
        return lambda: (other.hub_score(), other.authority_score())[1]

    methods = {
        "ours": lambda: hits(graph, tol=ERROR).authorities,
        "SciPy, svds with k = 1": lambda: np.abs(svds(matrix, k=1, tol=1e-10)[2][0]),
    }
    methods |= others({"scikit-network": by_scikit_network, "igraph, its solver alone": by_igraph})
    race(f"HITS, {name}", methods, truth, rounds=2)


def bench_growth():
    """Print the times from 10^5 to 10^7 links."""
    print("growth, fast-mixing web, to an error of 1e-9")
    for pages in (11_000, 110_000, 1_100_000):
        graph = copying_graph(pages, 9.0, 1)
        times = []
        for run in (pagerank, hits):
            seconds = []
            for _ in range(3):
                start = time.perf_counter()
                run(graph, tol=ERROR)
                seconds.append(time.perf_counter() - start)
            times.append(min(seconds))
        print(f"  {graph.n_edges:10,} links: PageRank {times[0]:.3f} s, HITS {times[1]:.3f} s", flush=True)


def bench_memory(pages):
    """Print the peak memory of both beyond the graph; what compiled loops take, 8 bytes a page, is not in."""
    graph = copying_graph(pages, 9.0, 1)
    print(f"peak memory beyond the input, {graph!r}")
    for run in (pagerank, hits):
        tracemalloc.start()
        run(graph, tol=ERROR)
        print(f"  {run.__name__:10} {tracemalloc.get_traced_memory()[1] / 1e6:6.0f} MB", flush=True)
        tracemalloc.stop()


def main(pages=10**6):
    """Run all."""
    print(processor())
    small = copying_graph(10_000, 9.0, 1)
    pagerank(small), hits(small)  # compiled now
    for name, graph in webs(pages):
        bench_pagerank(name, graph)
        bench_hits(name, graph)
    bench_growth()
    bench_memory(pages)


if __name__ == "__main__":
    main(*[int(argument) for argument in sys.argv[1:]])
