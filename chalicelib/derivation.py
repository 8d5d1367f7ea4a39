"""The second step of remember: accepted turns become statements, statements become memories, and both become findable.

One commit a statement, each complete in itself. A repeat finds what a former try has written (the same statement of the
same turn changes nothing), so a task may stop anywhere and go on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from chalicelib.errors import StoreUnavailable
from chalicelib.mind import texts
from chalicelib.mind.ids import memory_id
from chalicelib.mind.memories import VALID, Memory, born, repeated
from chalicelib.mind.rows import Key, Row, RowConflict
from chalicelib.mind.scopes import Scope, scope_named
from chalicelib.mind.statements import Statement
from chalicelib.mind.turns import Turn
from chalicelib.ports import Extractor, Table
from chalicelib.projection import Projection
from chalicelib.records import keys
from chalicelib.records.codec import unpacked
from chalicelib.records.conversations import Conversations, Receipt
from chalicelib.records.memories import Kept, Memories
from chalicelib.records.pending import marked, noted
from chalicelib.records.tasks import LEASE, Task, Tasks, retired

PIECE, PIECE_BYTES = 64, 200_000
"""Turns and bytes of text that are read for statements at a time, about 2 s; between pieces a task may be put down."""

ATTEMPTS = 100
"""Lost races for one statement after which the task is put down."""

MOST_SUMMARY_BYTES = 200_000
"""Text of new memories that a task's result lists; its row must stay under 390 KB. The rest are found by listing."""

BESIDE = 60
"""Bytes that a listed memory takes beside its text: its id, and what JSON puts around both."""

Mint = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Derived:
    """How far a task has come, and what could not be done yet."""

    task: Task
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """Draws memories from turns."""

    table: Table
    conversations: Conversations
    memories: Memories
    tasks: Tasks
    extractor: Extractor
    projection: Projection

    def __call__(
        self, task: Task, version: int, noted_keys: Sequence[Key], *, clock: Callable[[], datetime], ids: Mint,
        patience: Callable[[], bool],
    ) -> Derived:
        """Carry a claimed task on while there is patience; without it the task is put down for a worker.

        *noted_keys*: outbox entries of its turns, where the caller knows them; else the scope's outbox is drained.
        """
        scope, positions = scope_named(task.scope), places_in(self.tasks.receipt(task))
        warnings: list[str] = []
        fresh = list(noted_keys)
        for piece in self.pieces(scope, positions[task.done:]):
            if not patience():
                break
            made, entries = self.derive(scope, task, piece, now=clock(), ids=ids)
            warnings += self.projection.noted(scope, fresh[:len(piece)] + entries)
            fresh = fresh[len(piece):]
            task, version = self.moved(task, version, len(piece), made, now=clock())
        if not noted_keys:
            warnings += self.projection.caught_up(scope, patience)
        return Derived(self.settled(task, version, now=clock()), tuple(dict.fromkeys(warnings)))

    def pieces(self, scope: Scope, places: Sequence[tuple[str, int]]) -> Iterator[list[Turn | None]]:
        """The turns in pieces, in order; None stands for one that is not there any more."""
        for start in range(0, len(places), PIECE):
            read = places[start:start + PIECE]
            found = self.conversations.turns(scope, read)
            yield from split([found.get(place) for place in read])

    def derive(
        self, scope: Scope, task: Task, piece: Sequence[Turn | None], *, now: datetime, ids: Mint
    ) -> tuple[list[Memory], list[Key]]:
        """The new memories of some turns, committed, and the outbox entries of all that changed."""
        turns = [turn for turn in piece if turn is not None]
        statements = self.extractor.extract(turns)
        digests = self.memories.digests(scope, [digest_of(statement) for statement in statements])
        by_id = {turn.id: turn for turn in turns}
        made: list[Memory] = []
        entries: list[Key] = []
        for statement in statements:
            spoken = [by_id[name] for name in statement.turns]
            memory, entry = self.keep(scope, task, statement, spoken, digests, now=now, ids=ids)
            made += [memory] if memory else []
            entries += [entry] if entry else []
        return list({memory.id: memory for memory in made}.values()), entries

    def keep(
        self, scope: Scope, task: Task, statement: Statement, turns: Sequence[Turn], digests: Mapping[str, Row], *,
        now: datetime, ids: Mint,
    ) -> tuple[Memory | None, Key | None]:
        """One statement, one commit: a new memory, or one more source of what is known. (new memory, outbox entry).

        What a former try of the same turns has made is new to the caller all the same.
        """
        digest = digest_of(statement)
        row = digests.get(digest)
        for _ in range(ATTEMPTS):
            try:
                known = self.known(scope, row, now=now)
                if known is None:
                    return self.add(scope, task, statement, turns, row, now=now, ids=ids)
                made = known.memory if born_of(known.memory, turns) else None
                return made, self.repeat(scope, known.memory, known.version, turns, now=now, ids=ids)
            except RowConflict:
                row = self.memories.digests(scope, [digest]).get(digest)
        raise StoreUnavailable("table", "too many writers of one statement")

    def known(self, scope: Scope, digest: Row | None, *, now: datetime) -> Kept | None:
        """The valid memory that says the same, if there is one."""
        if digest is None:
            return None
        name = digest.data["memory"]
        found = self.memories.get(scope, [name]).get(name)
        return found if found and found.memory.state == VALID and not found.memory.gone(now) else None

    def add(
        self, scope: Scope, task: Task, statement: Statement, turns: Sequence[Turn], digest: Row | None, *,
        now: datetime, ids: Mint,
    ) -> tuple[Memory, Key]:
        """Commit a new memory with all that belongs to it."""
        third = f"{scope.body.name}: " if task.options.get("third_person") else ""
        memory = born(
            statement, turns, id=memory_id(scope.ref, ids()), text=third + statement.text, digest=digest_of(statement),
            metadata=str(task.options.get("metadata", "")), now=now,
        )
        entry = noted(scope, ids(), keys.memory(scope, memory.id))
        self.table.commit([*self.memories.adding(scope, memory, digest), entry, marked(scope)])
        return memory, entry.key

    def repeat(
        self, scope: Scope, memory: Memory, version: int, turns: Sequence[Turn], *, now: datetime, ids: Mint
    ) -> Key | None:
        """Commit one more source of a memory; None if it is known."""
        after = repeated(memory, turns, now=now)
        if after is memory:
            return None
        entry = noted(scope, ids(), keys.memory(scope, memory.id))
        self.table.commit([*self.memories.changing(scope, after, version), entry, marked(scope)])
        return entry.key

    def moved(self, task: Task, version: int, count: int, made: Sequence[Memory], *, now: datetime) -> tuple[Task, int]:
        """The task some turns further. Raises RowConflict when somebody deleted it or took it over."""
        after = replace(
            task, done=task.done + count, result=listed(task.result, made), updated_at=now, leased_until=now + LEASE,
            attempts=0,
        )
        self.table.commit(self.tasks.saving(after, version))
        return after, version + 1

    def settled(self, task: Task, version: int, *, now: datetime) -> Task:
        """The task finished, and its receipt kept for a week from now; or put down for whoever comes next.

        The receipt is read anew: a retry of the request may have accepted more of it meanwhile.
        """
        receipt = self.tasks.receipt(task)
        if task.done >= len(places_in(receipt)):
            done = replace(task, status="succeeded", updated_at=now, leased_until=None, result=listed(task.result, ()))
            self.table.commit([*self.tasks.closing(done, version), *retired(receipt, now=now)])
            return done
        attempts = max(task.attempts - 1, 0)  # to be out of time is no failure
        waiting = replace(task, status="pending", updated_at=now, leased_until=None, attempts=attempts)
        self.table.commit(self.tasks.saving(waiting, version))
        return waiting


