"""What goes wrong on a cluster, told as one error that says what happened and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ircourse.distribute.jobs.asking import Silent, bounded, is_refused

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["ClusterError", "await_workers", "lost", "told"]

ANSWER = 20.0  # seconds for the scheduler to say that it has waited


class ClusterError(RuntimeError):
    """The cluster could not do the job: scheduler or worker lost, out of memory, versions that differ, …."""


@contextmanager
def told(client: Client, stage: str) -> Iterator[None]:
    """Turn what Dask raises within the ``with`` into ClusterError; what a task itself raised passes.

    stage  what was being done, for the message
    """
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker, NoValidWorkerError

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"{stage}: a task ended {error.allowed_failures + 1} workers, most likely by needing more memory "
            "than their limit. Cut the input into more and smaller parts, or give each worker more memory"
        ) from error
    except MemoryError as error:
        raise ClusterError(
            f"{stage}: a task found no memory ({error}). Cut the input into more and smaller parts, or give "
            "each worker more memory"
        ) from error
    except (CancelledError, CommClosedError, NoValidWorkerError) as error:
        raise lost(client, stage) from error
    except Silent as error:
        raise ClusterError(
            f"{stage}: the scheduler at {_where(client)} takes connections and does not answer ({error}). "
            "See whether it hangs, start it again, and run the job again"
        ) from error


def await_workers(client: Client, seconds: float) -> None:
    """Return once there is a worker. Raises ClusterError where none comes for so long."""
    asked: Any = client
    try:
        bounded(lambda: asked.wait_for_workers(1, timeout=seconds), seconds + ANSWER)
    except TimeoutError:
        raise ClusterError(f"the scheduler at {_where(client)} has no workers: start some") from None


def lost(client: Client, stage: str) -> ClusterError:
    """Return the error for a job whose scheduler, or a worker with data that it held, is gone.

    The client hears of a scheduler's end a moment after its calls have failed, so the port is tried.
    """
    if client.status != "running" or is_refused(_where(client)):
        return ClusterError(
            f"{stage}: the connection to the scheduler at {_where(client)} is lost. See that it runs, "
            "connect again and run the job again"
        )
    return ClusterError(
        f"{stage}: a worker is lost with data that only it held, such as input from the client's memory; "
        "parts of files are read again. Run the job again; if that happens again, give each worker more "
        "memory or the input in more parts"
    )


def _where(client: Client) -> str:
    return str(client.scheduler.address) if client.scheduler else "its address"
