"""The stages of a job: tasks spread over the workers, waited for, with progress and clear errors.

future  stands for the result of a task, which stays with the worker that has it; once no future stands for
        it, it is let go
stage   tasks that are waited for together, with the name under which progress and errors tell of them

A task runs where most of the bytes that it is given are. Where a worker ends, its tasks and those whose
results are lost run again on the others; input that the client sent from memory is not sent again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from ircourse.distribute.jobs.asking import LOOK, answered, watched, workers_of
from ircourse.distribute.jobs.errors import ClusterError, await_workers, lost, told
from ircourse.distribute.jobs.sizes import bytes_of

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Future", "Progress", "Stages", "pick"]

Future: TypeAlias = Any
# Called with the stage, how many of its tasks are done, and how many it has.
Progress: TypeAlias = Callable[[str, int, int], None]

SMALL = 2**18  # bytes
GONE = 30.0  # seconds without a worker that works, after which a job is given up


class Stages:
    """Runs the stages of a job on a client.

    Raises TypeError for what is no client of Dask's, or an asynchronous one, and ClusterError for one that is
    closed or has no workers.
    """

    def __init__(self, client: Client, progress: Progress | None = None) -> None:
        self._distributed: Any = importlib.import_module("distributed")
        if not isinstance(client, self._distributed.Client) or client.asynchronous:
            what = "an asynchronous client" if hasattr(client, "asynchronous") else f"{client!r:.60}"
            raise TypeError(f"{what} runs no jobs: give what local_cluster() or connect(address) yields")
        self.client: Any = client
        self._progress = progress
        if self.client.status != "running":
            raise ClusterError(
                "the client is closed: call jobs within the `with` of local_cluster or connect"
            )
        with told(self.client, "asking the scheduler"):
            await_workers(self.client, GONE)  # a nanny may be about to start one again
            self.workers = len(answered(self.client, self.client.nthreads))

    def task(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Future:
        """Return the future of ``function(*args, **kwargs)``; futures among the arguments come as results."""
        return self.client.submit(function, *args, pure=False, **kwargs)

    def spread(self, function: Callable[..., Any], *columns: Iterable[Any], **kwargs: Any) -> list[Future]:
        """Return the futures of ``function`` for each row of the columns; ``kwargs`` are the same for all."""
        rows = zip(*columns, strict=True)
        return [self.task(function, *row, **kwargs) for row in rows]

    def hold(self, values: Sequence[Any]) -> list[Future]:
        """Return futures of values that go to the workers by turns; small ones as they are.

        What is small travels with the tasks that use it, and is not lost with a worker.
        """
        large = [value for value in values if bytes_of(value) > SMALL]
        with told(self.client, "sending the input"):
            sent = iter(self._asked(self.client.scatter, large, hash=False) if large else ())
        return [next(sent) if bytes_of(value) > SMALL else value for value in values]

    def share(self, value: Any) -> Future:
        """Return the future of a value that goes to every worker; a small one as it is."""
        if bytes_of(value) <= SMALL:
            return value
        with told(self.client, "sending the input"):
            return self._asked(self.client.scatter, value, hash=False, broadcast=True)

    def wait(self, stage: str, futures: Sequence[Future]) -> None:
        """Return when all are done; raise what a task raised, or ClusterError where the cluster failed."""
        waiting, total, idle = list(futures), len(futures), monotonic()
        while waiting:
            with told(self.client, stage):
                try:
                    when = "FIRST_COMPLETED"
                    done, left = self._distributed.wait(waiting, timeout=LOOK, return_when=when)
                except TimeoutError:
                    idle = self._check(stage, idle)
                    continue
                for future in done:
                    if future.status != "finished":
                        future.result()
            waiting, idle = list(left), monotonic()
            self.tell(stage, total - len(waiting), total)

    def results(self, stage: str, futures: Sequence[Future]) -> list[Any]:
        """Return the results of all, in their order, once they are done; errors as of ``wait``."""
        while True:
            self.wait(stage, futures)
            found = self.gather(stage, futures)
            if len(found) == len(futures):
                return found

    def gather(self, stage: str, futures: Sequence[Future]) -> list[Any]:
        """Return the results of futures that were done, but for those that have failed since.

        What was lost since is waited for again, so the workers are watched, as of ``wait``.
        """
        since = monotonic()

        def look() -> None:
            nonlocal since
            since = self._check(stage, since)

        with told(self.client, stage):
            # To raise, it would leave a note on standard error for each result lost since the wait.
            found: list[Any] = watched(lambda: self.client.gather(list(futures), errors="skip"), look)
        return found

    def collect(self, stage: str, futures: Sequence[Future]) -> list[Any]:
        """Return the results of all, in their order, without progress: for a step of a stage."""
        progress, self._progress = self._progress, None
        try:
            return self.results(stage, futures)
        finally:
            self._progress = progress

    def sum(self, futures: Sequence[Future]) -> Future:
        """Return the future of the sum of arrays, added pair by pair: always in the same order."""
        left = list(futures)
        while len(left) > 1:
            odd = left[-1:] if len(left) % 2 else []
            left = self.spread(_added, left[: len(left) - len(odd) : 2], left[1::2]) + odd
        return left[0]

    def tell(self, stage: str, done: int, total: int) -> None:
        """Tell whoever watches."""
        if self._progress is not None:
            self._progress(stage, done, total)

    def _asked(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return answered(self.client, lambda: call(*args, **kwargs))

    def _check(self, stage: str, since: float) -> float:
        """Raise ClusterError where scheduler or workers are gone or stuck; return since when none works."""
        if self.client.status != "running":
            raise lost(self.client, stage)
        with told(self.client, stage):
            workers = workers_of(self.client)
        if any(one["status"] == "running" or one["metrics"].get("executing") for one in workers.values()):
            return monotonic()
        if monotonic() - since < GONE:
            return since
        if workers:
            raise ClusterError(
                f"{stage}: all workers have paused, as what they hold fills their memory. Cut the input into "
                "more and smaller parts, or give each worker more memory"
            )
        raise ClusterError(f"{stage}: all workers are gone. Start some, and run the job again")


def pick(pieces: Any, x: int) -> Any:
    """Return one piece, which alone then travels."""
    return pieces[x]


def _added(a: Any, b: Any) -> Any:
    return a + b
