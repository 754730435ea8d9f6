"""What the explorers of A1 show is what a cluster told, and what the planner counts."""

import pytest

from ircourse.distribute import TaskEvent
from ircourse.distribute.planner import limits, plan
from ircourse.show.dask_tasks import moments, recorded, watch_tasks
from ircourse.show.planner import plan_a_crawl, rounded, shown_pages, sized, what_breaks


@pytest.mark.parametrize("which", ["whole", "killed"])
def test_a_recording_is_played_to_its_end(which):
    events = recorded(which)
    steps = moments(events)
    assert steps[0].tasks == {} and len(steps[-1].tasks) == len({e.task for e in events if e.task >= 0})
    assert {state for state, _ in steps[-1].tasks.values()} <= {"memory", "released"}
    assert [step.seconds for step in steps] == sorted(step.seconds for step in steps)
    assert steps[-1].done == sum(event.state == "memory" for event in events)
    assert (steps[-1].again > 0) == (which == "killed") == (steps[-1].gone == {1})
    assert all(step.holds(0) + step.holds(1) <= len(step.tasks) for step in steps)


def test_a_lost_worker_works_and_holds_nothing_afterwards():
    steps = moments(recorded("killed"))
    (at,) = (i for i, step in enumerate(steps) if "is gone" in step.says)
    assert steps[at - 1].holds(1) > 0
    assert all(step.holds(1) == 0 and not step.works(1) for step in steps[at:])
    explorer = watch_tasks()
    explorer.controls["which"].widget.value = "killed"
    explorer.go(at)
    assert "Worker B is gone" in explorer.alt() and "B: not there" in explorer._view.value


def test_other_recordings_are_shown_with_their_functions_names():
    many = [TaskEvent(0.001 * i, i, "<b>", "processing", i % 2) for i in range(40)]
    failed = TaskEvent(0.05, 3, "<b>", "erred", 1)
    explorer = watch_tasks([*many, failed])
    explorer.go(41)
    assert "A task failed" in explorer.alt() and "&lt;b&gt;" in explorer._view.value
    assert "(24 more)" in explorer._view.value
    assert "Nothing is asked for" in watch_tasks([]).alt()


def test_the_planner_is_shown():
    explorer = plan_a_crawl()
    assert "10⁹ pages every 4 weeks: 410 pages a second, 74 Mbit/s, 2 T3 lines. 5 machines" in explorer.alt()
    explorer.controls["seen"].widget.value = "exact"
    crawl = plan(10**9, bloom=False)
    assert explorer.trace[0].memory == crawl.memory and f"{crawl.machines} machines" in explorer.alt()
    assert explorer.redraw_seconds < 1


def test_each_step_breaks_one_limit_more():
    explorer = what_breaks()
    assert [len(step.size.broken) for step in explorer.trace] == list(range(8))
    wanted = [limit.name for limit in limits(plan(10**6))]
    assert [step.size.broken[-1].name for step in explorer.trace[1:]] == wanted
    for i, step in enumerate(explorer.trace[1:], 1):
        explorer.go(i)
        assert step.size.broken[-1].name in explorer.alt()
        assert step.done.split()[0] in explorer._view.value


def test_numbers_are_written_shortly():
    assert [rounded(v) for v in (0, 0.00123, 9.96, 995, 12345)] == ["0", "0.0012", "10", "1,000", "12,000"]
    assert [sized(v, "B") for v in (12, 980, 1e12)] == ["12 B", "980 B", "1.0 TB"]
    assert [shown_pages(v) for v in (999.9e6, 1e6, 3.16e10)] == ["10⁹", "10⁶", "3.2·10¹⁰"]
