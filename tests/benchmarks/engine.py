"""Speed and size of the engine: ``python tests/benchmarks/engine.py [pages]``.

Pages (10,000 unless given) of 400 words on average from a Zipf-like vocabulary of 100,000, with a title, a
dozen links and a shared menu a host, a tenth of them near-copies. Prints what building takes by stage, the
memory of the process at its highest, the time of queries with their snippets, of new weights, spelling,
related pages, HITS, an update of one page, saving and loading; beside it the processor time, which a busy
machine does not lengthen. Nothing is asserted.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from ircourse.engine import Engine, SourcePage, Weights
from ircourse.types import Link

WORDS, LENGTH, HOST = 100_000, 400, 50


def vocabulary(rng):
    """Return words of three to nine letters, the frequent ones short."""
    letters = "etaoinshrdlucmwfgypbvk"
    size = np.clip(np.log10(np.arange(1, WORDS + 1)) + rng.integers(2, 6, WORDS), 3, 9).astype(int)
    drawn = rng.integers(0, len(letters), (WORDS, 9))
    return [
        "".join(letters[j] for j in row[:n]) for row, n in zip(drawn.tolist(), size.tolist(), strict=True)
    ]


def pages(n, rng):
    """Yield pages; each host keeps to a topic of its own for a third of its words."""
    words = np.array(vocabulary(rng), dtype=object)
    chance = 1 / (np.arange(WORDS) + 10.0)
    cumulated = np.cumsum(chance / chance.sum())
    sizes = rng.integers(LENGTH // 4, LENGTH * 7 // 4, n)
    text = ""
    for i in range(n):
        host = i // HOST
        if i % 10 or not text:
            ids = np.searchsorted(cumulated, rng.random(sizes[i]))
            topic = rng.random(sizes[i]) < 1 / 3
            ids[topic] = 2_000 + (host * 97 + rng.integers(0, 150, int(topic.sum()))) % (WORDS - 2_000)
            chosen = words[ids % WORDS]
            text = "\n".join(" ".join(chosen[j : j + 25]) for j in range(0, len(chosen), 25))
        else:
            text += " again"
        targets = np.minimum(rng.pareto(0.8, 12) * 3, n - 1).astype(int)
        targets[:6] = host * HOST + rng.integers(0, HOST, 6)
        links = tuple(
            Link(address(j), " ".join(words[[j % WORDS, (7 * j) % WORDS]])) for j in targets.tolist()
        )
        menu = f"{words[host]} {words[host + 1]} | Home | About"
        yield SourcePage(address(i), f"{menu}\n{text}", " ".join(text.split()[:5]), links)


def address(i):
    """Return the address of a page."""
    return f"http://site{i // HOST}.example/page{i % HOST}.html"


def peak():
    """Return the highest memory of this process, in megabytes, where the system tells."""
    try:
        import resource
    except ImportError:
        return float("nan")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


def timed(name, call, repeats=1):
    """Print the least time of a call in milliseconds, and return its result."""
    least = spent = float("inf")
    for _ in range(repeats):
        began, cpu = time.perf_counter(), time.process_time()
        result = call()
        least = min(least, time.perf_counter() - began)
        spent = min(spent, time.process_time() - cpu)
    print(f"{name:34} {1e3 * least:10.2f} ms; processor: {1e3 * spent:.2f}", flush=True)
    return result


def build(n):
    """Build an engine, printing the stages."""
    made = list(pages(n, np.random.default_rng(1)))
    print(
        f"{n} pages, {sum(len(p.text) for p in made) / 1e6:.0f} MB of text, {peak():.0f} MB before the build"
    )
    began, cpu, stages = time.perf_counter(), time.process_time(), {}

    def progress(stage, done, total):
        stages[stage] = time.perf_counter() - began

    engine = Engine.build(made, progress=progress)
    took = time.perf_counter() - began
    print(
        ", ".join(f"{stage} {end:.1f}" for stage, end in stages.items()), "(seconds at the end of each stage)"
    )
    spent = time.process_time() - cpu
    print(f"{'build':34} {took:10.2f} s;  processor: {spent:.2f} s, {peak():.0f} MB at most")
    print(f"{len(engine.collection.kept)} pages kept")
    return engine, made


def queries(engine, made):
    """Print the time of queries: words of all frequencies, each query once."""
    rng = np.random.default_rng(2)
    asked = []
    for page in (made[i] for i in rng.integers(0, len(made), 200).tolist()):
        words = page.text.split()
        asked.append(" ".join(words[i] for i in rng.integers(6, len(words), 3).tolist()))
    engine.search(asked[0])
    times, cpu = [], time.process_time()
    for query in asked:
        began = time.perf_counter()
        engine.search(query)
        times.append(1e3 * (time.perf_counter() - began))
    spent = 1e3 * (time.process_time() - cpu) / len(asked)
    times.sort()
    print(
        f"{'query of three words, snippets':34} {times[100]:10.2f} ms; "
        f"95%: {times[190]:.2f}, most: {times[-1]:.2f}; processor: {spent:.2f}"
    )
    common = " ".join(vocabulary(np.random.default_rng(1))[:3])
    timed(
        "query of the three commonest words", lambda: (engine._remembered.clear(), engine.search(common)), 5
    )
    timed("the same with other weights", lambda: engine.search(common, weights=Weights(title=1)), 5)
    timed("spelling of three unknown words", lambda: engine.suggest("zzhrx qqtaoin etaoinz"), 5)
    timed("related pages", lambda: engine.related(made[1].url), 5)
    timed("hubs and authorities", lambda: engine.hubs_and_authorities(common), 3)


def main():
    """Print the table."""
    engine, made = build(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
    queries(engine, made)
    with tempfile.TemporaryDirectory() as folder:
        timed("save", lambda: engine.save(Path(folder) / "engine"))
        size = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
        loaded = timed(f"load, {size / 1e6:.0f} MB", lambda: Engine.load(Path(folder) / "engine"), 3)
        timed("first query after loading", lambda: loaded.search("the"))
    changed = SourcePage(made[0].url, "another text " + made[1].text, "changed", made[0].links)
    timed("update of one page", lambda: engine.update([changed]))
    timed("first query after it", lambda: engine.search("changed"))


if __name__ == "__main__":
    main()
