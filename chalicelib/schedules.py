"""What happens without a request: queued work and the sweep. SQS, EventBridge or the embedded server enter here."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from chalicelib.errors import Unavailable
from chalicelib.failures import in_turn, quiet
from chalicelib.mind.rows import RowConflict
from chalicelib.records.tasks import Task, retired
from chalicelib.wiring import World, world

LOG = logging.getLogger("reverie")
VISIBILITY = 120
"""Seconds a message is hidden from other workers; a task's lease is renewed more often than that."""

MOST_ATTEMPTS = 5
"""Tries that get no further after which a task is failed rather than tried again."""

SWEEP_SECONDS = 50
"""How long one sweep may take; the next goes on where it stopped."""

Patience = Callable[[], bool]


def always() -> bool:
    """Nobody waits for this to end."""
    return True


class SilencedError(Exception):
    """Whoever worked on the task ended without a word, each time."""


def work(limit: int = 10, going: Patience = always) -> int:
    """Take up to *limit* queued messages and do their tasks while it is *going*; returns how many were finished."""
    here, done = world(), 0
    for message in here.queue.receive(limit=limit, visibility=VISIBILITY):
        if carried_on(here, message.body["project"], message.body["task"], going):
            here.queue.finish(message)
            done += 1
    return done


def carried_on(here: World, project: str, task_id: str, going: Patience = always) -> bool:
    """Carry one task on; True when the message about it has served. A task in other hands comes back later."""
    claimed = here.tasks.claim(project, task_id, holder=here.ids(), now=here.now())
    if claimed is None:
        found = here.tasks.find(project, task_id)
        return found is None or found[0].finished
    task, version = claimed
    if task.attempts > MOST_ATTEMPTS:
        return put_down(here, task, SilencedError())
    try:
        derived = here.derivation(task, version, (), clock=here.now, ids=here.ids, patience=patience(here, going))
    except RowConflict:
        return False  # deleted or taken over: not this worker's any more
    except Exception as failure:
        LOG.warning("task %s: %s", task.id, type(failure).__name__, exc_info=quiet(failure))
        return put_down(here, task, failure)
    return derived.task.finished


def patience(here: World, going: Patience) -> Patience:
    """True for the time of a sweep, while it is going."""
    left = here.patience(SWEEP_SECONDS)
    return lambda: going() and left()


def put_down(here: World, task: Task, failure: Exception) -> bool:
    """Leave a task to be tried again, or fail it after too many tries; True when it is done with.

    A store or a model that is away is not the task's fault, and such a try does not count.
    """
    found = here.tasks.find(task.project, task.id)
    if found is None or found[0].finished:
        return True
    now, (latest, version) = here.now(), found
    if latest.holder != task.holder:
        return False
    if isinstance(failure, Unavailable) or latest.attempts < MOST_ATTEMPTS:
        attempts = latest.attempts - isinstance(failure, Unavailable)
        here.tasks.changed(
            latest, version, status="pending", leased_until=None, attempts=max(attempts, 0), updated_at=now
        )
        return False
    error = {"code": "B0001", "msg": f"{type(failure).__name__} in each of {latest.attempts} attempts"}
    failed = replace(latest, status="failed", leased_until=None, updated_at=now, error=error)
    try:
        here.table.commit([*here.tasks.closing(failed, version), *retired(here.tasks.receipt(failed), now=now)])
    except RowConflict:
        return False  # somebody has it in hand; if not, the message comes back
    return True


def sweep(going: Patience = always) -> int:
    """Queue tasks nobody holds, drop expired rows, project what is pending, fold touches; returns how much was done.

    A step that fails, because a store is down, keeps no other from its turn; the first failure is raised at the end.
    """
    here = world()
    left = patience(here, going)
    return in_turn("sweep", [partial(step, here, left) for step in (requeue, purge, settle)])


def requeue(here: World, going: Patience) -> int:
    """Queue the tasks that wait though no message about them seems to be under way."""
    done = 0
    for project, task_id in list(here.tasks.open()):
        if not going():
            break
        found = here.tasks.find(project, task_id)
        if found and found[0].forgotten(here.now()):
            here.queue.send({"project": project, "task": task_id})
            here.tasks.changed(*found, queued_at=here.now())
            done += 1
    return done


def purge(here: World, going: Patience) -> int:
    """Drop expired rows where the store does not do that by itself."""
    done = 0
    while going() and (dropped := here.purge()):
        done += dropped
    return done


def settle(here: World, going: Patience) -> int:
    """Project what is pending, and fold touches."""
    return here.projection.sweep(now=here.now(), patience=going)


def resume() -> None:
    """Free at once what an earlier process held when it ended. For a process that has the home to itself."""
    here = world()
    here.since = here.now()
    for project, task_id in list(here.tasks.open()):
        found = here.tasks.find(project, task_id)
        if found and not found[0].finished:
            here.tasks.changed(*found, status="pending", leased_until=None, queued_at=here.now())
            here.queue.send({"project": project, "task": task_id})
