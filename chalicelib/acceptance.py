"""The first step of remember: what is new of a request becomes durable turns, in pieces, each resumable.

Positions are contiguous, allocated by compare-and-set on the conversation's head. The receipt of the request, written
in the same commits, says what has been accepted: a repeat of the request goes on where the former try ended.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from chalicelib.errors import Conflict, StoreUnavailable
from chalicelib.mind import repetition
from chalicelib.mind.rows import Key, Put, Row, RowConflict, Write
from chalicelib.mind.scopes import Scope
from chalicelib.mind.turns import Said, Turn, named
from chalicelib.ports import Analyser, Table
from chalicelib.records import keys
from chalicelib.records.bodies import Bodies, Place
from chalicelib.records.codec import packed, unpacked
from chalicelib.records.conversations import Conversations, Head, Receipt, at, put, week_after
from chalicelib.records.pending import marked, noted
from chalicelib.records.tasks import LEASE, Task, Tasks

PIECE, PIECE_BYTES = 28, 1_000_000
"""Messages and bytes of text of one commit: with ids, outbox and heads 28 stay under 100 rows, terms under 4 MB."""

ATTEMPTS = 200
"""Lost races in a row after which a request gives up; of 64 racing writers each loses 63 at the most."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller wants remembered. *request* names the request for good, so that a repeat of it is known."""

    scope: Scope
    conversation: str
    messages: tuple[Said, ...]
    request: str
    task: str
    options: Mapping[str, object]
    deferred: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """What has become of a request: its task, and the outbox entries of its turns; *repeated* messages were known."""

    task: Task
    noted: tuple[Key, ...]
    repeated: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The rows that decide what is new, and the fingerprint of each message."""

    wish: Wish
    rows: Mapping[Key, Row]
    place: Place
    marks: tuple[str, ...]

    def row(self, key: Key) -> Row | None:
        """The row under this key, as read."""
        return self.rows.get(key)

    @property
    def head(self) -> Row | None:
        """The conversation's head."""
        return self.row(keys.conversation(self.wish.scope, self.wish.conversation))

    @property
    def receipt(self) -> Row | None:
        """The request's receipt, if a former try has begun it."""
        return self.row(keys.receipt(self.wish.scope, self.wish.request))


def listed(wish: Wish) -> list[int]:
    """Indexes of messages that have no client id, so that only what stands around them tells a repeat."""
    return [index for index, message in enumerate(wish.messages) if message.message is None]


def list_name(wish: Wish, marks: Sequence[str]) -> str | None:
    """The name of the request's list as a whole."""
    return repetition.whole([marks[index] for index in listed(wish)])


def fresh_by_id(standing: Standing) -> set[int]:
    """Messages whose client id is new to the conversation, and new in the list."""
    wish, seen, fresh = standing.wish, set[str](), set[int]()
    for index, message in enumerate(wish.messages):
        name = message.message
        if name is None or name in seen:
            continue
        seen.add(name)
        if standing.row(keys.message(wish.scope, wish.conversation, name)) is None:
            fresh.add(index)
    return fresh


