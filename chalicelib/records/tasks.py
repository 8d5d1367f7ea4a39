"""Tasks: durable work with a state that can be asked for. Every task not done yet is also in a list for the sweep."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from chalicelib.errors import StoreUnavailable
from chalicelib.mind.rows import ABSENT, Delete, Put, Row, RowConflict, Write
from chalicelib.mind.scopes import scope_named
from chalicelib.ports import Table
from chalicelib.records import keys
from chalicelib.records.codec import packed, unpacked
from chalicelib.records.conversations import week_after
from chalicelib.records.counting import total

KEPT = timedelta(days=7)
"""How long a finished task can be asked for."""

LEASE = timedelta(seconds=60)
"""How long whoever works on a task may be silent before another takes it over."""

ATTEMPTS = 20
"""Lost races after which deleting a task gives up."""

MOST_LEASE = 10 * LEASE
"""A lease that ends later than this was written by a clock that runs ahead, and binds nobody."""

LOST = timedelta(minutes=15)
"""Silence after which a message about a task is taken for lost: far longer than a queue hides one from others."""

TaskStatus = Literal["pending", "running", "succeeded", "failed"]


@dataclass(frozen=True, slots=True)
class Task:
    """Remembering that was accepted: where, from which request, how far it has come, and what came of it.

    `done` counts the accepted messages that have been read for statements, of `total`; `attempts` how often it was
    claimed since the last of them. `holder` is who claimed it, `queued_at` when a message about it was last seen.
    """

    id: str
    project: str
    type: Literal["memories"]
    namespace: str
    name: str
    scope: str
    request: str
    created_at: datetime
    updated_at: datetime
    options: dict[str, Any] = field(default_factory=dict)
    status: TaskStatus = "pending"
    done: int = 0
    total: int = 0
    attempts: int = 0
    leased_until: datetime | None = None
    holder: str = ""
    queued_at: datetime | None = None
    result: dict[str, Any] | None = None
    error: dict[str, str] | None = None

    @property
    def finished(self) -> bool:
        """True when nothing more will happen to it."""
        return self.status in {"succeeded", "failed"}

    @property
    def progress(self) -> int:
        """0..100; 100 only when succeeded."""
        if self.status == "succeeded":
            return 100
        return min(99, 100 * self.done // self.total) if self.total else 0

    def held(self, now: datetime) -> bool:
        """True while somebody works on it."""
        return self.leased_until is not None and now < self.leased_until <= now + MOST_LEASE

    def forgotten(self, now: datetime) -> bool:
        """True when it waits and no message about it seems to be under way."""
        due = self.queued_at + LOST if self.queued_at else self.created_at + LEASE
        return not self.finished and not self.held(now) and due <= now


def owned(task: Task, expires: int | None = None) -> list[Put]:
    """The write that lists a task as its user's, if it has one."""
    user = scope_named(task.scope).user
    return [Put(keys.task(task.project, task.id, user), {}, expires=expires)] if user else []


def retired(receipt: Row | None, *, now: datetime) -> list[Write]:
    """The write that lets a receipt go a week after nobody needs it any more, if it has not grown meanwhile."""
    return [Put(receipt.key, receipt.data, receipt.version, week_after(now))] if receipt else []


def task_of(row: Row) -> Task:
    """The task in a row."""
    return unpacked(Task, row.data)


@dataclass(frozen=True, slots=True)
class Tasks:
    """Reads and writes of tasks."""

    table: Table

    def opening(self, task: Task) -> list[Write]:
        """The writes that accept a task."""
        return [
            Put(keys.task(task.project, task.id), packed(task), ABSENT),
            Put(keys.open_task(task.id), {"project": task.project}, ABSENT),
            *owned(task),
        ]

    def reopening(self, task: Task, version: int) -> list[Write]:
        """The writes that put a task that was finished under way again, if it is still of that version."""
        return [*self.saving(task, version), Put(keys.open_task(task.id), {"project": task.project}), *owned(task)]

    def saving(self, task: Task, version: int) -> list[Write]:
        """The writes that change a task under way, if it is still of that version."""
        return [Put(keys.task(task.project, task.id), packed(task), version)]

    def closing(self, task: Task, version: int | None) -> list[Write]:
        """The writes that finish a task (None: one that was never open): it leaves the sweep's list, and expires."""
        expires = int((task.updated_at + KEPT).timestamp())
        done = Put(keys.task(task.project, task.id), packed(task), ABSENT if version is None else version, expires)
        return [done, Delete(keys.open_task(task.id)), *owned(task, expires)]

    def find(self, project: str, task_id: str) -> tuple[Task, int] | None:
        """A task and the version of its row."""
        key = keys.task(project, task_id)
        row = self.table.get([key]).get(key)
        return (task_of(row), row.version) if row else None

    def claim(self, project: str, task_id: str, *, holder: str, now: datetime) -> tuple[Task, int] | None:
        """Take a task to work on it; None if it is finished, gone, or in somebody else's hands."""
        found = self.find(project, task_id)
        if found is None or found[0].finished or found[0].held(now):
            return None
        return self.changed(
            *found, status="running", attempts=found[0].attempts + 1, leased_until=now + LEASE, holder=holder,
            updated_at=now, queued_at=now,
        )

    def changed(self, task: Task, version: int, **changes: Any) -> tuple[Task, int] | None:
        """The task with these changes, saved, and its new version; None if somebody else was quicker."""
        after = replace(task, **changes)
        try:
            self.table.commit(self.saving(after, version))
        except RowConflict:
            return None
        return after, version + 1

    def page(
        self, project: str, user: str = "", *, after: str | None, limit: int
    ) -> tuple[list[Task], str | None]:
        """Tasks of a project, or of one user of it, newest first."""
        partition = keys.task(project, "", user).partition
        page = self.table.query(partition, keys.TASKS, after=after, limit=limit, newest_first=True)
        if not user:
            return [task_of(row) for row in page.rows], page.cursor
        wanted = [keys.task(project, row.key.sort) for row in page.rows]
        rows = self.table.get(wanted)
        return [task_of(rows[key]) for key in wanted if key in rows], page.cursor

    def total(self, project: str) -> int | None:
        """How many tasks are kept; None for very many."""
        return total(self.table, keys.task(project, "").partition, keys.TASKS)

    def delete(self, task: Task, *, now: datetime) -> None:
        """The record goes, and with it what was still to be done; turns and memories stay."""
        user = [Delete(put.key) for put in owned(task)]
        gone = [Delete(keys.task(task.project, task.id)), Delete(keys.open_task(task.id)), *user]
        for _ in range(ATTEMPTS):
            try:
                return self.table.commit([*gone, *retired(self.receipt(task), now=now)])
            except RowConflict:  # the request is still being accepted, and its receipt grows
                continue
        raise StoreUnavailable("table", "too many writers of one request")

    def receipt(self, task: Task) -> Row | None:
        """The row that says which turns are the task's."""
        key = keys.receipt(scope_named(task.scope), task.request)
        return self.table.get([key]).get(key)

    def open(self) -> Iterator[tuple[str, str]]:
        """(project, task id) of every task that is not finished, as of now."""
        for partition in keys.shards("open"):
            after = None
            while True:
                page = self.table.query(partition, after=after, limit=100)
                yield from ((row.data["project"], row.key.sort) for row in page.rows)
                if page.cursor is None:
                    break
                after = page.cursor
