"""A cluster to run jobs on: one made of this machine's processes, or a scheduler by its address.

scheduler  hands out tasks and knows which worker holds which result
worker     a process that runs tasks and keeps their results in its memory, beyond 60% of its limit on disk
nanny      starts its worker, and starts it again when it ends or comes to 95% of its limit
client     what the jobs of this package are given

Whoever can speak to a scheduler can run any code as its user: Dask sends functions as pickles. So all that a
local cluster opens is bound to 127.0.0.1, where Dask would bind its dashboard to every address, and a
scheduler elsewhere is spoken to only by TLS, unless the user says that the network between is trusted.

Source: Rocklin (2015) for Dask.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import multiprocessing
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ircourse.distribute.jobs.asking import Silent, bounded
from ircourse.distribute.jobs.errors import ClusterError
from ircourse.distribute.jobs.versions import check_versions

if TYPE_CHECKING:
    from distributed import Client, Security

__all__ = ["check_address", "connect", "local_cluster"]

LOOPBACK = "127.0.0.1"
TIMEOUT = 10.0  # seconds for a scheduler to answer
PATIENCE = 60.0  # seconds for one that was started here
LEAST_MEMORY = 350_000_000  # bytes: a worker that has loaded NumPy, Dask and numba has 200 MB
OVERHEAD = 290_000_000  # bytes that are not there for results: those, and what a task needs and compiles
DEATHS = 1  # workers that a task may end before it is given up


@contextmanager
def local_cluster(
    workers: int = 2, memory: int | str | None = None, *, dashboard: bool = False
) -> Iterator[Client]:
    """Yield a client of a new cluster of ``workers`` processes, which is closed at the end of the ``with``.

    memory     limit of a worker, in bytes or as "500MB"; None: an equal share of the machine's
    dashboard  serve Dask's page, at ``client.dashboard_link``; needs the package bokeh

    Starts in about a second. A script that calls this does so below ``if __name__ == "__main__":``, as the
    workers read it when they start. Raises ValueError for no workers or less than 350 MB, and ClusterError
    where the workers do not start.
    """
    dask, distributed = _dask()
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ValueError(f"workers is {workers!r}: give a number of processes of at least 1")
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise ClusterError(_UNGUARDED)
    if dashboard and importlib.util.find_spec("bokeh") is None:
        raise ClusterError("the dashboard needs the package bokeh: pip install bokeh, or dashboard=False")
    limit = _memory(memory)
    with (
        tempfile.TemporaryDirectory(prefix="ircourse-", ignore_cleanup_errors=True) as folder,
        dask.config.set(_settings(limit, folder)),
    ):
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host=LOOPBACK,
                protocol="tcp",
                dashboard_address=f"{LOOPBACK}:0",
                memory_limit="auto" if limit is None else limit,
                silence_logs=logging.CRITICAL,
                local_directory=folder,
                scheduler_kwargs={"dashboard": dashboard},
            )
        except RuntimeError as error:
            raise ClusterError(f"the workers did not start ({error}). {_UNGUARDED}") from error
        with cluster, distributed.Client(cluster, timeout=PATIENCE) as client:
            check_versions(client)
            yield client


def connect(address: str, insecure: bool = False, *, security: Security | None = None) -> Client:
    """Return a client of the scheduler at ``address``; use it in a ``with``, or close it.

    address   "tcp://host:port" or "tls://host:port"
    insecure  speak to another machine without TLS: on the command line ``--insecure-scheduler``
    security  the certificates for TLS; None: those of Dask's configuration

    Raises ValueError for what is no such address, and ClusterError where the scheduler is on another machine
    and neither TLS nor ``insecure`` is given, where it does not answer, has no workers, or runs other
    versions than this process.
    """
    check_address(address, insecure)
    try:
        client = _connected(address, security)
    except (OSError, TypeError, Silent) as error:  # TypeError: no certificates
        raise ClusterError(
            f"no scheduler answers at {address} ({error}): check the address, that `dask scheduler` runs "
            "there, and for tls:// that certificates are given, by security= or in Dask's configuration"
        ) from error
    try:
        check_versions(client)
    except BaseException:
        client.close()  # type: ignore[unused-ignore, no-untyped-call]
        raise
    return client


def check_address(address: str, insecure: bool = False) -> None:
    """Raise ClusterError for a scheduler on another machine without TLS, ValueError for no address.

    >>> check_address("tcp://127.0.0.1:8786"), check_address("tls://quay.example:8786")
    (None, None)
    >>> check_address("tcp://quay.example:8786")
    Traceback (most recent call last):
        ...
    ircourse.distribute.jobs.errors.ClusterError: tcp://quay.example:8786 is another machine's and not ...
    """
    scheme, found, place = str(address).partition("://")
    host, colon, port = place.rpartition(":")
    known = found and scheme in ("tcp", "tls") and colon and _is_host(host)
    if not (known and port.isascii() and port.isdigit() and int(port[:6]) < 2**16):
        raise ValueError(f"{address!r} is no scheduler's address: give tcp://host:port or tls://host:port")
    if scheme == "tls" or insecure or _is_loopback(host.strip("[]")):
        return
    raise ClusterError(
        f"{address} is another machine's and not encrypted: whoever is on the way could run code here and "
        "there. Give a tls:// address, or, on a network that you trust, insecure=True (--insecure-scheduler)"
    )


def _connected(address: str, security: Security | None) -> Client:
    """Return a client, once a scheduler has said that it is one."""
    distributed = _dask()[1]
    certificates = (security or distributed.Security()).get_connection_args("client")

    async def identity() -> dict[str, Any]:
        async with distributed.rpc(address, timeout=TIMEOUT, connection_args=certificates) as there:
            found: dict[str, Any] = await asyncio.wait_for(there.identity(), TIMEOUT)
            return found

    found = bounded(lambda: asyncio.run(identity()), 3 * TIMEOUT).get("type")
    if found != "Scheduler":
        raise ConnectionError(f"it is a {str(found).lower()}'s")
    with warnings.catch_warnings():
        mismatch = distributed.versions.VersionMismatchWarning
        warnings.simplefilter("ignore", mismatch)  # told later, as an error
        client: Client = bounded(
            lambda: distributed.Client(address, security=security, timeout=TIMEOUT), 3 * TIMEOUT
        )
    return client


def _dask() -> tuple[Any, Any]:
    """Return the modules, loaded at the first use; without types, which differ from version to version."""
    return importlib.import_module("dask"), importlib.import_module("distributed")


def _is_host(host: str) -> bool:
    """Return whether this may be a host's name or address; one with colons stands in brackets."""
    if not host.startswith("["):
        return bool(host) and not set(host) & set("[]:/@? ")
    try:
        return host.endswith("]") and ip_address(host[1:-1]).version == 6
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _settings(limit: int | None, folder: str) -> dict[str, Any]:
    """Return what differs from Dask's defaults, which leave no room for what a small worker has loaded.

    target, spill  parts of the limit: what results may fill, and all memory, before results go to disk
    pause          from here on a worker begins no task; at 95% its nanny ends it
    """
    settings: dict[str, Any] = {
        "distributed.scheduler.allowed-failures": DEATHS,
        # After this long Dask gives up a worker that ended and is still being started again.
        "distributed.deploy.lost-worker-timeout": "1 day",
        "temporary-directory": folder,
    }
    if limit is not None:
        target = min(0.6, max(0.05, (limit - OVERHEAD) / limit))
        parts = {"target": target, "spill": max(0.7, 1 - 60e6 / limit), "pause": max(0.8, 1 - 30e6 / limit)}
        settings |= {f"distributed.worker.memory.{name}": min(part, 0.9) for name, part in parts.items()}
    return settings


def _memory(memory: int | str | None) -> int | None:
    """Return the limit in bytes."""
    if memory is None:
        return None
    try:
        limit: int = _dask()[0].utils.parse_bytes(memory) if isinstance(memory, str) else int(memory)
    except (ValueError, TypeError):
        raise ValueError(f'memory is {memory!r}: give a number of bytes, or say "500MB"') from None
    if limit < LEAST_MEMORY:
        raise ValueError(f"memory is {memory!r}: a worker needs at least {LEAST_MEMORY // 10**6} MB")
    return limit


_UNGUARDED = (
    'A script starts a cluster below `if __name__ == "__main__":`, for each worker reads the script '
    f"when it starts; this is {Path(sys.argv[0]).name if sys.argv else 'a script'}."
)
