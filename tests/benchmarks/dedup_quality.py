"""How well near-duplicates are found: ``python tests/benchmarks/dedup_quality.py``.

Prints the estimator's mean error and its standard error beside √(J(1−J)/200), over 10,000 pairs of sets;
then precision and recall at 0.8 against the exact J of all pairs, of the licence files of this environment
and of a generated corpus with 1, 5 and 20% of the words changed, outside the margin |J − 0.8| ≤ 0.08.
The same is asserted in tests/dedup and tests/claims.
"""

import random
import sys
from importlib.metadata import distributions
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.dedup import MinHasher, jaccard, near_duplicates, shingle_ids, similarity


def estimator(rng, pairs=10_000, size=400):
    """Print the errors of estimates from sketches of 200 values."""
    hasher, errors, ratios = MinHasher(200), [], []
    for j in np.linspace(0.025, 0.975, 20):
        both = round(size * j)
        error = []
        for _ in range(pairs // 20):
            ids = rng.integers(0, 2**63, size, dtype=np.uint64)
            cut = both + (size - both) // 2
            a, b = ids[:cut], np.concatenate([ids[:both], ids[cut:]])
            error.append(similarity(hasher.sketch(a), hasher.sketch(b)) - both / size)
        errors += error
        ratios.append(np.sqrt(np.mean(np.square(error)) / (both / size * (1 - both / size) / 200)))
    print(f"estimator, {len(errors):,} pairs: mean error {np.mean(errors):+.5f}")
    print(
        f"  standard error over √(J(1−J)/200): {np.mean(ratios):.3f} on average, "
        f"{min(ratios):.3f} to {max(ratios):.3f} by J"
    )


def licences(most=250):
    """Return the licence files of the installed packages."""
    texts = []
    for package in sorted(distributions(), key=lambda d: str(d.metadata["Name"]).lower()):
        for file in package.files or ():
            if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE")):
                path = Path(str(file.locate()))
                if path.is_file() and path.suffix not in (".py", ".pyc"):
                    texts.append(path.read_text(encoding="utf-8", errors="replace"))
    return texts[:most]


def planted(rng, originals=60, words=200):
    """Return texts, each with nine copies: three each with 1, 5 and 20% of the words changed."""
    texts = []
    for _ in range(originals):
        text = [f"w{rng.randrange(20_000)}" for _ in range(words)]
        texts.append(" ".join(text))
        for share in (0.01, 0.05, 0.2) * 3:
            copy = list(text)
            for place in rng.sample(range(words), round(words * share)):
                copy[place] = f"w{rng.randrange(20_000)}"
            texts.append(" ".join(copy))
    return texts


def against_brute_force(title, texts):
    """Print precision and recall outside the margin, by estimates and with verification."""
    for verify in (False, True):
        found = near_duplicates(texts, verify=verify)
        rest = [i for i in range(len(texts)) if i not in found.copies]
        ids = {i: shingle_ids(texts[i]) for i in rest}
        exact = {pair: jaccard(ids[pair[0]], ids[pair[1]]) for pair in combinations(rest, 2)}
        margin = {pair for pair, j in exact.items() if abs(j - 0.8) <= 0.08}
        true = {pair for pair, j in exact.items() if j >= 0.8} - margin
        pairs = {(i, j) for i, j, _ in found.pairs} - margin
        print(
            f"{title}, {'verified' if verify else 'estimated'}: {len(texts)} texts, {len(true)} pairs; "
            f"precision {len(true & pairs) / max(len(pairs), 1):.4f}, "
            f"recall {len(true & pairs) / max(len(true), 1):.4f}"
        )


if __name__ == "__main__":
    estimator(np.random.default_rng(0))
    against_brute_force("licence files", licences())
    against_brute_force("planted copies", planted(random.Random(0)))
