"""Tasks: in one pair of hands at a time, taken over from who falls silent, and kept for a week when done."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mind.rows import RowConflict
from chalicelib.records.tasks import KEPT, LEASE, LOST, Task, Tasks

START = datetime(2026, 5, 28, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)
THREADS = 8


def task(number=0, **changes):
    return replace(Task(f"task_{number:032}", "p", "memories", "default", "ada", "p/default/ada/agent/", "r", START, START, total=10), **changes)


@pytest.fixture
def tasks(table):
    return Tasks(table)


def opened(tasks, made=None):
    made = made or task()
    tasks.table.commit(tasks.opening(made))
    return made


def test_a_task_reads_back_and_belongs_to_its_project(tasks):
    made = opened(tasks, task(options={"metadata": "x"}))
    assert tasks.find("p", made.id) == (made, 1)
    assert tasks.find("q", made.id) is None
    assert list(tasks.open()) == [("p", made.id)]


def test_a_task_is_accepted_once(tasks):
    opened(tasks)
    with pytest.raises(RowConflict):
        opened(tasks)


def test_of_many_who_claim_one_gets_it(tasks, clock):
    made, barrier = opened(tasks), Barrier(THREADS)

    def claim(_):
        barrier.wait()
        return tasks.claim("p", made.id, holder="one", now=clock.now)

    with ThreadPoolExecutor(THREADS) as pool:
        claimed = [found for found in pool.map(claim, range(THREADS)) if found]
    [(mine, version)] = claimed
    assert (mine.status, mine.attempts, mine.leased_until, version) == ("running", 1, clock.now + LEASE, 2)


def test_a_task_is_taken_over_when_its_holder_falls_silent_and_not_before(tasks, clock):
    made = opened(tasks)
    first, version = tasks.claim("p", made.id, holder="one", now=clock.now)
    assert tasks.claim("p", made.id, holder="one", now=clock.move(seconds=LEASE.total_seconds() - 1)) is None
    second, _ = tasks.claim("p", made.id, holder="one", now=clock.move(seconds=1))
    assert second.attempts == 2
    with pytest.raises(RowConflict):
        tasks.table.commit(tasks.saving(replace(first, done=1), version))


def test_a_lease_from_a_clock_that_runs_far_ahead_binds_nobody(tasks, clock):
    made = opened(tasks)
    tasks.claim("p", made.id, holder="fast", now=clock.now + timedelta(days=1))
    assert tasks.claim("p", made.id, holder="one", now=clock.now)[0].holder == "one"


def test_a_task_is_forgotten_when_it_waits_and_no_message_about_it_is_under_way(tasks, clock):
    made = opened(tasks)
    assert not made.forgotten(START + LEASE - SECOND)
    assert made.forgotten(START + LEASE)
    claimed, _ = tasks.claim("p", made.id, holder="one", now=clock.now)
    assert not claimed.forgotten(clock.now + LOST - SECOND)
    assert claimed.forgotten(clock.now + LOST)
    assert not replace(claimed, leased_until=clock.now + LOST + LEASE).forgotten(clock.now + LOST)
    assert not replace(claimed, status="failed").forgotten(clock.now + LOST)


def test_nobody_gets_a_task_that_is_finished_or_gone(tasks, clock):
    made = opened(tasks)
    tasks.table.commit(tasks.closing(replace(made, status="succeeded"), 1))
    assert tasks.claim("p", made.id, holder="one", now=clock.now) is None
    assert tasks.claim("p", "task_none", holder="one", now=clock.now) is None


@given(st.builds(task, done=st.integers(0, 12), total=st.integers(0, 10), status=st.sampled_from(["pending", "running", "failed", "succeeded"])))
def test_progress_is_a_hundred_only_when_succeeded(made):
    assert 0 <= made.progress <= 100
    assert (made.progress == 100) == (made.status == "succeeded")
    assert made.finished == (made.status in {"failed", "succeeded"})


@given(st.integers(1, 2000), st.integers(0, 2000), st.integers(0, 2000))
def test_progress_never_falls(total, one, other):
    assert task(total=total, done=min(one, other)).progress <= task(total=total, done=max(one, other)).progress


def test_a_finished_task_leaves_the_list_and_expires_after_a_week(tasks, clock):
    made = opened(tasks)
    tasks.table.commit(tasks.closing(replace(made, status="failed", error={"code": "B0001"}), 1))
    assert list(tasks.open()) == []
    clock.move(seconds=KEPT.total_seconds() - 1)
    assert tasks.find("p", made.id)[0].error == {"code": "B0001"}
    clock.move(seconds=1)
    assert tasks.find("p", made.id) is None
    assert tasks.total("p") == 0


def test_a_task_that_was_never_open_can_be_closed_once(tasks):
    made = task(status="succeeded")
    tasks.table.commit(tasks.closing(made, None))
    assert tasks.find("p", made.id) == (made, 1)
    with pytest.raises(RowConflict):
        tasks.table.commit(tasks.closing(made, None))


def test_a_deleted_task_is_gone_with_what_was_to_be_done(tasks, clock):
    made = opened(tasks)
    mine, version = tasks.claim("p", made.id, holder="one", now=clock.now)
    tasks.delete(made, now=clock.now)
    assert tasks.find("p", made.id) is None
    assert list(tasks.open()) == []
    with pytest.raises(RowConflict):
        tasks.table.commit(tasks.saving(mine, version))


def test_tasks_are_listed_newest_first_page_by_page_with_their_total(tasks):
    for number in range(5):
        opened(tasks, task(number))
    opened(tasks, task(9, project="q"))
    seen, after = [], None
    while True:
        page, after = tasks.page("p", after=after, limit=2)
        seen += [int(made.id[5:]) for made in page]
        if after is None:
            break
    assert seen == [4, 3, 2, 1, 0]
    assert tasks.total("p") == 5


def test_every_open_task_of_every_project_is_in_the_sweeps_list(tasks):
    for number in range(150):
        opened(tasks, task(number, project=f"p{number % 3}"))
    assert sorted(tasks.open()) == sorted((f"p{number % 3}", task(number).id) for number in range(150))
