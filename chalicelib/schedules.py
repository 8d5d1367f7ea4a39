"""What happens without a request: queued work and the sweep. EventBridge, SQS or the embedded server enter here."""

import logging
from dataclasses import replace

from chalicelib.records.tasks import Task
from chalicelib.wiring import World, world

LOG = logging.getLogger("reverie")
VISIBILITY = 120
"""Seconds a message is hidden from other workers; a task's lease is renewed more often than that."""

MOST_ATTEMPTS = 5
"""Tries after which a task is failed rather than tried again."""

SWEEP_SECONDS = 50
"""How long one sweep may take; the next goes on where it stopped."""


def work(limit: int = 10) -> int:
    """Take up to *limit* queued messages and do their tasks; returns how many messages were finished."""
    here, done = world(), 0
    for message in here.queue.receive(limit=limit, visibility=VISIBILITY):
        if carried_on(here, message.body["project"], message.body["task"]):
            here.queue.finish(message)
            done += 1
    return done


def carried_on(here: World, project: str, task_id: str) -> bool:
    """Carry one task on; True when the message about it has served. A task in other hands comes back later."""
    claimed = here.tasks.claim(project, task_id, now=here.now())
    if claimed is None:
        found = here.tasks.find(project, task_id)
        return found is None or found[0].finished
    task, version = claimed
    try:
        derived = here.derivation(
            task, version, (), clock=here.now, ids=here.ids, patience=here.patience(SWEEP_SECONDS)
        )
    except Exception as failure:  # noqa: BLE001 -- one task must not end the worker; the failure is logged and kept with the task
        LOG.warning("task %s: attempt %d failed: %s", task.id, task.attempts, type(failure).__name__)
        return put_down(here, task, failure)
    return derived.task.finished


def put_down(here: World, task: Task, failure: Exception) -> bool:
    """Leave a task to be tried again, or fail it after too many tries; True when it is done with."""
    found = here.tasks.find(task.project, task.id)
    if found is None or found[0].finished:
        return True
    now, (latest, version) = here.now(), found
    if latest.attempts < MOST_ATTEMPTS:
        again = replace(latest, status="pending", leased_until=None, updated_at=now)
        here.table.commit(here.tasks.saving(again, version))
        return False
    error = {"code": "B0001", "msg": f"{type(failure).__name__} in each of {latest.attempts} attempts"}
    failed = replace(latest, status="failed", leased_until=None, updated_at=now, error=error)
    here.table.commit(here.tasks.closing(failed, version))
    return True


def sweep() -> int:
    """Queue tasks nobody holds, drop expired rows, project what is pending, fold touches; returns how much was done.

    Projecting comes last: it is what fails when a store is down, and must keep no task waiting.
    """
    here, done = world(), 0
    for project, task_id in list(here.tasks.open()):
        found = here.tasks.find(project, task_id)
        if found and not found[0].finished and (found[0].leased_until or here.now()) <= here.now():
            here.queue.send({"project": project, "task": task_id})
            done += 1
    here.purge()
    return done + here.projection.sweep(now=here.now(), patience=here.patience(SWEEP_SECONDS))
