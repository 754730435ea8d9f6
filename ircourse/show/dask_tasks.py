"""The explorer of a job's tasks on a cluster: what the scheduler saw, played step by step.

recording  `TaskEvent`s of a real run of `near_duplicates` over Saltmere's pages, in four parts, by two
           workers; in a second one a worker's process was killed on the way. Both lie in data/dask_tasks.json
step       ends with each task given to a worker or done, and each worker gone or come
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ircourse.distribute import TaskEvent
from ircourse.shipped import shipped
from ircourse.show.controls import Choice
from ircourse.show.explorer import Explorer, Row
from ircourse.show.player import Player
from ircourse.show.style import MUTED, look
from ircourse.show.svg import Drawing, Markup, below, box, joined, label, plural, shorten

LOOKS = {
    "waiting": "waiting",
    "queued": "waiting",
    "processing": "fetching",
    "memory": "stored",
    "released": "unseen",
    "erred": "refused",
}
WORDS = {  # what a function of near_duplicates does, of pagerank
    "sketch_part": "sketch a part",
    "_size": "count its texts",
    "digests_by_bucket": "digests by bucket",
    "pick": "take a piece",
    "copies_in": "exact copies that meet",
    "_copies": "copies within a part",
    "without": "leave copies out",
    "keys_by_bucket": "band keys by bucket",
    "grouped": "keys that meet",
    "large": "groups over 1,000",
    "pairs_of_all": "pairs of each group",
    "once": "each pair once",
    "parts_of": "where sketches are",
    "rows_of": "fetch sketches",
    "agreeing": "compare",
    "_chances": "a block of P",
    "_dangling": "pages without links",
    "_from_left": "multiply",
    "_added": "add",
}
SIDE, CELL, ROW, MOST = 172.0, 32.0, 24.0, 16
NOTICE = (
    "A box is a task, its letter the worker; a row holds the tasks that call one function. Compare the "
    "letters down a column, and see a box dotted once nobody needs its result."
)
KILLED = (
    " Then let a worker be killed (step 53 on): which boxes that were done wait again, and which need not be "
    "made again?"
)
STEPS = ("processing", "memory", "erred", "gone", "come")

__all__ = ["WORDS", "Moment", "moments", "recorded", "watch_tasks"]


@dataclass(frozen=True)
class Moment:
    """The tasks after a step.

    rows    the functions, in the order of their first tasks, each with its tasks
    tasks   of each task heard of so far: its state, and the worker that has it, −1 for none
    again   tasks that were given to a worker for the second time
    gone    workers that are gone
    """

    seconds: float
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    tasks: dict[int, tuple[str, int]]
    done: int
    again: int
    workers: tuple[int, ...]
    gone: frozenset[int]
    says: str

    def holds(self, worker: int) -> int:
        """Return how many results a worker holds."""
        return sum(state == "memory" and at == worker for state, at in self.tasks.values())

    def works(self, worker: int) -> list[str]:
        """Return the functions of the tasks that a worker was given."""
        given = {n for n, one in self.tasks.items() if one == ("processing", worker)}
        return [name for name, numbers in self.rows for n in numbers if n in given]


def moments(events: Sequence[TaskEvent]) -> tuple[Moment, ...]:
    """Return the steps of a recording, the first before anything was asked for."""
    names: dict[str, list[int]] = {}
    for event in events:
        if event.task >= 0 and event.task not in names.setdefault(event.name, []):
            names[event.name].append(event.task)
    rows = tuple((name, tuple(numbers)) for name, numbers in names.items())
    workers = tuple(sorted({0} | {event.worker for event in events if event.worker >= 0}))
    tasks: dict[int, tuple[str, int]] = {}
    given, gone, done = Counter[int](), {w for w in workers if w > 1}, 0
    found = [Moment(0.0, rows, {}, 0, 0, workers, frozenset(gone), "Nothing is asked for yet.")]
    for event in events:
        if event.task >= 0:
            tasks[event.task] = event.state, event.worker
            given[event.task] += event.state == "processing"
            done += event.state == "memory"
        elif event.state == "gone":
            gone.add(event.worker)
            # What is still there after it, another has a copy of.
            lost = [n for n, one in tasks.items() if one == ("memory", event.worker)]
            tasks |= dict.fromkeys(lost, ("memory", -1))
        else:
            gone.discard(event.worker)
        if event.state in STEPS:
            again = sum(n > 1 for n in given.values())
            now = (rows, dict(tasks), done, again, workers, frozenset(gone), _said(event))
            found.append(Moment(event.seconds, *now))
    return (*found, Moment(events[-1].seconds, *now[:-1], "The job is done.")) if events else tuple(found)


def _said(event: TaskEvent) -> str:
    name, who = WORDS.get(event.name, event.name), letter(event.worker)
    match event.state:
        case "processing":
            return f"Worker {who} is given: {name}."
        case "memory":
            return f"Worker {who} has done: {name}."
        case "gone":
            return f"Worker {who} is gone, and the results that it held."
        case "come":
            return f"Worker {who} has come."
    return f"A task failed: {name}."


def letter(worker: int) -> str:
    """Return a worker's name, A, B, …; none for −1."""
    return chr(ord("A") + worker % 26) if worker >= 0 else ""


