"""Clusters: what listens where, who may be spoken to, versions, what is left behind, what is told."""

import importlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
import urllib.request
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from distributed import LocalCluster, Security

import ircourse
from ircourse.distribute import ClusterError, connect, local_cluster, sketch_texts
from ircourse.distribute.jobs import asking, errors, stages
from ircourse.distribute.jobs import cluster as module
from ircourse.distribute.jobs.cluster import check_address
from ircourse.distribute.jobs.versions import mismatches

ROOT = Path(ircourse.__file__).parents[1]
SCHEDULER = """
    import asyncio
    from distributed import Scheduler, Worker

    async def main():
        here = {"host": "127.0.0.1", "dashboard": False, "dashboard_address": "127.0.0.1:0"}
        async with Scheduler(port=0, **here) as scheduler, Worker(scheduler.address, nthreads=1, **here):
            print(scheduler.address, flush=True)
            await asyncio.Event().wait()

    if __name__ == "__main__":
        asyncio.run(main())
"""


def listening(process):
    """The addresses at which a process listens."""
    connections = getattr(process, "net_connections", None) or process.connections
    return {one.laddr.ip for one in connections(kind="inet") if one.status == psutil.CONN_LISTEN}


def python(code, cwd, *, wait=True):
    """Run code as a script that finds this package by a path of its own."""
    script = cwd / "script.py"
    script.write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{textwrap.dedent(code)}", "utf-8")
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    options = {"cwd": cwd, "env": environ, "text": True, "encoding": "utf-8"}
    if not wait:
        return subprocess.Popen([sys.executable, "-W", "error", script], stdout=subprocess.PIPE, **options)
    return subprocess.run(
        [sys.executable, "-W", "error", script], capture_output=True, timeout=120, **options
    )


def test_everything_listens_on_loopback_alone_and_workers_are_processes(client):
    pids = set(client.run(os.getpid).values())
    assert len(pids) == 2
    assert os.getpid() not in pids
    found = set.union(*(listening(psutil.Process(pid)) for pid in [os.getpid(), *pids]))
    assert found == {"127.0.0.1"}


def test_the_dashboard_needs_bokeh(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ClusterError, match="pip install bokeh"), local_cluster(1, dashboard=True):
        pass


def test_the_dashboard_listens_on_loopback_alone():
    pytest.importorskip("bokeh")
    with local_cluster(1, dashboard=True) as client:
        assert client.dashboard_link.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(client.dashboard_link, timeout=30) as page:
            assert page.status == 200
        pids = [os.getpid(), *client.run(os.getpid).values()]
        assert set.union(*(listening(psutil.Process(pid)) for pid in pids)) == {"127.0.0.1"}


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "two", None])
def test_a_wrong_number_of_workers_is_told(workers):
    with pytest.raises(ValueError, match="workers is"), local_cluster(workers):
        pass


@pytest.mark.parametrize("memory", [0, 1000, "349MB", "much", object(), float("nan")])
def test_a_wrong_limit_is_told(memory):
    with pytest.raises(ValueError, match="memory is"), local_cluster(1, memory):
        pass


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "[::1]"])
def test_loopback_needs_no_encryption(host):
    check_address(f"tcp://{host}:8786")


@pytest.mark.parametrize(
    "host", ["192.0.2.7", "quay.example", "0.0.0.0", "[2001:db8::1]", "localhost.example"]
)
def test_another_machine_needs_tls_or_the_flag(host):
    with pytest.raises(ClusterError, match="--insecure-scheduler"):
        connect(f"tcp://{host}:8786")
    check_address(f"tls://{host}:8786")
    check_address(f"tcp://{host}:8786", insecure=True)


@pytest.mark.parametrize(
    "address",
    [
        *("", "8786", "127.0.0.1:8786", "http://127.0.0.1:8786", "tcp://127.0.0.1", "tcp://:1", None),
        *("tcp://[::1:80", "tcp://::1:80", "tcp://[rose]:80", "tcp://127.0.0.1:99999", "tcp://localhost/x:1"),
    ],
)
def test_what_is_no_address_is_told(address):
    with pytest.raises(ValueError, match="no scheduler's address"):
        connect(address)


def test_a_scheduler_is_reached_by_its_address(client):
    with connect(client.scheduler.address) as other:
        assert sketch_texts(other, ["a rose is a rose"], permutations=3).shape == (1, 3)
        assert other.scheduler.address == client.scheduler.address


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.2)
    with pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127.0.0.1:1 .*dask scheduler"):
        connect("tcp://127.0.0.1:1")
    with pytest.raises(ClusterError, match=r"no scheduler answers at tls://.*certificates are given"):
        connect("tls://127.0.0.1:1")


def test_what_takes_connections_and_is_silent_is_told(monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ClusterError, match=f"no scheduler answers at {address}"):
            connect(address)