def split(turns: Sequence[Turn | None]) -> Iterator[list[Turn | None]]:
    """The turns in pieces of PIECE_BYTES at the most, but for a single one that is longer."""
    piece: list[Turn | None] = []
    size = 0
    for turn in turns:
        more = len(turn.content.encode()) if turn else 0
        if piece and size + more > PIECE_BYTES:
            yield piece
            piece, size = [], 0
        piece.append(turn)
        size += more
    yield piece


def places_in(receipt: Row | None) -> list[tuple[str, int]]:
    """Where the turns stand that a receipt names."""
    if receipt is None:
        return []
    accepted = unpacked(Receipt, receipt.data)
    return [(accepted.conversation, position) for position in accepted.positions]


def born_of(memory: Memory, turns: Sequence[Turn]) -> bool:
    """True if one of these turns is where the memory first came from."""
    first = memory.sources[0]
    return (first.conversation, first.position) in {(turn.conversation, turn.position) for turn in turns}


def digest_of(statement: Statement) -> str:
    """The name of what a statement says: who, in which sense, what."""
    return texts.digest(statement.subject, statement.sense, statement.text)


def listed(result: Mapping[str, object] | None, made: Sequence[Memory]) -> dict[str, object]:
    """A task's result with more memories: how many, and as many of their texts as fit."""
    before = result or {}
    summaries, ids = list(before.get("summarys", [])), list(before.get("ids", []))  # type: ignore[call-overload]  # JSON
    room = MOST_SUMMARY_BYTES - sum(len(text.encode()) + BESIDE for text in summaries)
    for memory in made:
        room -= len(memory.text.encode()) + BESIDE
        if room >= 0:
            summaries.append(memory.text)
            ids.append(memory.id)
    count = int(before.get("count", 0)) + len(made)  # type: ignore[call-overload]  # JSON
    return {"count": count, "summarys": summaries, "ids": ids}
