"""Benchmark of near-duplicates: ``python tests/benchmarks/dedup.py [most texts]``.

Sketches and clusters beside datasketch and rensa where they are installed, from the same texts, all with 200
values and shingles of 4 words; then the growth with the number of texts up to 10^6, and a corpus of near
copies of one page. Prints the best of a few runs, the ratios and the processor. Nothing is asserted.

With ``cpu`` as the first argument the processor time of the process is measured in place of the time
elapsed: fairer where other programs run, but then two threads count twice.
"""

import hashlib
import platform
import random
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.dedup import MinHasher, checksum, fingerprint, karp_rabin, near_duplicates

LETTERS = "abcdefghijklmnopqrstuvwxyz"
PLACES = 200


def best_of(repeats, function, clock):
    """Return the least time of a call, in seconds, and what the last call returned."""
    least = float("inf")
    for _ in range(repeats):
        start = clock()
        result = function()
        least = min(least, clock() - start)
    return least, result


def vocabulary(rng, n=20_000):
    """Return n words of 2 to 10 letters."""
    return ["".join(rng.choices(LETTERS, k=rng.randint(2, 10))) for _ in range(n)]


def texts_with_copies(n, length, rng, words):
    """Return n texts: four of five drawn anew, the rest copies with 0, 1, 2 or 8 words changed."""
    kept, texts = [], []
    for _ in range(n):
        if kept and rng.random() < 0.2:
            text = list(rng.choice(kept))
            for _ in range(rng.choice([0, 1, 2, 8])):
                text[rng.randrange(length)] = rng.choice(words)
        else:
            text = rng.choices(words, k=length)
        if len(kept) < 1000:
            kept.append(text)
        else:
            kept[rng.randrange(1000)] = text
        texts.append(" ".join(text))
    return texts


def shingled(text, k=4):
    """Return the shingles that a user of the other libraries makes: strings of k words."""
    words = text.split()
    return [" ".join(words[i : i + k]) for i in range(max(1, len(words) - k + 1))]


def datasketch_sketches(texts):
    """Return datasketch's sketches."""
    import datasketch

    sketches = []
    for text in texts:
        sketch = datasketch.MinHash(PLACES)
        sketch.update_batch([s.encode() for s in shingled(text)])
        sketches.append(sketch)
    return sketches


def datasketch_clusters(texts):
    """Return what each text is like, by datasketch's index."""
    import datasketch

    sketches = datasketch_sketches(texts)
    index = datasketch.MinHashLSH(threshold=0.8, num_perm=PLACES)
    for i, sketch in enumerate(sketches):
        index.insert(i, sketch)
    return [index.query(sketch) for sketch in sketches]


def rensa_sketches(texts):
    """Return rensa's sketches, made one by one, which is faster from Python than its batches."""
    import rensa

    sketches = []
    for text in texts:
        sketch = rensa.RMinHash(PLACES, 42)
        sketch.update(shingled(text))
        sketches.append(sketch)
    return sketches


def rensa_clusters(texts):
    """Return which texts rensa keeps."""
    import rensa

    keeper = rensa.RMinHashDeduplicator(threshold=0.8, num_perm=PLACES, use_lsh=True)
    return keeper.add_pairs((str(i), shingled(text)) for i, text in enumerate(texts))


def beside(title, ours, others, clock):
    """Print our time, and the others' with the ratio."""
    mine, _ = best_of(7, ours, clock)
    print(f"{title}: {mine:.3f} s")
    for name, function, scale in others:
        try:
            seconds = best_of(2, function, clock)[0] * scale
        except ImportError:
            print(f"  {name:10} is not installed")
        else:
            print(f"  {name:10} {seconds:8.3f} s   {seconds / mine:6.1f} times ours")


def peak_memory():
    """Return the process's peak memory in megabytes, or NaN where the platform does not tell."""
    try:
        import resource
    except ImportError:
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def bench_growth(most, rng, words, clock):
    """Print time and memory from 10^4 texts on: the best of three runs for each size, and the first.

    A virtual machine may take seconds to get its memory the first time that it is touched (4 s for 1.6 GB
    were seen, 0.4 s the second time), so as much as the largest size needs is touched before.
    """
    np.ones(most * 300, np.uint64)
    n, least = 10_000, 0.0
    while n <= most:
        texts = texts_with_copies(n, 40, rng, words)
        before = peak_memory()
        first, _ = best_of(1, lambda texts=texts: near_duplicates(texts), clock)
        seconds, found = best_of(2, lambda texts=texts: near_duplicates(texts), clock)
        seconds = min(first, seconds)
        growth = f", {seconds / least:.1f} times the last" if least else ""
        least = seconds
        print(
            f"{n:9,} texts of 40 words  {seconds:7.3f} s (first run {first:.3f}){growth}, "
            f"peak {peak_memory():.0f} MB ({before:.0f} before), "
            f"{len(found.pairs):,} pairs, {len(found.clusters):,} clusters"
        )
        n *= 10


def bench_near_copies(rng, words, clock):
    """Print the time for near copies of one page, each with one word of 400 changed."""
    page = rng.choices(words, k=400)
    for n in (10_000, 100_000):
        texts = []
        for _ in range(n):
            changed = list(page)
            changed[rng.randrange(400)] = rng.choice(words)
            texts.append(" ".join(changed))
        seconds, found = best_of(1, lambda texts=texts: near_duplicates(texts), clock)
        print(f"{n:9,} near copies  {seconds:7.3f} s, {len(found.pairs):,} pairs, {len(found.capped)} capped")


def bench_fingerprints(rng, words, clock):
    """Print the speed of digests of whole texts, and of rolling over all windows of 64 bytes."""
    data = " ".join(rng.choices(words, k=1_000_000)).encode()
    for name, function in (
        ("checksum", checksum),
        ("fingerprint", fingerprint),
        ("MD5", lambda data: hashlib.md5(data).digest()),
        ("Karp–Rabin, all windows", lambda data: karp_rabin(data, 64)),
    ):
        seconds, _ = best_of(3, lambda function=function: function(data), clock)
        print(f"{name:24} {len(data) / 1e6 / seconds:8.0f} MB/s")


def bench_clusters(texts, clock):
    """Print the times for clusters of short texts."""
    others = [
        ("datasketch", lambda: datasketch_clusters(texts[:10_000]), 10),  # by its index, linear
        ("rensa", lambda: rensa_clusters(texts), 1),
    ]
    beside("100,000 texts of 40 words to clusters", lambda: near_duplicates(texts), others, clock)


def main(arguments):
    """Run all."""
    clock = time.process_time if arguments[:1] == ["cpu"] else time.perf_counter
    most = int(arguments[-1]) if arguments and arguments[-1].isdigit() else 10**6
    print(platform.processor() or platform.machine(), "Python", platform.python_version())
    rng = random.Random(0)
    words = vocabulary(rng)
    hasher = MinHasher(PLACES)
    texts = texts_with_copies(2000, 400, rng, words)
    others = [
        ("datasketch", lambda: datasketch_sketches(texts[:500]), 4),
        ("rensa", lambda: rensa_sketches(texts), 1),
    ]
    beside("2,000 texts of 400 words to sketches", lambda: hasher.sketch_texts(texts), others, clock)
    bench_clusters(texts_with_copies(100_000, 40, rng, words), clock)
    bench_growth(most, rng, words, clock)
    bench_near_copies(rng, words, clock)
    bench_fingerprints(rng, words, clock)


if __name__ == "__main__":
    main(sys.argv[1:])
