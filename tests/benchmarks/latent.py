"""Benchmark of LSI and random projection: ``python tests/benchmarks/latent.py [documents] [k]``.

Runs ours beside scikit-learn and gensim, where they are installed, on the same matrix in the same run: texts
of 200 words over 150 planted topics, weighed by tf·idf at unit length. Rivals take turns, and each row has
the least wall time of a few rounds, so that another load on the machine meets all of them. Prints the ratio
to ours and each method's error: the largest difference of a singular value from the exact one, in parts of
the largest. Then the cost of a query before and after the reduction, over n, with its slope. Nothing is
asserted.
"""

import platform
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.latent import TermDocument, cosines, lsi, random_projection, svd, svd_lanczos, svd_randomized

WORDS = 30_000
TOPICS = 150


def best_of(repeats, function):
    """Return the least wall time of a call, in seconds, and what the last call returned."""
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        least = min(least, time.perf_counter() - start)
    return least, result


def texts(n, length=200, seed=1):
    """Return n texts, each half of general words and half of words of one to three topics."""
    rng = np.random.default_rng(seed)
    zipf = 1 / np.arange(1, WORDS + 1)
    ranks = rng.choice(WORDS, size=(n, length), p=zipf / zipf.sum())
    orders = np.array([rng.permutation(WORDS) for _ in range(TOPICS)])
    topics = rng.integers(0, TOPICS, (n, 3))
    topic = topics[np.arange(n)[:, np.newaxis], rng.integers(0, 3, (n, length))]
    words = np.where(rng.random((n, length)) < 0.5, orders[topic, ranks], ranks)
    return [" ".join([f"w{i}" for i in row]) for row in words.tolist()]


def processor():
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def in_turns(rounds, jobs):
    """Return the least wall time of each job and its last result: every round runs each job once."""
    least, results = dict.fromkeys(jobs, float("inf")), {}
    for _ in range(rounds):
        for name, job in jobs.items():
            seconds, results[name] = best_of(1, job)
            least[name] = min(least[name], seconds)
    return least, results


def rivals_of_lsi(matrix, k):
    """Return the other libraries' decompositions by name: functions that return the singular values."""
    jobs = {}
    try:
        from sklearn.decomposition import TruncatedSVD
    except ImportError:
        print("  scikit-learn is not installed")
    else:
        rows = matrix.T.tocsr()
        for algorithm in ("arpack", "randomized"):
            job = TruncatedSVD(k, algorithm=algorithm, random_state=0)
            jobs[f"scikit-learn, {algorithm}"] = lambda job=job: job.fit(rows).singular_values_
    try:
        from gensim.matutils import Sparse2Corpus
        from gensim.models import LsiModel
    except ImportError:
        print("  gensim is not installed")
    else:
        jobs["gensim"] = lambda: LsiModel(Sparse2Corpus(matrix), num_topics=k).projection.s
    return jobs


def bench_lsi(matrix, k, rounds=3):
    """Print the times of the decomposition."""
    jobs = {"ours": lambda: svd(matrix, k).s, **rivals_of_lsi(matrix, k)}
    jobs["ours, block Lanczos"] = lambda: svd_lanczos(matrix, k).s
    jobs["ours, randomised"] = lambda: svd_randomized(matrix, k).s
    least, values = in_turns(rounds, jobs)
    exact = values["ours"]
    print(f"LSI, k = {k}, the least of {rounds} rounds")
    for name, seconds in least.items():
        error = np.abs(np.sort(values[name])[::-1][: len(exact)] - exact).max() / exact[0]
        print(f"  {name:34} {seconds:7.2f} s  {seconds / least['ours']:6.2f}×  error {error:.1e}")


def bench_projection(matrix, k=500, rounds=6):
    """Print the times of making a sparse projection and applying it, with a third of its entries not 0."""
    jobs = {"ours": lambda: random_projection(matrix.shape[0], k, "sparse") @ matrix}
    try:
        from sklearn.random_projection import SparseRandomProjection
    except ImportError:
        print("  scikit-learn is not installed")
    else:
        rows = matrix.T.tocsr()
        for dense in (False, True):
            job = SparseRandomProjection(k, density=1 / 3, random_state=0, dense_output=dense)
            name = f"scikit-learn, dense output {dense}"
            jobs[name] = lambda job=job: job.fit(rows).transform(rows)
    least, _ = in_turns(rounds, jobs)
    print(f"sparse random projection to {k}")
    for name, seconds in least.items():
        print(f"  {name:34} {seconds:7.2f} s  {seconds / least['ours']:6.2f}×")


def bench_query(matrix, k, sizes=(500, 1_000, 2_000, 4_000)):
    """Print what one query costs over n, and by how much a further document raises it (claim C76).

    In full: the array of all terms. Index: the lists of the query's three words. Reduced: P_kᵗ q, its zeros
    skipped, and k multiplications a document.
    """
    ways, counts, times = ("full array", "index", "reduced"), [], []
    frequent = np.argsort(-np.diff(matrix.tocsr().indptr), kind="stable")
    chosen = np.sort(frequent[[200, 500, 1_000]])  # three words neither rare nor everywhere
    m = matrix.shape[0]
    print(f"one query of three words against n documents (k = {k}): multiplications, microseconds")
    print(f"  {'n':>6} " + " ".join(f"{way:>24}" for way in ways))
    sizes = [n for n in sizes if n <= matrix.shape[1]]
    model = lsi(matrix[:, : sizes[-1]], k)
    few = model.P[chosen]
    for n in sizes:
        part = matrix[:, :n]
        full, lists = np.ascontiguousarray(part.toarray().T), part.tocsr()[chosen]
        query = np.zeros(m)
        query[chosen] = 1.0
        reduced = np.ascontiguousarray(model.documents[:, :n].T)
        jobs = [
            lambda full=full, query=query: full @ query,
            lambda lists=lists: np.ones(3) @ lists,
            lambda reduced=reduced: reduced @ (np.ones(3) @ few),
        ]
        counts.append((m * n, lists.nnz, k * (3 + n)))
        times.append([1e6 * best_of(20, job)[0] for job in jobs])
        row = zip(counts[-1], times[-1], strict=True)
        print(f"  {n:6} " + " ".join(f"{count:>14,} {micro:9.0f}" for count, micro in row))
    slopes = zip(np.polyfit(sizes, counts, 1)[0], np.polyfit(sizes, times, 1)[0], strict=True)
    print("   slope " + " ".join(f"{count:>14,.2f} {micro:9.4f}" for count, micro in slopes))


def main(n=20_000, k=100):
    """Run all of it."""
    print(processor())
    words = texts(n)
    TermDocument.from_texts(words[:10])  # compiled now
    seconds, td = best_of(1, lambda: TermDocument.from_texts(words, unit_length=True))
    print(f"{n} texts of 200 words to {td!r}: {seconds:.2f} s")
    cosines(td.matrix[:, :10], td.matrix[:, [0]])
    random_projection(td.matrix.shape[0], 4, "sparse") @ td.matrix[:, :10]
    bench_lsi(td.matrix, k)
    bench_projection(td.matrix)
    bench_query(td.matrix, k)


if __name__ == "__main__":
    main(*[int(argument) for argument in sys.argv[1:]])
