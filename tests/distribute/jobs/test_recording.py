"""What a recording tells of a job is what was done."""

import pytest

from ircourse.dedup import MinHasher
from ircourse.distribute import record_tasks, sketch_texts

TEXTS = [f"the ferry leaves at {i}" for i in range(40)]


def test_each_task_is_told_from_its_beginning(client):
    sketch_texts(client, TEXTS)  # let go while the next is recorded
    found, events = record_tasks(client, lambda: sketch_texts(client, TEXTS, parts=5))
    assert (found == MinHasher().sketch_texts(TEXTS)).all()
    assert {event.task for event in events} == set(range(5))
    assert {event.name for event in events} == {"sketch_all"}
    for task in range(5):
        states = [event.state for event in events if event.task == task]
        assert states[0] == "waiting" and states.index("processing") < states.index("memory")
    assert {event.worker for event in events if event.state == "memory"} <= {0, 1}
    assert [event.seconds for event in events] == sorted(event.seconds for event in events)


def test_a_job_that_fails_leaves_no_recorder(client):
    with pytest.raises(ZeroDivisionError):
        record_tasks(client, lambda: 1 // 0)
    assert record_tasks(client, lambda: 3) == (3, [])
    assert (
        client.run_on_scheduler(lambda dask_scheduler: "ircourse-recorder" in dask_scheduler.plugins) is False
    )
