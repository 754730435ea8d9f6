"""Which worker has which node of a crawl, and what becomes of the nodes of a worker that is lost.

held  the future of a node that is open on its worker, and stays there: no other may have it
move  a node goes from a lost worker to the one that has the fewest, where its turn is taken again; or,
      between two rounds, from one that has many to one that has joined

Dask would run a lost task on any worker. Here a node is bound to its worker, because its folder is; so the
nodes of a lost worker are moved here, once the scheduler no longer knows it.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple

from ircourse.distribute.jobs.asking import answered, watched
from ircourse.distribute.jobs.crawl_node import close, open_node
from ircourse.distribute.jobs.errors import ClusterError, await_workers, lost, told
from ircourse.distribute.jobs.stages import Future, Stages

__all__ = ["NodeMoved", "Placing"]

LOOK = 0.5  # seconds between two looks at who is there
GONE = 30.0  # seconds without a worker, after which a crawl is given up
STILL = 300.0  # seconds beyond a turn's in which no node comes to the end of one, after which it is given up
MOST_LOST = 3  # workers that end under one node before the crawl is given up


class NodeMoved(NamedTuple):
    """A node went from one worker to another, by their addresses, in a stage of the crawl.

    lost  whether the first one was lost, and did not hand the node over
    """

    stage: str
    node: int
    before: str
    to: str
    lost: bool


class Placing:
    """The nodes 0 … n − 1 of a crawl on the workers of a client.

    opening  what `open_node` is given after the number of nodes
    moves    so far
    """

    def __init__(self, stages: Stages, n: int, *opening: Any) -> None:
        self._stages, self._client, self._opening = stages, stages.client, (n, *opening)
        self._distributed: Any = importlib.import_module("distributed")
        self._lost: Counter[int] = Counter()
        self._at: dict[int, str] = {}
        self._held: dict[int, Future] = {}
        self.moves: list[NodeMoved] = []
        for node in range(n):
            self._place(node, self._workers("placing nodes"))

    def run(
        self,
        stage: str,
        function: Callable[..., Any],
        arguments: Mapping[int, tuple[Any, ...]],
        seconds: float = 0.0,
    ) -> dict[int, Any]:
        """Return ``function(node, *arguments[number])`` of each node in ``arguments``, run where it is.

        seconds  that one of these may take

        Raises what the function raised, and ClusterError where the cluster failed, one node ended too many
        workers, or none has come to its end, or to another worker, for STILL seconds more than ``seconds``.
        """
        futures = {node: self._task(function, node, arguments[node]) for node in arguments}
        found: dict[int, Any] = {}
        end = monotonic() + seconds + STILL
        while futures:
            with told(self._client, stage), suppress(TimeoutError):
                self._distributed.wait(list(futures.values()), timeout=LOOK, return_when="FIRST_COMPLETED")
            workers = self._workers(stage)
            for node, future in list(futures.items()):
                if self._at[node] not in workers or _is_lost(future):
                    result = []
                elif future.status == "error":
                    result = [future.result()]  # raises
                elif future.status == "finished":
                    result = self._result(stage, node, future, end)
                else:
                    continue
                if result:
                    found[node] = result[0]
                    del futures[node]
                    self._lost[node] = 0
                    self._stages.tell(stage, len(found), len(arguments))
                else:
                    self._move(stage, node, self._workers(stage))
                    futures[node] = self._task(function, node, arguments[node])
                end = monotonic() + seconds + STILL
            _check_time(stage, end)
        return {node: found[node] for node in sorted(found)}

    def _result(self, stage: str, node: int, future: Future, end: float) -> list[Any]:
        """Return the result of a task that has ended; nothing where it is lost with its worker just now."""

        def look() -> None:
            # Dask waits for the worker that it was bound to, which does not come back.
            if self._at[node] not in self._workers(stage):
                answered(self._client, future.cancel)
            _check_time(stage, end)

        with told(self._client, stage):
            found: list[Any] = watched(lambda: self._client.gather([future], errors="skip"), look)
        return found

    def balance(self, stage: str) -> None:
        """Let workers that have joined have nodes of those that have at least two more than they."""
        workers = self._workers(stage)
        for node in sorted(self._at):
            load = Counter(self._at.values())
            if load[self._at[node]] >= 2 + min(load[worker] for worker in workers):
                self.run(stage, close, {node: ()})
                self._replace(stage, node, workers, lost=False)

    def let_go(self) -> None:
        """Let the nodes be closed once their turns have ended, without waiting, as far as that can be."""
        with suppress(Exception):  # the cluster may be what has failed
            workers = answered(self._client, self._client.nthreads)
            for node, held in self._held.items():
                if self._at[node] in workers:
                    self._distributed.fire_and_forget(self._submit(close, node, held))

    def _task(self, function: Callable[..., Any], node: int, arguments: tuple[Any, ...]) -> Future:
        return self._submit(function, node, self._held[node], *arguments)

    def _submit(self, function: Callable[..., Any], node: int, *arguments: Any) -> Future:
        return self._client.submit(
            function, *arguments, workers=[self._at[node]], allow_other_workers=False, pure=False
        )

    def _workers(self, stage: str) -> list[str]:
        """Return the addresses of the workers that are there, in order; wait for one if there is none."""
        if self._client.status != "running":
            raise lost(self._client, stage)
        with told(self._client, stage):
            while not (workers := sorted(answered(self._client, self._client.nthreads))):
                try:
                    await_workers(self._client, GONE)
                except ClusterError as error:
                    raise ClusterError(
                        f"{stage}: all workers are lost. Start some: the same call goes on with the crawl"
                    ) from error
        return workers

    def _place(self, node: int, workers: list[str], again: bool = False) -> None:
        """Open a node on the worker that has the fewest."""
        self._at.pop(node, None)
        load = Counter(self._at.values())
        self._at[node] = min(workers, key=lambda worker: load[worker])
        self._held[node] = self._submit(open_node, node, again, node, *self._opening)

    def _move(self, stage: str, node: int, workers: list[str]) -> None:
        self._lost[node] += 1
        if self._lost[node] > MOST_LOST:
            raise ClusterError(
                f"{stage}: under node {node} {self._lost[node]} workers have ended, most likely by needing "
                "more memory than their limit. Give each more memory; the crawl then goes on where it is"
            )
        self._replace(stage, node, workers, lost=True)

    def _replace(self, stage: str, node: int, workers: list[str], lost: bool) -> None:
        before = self._at[node]
        self._place(node, workers, again=True)
        self.moves.append(NodeMoved(stage, node, before, self._at[node], lost))


def _check_time(stage: str, end: float) -> None:
    if monotonic() > end:
        raise ClusterError(
            f"{stage}: no node comes to an end with what it does. See whether the workers hang, have paused "
            "as their memory is full, or are busy with other jobs; the same call then goes on with the crawl"
        )


def _is_lost(future: Future) -> bool:
    """Whether Dask has given up a task because of its worker."""
    if future.status == "error":
        return type(future.exception()).__name__ == "KilledWorker"
    return future.status in ("lost", "cancelled")
