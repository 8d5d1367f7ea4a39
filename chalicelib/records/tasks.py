"""Tasks: durable work with a state that can be asked for. Every task not done yet is also in a list for the sweep."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from chalicelib.mind.rows import ABSENT, Delete, Put, Row, RowConflict, Write
from chalicelib.mind.scopes import scope_named
from chalicelib.ports import Table
from chalicelib.records import keys
from chalicelib.records.codec import packed, unpacked
from chalicelib.records.counting import total

KEPT = timedelta(days=7)
"""How long a finished task can be asked for."""

LEASE = timedelta(seconds=60)
"""How long whoever works on a task may be silent before another takes it over."""

TaskStatus = Literal["pending", "running", "succeeded", "failed"]


@dataclass(frozen=True, slots=True)
class Task:
    """Remembering that was accepted: where, from which request, how far it has come, and what came of it.

    `done` counts the accepted messages that have been read for statements, of `total`.
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


def owned(task: Task, expires: int | None = None) -> list[Put]:
    """The write that lists a task as its user's, if it has one."""
    user = scope_named(task.scope).user
    return [Put(keys.task(task.project, task.id, user), {}, expires=expires)] if user else []


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

    def claim(self, project: str, task_id: str, *, now: datetime) -> tuple[Task, int] | None:
        """Take a task to work on it; None if it is finished, gone, or in somebody else's hands."""
        found = self.find(project, task_id)
        if found is None or found[0].finished or (found[0].leased_until or now) > now:
            return None
        task = replace(
            found[0], status="running", attempts=found[0].attempts + 1, leased_until=now + LEASE, updated_at=now
        )
        try:
            self.table.commit(self.saving(task, found[1]))
        except RowConflict:
            return None
        return task, found[1] + 1

    def page(
        self, project: str, user: str = "", *, after: str | None, limit: int
    ) -> tuple[list[Task], str | None]:
        """Tasks of a project, or of one user of it, newest first."""
        partition = keys.task(project, "", user).partition
        page = self.table.query(partition, "task_", after=after, limit=limit, newest_first=True)
        if not user:
            return [task_of(row) for row in page.rows], page.cursor
        wanted = [keys.task(project, row.key.sort) for row in page.rows]
        rows = self.table.get(wanted)
        return [task_of(rows[key]) for key in wanted if key in rows], page.cursor

    def total(self, project: str) -> int | None:
        """How many tasks are kept; None for very many."""
        return total(self.table, keys.task(project, "").partition, "task_")

    def delete(self, task: Task) -> None:
        """The record goes, and with it what was still to be done; turns and memories stay."""
        user = [Delete(put.key) for put in owned(task)]
        self.table.commit([Delete(keys.task(task.project, task.id)), Delete(keys.open_task(task.id)), *user])

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
