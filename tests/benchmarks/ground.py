"""Benchmark of tokenising and of the inverted index: ``python tests/benchmarks/ground.py [documents]``.

Prints megabytes of UTF-8 a second on one core, the time to build an index of documents of 200 words, the
process's peak memory, and the time of queries, rare and common. Nothing is asserted.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.index import InvertedIndex
from ircourse.text import term_hashes, term_ids, tokenize

LETTERS = {
    "English": "etaoinshrdlucmfwypvbgkjqxz",
    "French": "esaitnrulodcmpéèàêçùvqfbghjxyz",
    "Russian": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "Hindi": "कखगचजटडतदनपबमयरलवसहािीुूेैोौं्",
}


def best_of(repeats, function):
    """Return the least processor time of a call, in seconds, and what the last call returned."""
    least = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        least = min(least, time.process_time() - start)
    return least, result


def vocabulary(letters, n, rng):
    """Return n different words of 2 to 11 letters."""
    drawn = rng.choice(list(letters), size=(3 * n, 11))
    sizes = rng.integers(2, 12, size=3 * n)
    return list(dict.fromkeys("".join(row[:k]) for row, k in zip(drawn, sizes, strict=True)))[:n]


def texts_of(words, n_docs, n_words, rng):
    """Return texts whose words follow Zipf's law."""
    weights = 1 / np.arange(1, len(words) + 1)
    drawn = rng.choice(len(words), size=(n_docs, n_words), p=weights / weights.sum())
    return [" ".join([words[i] for i in row]) for row in drawn.tolist()]


def peak_memory():
    """Return the process's peak memory in megabytes, or NaN where the platform does not tell."""
    try:
        import resource
    except ImportError:
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def bench_text(rng):
    """Print the speed of the tokenisers by script."""
    for name, letters in LETTERS.items():
        texts = texts_of(vocabulary(letters, 5_000, rng), 5_000, 400, rng)
        size = sum(len(t.encode()) for t in texts) / 1e6
        term_ids(texts[:1]), term_hashes(texts[:1])
        for function in (term_hashes, term_ids, lambda ts: [tokenize(t) for t in ts]):
            label = "tokenize" if function.__name__ == "<lambda>" else function.__name__
            seconds, _ = best_of(5, lambda function=function, texts=texts: function(texts))
            print(f"{name:8} {label:12} {size / seconds:7.0f} MB/s")


def bench_index(n_docs, rng):
    """Print build and query times."""
    words = vocabulary(LETTERS["English"], 200_000, rng)
    texts = texts_of(words, n_docs, 200, rng)
    before = peak_memory()
    seconds, index = best_of(1, lambda: InvertedIndex(texts))
    print(
        f"build    {n_docs:,} documents  {seconds:.2f} s, peak {peak_memory():.0f} MB ({before:.0f} before)"
    )
    queries = {
        "two common": words[:2],
        "three common": words[:3],
        "common and rare": [words[0], words[20_000]],
        "three middling": words[50:53],
        "phrase": [f"{words[0]} {words[1]}"],
    }
    for name, query in queries.items():
        frequencies = [len(index.postings(term)[0]) for term in query]
        for mode in ("and", "or"):
            seconds, hits = best_of(9, lambda query=query, mode=mode: index.search(query, mode=mode))
            print(f"{name:16} {mode:3} {seconds * 1e3:7.2f} ms  df {frequencies}, {len(hits)} hits shown")
    seconds, _ = best_of(5, lambda: index.add(texts[0]))
    print(f"add a document   {seconds * 1e3:.2f} ms")


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    bench_index(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, generator)
    bench_text(generator)
