"""remember: keep what was said as evidence, then draw from it what is worth keeping.

A chain of commits, resumable at each: the turns (`acceptance`), the memories one by one (`derivation`), and the reply
(`once`). Turns are durable before anything else happens, in both modes; only derivation may be pending.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from chalicelib.acceptance import Acceptance, Wish
from chalicelib.derivation import Derivation, Derived
from chalicelib.errors import Unavailable
from chalicelib.mind.rows import Key, RowConflict
from chalicelib.ports import Queue
from chalicelib.records.tasks import Task, Tasks


@dataclass(frozen=True, slots=True)
class Remembered:
    """The task of a request as it stands, how many of its messages were known already, and what could not be done."""

    task: Task
    repeated: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remember:
    """The verb."""

    acceptance: Acceptance
    derivation: Derivation
    tasks: Tasks
    queue: Queue

    def __call__(
        self, wish: Wish, *, clock: Callable[[], datetime], ids: Callable[[], str], patience: Callable[[], bool]
    ) -> Remembered:
        """Accept the wish, and derive at once unless it is deferred; what is not done in time a worker carries on."""
        accepted = self.acceptance(wish, now=clock(), ids=ids)
        if accepted.task.finished:
            return Remembered(accepted.task, accepted.repeated, ())
        if wish.deferred:
            return Remembered(accepted.task, accepted.repeated, self.handed_over(accepted.task))
        task, warnings = self.derived(accepted.task, accepted.noted, clock=clock, ids=ids, patience=patience)
        return Remembered(task, accepted.repeated, warnings)

    def derived(
        self, task: Task, noted: tuple[Key, ...], *, clock: Callable[[], datetime], ids: Callable[[], str],
        patience: Callable[[], bool],
    ) -> tuple[Task, tuple[str, ...]]:
        """The task after deriving what there was time for; nothing accepted depends on how this ends."""
        def begin() -> Derived:
            found = self.tasks.find(task.project, task.id)
            if found is None or found[0].finished:
                return lost(task, found)
            try:
                return self.derivation(*found, noted, clock=clock, ids=ids, patience=patience)
            except RowConflict:
                return lost(task, self.tasks.find(task.project, task.id))

        try:
            derived = begin()
        except Unavailable as failure:
            return task, (f"accepted, memories follow later: {failure}", *self.handed_over(task))
        waits = derived.task.status == "pending"
        return derived.task, (*derived.warnings, *(self.handed_over(derived.task) if waits else ()))

    def handed_over(self, task: Task) -> tuple[str, ...]:
        """Put the task into the queue; if the queue does not answer, the sweep will find the task."""
        try:
            self.queue.send({"project": task.project, "task": task.id})
        except Unavailable as failure:
            return (f"accepted, memories follow later: {failure}",)
        return ()


def lost(task: Task, found: tuple[Task, int] | None) -> Derived:
    """The task as it stands when it is no longer this request's to carry on, and what there is to say of that."""
    if found is None:
        gone = "the task was deleted under way; no more memories are drawn from these messages"
        return Derived(replace(task, status="failed"), (gone,))
    taken = "accepted, memories follow later: a worker has taken the task over"
    return Derived(found[0], () if found[0].finished else (taken,))