def test_a_worker_is_no_scheduler(client):
    worker = min(client.scheduler_info()["workers"])
    with pytest.raises(ClusterError, match=f"no scheduler answers at {worker} .it is a worker's"):
        connect(worker)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="the system has no SIGSTOP")
def test_a_scheduler_that_hangs_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "LOOK", 0.1)
    monkeypatch.setattr(asking, "SILENCE", 0.3)
    monkeypatch.setattr(errors, "ANSWER", 0.3)
    monkeypatch.setattr(stages, "LOOK", 0.1)
    monkeypatch.setattr(stages, "GONE", 0.3)
    process = python(SCHEDULER, tmp_path, wait=False)
    try:
        client = connect(process.stdout.readline().strip())
        hangs = "takes connections and does not answer"
        with pytest.raises(ClusterError, match=f"sketches: the scheduler at .* {hangs}"):
            sketch_texts(
                client,
                ["a rose", "a daisy"],
                progress=lambda *_: process.send_signal(signal.SIGSTOP),
                strip=[_slow],
            )
        process.send_signal(signal.SIGSTOP)  # a slow one may have been taken for one that hangs
        with pytest.raises(ClusterError, match=f"asking the scheduler: the scheduler at .* {hangs}"):
            sketch_texts(client, ["a rose"])
        held = Future()
        with pytest.raises(asking.Silent):
            asking.answered(client, held.result)
        held.set_result(None)
    finally:
        process.kill()
        process.communicate()
    assert "is lost. See that it runs" in str(errors.lost(client, "roses"))
    client.close(timeout=1)


def test_an_ended_scheduler_is_told_before_the_client_knows():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        client = SimpleNamespace(status="running", scheduler=SimpleNamespace(address=address))
        assert "a worker is lost" in str(errors.lost(client, "roses"))
    assert f"the connection to the scheduler at {address} is lost" in str(errors.lost(client, "roses"))
    client.scheduler.address = "inproc://192.0.2.7/1/1"
    assert "a worker is lost" in str(errors.lost(client, "roses"))


def test_a_worker_with_another_version_is_told(client, monkeypatch):
    monkeypatch.setattr(ircourse, "__version__", "0.0.1")
    with pytest.raises(
        ClusterError, match=r"worker tcp.* has ircourse .* and this process 0\.0\.1.*pip install"
    ):
        connect(client.scheduler.address)


def test_versions_are_compared_as_far_as_they_matter():
    here = {"python": "3.12.1.final.0", "numpy": "2.1.0", "dask": "2026.8.0"}
    assert mismatches(here, {"worker a": here | {"python": "3.12.9.final.0", "numpy": "2.1.3"}}) == []
    assert mismatches(
        here, {"worker a": here | {"numpy": None}, "worker b": here | {"dask": "2026.7.0"}}
    ) == [
        "worker a has numpy missing and this process 2.1.0",
        "worker b has dask 2026.7.0 and this process 2026.8.0",
    ]


def test_a_script_in_another_folder_leaves_nothing_behind(tmp_path):
    code = """
        import psutil
        from ircourse.distribute import local_cluster, sketch_texts

        if __name__ == "__main__":
            with local_cluster(2) as client:
                print(sketch_texts(client, ["a rose"] * 3, permutations=2).shape)
            names = [" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True)]
            print([name for name in names if "resource_tracker" not in name])
    """
    done = python(code, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("(3, 2)\n[]\n", "", 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["script.py"]


def test_a_script_without_a_guard_is_told_what_it_lacks(tmp_path):
    done = python("from ircourse.distribute import local_cluster\nwith local_cluster(1): pass", tmp_path)
    assert done.returncode
    assert "ClusterError" in done.stderr
    assert 'below `if __name__ == "__main__":`' in done.stderr


def test_a_lost_scheduler_is_told(tmp_path):
    process = python(SCHEDULER, tmp_path, wait=False)
    try:
        address = process.stdout.readline().strip()
        with connect(address) as client:
            with pytest.raises(
                ClusterError, match=f"sketches: the connection to the scheduler at {address} is lost"
            ):
                sketch_texts(client, ["a rose", "a daisy"], progress=lambda *_: process.kill(), strip=[_slow])
            with pytest.raises(ClusterError, match="closed"):
                sketch_texts(client, ["a rose"])
    finally:
        process.kill()
        process.communicate()


def _slow(text):
    import time

    time.sleep(0.5 if text == "a daisy" else 0)
    return text


def test_a_scheduler_is_reached_by_tls():
    pytest.importorskip("cryptography")
    security = Security.temporary()
    here = {"host": "tls://127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, processes=False, security=security, **here) as cluster:
        with connect(cluster.scheduler_address, security=security) as client:
            assert client.scheduler.address.startswith("tls://")
            assert sketch_texts(client, ["a rose"], permutations=3).shape == (1, 3)
        with pytest.raises(ClusterError, match="certificates"):
            connect(cluster.scheduler_address)
