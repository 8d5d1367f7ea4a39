"""Memories: current revision, revisions, change log, and the rows by which judging finds them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chalicelib.mind.memories import Memory
from chalicelib.mind.rows import ABSENT, Put, Row, Write
from chalicelib.mind.scopes import Scope
from chalicelib.mind.texts import canonical
from chalicelib.mind.times import iso
from chalicelib.ports import Table
from chalicelib.records import keys
from chalicelib.records.codec import packed, unpacked

MOST_ENTITIES = 16
"""Entities of a memory that are kept for judging; with 20 tags a statement's commit stays under 60 rows."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory and the version of its row."""

    memory: Memory
    version: int


def kept(row: Row) -> Kept:
    """The memory in a row."""
    return Kept(unpacked(Memory, row.data), row.version)


@dataclass(frozen=True, slots=True)
class Memories:
    """Reads of memories, and the writes that make and change them."""

    table: Table

    def get(self, scope: Scope, ids: Iterable[str]) -> dict[str, Kept]:
        """The memories that exist, by id."""
        rows = self.table.get([keys.memory(scope, name) for name in ids])
        return {found.memory.id: found for found in map(kept, rows.values())}

    def digests(self, scope: Scope, digests: Iterable[str]) -> dict[str, Row]:
        """The digest rows that exist; a row's `memory` names who says this already."""
        rows = self.table.get([keys.digest(scope, digest) for digest in dict.fromkeys(digests)])
        return {row.key.sort.removeprefix(keys.DIGESTS): row for row in rows.values()}

    def adding(self, scope: Scope, memory: Memory, digest: Row | None) -> list[Write]:
        """The writes that add a new memory; *digest* is the row it takes over from a memory no longer valid."""
        revision = {"text": memory.text, "at": iso(memory.recorded_at)}
        writes: list[Write] = [
            Put(keys.memory(scope, memory.id), packed(memory), ABSENT),
            Put(keys.revision(scope, memory.id, memory.revision), revision, ABSENT),
            Put(keys.digest(scope, memory.digest), {"memory": memory.id}, digest.version if digest else ABSENT),
        ]
        writes += [Put(keys.log(scope, memory.id, change.seq), packed(change), ABSENT) for change in memory.changes]
        if memory.slot:
            slot = memory.slot
            key = keys.slot(scope, canonical(slot.subject), slot.attribute, memory.id)
            writes.append(Put(key, {"value": slot.value}))
        names = dict.fromkeys(canonical(entity.name) for entity in memory.entities)
        writes += [Put(keys.entity(scope, name, memory.id), {}) for name in list(names)[:MOST_ENTITIES]]
        return writes

    def changing(self, scope: Scope, memory: Memory, version: int) -> list[Write]:
        """The write that replaces a memory's row, if it is still of that version."""
        return [Put(keys.memory(scope, memory.id), packed(memory), version)]

    def revisions(self, scope: Scope, memory_id: str) -> Sequence[Row]:
        """All revisions, oldest first."""
        rows: list[Row] = []
        after = None
        while True:
            page = self.table.query(scope.partition, keys.revisions(memory_id), after=after, limit=100)
            rows += page.rows
            if page.cursor is None:
                return rows
            after = page.cursor
