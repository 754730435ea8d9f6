"""Mean average precision over a collection: ``tests/benchmarks/smart.py [DOCUMENTS QUERIES JUDGEMENTS]``.

Prints the plain cosine, and over k LSI beside random projection, by tf·idf with and without unit length. The
files are your own, as MED.ALL, MED.QRY, MED.REL; without them the five topics of the course are read.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.latent import (
    TermDocument,
    cosines,
    five_topics,
    lsi,
    mean_average_precision,
    random_projection,
    read_smart,
)

SIZES = (5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300)
SEEDS = 3


def main(*paths):
    """Print the curves."""
    collection = read_smart(*paths) if paths else five_topics()
    print(f"{len(collection.documents):,} documents, {len(collection.queries)} queries")
    for unit_length in (False, True):
        td = TermDocument.from_texts(collection.documents, unit_length=unit_length)
        A, queries = td.matrix, td.vectors(collection.queries)

        def mean(scores):
            return mean_average_precision(scores, collection.relevant)

        plain = mean(cosines(A, queries))
        model = lsi(A, max(SIZES))
        print(f"tf·idf, {'unit length' if unit_length else 'as it is'}; plain cosine {plain:.3f}")
        best = 0.0
        for k in [k for k in SIZES if k < len(collection.documents)]:
            reduced = mean(model.truncate(k).cosines(queries))
            maps = [random_projection(len(td.terms), k, "sparse", rng=seed) for seed in range(SEEDS)]
            by_chance = np.mean([mean(cosines(R @ A, R @ queries)) for R in maps])
            print(f"  k = {k:3}: LSI {reduced:.3f} ({reduced / plain - 1:+.0%}), projection {by_chance:.3f}")
            best = max(best, reduced)
        print(f"  LSI at its best: {best / plain - 1:+.1%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
