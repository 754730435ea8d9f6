"""What became of each task of a job, as the scheduler saw it, to be looked at afterwards.

waiting     for the results of other tasks
queued      ready, for no worker has room
processing  given to a worker, which works on it or has it next
memory      done; the result is held by a worker
released    nobody needs the result any more, or it was lost and is to be made again
erred       it raised an error

The scheduler tells its plugins of each change of state. They run in its process: of a local cluster, here.
Source: Dask's documentation on scheduling states.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ircourse.distribute.jobs.asking import answered
from ircourse.distribute.jobs.errors import told

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["TaskEvent", "record_tasks"]

T = TypeVar("T")
NAME = "ircourse-recorder"
# Names that Dask has for a moment, or for parts of one state.
SAME = {"no-worker": "queued", "forgotten": "released"}


class TaskEvent(NamedTuple):
    """A task comes into a state, or, with no task, a worker is gone or has come.

    seconds  since the recording began
    task     its number, in the order in which the scheduler heard of tasks; −1 for none
    name     of the function that it calls
    state    see above; "gone" or "come" for a worker
    worker   its number, in the order of their coming; −1 for none
    """

    seconds: float
    task: int
    name: str
    state: str
    worker: int


def record_tasks(client: Client, job: Callable[[], T]) -> tuple[T, list[TaskEvent]]:
    """Return what ``job()`` returns, and what became of each task of the client's cluster meanwhile.

    Raises ClusterError where the scheduler does not answer.
    """
    asked: Any = client
    with told(client, "recording tasks"):
        answered(asked, lambda: asked.register_plugin(_recorder(), name=NAME))
    try:
        result = job()
    finally:
        with told(client, "recording tasks"):
            events = answered(asked, lambda: asked.run_on_scheduler(_taken, name=NAME))
            answered(asked, lambda: asked.unregister_scheduler_plugin(NAME))
    return result, _numbered(*events)


def _taken(dask_scheduler: Any, name: str) -> tuple[list[str], float, list[tuple[float, str, str, str]]]:
    plugin = dask_scheduler.plugins[name]
    return plugin.workers, plugin.began, plugin.events


def _recorder() -> Any:
    """Return the plugin; its class is made here, so that Dask is loaded at the first use."""
    base: Any = importlib.import_module("distributed.diagnostics.plugin").SchedulerPlugin

    class Recorder(base):  # type: ignore[misc]
        async def start(self, scheduler: Any) -> None:
            from time import monotonic

            self.clock, self.scheduler = monotonic, scheduler
            self.began = monotonic()
            self.events: list[tuple[float, str, str, str]] = []
            self.workers = sorted(scheduler.workers)
            self.there = set(self.workers)
            self.before = set(scheduler.tasks)  # of earlier jobs, about to be let go

        def transition(self, key: Any, start: str, finish: str, *_: Any, **more: Any) -> None:
            self.look()  # before its tasks come to wait again, not after, when plugins are told of it
            if key in self.before:
                return
            task = self.scheduler.tasks.get(key)
            where = getattr(task, "processing_on", None) if finish == "processing" else None
            worker = where.address if where is not None else str(more.get("worker") or "")
            self.events.append((self.clock(), str(key), finish, worker))

        def look(self) -> None:
            now = set(self.scheduler.workers)
            changes = [("gone", self.there - now), ("come", now - self.there)]
            self.events += [(self.clock(), "", what, one) for what, those in changes for one in sorted(those)]
            self.there = now

        def add_worker(self, *_: Any) -> None:
            self.look()

        def remove_worker(self, *_: Any, **__: Any) -> None:
            self.look()

    return Recorder()


def _numbered(workers: list[str], began: float, events: list[tuple[float, str, str, str]]) -> list[TaskEvent]:
    """Return the events with numbers for keys and addresses, states that repeat left out."""
    numbers = {address: i for i, address in enumerate(workers)}
    keys: dict[str, int] = {}
    last: dict[str, tuple[str, int]] = {}
    found = []
    for when, key, state, address in events:
        task = keys.setdefault(key, len(keys)) if key else -1
        worker = numbers.setdefault(address, len(numbers)) if address else -1
        state = SAME.get(state, state)
        if not key or last.get(key) != (state, worker):
            last[key] = state, worker
            found.append(TaskEvent(round(when - began, 4), task, _function(key), state, worker))
    return found


def _function(key: str) -> str:
    """Return the name in a key such as sketch_part-0b51…."""
    return key.split("-", 1)[0]
