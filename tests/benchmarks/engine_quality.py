"""Quality of the engine: ``tests/benchmarks/engine_quality.py [DOCUMENTS QUERIES JUDGEMENTS ...]``.

Mean average precision on the five topics of the course, and on collections in the form of SMART where their
files are given, as MED.ALL MED.QRY MED.REL. Their texts have no links, so anchors say nothing of them and
PageRank the same of all. A relevant text that is no result counts with precision 0. Nothing is folded, since
judgements name each text.

Then the mean reciprocal rank of 30 known items on the documentation of this Python, all of it: of all
components, with each switched off, and of each alone; how many pages come first and among the first ten; and
for how many questions the page stands higher and lower than with all. PageRank alone makes no result.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))

import numpy as np
from known_items import DEFAULT, QUESTIONS, documentation, mean_reciprocal, ranked, ranks, without

from ircourse.engine import COMPONENTS, Engine, SourcePage, Weights
from ircourse.latent import average_precision, five_topics, read_smart

NONE = dict.fromkeys(COMPONENTS, 0)
MIXES = {
    "text alone": without("title", "anchors", "pagerank", "lsi"),
    "text and LSI": without("title", "anchors", "pagerank"),
    "all, by default": DEFAULT,
    "all but LSI": without("lsi"),
    "LSI alone": Weights(**NONE | {"lsi": 1}),
}


def collection_quality(name, read):
    """Print the mean average precision of a collection that ``read`` reads by its fields."""
    words, titles = read("W"), read("T").documents
    urls = [f"http://collection.example/{i:06}" for i in range(len(titles))]
    texts = zip(urls, words.documents, titles, strict=True)
    engine = Engine.build([SourcePage(url, text, title) for url, text, title in texts], threshold=2)
    judged = [(q, wanted) for q, wanted in zip(words.queries, words.relevant, strict=True) if wanted]
    print(f"\n{name}: {len(urls):,} texts, {sum(map(bool, titles)):,} with a title, {len(judged)} queries")
    place = {url: i for i, url in enumerate(urls)}
    plain = None
    for mix, weights in MIXES.items():
        results = [[place[url] for url in ranked(engine, query, weights)] for query, _ in judged]
        found = zip(results, judged, strict=True)
        precision = np.array([average_precision(result, wanted) for result, (_, wanted) in found])
        plain = precision if plain is None else plain
        change, error = spread(precision - plain)
        print(f"  {mix:16} {precision.mean():.3f}   {change:+.3f} ± {error:.3f}")


def spread(differences):
    """Return the mean of differences and its standard error."""
    return differences.mean(), differences.std(ddof=1) / np.sqrt(len(differences))


def known_items(engine):
    """Print the table of the known items, and those that do not come first."""
    kept = len(engine.collection.kept)
    print(f"\n{len(QUESTIONS)} known items in {len(engine):,} pages, {kept:,} of them kept")
    print(f"  {'':18} {'MRR':>5}  first  in ten  higher  lower     change")
    whole = np.array(ranks(engine))
    mixes = {"all": DEFAULT}
    mixes |= {f"without {component}": without(component) for component in COMPONENTS}
    mixes |= {f"{component} alone": Weights(**NONE | {component: 1}) for component in COMPONENTS}
    for mix, weights in mixes.items():
        found = np.array(ranks(engine, weights))
        change, error = spread(1 / found - 1 / whole)
        counts = (sum(found == 1), sum(found <= 10), sum(found < whole), sum(found > whole))
        numbers = "{:6} {:7} {:7} {:6}".format(*counts)
        print(f"  {mix:18} {mean_reciprocal(found):.3f} {numbers}   {change:+.3f} ± {error:.3f}")
    print("not first:")
    for (question, page), rank in zip(QUESTIONS, whole.tolist(), strict=True):
        if rank > 1:
            print(f"  {rank:4.0f}  {question} → {page}; first is {ranked(engine, question)[0]}")


def main(*paths):
    """Print all."""
    print("mean average precision; change from the text alone ± its standard error over the queries")
    collection_quality("five topics", five_topics)
    for i in range(0, len(paths), 3):
        collection_quality(
            Path(paths[i]).name, lambda fields, files=paths[i : i + 3]: read_smart(*files, fields)
        )
    with tempfile.TemporaryDirectory() as folder:
        known_items(documentation(folder))


if __name__ == "__main__":
    if len(sys.argv) % 3 != 1:
        sys.exit("give three files for each collection: documents, queries, judgements")
    main(*sys.argv[1:])
