"""Input three times a worker's memory: in parts of a packed file it is done, whole it ends the worker."""

import gzip
import itertools
from pathlib import Path

import pytest

from ircourse.dedup import MinHasher
from ircourse.dedup import near_duplicates as local
from ircourse.distribute import ClusterError, line_parts, local_cluster, near_duplicates, sketch_texts
from ircourse.distribute.jobs.stages import Stages

LIMIT = 350_000_000
WORDS = [a * 40 for a in "abcdefghijklmnopqrstuvwxyz"]


@pytest.fixture(scope="module")
def small():
    with local_cluster(2, LIMIT) as client:
        yield client


def peak():
    """The most memory that this process has had, in bytes; 0 where the system does not tell.

    ``ru_maxrss`` is no answer: a process begins with that of the one that started it.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def held_whole(path):
    """Hold a whole file for some seconds: a worker's memory is looked at ten times a second or less."""
    data = Path(path).read_bytes()
    return sum(data.count(bytes([value])) for value in range(48))


def beginning(text):
    return text[:300]


def test_packed_texts_of_three_times_the_limit(small, tmp_path):
    path = tmp_path / "large.txt.gz"
    lines = [" ".join([*words, "a" * 50_000]) for words in itertools.permutations(WORDS[:7], 4)]
    block = gzip.compress("\n".join([*lines, ""]).encode(), 1)
    blocks = 3 * LIMIT // sum(map(len, lines)) + 1
    path.write_bytes(block * blocks)
    before = peak()
    parts = line_parts(path, unpack_in=tmp_path)
    assert len(parts) > 100
    found = sketch_texts(small, parts, permutations=2, strip=[beginning])
    assert len(found) == blocks * len(lines)
    assert (found[-len(lines) :] == MinHasher(2).sketch_texts([beginning(line) for line in lines])).all()
    assert max(small.run(peak).values()) < LIMIT
    assert peak() - before < LIMIT
    with pytest.raises(
        ClusterError, match="the file: a task ended 2 workers, most likely by needing more memory"
    ):
        Stages(small).results("the file", [Stages(small).task(held_whole, parts[0].path)])


def test_sketches_of_more_than_the_limit_go_to_disk(small, tmp_path):
    path = tmp_path / "short.txt"
    n = 60_000  # sketches of 1,600 bytes: 48 MB a worker, which has 60 for all that it holds
    path.write_text("".join(f"{' '.join(f'{a}{i // 2}' for a in 'abcdefghi')} {i}\n" for i in range(n)))
    want = local(path.read_text().splitlines(), k=1, threshold=0.8)
    assert near_duplicates(small, line_parts(path, 400_000), k=1, threshold=0.8) == want
    assert len(want.pairs) > n // 10
    assert max(small.run(peak).values()) < LIMIT