@cache
def recorded(which: str) -> tuple[TaskEvent, ...]:
    """Return the events of a recording, "whole" or "killed".

    >>> recorded("whole")[0].name
    'sketch_part'
    """
    with shipped("dask_tasks.json") as path:
        events = json.loads(path.read_text(encoding="utf-8"))[which]
    return tuple(TaskEvent(*event) for event in events)


def _cell(x: float, task: int, now: Moment) -> Markup:
    if task not in now.tasks:
        return joined(())
    state, worker = now.tasks[task]
    seems = look(LOOKS[state])
    frame = seems.frame()
    words = f"{seems.mark}{letter(worker)}" if state in ("processing", "memory") else seems.mark
    return joined(
        [box(x + 1, 1, CELL - 3, ROW - 4, **frame), label(words, x + CELL / 2, 16, anchor="middle")]
    )


def _row(name: str, numbers: Sequence[int], now: Moment) -> Drawing:
    """Return the tasks of a function; where there is no room for all, the last ones."""
    known = [n for n in numbers if n in now.tasks]
    hidden = max(0, len(known) - MOST)
    cells = [_cell(SIDE + i * CELL, n, now) for i, n in enumerate(known[hidden:])]
    words = WORDS.get(name, name) + (f" ({hidden} more)" if hidden else "")
    head = label(shorten(words, SIDE - 8), 0, 16, fill=None if known else MUTED)
    return Drawing(SIDE + MOST * CELL, ROW, joined([head, *cells]))


def _worker(worker: int, now: Moment) -> str:
    if worker in now.gone:
        return f"{letter(worker)}: not there"
    works = now.works(worker)
    what = WORDS.get(works[0], works[0]) if works else "nothing"
    more = f" and {len(works) - 1} more" if len(works) > 1 else ""
    return f"{letter(worker)}: given {what}{more}; holds {plural(now.holds(worker), 'result')}"


def draw(now: Moment) -> Drawing:
    """Return a row a function with a box a task, and below what each worker has."""
    rows = [_row(name, numbers, now) for name, numbers in now.rows[:24]]
    lines = [Drawing(600, 20, label(_worker(worker, now), 0, 14)) for worker in now.workers[:4]]
    key = (
        "\u2026 waits \u00b7 \u25b6A given to worker A \u00b7 \u2713A done, A holds the result "
        "\u00b7 \u2713 its holder is gone \u00b7 dotted: let go"
    )
    return below(*rows, Drawing(600, 30, label(key, 0, 22, fill=MUTED)), *lines, gap=0)


def describe(now: Moment) -> str:
    """Return the time, what happened, and how many tasks are done."""
    again = f", {now.again} of them given out twice" if now.again else ""
    return f"{now.seconds * 1000:.0f} ms. {now.says} {plural(len(now.tasks), 'task')} so far{again}."


def table(now: Moment) -> Sequence[Row]:
    """Return how many tasks of each function are in which state."""
    states = ("waiting", "processing", "memory", "released")
    rows: list[Row] = [["function", "waiting", "given", "done, held", "let go"]]
    for name, numbers in now.rows:
        counts = Counter(now.tasks[n][0] for n in numbers if n in now.tasks)
        counts["waiting"] += counts["queued"]
        rows.append([WORDS.get(name, name), *(counts[state] for state in states)])
    return [*rows, *([_worker(worker, now), "", "", "", ""] for worker in now.workers)]


def watch_tasks(events: Sequence[TaskEvent] | None = None) -> Explorer:
    """Return a player: the tasks of a recorded job, of ``events`` where they are given."""
    names = {"whole": "nothing goes wrong", "killed": "a worker is killed"}
    options = [(text, name) for name, text in names.items()] if events is None else [("yours", "")]
    controls = {"which": Choice("Recording", options)} if events is None else {}

    def states(which: str = "") -> tuple[Moment, ...]:
        return moments(recorded(which) if events is None else events)

    return Player(
        states,
        draw,
        describe,
        table,
        title="The tasks of a job",
        controls=controls,
        notice=NOTICE + ("" if events is not None else KILLED),
        start=60,
    )