def piece_of(receipt: Receipt, messages: Sequence[Said]) -> tuple[int, ...]:
    """The indexes that the next commit takes."""
    taken: list[int] = []
    size = 0
    for index in receipt.left[:PIECE]:
        size += len(json.dumps(messages[index].content, ensure_ascii=False).encode())  # as it is kept
        if taken and size > PIECE_BYTES:
            break
        taken.append(index)
    return tuple(taken)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Makes turns durable."""

    table: Table
    bodies: Bodies
    conversations: Conversations
    tasks: Tasks
    analyser: Analyser

    def __call__(self, wish: Wish, *, now: datetime, ids: Callable[[], str]) -> Accepted:
        """Accept what is new. Raises Conflict when the request's name was used for another list."""
        marks = tuple(repetition.fingerprint(message) for message in wish.messages)
        entries: list[Key] = []
        lost = 0
        while lost < ATTEMPTS:
            standing = self.standing(wish, marks)
            receipt = self.receipt(standing)
            try:
                if not receipt.left:
                    return self.ended(standing, receipt, entries, now=now)
                entries += self.accept(standing, receipt, now=now, ids=ids)
                lost = 0
            except RowConflict:
                lost += 1
        raise StoreUnavailable("table", "too many writers in this conversation")

    def standing(self, wish: Wish, marks: tuple[str, ...]) -> Standing:
        """What decides, in one read."""
        scope, name = wish.scope, list_name(wish, marks)
        wanted = [
            *self.bodies.keys(scope), keys.conversation(scope, wish.conversation), keys.receipt(scope, wish.request),
            *([keys.heard(scope, name)] if name else []),
            *(keys.message(scope, wish.conversation, m.message) for m in wish.messages if m.message is not None),
        ]
        rows = self.table.get(list(dict.fromkeys(wanted)))
        return Standing(wish, rows, self.bodies.placed([scope], rows)[0], marks)

    def receipt(self, standing: Standing) -> Receipt:
        """The receipt of a former try, else a new one that says which messages are new.

        Where others have written to the conversation since, what is left of a former try is looked at once more: they
        may have sent the same.
        """
        wish, name = standing.wish, repetition.whole([*standing.marks, *["-"] * repetition.LEAST]) or ""
        if standing.receipt is None:
            return Receipt(name, wish.conversation, self.new(standing))
        receipt = unpacked(Receipt, standing.receipt.data)
        if receipt.name != name:
            raise Conflict("this request was begun with other messages")
        if not receipt.left or at(standing.head).next == receipt.positions[-1] + 1:
            return receipt
        new = set(self.new(standing))
        accepted = receipt.fresh[:len(receipt.positions)]
        return replace(receipt, fresh=(*accepted, *(index for index in receipt.left if index in new)))

    def new(self, standing: Standing) -> tuple[int, ...]:
        """Indexes of the messages that are new, in order."""
        return tuple(sorted(fresh_by_id(standing) | self.fresh_in_list(standing)))

    def fresh_in_list(self, standing: Standing) -> set[int]:
        """Messages without an id that are not a repeat of what is stored."""
        wish, marks, indexes = standing.wish, standing.marks, listed(standing.wish)
        name = list_name(wish, marks)
        if name and standing.row(keys.heard(wish.scope, name)):
            return set()
        head = at(standing.head)

        def earlier(count: int) -> list[str]:
            places = [(wish.conversation, head.next - back) for back in range(count, 0, -1)]
            turns = self.conversations.turns(wish.scope, places)
            found = [turns[place] for place in places if place in turns]
            return [repetition.fingerprint(turn) for turn in found if turn.message is None]

        return set(indexes[repetition.overlap(head.fingerprints, [marks[index] for index in indexes], earlier):])

    def accept(self, standing: Standing, receipt: Receipt, *, now: datetime, ids: Callable[[], str]) -> list[Key]:
        """Commit the next piece; returns its outbox entries."""
        wish, head = standing.wish, at(standing.head)
        piece = piece_of(receipt, wish.messages)
        turns = [self.turn(wish, index, head.next + step, now=now) for step, index in enumerate(piece)]
        after = replace(receipt, positions=receipt.positions + tuple(turn.position for turn in turns))
        entries = [noted(wish.scope, ids(), keys.turn(wish.scope, turn.conversation, turn.position)) for turn in turns]
        self.table.commit([
            *self.conversations.adding(wish.scope, turns), *entries, marked(wish.scope),
            *self.heads(standing, after, piece, now=now),
            *self.founding(standing, receipt, now=now),
        ])
        return [entry.key for entry in entries]

    def turn(self, wish: Wish, index: int, position: int, *, now: datetime) -> Turn:
        """The message at *index* as the turn at *position*."""
        turn = wish.messages[index].turn(wish.conversation, position, terms={}, now=now)
        return replace(turn, terms=Counter(self.analyser.terms(turn.labelled)))

    def heads(self, standing: Standing, receipt: Receipt, piece: Sequence[int], *, now: datetime) -> list[Write]:
        """The writes that move conversation and receipt on; with the last piece the list is known as a whole.

        Of messages with an id no fingerprint is kept: between others they would hide a repeat of those.
        """
        wish, head = standing.wish, at(standing.head)
        unnamed = (standing.marks[index] for index in piece if wish.messages[index].message is None)
        moved = Head(head.next + len(piece), (*head.fingerprints, *unnamed)[-repetition.KEPT:])
        writes: list[Write] = [
            put(keys.conversation(wish.scope, wish.conversation), packed(moved), standing.head),
            put(
                keys.receipt(wish.scope, wish.request), packed(receipt), standing.receipt,
                expires=standing.receipt.expires if standing.receipt else None,
            ),
        ]
        name = list_name(wish, standing.marks)
        if name and not receipt.left:
            writes.append(Put(keys.heard(wish.scope, name), {}, expires=week_after(now)))
        return writes

    def founding(self, standing: Standing, receipt: Receipt, *, now: datetime) -> list[Write]:
        """With the first piece: body, scope, speakers and the task."""
        if receipt.positions:
            return []
        speakers = (named(standing.wish.messages[index].character) for index in receipt.fresh)
        writes = self.bodies.founding(standing.place, speakers, now=now)
        return [*writes, *self.tasks.opening(opened(standing.wish, len(receipt.fresh), now=now))]

    def ended(self, standing: Standing, receipt: Receipt, entries: list[Key], *, now: datetime) -> Accepted:
        """Everything is durable; a request that brought nothing new gets a task that is done.

        A task that somebody has deleted under way is not made again; one that a worker has finished with what a former
        try had accepted goes on.
        """
        wish, repeated = standing.wish, len(standing.wish.messages) - len(receipt.fresh)
        if found := self.tasks.find(wish.scope.body.project, wish.task):
            return Accepted(self.reopened(wish, receipt, *found, now=now), tuple(entries), repeated)
        if entries:
            return Accepted(opened(wish, len(receipt.fresh), now=now), tuple(entries), repeated)
        task = replace(opened(wish, 0, now=now), status="succeeded", result={"summarys": [], "ids": []})
        founding = self.bodies.founding(standing.place, (), now=now)
        self.table.commit([*founding, *self.tasks.closing(task, None)])
        return Accepted(task, (), repeated)

    def reopened(self, wish: Wish, receipt: Receipt, task: Task, version: int, *, now: datetime) -> Task:
        """The task, under way again if it was finished before all of the request was accepted."""
        if task.status != "succeeded" or task.done >= len(receipt.positions):
            return task
        fresh = opened(wish, len(receipt.fresh), now=now)
        again = replace(task, status=fresh.status, leased_until=fresh.leased_until, updated_at=now, queued_at=None)
        self.table.commit(self.tasks.reopening(again, version))
        return again


def opened(wish: Wish, total: int, *, now: datetime) -> Task:
    """The task of a request: at once in the hands of whoever accepts it, or waiting for a worker."""
    body, leased = wish.scope.body, None if wish.deferred else now + LEASE
    return Task(
        wish.task, body.project, "memories", body.namespace, body.name, wish.scope.partition, wish.request, now, now,
        options=dict(wish.options), status="pending" if wish.deferred else "running", total=total, leased_until=leased,
    )
