"""What happens without a request: the sweep's steps, each whatever becomes of the others, and a clean new start."""

from dataclasses import replace

import pytest

from chalicelib import schedules
from chalicelib.errors import StoreUnavailable
from chalicelib.mind.rows import Put
from chalicelib.records import keys
from chalicelib.records.tasks import LOST
from chalicelib.wiring import PROCESS


@pytest.fixture
def here(mind):
    """Makes a mind the world of this process."""
    def use(changed=mind):
        PROCESS.use(changed)
        return changed

    yield use
    PROCESS.use(None)


def test_a_task_that_waits_is_queued_once_however_often_the_sweep_comes(mind, here, down):
    replace(mind, queue=down).say("Note a", deferred=True)
    here()
    for _ in range(10):
        mind.clock.move(seconds=60)
        schedules.sweep()
    assert mind.queue.depth() == 1
    assert schedules.work() == 1
    assert (len(mind.kept()), mind.queue.depth()) == (1, 0)


def test_a_task_whose_message_is_lost_is_queued_again(mind, here):
    here()
    mind.say("Note a", deferred=True)
    mind.queue.finish(mind.queue.receive(limit=1, visibility=1)[0])
    mind.clock.move(seconds=60)
    schedules.sweep()
    mind.queue.finish(mind.queue.receive(limit=1, visibility=1)[0])
    mind.clock.now += LOST
    schedules.sweep()
    assert schedules.work() == 1
    assert len(mind.kept()) == 1


def test_a_queue_that_is_down_keeps_nothing_from_being_projected_and_is_told(mind, here, down):
    replace(mind, queue=down, index=down).say("Note a", deferred=True)
    here(replace(mind, queue=down))
    mind.clock.move(seconds=60)
    with pytest.raises(StoreUnavailable):
        schedules.sweep()
    assert mind.pending() == []


def test_an_index_that_is_down_keeps_no_task_waiting(mind, here, down):
    replace(mind, queue=down, index=down).say("Note a", deferred=True)
    here(replace(mind, index=down))
    mind.clock.move(seconds=60)
    with pytest.raises(StoreUnavailable):
        schedules.sweep()
    assert mind.queue.depth() == 1


def test_all_expired_rows_are_dropped_in_one_sweep_however_many(mind, here):
    here()
    for piece in range(25):
        mind.table.commit([
            Put(keys.heard(mind.scope, f"{piece}-{number}"), {}, expires=int(mind.clock()) + 1) for number in range(100)
        ])
    mind.clock.move(seconds=2)
    assert schedules.sweep() == 2500


def test_a_sweep_that_is_told_to_end_ends(mind, here, down):
    replace(mind, index=down).say(*(f"message {number}" for number in range(200)))
    here()
    turns = iter([True, True, *[False] * 20])
    schedules.sweep(lambda: next(turns))
    assert len(mind.pending()) == 200 - 64 * 1


def test_what_an_earlier_process_held_is_free_at_once_for_one_that_is_alone(mind, here):
    task = mind.say("Note a", deferred=True).task
    [_] = mind.queue.receive(limit=1, visibility=120)
    mind.tasks.claim("p", task.id, holder="dead", now=mind.now())
    here()
    mind.clock.move(seconds=1)
    schedules.resume()
    assert mind.since == mind.now()
    assert schedules.work() == 1
    assert len(mind.kept()) == 1
