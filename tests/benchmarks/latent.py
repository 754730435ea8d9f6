"""Benchmark of LSI and random projection: ``python tests/benchmarks/latent.py [documents] [k]``.

Runs ours beside scikit-learn and gensim, where they are installed, on the same matrix in the same run: texts
of 200 words over 150 planted topics, weighed by tf·idf at unit length. Prints the least wall time of a few
runs, the ratio, and each method's error: the largest difference of a singular value from the exact one, in
parts of the largest. Then the cost of a query before and after the reduction, over n. Nothing is asserted.
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


def bench_lsi(matrix, k, repeats=3):
    """Print the times of the decomposition."""
    ours, exact = best_of(repeats, lambda: svd(matrix, k))
    print(f"LSI, k = {k}: ours {ours:.2f} s")

    def row(name, seconds, s):
        error = np.abs(np.sort(s)[::-1] - exact.s).max() / exact.s[0]
        print(f"  {name:34} {seconds:7.2f} s  {seconds / ours:6.2f}×  error {error:.1e}")

    row("ours, block Lanczos", *(lambda t, r: (t, r.s))(*best_of(1, lambda: svd_lanczos(matrix, k))))
    row("ours, randomised", *(lambda t, r: (t, r.s))(*best_of(1, lambda: svd_randomized(matrix, k))))
    try:
        from sklearn.decomposition import TruncatedSVD
    except ImportError:
        print("  scikit-learn is not installed")
    else:
        rows = matrix.T.tocsr()
        for algorithm in ("arpack", "randomized"):
            job = TruncatedSVD(k, algorithm=algorithm, random_state=0)
            seconds, done = best_of(repeats, lambda job=job: job.fit(rows))
            row(f"scikit-learn, {algorithm}", seconds, done.singular_values_)
    try:
        from gensim.matutils import Sparse2Corpus
        from gensim.models import LsiModel
    except ImportError:
        print("  gensim is not installed")
    else:
        seconds, done = best_of(1, lambda: LsiModel(Sparse2Corpus(matrix), num_topics=k))
        row("gensim", seconds, done.projection.s)


def bench_projection(matrix, k=500, repeats=3):
    """Print the times of making a sparse projection and applying it, with a third of its entries not 0."""
    ours, _ = best_of(repeats, lambda: random_projection(matrix.shape[0], k, "sparse") @ matrix)
    print(f"sparse random projection to {k}: ours {ours:.2f} s")
    try:
        from sklearn.random_projection import SparseRandomProjection
    except ImportError:
        print("  scikit-learn is not installed")
        return
    rows = matrix.T.tocsr()
    for dense in (False, True):
        job = SparseRandomProjection(k, density=1 / 3, random_state=0, dense_output=dense)
        seconds, _ = best_of(repeats, lambda job=job: job.fit(rows).transform(rows))
        print(f"  scikit-learn, dense output {dense!s:5}    {seconds:7.2f} s  {seconds / ours:6.2f}×")


def bench_query(matrix, k):
    """Print what one query costs over n: all documents in full, by the sparse matrix, and reduced."""
    print(f"one query against n documents, milliseconds (k = {k})")
    print(f"  {'n':>7} {'dense':>9} {'sparse':>9} {'reduced':>9}")
    query = np.asarray(matrix[:, [0]].todense())[:, 0]
    for n in (500, 1_000, 2_000, 4_000):
        part = matrix[:, :n]
        full, model = np.ascontiguousarray(part.toarray().T), lsi(part, k)
        reduced = np.ascontiguousarray(model.documents.T)
        times = [
            best_of(5, lambda full=full: full @ query)[0],
            best_of(5, lambda part=part: part.T @ query)[0],
            best_of(5, lambda model=model, reduced=reduced: reduced @ (model.P.T @ query))[0],
        ]
        print(f"  {n:7} " + " ".join(f"{1e3 * seconds:9.3f}" for seconds in times))


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
