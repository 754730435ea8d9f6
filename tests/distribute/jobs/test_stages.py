"""The stages of a job: order, progress, what goes wrong in tasks and with workers."""

import os
import signal
import threading

import numpy as np
import pytest
from distributed import Client, LocalCluster

from ircourse.distribute import (
    ClusterError,
    hits,
    lsi,
    near_duplicates,
    pagerank,
    random_projection,
    sketch_texts,
)
from ircourse.distribute.jobs import stages as module
from ircourse.distribute.jobs.held import cuts_for
from ircourse.distribute.jobs.sizes import Block, bytes_of
from ircourse.distribute.jobs.stages import Stages

JOBS = [
    lambda client: sketch_texts(client, ["a rose"]),
    lambda client: near_duplicates(client, ["a rose"]),
    lambda client: pagerank(client, [(0, 1)]),
    lambda client: hits(client, [(0, 1)]),
    lambda client: lsi(client, [[1.0]], 1),
    lambda client: random_projection(client, [[1.0]], 1),
]


def wrong(x):
    raise LookupError(f"no rose {x}")


@pytest.mark.parametrize("job", JOBS)
def test_what_is_no_client_is_told(job):
    for client in (None, "tcp://127.0.0.1:8786", object()):
        with pytest.raises(TypeError, match="runs no jobs: give what local_cluster"):
            job(client)


def test_a_cluster_without_workers_is_told(monkeypatch):
    monkeypatch.setattr(module, "GONE", 0.1)
    here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=0, processes=False, protocol="tcp", **here) as cluster,
        Client(cluster) as empty,
        pytest.raises(ClusterError, match=r"the scheduler at tcp://127.0.0.1:\d+ has no workers"),
    ):
        sketch_texts(empty, ["a rose"])


@pytest.mark.parametrize("job", JOBS)
def test_a_closed_client_is_told(client, job):
    with Client(client.scheduler.address) as other:
        pass
    with pytest.raises(ClusterError, match="the client is closed"):
        job(other)


def test_results_come_in_order_with_progress(client):
    seen = []
    stages = Stages(client, lambda *told: seen.append(told))
    assert stages.results("squares", stages.spread(pow, range(5), [2] * 5)) == [0, 1, 4, 9, 16]
    assert seen[-1] == ("squares", 5, 5)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert stages.results("nothing", []) == []
    assert stages.collect("quiet", [stages.task(pow, 2, 3)]) == [8]
    assert seen[-1] == ("squares", 5, 5)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_sums_are_added_pair_by_pair(client, n):
    stages = Stages(client)
    total = stages.sum(stages.spread(np.full, [3] * n, [2.0**i for i in range(n)]))
    assert stages.collect("sum", [total])[0].tolist() == [2.0**n - 1] * 3


def test_large_values_are_sent_once_and_small_ones_travel_along(client):
    stages = Stages(client)
    large, small = np.ones(2**16), np.ones(3)
    held = stages.hold([large, small, large])
    assert held[1] is small
    assert stages.share(small) is small
    sums = stages.spread(np.sum, [*held, stages.share(large)])
    assert stages.results("sums", sums) == [2**16, 3, 2**16, 2**16]


def test_what_a_task_raises_passes(client):
    stages = Stages(client)
    with pytest.raises(LookupError, match="no rose 3"):
        stages.results("roses", [stages.task(wrong, 3)])
    with pytest.raises(FileNotFoundError):
        stages.results("files", [stages.task(open, "/no/such/rose")])
    with pytest.raises(ClusterError, match="found no memory"):
        stages.results("memory", [stages.task(np.ones, 2**46)])


def test_workers_that_are_gone_or_stuck_are_told(client, monkeypatch):
    monkeypatch.setattr(module, "LOOK", 0.05)
    monkeypatch.setattr(module, "GONE", 0.1)
    stages = Stages(client)
    monkeypatch.setattr(client, "scheduler_info", lambda n_workers=5: {"workers": {}})
    with pytest.raises(ClusterError, match="waiting: all workers are gone"):
        stages.wait("waiting", [stages.task(_wait, 2)])
    paused = {"a": {"status": "paused", "metrics": {"executing": 0}}}
    monkeypatch.setattr(client, "scheduler_info", lambda: {"workers": paused})
    with pytest.raises(ClusterError, match="waiting: all workers have paused"):
        stages.wait("waiting", [stages.task(_wait, 2)])
    paused["a"]["metrics"]["executing"] = 1
    stages.wait("waiting", [stages.task(_wait, 0.5)])


def test_workers_that_are_gone_when_results_are_fetched_are_told(client, monkeypatch):
    monkeypatch.setattr("ircourse.distribute.jobs.asking.LOOK", 0.05)
    monkeypatch.setattr(module, "GONE", 0.1)
    stages, given_up = Stages(client), threading.Event()
    monkeypatch.setattr(client, "gather", lambda futures, errors: given_up.wait(60))
    monkeypatch.setattr(client, "scheduler_info", lambda n_workers=5: {"workers": {}})
    done = stages.task(pow, 2, 3)
    assert done.result(60) == 8
    with pytest.raises(ClusterError, match="fetching: all workers are gone"):
        stages.results("fetching", [done])
    given_up.set()


def test_results_that_are_lost_before_they_are_fetched_are_waited_for_again(client, monkeypatch):
    answers = iter([[4], [4, 9]])
    monkeypatch.setattr(client, "gather", lambda futures, errors: next(answers))
    stages = Stages(client)
    assert stages.results("squares", stages.spread(pow, [2, 3], [2, 2])) == [4, 9]


@pytest.mark.parametrize("parts", [0, -1, 1.5, True, "four"])
def test_a_wrong_number_of_parts_is_told(client, parts):
    with pytest.raises(ValueError, match="parts is"):
        sketch_texts(client, ["a rose"], parts=parts)
    with pytest.raises(ValueError, match="parts is"):
        pagerank(client, [(0, 1)], parts=parts)


def test_parts_are_never_empty(client):
    stages = Stages(client)
    assert cuts_for(stages, 5, 2) == [(0, 2), (2, 5)]
    assert cuts_for(stages, 2, 9) == [(0, 1), (1, 2)]
    assert cuts_for(stages, 0, 9) == []
    assert len(cuts_for(stages, 100, None)) == 8


def test_sizes_count_arrays_inside():
    from dask.sizeof import sizeof
    from scipy import sparse

    matrix = sparse.csc_array(np.ones((100, 100)))
    assert sizeof(Block(matrix)) > matrix.data.nbytes + matrix.indices.nbytes
    assert bytes_of(("a", [np.ones(100)])) > 800


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_a_worker_that_ends_is_made_good(client, tmp_path):
    from ircourse.dedup import near_duplicates as local
    from ircourse.distribute import line_parts

    texts = [f"{i % 40} the ferry leaves the old harbour at {i % 7} every morning" for i in range(200)]
    (tmp_path / "lines.txt").write_text("\n".join(texts))
    victims = sorted(client.run(os.getpid).values())[:1]

    def progress(stage, done, total):
        if stage == "keys that meet" and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    found = near_duplicates(client, line_parts(tmp_path, 3000), threshold=0.6, progress=progress)
    assert not victims
    assert found == local(texts, threshold=0.6)
    client.wait_for_workers(2, timeout=60)


def _wait(seconds):
    import time

    time.sleep(seconds)
