"""What recalls brought back, kept as rows of their own until the sweep folds them into impressions.

So a recall writes one small row, however many memories it brings back, and never races a change of one of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from chalicelib.mind.memories import Memory
from chalicelib.mind.rows import ABSENT, MOST_WRITES, Delete, Put, Row, RowConflict, Write
from chalicelib.mind.scopes import Scope
from chalicelib.mind.times import iso, parsed
from chalicelib.ports import Table
from chalicelib.records import keys
from chalicelib.records.memories import Memories
from chalicelib.records.pending import marked

PAGE = 40
"""Rows that are read at a time."""

Touched = dict[str, list[datetime]]
"""When each memory was recalled, by its id."""


@dataclass(frozen=True, slots=True)
class Touches:
    """Notes what was recalled, and folds it."""

    table: Table

    def noting(self, scope: Scope, ulid: str, memories: Sequence[str], *, now: datetime, expires: int) -> list[Put]:
        """The writes that say these memories were recalled."""
        touched = Put(keys.touched(scope, ulid), {"memories": list(memories), "at": iso(now)}, ABSENT, expires)
        return [touched, marked(scope)]

    def fold(self, scope: Scope, *, now: datetime, patience: Callable[[], bool]) -> int:
        """Raise impressions of what was touched, drop the rows; returns how many. A lost race waits for next time."""
        done = 0
        while patience() and (rows := self.table.query(scope.partition, keys.TOUCHED, limit=PAGE).rows):
            touched, writes = fitting(rows, now)
            kept = Memories(self.table).get(scope, touched)
            for name, found in kept.items():
                writes += Memories(self.table).changing(scope, risen(found.memory, touched[name]), found.version)
            try:
                self.table.commit(writes)
            except RowConflict:
                break
            done += sum(isinstance(write, Delete) for write in writes)
        return done


def fitting(rows: Sequence[Row], now: datetime) -> tuple[Touched, list[Write]]:
    """As many of the rows as one commit can fold: when each memory was touched, and what becomes of the rows.

    A first row that names more memories than fit stays, with the others.
    """
    touched: Touched = {}
    writes: list[Write] = []
    for row in rows:
        names, when = row.data["memories"], min(parsed(row.data["at"]), now)
        if writes and len(touched.keys() | set(names)) + len(writes) + 1 > MOST_WRITES:
            break
        fit, rest = names[:MOST_WRITES - 1], names[MOST_WRITES - 1:]
        for name in fit:
            touched.setdefault(name, []).append(when)
        left = Put(row.key, {**row.data, "memories": rest}, row.version, row.expires)
        writes.append(left if rest else Delete(row.key, row.version))
    return touched, writes


def risen(memory: Memory, touches: Sequence[datetime]) -> Memory:
    """The memory after these recalls."""
    impression = memory.impression
    for when in sorted(touches):
        impression = impression.touched(when)
    return replace(memory, impression=impression)
