"""The outbox: which records index and graph don't know yet, and which scopes have any."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.mind.documents import Vector
from chalicelib.mind.rows import ABSENT, Delete, Key, Put, Row, Write
from chalicelib.mind.scopes import Scope, scope_named
from chalicelib.ports import Table
from chalicelib.records import keys
from chalicelib.records.codec import vector_of, vector_text


@dataclass(frozen=True, slots=True)
class Pending:
    """A record to project: its sort key in the scope, and its vector, by *model*, where that has been computed."""

    key: Key
    record: str
    vector: "Vector[float] | None" = None
    model: str = ""


def noted(scope: Scope, ulid: str, record: Key) -> Put:
    """The write that says a record changed; goes into the commit that changes it, with `marked`."""
    return Put(keys.pending(scope, ulid), {"record": record.sort}, ABSENT)


def noted_again(scope: Scope, record: Key) -> Put:
    """The write that says a record is to be projected once more, however often it is written."""
    return Put(keys.again(scope, record.sort), {"record": record.sort})


def marked(scope: Scope) -> Put:
    """The write that says a scope has work for the sweep."""
    return Put(keys.dirty(scope), {"scope": scope.partition})


def marked_scope(mark: Row) -> Scope:
    """The scope that a row of `marked` is about."""
    return scope_named(mark.data["scope"])


def pending_of(row: Row) -> Pending:
    """The entry in a row."""
    return Pending(row.key, row.data["record"], vector_of(row.data.get("vector")), row.data.get("model", ""))


@dataclass(frozen=True, slots=True)
class Outbox:
    """Reads of the outbox, and its emptying."""

    table: Table

    def newest(self, scope: Scope, limit: int) -> tuple[list[Pending], bool]:
        """The newest entries, and whether there are more."""
        page = self.table.query(scope.partition, keys.PENDING, limit=limit, newest_first=True)
        return [pending_of(row) for row in page.rows], page.cursor is not None

    def oldest(self, scope: Scope, limit: int, after: str | None = None) -> list[Pending]:
        """The oldest entries after a sort key."""
        page = self.table.query(scope.partition, keys.PENDING, limit=limit, after=after)
        return [pending_of(row) for row in page.rows]

    def keep_vectors(self, entries: Iterable[tuple[Pending, "Vector[float]"]], model: str) -> None:
        """Keep what has been computed with the entries, so that a later try by the same model need not do it again.

        Somebody else may have cleared them meanwhile, and taken their mark away: they come with a mark of their own.
        """
        kept = list(entries)
        scopes = dict.fromkeys(entry.key.partition for entry, _ in kept)
        writes: list[Write] = [marked(scope_named(name)) for name in scopes]
        for entry, vector in kept:
            data: dict[str, Any] = {"record": entry.record, "vector": vector_text(vector), "model": model}
            writes.append(Put(entry.key, data))
        self.write(writes)

    def clear(self, entries: Sequence[Pending]) -> None:
        """The entries are done."""
        self.write([Delete(entry.key) for entry in entries])

    def write(self, writes: Sequence[Write]) -> None:
        """Many independent writes, a hundred a commit."""
        for start in range(0, len(writes), 100):
            self.table.commit(writes[start:start + 100])
